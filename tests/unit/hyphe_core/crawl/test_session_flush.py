"""A flush ends when all a corpus has to store is stored, records made without a request among it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyphe_core import clock
from hyphe_core.config import load_config
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.ledger import Record
from hyphe_core.crawl.session import CrawlSession
from hyphe_core.items import DepthItem, PageItem
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.records import (
    Batch,
    DepthChange,
    Fetch,
    FetchedPage,
    FetchError,
)
from memory_structure.registry import Registry
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import UrlCutter
from tests.unit.hyphe_core.crawl.simulation import EPOCH, spec_of

LRU = "s:http|h:example|h:site|p:a|"


def stored(registry: Registry) -> MemoryStructure:
    return registry.open_structure("c")


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    registry = open_registry(tmp_path)
    registry.create_corpus("c", CorpusOptions())
    stored(registry).declare_pages([LRU])
    stored(registry).create_job(spec_of("http://site.example/a"))
    yield registry
    registry.close()


def job_of(corpus_id: str) -> CrawlState:
    return CrawlState(corpus_id, 1, spec_of("http://site.example/a"), UrlCutter(), agent="a/1")


def page_of(depth: int = 0) -> FetchedPage:
    return FetchedPage(LRU, (Fetch(1, EPOCH, depth=depth, error=FetchError.ROBOTS),))


class SlowSpider:
    """Takes records as the spider does, late; they come through the pipelines some turns later."""

    def __init__(self, session: CrawlSession) -> None:
        self.session = session
        self.n_brought = 0

    async def run(self) -> None:
        while True:
            await asyncio.sleep(0.01)  # the engine is busy elsewhere
            item = self.session.next_item()
            if item is None:
                await self.session.wait()
                continue
            await asyncio.sleep(0.01)
            self.bring(item)

    def bring(self, item: PageItem | DepthItem) -> None:
        self.n_brought += 1
        if isinstance(item, PageItem):
            self.session.buffer.add_page(item.corpus_id, item.page, clock.monotonic())
        else:
            self.session.add_change(item.corpus_id, item.change)


def flushed(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, *rounds: list[Record], seconds: float = 20
) -> SlowSpider:
    """Flush corpus c, whose frontier gives a list of records each time it is asked, then none."""

    async def work() -> SlowSpider:
        session = CrawlSession(load_config(None, {}), registry)
        given = iter(rounds)
        monkeypatch.setattr(session.frontier, "take_records", lambda: next(given, []))
        spider = SlowSpider(session)
        running = asyncio.ensure_future(spider.run())
        await asyncio.wait_for(session.flush("c"), seconds)
        running.cancel()
        session.writer.close()
        return spider

    return asyncio.run(work())


def test_a_page_refused_without_a_request_is_stored(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed(registry, monkeypatch, [Record(job_of("c"), page_of(), None)])
    (page,) = stored(registry).iter_pages(only_fetched=True)
    assert page.fetch is not None
    assert page.fetch.error is FetchError.ROBOTS


def test_a_change_of_depth_on_its_way_is_stored(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(registry).write_batch(Batch((page_of(depth=3),)))
    flushed(registry, monkeypatch, [Record(job_of("c"), None, DepthChange(1, LRU, 1))])
    (page,) = stored(registry).iter_pages(only_fetched=True)
    assert page.fetch is not None
    assert page.fetch.depth == 1


def test_records_made_meanwhile_are_not_waited_for(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [Record(job_of("c"), page_of(), None)]
    later = [[Record(job_of("other"), page_of(), None)] for _ in range(200)]
    spider = flushed(registry, monkeypatch, first, *later)
    assert 1 <= spider.n_brought < 100


def test_nothing_is_waited_for_at_the_end_of_the_worker(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        session = CrawlSession(load_config(None, {}), registry)
        records = [Record(job_of("c"), page_of(), None)]
        monkeypatch.setattr(session.frontier, "take_records", lambda: records)
        session.is_over = True
        await asyncio.wait_for(session.flush("c"), 20)
        session.writer.close()

    asyncio.run(work())
