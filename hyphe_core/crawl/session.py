"""A worker at work: the frontier, the stores and the registry brought together in one event loop.

The spider asks it for the next request or record, hands it answers, and waits on it; the pipelines hand it
pages to be
written. Everything that may block (store, registry) runs in threads.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from datetime import datetime
from typing import Final

from hyphe_core import clock
from hyphe_core.config import Config
from hyphe_core.crawl.batches import BatchBuffer
from hyphe_core.crawl.child_parsing import ChildParsing
from hyphe_core.crawl.corpora import OpenCorpora
from hyphe_core.crawl.failures import classify_failure
from hyphe_core.crawl.frontier import Frontier
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.ledger import Record
from hyphe_core.crawl.page_work import Answer, PageReader, Reading, failed_outcome
from hyphe_core.crawl.parse_work import ParserShelf, stylesheets_folder
from hyphe_core.crawl.restore import list_expansions
from hyphe_core.crawl.robots import agent_token
from hyphe_core.crawl.robots_answers import read_robots_answer, robots_failure
from hyphe_core.crawl.store_writer import StoreWriter
from hyphe_core.crawl.tickets import Outcome, RobotsTicket, Ticket
from hyphe_core.items import DepthItem, PageItem
from memory_structure.records import DepthChange, EndReason, FetchedPage, FetchError
from memory_structure.registry import Registry

_LOG: Final = logging.getLogger(__name__)
_MAX_WAITING_BATCHES: Final = 4


class CrawlSession:
    """What spider, pipelines and keeper of one worker share. Made and used in the event loop."""

    def __init__(self, config: Config, registry: Registry, *, needs_lease: bool = True) -> None:
        self.config = config
        self.registry = registry
        self.frontier = Frontier(max_in_flight=config.n_in_flight, needs_lease=needs_lease)
        self._shelf = ParserShelf(stylesheets_folder(config))
        self.corpora = OpenCorpora(registry, self._shelf)
        self.buffer = BatchBuffer(config.batch_pages, config.batch_seconds)
        self.writer = StoreWriter(self.corpora, self._store_failed)
        self._reader = PageReader(self._shelf.get(), agent_token(config.user_agent))
        self.parsing = ChildParsing(self._parsed)
        self._parsed_items: deque[PageItem] = deque()
        self._records: deque[Record] = deque()
        self._n_taken = 0
        self.tickets: set[Ticket] = set()
        self._waiter: asyncio.Future[None] | None = None
        self.is_stopping = False
        self.is_over = False
        self.n_pages = 0

    # -- for the spider

    def next_item(self) -> PageItem | DepthItem | None:
        """A record to store that needed no request, or a page that was parsed meanwhile."""
        if self._parsed_items:
            return self._parsed_items.popleft()
        if not self._records:
            self._records.extend(self.frontier.take_records())
        while self._records:
            job, page, change = self._records.popleft()
            self._n_taken += 1
            if page is not None:
                return self._item(job, page, b"")
            if change is not None:
                self.buffer.expect_change(job.corpus_id, change)
                return DepthItem(job.corpus_id, change)
        return None

    def next_ticket(self) -> Ticket | None:
        """A request to make now."""
        if self.is_stopping or self.writer.n_waiting_pages > _MAX_WAITING_BATCHES * self.config.batch_pages:
            return None
        if self.parsing.is_full:
            return None
        ticket = self.frontier.next_ticket()
        if ticket is not None:
            self.tickets.add(ticket)
        return ticket

    async def wait(self) -> None:
        """Return when there may be something to do again."""
        if self.is_over:
            return
        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        wake = None if self.is_stopping else self.frontier.next_wake()
        delay = None if wake is None else max(0.0, wake - self.frontier.clock())
        timer = None if delay is None else loop.call_later(delay, self.wake)
        try:
            await waiter
        finally:
            self._waiter = None
            if timer is not None:
                timer.cancel()

    def wake(self) -> None:
        """Something happened: the spider looks again."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def answered(self, ticket: Ticket, answer: Answer) -> PageItem | None:
        """Take an answer; the page to store, if any: one that a child process parses comes later as a record
        does. Never raises for what the web sent."""
        self._release(ticket)
        now = self.frontier.utc_now()
        if isinstance(ticket, RobotsTicket):
            self.frontier.settle_robots(ticket, read_robots_answer(ticket.errand, answer, now))
            return None
        if ticket.job.ended is not None:
            self.frontier.abandon(ticket)
            return None
        corpus = self.corpora.get(ticket.job.corpus_id)
        reading = self._reader.open(ticket, answer, corpus.keeping)
        if reading.needs_child:
            self.parsing.submit(reading, now)
            return None
        if reading.document is not None:
            reading.parse()
        return self._settle(ticket, self._reader.close(reading, now))

    def _parsed(self, reading: Reading, answered_at: datetime) -> None:
        ticket = reading.ticket
        if ticket.cancelled or ticket.job.ended is not None:
            self.frontier.abandon(ticket)
        else:
            item = self._settle(ticket, self._reader.close(reading, answered_at))
            if item is not None:
                self._parsed_items.append(item)
        self.wake()

    def failed(self, ticket: Ticket, error: BaseException) -> PageItem | None:
        """Take a failure; the page to store, if any."""
        self._release(ticket)
        if ticket.cancelled:
            if not isinstance(ticket, RobotsTicket):
                self.frontier.abandon(ticket)
            return None
        kind, detail = classify_failure(error, through_proxy=bool(ticket.job.proxy))
        if kind is FetchError.INTERNAL:
            _LOG.error("unexpected failure at %s", ticket.url, exc_info=error)
        if isinstance(ticket, RobotsTicket):
            self.frontier.settle_robots(ticket, robots_failure(kind))
            return None
        return self._settle(ticket, failed_outcome(ticket, kind, detail, self.frontier.utc_now()))

    def _release(self, ticket: Ticket) -> None:
        """First thing on every path: whatever happens next, the host goes on."""
        self.frontier.release(ticket)
        self.tickets.discard(ticket)
        self.wake()

    def _settle(self, ticket: Ticket, outcome: Outcome) -> PageItem | None:
        page = self.frontier.settle(ticket, outcome)
        if page is None:
            return None
        self.n_pages += 1
        return self._item(ticket.job, page, outcome.content)

    def _item(self, job: CrawlState, page: FetchedPage, content: bytes) -> PageItem:
        self.buffer.expect(job.corpus_id, page)
        return PageItem(page.raw_url or page.lru, content, page.links, job.corpus_id, page)

    # -- for the pipelines

    def add_change(self, corpus_id: str, change: DepthChange) -> None:
        """Take a change of depth for the next batch."""
        self.buffer.add_change(corpus_id, change, clock.monotonic())

    # -- for the keeper

    def write_due(self) -> None:
        """Write batches that waited long enough."""
        for pending in self.buffer.iter_due(clock.monotonic()):
            self.writer.submit(pending)

    async def flush(self, corpus_id: str) -> None:
        """Return when every page settled so far of a corpus is written, those without a request too."""
        self._records.extend(self.frontier.take_records())
        # Those of this moment, not those to come: other jobs of the corpus may make records without end.
        last = self._n_taken + len(self._records)
        while self._waits_for_record(last) or self.buffer.is_underway(corpus_id):
            self.wake()
            await asyncio.sleep(0.002)
        pending = self.buffer.take(corpus_id, clock.monotonic())
        if pending is not None:
            self.writer.submit(pending)
        await self.writer.flush(corpus_id)

    def _waits_for_record(self, last: int) -> bool:
        """Whether the spider has yet to take that record; at the end of the worker it takes none."""
        return self._n_taken < last and not self.is_over

    async def expand_next(self) -> bool:
        """Expand stored links a job asked for; False when none did."""
        asked = self.frontier.next_expansion()
        if asked is None:
            return False
        job, lrus = asked
        await self.flush(job.corpus_id)
        structure = self.corpora.get(job.corpus_id).structure
        feeds = job.spec.follow_feeds
        found = await asyncio.to_thread(list_expansions, structure, lrus, follow_feeds=feeds)
        self.frontier.expanded(job, found)
        self.wake()
        return True

    def cancel_requests(self, job: CrawlState) -> None:
        """End what is under way for a job, at once."""
        for ticket in list(job.in_flight):
            ticket.cancel()

    def close(self) -> None:
        """End the child processes of parsers."""
        self._shelf.close()

    def _store_failed(self, corpus_id: str, words: str) -> None:
        self.buffer.discard(corpus_id)
        for job in list(self.frontier.jobs):
            if job.corpus_id == corpus_id:
                self.frontier.end(job, EndReason.FAULT, words)
                self.cancel_requests(job)
        self.wake()
