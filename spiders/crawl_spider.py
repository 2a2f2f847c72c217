"""The spider behind both commands: asks the session for requests, hands it answers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import scrapy
from scrapy import Request
from twisted.web.http_headers import Headers

from hyphe_core.config import Config, find_config_file, load_config
from hyphe_core.crawl.engine_parts import QuietSignals, calm_collector
from hyphe_core.crawl.keeper import JobKey, Keeper
from hyphe_core.crawl.request_headers import request_headers
from hyphe_core.crawl.session import CrawlSession
from hyphe_core.crawl.supervisor import WATCHES_PARENT
from hyphe_core.crawl.tickets import RobotsTicket, Ticket
from hyphe_core.errors import CallerFault, UsageFault, nearest_name
from memory_structure.errors import MemoryStructureError
from memory_structure.opening import open_registry
from memory_structure.registry import Registry

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure

    from hyphe_core.crawl.job_state import CrawlState
    from hyphe_core.items import DepthItem, PageItem

_STDIN = 0


class CrawlSpider(scrapy.Spider):
    """Knows no page and no job: the frontier decides, the session stores.

    A Request exists only while it is under way. Subclasses say which arguments they take, and which jobs are
    done (`prepare_jobs`).
    """

    known_arguments: ClassVar[tuple[str, ...]] = ()
    crawl_config: Config
    session: CrawlSession
    keeper: Keeper
    _stopping: asyncio.Task[None] | None = None
    _registry: Registry | None = None
    _headers: dict[tuple[str, int, bool], Headers]

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> CrawlSpider:
        """Made by Scrapy, in the running event loop: opens the registry, prepares the jobs."""
        crawler.signals = QuietSignals(crawler)  # before the engine, whose parts keep it
        spider: CrawlSpider = super().from_crawler(crawler, *args, **kwargs)
        config = spider.crawl_config = load_config(find_config_file(os.environ), os.environ)
        try:
            refuse_unknown_arguments(kwargs, cls.known_arguments)
            registry = spider._registry = open_registry(config.data_dir, config.mongodb_uri, config.blob_url)
            only = spider.prepare_jobs(registry)
        except (CallerFault, MemoryStructureError) as error:
            # Anything but an exit would come as a page of traceback, and with code 0.
            raise SystemExit(str(error)) from None
        spider.session = CrawlSession(config, registry)
        spider.keeper = Keeper(spider.session, only=only)
        spider._headers = {}
        return spider

    def prepare_jobs(self, registry: Registry) -> list[JobKey] | None:
        """The jobs to do; None for whatever the queue offers, until stopped."""
        return None

    async def start(self) -> AsyncIterator[Any]:
        """Requests and records, one whenever there is one. Returns only when the worker's life is over."""
        self._listen_to_signals()
        calm_collector()
        self.keeper.start()
        session = self.session
        while not session.is_over:
            item: PageItem | DepthItem | None = session.next_item()
            if item is not None:
                yield item
                continue
            ticket = session.next_ticket()
            if ticket is not None:
                yield self._request(ticket)
            else:
                await session.wait()
        await self.keeper.stop()

    def answered(self, response: Any) -> list[Any]:
        """An answer came."""
        item = self.session.answered(response.request.meta["ticket"], response.answer)
        return [] if item is None else [item]

    def failed(self, failure: Failure) -> list[Any]:
        """No answer came."""
        ticket: Ticket = failure.request.meta["ticket"]  # type: ignore[attr-defined]  # set by Scrapy
        item = self.session.failed(ticket, failure.value or ConnectionError("no answer"))
        return [] if item is None else [item]

    def _request(self, ticket: Ticket) -> Request:
        return Request(
            ticket.url,
            callback=self.answered,
            errback=self.failed,
            meta={
                "ticket": ticket,
                "tx_headers": self._headers_of(ticket),
                "proxy": ticket.job.proxy,
                "verbatim_url": True,
            },
            dont_filter=True,
        )

    def _headers_of(self, ticket: Ticket) -> Headers:
        """The headers of a job's requests, made once; cookies are for pages alone."""
        job: CrawlState = ticket.job
        is_robots = isinstance(ticket, RobotsTicket)
        key = (job.corpus_id, job.job_id, is_robots)
        headers: Headers | None = self._headers.get(key)
        if headers is None:
            if len(self._headers) > 5000:
                self._headers.clear()
            cookies = "" if is_robots else job.spec.cookies
            headers = self._headers[key] = request_headers(job.agent, job.proxy, cookies)
        return headers

    def _listen_to_signals(self) -> None:
        """SIGTERM and SIGINT end the worker in order; Scrapy's own handlers would wait for every request."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        if os.environ.get(WATCHES_PARENT):
            loop.add_reader(_STDIN, self._hear_parent)

    def _hear_parent(self) -> None:
        """Standard input ends when the process that started this worker is gone: nobody would end it then."""
        if not os.read(_STDIN, 1):
            asyncio.get_running_loop().remove_reader(_STDIN)
            self._stop()

    def _stop(self) -> None:
        if self._stopping is None:
            self._stopping = asyncio.ensure_future(self.keeper.stop())

    def closed(self, reason: str) -> None:
        """Release the stores and end the children of parsers."""
        session: CrawlSession | None = getattr(self, "session", None)
        if session is not None:
            session.close()
        if self._registry is not None:
            self._registry.close()


def refuse_unknown_arguments(given: Iterable[str], known: Sequence[str]) -> None:
    """Raise UsageFault for an argument of the command line that the spider does not take."""
    for name in sorted(set(given).difference(known)):
        near = nearest_name(name, known) if known else "; none is accepted"
        raise UsageFault(f"unknown argument {name!r}{near}")
