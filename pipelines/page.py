"""Gathers pages into batches: one transaction a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hyphe_core import clock
from hyphe_core.crawl.batches import PendingBatch
from hyphe_core.items import DepthItem, PageItem

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class PagePipeline:
    """Puts pages and depth changes in the buffer of their corpus, and passes a batch on when it is full.

    Batches that are old instead of full, and the last ones, are cut by the session's timer. The tree of
    LRUs, nodes and new web
    entities of a batch are made in the store's transaction, against the prefixes and rules of that moment.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PagePipeline:
        """Made by Scrapy."""
        return cls(crawler)

    def open_spider(self) -> None:
        """The session comes with the spider."""
        self._session: Any = self._crawler.spider.session  # type: ignore[union-attr]

    def process_item(self, item: Any) -> PendingBatch | None:
        """A batch when this page filled it, else None."""
        if isinstance(item, PageItem):
            full: PendingBatch | None = self._session.buffer.add_page(
                item.corpus_id, item.page, clock.monotonic()
            )
            return full
        if isinstance(item, DepthItem):
            self._session.add_change(item.corpus_id, item.change)
        return None
