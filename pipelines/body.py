"""Keeps original bodies, named by their digest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hyphe_core.items import PageItem

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class BodyPipeline:
    """Puts the body of a page beside the batch that will name it; both are written together, the body
    first."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> BodyPipeline:
        """Made by Scrapy."""
        return cls(crawler)

    def open_spider(self) -> None:
        """The session comes with the spider."""
        self._session: Any = self._crawler.spider.session  # type: ignore[union-attr]

    def process_item(self, item: Any) -> Any:
        """Hand the body over; the item goes on as it is."""
        if isinstance(item, PageItem) and item.content:
            digest = item.page.fetch.digest
            if digest is not None:
                self._session.buffer.add_body(item.corpus_id, digest, item.content)
        return item
