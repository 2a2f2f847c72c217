"""The parse-out document: what a parser found, as a typed record and as XML of a fixed schema.

`ParseOut` is the record, `write_parse_out` and `read_parse_out` turn records into bytes and back, `validate`
says what is wrong with a document. Records made by `parse_out_cleaning` always give valid documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, BinaryIO, Final, NamedTuple

from lxml import etree

from hyphe_core.errors import BadAnswer
from hyphe_core.parsers.base import SUCCESS, Metadatum, ParseMajor, ParseMinor, ParseStatus
from hyphe_core.parsers.sniff import OCTET_STREAM

NAMESPACE: Final = "http://nutch.org/1.0/parse"
SCHEMA_VERSION: Final = "1.0"
_TAG: Final = f"{{{NAMESPACE}}}"
_PREFIXES: Final = {"n": NAMESPACE}

# The Dublin Core fields in the order of the document, around content-type and link.
FIELDS_BEFORE: Final = "creator subject description publisher contributor date modified type".split()
FIELDS_AFTER: Final = "source language relation coverage rights".split()
FIELDS: Final = frozenset((*FIELDS_BEFORE, *FIELDS_AFTER))


class BadParseOut(BadAnswer):
    """Bytes that were given as a parse-out document are none; `faults` are the schema's, one a line."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("not a parse-out document: " + "; ".join(faults[:3]))
        self.faults = tuple(faults)


class Outlink(NamedTuple):
    """A link as parse-out tells it: absolute address, anchor, name of the element, rel tokens."""

    url: str
    anchor: str = ""
    element: str = ""
    rel: str = ""


class Redirection(NamedTuple):
    """Where a document sends its reader, after how many seconds."""

    url: str
    delay_seconds: int


@dataclass(frozen=True, slots=True)
class ParseOut:
    """One parse. `link` is its key, an absolute URL; `content_type` a media type without parameters.

    Dublin Core fields hold non-empty values in document order; `modified` has one value at most. A failed
    parse has neither text nor outlinks. Outlinks are distinct by address.
    """

    link: str
    content_type: str = OCTET_STREAM
    status: ParseStatus = SUCCESS
    title: str = ""
    creator: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    description: tuple[str, ...] = ()
    publisher: tuple[str, ...] = ()
    contributor: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    relation: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    redirect: Redirection | None = None
    text: str = ""
    outlinks: tuple[Outlink, ...] = ()
    meta: tuple[Metadatum, ...] = ()

    def values(self, field: str) -> tuple[str, ...]:
        """Values of a Dublin Core field by its name."""
        found: tuple[str, ...] = getattr(self, field)
        return found


def read_schema() -> bytes:
    """The XML schema of parse-out documents, version `SCHEMA_VERSION`."""
    return (files("hyphe_core.parsers") / "schemas" / f"parse-out-{SCHEMA_VERSION}.xsd").read_bytes()


@cache
def _schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.fromstring(read_schema()))


def _safe_parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_pis=True)


def validate(document: bytes) -> list[str]:
    """What is wrong with a document, one sentence for each fault, with its line; empty when it is valid."""
    try:
        return _list_faults(etree.fromstring(document, _safe_parser()))
    except etree.XMLSyntaxError as error:
        return [f"not well-formed: {error.msg}"]


def _list_faults(root: etree._Element) -> list[str]:
    if root.getroottree().docinfo.internalDTD is not None:
        return ["line 1: a document type is not allowed"]  # it could hide anything in entities
    schema = _schema()
    if schema.validate(root):
        return []
    faults: Any = schema.error_log  # the stubs do not know that it can be iterated
    return [f"line {fault.line}: {fault.message}" for fault in faults]


# -- writing ----------------------------------------------------------------


def write_parse_out(parses: Sequence[ParseOut]) -> bytes:
    """The document in UTF-8: `parse` for one record, `parses` for several."""
    if len(parses) == 1:
        root = _element_of(parses[0], etree.Element(_TAG + "parse", nsmap=_PREFIXES))
    else:
        root = etree.Element(_TAG + "parses", nsmap=_PREFIXES)
        for parse in parses:
            _element_of(parse, etree.SubElement(root, _TAG + "parse"))
    etree.indent(root)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8") + b"\n"


def write_parse_outs(parses: Iterable[ParseOut], stream: BinaryIO) -> int:
    """Write any number of records as one document `parses` in UTF-8, as they come; their number."""
    n_written = 0
    stream.write(b"<?xml version='1.0' encoding='UTF-8'?>\n")
    with (
        etree.xmlfile(stream, encoding="UTF-8") as document,
        document.element(_TAG + "parses", nsmap=_PREFIXES),
    ):
        for parse in parses:
            element = _element_of(parse, etree.Element(_TAG + "parse", nsmap=_PREFIXES))
            etree.indent(element)
            document.write("\n", element)
            n_written += 1
        document.write("\n")
    stream.write(b"\n")
    return n_written


def _element_of(parse: ParseOut, element: etree._Element) -> etree._Element:
    element.set("status", parse.status.major.name.lower())
    if parse.status.minor:
        element.set("minor", str(int(parse.status.minor)))
    if parse.status.message:
        element.set("message", parse.status.message)
    if parse.title:
        _add(element, "title", parse.title)
    _add_fields(element, parse, FIELDS_BEFORE)
    _add(element, "content-type", parse.content_type)
    _add(element, "link", parse.link)
    _add_fields(element, parse, FIELDS_AFTER)
    if parse.redirect is not None:
        _add(
            element,
            "redirect",
            None,
            ("url", parse.redirect.url),
            ("delay", str(parse.redirect.delay_seconds)),
        )
    if parse.text:
        _add(element, "text", parse.text)
    for url, anchor, name, rel in parse.outlinks:
        _add(element, "outlink", anchor or None, ("url", url), ("element", name), ("rel", rel))
    for name, value in parse.meta:
        _add(element, "meta", value, ("name", name))
    return element


def _add_fields(element: etree._Element, parse: ParseOut, names: Iterable[str]) -> None:
    for name in names:
        for value in parse.values(name):
            _add(element, name, value)


def _add(element: etree._Element, tag: str, text: str | None, *attributes: tuple[str, str]) -> None:
    child = etree.SubElement(element, _TAG + tag)
    child.text = text
    for key, value in attributes:
        if value:
            child.set(key, value)


# -- reading ----------------------------------------------------------------


def read_parse_out(document: bytes) -> tuple[ParseOut, ...]:
    """The records of a valid document, in its order. Raises BadParseOut."""
    try:
        root = etree.fromstring(document, _safe_parser())
    except etree.XMLSyntaxError as error:
        raise BadParseOut([f"not well-formed: {error.msg}"]) from error
    faults = _list_faults(root)
    if faults:
        raise BadParseOut(faults)
    elements = [root] if root.tag == _TAG + "parse" else list(root.iterchildren(_TAG + "parse"))
    return tuple(map(_record_of, elements))


def _record_of(element: etree._Element) -> ParseOut:
    redirect = element.find(_TAG + "redirect")
    return ParseOut(
        link=_texts(element, "link")[0].strip(),
        content_type=_texts(element, "content-type")[0].strip(),
        status=ParseStatus(
            ParseMajor[element.get("status", "").strip().upper()],
            ParseMinor(int(element.get("minor", "0"))),
            element.get("message", ""),
        ),
        title="".join(_texts(element, "title")),
        **{name: _texts(element, name) for name in FIELDS},
        redirect=None
        if redirect is None
        else Redirection(redirect.get("url", "").strip(), int(redirect.get("delay", "0"))),
        text="".join(_texts(element, "text")),
        outlinks=tuple(
            Outlink(
                found.get("url", "").strip(), found.text or "", found.get("element", ""), found.get("rel", "")
            )
            for found in element.iterchildren(_TAG + "outlink")
        ),
        meta=tuple(
            Metadatum(found.get("name", "").strip(), found.text or "")
            for found in element.iterchildren(_TAG + "meta")
        ),
    )


def _texts(element: etree._Element, name: str) -> tuple[str, ...]:
    return tuple(child.text or "" for child in element.iterchildren(_TAG + name))
