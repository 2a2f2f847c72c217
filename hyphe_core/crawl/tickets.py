"""Requests the frontier gives out, and what comes back for each."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from hyphe_core.crawl.robots import RobotsKey
from memory_structure.parses import PageParse
from memory_structure.records import Fetch, FetchError, FoundLink

if TYPE_CHECKING:
    from hyphe_core.crawl.hosts import HostSlot
    from hyphe_core.crawl.job_state import CrawlState


class Ticket:
    """One request to make. A plain slots class: one is made for every page.

    `url` is what is sent, `lru` the page's key, `attempt` counts from 1, `attempts` are the earlier ones.
    `task` is the download under way, set by the download handler so that the request can be ended.
    `refused_address` is the private address that the request would have gone to.
    """

    __slots__ = (
        "attempt",
        "attempts",
        "cancelled",
        "job",
        "lru",
        "refused_address",
        "released",
        "slot",
        "started_at",
        "task",
        "url",
    )

    def __init__(
        self, job: CrawlState, slot: HostSlot, url: str, lru: str, attempts: tuple[Fetch, ...] = ()
    ) -> None:
        self.job = job
        self.slot = slot
        self.url = url
        self.lru = lru
        self.attempts = attempts
        self.attempt = len(attempts) + 1
        self.started_at: datetime | None = None
        self.task: asyncio.Task[object] | None = None
        self.released = False
        self.refused_address = ""
        self.cancelled = False

    def cancel(self) -> None:
        """End the request at once, if it is under way."""
        self.cancelled = True
        if self.task is not None:
            self.task.cancel()


class RobotsErrand:
    """A robots.txt to fetch for a host: where it is now (redirects move it), hops made, attempts made."""

    __slots__ = ("attempt", "hops", "job", "key", "url")

    def __init__(self, key: RobotsKey, job: CrawlState, url: str) -> None:
        self.key = key
        self.job = job
        self.url = url
        self.hops = 0
        self.attempt = 1


class RobotsTicket(Ticket):
    """The request for a robots.txt: belongs to the host, made with the agent and proxy of the job that
    asked first."""

    __slots__ = ("errand",)

    def __init__(self, errand: RobotsErrand, slot: HostSlot) -> None:
        super().__init__(errand.job, slot, errand.url, "")
        self.errand = errand


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attempt gave, as the frontier and the store need it.

    `fetch` is the attempt's record. `expandable` tells whether its links may be followed; `redirect_lru`
    in the record keeps the depth. `retry_after` is what the server asked for, in seconds.
    """

    fetch: Fetch
    links: tuple[FoundLink, ...] = ()
    text: str = ""
    content: bytes = b""
    expandable: bool = False
    retry_after: float | None = None
    parse: PageParse | None = None


@dataclass(frozen=True, slots=True)
class RobotsOutcome:
    """What a request for a robots.txt gave; `location` is the absolute target of a redirect."""

    status: int | None
    error: FetchError | None
    body: bytes = b""
    location: str | None = None
    retry_after: float | None = None


class Retry(NamedTuple):
    """A page that waits for its next attempt."""

    job: CrawlState
    url: str
    lru: str
    attempts: tuple[Fetch, ...]


class Expansion(NamedTuple):
    """A link of a stored page, as expanded again; `same_depth` for redirects and immediate refreshes."""

    lru: str
    raw: str | None
    same_depth: bool
