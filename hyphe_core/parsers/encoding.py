"""Character encoding of a page: which one, and on what evidence.

Order of evidence (design decision): byte order mark, charset of the header, declaration in the first 8 KiB
(the XML declaration, or meta), then for undeclared bytes: valid UTF-8 is UTF-8, statistics only when they are
nearly certain, else windows-1252. A label that means nothing is passed over with a warning. Nothing raises.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import cchardet

from hyphe_core.parsers.charset_labels import known_label

UTF_8 = "utf-8"
FALLBACK = "windows-1252"
MIN_CONFIDENCE = 0.9
N_DECLARATION_BYTES = 8192
_N_STATISTICS_BYTES = 65_536


class EncodingSource(StrEnum):
    """The evidence an encoding was chosen on."""

    BOM = "bom"
    HEADER = "header"
    META = "meta"
    XML = "xml"
    ASCII = "ascii"
    VALID_UTF8 = "valid-utf8"
    STATISTICS = "statistics"
    DEFAULT = "default"


class Encoding(NamedTuple):
    """An encoding in lower case as the web names it, the evidence, and a warning ("" = none)."""

    name: str
    source: EncodingSource
    warning: str = ""


_BOMS = (
    (b"\xef\xbb\xbf", UTF_8),
    (b"\xff\xfe", "utf-16le"),
    (b"\xfe\xff", "utf-16be"),
)
# What the web means by a label, where that is not what Python's codec of the name does (Encoding Standard).
_MEANINGS = {
    "iso-8859-1": FALLBACK,
    "iso8859-1": FALLBACK,
    "iso_8859-1": FALLBACK,
    "latin1": FALLBACK,
    "latin-1": FALLBACK,
    "l1": FALLBACK,
    "ascii": FALLBACK,
    "us-ascii": FALLBACK,
    "ansi_x3.4-1968": FALLBACK,
    "cp819": FALLBACK,
    "ibm819": FALLBACK,
    "cp1252": FALLBACK,
    "utf8": UTF_8,
    "iso-8859-9": "windows-1254",
    "iso8859-9": "windows-1254",
    "latin5": "windows-1254",
    "tis-620": "windows-874",
    "iso-8859-11": "windows-874",
    "gb2312": "gbk",
    "x-gbk": "gbk",
    "euc-cn": "gbk",
    "windows-949": "euc-kr",
    "shift-jis": "shift_jis",
    "sjis": "shift_jis",
    "windows-31j": "shift_jis",
    "big5-hkscs": "big5",
    "unicode": "utf-16le",
    "utf-16": "utf-16le",
    "x-user-defined": FALLBACK,
}
# Wider codecs of Python that read what the web writes under the name.
_CODECS = {
    "windows-874": "cp874",
    "gbk": "gb18030",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "iso-8859-8-i": "iso-8859-8",
}
# Codecs that turn plain ASCII bytes into something else.
_NEVER = frozenset({"utf-7", "idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"})
_LABEL = re.compile(r"[a-z0-9._:+-]{1,40}")
_HEADER_CHARSET = re.compile(r"""charset\s*+=\s*+["']?\s*+([^\s"';,]+)""", re.IGNORECASE)
_META = re.compile(rb"<meta[\s/][^>]*", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""([^\s"'>/=]++)\s*+=\s*+("[^"]*"|'[^']*'|[^\s"'>]*)""")
_XML_ENCODING = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']\s*([A-Za-z0-9._:-]+)""")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)


@lru_cache(maxsize=512)
def find_encoding(label: str) -> str | None:
    """The encoding a label means on the web, in lower case; None when there is none that reads text."""
    name = known_label(label)
    name = _MEANINGS.get(name, name)
    if not _LABEL.fullmatch(name):
        return None
    try:
        info = codecs.lookup(codec_of(name))
    except LookupError:
        return None
    if not info._is_text_encoding or info.name.replace("_", "-") in _NEVER:
        return None
    return name


def codec_of(encoding: str) -> str:
    """The codec that reads what the web writes in an encoding."""
    return _CODECS.get(encoding, encoding)


def detect_encoding(body: bytes, content_type: str | None) -> Encoding:
    """Encoding of a page by the order of evidence above."""
    mark = find_mark(body)
    if mark is not None:
        return mark
    warning = ""
    for label, source in list_declarations(body, content_type):
        name_or_none = find_encoding(label)
        if name_or_none is not None:
            name = readable_name(name_or_none, source)
            return Encoding(name, source, warning or _doubt(body, name))
        warning = warning or f"unknown encoding {label[:40]!r} ({source})"
    return guess_encoding(body, warning)


def find_mark(body: bytes) -> Encoding | None:
    """Encoding by the byte order mark a body begins with."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return Encoding(name, EncodingSource.BOM)
    return None


def guess_encoding(body: bytes, warning: str = "") -> Encoding:
    """Encoding of bytes that declare none."""
    if body.isascii():
        return Encoding(UTF_8, EncodingSource.ASCII, warning)
    if is_utf8(body):
        return Encoding(UTF_8, EncodingSource.VALID_UTF8, warning)
    found = cchardet.detect(body[:_N_STATISTICS_BYTES])
    label, confidence = found["encoding"], found["confidence"]
    if label is not None and confidence is not None and confidence >= MIN_CONFIDENCE:
        name = find_encoding(label)
        if name is not None and name != UTF_8:
            return Encoding(name, EncodingSource.STATISTICS, warning)
    return Encoding(FALLBACK, EncodingSource.DEFAULT, warning)


def decode(body: bytes, encoding: str) -> str:
    """Text of a body in an encoding that `find_encoding` gave; bytes it cannot read become U+FFFD."""
    text = body.decode(codec_of(encoding), "replace")
    return text.removeprefix("\ufeff")


def encode(text: str, encoding: str) -> bytes:
    """Bytes of a text in an encoding that `find_encoding` gave; what it lacks becomes decimal references."""
    return text.encode(codec_of(encoding), "xmlcharrefreplace")


def list_declarations(
    body: bytes, content_type: str | None, *, http_equiv_first: bool = False
) -> list[tuple[str, EncodingSource]]:
    """Labels found in the header, then in the body, in the order in which they count.

    Of several meta elements the first counts; `http_equiv_first`: one that stands for a header before others.
    """
    found: list[tuple[str, EncodingSource]] = []
    if content_type is not None and (match := _HEADER_CHARSET.search(content_type)):
        found.append((match[1], EncodingSource.HEADER))
        if find_encoding(match[1]) is not None:
            return found
    head = body[:N_DECLARATION_BYTES]
    if b"<?xml" in head[:64] and (declared := _XML_ENCODING.match(head)):
        found.append((declared[1].decode("latin-1"), EncodingSource.XML))
    last_tag = head.rfind(b"<")
    if len(body) > len(head) and b">" not in head[last_tag:]:  # it is cut, and so may be its label
        head = head[:last_tag]
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    labels = _iter_meta_labels(head)
    chosen = (
        min(labels, key=lambda label: not label[1], default=None) if http_equiv_first else next(labels, None)
    )
    if chosen is not None:
        found.append((chosen[0], EncodingSource.META))
    return found


def _iter_meta_labels(head: bytes) -> Iterator[tuple[str, bool]]:
    """(label, whether it stands for a header) of the meta elements that have one: `charset`, or a
    `content-type` with a charset."""
    for match in _META.finditer(head):
        attributes = {
            name.lower(): value.strip(b"\"'").decode("latin-1")
            for name, value in _ATTRIBUTE.findall(match[0])
        }
        label = attributes.get(b"charset")
        if label is None and attributes.get(b"http-equiv", "").strip().lower() == "content-type":
            in_content = _HEADER_CHARSET.search(attributes.get(b"content", ""))
            label = in_content[1] if in_content else None
        if label:
            yield str(label), b"charset" not in attributes


def readable_name(name: str, source: EncodingSource) -> str:
    """A declaration that could be read as ASCII cannot stand in UTF-16: the page is UTF-8 (HTML Standard)."""
    if source in (EncodingSource.META, EncodingSource.XML) and name.startswith(("utf-16", "utf-32")):
        return UTF_8
    return name


def _doubt(body: bytes, name: str) -> str:
    """A warning when UTF-8 is declared as windows-1252. The label still holds, as in browsers, so that
    addresses lead where they lead a reader.
    """
    if name == FALLBACK and not body.isascii() and is_utf8(body):
        return f"declared {FALLBACK}, but the bytes are valid UTF-8"
    return ""


def is_utf8(body: bytes) -> bool:
    """Whether all bytes are valid UTF-8; a character cut at the end is forgiven when others came before."""
    try:
        text, n_read = codecs.utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return False
    return n_read == len(body) or len(text) < n_read
