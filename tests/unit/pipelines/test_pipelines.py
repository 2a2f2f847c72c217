"""The way of an item through the three pipelines, in the order of the settings."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from hyphe_core import settings
from hyphe_core.crawl.batches import BatchBuffer, PendingBatch
from hyphe_core.items import DepthItem, PageItem
from memory_structure.records import DepthChange, Fetch, FetchedPage
from pipelines.body import BodyPipeline
from pipelines.memory import MemoryStructurePipeline
from pipelines.page import PagePipeline

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Session:
    """What the pipelines use of a session."""

    def __init__(self, batch_pages: int) -> None:
        self.buffer = BatchBuffer(batch_pages, 1.0)
        self.written: list[PendingBatch] = []
        self.is_closed = False
        self.writer = SimpleNamespace(submit=self.written.append, close=self._close)

    def _close(self) -> None:
        self.is_closed = True

    def add_change(self, corpus_id: str, change: DepthChange) -> None:
        self.buffer.add_change(corpus_id, change, 0.0)

    async def flush(self, corpus_id: str) -> None:
        pending = self.buffer.take(corpus_id, 0.0)
        if pending is not None:
            self.written.append(pending)


def opened(session: Session) -> list[Any]:
    crawler: Any = SimpleNamespace(spider=SimpleNamespace(session=session))
    made: list[Any] = [
        kind.from_crawler(crawler) for kind in (BodyPipeline, PagePipeline, MemoryStructurePipeline)
    ]
    for pipeline in made:
        pipeline.open_spider()
    return made


def pass_through(pipelines: list[Any], item: Any) -> None:
    for pipeline in pipelines:
        item = pipeline.process_item(item)


def page_item(name: str, content: bytes = b"", digest: str | None = None) -> PageItem:
    page = FetchedPage(name, (Fetch(1, NOW, status=200, digest=digest),))
    return PageItem(name, content, (), "corpus", page)


def test_settings_put_bodies_before_pages_before_the_store() -> None:
    names = sorted(settings.ITEM_PIPELINES, key=settings.ITEM_PIPELINES.__getitem__)
    assert [name.rpartition(".")[2] for name in names] == [
        "BodyPipeline",
        "PagePipeline",
        "MemoryStructurePipeline",
    ]


def test_pages_become_one_batch_with_the_bodies_it_names() -> None:
    session = Session(2)
    pipelines = opened(session)
    pass_through(pipelines, page_item("a", b"body", "d1"))
    assert session.written == []
    pass_through(pipelines, page_item("b"))
    (pending,) = session.written
    assert [page.lru for page in pending.batch.pages] == ["a", "b"]
    assert [(body.digest, body.content) for body in pending.bodies] == [("d1", b"body")]


def test_a_change_of_depth_goes_with_the_next_batch() -> None:
    session = Session(1)
    pipelines = opened(session)
    pass_through(pipelines, DepthItem("corpus", DepthChange(1, "x", 0)))
    assert session.written == []
    pass_through(pipelines, page_item("a"))
    assert session.written[0].batch.depth_changes == (DepthChange(1, "x", 0),)


def test_what_is_left_is_written_when_the_spider_closes() -> None:
    session = Session(100)
    pipelines = opened(session)
    pass_through(pipelines, page_item("a"))
    asyncio.run(pipelines[2].close_spider())
    assert [page.lru for page in session.written[0].batch.pages] == ["a"]
    assert session.is_closed
