"""Encoding of a page under the Nutch profile: clues in an order, names as Nutch writes them.

Order: byte order mark; guesses that reach the threshold, when there is one; charset of the header;
declaration in the first 8 KiB, that of XML last; bytes outside ASCII that are valid UTF-8; else windows-1252.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import cchardet

from hyphe_core.parsers.charset_labels import known_label
from hyphe_core.parsers.encoding import (
    FALLBACK,
    UTF_8,
    Encoding,
    EncodingSource,
    find_mark,
    is_utf8,
    list_declarations,
    readable_name,
)

_N_STATISTICS_BYTES = 65_536
_MIN_STATISTICS_BYTES = 5
# Names of Python's codecs -> names as written in metadata.
_NAMES = {
    "ascii": "us-ascii",
    "big5hkscs": "big5-hkscs",
    "cp1252": "windows-1252",
    "cp932": "windows-31j",
    "cp949": "windows-949",
    "cp874": "windows-874",
    "cp866": "ibm866",
    "euc_jp": "euc-jp",
    "euc_kr": "windows-949",
    "gbk": "gb18030",
    "iso2022_jp": "iso-2022-jp",
    "iso2022_kr": "iso-2022-kr",
    "iso8859-1": "windows-1252",
    "mac-roman": "macintosh",
    "utf-16-be": "utf-16be",
    "utf-16-le": "utf-16le",
    "utf-32-be": "utf-32be",
    "utf-32-le": "utf-32le",
    "utf-8-sig": "utf-8",
    **{f"cp{number}": f"ibm{number}" for number in (437, 775, 850, 852, 855, 857, 862)},
}
# Names as written -> codecs that read them, where Python knows them by another name or a wider one exists.
_CODECS = {
    "gb2312": "gb18030",
    "macintosh": "mac-roman",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "x-mac-cyrillic": "mac-cyrillic",
}
# Labels whose codec of Python is another.
_LABELS = {
    "euc-cn": "gb18030",
    "iso-8859-8-i": "iso-8859-8",
    "unicode": "utf-16",
    "windows-31j": "windows-31j",
    "windows-874": "windows-874",
    "windows-949": "windows-949",
    "x-euc-cn": "gb18030",
    "x-gbk": "gb18030",
    "x-mac-cyrillic": "x-mac-cyrillic",
}


class Clue(NamedTuple):
    """A label and what it was found in; `confidence` in per cent for guesses, None for declarations."""

    label: str
    source: EncodingSource
    confidence: int | None = None


@lru_cache(maxsize=512)
def canonical_charset(label: str) -> str | None:
    """The name, in lower case, under which an encoding is recorded; None for labels that mean nothing.

    ISO-8859-1 is recorded as windows-1252, EUC-KR as windows-949, GBK and EUC-CN as gb18030: the wider
    encoding that the web means by the name.
    """
    name = known_label(label)
    if name in _LABELS:
        return _LABELS[name]
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    if not info._is_text_encoding or info.name in ("idna", "punycode", "utf-7", "undefined"):
        return None
    if info.name.startswith("cp125"):
        return "windows-" + info.name[2:]
    return _NAMES.get(info.name) or info.name.replace("iso8859", "iso-8859")


def choose_encoding(clues: Iterable[Clue], min_confidence: int = -1, default: str = FALLBACK) -> Encoding:
    """The first guess that reaches `min_confidence` (negative: guesses do not count), else the first
    declaration, else the default. Labels that mean nothing are passed over with a warning."""
    known: list[tuple[str, Clue]] = []
    warning = ""
    for clue in clues:
        name = canonical_charset(clue.label)
        if name is None:
            warning = warning or f"unknown encoding {clue.label[:40]!r} ({clue.source})"
        else:
            known.append((name, clue))
    if min_confidence >= 0:
        for name, clue in known:
            if clue.confidence is not None and clue.confidence >= min_confidence:
                return Encoding(name, clue.source, warning)
    for name, clue in known:
        if clue.confidence is None:
            return Encoding(readable_name(name, clue.source), clue.source, warning)
    return Encoding(default, EncodingSource.DEFAULT, warning)


def detect_by_clues(body: bytes, content_type: str | None, min_confidence: int = -1) -> Encoding:
    """Encoding of a page by the order above."""
    mark = find_mark(body)
    if mark is not None:
        return mark
    declared = list_declarations(body, content_type, http_equiv_first=True)
    declared.sort(key=lambda declaration: declaration[1] is EncodingSource.XML)
    clues: Sequence[Clue] = [Clue(label, source) for label, source in declared]
    if min_confidence >= 0:
        clues = [*_guesses(body), *clues]
    chosen = choose_encoding(clues, min_confidence)
    if chosen.source is EncodingSource.DEFAULT and not body.isascii() and is_utf8(body):
        return Encoding(UTF_8, EncodingSource.VALID_UTF8, chosen.warning)
    return chosen


def decode_as(body: bytes, name: str) -> str:
    """Text of a body in an encoding named by `canonical_charset`; bytes it cannot read become U+FFFD."""
    return body.decode(_CODECS.get(name, name), "replace").removeprefix("\ufeff")


def _guesses(body: bytes) -> list[Clue]:
    if len(body) < _MIN_STATISTICS_BYTES:
        return []
    found = cchardet.detect(body[:_N_STATISTICS_BYTES])
    label, confidence = found["encoding"], found["confidence"]
    if label is None or confidence is None:
        return []
    return [Clue(label, EncodingSource.STATISTICS, int(100 * confidence))]
