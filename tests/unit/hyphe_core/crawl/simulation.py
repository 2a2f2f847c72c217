"""A web, a clock and a store in memory, to run the frontier against: no socket, no second of waiting."""

from __future__ import annotations

import heapq
import random
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count

from hyphe_core.crawl.frontier import Frontier
from hyphe_core.crawl.hosts import host_key
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.page_work import failed_outcome
from hyphe_core.crawl.restore import restore_job
from hyphe_core.crawl.tickets import Expansion, Outcome, RobotsOutcome, RobotsTicket, Ticket
from memory_structure.lru import lru_to_url, url_to_lru
from memory_structure.records import (
    Area,
    EndReason,
    Fetch,
    FetchedPage,
    FetchError,
    FoundLink,
    JobCounters,
    JobPage,
    JobSpec,
    LinkKind,
)
from memory_structure.url_cutter import UrlCutter

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
SITES = ("s:http|h:example|h:site|", "s:http|t:8080|h:example|h:site|")


@dataclass
class SimPage:
    """A page of the simulated web. `n_failures`: attempts that fail before the first good one. `status`
    of the good one."""

    url: str
    links: list[str] = field(default_factory=list)
    status: int = 200
    redirect: str | None = None
    refresh: str | None = None
    nofollow: bool = False
    n_failures: int = 0
    failure: int | FetchError = 500
    retry_after: float | None = None
    size: int = 100
    seconds: float | None = None


class SimWeb:
    """Pages by LRU; what is not there is a 404."""

    def __init__(self, pages: list[SimPage], robots: dict[str, bytes] | None = None) -> None:
        self.pages = {url_to_lru(page.url): page for page in pages}
        self.robots = robots or {}

    def truth(self, spec: JobSpec) -> dict[str, int]:
        """LRU -> fewest clicks, of every page in reach of a job without budgets."""
        follows = self._scope(spec)
        starts = [url_to_lru(url) for url in spec.start_urls if follows(url_to_lru(url))]
        depths = dict.fromkeys(starts, 0)
        waiting = deque((0, lru) for lru in starts)
        while waiting:
            depth, lru = waiting.popleft()
            if depths[lru] != depth or self.is_forbidden(spec, lru):
                continue
            for target, step in self._steps(spec, lru):
                reached = depth + step
                if reached <= spec.max_depth and follows(target) and reached < depths.get(target, 1 << 30):
                    depths[target] = reached
                    if step:
                        waiting.append((reached, target))
                    else:
                        waiting.appendleft((reached, target))
        return depths

    def is_forbidden(self, spec: JobSpec, lru: str) -> bool:
        """Whether a page is refused by robots.txt (a simulated file forbids a path prefix)."""
        if not spec.obey_robots:
            return False
        host = host_key(lru_to_url(lru), None).host
        path = "/" + lru_to_url(lru).split("/", 3)[3] if lru_to_url(lru).count("/") > 2 else "/"
        body = self.robots.get(host, b"").decode()
        return any(
            path.startswith(line.removeprefix("Disallow: "))
            for line in body.splitlines()
            if line.startswith("Dis")
        )

    def _scope(self, spec: JobSpec) -> object:
        from hyphe_core.crawl.scope import Scope

        return Scope(spec.follow_prefixes, spec.nofollow_prefixes).follows

    def _steps(self, spec: JobSpec, lru: str) -> list[tuple[str, int]]:
        page = self.pages.get(lru)
        if page is None or (isinstance(page.failure, FetchError) and page.n_failures > spec.n_retries):
            return []
        if page.n_failures > spec.n_retries:
            return []
        if page.redirect is not None:
            return [(url_to_lru(page.redirect), 0)]
        if page.status != 200 or (page.nofollow and spec.obey_robots):
            return []
        steps = [(url_to_lru(url), 1) for url in page.links]
        return [(url_to_lru(page.refresh), 0), *steps] if page.refresh else steps


@dataclass
class SimStore:
    """What the pipelines would have written. `unsaved` pages are lost at a kill."""

    done: dict[str, FetchedPage] = field(default_factory=dict)
    unsaved: list[FetchedPage] = field(default_factory=list)
    lowered: dict[str, int] = field(default_factory=dict)
    unsaved_lowered: dict[str, int] = field(default_factory=dict)
    n_stored: dict[str, int] = field(default_factory=dict)

    def flush(self) -> None:
        for page in self.unsaved:
            self.done[page.lru] = page
            self.n_stored[page.lru] = self.n_stored.get(page.lru, 0) + 1
            self.lowered.pop(page.lru, None)
        self.lowered.update(self.unsaved_lowered)
        self.unsaved, self.unsaved_lowered = [], {}

    def lose(self) -> None:
        self.unsaved, self.unsaved_lowered = [], {}

    def depths(self) -> dict[str, int]:
        return {lru: min(page.fetch.depth, self.lowered.get(lru, 1 << 30)) for lru, page in self.done.items()}

    def counters(self) -> JobCounters:
        fetches = [page.fetch for page in self.done.values()]
        return JobCounters(
            n_pages=len(fetches),
            n_answers=sum(fetch.status is not None for fetch in fetches),
            n_bytes=sum(fetch.size_bytes for fetch in fetches),
        )

    # the two reads that a restored job makes
    def iter_job_pages(self, job_id: int) -> list[JobPage]:
        depths = self.depths()
        return [
            JobPage(i, lru, depths[lru], page.fetch.follow, page.fetch.status)
            for i, (lru, page) in enumerate(self.done.items())
            if page.fetch.job_id == job_id
        ]

    def expand(self, lrus: list[str]) -> list[tuple[str, list[Expansion]]]:
        found = []
        for lru in lrus:
            page = self.done[lru]
            found.append(
                (
                    lru,
                    [
                        Expansion(
                            link.target_lru,
                            link.raw,
                            link.target_lru == page.fetch.redirect_lru and link.kind >= 2,
                        )
                        for link in page.links
                    ],
                )
            )
        return found


class Simulation:
    """Runs jobs to their end. `chance` decides latencies, hence the order of answers."""

    def __init__(self, web: SimWeb, chance: random.Random, *, max_in_flight: int = 16) -> None:
        self.web = web
        self.chance = chance
        self.now = 1000.0
        self.max_in_flight = max_in_flight
        self.stores: dict[int, SimStore] = {}
        self.requests: list[tuple[float, float, str, str]] = []
        self.robots_fetched: list[str] = []
        self.ends: dict[int, tuple[EndReason, str]] = {}
        self.tries: dict[tuple[int, str], int] = {}
        self.specs: dict[int, JobSpec] = {}
        self._order = count()
        self._flying: list[tuple[float, int, Ticket]] = []
        self.frontier = self._new_frontier()
        self.jobs: dict[int, CrawlState] = {}
        self.peak: dict[str, int] = {}
        self.n_lowered = 0
        self._on_air: dict[str, int] = {}

    def _new_frontier(self) -> Frontier:
        return Frontier(
            lambda: self.now,
            max_in_flight=self.max_in_flight,
            utc_now=lambda: EPOCH + timedelta(seconds=self.now),
        )

    def add(self, job_id: int, spec: JobSpec) -> CrawlState:
        self.specs[job_id] = spec
        store = self.stores.setdefault(job_id, SimStore())
        used = self.jobs[job_id].seconds_used(self.now) if job_id in self.jobs else 0.0
        job = CrawlState(
            "corpus",
            job_id,
            spec,
            UrlCutter(),
            agent="tester/1",
            counters=store.counters(),
            active_seconds=used,
        )
        restore_job(job, store)  # type: ignore[arg-type]
        self.jobs[job_id] = job
        self.frontier.add_job(job)
        return job

    def kill(self) -> None:
        """The worker dies: what was not flushed, and what was in flight, is gone. A new one takes the
        jobs up."""
        for store in self.stores.values():
            store.lose()
        self._flying.clear()
        self._on_air.clear()
        self.frontier = self._new_frontier()
        for job_id, spec in self.specs.items():
            if job_id not in self.ends:
                self.add(job_id, spec)

    def step(self) -> bool:
        """One event; False when nothing will ever happen again."""
        self._store_records()
        while (ticket := self.frontier.next_ticket()) is not None:
            self._send(ticket)
            self._store_records()
        self._store_records()
        asked = self.frontier.next_expansion()
        if asked is not None:
            job, lrus = asked
            self.stores[job.job_id].flush()
            self.frontier.expanded(job, self.stores[job.job_id].expand(lrus))
            return True
        self._note_ends()
        wake = self.frontier.next_wake()
        arrival = self._flying[0][0] if self._flying else None
        moments = [moment for moment in (wake, arrival) if moment is not None]
        if not moments:
            return False
        self.now = max(self.now, min(moments))
        if arrival is not None and arrival <= self.now:
            self._arrive(heapq.heappop(self._flying)[2])
        if self.chance.random() < 0.2:
            for store in self.stores.values():
                store.flush()
        return True

    def run(self, max_steps: int = 100_000) -> None:
        for _ in range(max_steps):
            if not self.step():
                break
        else:
            raise AssertionError("the crawl does not end")
        for store in self.stores.values():
            store.flush()
        self._note_ends()

    def _note_ends(self) -> None:
        for job in self.frontier.take_finished():
            self.stores[job.job_id].flush()
            assert job.ended is not None
            self.ends[job.job_id] = job.ended
            for ticket in list(job.in_flight):
                ticket.cancel()

    def _send(self, ticket: Ticket) -> None:
        host = ticket.slot.key.host
        self._on_air[host] = self._on_air.get(host, 0) + 1
        self.peak[host] = max(self.peak.get(host, 0), self._on_air[host])
        page = self.web.pages.get(ticket.lru)
        latency = self.chance.choice((0.01, 0.05, 0.3, 2.0))
        if page is not None and page.seconds is not None:
            latency = page.seconds
        self.requests.append((self.now, self.now + latency, host, ticket.url))
        heapq.heappush(self._flying, (self.now + latency, next(self._order), ticket))

    def _arrive(self, ticket: Ticket) -> None:
        self._on_air[ticket.slot.key.host] -= 1
        if isinstance(ticket, RobotsTicket):
            self.robots_fetched.append(ticket.url)
            body = self.web.robots.get(ticket.slot.key.host)
            outcome = RobotsOutcome(404, None) if body is None else RobotsOutcome(200, None, body)
            self.frontier.settle_robots(ticket, outcome)
            return
        page = self.frontier.settle(ticket, self._answer(ticket))
        if page is not None:
            self.stores[ticket.job.job_id].unsaved.append(page)
        self._note_ends()

    def _answer(self, ticket: Ticket) -> Outcome:
        key = (ticket.job.job_id, ticket.lru)
        self.tries[key] = self.tries.get(key, 0) + 1
        now = self.frontier.utc_now()
        page = self.web.pages.get(ticket.lru)
        if page is None:
            return self._outcome(ticket, 404)
        if ticket.attempt <= page.n_failures:
            if isinstance(page.failure, FetchError):
                return failed_outcome(ticket, page.failure, "simulated", now)
            return replace(self._outcome(ticket, page.failure), retry_after=page.retry_after)
        if page.redirect is not None:
            return self._outcome(ticket, 302, page, [(page.redirect, LinkKind.REDIRECT)], page.redirect)
        links = [(url, LinkKind.HYPERLINK) for url in page.links] if page.status == 200 else []
        if page.refresh is not None:
            links.append((page.refresh, LinkKind.REFRESH))
        return self._outcome(ticket, page.status, page, links, page.refresh)

    def _outcome(
        self,
        ticket: Ticket,
        status: int,
        page: SimPage | None = None,
        links: list[tuple[str, LinkKind]] | None = None,
        target: str | None = None,
    ) -> Outcome:
        follow = page is None or not page.nofollow or not ticket.job.spec.obey_robots
        found = {(url_to_lru(url), kind): None for url, kind in links or []}
        return Outcome(
            Fetch(
                ticket.job.job_id,
                self.frontier.utc_now(),
                attempt=ticket.attempt,
                depth=ticket.job.depth_of(ticket.lru),
                status=status,
                size_bytes=page.size if page is not None else 0,
                redirect_lru=url_to_lru(target) if target else None,
                follow=follow,
            ),
            tuple(
                FoundLink(lru, kind, 1, "", "", Area.MAIN, None) for lru, kind in found if lru != ticket.lru
            ),
            expandable=follow and status in (200, 302),
        )

    def _store_records(self) -> None:
        for job, page, change in self.frontier.take_records():
            if page is not None:
                self.stores[job.job_id].unsaved.append(page)
            if change is not None:
                self.stores[job.job_id].unsaved_lowered[change.lru] = change.depth
                self.n_lowered += 1


def spec_of(*starts: str, **settings: object) -> JobSpec:
    """A job over the simulated site (all its hosts), without delay unless said."""
    given: dict[str, object] = {
        "delay_seconds": 0.0,
        "obey_robots": False,
        "max_depth": 3,
        "follow_prefixes": SITES,
    }
    return JobSpec(web_entity_id=1, start_urls=starts, **(given | settings))  # type: ignore[arg-type]
