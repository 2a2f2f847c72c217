"""What stands in for Scrapy's downloader, item processor and signals."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydispatch import dispatcher
from scrapy import Request, signals
from scrapy.http import Response
from scrapy.settings import Settings

from hyphe_core.crawl.engine_parts import DirectDownloader, DirectItemProcessor, QuietSignals


class FakeHandler:
    """Answers when told to."""

    lazy = False

    def __init__(self) -> None:
        self.answers: dict[str, asyncio.Future[Response]] = {}

    async def download_request(self, request: Request) -> Response:
        self.answers[request.url] = asyncio.get_running_loop().create_future()
        return await self.answers[request.url]

    async def close(self) -> None:
        return None


class FakeCrawler:
    def __init__(self, **settings: Any) -> None:
        self.settings = Settings(settings)
        self.signals = QuietSignals(self)
        self.spider = None


class Counting:
    def process_item(self, item: Any) -> Any:
        return item + 1


class Slow:
    async def process_item(self, item: Any) -> Any:
        await asyncio.sleep(0)
        return item * 10


def a_downloader(limit: int) -> DirectDownloader:
    crawler = FakeCrawler(CONCURRENT_REQUESTS=limit, DOWNLOAD_HANDLERS={"https": FakeHandler})
    return DirectDownloader(crawler)  # type: ignore[arg-type]


def test_downloads_run_side_by_side_up_to_the_limit() -> None:
    async def scenario() -> None:
        downloader = a_downloader(2)
        handler: Any = downloader._handler
        first = downloader.fetch(Request("http://a.org/1"))
        assert not downloader.needs_backout()
        second = downloader.fetch(Request("http://a.org/2"))
        assert downloader.needs_backout()
        await asyncio.sleep(0)
        handler.answers["http://a.org/2"].set_result(Response("http://a.org/2"))
        assert (await second.asFuture(asyncio.get_running_loop())).url == "http://a.org/2"
        assert not downloader.needs_backout()
        handler.answers["http://a.org/1"].set_exception(OSError("gone"))
        with pytest.raises(OSError, match="gone"):
            await first.asFuture(asyncio.get_running_loop())
        assert not downloader.active

    asyncio.run(scenario())


def test_items_go_through_plain_and_waiting_pipelines_in_order() -> None:
    processor = DirectItemProcessor(Counting(), Slow(), Counting(), crawler=FakeCrawler())  # type: ignore[arg-type]
    assert asyncio.run(processor.process_item_async(1)) == 21


def test_signals_reach_those_who_listen() -> None:
    quiet = QuietSignals(FakeCrawler())
    heard: list[str] = []

    def listen(spider: str) -> None:
        heard.append(spider)

    quiet.send_catch_log(signals.response_received, spider="before")
    quiet.connect(listen, signals.response_received)
    quiet.send_catch_log(signals.response_received, spider="one")
    asyncio.run(quiet.send_catch_log_async(signals.response_received, spider="two"))
    quiet.send_catch_log(signals.item_scraped, spider="other signal")
    quiet.disconnect(listen, signals.response_received)
    quiet.send_catch_log(signals.response_received, spider="after")
    assert heard == ["one", "two"]


def test_signals_reach_those_who_listen_to_all_senders() -> None:
    quiet = QuietSignals(FakeCrawler())
    heard: list[str] = []

    def listen(spider: str) -> None:
        heard.append(spider)

    dispatcher.connect(listen, signals.response_received, sender=dispatcher.Any)
    try:
        quiet.send_catch_log(signals.response_received, spider="one")
    finally:
        dispatcher.disconnect(listen, signals.response_received, sender=dispatcher.Any)
    assert heard == ["one"]
