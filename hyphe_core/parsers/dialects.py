"""Dialects of XML told apart by their bytes: root element, namespace, public identifier, first elements.

Only the first 64 KiB are looked at, by a scanner that runs once over them, knows no entities and does not
mind broken XML; decoded by mark, or by the pattern of UTF-16.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from hyphe_core.parsers.sniff import HTML, XHTML, sniff

XML = "application/xml"
JATS = "application/jats+xml"
TEI = "application/tei+xml"
DOCBOOK = "application/docbook+xml"
RSS = "application/rss+xml"
ATOM = "application/atom+xml"
SVG = "image/svg+xml"
MATHML = "application/mathml+xml"
RDF = "application/rdf+xml"
PDF = "application/pdf"

N_PROBED_BYTES = 65_536
_N_PROBED_TAGS = 50
_N_PROBED_PIECES = 1000  # tags, comments, instructions, and what looks like them
_N_PDF_BYTES = 1024
_NAME = r"[A-Za-z_\u0080-\U0010ffff][\w.\-\u0080-\U0010ffff]*+(?::[\w.\-]++)?"
_START_TAG = re.compile(rf"<({_NAME})((?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)>")
_ATTRIBUTE = re.compile(r"([^\s=\"'/]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_DOCTYPE = re.compile(
    r"<!DOCTYPE\s++([^\s>\[]++)\s*+(?:PUBLIC\s*+(?:\"([^\"]*+)\"|'([^']*+)'))?", re.IGNORECASE
)
_AFTER_SUBSET = re.compile(r"\]\s*+>")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_XHTML_NAMESPACE = "http://www.w3.org/1999/xhtml"
_RDF_NAMESPACE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RSS_NAMESPACES = frozenset({"http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"})
_ATOM_NAMESPACES = frozenset({"http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"})
_DOCBOOK_NAMESPACE = "http://docbook.org/ns/docbook"
_TEI_NAMESPACE = "http://www.tei-c.org/ns/1.0"
# Elements that tell an article of HTML from one of an unknown vocabulary.
_HTML_IN_ARTICLE = frozenset({"h1", "h2", "h3", "h4", "a", "div", "span", "header", "img", "p", "ul", "br"})
_JATS_NAMESPACES = ("http://jats.nlm.nih.gov", "https://jats.nlm.nih.gov")
_JATS_PUBLIC_ID = re.compile(r"-//(?:NLM|ES|SciELO|NISO)\b|\bJATS\b", re.IGNORECASE)
_DOCBOOK_PUBLIC_ID = re.compile(r"-//OASIS//(?:DTD|ELEMENTS) (?:Simplified )?DocBook", re.IGNORECASE)
_BY_ROOT = {"rss": RSS, "TEI.2": TEI, "svg": SVG, "math": MATHML}
_BY_NAMESPACE = {
    (_TEI_NAMESPACE, "TEI"): TEI,
    (_TEI_NAMESPACE, "teiCorpus"): TEI,
    **{(namespace, name): ATOM for namespace in _ATOM_NAMESPACES for name in ("feed", "entry")},
}


class Tag(NamedTuple):
    """A start tag: its name without prefix, and its attributes as written."""

    name: str
    prefix: str
    attributes: dict[str, str]


@dataclass(frozen=True, slots=True)
class RootProbe:
    """What the beginning of an XML document tells.

    The root with its prefix resolved, all namespaces that it declares, the public identifier ("" = none), the
    local names of the first elements below the root, and whether there is an XML declaration.
    """

    name: str
    namespace: str
    namespaces: frozenset[str]
    attributes: frozenset[str]
    public_id: str
    doctype: str
    first_names: frozenset[str]
    is_declared: bool


def probe_root(body: bytes) -> RootProbe | None:
    """The probe of bytes that begin like XML or HTML (blanks and mark skipped), None for all others."""
    text = _decoded(body[:N_PROBED_BYTES]).lstrip("\ufeff \t\r\n")
    if not text.startswith("<"):
        return None
    doctype, public_id = "", ""
    tags: list[Tag] = []
    position: int | None = 0
    for _ in range(_N_PROBED_PIECES):
        position = -1 if position is None else text.find("<", position)
        if position < 0 or len(tags) == _N_PROBED_TAGS:
            break
        if tag := _START_TAG.match(text, position):
            tags.append(_read_tag(tag))
            position = tag.end()
        elif (heading := _DOCTYPE.match(text, position)) and not tags:
            doctype, public_id = heading[1], heading[2] or heading[3] or ""
            position = _end_of_doctype(text, heading.end())
        else:
            position = _end_of_other(text, position)
    return _probe_of(tags, doctype, public_id, text.startswith("<?xml")) if tags or doctype else None


def _decoded(start: bytes) -> str:
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return start.decode(encoding, "replace")
    if start[:2] == b"<\0":
        return start.decode("utf-16-le", "replace")
    if start[:2] == b"\0<":
        return start.decode("utf-16-be", "replace")
    return start.decode("latin-1")


def _read_tag(match: re.Match[str]) -> Tag:
    prefix, colon, name = match[1].partition(":")
    attributes = {key: first or second for key, first, second in _ATTRIBUTE.findall(match[2])}
    return Tag(name, prefix, attributes) if colon else Tag(prefix, "", attributes)


def _end_of_doctype(text: str, position: int) -> int | None:
    end = text.find(">", position)
    subset = text.find("[", position)
    if 0 <= subset < end:
        closing = _AFTER_SUBSET.search(text, subset)
        return closing.end() if closing else None
    return end + 1 if end >= 0 else None


def _end_of_other(text: str, position: int) -> int | None:
    """End of a comment, an instruction or a section; anything else is passed over by a character."""
    for opening, closing in (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")):
        if text.startswith(opening, position):
            end = text.find(closing, position + len(opening))
            return None if end < 0 else end + len(closing)
    return position + 1


def _probe_of(tags: list[Tag], doctype: str, public_id: str, is_declared: bool) -> RootProbe:
    root = tags[0] if tags else Tag("", "", {})
    names = {
        key: value for key, value in root.attributes.items() if key == "xmlns" or key.startswith("xmlns:")
    }
    return RootProbe(
        name=root.name,
        namespace=names.get(f"xmlns:{root.prefix}" if root.prefix else "xmlns", ""),
        namespaces=frozenset(names.values()),
        attributes=frozenset(root.attributes) - frozenset(names),
        public_id=public_id,
        doctype=doctype,
        first_names=frozenset(tag.name for tag in tags[1:]),
        is_declared=is_declared,
    )


def recognise(body: bytes) -> str:
    """Media type by the bytes alone: the dialect of XML, else as `sniff.sniff` says."""
    if b"%PDF-" in body[:_N_PDF_BYTES] and body.lstrip()[:1] != b"<":
        return PDF
    probe = probe_root(body)
    return _dialect_of(probe, body) if probe is not None else sniff(body)


def _dialect_of(probe: RootProbe, body: bytes) -> str:
    if probe.name.lower() == "html" and probe.namespace == _XHTML_NAMESPACE:
        return XHTML
    if probe.doctype.lower() == "html" or (
        probe.name.lower() in ("html", "head", "body") and not probe.namespace
    ):
        return HTML
    known = _BY_NAMESPACE.get((probe.namespace, probe.name)) or _BY_ROOT.get(probe.name)
    if known is not None:
        return known
    if probe.name == "RDF" and probe.namespace == _RDF_NAMESPACE:
        return RDF if _RSS_NAMESPACES.isdisjoint(probe.namespaces) else RSS
    if probe.namespace == _DOCBOOK_NAMESPACE or _DOCBOOK_PUBLIC_ID.match(probe.public_id):
        return DOCBOOK
    if probe.name == "article" and _is_jats(probe):
        return JATS
    if probe.is_declared or probe.namespace or probe.public_id:
        return XML
    if probe.name == "article" and probe.first_names.isdisjoint(_HTML_IN_ARTICLE):
        return XML
    sniffed = sniff(body)
    return XML if sniffed in ("text/plain", ATOM) else sniffed


def _is_jats(probe: RootProbe) -> bool:
    return (
        _JATS_PUBLIC_ID.search(probe.public_id) is not None
        or any(namespace.startswith(_JATS_NAMESPACES) for namespace in probe.namespaces)
        or not probe.attributes.isdisjoint(("article-type", "dtd-version"))
        or not probe.first_names.isdisjoint(("front", "article-meta"))
    )
