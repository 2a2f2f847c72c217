"""Media types of answers: read from the header, else recognised by the first bytes."""

from __future__ import annotations

import re

from hyphe_core.parsers.xml_root import find_root

OCTET_STREAM = "application/octet-stream"
HTML = "text/html"
XHTML = "application/xhtml+xml"

_WELL_FORMED = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
# Header values that say nothing about the content.
_USELESS = frozenset({OCTET_STREAM, "application/unknown", "unknown/unknown", "application/x-unknown", "*/*"})
_N_SNIFFED_BYTES = 1024
_BOM = b"\xef\xbb\xbf"
_MAGIC = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"BZh", "application/x-bzip2"),
    (b"{\\rtf", "application/rtf"),
    (b"%!PS-Adobe-", "application/postscript"),
)
_HTML_START = re.compile(
    rb"<(?:!doctype\s+html|!--|(?:html|head|body|title|meta|link|script|style|base|frameset|iframe|table|div|font"
    rb"|center|h[1-6]|p|a|b|br|ul|img|form|span|main|nav|header|section|article)[\s/>])",
    re.IGNORECASE,
)
# Articles of journals begin like those of HTML, and have a body too.
_XML_ARTICLE = re.compile(rb"<article\s[^>]{0,900}?\b(?:article-type|dtd-version|xmlns(?::\w+)?)\s*=")
# Without a declaration: a document type other than HTML, names that are declared, or a root that is known.
_XML_START = re.compile(
    rb"<(?:!DOCTYPE\s+(?!html\b)"
    rb"|(?:rss|feed|svg|urlset|sitemapindex|opml|OAI-PMH|TEI\.2|pmc-articleset)[\s>]"
    rb"|(?:[\w.-]+:)?[\w.-]+\s[^<>]{0,900}?\bxmlns(?::[\w.-]+)?\s*=)",
    re.IGNORECASE,
)
_BY_ROOT = {
    "html": XHTML,
    "svg": "image/svg+xml",
    "rss": "application/rss+xml",
    "feed": "application/atom+xml",
}
_HTML_ANYWHERE = re.compile(rb"<(?:html|head|body)[\s>]", re.IGNORECASE)
_XHTML_ROOT = re.compile(rb"<html[\s>]", re.IGNORECASE)
# Control bytes that no text holds (tab, line ends, form feed and escape may occur in text).
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_BINARY_TEXT = re.compile(_BINARY.pattern.decode("ascii"))


def find_declared_type(content_type: str | None) -> str | None:
    """Media type of a Content-Type value, lower-case, without parameters; None when absent or malformed."""
    if content_type is None:
        return None
    media_type = content_type.partition(";")[0].partition(",")[0].strip().lower()
    return media_type if _WELL_FORMED.fullmatch(media_type) else None


def media_type_of(content_type: str | None, body: bytes) -> str:
    """Media type of an answer: the header's when it says something, else by the bytes.

    A declared type is believed, so HTML sent as text/plain stays plain text.
    """
    declared = find_declared_type(content_type)
    if declared is not None and declared not in _USELESS:
        return declared
    return sniff(body)


def looks_binary(text: str) -> bool:
    """Whether what was sent as a text begins like another kind of file (by WHATWG's MIME Sniffing)."""
    return _BINARY_TEXT.search(text, 0, _N_SNIFFED_BYTES) is not None


def sniff(body: bytes) -> str:
    """Media type by the first bytes: HTML, XML, PDF, images, archives, JSON, text; else octet-stream."""
    start = body[:_N_SNIFFED_BYTES]
    for magic, media_type in _MAGIC:
        if start.startswith(magic):
            return media_type
    if start.startswith(b"RIFF") and start[8:12] == b"WEBP":
        return "image/webp"
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        start = start[2:].replace(b"\x00", b"")
    return _sniff_text(start.removeprefix(_BOM).lstrip())


def _sniff_text(start: bytes) -> str:
    """Kind of text that `start` (blanks and mark removed) begins, octet-stream when it is none."""
    if not start:
        return "text/plain"
    if _XML_ARTICLE.match(start):
        return "application/xml"
    if _HTML_START.match(start):
        return HTML
    if start.startswith(b"<?xml") or _XML_START.match(start):
        return _sniff_xml(start)
    if _BINARY.search(start):
        return OCTET_STREAM
    if start[:1] in (b"{", b"["):
        return "application/json"
    if _HTML_ANYWHERE.search(start):
        return HTML
    return "text/plain"


def _sniff_xml(start: bytes) -> str:
    """XHTML pages, images and feeds are told from other XML by their root."""
    root = find_root(start)
    if root is None:  # what stands before it may be no XML
        return XHTML if _XHTML_ROOT.search(start) else "application/xml"
    return _BY_ROOT.get(root.name.lower(), "application/xml")
