"""Changes of an act as bytes, and in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final

import zstandard

from memory_structure.acts import Change
from memory_structure.stored.recorder import CURATED, RowChange
from memory_structure.stored.schema import ENTITIES, EXCEPTIONS, JOBS, OPTIONS, PREFIXES, RULES
from memory_structure.urls import without_userinfo

_TABLES: Final = {table.name: table for table in CURATED}
_NOUNS: Final = {
    ENTITIES: "web entity",
    PREFIXES: "prefix",
    RULES: "rule",
    EXCEPTIONS: "precision exception",
    OPTIONS: "option",
    JOBS: "crawl job",
}
_WORDS: Final = {"entity_id": "web entity", "previous_entity_id": "previous web entity"}
_HIDDEN: Final = frozenset({"created_at", "previous_entity_name"})


def encode_changes(changes: Sequence[RowChange]) -> bytes:
    """JSON in a zstd frame: for each table its name, its columns, then key, before and after of each row."""
    tables = [
        [table.name, CURATED[table], [[c.key, c.before, c.after] for c in group]]
        for table, group in groupby(changes, lambda change: change.table)
    ]
    return zstandard.ZstdCompressor(level=3).compress(json.dumps(tables, separators=(",", ":")).encode())


def decode_changes(blob: bytes) -> list[RowChange]:
    """The changes. Columns that did not exist then are None; those that exist no more are passed over."""
    found = []
    for name, columns, rows in json.loads(zstandard.ZstdDecompressor().decompress(blob)):
        table = _TABLES[name]
        places = [columns.index(c) if c in columns else None for c in CURATED[table]]
        for key, before, after in rows:
            found.append(RowChange(table, key, _placed(before, places), _placed(after, places)))
    return found


def _placed(values: list[Any] | None, places: list[int | None]) -> tuple[Any, ...] | None:
    return None if values is None else tuple(None if i is None else values[i] for i in places)


def in_words(changes: Iterable[RowChange]) -> tuple[Change, ...]:
    """The changes, one a field, readable."""
    return tuple(line for change in changes for line in _lines(change))


def _lines(change: RowChange) -> list[Change]:
    subject = subject_of(change)
    if change.table is EXCEPTIONS:
        there = (None if change.before is None else "yes", None if change.after is None else "yes")
        return [Change(subject, "exists", *there)]
    names = CURATED[change.table]
    lines = []
    for column in change.columns:
        if column not in _HIDDEN:
            place = names.index(column)
            before, after = (
                None if values is None else _shown(change, values[place])
                for values in (change.before, change.after)
            )
            lines.append(Change(subject, _WORDS.get(column, column), before, after))
    return [line for line in lines if line.before or line.after] or lines[:1]


def subject_of(change: RowChange) -> str:
    """What was changed: "web entity 12"."""
    if change.table is RULES and not change.key:
        return "default rule"
    return f"{_NOUNS[change.table]} {change.key}"


def _shown(change: RowChange, value: Any) -> str | None:
    """A value as people read it; an address without the name and password in it."""
    if value is None:
        return None
    if change.table is OPTIONS and change.key == "proxy" and json.loads(value):
        return json.dumps(without_userinfo(json.loads(value)))
    return str(value)
