"""What every database must do for a memory structure: `memory_structure.storage`, on each backend."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from memory_structure.errors import AlreadyExists
from memory_structure.storage import Row, Span, Storage, Table, Transaction
from tests.storage_cases import BLOCKS, PAGES, TABLES, Boom, Opener, opener, storage

__all__ = ["opener", "storage"]


def page(number: int, lru: str | None = None, entity: int | None = None, score: float | None = None) -> Row:
    return (number, lru or f"p:{number:04d}|", entity, score, b"body %d" % number)


def write(storage: Storage, *rows: Row, table: Table = PAGES) -> None:
    with storage.transaction() as transaction:
        transaction.insert(table, rows)


def ids(rows: Iterator[Row] | list[Row]) -> list[Any]:
    return [row[0] for row in rows]


@contextmanager
def refused(storage: Storage) -> Iterator[Transaction]:
    """A transaction that must end in AlreadyExists."""
    with pytest.raises(AlreadyExists), storage.transaction() as transaction:
        yield transaction


# Writes


def test_written_rows_are_read_back_with_their_types(storage: Storage) -> None:
    rows = [
        (1, "s:http|h:fr|é😀\x00|", 2**63 - 1, 0.5, b"\x00\xff"),
        (-(2**63), "", None, None, None),
        (2**40, "x", -1, 3.0, b""),
    ]
    write(storage, *rows)
    found = storage.get(PAGES, [row[0] for row in rows])
    assert found == {row[0]: row for row in rows}
    assert [[type(v) for v in found[row[0]]] for row in rows] == [[type(v) for v in row] for row in rows]


def test_a_whole_number_in_a_real_column_comes_back_as_float(storage: Storage) -> None:
    write(storage, page(1, score=3))
    (row,) = storage.scan(PAGES)
    assert (row[3], type(row[3])) == (3.0, float)


def test_insert_refuses_a_known_key_and_keeps_nothing(storage: Storage) -> None:
    write(storage, page(1))
    with refused(storage) as transaction:
        transaction.insert(PAGES, [page(5)])
        transaction.insert(PAGES, [page(1, "other")])
    assert ids(storage.scan(PAGES)) == [1]


def test_insert_refuses_a_key_twice_in_one_call(storage: Storage) -> None:
    with refused(storage) as transaction:
        transaction.insert(PAGES, [page(1, "a"), page(1, "b")])
    assert storage.count(PAGES) == 0


def test_insert_refuses_a_unique_value_that_is_stored(storage: Storage) -> None:
    write(storage, page(1, "a"))
    with refused(storage) as transaction:
        transaction.insert(PAGES, [page(2, "a")])
    assert ids(storage.scan(PAGES)) == [1]


@pytest.mark.parametrize("how", ["insert", "put", "update"])
def test_a_unique_value_of_the_same_transaction_is_refused(storage: Storage, how: str) -> None:
    with refused(storage) as transaction:
        transaction.insert(PAGES, [page(1, "a"), page(3, "c")])
        if how == "insert":
            transaction.insert(PAGES, [page(2, "a")])
        elif how == "put":
            transaction.put(PAGES, [page(2, "a")])
        else:
            transaction.update(PAGES, ("lru",), [(3, ("a",))])
    assert storage.count(PAGES) == 0


@pytest.mark.parametrize("how", ["put", "update"])
def test_a_stored_unique_value_is_refused_to_another_row(storage: Storage, how: str) -> None:
    write(storage, page(1, "a"), page(2, "b"))
    with refused(storage) as transaction:
        if how == "put":
            transaction.put(PAGES, [page(2, "a")])
        else:
            transaction.update(PAGES, ("lru",), [(2, ("a",))])
    assert [row[1] for row in storage.scan(PAGES)] == ["a", "b"]


def test_a_unique_value_is_free_again_when_its_row_went_or_changed(storage: Storage) -> None:
    write(storage, page(1, "a"), page(2, "b"))
    with storage.transaction() as transaction:
        transaction.delete(PAGES, [1])
        transaction.update(PAGES, ("lru",), [(2, ("c",))])
        transaction.insert(PAGES, [page(3, "a"), page(4, "b")])
    assert [row[:2] for row in storage.scan(PAGES)] == [(2, "c"), (3, "a"), (4, "b")]


def test_unique_values_with_none_never_clash(storage: Storage) -> None:
    write(storage, (1, None, 7, None, None), (2, None, 7, None, None))
    assert ids(storage.scan(PAGES)) == [1, 2]


def test_put_adds_and_replaces(storage: Storage) -> None:
    write(storage, page(1, "a"))
    with storage.transaction() as transaction:
        transaction.put(PAGES, [page(1, "b"), page(2, "c"), page(2, "d")])
    assert [row[:2] for row in storage.scan(PAGES)] == [(1, "b"), (2, "d")]


def test_update_sets_columns_of_known_rows_only(storage: Storage) -> None:
    write(storage, page(1, "a", 5), page(2, "b", 5))
    with storage.transaction() as transaction:
        transaction.update(PAGES, ("entity", "body"), [(1, (6, None)), (9, (6, None)), (1, (8, b"x"))])
    assert list(storage.scan(PAGES)) == [(1, "a", 8, None, b"x"), page(2, "b", 5)]


def test_compound_keys(storage: Storage) -> None:
    rows = [("a", 2, 1, b"x"), ("a/1", 1, 2, b"y"), ("a%2F1", 1, 3, b"z"), ("a", -1, 4, None)]
    write(storage, *rows, table=BLOCKS)
    keys = [row[:2] for row in rows]
    assert storage.get(BLOCKS, [*keys, ("a", 3)]) == dict(zip(keys, rows, strict=True))
    with storage.transaction() as transaction:
        transaction.delete(BLOCKS, [("a", 2), ("b", 1)])
        transaction.update(BLOCKS, ("size",), [(("a/1", 1), (9,))])
    assert list(storage.scan(BLOCKS)) == [("a", -1, 4, None), ("a%2F1", 1, 3, b"z"), ("a/1", 1, 9, b"y")]


def test_an_error_in_the_block_keeps_nothing(storage: Storage) -> None:
    write(storage, page(1))
    with suppress(Boom), storage.transaction() as transaction:
        transaction.put(PAGES, [page(1, "changed"), page(2)])
        transaction.delete(PAGES, [1])
        raise Boom
    assert list(storage.scan(PAGES)) == [page(1)]
    write(storage, page(3))
    assert ids(storage.scan(PAGES)) == [1, 3]


def test_many_rows_in_one_transaction(storage: Storage) -> None:
    rows = [page(n, entity=n % 3) for n in range(2500)]
    write(storage, *rows)
    assert list(storage.scan(PAGES)) == rows
    assert storage.get(PAGES, range(2500)) == {row[0]: row for row in rows}
    assert sorted(storage.find(PAGES, "by_lru", [row[1] for row in rows])) == rows
    assert storage.count(PAGES, Span("by_entity", equal=(1,))) == 833


def test_many_keys_with_gaps_and_at_the_end_of_the_integers(storage: Storage) -> None:
    numbers = [*range(0, 400, 2), *range(2**63 - 200, 2**63), *range(5000, 5300), 10**6]
    write(storage, *(page(n, f"x{n}") for n in numbers))
    assert set(storage.get(PAGES, [*range(-10, 700), *range(2**63 - 300, 2**63), *numbers])) == set(numbers)
    assert set(storage.get(PAGES, range(2**63 - 300, 2**63))) == set(range(2**63 - 200, 2**63))
    assert set(storage.get(PAGES, range(5100, 5400))) == set(range(5100, 5300))


def test_large_values_survive(storage: Storage) -> None:
    rows = [("big", n, None, bytes([n]) * (3 << 20)) for n in range(8)]
    write(storage, *rows, table=BLOCKS)
    for row in rows:
        assert storage.get(BLOCKS, [row[:2]])[row[:2]] == row


# Reads


def test_find_gives_rows_of_any_of_the_values(storage: Storage) -> None:
    write(storage, page(1, "a", 5), page(2, "b", 6), page(3, "c", 5), page(4, "d"))
    assert sorted(storage.find(PAGES, "by_entity", [5, 7, 5], ("id", "lru"))) == [(1, "a"), (3, "c")]
    assert storage.find(PAGES, "by_lru", ["b"], ("entity",)) == [(6,)]
    assert storage.find(PAGES, "by_lru", []) == []


def test_text_is_ordered_by_code_point(storage: Storage) -> None:
    lrus = ["a", "B", "é", "~", "\ufb01", "😀", "a|", "a~", "", "aé", "\x00", "\x7f", "\uffff", "a\x00"]
    write(
        storage, *(page(n, lru or None) if lru else (n, "", None, None, None) for n, lru in enumerate(lrus))
    )
    assert [row[0] for row in storage.scan(PAGES, Span("by_lru"), ("lru",))] == sorted(lrus)
    reverse = storage.scan(PAGES, Span("by_lru", reverse=True), ("lru",))
    assert [row[0] for row in reverse] == sorted(lrus, reverse=True)


def test_a_range_of_text_has_its_lower_bound_and_not_its_upper(storage: Storage) -> None:
    write(
        storage,
        *(page(n, lru) for n, lru in enumerate(["h:a|", "h:a|p:x|", "h:a|p:é|", "h:a}", "h:b|", "h:"])),
    )
    span = Span("by_lru", lower="h:a|", upper="h:a}")
    assert [row[1] for row in storage.scan(PAGES, span)] == ["h:a|", "h:a|p:x|", "h:a|p:é|"]
    assert storage.count(PAGES, span) == 3


def test_scans_narrow_to_columns_in_the_order_asked(storage: Storage) -> None:
    write(storage, page(1, "a", 5), page(2, "b", 6))
    assert list(storage.scan(PAGES, Span("by_entity"), ("lru", "id"))) == [("a", 1), ("b", 2)]
    with storage.transaction() as transaction:
        transaction.put(PAGES, [page(0, "c", 9)])
        assert list(transaction.scan(PAGES, Span("by_entity"), ("lru",))) == [("a",), ("b",), ("c",)]


def test_sparse_and_negative_keys_come_in_order(storage: Storage) -> None:
    numbers = [-(2**62), -5, -1, 0, 1, 999, 1000, 1001, 5000, 2**31, 2**53 + 1, 2**63 - 1]
    write(storage, *(page(n, f"x{n}") for n in numbers))
    assert ids(storage.scan(PAGES)) == numbers
    assert ids(storage.scan(PAGES, Span(reverse=True))) == numbers[::-1]
    assert ids(storage.scan(PAGES, Span(lower=0, upper=2**53))) == [0, 1, 999, 1000, 1001, 5000, 2**31]
    for position, number in enumerate(numbers):
        for limit in (1, 3, None):
            forward = Span(after=(number,), limit=limit)
            assert ids(storage.scan(PAGES, forward)) == numbers[position + 1 :][:limit]
            back = Span(after=(number,), limit=limit, reverse=True)
            assert ids(storage.scan(PAGES, back)) == numbers[:position][::-1][:limit]


def test_pages_of_keys_join_into_the_whole(storage: Storage) -> None:
    write(storage, *(page(n, entity=n % 4) for n in range(100)))
    for reverse in (False, True):
        for start in (Span(), Span("by_lru"), Span("by_entity"), Span("by_entity", equal=(2,))):
            whole = list(storage.scan(PAGES, Span(start.index, equal=start.equal, reverse=reverse)))
            positions = [PAGES.position(name) for name in PAGES.order(start.index)]
            pieces: list[Row] = []
            after = None
            while True:
                span = Span(start.index, equal=start.equal, after=after, reverse=reverse, limit=7)
                some = list(storage.scan(PAGES, span))
                pieces += some
                if not some:
                    break
                after = tuple(some[-1][p] for p in positions)
            assert pieces == whole


def test_limit_zero_gives_nothing(storage: Storage) -> None:
    write(storage, page(1))
    assert list(storage.scan(PAGES, Span(limit=0))) == []


# Transactions and instances


def test_reads_inside_see_own_writes_and_others_do_not(opener: Opener, storage: Storage) -> None:
    write(storage, page(1, "a", 5), page(2, "b", 5))
    other = opener()
    with storage.transaction() as transaction:
        transaction.delete(PAGES, [1])
        transaction.insert(PAGES, [page(3, "c", 5)])
        transaction.update(PAGES, ("entity",), [(2, (6,))])
        assert transaction.get(PAGES, [1, 2, 3]) == {2: page(2, "b", 6), 3: page(3, "c", 5)}
        assert transaction.find(PAGES, "by_entity", [5]) == [page(3, "c", 5)]
        assert transaction.count(PAGES) == 2
        assert transaction.count(PAGES, Span("by_entity", equal=(5,))) == 1
        assert ids(other.scan(PAGES)) == [1, 2]
    assert ids(other.scan(PAGES)) == [2, 3]


def test_another_instance_continues(opener: Opener, storage: Storage) -> None:
    write(storage, page(1))
    other = opener()
    other.ensure_tables(TABLES)
    write(other, page(2))
    write(storage, page(3))
    assert ids(other.scan(PAGES)) == [1, 2, 3]


def test_what_was_written_is_there_after_closing(opener: Opener, storage: Storage) -> None:
    write(storage, page(1))
    storage.close()
    storage.close()
    assert ids(opener().scan(PAGES)) == [1]


def test_threads_of_one_instance_write_one_after_the_other(storage: Storage) -> None:
    write(storage, ("counter", 0, 0, None), table=BLOCKS)

    def count() -> None:
        for _ in range(10):
            with storage.transaction() as transaction:
                number = transaction.get(BLOCKS, [("counter", 0)])["counter", 0][2]
                transaction.update(BLOCKS, ("size",), [(("counter", 0), (number + 1,))])

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert storage.get(BLOCKS, [("counter", 0)])["counter", 0][2] == 30


def test_two_instances_write_one_after_the_other(opener: Opener, storage: Storage) -> None:
    write(storage, ("counter", 0, 0, None), table=BLOCKS)

    def count(mine: Storage) -> None:
        for _ in range(10):
            with mine.transaction() as transaction:
                number = transaction.get(BLOCKS, [("counter", 0)])["counter", 0][2]
                transaction.update(BLOCKS, ("size",), [(("counter", 0), (number + 1,))])

    threads = [threading.Thread(target=count, args=(mine,)) for mine in (storage, opener())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert storage.get(BLOCKS, [("counter", 0)])["counter", 0][2] == 20


def test_ensuring_tables_twice_changes_nothing(storage: Storage) -> None:
    write(storage, page(1))
    storage.ensure_tables(TABLES)
    assert ids(storage.scan(PAGES)) == [1]


def test_size_grows_with_what_is_stored(storage: Storage) -> None:
    before = storage.size_bytes()
    write(storage, *(("k", n, None, bytes(range(256)) * 100) for n in range(100)), table=BLOCKS)
    assert storage.size_bytes() > before + 500


def test_frozen_reads_show_one_moment_while_another_writes(opener: Opener, storage: Storage) -> None:
    write(storage, page(1), page(2))
    other = opener()
    writer = threading.Thread(target=write, args=(other, page(3)))
    with storage.frozen() as reader:
        assert ids(reader.scan(PAGES)) == [1, 2]
        writer.start()
        writer.join(0.3)
        assert ids(reader.scan(PAGES)) == [1, 2]
        assert reader.get(PAGES, (3,)) == {}
    writer.join()
    assert ids(storage.scan(PAGES)) == [1, 2, 3]


def test_destroyed_databases_begin_empty(opener: Opener, storage: Storage) -> None:
    write(storage, page(1))
    storage.destroy()
    again = opener()
    again.ensure_tables(TABLES)
    assert list(again.scan(PAGES)) == []
