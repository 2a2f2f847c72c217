"""What takes the place of Scrapy's downloader, item processor and signals: their work a page is all overhead.

The frontier counts requests by host and keeps delays, and no middleware is on; so Scrapy's downloader would
queue each request by host once more, in three coroutines. Only documented settings are used (`DOWNLOADER`,
`ITEM_PROCESSOR`) and the interfaces Scrapy states for them.
"""

from __future__ import annotations

import asyncio
import gc
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from pydispatch.dispatcher import Any as EverySender
from pydispatch.dispatcher import connections
from scrapy import signals
from scrapy.pipelines import ItemPipelineManager
from scrapy.signalmanager import SignalManager
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class DirectDownloader:
    """Hands each request to the download handler at once. http and https share one handler."""

    def __init__(self, crawler: Crawler) -> None:
        self.active: set[Request] = set()
        self._limit = crawler.settings.getint("CONCURRENT_REQUESTS")
        handler = load_object(crawler.settings["DOWNLOAD_HANDLERS"]["https"])
        self._handler = build_from_crawler(handler, crawler)
        crawler.signals.connect(self._handler.close, signals.engine_stopped)

    def fetch(self, request: Request) -> Deferred[Response]:
        """A Deferred of the answer."""
        self.active.add(request)
        return Deferred.fromFuture(asyncio.ensure_future(self._fetch(request)))

    async def _fetch(self, request: Request) -> Response:
        try:
            response: Response = await self._handler.download_request(request)
            return response
        finally:
            self.active.discard(request)

    def needs_backout(self) -> bool:
        """Whether as many requests are under way as may be."""
        return len(self.active) >= self._limit

    def close(self) -> None:
        """Nothing to end here: connections are closed when the engine has stopped."""


class DirectItemProcessor(ItemPipelineManager):
    """Scrapy's chain of item pipelines, without a coroutine for each step that needs none."""

    async def process_item_async(self, item: Any) -> Any:
        """What the last pipeline returned."""
        steps: Any = self.methods["process_item"]
        for step in steps:
            item = step(item)
            if isawaitable(item):
                item = await item
        return item


class QuietSignals(SignalManager):
    """Sends only the signals somebody listens to. Scrapy sends several a page, and nobody listens to any."""

    def send_catch_log(self, signal: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """As Scrapy's."""
        return super().send_catch_log(signal, **kwargs) if self._is_heard(signal) else []

    async def send_catch_log_async(self, signal: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """As Scrapy's."""
        return await super().send_catch_log_async(signal, **kwargs) if self._is_heard(signal) else []

    def _is_heard(self, signal: Any) -> bool:
        """Whether a receiver may be connected, by the tables in which the dispatcher would look."""
        if id(EverySender) in connections:
            return True
        ours = connections.get(id(self.sender))
        return ours is not None and (signal in ours or EverySender in ours)


def calm_collector() -> None:
    """Let the collector of cycles look seldom, and never at what start-up made: that stays for good.

    A page makes thousands of objects and hardly any cycle. The collection of everything comes seldom too: it
    would go over the pages that wait to be written again and again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
