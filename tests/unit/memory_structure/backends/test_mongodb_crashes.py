"""Storage on a MongoDB server: writers and servers that are killed, locks that are lost."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from pymongo import MongoClient

from memory_structure.backends.mongodb import MongoStorage
from memory_structure.backends.mongodb_commit import CommitStep
from memory_structure.errors import StoreLocked, StoreUnreachable
from memory_structure.storage import Span
from tests.mongodb_server import MongoServer
from tests.mongodb_writer import ROWS, Open, change, increment, increment_row, new_rows, old_rows, rows_of

ROOT = Path(__file__).parents[4]
SMALL, LARGE = 10, 1_000_000
BEFORE = (CommitStep.JOURNAL, CommitStep.DECIDE)
AFTER = (CommitStep.APPLY, CommitStep.APPLY_MORE, CommitStep.FINISH, CommitStep.DONE)


def run_writer(server: MongoServer, database: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.mongodb_writer", server.uri, database, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def journal_documents(server: MongoServer, database: str) -> int:
    with MongoClient(server.uri) as client:
        return client[database]["_journal"].count_documents({})


# The writer dies


@pytest.mark.parametrize(
    ("step", "size_bytes"),
    [
        *((step, SMALL) for step in CommitStep),
        (CommitStep.DECIDE, LARGE),
        (CommitStep.APPLY_MORE, LARGE),
        *(
            pytest.param(step, LARGE, marks=pytest.mark.slow)
            for step in CommitStep
            if step not in (CommitStep.DECIDE, CommitStep.APPLY_MORE)
        ),
    ],
)
def test_a_writer_killed_in_a_commit_leaves_all_or_nothing(
    server: MongoServer, database: str, open_storage: Open, step: CommitStep, size_bytes: int
) -> None:
    child = run_writer(server, database, "die", step.name, size_bytes, 1)
    assert child.wait(60) == -9
    storage = open_storage(busy_seconds=5, lease_seconds=1000)
    assert rows_of(storage) == (old_rows() if step in BEFORE else new_rows(size_bytes))
    assert increment_row(storage) == 1
    assert journal_documents(server, database) == 0


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
                transaction.put(ROWS, [(0, "back", None), (15, "newer", None), (100, "newer too", None)])

    stalled = open_storage(lease_seconds=1000, on_step=others_write)
    change(stalled, SMALL)
    expected = {row[0]: row for row in new_rows(SMALL)} | {
        0: (0, "back", None),
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
    server: MongoServer, database: str, open_storage: Open
) -> None:
    storage = MongoStorage(
        server.uri + "?socketTimeoutMS=300",
        database,
        unreachable_seconds=0.3,
        busy_seconds=5,
        lease_seconds=1000,
    )

    def leave() -> None:
        with storage.transaction() as transaction:
            transaction.put(ROWS, [(1, "never", None)])
            server.pause()

    try:
        with pytest.raises(StoreUnreachable):
            leave()
    finally:
        server.resume()
    assert increment_row(storage) == 1
    storage.close()
