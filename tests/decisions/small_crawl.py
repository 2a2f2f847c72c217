"""A crawl in this process. Real: launch, frontier, page reader, parsers, robots, store. Made up: the web, the
clock."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import NamedTuple

from hyphe_core.config import Config, load_config
from hyphe_core.crawl.frontier import Frontier
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.launch import launch_crawl
from hyphe_core.crawl.page_work import Answer, Keeping, PageReader, failed_outcome
from hyphe_core.crawl.restore import list_expansions, restore_job
from hyphe_core.crawl.robots_answers import read_robots_answer
from hyphe_core.crawl.tickets import RobotsTicket, Ticket
from hyphe_core.parsers.registry import default_registry
from memory_structure.corpus_records import CorpusOptions
from memory_structure.lru import lru_to_url, url_to_lru
from memory_structure.opening import open_registry
from memory_structure.records import (
    Batch,
    Fetch,
    FetchError,
    Job,
    JobState,
    LinkRecord,
    PageRecord,
)
from memory_structure.registry import Registry
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
CORPUS = "small"
NAME = "tester"


@dataclass(frozen=True)
class Reply:
    """What a URL answers. `error` beside a status: the answer is not whole; without one: there was none."""

    body: bytes = b""
    status: int | None = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/html"})
    error: FetchError | None = None
    seconds: float = 0.1


Web = Mapping[str, Reply | Sequence[Reply]]


def html(
    *links: str, head: str = "", body: str = "", status: int = 200, seconds: float = 0.1, **headers: str
) -> Reply:
    """A page with links to these addresses, each its own anchor."""
    anchors = "".join(f"<p><a href='{url}'>{url}</a>" for url in links)
    text = f"<!doctype html><html><head><title>t</title>{head}</head><body>{anchors}{body}"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(text.encode(), status, {"content-type": "text/html; charset=utf-8"} | named, None, seconds)


def moved(target: str, status: int = 301) -> Reply:
    """A redirect."""
    return Reply(status=status, headers={"location": target})


def silence(error: FetchError) -> Reply:
    """No HTTP answer."""
    return Reply(status=None, error=error)


class Asked(NamedTuple):
    """A request as it went out and ended, in seconds of the made-up clock."""

    began: float
    ended: float
    url: str


class SmallCrawl:
    """One corpus in a folder, and crawls of the made-up web into it. What is not in the web is a 404.

    The keys of `robots` are hosts. A list of replies is given out one by one, the last one for ever.
    """

    def __init__(
        self,
        folder: Path,
        web: Web | None = None,
        robots: Mapping[str, bytes] | None = None,
        options: CorpusOptions | None = None,
    ) -> None:
        self.folder = folder
        self.web = {url_to_lru(url): reply for url, reply in (web or {}).items()}
        self.robots = robots or {}
        self.now = 1000.0
        self.asked: list[Asked] = []
        self.batches: list[Batch] = []
        self.config: Config = load_config(None, {}, {"data_dir": str(folder)})
        self.registry: Registry = open_registry(folder)
        self.registry.create_corpus(CORPUS, options or CorpusOptions(delay_seconds=0.0))
        self.structure: MemoryStructure = self.registry.open_structure(CORPUS)
        self._reader = PageReader(default_registry(), NAME)
        self._order = count()

    # -- crawling

    def launch(self, *starts: str, **settings: object) -> Job:
        """A job of the entity that owns the first start page, which is declared when it is new."""
        ((page, _),) = self.structure.declare_pages([url_to_lru(starts[0])])
        return launch_crawl(
            self.registry,
            CORPUS,
            page.web_entity_id,
            config=self.config,
            start_urls=starts,
            **settings,  # type: ignore[arg-type]
        )

    def crawl(self, *starts: str, **settings: object) -> Job:
        """Launch a job and run it to its end."""
        return self.run(self.launch(*starts, **settings))

    def run(self, job: Job, stop_after: int | None = None) -> Job:
        """Run a job to its end, or until that many pages are stored and the worker dies."""
        frontier = Frontier(lambda: self.now, utc_now=self._moment)
        frontier.add_job(self._load(job))
        flying: list[tuple[float, int, Ticket]] = []
        n_stored = 0
        while stop_after is None or n_stored < stop_after:
            self._store_records(frontier)
            if (ticket := frontier.next_ticket()) is not None:
                heapq.heappush(flying, (self._send(ticket), next(self._order), ticket))
            elif (asked := frontier.next_expansion()) is not None:
                frontier.expanded(asked[0], list_expansions(self.structure, asked[1]))
            elif self._wait(flying, frontier.next_wake()):
                n_stored += self._arrive(frontier, heapq.heappop(flying)[2])
            elif not flying and frontier.next_wake() is None:
                break
            self._note_ends(frontier)
        return self.structure.get_job(job.job_id)

    def _load(self, job: Job) -> CrawlState:
        stored = self.structure.get_job(job.job_id)
        cutter = cutter_for(self.structure.options().url_policy)
        state = CrawlState(
            CORPUS,
            job.job_id,
            stored.spec,
            cutter,
            agent=self.config.user_agent,
            counters=stored.counters,
            active_seconds=stored.active_seconds,
            max_crawl_delay_seconds=self.config.max_crawl_delay_seconds,
        )
        restore_job(state, self.structure)
        self.structure.move_job(job.job_id, JobState.RUNNING)
        return state

    def _moment(self) -> datetime:
        return EPOCH + timedelta(seconds=self.now)

    def _wait(self, flying: list[tuple[float, int, Ticket]], wake: float | None) -> bool:
        """Let time pass until the next event; True when it is an answer."""
        moments = [at for at in (wake, flying[0][0] if flying else None) if at is not None]
        if moments:
            self.now = max(self.now, min(moments))
        return bool(flying) and flying[0][0] <= self.now

    def _send(self, ticket: Ticket) -> float:
        seconds = 0.1 if isinstance(ticket, RobotsTicket) else self._peek(ticket).seconds
        self.asked.append(Asked(self.now, self.now + seconds, ticket.url))
        return self.now + seconds

    def _peek(self, ticket: Ticket) -> Reply:
        found = self.web.get(ticket.lru, Reply(status=404))
        if isinstance(found, Reply):
            return found
        return found[min(ticket.attempt, len(found)) - 1]

    def _arrive(self, frontier: Frontier, ticket: Ticket) -> bool:
        """Take an answer; whether a page was stored."""
        now = self._moment()
        if isinstance(ticket, RobotsTicket):
            body = self.robots.get(ticket.slot.key.host.partition(":")[0])
            answer = Answer(404, {}, b"") if body is None else Answer(200, {}, body)
            frontier.settle_robots(ticket, read_robots_answer(ticket.errand, answer, now))
            return False
        reply = self._peek(ticket)
        if reply.status is None:
            outcome = failed_outcome(ticket, reply.error or FetchError.CONNECTION, "made up", now)
        else:
            headers = {name: [value] for name, value in reply.headers.items()}
            answer = Answer(reply.status, headers, reply.body, reply.error)
            outcome = self._reader.read(ticket, answer, Keeping(), now)
        page = frontier.settle(ticket, outcome)
        if page is not None:
            if outcome.content and page.fetch.digest:
                self.registry.open_blobs(CORPUS).put(page.fetch.digest, outcome.content)
            self._write(Batch((page,)))
        return page is not None

    def _write(self, batch: Batch) -> None:
        self.batches.append(batch)
        self.structure.write_batch(batch)

    def _store_records(self, frontier: Frontier) -> None:
        for _, page, change in frontier.take_records():
            self._write(Batch((page,) if page else (), (change,) if change else ()))

    def _note_ends(self, frontier: Frontier) -> None:
        for state in frontier.take_finished():
            assert state.ended is not None
            self._store_records(frontier)
            self.structure.move_job(
                state.job_id,
                JobState.FINISHED,
                end=state.ended[0],
                reason=state.ended[1],
                active_seconds=state.active_seconds,
            )

    # -- what was stored

    def page(self, url: str) -> PageRecord:
        """A page that must be known."""
        found = self.structure.find_page(url_to_lru(url))
        assert found is not None, url
        return found

    def fetch(self, url: str) -> Fetch:
        """The last final attempt on a page that was tried."""
        fetch = self.page(url).fetch
        assert fetch is not None, url
        return fetch

    def links(self, url: str) -> list[LinkRecord]:
        """Stored links of a page."""
        return self.structure.list_outlinks(url_to_lru(url))

    def targets(self, url: str) -> list[str]:
        """Readable URLs that a page's stored links lead to."""
        return [lru_to_url(link.target_lru) for link in self.links(url)]

    def depths(self) -> dict[str, int]:
        """Readable URL of every page that was tried -> its depth."""
        pages = self.structure.iter_pages(only_fetched=True)
        return {page.url: page.fetch.depth for page in pages if page.fetch is not None}

    def n_asked(self, url: str) -> int:
        """How often a URL was requested."""
        return sum(asked.url.rstrip("/") == url.rstrip("/") for asked in self.asked)
