"""Yardstick 1: a Scrapy spider as its tutorial teaches, doing the page work of a web-entity crawl.

LinkExtractor, title, text by XPath, an LRU for each link by the plain recipe (urlsplit and the suffix list),
one JSON item a page to a file. Robots on, cookies, retries and referer off, 64 requests at once. Prints one
JSON line: pages, CPU seconds (user + system) and wall seconds since the first answer.

    http_proxy=http://127.0.0.1:8000 python -m benchmarks.yardsticks.stock_spider URLS_FILE PAGES
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.linkextractors import LinkExtractor
from tldextract import TLDExtract

EXTRACT = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def cpu_seconds() -> float:
    """User and system time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def plain_lru(url: str) -> str:
    """The LRU of a URL, the straightforward way."""
    parts = urlsplit(url)
    host = EXTRACT.extract_str(parts.hostname or "")
    stems = [f"s:{parts.scheme}", f"h:{host.suffix}", f"h:{host.domain}"]
    stems += [f"h:{label}" for label in reversed(host.subdomain.split(".")) if label]
    stems += [f"p:{segment}" for segment in parts.path.split("/")[1:]]
    if parts.query:
        stems.append(f"q:{parts.query}")
    return "|".join(stems) + "|"


class StockSpider(scrapy.Spider):
    """Takes `limit` pages, following every link inside the start hosts."""

    name = "stock"

    def __init__(self, urls: list[str], limit: int) -> None:
        super().__init__()
        self.start_urls = urls
        self.allowed_domains = sorted({urlsplit(url).hostname or "" for url in urls})
        self.extractor = LinkExtractor()
        self.limit, self.n_pages, self.began, self.ended = limit, 0, (0.0, 0.0), (0.0, 0.0)

    def parse(self, response: Any) -> Iterator[Any]:
        """Page work, then one request a link."""
        if not self.n_pages:
            self.began = (cpu_seconds(), time.perf_counter())
        self.n_pages += 1
        if self.n_pages == self.limit:
            self.ended = (cpu_seconds(), time.perf_counter())
        if self.n_pages > self.limit:
            raise CloseSpider("limit")
        links = (
            self.extractor.extract_links(response) if isinstance(response, scrapy.http.TextResponse) else []
        )
        text = (
            " ".join(response.xpath("//body//text()[not(parent::script or parent::style)]").getall())
            if links
            else ""
        )
        yield {
            "url": response.url,
            "lru": plain_lru(response.url),
            "title": response.xpath("//title/text()").get() if links else "",
            "text": " ".join(text.split()),
            "links": [(plain_lru(link.url), link.text) for link in links],
        }
        for link in links:
            yield scrapy.Request(link.url, callback=self.parse)

    def closed(self, reason: str) -> None:
        """Print the measurement."""
        ended = self.ended if self.ended[1] else (cpu_seconds(), time.perf_counter())
        spent, wall = ended[0] - self.began[0], ended[1] - self.began[1]
        pages = min(self.n_pages, self.limit)
        print(json.dumps({"pages": pages, "cpu_seconds": spent, "wall_seconds": wall}), flush=True)


def main() -> None:
    """Run the spider."""
    urls = Path(sys.argv[1]).read_text().split()
    with tempfile.TemporaryDirectory() as folder:
        process = CrawlerProcess(
            {
                "CONCURRENT_REQUESTS": 64,
                "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
                "DOWNLOAD_DELAY": 0,
                "ROBOTSTXT_OBEY": True,
                "COOKIES_ENABLED": False,
                "RETRY_ENABLED": False,
                "REFERER_ENABLED": False,
                "TELNETCONSOLE_ENABLED": False,
                "LOG_LEVEL": "CRITICAL",
                "FEEDS": {os.path.join(folder, "items.jsonl"): {"format": "jsonlines"}},
            }
        )
        process.crawl(StockSpider, urls, int(sys.argv[2]))
        process.start()


if __name__ == "__main__":
    main()
