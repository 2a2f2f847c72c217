"""The writer's lock, on a lock document kept in memory: who may take it, and whether a commit counts."""

from __future__ import annotations

import copy
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from memory_structure.backends.mongodb_access import Access
from memory_structure.backends.mongodb_lock import Pending, WriterLock, process_place
from memory_structure.errors import StoreLocked

Document = dict[str, Any]


class LockDocument:
    """What the lock needs of a database; `after_change` may interfere after a change and spoil its answer."""

    def __init__(self) -> None:
        self.document: Document | None = None
        self.after_change: Callable[[Document], bool] = lambda _: True

    def find_one(self, collection: str, document_id: int) -> Document | None:
        assert (collection, document_id) == ("_lock", 1)
        return copy.deepcopy(self.document)

    def add_once(self, collection: str, document: Document) -> None:
        self.document = self.document or copy.deepcopy(document)

    def change_one(
        self, collection: str, guard: Document, change: Document, *, durable: bool = False
    ) -> bool:
        if self.document is None or any(self.document[name] != value for name, value in guard.items()):
            return False
        self.document |= copy.deepcopy(change.get("$set", {}))
        for name, value in change.get("$inc", {}).items():
            self.document[name] += value
        return self.after_change(change)


def lock_on(
    document: LockDocument, *, busy_seconds: float = 2.0, lease_seconds: float = 1000.0
) -> WriterLock:
    access = cast(Access, document)
    return WriterLock(access, busy_seconds=busy_seconds, lease_seconds=lease_seconds)


@pytest.fixture
def document() -> LockDocument:
    return LockDocument()


def pending(lock: WriterLock, seq: int = 1) -> Pending:
    return Pending(str(lock.owner), seq, 0, [])


def test_a_free_lock_is_taken_and_given_back(document: LockDocument) -> None:
    first, second = lock_on(document), lock_on(document)
    assert first.acquire().seq == 0
    first.release()
    state = second.acquire()
    assert (state.seq, state.pending, state.abandoned) == (0, None, False)


def test_a_held_lock_is_waited_for_and_then_refused(document: LockDocument) -> None:
    lock_on(document).acquire()
    with pytest.raises(StoreLocked):
        lock_on(document, busy_seconds=0.1).acquire()


def test_an_owner_without_a_sign_of_life_loses_the_lock(document: LockDocument) -> None:
    first = lock_on(document)
    first.acquire()
    assert lock_on(document, lease_seconds=0.1).acquire().abandoned
    assert not first.decide(pending(first))
    assert not first.flush()


def test_every_beat_begins_the_lease_anew(document: LockDocument) -> None:
    first, second = lock_on(document), lock_on(document, lease_seconds=0.25, busy_seconds=0.6)
    first.acquire()
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(0.02):
            first.flush()

    heart = threading.Thread(target=beat)
    heart.start()
    with pytest.raises(StoreLocked):
        second.acquire()
    ended.set()
    heart.join()


def test_a_dead_process_of_this_machine_loses_the_lock_at_once(document: LockDocument) -> None:
    lock_on(document).acquire()
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert document.document is not None
    document.document["place"] = process_place() | {"pid": child.pid}
    assert lock_on(document, busy_seconds=0.2).acquire().abandoned


def test_a_process_with_a_dead_ones_number_is_another_process(document: LockDocument) -> None:
    lock_on(document).acquire()
    assert document.document is not None
    document.document["place"] = process_place() | {"started": "1"}
    assert lock_on(document, busy_seconds=0.2).acquire().abandoned


def test_nothing_is_known_of_processes_of_other_machines(document: LockDocument) -> None:
    lock_on(document).acquire()
    assert document.document is not None
    document.document["place"] = process_place() | {"machine": "another", "pid": 2**22 + 1}
    with pytest.raises(StoreLocked):
        lock_on(document, busy_seconds=0.1).acquire()


def test_the_next_owner_gets_what_was_decided(document: LockDocument) -> None:
    first, second = lock_on(document), lock_on(document, lease_seconds=0.05)
    first.acquire()
    decided = pending(first)
    assert first.decide(decided)
    state = second.acquire()
    assert state.pending == decided
    second.finish(state, decided, release=True)
    after = lock_on(document).acquire()
    assert (after.seq, after.pending, after.done) == (1, None, (decided.id,))


def test_a_commit_counts_when_another_owner_finished_it_unheard(document: LockDocument) -> None:
    first, second = lock_on(document), lock_on(document, lease_seconds=0.05)
    first.acquire()
    decided = pending(first)

    def take_over(change: Document) -> bool:
        if "pending" not in change.get("$set", {}) or second.owner is not None:
            return True
        state = second.acquire()
        assert state.pending == decided
        second.finish(state, decided, release=True)
        return False

    document.after_change = take_over
    assert first.decide(decided)


def test_a_commit_is_not_reported_before_its_new_owner_has_applied_it(document: LockDocument) -> None:
    first, second = lock_on(document), lock_on(document, lease_seconds=0.05)
    first.acquire()
    decided, finished = pending(first), []

    def finish_later(state: Any) -> None:
        finished.append(1)
        second.finish(state, decided, release=True)

    def take_over(change: Document) -> bool:
        if "pending" not in change.get("$set", {}) or second.owner is not None:
            return True
        threading.Timer(0.2, finish_later, [second.acquire()]).start()
        return False

    document.after_change = take_over
    assert first.decide(decided)
    assert finished


def test_a_commit_does_not_count_when_another_owner_came_before(document: LockDocument) -> None:
    first, second = lock_on(document), lock_on(document, lease_seconds=0.05)
    first.acquire()
    lost = pending(first)
    second.finish(second.acquire(), pending(second), release=True)
    assert not first.decide(lost)
    assert document.document is not None
    assert document.document["pending"] is None
    assert document.document["done"] != [lost.id]
