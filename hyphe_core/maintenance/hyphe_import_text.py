"""Text of files to be imported: which encoding spreadsheets wrote it in, and where a table's quotes are not
closed."""

from __future__ import annotations

import codecs
import csv
import re
from typing import Final

from hyphe_core.errors import UsageFault

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WINDOWS: Final = "windows-1252"
_NO_TEXT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def decoded(name: str, octets: bytes) -> tuple[str, str | None]:
    """(text, the encoding when it had to be guessed). That of the byte order mark (UTF-8, UTF-16), else
    UTF-8, else, for what is not JSON, windows-1252. Raises UsageFault."""
    marked = next((encoding for mark, encoding in _MARKS if octets.startswith(mark)), "utf-8")
    try:
        return octets.decode(marked), None
    except UnicodeDecodeError:
        found = None if marked != "utf-8" or name.endswith(".json") else _from_windows(octets)
    if found is None:
        raise UsageFault(f"{name} is not text in UTF-8, UTF-16 with a byte order mark, or {_WINDOWS}")
    return found, _WINDOWS


def _from_windows(octets: bytes) -> str | None:
    try:
        text = octets.decode(_WINDOWS)
    except UnicodeDecodeError:
        return None
    return None if _NO_TEXT.search(text) else text


def has_open_quote(lines: list[str], separator: str) -> bool:
    """Whether the lines that a table's reader took for one record hold a quote that is not closed, or that is
    closed by the opening one of a later line."""
    if len(lines) == 1 and lines[0].count('"') % 2 == 0:
        return False
    try:
        return len(list(csv.reader(lines, delimiter=separator, strict=True))) != 1
    except csv.Error:
        return True
