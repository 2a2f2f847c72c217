"""Decisions about the store. A test for each, by its name."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard
from pymongo import MongoClient

from hyphe_core.config import Config
from memory_structure.backends.mongodb import MongoStorage
from memory_structure.backends.mongodb_commit import CommitStep
from memory_structure.backends.sqlite import BUSY_SECONDS, SqliteStorage
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import PrefixTaken
from memory_structure.prefixes import variations
from memory_structure.storage import Storage
from memory_structure.stored.structure import StoredMemoryStructure
from tests.corpus_cases import SPEC, batch, fetch, lru, page
from tests.decisions.conftest import MakeCrawl
from tests.decisions.small_crawl import SmallCrawl, html, moved
from tests.decisions.stored_result import result_of
from tests.mongodb_server import MongoServer, fresh_database_name

ROOT = Path(__file__).parents[2]
HOME = "http://site.example"

_WRITER = """
import os, signal, sys
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.stored.structure import StoredMemoryStructure
from tests.corpus_cases import SPEC, batch, lru, page
structure = StoredMemoryStructure(SqliteStorage(sys.argv[1]))
structure.create_job(SPEC)
structure.write_batch(batch(page(lru("a.com"), lru("b.com"))))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_sqlite(tmp_path: Path) -> None:
    """BEGIN IMMEDIATE, a busy timeout of 30 s, synchronous NORMAL or FULL by option; readers do not wait."""
    path = tmp_path / "corpus.sqlite"
    normal, full = SqliteStorage(path), SqliteStorage(path, full_durability=True)
    levels = [s._writer.execute("PRAGMA synchronous").fetchone()[0] for s in (normal, full)]
    assert levels == [1, 2]
    busy = [s._writer.execute("PRAGMA busy_timeout").fetchone()[0] for s in (normal, full)]
    assert busy == [30_000, 30_000]
    assert BUSY_SECONDS == 30.0
    structure = StoredMemoryStructure(normal)
    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    with normal.transaction():
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        assert structure.counters().n_pages == 0
    other.execute("BEGIN IMMEDIATE")
    other.execute("ROLLBACK")
    other.close()
    full.close()
    normal.close()
    assert Config().batch_pages <= 100, "what keeps a write transaction short"


def test_sqlite_keeps_what_it_acknowledged_when_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "corpus.sqlite"
    done = subprocess.run([sys.executable, "-c", _WRITER, str(path)], cwd=ROOT, timeout=60)
    assert done.returncode == -signal.SIGKILL
    structure = StoredMemoryStructure(SqliteStorage(path))
    assert [p.lru for p in structure.iter_pages()] == [lru("a.com"), lru("b.com")]
    assert structure.check() == []
    structure.close()


@contextmanager
def mongo_structure(server: MongoServer) -> Iterator[tuple[str, StoredMemoryStructure]]:
    """A corpus in a database of its own; the name of the database."""
    database = fresh_database_name()
    storage = MongoStorage(server.uri, database)
    yield database, StoredMemoryStructure(storage)
    storage.destroy()


class Interrupted(Exception):
    """The writer ends here."""


def test_mongodb(mongodb_server: MongoServer) -> None:
    """The batch is written to the journal first; one that was decided and not applied is replayed by who
    opens next, one that was not decided never happened."""
    with mongo_structure(mongodb_server) as (database, structure):
        structure.create_job(SPEC)
        for step, n_pages in ((CommitStep.DECIDE, 0), (CommitStep.APPLY, 2)):
            interrupted = interrupted_at(mongodb_server, database, step)
            with pytest.raises(Interrupted):
                StoredMemoryStructure(interrupted).write_batch(batch(page(lru("a.com"), lru("b.com"))))
            interrupted.close()
            again = StoredMemoryStructure(MongoStorage(mongodb_server.uri, database, lease_seconds=1.0))
            assert again.counters().n_pages == n_pages
            assert again.check() == []
            again.close()
        report = structure.write_batch(batch(page(lru("a.com"), lru("b.com"))))
        assert (report.n_pages_stored, report.n_pages_known) == (0, 1), "known by its key"


def interrupted_at(server: MongoServer, database: str, step: CommitStep) -> MongoStorage:
    def on_step(here: CommitStep) -> None:
        if here is step:
            raise Interrupted

    return MongoStorage(server.uri, database, on_step=on_step, lease_seconds=1.0)


def test_mongodb_gives_a_prefix_one_owner_by_a_unique_key(mongodb_server: MongoServer) -> None:
    with mongo_structure(mongodb_server) as (database, one):
        other = StoredMemoryStructure(MongoStorage(mongodb_server.uri, database))
        owner = one.declare_web_entity([lru("a.com")])
        with pytest.raises(PrefixTaken):
            other.declare_web_entity([lru("a.com")])
        with MongoClient[dict[str, object]](mongodb_server.uri) as client:
            (stored,) = client[database]["prefixes"].find()
        assert (stored["_id"], owner.web_entity_id) == (lru("a.com"), 1)
        other.close()


def test_mongodb_computes_aggregates_anew_for_each_source_page(mongodb_server: MongoServer) -> None:
    with mongo_structure(mongodb_server) as (_, structure):
        structure.create_job(SPEC)
        for number, targets in enumerate((["b.com", "c.com"], ["b.com"], ["b.com", "d.com"]), 1):
            written = batch(page(lru("a.com"), *map(lru, targets), attempts=[fetch(attempt=number)]))
            for _ in range(2):
                structure.write_batch(written)
            linked = {
                frozenset(structure.get_web_entity(link.target_id).prefixes)
                for link in structure.web_entity_links()
            }
            assert linked == {frozenset(variations(lru(target))) for target in targets}
            assert {link.weight for link in structure.web_entity_links()} == {1}
            assert structure.check() == []


def test_entity_ids(tmp_path: Path) -> None:
    """Whole numbers from 1, never used twice, also after deletions and restarts (and restores: see the suite
    of backups)."""
    path = tmp_path / "corpus.sqlite"
    structure = StoredMemoryStructure(SqliteStorage(path))
    made = [structure.declare_web_entity([lru(f"{name}.com")]).web_entity_id for name in "abc"]
    assert made == [1, 2, 3]
    structure.delete_web_entity(3)
    structure.close()
    one, other = (StoredMemoryStructure(SqliteStorage(path)) for _ in range(2))
    assert one.declare_web_entity([lru("d.com")]).web_entity_id == 4
    assert other.declare_web_entity([lru("e.com")]).web_entity_id == 5
    kept = StoredMemoryStructure(SqliteStorage(path))
    assert [e.web_entity_id for e in kept.list_web_entities()] == [1, 2, 4, 5]
    assert kept.declare_web_entity([lru("f.com")]).web_entity_id == 6
    for opened in (one, other, kept):
        opened.close()


def crawled(make_crawl: MakeCrawl, *, late: str = "") -> SmallCrawl:
    """The same web, with one page answering last."""
    names = {
        "a": html("/c", "http://one.example/x"),
        "b": html("/c", "http://two.example/"),
        "c": html("/d", "http://one.example/y"),
        "d": moved("http://three.example/"),
    }
    web = {HOME: html("/a", "/b")} | {f"{HOME}/{name}": reply for name, reply in names.items()}
    if late:
        reply = web[f"{HOME}/{late}"]
        web[f"{HOME}/{late}"] = type(reply)(reply.body, reply.status, reply.headers, seconds=50.0)
    crawl = make_crawl(web)
    crawl.structure.add_rule(CreationRule(lru("one.example"), Preset.parse("path-1")))
    crawl.crawl(HOME, depth=3, per_host=4)
    return crawl


def test_identical_results(make_crawl: MakeCrawl, tmp_path: Path, mongodb_server: MongoServer) -> None:
    """Two crawls are equal once ids are replaced by smallest prefixes and times dropped, whatever the order
    of answers; backends are compared by replaying the same recorded batches."""
    first, second = crawled(make_crawl), crawled(make_crawl, late="a")
    owners = [[e.prefixes for e in c.structure.list_web_entities()] for c in (first, second)]
    assert owners[0] != owners[1], "ids differ, so that the comparison has something to forget"
    assert result_of(first.structure) == result_of(second.structure)
    storages: list[Storage] = [
        SqliteStorage(tmp_path / "replayed.sqlite"),
        MongoStorage(mongodb_server.uri, fresh_database_name()),
    ]
    replayed = [replay(first, storage) for storage in storages]
    links = [list(structure.iter_links()) for structure in replayed]
    pages = [list(structure.iter_pages()) for structure in replayed]
    assert links[0] == links[1]
    assert pages[0] == pages[1]
    assert result_of(replayed[0]).pages == result_of(first.structure).pages
    for storage in storages:
        storage.destroy()


def replay(crawl: SmallCrawl, storage: Storage) -> StoredMemoryStructure:
    """A corpus made of the batches that a crawl wrote."""
    structure = StoredMemoryStructure(storage)
    structure.add_rule(CreationRule(lru("one.example"), Preset.parse("path-1")))
    structure.create_job(SPEC)
    for written in crawl.batches:
        structure.write_batch(written)
    return structure


def test_text_and_search(make_crawl: MakeCrawl) -> None:
    """The text of pages lies compressed in a table of its own; where there is no full-text index, nothing
    promises one."""
    crawl = make_crawl({HOME: html(body="<p>une phrase</p><script>not text</script>")})
    crawl.crawl(HOME)
    text = crawl.structure.find_text("s:http|h:example|h:site|")
    assert text is not None
    assert "une phrase" in text
    assert "not text" not in text
    database = sqlite3.connect(next(crawl.folder.glob("corpora/*/corpus.sqlite")))
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    ((packed,),) = database.execute("SELECT text FROM texts").fetchall()
    columns = [row[1] for row in database.execute("PRAGMA table_info(pages)")]
    database.close()
    assert zstandard.ZstdDecompressor().decompress(packed).decode() == text
    assert "text" not in columns
    has_index = any("fts" in table for table in tables)
    told = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    promised = [p.name for p in told if re.search(r"full[- ]text (search|index)|fts5", p.read_text(), re.I)]
    assert has_index or not promised
