"""Faults of the embedded store: killed writers, rollbacks at any statement, locks, full disks, files that are
none."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_structure.backends import sqlite
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import CorruptCorpus, StoreError, StoreFull, StoreLocked
from memory_structure.storage import Transaction
from memory_structure.stored.schema import CORPUS_TABLES
from memory_structure.stored.structure import StoredMemoryStructure
from tests.corpus_cases import SPEC, batch, fetch, lru, page

A, B, C, P, PQ = lru("a.com"), lru("b.com"), lru("c.com"), lru("a.com", "p"), lru("a.com", "p", "q")

WRITER = """
import sys
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.stored.structure import StoredMemoryStructure
from tests.corpus_cases import batch, fetch, lru, page
structure = StoredMemoryStructure(SqliteStorage(sys.argv[1]))
first, n = int(sys.argv[2]), int(sys.argv[3])
for i in range(first, first + n):
    links = [lru(f"site{(i * 7 + j) % 50}.com", f"p{j}") for j in range(20)]
    structure.write_batch(batch(*(page(lru(f"site{i % 50}.com", f"{i}", f"{k}"), *links) for k in range(5))))
    print(i, flush=True)
"""


def corpus_at(path: Path) -> StoredMemoryStructure:
    structure = StoredMemoryStructure(SqliteStorage(path))
    if not structure.list_jobs():
        structure.create_job(SPEC)
    return structure


def writer(path: Path, first: int, n: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(first), str(n)], stdout=subprocess.PIPE, text=True
    )


def dump(structure: StoredMemoryStructure) -> dict[str, list[Any]]:
    return {table.name: list(structure._storage.scan(table)) for table in CORPUS_TABLES}


def test_killed_writer_loses_no_acknowledged_batch(tmp_path: Path) -> None:
    path = tmp_path / "corpus.sqlite"
    corpus_at(path).close()
    chance = random.Random(4)
    first, acknowledged = 0, -1
    for _ in range(4):
        child = writer(path, first, 10_000)
        assert child.stdout is not None
        for line in child.stdout:
            acknowledged = int(line)
            if chance.random() < 0.05:
                break
        child.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *map(int, child.stdout.read().split())])
        child.wait()
        child.stdout.close()
        structure = corpus_at(path)
        for i in range(acknowledged + 1):
            found = structure.find_page(lru(f"site{i % 50}.com", f"{i}", "4"))
            assert found is not None
            assert found.fetch is not None
        assert structure.check() == []
        structure.close()
        first = acknowledged + 1
    assert acknowledged > 0


def test_two_processes_write_one_corpus(tmp_path: Path) -> None:
    path = tmp_path / "corpus.sqlite"
    structure = corpus_at(path)
    children = [writer(path, 0, 40), writer(path, 1000, 40)]
    deadline = time.monotonic() + 60
    while any(child.poll() is None for child in children) and time.monotonic() < deadline:
        entity = structure.find_owner(lru("site1.com"))
        if entity is not None:
            structure.edit_web_entity(entity.web_entity_id, note=f"{time.monotonic()}")
            structure.web_entity_links()
        time.sleep(0.01)
    for child in children:
        assert child.wait() == 0
        assert child.stdout is not None
        child.stdout.close()
    assert structure.counters().n_pages_fetched == 2 * 40 * 5
    assert structure.check() == []
    structure.close()


class Fault(Exception):
    """Raised in the middle of a transaction."""


class FailingTransaction:
    """Hands on to a transaction; raises at one of the calls."""

    def __init__(self, inner: Transaction, left: list[int]) -> None:
        self._inner = inner
        self._left = left

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._inner, name)

        def counted(*arguments: Any, **named: Any) -> Any:
            self._left[0] -= 1
            if self._left[0] == 0:
                raise Fault(name)
            return call(*arguments, **named)

        return counted


class FailingStorage(SqliteStorage):
    """Fails at the n-th call of a transaction when told to."""

    left: list[int] | None = None

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        with super().transaction() as transaction:
            yield transaction if self.left is None else FailingTransaction(transaction, self.left)


EDITS: dict[str, Callable[[StoredMemoryStructure], object]] = {
    "batch": lambda s: s.write_batch(batch(page(A, C, attempts=[fetch(attempt=2)]), page(lru("d.com"), A))),
    "declare": lambda s: s.declare_web_entity([P]),
    "declare pages": lambda s: s.declare_pages([lru("e.com", "x", "y", "z")]),
    "merge": lambda s: s.merge_web_entities(1, 2),
    "delete": lambda s: s.delete_web_entity(1),
    "take": lambda s: s.add_prefixes(1, [B], take=True),
    "rule": lambda s: s.add_rule(CreationRule(A, Preset.parse("path-1"))),
    "apply": lambda s: s.apply_rules(),
    "exception": lambda s: s.add_precision_exceptions([PQ]),
}


@pytest.mark.parametrize("name", EDITS)
def test_rollback_at_any_statement_leaves_everything_as_it_was(tmp_path: Path, name: str) -> None:
    storage = FailingStorage(tmp_path / "corpus.sqlite")
    structure = StoredMemoryStructure(storage, CorpusOptions(precision_limit=1))
    structure.create_job(SPEC)
    structure.write_batch(batch(page(A, P, PQ, B), page(P, PQ), page(B, PQ)))
    structure.add_rule(CreationRule(B, Preset.parse("page")))
    if name == "apply":
        structure.add_rule(CreationRule(A, Preset.parse("path-1")))
    before = dump(structure)
    for n in range(1, 500):
        storage.left = [n]
        try:
            EDITS[name](structure)
        except Fault:
            storage.left = None
            assert dump(structure) == before
            continue
        break
    storage.left = None
    assert n > 5
    assert dump(structure) != before
    structure.write_batch(batch(page(C, A), page(PQ, lru("a.com", "p", "new"))))
    assert structure.check() == []
    structure.close()


def test_full_disk_is_told_and_nothing_is_half_written(tmp_path: Path) -> None:
    storage = SqliteStorage(tmp_path / "corpus.sqlite")
    structure = StoredMemoryStructure(storage)
    structure.create_job(SPEC)
    structure.write_batch(batch(page(A, B)))
    pages = storage._writer.execute("PRAGMA page_count").fetchone()[0]
    storage._writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    before = dump(structure)
    many = batch(page(B, *(lru(f"s{i}.com", "x" * 500) for i in range(300))))
    with pytest.raises(StoreFull, match=r"corpus\.sqlite"):
        structure.write_batch(many)
    assert dump(structure) == before
    storage._writer.execute("PRAGMA max_page_count = 1000000")
    structure.write_batch(many)
    assert structure.check() == []
    structure.close()


def test_lock_held_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "corpus.sqlite"
    corpus_at(path).close()
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    structure = StoredMemoryStructure(SqliteStorage(path))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked, match=r"corpus\.sqlite is locked"):
        structure.write_batch(batch(page(A, B)))
    assert structure.find_page(A) is None
    other.execute("ROLLBACK")
    other.close()
    structure.write_batch(batch(page(A, B)))
    structure.close()


def test_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "corpus.sqlite"
    path.write_bytes(b"no database at all" * 1000)
    with pytest.raises(CorruptCorpus, match=r"corpus\.sqlite"):
        SqliteStorage(path)
    with pytest.raises(StoreError, match="unable to open"):
        SqliteStorage(tmp_path / "absent" / "corpus.sqlite")


def test_streams_do_not_hold_back_the_log(tmp_path: Path) -> None:
    """A reader that stops in the middle keeps no read transaction: the log of writes can be emptied."""
    structure = corpus_at(tmp_path / "corpus.sqlite")
    structure.write_batch(batch(page(A, *(lru("a.com", f"{i:05}") for i in range(5000)))))
    pages, links = structure.iter_pages(), structure.iter_links()
    next(pages)
    next(links)
    scan = structure._storage.scan(CORPUS_TABLES[2])
    next(scan)
    structure.add_log("NOTE", "x")
    other = sqlite3.connect(tmp_path / "corpus.sqlite")
    assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    other.close()
    assert len(list(pages)) == 5000
    structure.close()


def test_threads_share_an_instance(tmp_path: Path) -> None:
    structure = corpus_at(tmp_path / "corpus.sqlite")
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(10):
                site = lru(f"t{number}.com", f"{i}")
                structure.write_batch(batch(page(site, lru(f"t{(number + 1) % 4}.com", f"{i}"))))
                assert structure.find_page(site) is not None
                structure.web_entity_links()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert structure.counters().n_pages_fetched == 40
    assert structure.check() == []
    structure.close()
