"""Pages on their way to the store, and a store that is away or broken."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from hyphe_core.crawl.batches import BatchBuffer, Body, PendingBatch
from hyphe_core.crawl.store_writer import StoreWriter
from memory_structure.errors import StoreFull, StoreUnreachable
from memory_structure.records import Batch, DepthChange, Fetch, FetchedPage
from tests.unit.hyphe_core.crawl.simulation import EPOCH


def page(name: str) -> FetchedPage:
    return FetchedPage(name, (Fetch(1, EPOCH, status=200),))


def test_a_batch_is_cut_when_full_by_pages_or_bytes() -> None:
    buffer = BatchBuffer(3, 1.0)
    assert buffer.add_page("c", page("a"), 0.0) is None
    assert buffer.add_page("c", page("b"), 0.0) is None
    full = buffer.add_page("c", page("c"), 0.0)
    assert full is not None
    assert [p.lru for p in full.batch.pages] == ["a", "b", "c"]
    buffer.add_body("c", "d1", bytes(17_000_000))
    heavy = buffer.add_page("c", page("d"), 0.0)
    assert heavy is not None
    assert [body.digest for body in heavy.bodies] == ["d1"]


def test_a_batch_is_cut_when_old() -> None:
    buffer = BatchBuffer(100, 1.0)
    buffer.add_page("c", page("a"), 10.0)
    buffer.add_page("d", page("b"), 10.5)
    assert [pending.corpus_id for pending in buffer.iter_due(10.9)] == []
    assert [pending.corpus_id for pending in buffer.iter_due(11.0)] == ["c"]
    assert [pending.corpus_id for pending in buffer.iter_due(11.5)] == ["d"]


def test_a_change_of_depth_waits_for_its_page() -> None:
    buffer = BatchBuffer(100, 1.0)
    buffer.expect("c", page("a"))
    buffer.add_change("c", DepthChange(1, "a", 0), 0.0)
    buffer.add_change("c", DepthChange(1, "z", 0), 0.0)
    first = buffer.take("c", 0.0)
    assert first is not None
    assert [change.lru for change in first.batch.depth_changes] == ["z"]
    assert buffer.is_underway("c")
    buffer.add_page("c", page("a"), 0.0)
    assert not buffer.is_underway("c")
    second = buffer.take("c", 0.0)
    assert second is not None
    assert [change.lru for change in second.batch.depth_changes] == ["a"]


def test_a_change_announced_is_under_way_until_it_comes() -> None:
    buffer = BatchBuffer(100, 1.0)
    buffer.expect_change("c", DepthChange(1, "a", 0))
    assert buffer.is_underway("c")
    assert buffer.list_corpora() == ["c"]
    buffer.add_change("c", DepthChange(1, "a", 0), 0.0)
    assert not buffer.is_underway("c")
    cut = buffer.take("c", 0.0)
    assert cut is not None
    assert cut.batch.depth_changes == (DepthChange(1, "a", 0),)


class Store:
    """A corpus whose calls fail as told, then succeed."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.calls: list[object] = []
        self.structure = SimpleNamespace(write_batch=self._do)
        self.blobs = SimpleNamespace(put_many=self._do)

    def _do(self, call: object) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.calls.append(call)


async def write(store: Store, *pendings: PendingBatch) -> tuple[StoreWriter, list[tuple[str, str]]]:
    faults: list[tuple[str, str]] = []
    corpora: Any = SimpleNamespace(get=lambda corpus_id: store)
    writer = StoreWriter(corpora, lambda corpus_id, words: faults.append((corpus_id, words)))
    for pending in pendings:
        writer.submit(pending)
    await writer.flush("c")
    await asyncio.sleep(0)
    writer.close()
    return writer, faults


def test_bodies_are_written_before_the_batch_that_names_them() -> None:
    store = Store()
    batch = Batch((page("a"),))
    writer, faults = asyncio.run(write(store, PendingBatch("c", batch, (Body("d", b"x"),))))
    assert store.calls == [(("d", b"x"),), batch]
    assert (writer.n_waiting_pages, writer.n_stored_pages, faults) == (0, 1, [])


def test_an_unreachable_store_is_waited_for() -> None:
    store = Store(StoreUnreachable("away"), StoreUnreachable("still away"))
    batch = Batch((page("a"),))
    writer, faults = asyncio.run(write(store, PendingBatch("c", batch)))
    assert store.calls == [batch]
    assert faults == []
    assert not writer.is_waiting_for_store


def test_a_full_store_ends_the_crawl_of_its_corpus_once() -> None:
    store = Store(StoreFull("no space left"))
    batch = Batch((page("a"),))
    writer, faults = asyncio.run(write(store, PendingBatch("c", batch)))
    assert faults == [("c", "the store failed: StoreFull: no space left")]
    assert writer.n_waiting_pages == 0
    assert store.calls == []
