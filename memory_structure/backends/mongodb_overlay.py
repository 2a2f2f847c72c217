"""A transaction as rows kept in memory over a database that is not written before the end.

Servers that stand alone know no transactions, so the writes of a block are gathered here as whole rows; reads
inside the block see them over the stored ones. At the end `changes()` says what is to be written.
"""

from __future__ import annotations

import heapq
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from memory_structure.backends.mongodb_documents import TableCodec, Unique
from memory_structure.backends.mongodb_ranges import SpanTest, order_key
from memory_structure.errors import AlreadyExists
from memory_structure.storage import Key, Reader, Row, Span, Table, Transaction


@dataclass(frozen=True, slots=True)
class TableChanges:
    """What a transaction leaves in a table: rows with new keys, rows written over others, keys to remove."""

    codec: TableCodec
    added: list[Row]
    written: list[Row]
    removed: list[Key]


class BaseReader(Reader):
    """The database below a transaction."""

    @abstractmethod
    def find_values(self, table: Table, index: str, values: Sequence[Row]) -> list[Row]:
        """Stored rows whose columns of the index equal one of the values."""


@dataclass(slots=True)
class _TableOverlay:
    """Rows written (None: removed), what is known of stored ones, holders of unique values (None: nobody)."""

    codec: TableCodec
    rows: dict[Key, Row | None] = field(default_factory=dict)
    absent: set[Key] = field(default_factory=set)
    stored: dict[Key, Row] = field(default_factory=dict)
    holders: dict[str, dict[Row, Key]] = field(default_factory=dict)
    stored_holders: dict[str, dict[Row, Key]] = field(default_factory=dict)

    def current(self, key: Key) -> Row | None:
        """The row as the transaction sees it, once the key is known."""
        return self.rows[key] if key in self.rows else self.stored.get(key)

    def learn(self, rows: Iterable[Row]) -> None:
        """Remember stored rows."""
        for row in rows:
            key = self.codec.key(row)
            self.stored[key] = row
            for unique in self.codec.uniques:
                value = unique.value(row)
                if value is not None:
                    self.stored_holders.setdefault(unique.name, {})[value] = key

    def stored_alike(self, unique: Unique, row: Row) -> bool:
        """Whether the stored row of the same key is known to hold the same unique value."""
        stored = self.stored.get(self.codec.key(row))
        return stored is not None and unique.value(stored) == unique.value(row)

    def holder(self, index: str, value: Row) -> Key | None:
        """Key of the row that holds a unique value now."""
        own = self.holders.get(index, {})
        if value in own:
            return own[value]
        stored = self.stored_holders.get(index, {}).get(value)
        return None if stored in self.rows else stored

    def write(self, key: Key, row: Row | None) -> None:
        """Set or remove a row."""
        old = self.rows.get(key)
        for unique in self.codec.uniques:
            holders = self.holders.setdefault(unique.name, {})
            value = None if old is None else unique.value(old)
            if value is not None and holders.get(value) == key:
                del holders[value]
            value = None if row is None else unique.value(row)
            if value is not None:
                holders[value] = key
        self.rows[key] = row


class OverlayTransaction(Transaction):
    """A transaction over `base`, whose rows nobody else changes meanwhile."""

    def __init__(self, base: BaseReader) -> None:
        self._base = base
        self._tables: dict[str, _TableOverlay] = {}
        self.failure: AlreadyExists | None = None

    def changes(self) -> list[TableChanges]:
        """Writes of the transaction by table, without those that change nothing."""
        found = []
        for overlay in self._tables.values():
            added, written, removed = [], [], []
            for key, row in overlay.rows.items():
                if row is None:
                    if key not in overlay.absent:
                        removed.append(key)
                elif key in overlay.absent:
                    added.append(row)
                elif overlay.stored.get(key) != row:
                    written.append(row)
            if added or written or removed:
                found.append(TableChanges(overlay.codec, added, written, removed))
        return found

    # Reads

    def get(self, table: Table, keys: Iterable[Key]) -> dict[Key, Row]:
        overlay = self._overlay(table)
        wanted = list(dict.fromkeys(keys))
        self._learn(overlay, wanted)
        found = {}
        for key in wanted:
            row = overlay.current(key)
            if row is not None:
                found[key] = row
        return found

    def find(
        self, table: Table, index: str, values: Iterable[Any], columns: tuple[str, ...] | None = None
    ) -> list[Row]:
        overlay = self._overlay(table)
        wanted = {value for value in values if value is not None}
        key_of, position = overlay.codec.key, table.position(table.index(index).columns[0])
        stored = self._base.find(table, index, wanted)
        if table.index(index).unique and len(table.index(index).columns) == 1:
            overlay.stored_holders.setdefault(index, {}).update(((v,), None) for v in wanted)
        overlay.learn(stored)
        kept = [row for row in stored if key_of(row) not in overlay.rows]
        kept += [row for row in overlay.rows.values() if row is not None and row[position] in wanted]
        return list(_narrow(table, kept, columns))

    def scan(
        self, table: Table, span: Span = Span(), columns: tuple[str, ...] | None = None
    ) -> Iterator[Row]:
        overlay = self._overlay(table)
        if not overlay.rows:
            return self._base.scan(table, span, columns)
        return _narrow(table, self._merged(overlay, span), columns)

    def count(self, table: Table, span: Span = Span()) -> int:
        overlay = self._overlay(table)
        if not overlay.rows:
            return self._base.count(table, span)
        test = SpanTest(overlay.codec, span)
        self._learn(overlay, list(overlay.rows))
        total = self._base.count(table, span)
        total -= sum(key in overlay.stored and test.holds(overlay.stored[key]) for key in overlay.rows)
        total += sum(row is not None and test.holds(row) for row in overlay.rows.values())
        return total

    # Writes

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        overlay = self._overlay(table)
        new = [overlay.codec.row_in(row) for row in rows]
        keys = [overlay.codec.key(row) for row in new]
        self._learn(overlay, keys)
        seen: set[Key] = set()
        for key in keys:
            if key in seen or overlay.current(key) is not None:
                self._refuse(f"{table.name} holds a row with the key {key!r} already")
            seen.add(key)
        self._put_rows(overlay, new)

    def put(self, table: Table, rows: Sequence[Row]) -> None:
        overlay = self._overlay(table)
        self._put_rows(overlay, [overlay.codec.row_in(row) for row in rows])

    def update(self, table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Key, Row]]) -> None:
        overlay = self._overlay(table)
        positions = [table.position(name) for name in columns]
        present: dict[Key, Row] = self.get(table, [key for key, _ in rows])
        changed = []
        for key, values in rows:
            if key in present:
                cells = list(present[key])
                for position, value in zip(positions, values, strict=True):
                    cells[position] = value
                present[key] = overlay.codec.row_in(tuple(cells))
                changed.append(present[key])
        self._put_rows(overlay, changed)

    def delete(self, table: Table, keys: Sequence[Key]) -> None:
        overlay = self._overlay(table)
        for key in keys:
            overlay.write(key, None)

    # What is known of the database

    def _overlay(self, table: Table) -> _TableOverlay:
        overlay = self._tables.get(table.name)
        if overlay is None:
            overlay = self._tables[table.name] = _TableOverlay(TableCodec(table))
        return overlay

    def _learn(self, overlay: _TableOverlay, keys: Sequence[Key]) -> None:
        """Read the stored rows of keys of which nothing is known yet."""
        unknown = [k for k in keys if k not in overlay.stored and k not in overlay.absent]
        if not unknown:
            return
        found = self._base.get(overlay.codec.table, unknown)
        overlay.learn(found.values())
        overlay.absent.update(k for k in unknown if k not in found)

    def _merged(self, overlay: _TableOverlay, span: Span) -> Iterator[Row]:
        """Stored rows and rows of the transaction, in the order of the span."""
        test = SpanTest(overlay.codec, span)
        own = [row for row in overlay.rows.values() if row is not None and test.holds(row)]
        own.sort(key=lambda row: order_key(row, test.positions), reverse=span.reverse)
        limit = None if span.limit is None else span.limit + len(overlay.rows)
        stored = self._base.scan(overlay.codec.table, replace(span, limit=limit))
        key_of, written = overlay.codec.key, overlay.rows
        kept = (row for row in stored if key_of(row) not in written)
        both = heapq.merge(kept, own, key=lambda row: order_key(row, test.positions), reverse=span.reverse)
        return islice(both, span.limit)

    # Unique values

    def _put_rows(self, overlay: _TableOverlay, rows: Sequence[Row]) -> None:
        """Write rows one after the other; each must find its unique values free."""
        self._learn_holders(overlay, rows)
        for row in rows:
            key = overlay.codec.key(row)
            for unique in overlay.codec.uniques:
                value = unique.value(row)
                holder = None if value is None else overlay.holder(unique.name, value)
                if holder is not None and holder != key:
                    self._refuse(f"{overlay.codec.table.name}.{unique.name}: {value!r} belongs to {holder!r}")
            overlay.write(key, row)

    def _learn_holders(self, overlay: _TableOverlay, rows: Sequence[Row]) -> None:
        """Find out which stored rows hold the unique values of `rows`."""
        for unique in overlay.codec.uniques:
            known = overlay.stored_holders.setdefault(unique.name, {})
            values = {unique.value(row) for row in rows if not overlay.stored_alike(unique, row)}
            wanted = [v for v in values if v is not None and v not in known]
            if wanted:
                found = self._base.find_values(overlay.codec.table, unique.name, wanted)
                known.update(dict.fromkeys(wanted))
                overlay.learn(found)

    def _refuse(self, message: str) -> None:
        self.failure = AlreadyExists(message)
        raise self.failure


def _narrow(table: Table, rows: Iterable[Row], columns: tuple[str, ...] | None) -> Iterator[Row]:
    """Rows cut to some columns, lazily."""
    if columns is None:
        return iter(rows)
    positions = [table.position(name) for name in columns]
    return (tuple(row[p] for p in positions) for row in rows)
