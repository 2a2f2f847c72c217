"""`scrapy crawl web_entity -a url=URL -a depth=1 [-a corpus=NAME]`: crawls web entities with no server."""

from __future__ import annotations

from typing import Any

from hyphe_core.crawl.foreground import count_failed, log_ends, prepare_crawls
from hyphe_core.crawl.keeper import JobKey
from memory_structure.registry import Registry
from spiders.crawl_spider import CrawlSpider


class WebEntitySpider(CrawlSpider):
    """Declares an entity for each URL (several are separated by spaces), launches their crawls and does them.

    Arguments: `url`, `depth` (1), `corpus` (made when new; named after the first host by default),
    `max_pages`.
    """

    name = "web_entity"
    known_arguments = ("url", "depth", "corpus", "max_pages")

    def __init__(
        self, url: str = "", depth: str = "1", corpus: str = "", max_pages: str = "", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._arguments = (url, depth, corpus, max_pages)
        self._jobs: list[JobKey] = []

    def prepare_jobs(self, registry: Registry) -> list[JobKey]:
        """The jobs of the URLs given."""
        url, depth, corpus, max_pages = self._arguments
        self._jobs = prepare_crawls(
            registry, self.crawl_config, url.split(), depth=depth, corpus=corpus, max_pages=max_pages
        )
        return self._jobs

    def closed(self, reason: str) -> None:
        """Say how the jobs ended, then release the stores. When one failed, so does the command."""
        if self._registry is not None:
            log_ends(self._registry, self._jobs)
            if count_failed(self._registry, self._jobs):
                self.crawler.spider = None  # the command exits with 1 when a crawl ends without its spider
        super().closed(reason)
