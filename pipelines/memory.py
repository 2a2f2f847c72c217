"""Writes batches to the memory structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hyphe_core.crawl.batches import PendingBatch

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class MemoryStructurePipeline:
    """Submits each batch to the writer, which makes one transaction of it; writes what is left when the
    spider closes."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> MemoryStructurePipeline:
        """Made by Scrapy."""
        return cls(crawler)

    def open_spider(self) -> None:
        """The session comes with the spider."""
        self._session: Any = self._crawler.spider.session  # type: ignore[union-attr]

    def process_item(self, item: Any) -> None:
        """Submit a batch; anything else was taken on the way."""
        if isinstance(item, PendingBatch):
            self._session.writer.submit(item)

    async def close_spider(self) -> None:
        """Write what is left, and end the writer's threads."""
        for corpus_id in self._session.buffer.list_corpora():
            await self._session.flush(corpus_id)
        self._session.writer.close()
