"""Storage on a MongoDB server: crashes of the server and of writers, lost locks, silent servers, backups."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bson
import pytest
from pymongo import MongoClient

from memory_structure.backends.mongodb import BACKUP_FORMAT, CommitStep, MongoStorage
from memory_structure.errors import InvalidValue, StoreLocked, StoreUnreachable
from memory_structure.storage import Column, ColumnKind, Index, Row, Span, Table
from tests.mongodb_server import MongoServer, fresh_database_name, running_server
from tests.mongodb_writer import ROWS, change, increment, new_rows, old_rows

ROOT = Path(__file__).parents[4]
SMALL, LARGE = 10, 1_000_000
BEFORE = (CommitStep.JOURNAL, CommitStep.DECIDE)
AFTER = (CommitStep.APPLY, CommitStep.APPLY_MORE, CommitStep.FINISH, CommitStep.DONE)

Open = Callable[..., MongoStorage]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MongoServer]:
    """A server of this module's own, to be killed."""
    with running_server(tmp_path_factory.mktemp("killed")) as server:
        yield server


@pytest.fixture
def database() -> str:
    return fresh_database_name()


@pytest.fixture
def open_storage(server: MongoServer, database: str) -> Iterator[Open]:
    """Opens the test's database with the old rows in it, as often as one likes."""
    opened: list[MongoStorage] = []

    def open_it(**options: object) -> MongoStorage:
        storage = MongoStorage(server.uri, database, **options)  # type: ignore[arg-type]
        opened.append(storage)
        return storage

    first = open_it()
    first.ensure_tables([ROWS])
    with first.transaction() as transaction:
        transaction.insert(ROWS, old_rows())
    yield open_it
    opened[0].destroy()
    for storage in opened:
        storage.close()


def run_writer(server: MongoServer, database: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.mongodb_writer", server.uri, database, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def rows_of(storage: MongoStorage) -> list[Row]:
    return list(storage.scan(ROWS))


def journal_documents(server: MongoServer, database: str) -> int:
    with MongoClient(server.uri) as client:
        return client[database]["_journal"].count_documents({})


# The writer dies


@pytest.mark.parametrize("size_bytes", [SMALL, LARGE])
@pytest.mark.parametrize("step", CommitStep)
def test_a_writer_killed_in_a_commit_leaves_all_or_nothing(
    server: MongoServer, database: str, open_storage: Open, step: CommitStep, size_bytes: int
) -> None:
    child = run_writer(server, database, "die", step.name, size_bytes, 1)
    assert child.wait(60) == -9
    storage = open_storage(busy_seconds=5, lease_seconds=1000)
    assert rows_of(storage) == (old_rows() if step in BEFORE else new_rows(size_bytes))
    assert increment_row(storage) == 1
    assert journal_documents(server, database) == 0


def increment_row(storage: MongoStorage) -> int:
    with storage.transaction() as transaction:
        transaction.put(ROWS, [(7777, "one more", None)])
        return int(transaction.count(ROWS, Span(lower=7777)))


@pytest.mark.parametrize("number", [2, 3])
def test_a_writer_killed_between_its_groups_of_rows_leaves_everything(
    server: MongoServer, database: str, open_storage: Open, number: int
) -> None:
    assert run_writer(server, database, "die", "APPLY_MORE", SMALL, number).wait(60) == -9
    assert rows_of(open_storage()) == new_rows(SMALL)


def test_two_processes_lose_no_increment(server: MongoServer, database: str) -> None:
    storage = MongoStorage(server.uri, database)
    storage.ensure_tables([ROWS])
    children = [run_writer(server, database, "count", 25) for _ in range(2)]
    seen = [int(line) for child in children for line in child.communicate(timeout=60)[0].split()]
    assert sorted(seen) == list(range(1, 51))
    assert rows_of(storage) == [(0, "50", None)]
    storage.destroy()


# The server dies


@pytest.mark.parametrize(
    ("step", "size_bytes"),
    [
        (CommitStep.DECIDE, SMALL),
        (CommitStep.APPLY_MORE, LARGE),
        *(
            pytest.param(step, size, marks=pytest.mark.slow)
            for step in CommitStep
            for size in (SMALL, LARGE)
            if (step, size) not in [(CommitStep.DECIDE, SMALL), (CommitStep.APPLY_MORE, LARGE)]
        ),
    ],
)
def test_a_commit_survives_the_death_of_the_server(
    server: MongoServer, open_storage: Open, step: CommitStep, size_bytes: int
) -> None:
    left = [step]

    def kill_once(here: CommitStep) -> None:
        if left == [here]:
            left.clear()
            server.restart()

    storage = open_storage(on_step=kill_once)
    change(storage, size_bytes)
    assert not left
    assert rows_of(storage) == new_rows(size_bytes)
    server.restart()
    assert rows_of(storage) == new_rows(size_bytes)
    change_back(storage)
    assert rows_of(storage) == old_rows()


def change_back(storage: MongoStorage) -> None:
    with storage.transaction() as transaction:
        transaction.delete(ROWS, [row[0] for row in list(transaction.scan(ROWS))])
        transaction.insert(ROWS, old_rows())


def test_a_scan_goes_on_after_the_death_of_the_server(server: MongoServer, open_storage: Open) -> None:
    storage = open_storage()
    rows = [(n, f"text {n:05d}", b"x" * 3000) for n in range(1000, 4000)]
    with storage.transaction() as transaction:
        transaction.insert(ROWS, rows)
    for span in (Span(lower=1000), Span("by_text", lower="text", upper="texu")):
        scan = storage.scan(ROWS, span)
        found = [next(scan) for _ in range(1500)]
        server.restart()
        found += scan
        assert found == rows


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_no_acknowledged_write_is_lost_when_the_server_is_killed_again_and_again(
    server: MongoServer, database: str
) -> None:
    storage = MongoStorage(server.uri, database)
    storage.ensure_tables([ROWS])
    acknowledged: list[int] = []
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            acknowledged.append(increment(storage))

    writer = threading.Thread(target=write)
    writer.start()
    for round_number in range(8):
        time.sleep(0.3 + 0.11 * round_number)
        server.restart()
    ended.set()
    writer.join()
    assert acknowledged == list(range(1, len(acknowledged) + 1))
    server.restart()
    assert rows_of(storage) == [(0, str(len(acknowledged)), None)]
    storage.destroy()


# A lock is lost


def test_a_writer_whose_lock_was_taken_writes_nothing_over_newer_rows(open_storage: Open) -> None:
    fast = open_storage(lease_seconds=0.2)

    def others_write(here: CommitStep) -> None:
        if here is CommitStep.DECIDE:
            with fast.transaction() as transaction:
                transaction.put(ROWS, [(15, "newer", None)])

    stalled = open_storage(lease_seconds=1000, on_step=others_write)
    with pytest.raises(StoreLocked):
        change(stalled, SMALL)
    assert fast.get(ROWS, [15]) == {15: (15, "newer", None)}
    assert fast.count(ROWS) == len(old_rows())


def test_a_writer_whose_lock_was_only_borrowed_goes_on(open_storage: Open) -> None:
    fast = open_storage(lease_seconds=0.2)
    borrowed = []

    def others_look(here: CommitStep) -> None:
        if here is CommitStep.DECIDE and not borrowed:
            with fast.transaction() as transaction:
                borrowed.append(transaction.count(ROWS))

    stalled = open_storage(lease_seconds=1000, on_step=others_look)
    change(stalled, LARGE)
    assert borrowed == [len(old_rows())]
    assert rows_of(fast) == new_rows(LARGE)


def test_a_decided_commit_taken_over_is_whole_and_older_than_what_followed(open_storage: Open) -> None:
    fast = open_storage(lease_seconds=0.2)
    taken = []

    def others_write(here: CommitStep) -> None:
        if here is CommitStep.APPLY and not taken:
            taken.append(here)
            with fast.transaction() as transaction:
                assert list(transaction.scan(ROWS)) == new_rows(SMALL)
                transaction.put(ROWS, [(15, "newer", None), (100, "newer too", None)])

    stalled = open_storage(lease_seconds=1000, on_step=others_write)
    change(stalled, SMALL)
    expected = {row[0]: row for row in new_rows(SMALL)} | {
        15: (15, "newer", None),
        100: (100, "newer too", None),
    }
    assert {row[0]: row for row in rows_of(fast)} == expected
    assert increment_row(stalled) == 1


def test_a_living_writer_keeps_its_lock(open_storage: Open) -> None:
    slow, other = open_storage(lease_seconds=0.4), open_storage(lease_seconds=0.4, busy_seconds=1.2)
    with slow.transaction() as transaction:
        transaction.put(ROWS, [(0, "mine", None)])
        with pytest.raises(StoreLocked), other.transaction():
            pass
    assert other.get(ROWS, [0]) == {0: (0, "mine", None)}


def test_the_instance_that_lost_sight_of_its_own_lock_takes_it_again(
    server: MongoServer, open_storage: Open
) -> None:
    storage = open_storage(unreachable_seconds=0.3, busy_seconds=5, lease_seconds=1000)

    def leave() -> None:
        with storage.transaction() as transaction:
            transaction.put(ROWS, [(1, "never", None)])
            server.kill()

    try:
        with pytest.raises(StoreUnreachable):
            leave()
    finally:
        server.start()
    assert increment_row(storage) == 1
    assert storage.get(ROWS, [1])[1] == old_rows()[1]


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


def test_a_backup_holds_every_row_and_says_where_it_ends(open_storage: Open, tmp_path: Path) -> None:
    storage = open_storage()
    storage.backup(str(tmp_path / "copy"))
    first, *parts, last = bson.decode_all((tmp_path / "copy").read_bytes())
    assert (first["format"], last) == (BACKUP_FORMAT, {"end": len(old_rows())})
    assert parts[0] == {"collection": "rows"}
    stored = [(p["row"]["id"], p["row"]["text"], p["row"]["data"]) for p in parts[1:]]
    assert sorted(stored) == old_rows()
    with pytest.raises(FileExistsError):
        storage.backup(str(tmp_path / "copy"))
    assert increment_row(storage) == 1


def test_servers_indexes_serve_every_order(server: MongoServer, database: str, open_storage: Open) -> None:
    open_storage()
    with MongoClient(server.uri) as client:
        rows = client[database]["rows"]
        for query in ({"id": {"$gte": 3, "$lt": 9}}, {"text": {"$gte": "a"}}, {"_id": {"$in": [1, 2]}}):
            plan = rows.find(query).explain()["queryPlanner"]["winningPlan"]
            assert "IXSCAN" in str(plan) or "IDHACK" in str(plan), plan
