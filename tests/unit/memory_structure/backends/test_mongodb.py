"""Storage on a MongoDB server: silent servers, values, orders, backups."""

from __future__ import annotations

import threading

import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure

from memory_structure.backends.mongodb import MongoAccess, MongoStorage
from memory_structure.backends.mongodb_commit import CommitStep
from memory_structure.errors import InvalidValue, StoreError, StoreFull, StoreUnreachable
from memory_structure.storage import Column, ColumnKind, Index, Row, Span, Table
from tests.mongodb_server import MongoServer
from tests.mongodb_writer import ROWS, Open, increment, increment_row, old_rows, rows_of

# The server is silent


def test_an_address_where_nobody_answers_is_named() -> None:
    with pytest.raises(StoreUnreachable, match="database nowhere"):
        MongoStorage("mongodb://127.0.0.1:9/", "nowhere", opening_seconds=0.2)


@pytest.mark.parametrize("uri", ["http://host/", "mongodb://:::/", "mongodb://host:port/"])
def test_an_unusable_address_is_the_callers_fault(uri: str) -> None:
    with pytest.raises(InvalidValue):
        MongoStorage(uri, "x")


def test_a_commit_whose_answer_never_came_counts_once(server: MongoServer, database: str) -> None:
    def hang(here: CommitStep) -> None:
        if here is CommitStep.DECIDE:
            server.pause()
            threading.Timer(1.5, server.resume).start()

    storage = MongoStorage(server.uri + "?socketTimeoutMS=400", database, on_step=hang)
    storage.ensure_tables([ROWS])
    assert increment(storage) == 1
    assert rows_of(storage) == [(0, "1", None)]
    assert increment(storage) == 2
    storage.destroy()


@pytest.mark.parametrize("code", [14031, 13068])
def test_a_full_disk_is_named(server: MongoServer, code: int) -> None:
    def fill() -> None:
        raise OperationFailure("no space left", code)

    with pytest.raises(StoreFull, match="no space left"):
        MongoAccess(server.uri, "x", 1.0).call(fill)


def test_a_refusal_of_the_server_is_named(server: MongoServer) -> None:
    access = MongoAccess(server.uri, "x", 1.0)
    with pytest.raises(StoreError, match="noSuchCommand"):
        access.call(access.database.command, "noSuchCommand")


# Values


@pytest.mark.parametrize(
    "row", [(2**63, "x", None), (500, "lone \ud800", None), (500, "x", bytes(16 << 20)), (500, "x")]
)
def test_values_no_document_can_hold_are_the_callers_fault(open_storage: Open, row: Row) -> None:
    storage = open_storage()
    with pytest.raises(InvalidValue), storage.transaction() as transaction:
        transaction.put(ROWS, [(501, "fine", None), row])
    assert rows_of(storage) == old_rows()
    assert increment_row(storage) == 1


KEYED = Table(
    "keyed",
    (Column("digest", ColumnKind.BLOB), Column("place", ColumnKind.REAL), Column("note", ColumnKind.TEXT)),
    ("digest",),
    (Index("by_place", ("place",)), Index("by_note", ("note",))),
)


def test_binary_keys_are_ordered_by_their_bytes(open_storage: Open) -> None:
    storage = open_storage()
    storage.ensure_tables([KEYED])
    keys = [b"", b"\x00", b"\x00\xff", b"\x01", b"a", b"aa", b"b", b"\xff"]
    with storage.transaction() as transaction:
        transaction.insert(KEYED, [(key, None, None) for key in reversed(keys)])
    assert [row[0] for row in storage.scan(KEYED)] == keys
    assert [row[0] for row in storage.scan(KEYED, Span(lower=b"\x00", upper=b"aa"))] == keys[1:5]
    assert set(storage.get(KEYED, [b"aa", b"ab"])) == {b"aa"}


@pytest.mark.parametrize("reverse", [False, True])
def test_pages_of_an_index_with_empty_values_join_into_the_whole(open_storage: Open, reverse: bool) -> None:
    storage = open_storage()
    storage.ensure_tables([KEYED])
    places = [None, -1.5, None, 0.0, 2.5, 2.5, None]
    with storage.transaction() as transaction:
        transaction.insert(KEYED, [(bytes([n]), place, None) for n, place in enumerate(places)])
    found: list[Row] = []
    after = None
    while True:
        some = list(storage.scan(KEYED, Span("by_place", after=after, reverse=reverse, limit=2)))
        if not some:
            break
        found += some
        after = (some[-1][1], some[-1][0])
    ordered = sorted(enumerate(places), key=lambda p: (p[1] is not None, p[1] or 0.0, p[0]), reverse=reverse)
    assert [row[:2] for row in found] == [(bytes([n]), place) for n, place in ordered]


# Upkeep


def test_servers_indexes_serve_every_order(server: MongoServer, database: str, open_storage: Open) -> None:
    open_storage()
    with MongoClient(server.uri) as client:
        rows = client[database]["rows"]
        for query in ({"id": {"$gte": 3, "$lt": 9}}, {"text": {"$gte": "a"}}, {"_id": {"$in": [1, 2]}}):
            plan = rows.find(query).explain()["queryPlanner"]["winningPlan"]
            assert "IXSCAN" in str(plan) or "IDHACK" in str(plan), plan
