"""The frontier: which request may go out now, for many jobs at once, and what follows from each answer.

Pure: no network, no store, no clock of its own. It owns the queues, politeness, budgets, retries and
depths; its caller makes the requests, stores the records, and expands stored links when asked. Laws,
tested as such:

1. Every page in reach (scope, depth, budgets) is given out once, retries aside, whatever the order of
   answers.
2. A page's depth is the fewest clicks: a shorter way found later lowers it and everything behind it.
3. A host never has more in flight than allowed, and its delay runs from the end of the previous request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from heapq import heappop, heappush
from itertools import count
from typing import Final

from hyphe_core import clock as clocks
from hyphe_core.crawl.board import HostBoard
from hyphe_core.crawl.ending import complete_words
from hyphe_core.crawl.hosts import HostSlot
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.ledger import Ledger, Record
from hyphe_core.crawl.reach import Reach
from hyphe_core.crawl.retry import RetryPolicy
from hyphe_core.crawl.robots_desk import RobotsDesk
from hyphe_core.crawl.seen import PageState
from hyphe_core.crawl.tickets import (
    Expansion,
    Outcome,
    Retry,
    RobotsErrand,
    RobotsOutcome,
    RobotsTicket,
    Ticket,
)
from memory_structure.lru import lru_to_url
from memory_structure.records import EndReason, Fetch, FetchedPage

_EXPANSION_CHUNK: Final = 500


class Frontier:
    """Not safe to share between threads: everything runs in the event loop of one worker.

    `clock` gives steady seconds, `utc_now` the moments put in records. With `needs_lease` a new host is
    silent until the `board` is told that it is held. `max_in_flight` bounds all requests together.
    """

    def __init__(
        self,
        clock: Callable[[], float] = clocks.monotonic,
        *,
        max_in_flight: int = 64,
        needs_lease: bool = False,
        retry: RetryPolicy | None = None,
        utc_now: Callable[[], datetime] = clocks.now,
    ) -> None:
        self.clock = clock
        self.utc_now = utc_now
        self.n_in_flight = 0
        self.max_in_flight = max_in_flight
        self.board = HostBoard(clock, needs_lease=needs_lease)
        self.jobs: list[CrawlState] = []
        self._retry = retry or RetryPolicy()
        self._desk = RobotsDesk(self.board, self._retry, clock, self._after)
        self._order = count()
        self._timers: list[tuple[float, int, Retry | RobotsErrand | CrawlState]] = []
        self._ledger = Ledger(utc_now)
        self._reach = Reach(self.board, self._ledger)
        self._finished: list[CrawlState] = []

    # -- jobs

    def add_job(self, job: CrawlState) -> None:
        """Begin a job, or take it up again when `job` knows pages done. Start pages not known to it are
        queued."""
        self.jobs.append(job)
        self._reach.begin(job)
        if job.is_idle and not job.n_done:
            self.end(job, EndReason.NO_START_PAGE, "no start page lies in the scope of the job")
        self.resume(job)

    def pause(self, job: CrawlState) -> None:
        """Send nothing more for a job; what is under way ends normally."""
        job.active_seconds = job.seconds_used(self.clock())
        job.running_since = None

    def resume(self, job: CrawlState) -> None:
        """Let a paused or new job run."""
        if job.ended is not None or job.running_since is not None:
            return
        job.running_since = self.clock()
        deadline = job.deadline()
        if deadline is not None:
            heappush(self._timers, (deadline, next(self._order), job))
        self.board.wake_all()
        self._check_complete(job)

    def end(self, job: CrawlState, reason: EndReason, words: str) -> None:
        """End a job. Answers still to come for it are dropped; the caller may end its `in_flight`
        requests."""
        if job.ended is not None:
            return
        self.pause(job)
        job.ended = (reason, words)
        self.board.detach(job)
        job.forget_queues()
        self.jobs.remove(job)
        self._finished.append(job)

    def take_finished(self) -> list[CrawlState]:
        """Jobs that ended since the last call; `ended` says why. What they gave before is to be stored
        first."""
        finished, self._finished = self._finished, []
        return finished

    def take_records(self) -> list[Record]:
        """What is to be stored without a request, in order."""
        return self._ledger.take()

    # -- requests

    def next_ticket(self) -> Ticket | None:
        """A request to make now; None when nothing may be sent at this moment, or when records wait to be
        taken."""
        now = self.clock()
        self._run_timers(now)
        if self.n_in_flight >= self.max_in_flight:
            return None
        while not self._ledger.is_full() and (slot := self.board.pop(now)) is not None:
            ticket = self._take(slot)
            if ticket is not None:
                self._begin(ticket, now)
                return ticket
            if self._ledger.is_full():
                self.board.schedule(slot)
        return None

    def next_wake(self) -> float | None:
        """The clock's moment when something may be sent; None when only an event can change that."""
        at = self.board.next_at()
        if self._timers and (at is None or self._timers[0][0] < at):
            return self._timers[0][0]
        return at

    def release(self, ticket: Ticket) -> None:
        """The request is over: its host may go on. To be called first on every path; again does nothing."""
        if ticket.released:
            return
        ticket.released = True
        ticket.task = None
        self.n_in_flight -= 1
        ticket.slot.ended(ticket.job, self.clock())
        self.board.schedule(ticket.slot)

    def _begin(self, ticket: Ticket, now: float) -> None:
        ticket.started_at = self.utc_now()
        self.n_in_flight += 1
        ticket.slot.began(ticket.job, now)
        if not isinstance(ticket, RobotsTicket):
            ticket.job.in_flight.add(ticket)
        self.board.schedule(ticket.slot)

    def _take(self, slot: HostSlot) -> Ticket | None:
        """The next request of a host; None when all that waits for it must wait for an event."""
        if slot.in_flight and slot.in_flight >= slot.limit:
            return None
        if slot.errands:
            return RobotsTicket(slot.errands.popleft(), slot)
        return self._take_retry(slot) or self._take_new(slot)

    def _take_retry(self, slot: HostSlot) -> Ticket | None:
        for _ in range(len(slot.retries)):
            retry = slot.retries.popleft()
            if retry.job.is_running:
                retry.job.n_retrying -= 1
                return Ticket(retry.job, slot, retry.url, retry.lru, retry.attempts)
            if retry.job.ended is None:
                slot.retries.append(retry)
        return None

    def _take_new(self, slot: HostSlot) -> Ticket | None:
        for _ in range(len(slot.jobs)):
            job = slot.jobs[0]
            slot.jobs.rotate(-1)
            if job.is_running and job.has_room:
                ticket = self._take_page(job, slot)
                if ticket is not None:
                    return ticket
        return None

    def _take_page(self, job: CrawlState, slot: HostSlot) -> Ticket | None:
        """The next page of a job on a host that may be fetched, refused ones recorded on the way."""
        queue = job.queues[slot.key]
        while not self._ledger.is_full():
            found = queue.pop()
            if found is None:
                self._emptied(job, slot)
                return None
            depth, entry = found
            lru, url = job.open_entry(entry)
            if job.seen.get(lru) == depth << 2 | PageState.QUEUED:
                rules = self._desk.find_rules(job, slot, url) if job.spec.obey_robots else None
                if rules is None and job.spec.obey_robots:
                    queue.put_back(depth, entry)
                    return None
                if rules is None or rules.allows(url):
                    job.n_queued -= 1
                    job.seen.put(lru, depth, PageState.IN_FLIGHT)
                    return Ticket(job, slot, url, lru)
                self._ledger.refuse(job, lru, depth, rules.error, rules.detail)
            job.n_queued -= 1
        return None

    def _emptied(self, job: CrawlState, slot: HostSlot) -> None:
        del job.queues[slot.key]
        slot.jobs.remove(job)
        self._check_complete(job)

    # -- answers

    def settle_robots(self, ticket: RobotsTicket, outcome: RobotsOutcome) -> None:
        """Take the answer to a robots.txt request."""
        self.release(ticket)
        hold = self._retry.find_hold(ticket.errand.attempt, outcome.status, outcome.retry_after)
        if hold is not None:
            ticket.slot.hold(self.clock() + hold)
        self._desk.settle(ticket.errand, outcome)

    def settle(self, ticket: Ticket, outcome: Outcome) -> FetchedPage | None:
        """Take the answer to a page request: the record to store, or None when it is tried again or
        dropped."""
        self.release(ticket)
        job = ticket.job
        job.in_flight.discard(ticket)
        if job.ended is not None:
            return None
        fetch = outcome.fetch
        hold = self._retry.find_hold(ticket.attempt, fetch.status, outcome.retry_after)
        if hold is not None:
            ticket.slot.hold(self.clock() + hold)
        if self._will_retry(ticket, outcome) or not self._within_budget(job, fetch):
            return None
        job.mark(ticket.lru, PageState.OPEN if outcome.expandable else PageState.CLOSED)
        if outcome.expandable:
            self._reach.follow(job, ticket.lru, outcome)
        self._after_answer(job)
        return FetchedPage(
            ticket.lru,
            (*ticket.attempts, fetch),
            outcome.links,
            _raw_url(ticket),
            outcome.text,
            outcome.parse,
        )

    def abandon(self, ticket: Ticket) -> None:
        """The request was given up (the worker stops): nothing is known of the page; it stays to be done."""
        self.release(ticket)
        ticket.job.in_flight.discard(ticket)

    def _will_retry(self, ticket: Ticket, outcome: Outcome) -> bool:
        job, fetch = ticket.job, outcome.fetch
        wait = self._retry.find_wait(
            ticket.attempt, job.spec.n_retries, fetch.status, fetch.error, outcome.retry_after
        )
        if wait is None:
            return False
        attempts = (*ticket.attempts, replace(fetch, final=False))
        job.n_retrying += 1
        self._after(wait, Retry(job, ticket.url, ticket.lru, attempts))
        return True

    def _within_budget(self, job: CrawlState, fetch: Fetch) -> bool:
        limit = job.spec.max_bytes
        if limit is not None and job.n_bytes + fetch.size_bytes > limit:
            self.end(job, EndReason.MAX_BYTES, f"byte budget of {limit} reached")
            return False
        job.n_bytes += fetch.size_bytes
        job.n_answers += fetch.status is not None
        job.n_done += 1
        return True

    # -- expanding stored links again

    def next_expansion(self) -> tuple[CrawlState, list[str]] | None:
        """A job and pages whose stored links it needs, at most 500; all that was given out before must be
        stored first. To be answered with `expanded`."""
        for job in self.jobs:
            if job.expand and not job.n_expanding:
                lrus = [job.expand.popleft() for _ in range(min(len(job.expand), _EXPANSION_CHUNK))]
                job.n_expanding = len(lrus)
                return job, lrus
        return None

    def expanded(self, job: CrawlState, found: Iterable[tuple[str, Sequence[Expansion]]]) -> None:
        """The stored links of the pages asked for, by page: what they lead to by today's depths is
        discovered."""
        job.n_expanding = 0
        if job.ended is not None:
            return
        self._reach.expand(job, found)
        self._after_answer(job)

    # -- waking

    def _after(self, seconds: float, item: Retry | RobotsErrand) -> None:
        heappush(self._timers, (self.clock() + seconds, next(self._order), item))

    def _after_answer(self, job: CrawlState) -> None:
        limit = job.spec.max_pages
        if limit is not None:
            if job.n_answers >= limit and not job.is_idle:
                self.end(job, EndReason.MAX_PAGES, f"page budget of {limit} reached")
                return
            self.board.wake(job)
        self._check_complete(job)

    def _check_complete(self, job: CrawlState) -> None:
        if job.ended is None and job.is_idle and job.running_since is not None:
            self.end(job, EndReason.COMPLETE, complete_words(job))

    def _run_timers(self, now: float) -> None:
        while self._timers and self._timers[0][0] <= now:
            item = heappop(self._timers)[2]
            if isinstance(item, CrawlState):
                self._check_deadline(item, now)
            elif isinstance(item, RobotsErrand):
                self._desk.send(item)
            elif item.job.ended is None:
                slot = self.board.slot(item.job.host_of(item.lru))
                slot.retries.append(item)
                self.board.schedule(slot)

    def _check_deadline(self, job: CrawlState, now: float) -> None:
        deadline = job.deadline()
        if job.ended is None and deadline is not None and now >= deadline:
            self.end(
                job, EndReason.TIME_LIMIT, f"time limit of {job.spec.time_limit_seconds:g} seconds reached"
            )


def _raw_url(ticket: Ticket) -> str | None:
    shown = lru_to_url(ticket.lru)
    return None if ticket.url in (shown, shown + "/") else ticket.url
