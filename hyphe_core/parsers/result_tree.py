"""Reads the parse-out tree that a stylesheet made, values as found, into raw parses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import repeat
from typing import Final

from lxml import etree

from hyphe_core.errors import BadAnswer
from hyphe_core.parsers.base import Metadatum, ParseMajor, ParseMinor, ParseStatus
from hyphe_core.parsers.parse_out import FIELDS, NAMESPACE, Outlink, Redirection
from hyphe_core.parsers.parse_out_cleaning import NEW_LINE, RawParse

_TAG: Final = f"{{{NAMESPACE}}}"
_PARSE: Final = _TAG + "parse"
_PARSES: Final = _TAG + "parses"
_OUTLINK: Final = _TAG + "outlink"
_META: Final = _TAG + "meta"
_NAMES: Final = {
    _TAG + name: name for name in (*FIELDS, "title", "text", "link", "content-type", "redirect", "outlinks")
}
MARK: Final = "\ufdd0"
"""What ends each value of an `outlinks` element: a character that is none, for uses within a program."""
_FOLDED: Final = "folded"  # that XSLT's normalize-space did it, which knows the white space of ASCII
_BLANKS: Final = ("\xa0", "\u2009", NEW_LINE)
_WIDE_BLANK: Final = "\u3000"
_FIRST_BYTE: Final = _WIDE_BLANK.encode()[:1]
_new_outlink: Final = partial(tuple.__new__, Outlink)  # half the cost of Outlink(...)
_MAX_PARSES: Final = 10_000


class BadResult(BadAnswer):
    """The result of a stylesheet is no parse-out document: a fault of the stylesheet."""


class MixedOutlinks(BadResult):
    """The document holds the mark that parts outlinks, so that they cannot be told apart."""


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
    for child in element:
        tag = child.tag
        if tag == _OUTLINK:
            address = child.get("url")
            if address is None:
                raise BadResult("an outlink without url")
            found = (address, child.text or "", child.get("element") or "", child.get("rel") or "")
            outlinks.append(_new_outlink(found))
        elif tag == _META:
            name = child.get("name")
            if name is None:
                raise BadResult("a meta without name")
            meta.append(Metadatum(name, child.text or ""))
        elif tag in _NAMES:
            _read_field(parse, child, _NAMES[tag])
        elif isinstance(tag, str):  # comments and instructions do no harm
            raise BadResult(f"unexpected element {tag.removeprefix(_TAG)[:100]}")
    return parse


def _read_text(parse: RawParse, child: etree._Element) -> None:
    content = etree.tostring(child, encoding="utf-8", method="text", with_tail=False)
    text = content.decode()
    if parse.text:
        parse.text, parse.is_folded = f"{parse.text} {text}", False
        return
    parse.text = text
    # Of the bytes of a wide blank the first is rare, and far quicker to look for than the character.
    parse.is_folded = child.get("space") == _FOLDED and not (
        any(map(text.__contains__, _BLANKS)) or (_FIRST_BYTE in content and _WIDE_BLANK in text)
    )


def _read_field(parse: RawParse, child: etree._Element, name: str) -> None:
    if name == "text":
        _read_text(parse, child)
        return
    text = child.text or ""
    if name in FIELDS:
        parse.add(name, text)
    elif name == "title":
        parse.title = parse.title or text.strip()
    elif name == "link":
        parse.link = text.strip() or parse.link
    elif name == "content-type":
        parse.content_type = text.strip()
    elif name == "outlinks":
        parse.outlinks += _outlinks_in(text, child.get("n") or "")
    else:
        parse.redirect = Redirection(child.get("url") or "", _whole(child.get("delay")))


def _outlinks_in(text: str, n_outlinks: str) -> Iterator[Outlink]:
    """The outlinks of a text of addresses, elements and anchors with a mark after each. Raises MixedOutlinks
    when there are more marks than that."""
    values = text.split(MARK)
    if len(values) != 3 * _whole(n_outlinks) + 1:
        raise MixedOutlinks("outlinks cannot be told apart")
    return map(_new_outlink, zip(values[::3], values[2::3], values[1::3], repeat(""), strict=False))


def remove_marks(root: etree._Element) -> None:
    """Remove the mark from all texts and attributes of a document."""
    for node in root.iter(etree.Element):
        for name, value in node.items():
            if MARK in value:
                node.set(name, str(value).replace(MARK, ""))
    for node in root.iter():
        if node.text and node.tag is not etree.Entity:
            node.text = str(node.text).replace(MARK, "")
        if node.tail:
            node.tail = str(node.tail).replace(MARK, "")


def _whole(number: str | None) -> int:
    """The number of a few digits, 0 for anything else."""
    return int(number) if number is not None and number.isdecimal() and len(number) < 10 else 0


def _status_of(element: etree._Element) -> ParseStatus:
    try:
        return ParseStatus(
            ParseMajor[(element.get("status") or "").upper()],
            ParseMinor(int(element.get("minor") or 0)),
            element.get("message") or "",
        )
    except (KeyError, ValueError):
        raise BadResult("the status of a parse is missing or none of those there are") from None
