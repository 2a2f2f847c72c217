"""A write transaction that remembers what it changed of the curated tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memory_structure.storage import Key, Row, Span, Table, Transaction
from memory_structure.stored.schema import ENTITIES, EXCEPTIONS, JOBS, OPTIONS, PREFIXES, RULES

# What people decide, in the order it is told. `modified_at` and versions follow by themselves.
CURATED: Final[Mapping[Table, tuple[str, ...]]] = {
    ENTITIES: ("name", "status", "homepage", "start_pages", "tags", "note", "created_at"),
    PREFIXES: ("entity_id",),
    RULES: ("preset",),
    EXCEPTIONS: (),
    OPTIONS: ("value",),
    JOBS: ("entity_id", "previous_entity_id", "previous_entity_name"),
}
_PLACES: Final = {table: [table.position(name) for name in names] for table, names in CURATED.items()}
_KEY_PLACES: Final = {table: table.position(table.key[0]) for table in CURATED}


class RowChange(NamedTuple):
    """A curated row before and after: values of the curated columns of its table, None where there is no
    row."""

    table: Table
    key: Any
    before: tuple[Any, ...] | None
    after: tuple[Any, ...] | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The curated columns whose value changed; all when the row came or went."""
        names = CURATED[self.table]
        if self.before is None or self.after is None:
            return names
        return tuple(n for n, b, a in zip(names, self.before, self.after, strict=True) if b != a)


class Recorder(Transaction):
    """A transaction around another one. It always knows which web entities were touched; once `record` was
    called, rows of curated tables as they were before, too."""

    def __init__(self, inner: Transaction) -> None:
        self._inner = inner
        self._before: dict[Table, dict[Key, Row | None]] = {}
        self.touched: set[int] = set()

    def record(self) -> None:
        """From now on keep what curated rows were."""
        self._before = {table: {} for table in CURATED}

    def changes(self) -> list[RowChange]:
        """What differs now from what was, by table and key."""
        found = []
        for table, known in self._before.items():
            now = self._inner.get(table, known) if known else {}
            for key in sorted(known):
                change = RowChange(table, key, curated(table, known[key]), curated(table, now.get(key)))
                if change.before != change.after:
                    found.append(change)
        return found

    def _note(self, table: Table, keys: Sequence[Key], *, new: bool = False) -> None:
        if table is ENTITIES:
            self.touched.update(keys)
        known = self._before.get(table)
        if known is None:
            return
        fresh = [key for key in keys if key not in known]
        found: dict[Key, Row] = {} if new or not fresh else self._inner.get(table, fresh)
        known.update((key, found.get(key)) for key in fresh)
        if table is PREFIXES:
            self.touched.update(row[1] for row in found.values())

    def _note_rows(self, table: Table, rows: Sequence[Row], *, new: bool = False) -> None:
        place = _KEY_PLACES.get(table)
        if place is None:
            return
        if table is PREFIXES:
            self.touched.update(row[1] for row in rows)
        self._note(table, [row[place] for row in rows], new=new)

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """See `Transaction`."""
        self._note_rows(table, rows, new=True)
        self._inner.insert(table, rows)

    def put(self, table: Table, rows: Sequence[Row]) -> None:
        """See `Transaction`."""
        self._note_rows(table, rows)
        self._inner.put(table, rows)

    def update(self, table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Key, Row]]) -> None:
        """See `Transaction`."""
        if table in CURATED:
            self._note(table, [key for key, _ in rows])
        self._inner.update(table, columns, rows)

    def delete(self, table: Table, keys: Sequence[Key]) -> None:
        """See `Transaction`."""
        if table in CURATED:
            self._note(table, keys)
        self._inner.delete(table, keys)

    def get(self, table: Table, keys: Iterable[Key]) -> dict[Key, Row]:
        """See `Reader`."""
        return self._inner.get(table, keys)

    def find(
        self, table: Table, index: str, values: Iterable[Any], columns: tuple[str, ...] | None = None
    ) -> list[Row]:
        """See `Reader`."""
        return self._inner.find(table, index, values, columns)

    def scan(
        self, table: Table, span: Span = Span(), columns: tuple[str, ...] | None = None
    ) -> Iterator[Row]:
        """See `Reader`."""
        return self._inner.scan(table, span, columns)

    def count(self, table: Table, span: Span = Span()) -> int:
        """See `Reader`."""
        return self._inner.count(table, span)


def curated(table: Table, row: Row | None) -> tuple[Any, ...] | None:
    """The curated columns of a row."""
    return None if row is None else tuple([row[place] for place in _PLACES[table]])
