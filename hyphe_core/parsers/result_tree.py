"""Reads the parse-out tree that a stylesheet made, values as found, into raw parses."""

from __future__ import annotations

from typing import Final

from lxml import etree

from hyphe_core.errors import BadAnswer
from hyphe_core.parsers.base import Metadatum, ParseMajor, ParseMinor, ParseStatus
from hyphe_core.parsers.parse_out import FIELDS, NAMESPACE, Outlink, Redirection
from hyphe_core.parsers.parse_out_cleaning import RawParse

_TAG: Final = f"{{{NAMESPACE}}}"
_N_TAG: Final = len(_TAG)
_PARSE: Final = _TAG + "parse"
_PARSES: Final = _TAG + "parses"
_OUTLINK: Final = _TAG + "outlink"
_META: Final = _TAG + "meta"
_FIELD_TAGS: Final = [
    _TAG + name for name in (*sorted(FIELDS), "title", "text", "link", "content-type", "redirect")
]
_MAX_PARSES: Final = 10_000


class BadResult(BadAnswer):
    """The result of a stylesheet is no parse-out document: a fault of the stylesheet."""


def read_result(root: etree._Element, url: str, base: str) -> list[RawParse]:
    """The parses of a result, that of the document (whose link is `url`) first. Raises BadResult.

    `base` is what relative addresses are joined to. The order of elements within a parse does not matter.
    """
    if root.tag == _PARSE:
        return [_read_parse(root, url, base)]
    if root.tag != _PARSES:
        raise BadResult(f"the result is {str(root.tag)[:100]}, not a parse")
    parses = [_read_parse(element, url, base) for element in root.iterchildren(_PARSE)][:_MAX_PARSES]
    if not parses:
        raise BadResult("the result holds no parse")
    parses.sort(key=lambda parse: parse.link != url)
    return parses


def _read_parse(element: etree._Element, url: str, base: str) -> RawParse:
    parse = RawParse(url, "", _status_of(element), base=base, is_legal=True)
    outlinks, meta = parse.outlinks, parse.meta
    new_link = tuple.__new__  # half the cost of Outlink(...)
    for child in element.iterchildren(_OUTLINK):
        address = child.get("url")
        if address is None:
            raise BadResult("an outlink without url")
        found = (address, child.text or "", child.get("element") or "", child.get("rel") or "")
        outlinks.append(new_link(Outlink, found))
    n_read = len(outlinks)
    for child in element.iterchildren(_META):
        name = child.get("name")
        if name is None:
            raise BadResult("a meta without name")
        meta.append(Metadatum(name, child.text or ""))
    n_read += len(meta)
    for child in element.iterchildren(_FIELD_TAGS):
        _read_field(parse, child)
        n_read += 1
    if n_read < len(element):
        _refuse_unknown(element)
    return parse


def _read_field(parse: RawParse, child: etree._Element) -> None:
    name, text = str(child.tag)[_N_TAG:], child.text or ""
    if name in FIELDS:
        parse.add(name, text)
    elif name == "text":
        parse.text = f"{parse.text} {text}" if parse.text else text
    elif name == "title":
        parse.title = parse.title or text.strip()
    elif name == "link":
        parse.link = text.strip() or parse.link
    elif name == "content-type":
        parse.content_type = text.strip()
    else:
        parse.redirect = Redirection(child.get("url") or "", _seconds(child.get("delay")))


def _seconds(delay: str | None) -> int:
    return int(delay) if delay is not None and delay.isdecimal() else 0


def _refuse_unknown(element: etree._Element) -> None:
    """Raise BadResult for the first child that no parse has; comments and instructions do no harm."""
    known = {_OUTLINK, _META, *_FIELD_TAGS}
    for child in element.iterchildren(etree.Element):
        if child.tag not in known:
            raise BadResult(f"unexpected element {str(child.tag).removeprefix(_TAG)[:100]}")


def _status_of(element: etree._Element) -> ParseStatus:
    try:
        return ParseStatus(
            ParseMajor[(element.get("status") or "").upper()],
            ParseMinor(int(element.get("minor") or 0)),
            element.get("message") or "",
        )
    except (KeyError, ValueError):
        raise BadResult("the status of a parse is missing or none of those there are") from None
