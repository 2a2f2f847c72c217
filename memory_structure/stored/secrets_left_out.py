"""What a backup leaves out of the rows of a corpus: cookies, and credentials in the addresses of proxies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import zstandard

from memory_structure.storage import Row, Table
from memory_structure.stored.schema import ACT_CHANGES, JOBS, LOGS, OPTIONS
from memory_structure.urls import without_userinfo

_CREDENTIALS: Final = re.compile(r"(?<=://)[^/@\s\"'\\]+@")


def without_secrets(table: Table, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows of a table as they may leave the store."""
    clean = _CLEANERS.get(table.name)
    return rows if clean is None else map(clean, rows)


def _clean_job(row: Row) -> Row:
    spec = json.loads(row[_SPEC])
    if spec.get("cookies"):
        spec["cookies"] = ""
    if spec.get("proxy"):
        spec["proxy"] = without_userinfo(spec["proxy"])
    return (*row[:_SPEC], json.dumps(spec), *row[_SPEC + 1 :])


def _clean_option(row: Row) -> Row:
    return (row[0], _clean_proxy(row[1])) if row[0] == "proxy" else row


def _clean_proxy(text: str) -> str:
    """The value of the option, JSON like all of them."""
    proxy = json.loads(text)
    return json.dumps(without_userinfo(proxy)) if proxy else text


def _clean_changes(row: Row) -> Row:
    """What an act changed, if it changed the proxy."""
    packed = zstandard.ZstdDecompressor().decompress(row[1])
    if b'"proxy"' not in packed:
        return row
    tables = json.loads(packed)
    for name, columns, changes in tables:
        if name == OPTIONS.name and "value" in columns:
            place = columns.index("value")
            for key, *values in changes:
                if key == "proxy":
                    _clean_cells(values, place)
    return (row[0], zstandard.ZstdCompressor(level=3).compress(json.dumps(tables).encode()))


def _clean_cells(rows: list[list[Any] | None], place: int) -> None:
    for cells in rows:
        if cells is not None and cells[place] is not None:
            cells[place] = _clean_proxy(cells[place])


def _clean_message(row: Row) -> Row:
    message = row[_MESSAGE]
    if "@" not in message:
        return row
    return (*row[:_MESSAGE], _CREDENTIALS.sub("", message), *row[_MESSAGE + 1 :])


_SPEC: Final = JOBS.position("spec")
_MESSAGE: Final = LOGS.position("message")
_CLEANERS: Final[dict[str, Callable[[Row], Row]]] = {
    JOBS.name: _clean_job,
    OPTIONS.name: _clean_option,
    ACT_CHANGES.name: _clean_changes,
    LOGS.name: _clean_message,
}
