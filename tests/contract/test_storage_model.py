"""Any sequence of transactions, on each backend, against tables kept as dictionaries."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_structure.errors import AlreadyExists
from memory_structure.storage import Key, Reader, Row, Span, Storage, Table
from tests.storage_cases import PAGES, TABLES, Boom, key_of, opener, storage

__all__ = ["opener", "storage"]

NUMBERS = st.sampled_from([-7, 0, 1, 2, 3, 1000, 1001, 2**40])
TEXTS = st.text(st.sampled_from("a|b~é\x00\uffff😀"), max_size=3)
SMALL = st.one_of(st.none(), st.integers(-2, 3))
PAGE_ROWS = st.tuples(
    NUMBERS,
    st.one_of(st.none(), TEXTS),
    SMALL,
    st.one_of(st.none(), st.sampled_from([-1.5, 0.0, 2.5, 1e300])),
    st.one_of(st.none(), st.binary(max_size=3)),
)
BLOCK_ROWS = st.tuples(TEXTS, st.integers(-2, 2), SMALL, st.one_of(st.none(), st.binary(max_size=3)))


@st.composite
def writes(draw: st.DrawFn) -> tuple[str, Table, list[Any]]:
    """One call of a transaction: its name, table and rows or keys."""
    table = draw(st.sampled_from(TABLES))
    rows = draw(st.lists(PAGE_ROWS if table is PAGES else BLOCK_ROWS, min_size=1, max_size=4))
    name = draw(st.sampled_from(["insert", "put", "put", "update", "delete"]))
    return name, table, list(rows)


@st.composite
def spans(draw: st.DrawFn) -> tuple[Table, Span]:
    """A span over any order of any table."""
    table = draw(st.sampled_from(TABLES))
    index = draw(st.sampled_from([None, *(i.name for i in table.indexes)]))
    order = table.order(index)
    row = draw(PAGE_ROWS if table is PAGES else BLOCK_ROWS)
    other = draw(PAGE_ROWS if table is PAGES else BLOCK_ROWS)
    values = tuple(row[table.position(name)] for name in order)
    bounds = tuple(other[table.position(name)] for name in order)
    fixed = draw(st.integers(0, len(order) - 1))
    fixed = 0 if None in values[:fixed] else fixed
    bounded = draw(st.booleans())
    lower = draw(st.sampled_from([None, bounds[fixed]])) if bounded else None
    upper = draw(st.sampled_from([None, values[fixed]])) if bounded else None
    there = dict(zip(order, bounds, strict=True)) | dict(zip(order[:fixed], values[:fixed], strict=True))
    after = draw(st.sampled_from([None, tuple(there[name] for name in order)]))
    if after is not None and not _can_page(table, order[fixed:]):
        after = None
    return table, Span(
        index, values[:fixed], lower, upper, after, draw(st.booleans()), draw(st.sampled_from([None, 1, 3]))
    )


def _can_page(table: Table, columns: tuple[str, ...]) -> bool:
    """Whether the columns are never empty: `after` is for such orders."""
    return set(columns) <= set(table.key)


class Model:
    """The tables as dictionaries."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[Key, Row]] = {table.name: {} for table in TABLES}

    def copy(self) -> Model:
        other = Model()
        other.rows = {name: dict(rows) for name, rows in self.rows.items()}
        return other

    def apply(self, name: str, table: Table, rows: list[Row]) -> None:
        stored = self.rows[table.name]
        for row in rows:
            key = key_of(table, row)
            if name == "delete":
                stored.pop(key, None)
                continue
            if name == "insert" and key in stored:
                raise AlreadyExists(str(key))
            if name == "update":
                if key not in stored:
                    continue
                row = (*stored[key][:2], *row[2:])
            self._check(table, key, row)
            stored[key] = row

    def _check(self, table: Table, key: Key, row: Row) -> None:
        for index in table.indexes:
            value = [row[table.position(c)] for c in index.columns]
            if index.unique and None not in value:
                for other, there in self.rows[table.name].items():
                    if other != key and [there[table.position(c)] for c in index.columns] == value:
                        raise AlreadyExists(str(value))

    def scan(self, table: Table, span: Span) -> list[Row]:
        positions = [table.position(name) for name in table.order(span.index)]
        fixed = len(span.equal)

        def order(row: Row) -> list[tuple[bool, Any]]:
            return [(row[p] is not None, row[p] if row[p] is not None else 0) for p in positions]

        def holds(row: Row) -> bool:
            value = row[positions[fixed]]
            if tuple(row[p] for p in positions[:fixed]) != span.equal:
                return False
            if (span.lower is not None or span.upper is not None) and value is None:
                return False
            if span.lower is not None and value < span.lower:
                return False
            if span.upper is not None and value >= span.upper:
                return False
            if span.after is None:
                return True
            after = [(True, v) for v in span.after]
            return order(row) < after if span.reverse else order(row) > after

        found = sorted(filter(holds, self.rows[table.name].values()), key=order, reverse=span.reverse)
        return found[: span.limit]


def call(transaction: Any, name: str, table: Table, rows: list[Row]) -> None:
    if name == "delete":
        transaction.delete(table, [key_of(table, row) for row in rows])
    elif name == "update":
        columns = tuple(c.name for c in table.columns[2:])
        transaction.update(table, columns, [(key_of(table, row), row[2:]) for row in rows])
    else:
        getattr(transaction, name)(table, rows)


def assert_alike(reader: Reader, model: Model, wanted: list[tuple[Table, Span]]) -> None:
    for table, span in wanted:
        expected = model.scan(table, span)
        found = list(reader.scan(table, span))
        if span.limit is None:
            assert reader.count(table, span) == len(expected)
        if span.index is not None and table.index(span.index).unique:
            expected, found = steady(table, span, expected), steady(table, span, found)
        assert found == expected, span
    for table in TABLES:
        rows = model.rows[table.name]
        assert reader.get(table, list(rows)) == rows
        for index in (i for i in table.indexes if len(i.columns) == 1):
            position = table.position(index.columns[0])
            values = {row[position] for row in list(rows.values())[:3]} - {None}
            expected = sorted((r for r in rows.values() if r[position] in values), key=repr)
            assert sorted(reader.find(table, index.name, values), key=repr) == expected


def steady(table: Table, span: Span, rows: list[Row]) -> list[Row]:
    """Rows with an empty value in a unique index come in no order: leave them out, and with them limits."""
    assert span.index is not None
    positions = [table.position(name) for name in table.index(span.index).columns]
    return [] if span.limit else [row for row in rows if all(row[p] is not None for p in positions)]


def clean(storage: Storage) -> None:
    with storage.transaction() as transaction:
        for table in TABLES:
            transaction.delete(table, [key_of(table, row) for row in list(transaction.scan(table))])


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    transactions=st.lists(st.tuples(st.lists(writes(), max_size=4), st.booleans()), max_size=4),
    wanted=st.lists(spans(), max_size=6),
)
def test_any_transactions_equal_a_dictionary(
    storage: Storage,
    transactions: list[tuple[list[tuple[str, Table, list[Row]]], bool]],
    wanted: list[tuple[Table, Span]],
) -> None:
    clean(storage)
    model = Model()
    for calls, fails in transactions:
        attempt = model.copy()
        try:
            with storage.transaction() as transaction:
                for name, table, rows in calls:
                    refused = False
                    try:
                        attempt.apply(name, table, rows)
                    except AlreadyExists:
                        refused = True
                    if refused:
                        with pytest.raises(AlreadyExists):
                            call(transaction, name, table, rows)
                        raise Boom
                    call(transaction, name, table, rows)
                assert_alike(transaction, attempt, wanted)
                if fails:
                    raise Boom
            model = attempt
        except Boom:
            pass
        assert_alike(storage, model, wanted)
