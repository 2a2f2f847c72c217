"""`scrapy crawl worker`: serves the crawl jobs of the queue until it is stopped."""

from __future__ import annotations

from spiders.crawl_spider import CrawlSpider


class WorkerSpider(CrawlSpider):
    """One worker process: many jobs at once, politeness shared between them."""

    name = "worker"
