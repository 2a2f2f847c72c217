"""From the bytes of an XML document to a tree, and never to a file or a host.

The strict reading is that of XML 1.0 with the limits of libxml2 (256 levels, 10 MB for one text). The lenient
one, for crawls, goes on where strict reading fails: with the encoding repaired, forbidden characters dropped
and named entities replaced, then with a parser that skips over errors, which the result says. Declared
entities are expanded when they are internal and small; external ones are never read: nothing stands for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from typing import Any, Final, Literal

from lxml import etree

from hyphe_core.errors import BadAnswer
from hyphe_core.parsers.base import MAX_BASE_CHARACTERS, Document, ParseMinor, ParseStatus, failed
from hyphe_core.parsers.encoding import (
    EncodingSource,
    codec_of,
    decode,
    detect_encoding,
    find_encoding,
)
from hyphe_core.parsers.undeclared_prefixes import declare_prefixes
from memory_structure.urls import join_url

MAX_CRAWLED_BYTES: Final = 16 * 2**20
MAX_INGESTED_BYTES: Final = 128 * 2**20
MAX_NODES: Final = 1_000_000
MAX_ATTRIBUTES: Final = 10_000
MAX_ENTITY_CHARACTERS: Final = 64 * 1024
MAX_ENTITY_REFERENCES: Final = 100_000

# The fewest bytes that hold too many nodes (`<a/>x` is two) or attributes: shorter bodies are not counted.
_MIN_BYTES_OF_NODES: Final = 2 * MAX_NODES
_MIN_BYTES_OF_ATTRIBUTES: Final = 6 * MAX_ATTRIBUTES
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_HEADER_CHARSET: Final = re.compile(r"""charset\s*+=\s*+["']?\s*+([^\s"';,]+)""", re.IGNORECASE)
_DECLARES_ENCODING: Final = re.compile(rb"\s*<\?xml[^>]{0,200}encoding", re.IGNORECASE)
_DECLARED_NAME: Final = re.compile(
    rb"""\s*<\?xml[^>]{0,200}encoding\s{0,99}=\s{0,99}["']([A-Za-z0-9._:-]{1,40})["']"""
)
_UNKNOWN: Final = "Unsupported encoding"
_DECLARATION: Final = re.compile(r"\s*<\?xml\s[^>]*\?>")
_PARAMETER_ENTITY: Final = re.compile(rb"<!ENTITY\s+%")
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# References, lone ampersands, and beginnings of the sections in which an ampersand is only a character.
_REFERENCE: Final = re.compile(
    r"&(?:#(\d{1,8});|#[xX]([0-9a-fA-F]{1,7});|([A-Za-z][A-Za-z0-9]{0,40});)?|<!\[CDATA\[|<!--|<\?"
)
_CHARACTER: Final = re.compile(r"&#(?:0*(\d{1,8})|[xX]0*([0-9a-fA-F]{1,7}));")
_ENDS: Final = {"<![CDATA[": "]]>", "<!--": "-->", "<?": "?>"}
_OF_XML: Final = frozenset("amp lt gt quot apos".split())
_PATH: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*:)?/{1,3}[\w.%~+-]+(?:/[\w.%~+-]*)*")
# Comments and instructions part texts, and putting those in order takes time that grows with their square.
_PARTING: Final = (b"!--", b"!\0-\0-", b"<?", b"<\0?")
_MAX_PARTING: Final = 1000
# Names of elements in a message can have 50,000 characters.
_N_SCRUBBED: Final = 1000
_XML_BASE: Final = "{http://www.w3.org/XML/1998/namespace}base"
_ADDRESSES: Final = ("href", "src", "{http://www.w3.org/1999/xlink}href")


class NotWellFormed(BadAnswer):
    """The document cannot be made a tree; `status` says why."""

    def __init__(self, status: ParseStatus) -> None:
        super().__init__(status.message)
        self.status = status


@dataclass(frozen=True, slots=True)
class WellFormed:
    """A tree and how it was come by. `recovered`: a parser skipped over errors, so parts may be missing.

    `base` is what relative addresses at the root are joined to; `encoding` "" when it is not known.
    """

    root: etree._Element
    base: str
    encoding: str
    encoding_source: EncodingSource
    public_id: str = ""
    recovered: bool = False
    warnings: tuple[str, ...] = ()


def scrub(message: str) -> str:
    """A message of the XML library without the names of files and addresses, on one line."""
    return " ".join(_PATH.sub("...", message[:_N_SCRUBBED]).split())[:300]


@lru_cache(maxsize=64)
def _parser(
    encoding: str | None = None,
    *,
    recover: bool = False,
    expand: Literal[False, "internal"] = False,
    keeps_all: bool = False,
) -> etree.XMLParser:
    return etree.XMLParser(
        encoding=encoding,
        recover=recover,
        resolve_entities=expand,  # type: ignore[arg-type]  # the stubs do not know "internal"
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        strip_cdata=True,
        remove_comments=not keeps_all,
        remove_pis=not keeps_all,
    )


def parse_well_formed(document: Document, *, strict: bool, max_bytes: int = MAX_CRAWLED_BYTES) -> WellFormed:
    """The tree of an XML document. Raises NotWellFormed with the status that its parse gets."""
    body = document.body
    if len(body) > max_bytes:
        raise NotWellFormed(failed(ParseMinor.EXCEPTION, f"limit: more than {max_bytes} bytes"))
    if not body or body.isspace():
        raise NotWellFormed(failed(ParseMinor.MISSING_CONTENT, "the document is empty"))
    root, encoding, source, recovered, warnings = _read(document, strict=strict)
    public_id = root.getroottree().docinfo.public_id or ""
    _check_size(root, len(body))
    base = document.url
    if b"xml:base" in body:
        base = _resolve_bases(root, base)
    return WellFormed(root, base, encoding, source, public_id, recovered, warnings)


def reencode(document: Document) -> bytes:
    """A strictly well-formed document in UTF-8 with a declaration, its document type, instructions and
    comments kept, and that it stands alone. Raises NotWellFormed."""
    tree = _read(document, strict=True, keeps_all=True)[0].getroottree()
    alone = b' standalone="yes"' if tree.docinfo.standalone else b""
    return b'<?xml version="1.0" encoding="UTF-8"' + alone + b"?>\n" + etree.tostring(tree, encoding="UTF-8")


_Reading = tuple[etree._Element, str, EncodingSource, bool, tuple[str, ...]]


def _read(document: Document, *, strict: bool, keeps_all: bool = False) -> _Reading:
    """(root, encoding, its source, recovered, warnings)."""
    body = document.body
    keeps_all = keeps_all or sum(map(body.count, _PARTING)) <= _MAX_PARTING
    label = None if body.startswith(_MARKS) else _find_header_label(document.content_type)
    first: NotWellFormed | None = None
    for encoding in dict.fromkeys((label, None)):
        try:
            root = _parse(body, encoding, keeps_all=keeps_all)
        except NotWellFormed as error:
            first = first or error
            continue
        warning = () if encoding == label else (f"not in the encoding of the header, {label}",)
        return root, *_encoding_of(root, body, encoding), False, warning
    assert first is not None
    if first.status.message.startswith(_UNKNOWN) and (named := _find_declared_name(body)) is not None:
        with suppress(NotWellFormed):
            root = _parse(body, codec_of(named).replace("mac-", "mac"), keeps_all=keeps_all)
            return root, named, EncodingSource.XML, False, ()
    if strict or first.status.message.startswith("limit"):
        raise first
    return _read_leniently(document, first, keeps_all=keeps_all)


def _find_declared_name(body: bytes) -> str | None:
    """The encoding that a declaration means by a name which the web knows and the XML library does not."""
    found = _DECLARED_NAME.match(body)
    return find_encoding(found[1].decode("ascii")) if found else None


def _find_header_label(content_type: str | None) -> str | None:
    found = _HEADER_CHARSET.search(content_type) if content_type else None
    return find_encoding(found[1]) if found else None


def _encoding_of(root: etree._Element, body: bytes, label: str | None) -> tuple[str, EncodingSource]:
    if label is not None:
        return label, EncodingSource.HEADER
    if body.startswith((b"<\0", b"\0<")):
        return ("utf-16le" if body[0] else "utf-16be"), EncodingSource.XML
    name = (root.getroottree().docinfo.encoding or "utf-8").lower()
    if body.startswith(_MARKS):
        mark = body[:2]
        return ("utf-8" if mark == b"\xef\xbb" else "utf-16"), EncodingSource.BOM
    if _DECLARES_ENCODING.match(body) or not body.startswith((b"<", b" ", b"\n", b"\r", b"\t")):
        return name, EncodingSource.XML
    return "utf-8", EncodingSource.ASCII if body.isascii() else EncodingSource.VALID_UTF8


def _parse(
    body: bytes, encoding: str | None, *, recover: bool = False, keeps_all: bool = False
) -> etree._Element:
    """The root with entities settled. Raises NotWellFormed."""
    try:
        root = etree.fromstring(body, _parser(encoding, recover=recover, keeps_all=keeps_all))
    except etree.XMLSyntaxError as error:
        message = scrub(error.msg or "not XML")
        if "amplification" in message:
            message = "limit: entities grow too much"
        raise NotWellFormed(failed(ParseMinor.INVALID_FORMAT, message)) from None
    except (LookupError, ValueError, AssertionError) as error:
        raise NotWellFormed(failed(ParseMinor.INVALID_FORMAT, scrub(str(error)))) from None
    if root is None:
        raise NotWellFormed(failed(ParseMinor.INVALID_FORMAT, "no element found"))
    if root.getroottree().docinfo.internalDTD is not None:
        return _settle_entities(root, body, encoding, recover=recover, keeps_all=keeps_all)
    if recover:  # else a reference that nothing declares is an error
        _replace_references(root, {})
    return root


# -- entities ---------------------------------------------------------------


def _settle_entities(
    root: etree._Element, body: bytes, encoding: str | None, *, recover: bool, keeps_all: bool
) -> etree._Element:
    """The tree without references to entities: small internal ones expanded, known names of HTML replaced by
    their characters, all others removed."""
    dtd: Any = root.getroottree().docinfo.internalDTD  # the stubs do not know its entities
    declared = list(dtd.iterentities())
    if declared:
        if _PARAMETER_ENTITY.search(body.replace(b"\0", b"")):
            raise NotWellFormed(failed(ParseMinor.INVALID_FORMAT, "parameter entities are not read"))
        if sum(len(entity.content or "") for entity in declared) > MAX_ENTITY_CHARACTERS:
            raise NotWellFormed(failed(ParseMinor.INVALID_FORMAT, "limit: text of declared entities"))
        if all(entity.content is not None for entity in declared):
            return _expand(body, encoding, root, recover=recover, keeps_all=keeps_all)
    texts = {entity.name: entity.content for entity in declared if _is_plain(entity.content)}
    _replace_references(root, texts)
    return root


def _expand(
    body: bytes, encoding: str | None, unexpanded: etree._Element, *, recover: bool, keeps_all: bool
) -> etree._Element:
    """The tree again with internal entities expanded; the library stops those that grow too much."""
    try:
        parser = _parser(encoding, recover=recover, expand="internal", keeps_all=keeps_all)
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        # A name of HTML among the declared ones: those then count for nothing.
        root = unexpanded
    _replace_references(root, {})
    return root


def _is_plain(text: str | None) -> bool:
    return text is not None and "<" not in text and "&" not in text


def _replace_references(root: etree._Element, texts: dict[str, str]) -> None:
    parents = {}
    for n_found, reference in enumerate(root.iter(etree.Entity)):
        if n_found >= MAX_ENTITY_REFERENCES:
            raise NotWellFormed(failed(ParseMinor.INVALID_FORMAT, "limit: references to entities"))
        parent = reference.getparent()
        if parent is not None:
            parents[parent] = True
    for parent in parents:
        _replace_in(parent, texts)


def _replace_in(parent: etree._Element, texts: dict[str, str]) -> None:
    holder: etree._Element | None = None
    pieces = [parent.text or ""]
    for child in list(parent):
        if child.tag is etree.Entity:
            name = child.name  # type: ignore[attr-defined]  # of references only
            pieces += (texts.get(name) or html5.get(name + ";", ""), child.tail or "")
            parent.remove(child)
        else:
            _set_text(parent, holder, pieces)
            holder, pieces = child, [child.tail or ""]
    _set_text(parent, holder, pieces)


def _set_text(parent: etree._Element, holder: etree._Element | None, pieces: list[str]) -> None:
    if len(pieces) > 1:
        if holder is None:
            parent.text = "".join(pieces)
        else:
            holder.tail = "".join(pieces)


# -- the lenient reading ----------------------------------------------------


def _read_leniently(document: Document, first: NotWellFormed, *, keeps_all: bool) -> _Reading:
    encoding = detect_encoding(document.body, document.content_type)
    text = decode(document.body, encoding.name)
    text = _repair(text)
    body = text.encode("utf-8", "replace")
    warnings = tuple(filter(None, (encoding.warning, f"repaired: {first.status.message}")))
    try:
        return _parse(body, "utf-8", keeps_all=keeps_all), encoding.name, encoding.source, False, warnings
    except NotWellFormed as error:
        if error.status.message.startswith("limit"):
            raise
    declared = declare_prefixes(text)
    if declared is not text:
        body = declared.encode("utf-8", "replace")
        with suppress(NotWellFormed):
            return _parse(body, "utf-8", keeps_all=keeps_all), encoding.name, encoding.source, False, warnings
    warnings = (*warnings[:-1], f"recovered: {first.status.message}")
    root = _parse(body, "utf-8", recover=True, keeps_all=keeps_all)
    return root, encoding.name, encoding.source, True, warnings


def _repair(text: str) -> str:
    """The text without declaration and leading blanks, forbidden characters dropped, names of HTML and lone
    ampersands as characters."""
    text = _ILLEGAL.sub("", text).lstrip("\ufeff \t\r\n")
    text = text[found.end() :] if (found := _DECLARATION.match(text)) else text
    return "".join(_iter_repaired(text, declares="<!ENTITY" in text))


def _iter_repaired(text: str, *, declares: bool) -> Iterator[str]:
    """The text in pieces. No end of a section is looked for again when there was none behind."""
    at, unended = 0, set()
    while (found := _REFERENCE.search(text, at)) is not None:
        ending = _ENDS.get(found[0])
        if ending is None:
            yield text[at : found.start()]
            yield _repair_reference(found, declares=declares)
            at = found.end()
            continue
        end = -1 if ending in unended else text.find(ending, found.end())
        if end < 0:
            unended.add(ending)
        stop = end + len(ending) if end >= 0 else found.end()
        # What no section is for the library gives characters that none may give.
        yield _CHARACTER.sub(lambda found: found[0] if _is_legal(*found.groups()) else "", text[at:stop])
        at = stop
    yield text[at:]


def _is_legal(decimal: str | None, hexadecimal: str | None) -> bool:
    code = int(decimal) if decimal else int(hexadecimal or "0", 16)
    return code <= 0x10FFFF and not _ILLEGAL.match(chr(code))


def _repair_reference(found: re.Match[str], *, declares: bool) -> str:
    decimal, hexadecimal, name = found.groups()
    if decimal or hexadecimal:
        return found[0] if _is_legal(decimal, hexadecimal) else ""
    if name is None:
        return "&amp;"
    if name in _OF_XML or declares:
        return found[0]
    character = html5.get(name + ";")
    return character if character is not None else f"&amp;{name};"


# -- limits and addresses ---------------------------------------------------


def _check_size(root: etree._Element, n_bytes: int) -> None:
    if n_bytes > _MIN_BYTES_OF_NODES and float(_count("count(//node())", root)) > MAX_NODES:
        raise NotWellFormed(failed(ParseMinor.EXCEPTION, f"limit: more than {MAX_NODES} nodes"))
    if n_bytes > _MIN_BYTES_OF_ATTRIBUTES and _count(f"boolean(//*[count(@*) > {MAX_ATTRIBUTES}])", root):
        raise NotWellFormed(failed(ParseMinor.EXCEPTION, f"limit: more than {MAX_ATTRIBUTES} attributes"))


def _count(expression: str, root: etree._Element) -> float:
    found = root.xpath(expression)
    return float(found) if isinstance(found, float | bool) else 0.0


def _resolve_bases(root: etree._Element, url: str) -> str:
    """Make addresses below an xml:base absolute in the tree; the base of the root is returned."""
    of_root = _join_base(url, root.get(_XML_BASE, ""))
    bases = {root: of_root}
    for element in root.iterdescendants(etree.Element):
        parent = element.getparent()
        base = bases[parent] if parent is not None else of_root
        if (own := element.get(_XML_BASE)) is not None:
            base = _join_base(base, own)
        bases[element] = base
        if base != of_root:
            for name in _ADDRESSES:
                if (address := element.get(name)) is not None:
                    element.set(name, join_url(base, address))
    return of_root


def _join_base(base: str, own: str) -> str:
    """The base that an element sets; one over the limit does not count."""
    joined = join_url(base, own) if len(own) <= MAX_BASE_CHARACTERS else base
    return joined if len(joined) <= MAX_BASE_CHARACTERS else base
