"""Politeness of one host: when it may be asked again, by which jobs, how many at once."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from memory_structure.registry import HostKey

if TYPE_CHECKING:
    from hyphe_core.crawl.job_state import CrawlState
    from hyphe_core.crawl.tickets import Retry, RobotsErrand

MAX_CRAWL_DELAY_SECONDS: Final = 30.0
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def host_key(url: str, proxy: str | None) -> HostKey:
    """What politeness is counted by: the proxy without credentials, and host:port of a URL."""
    parts = urlsplit(url)
    port = parts.port or _DEFAULT_PORTS[parts.scheme]
    return HostKey(public_proxy(proxy), f"{parts.hostname or ''}:{port}")


def public_proxy(proxy: str | None) -> str:
    """A proxy's URL without user and password; "" for none."""
    if not proxy:
        return ""
    scheme, _, rest = proxy.rpartition("://")
    return f"{scheme or 'http'}://{rest.rpartition('@')[2]}"


class HostSlot:
    """One host as this worker asks it.

    `free_at` is when the delay is over (counted from the end of the last fetch, and from its start when
    several may be in flight), `hold_until` what a 429 or 503 imposed, both on the frontier's clock.
    `scheduled_at` is the place of the slot in the board's heap, None when it sleeps. `leased` tells
    whether this worker may talk to the host at all, `give_up_at` when it gives the host to others that
    wait, `lease_after` from when it may ask for it again.
    """

    __slots__ = (
        "crawl_delay",
        "errands",
        "free_at",
        "give_up_at",
        "hold_until",
        "idle_since",
        "in_flight",
        "jobs",
        "key",
        "lease_after",
        "leased",
        "leased_at",
        "retries",
        "scheduled_at",
    )

    def __init__(self, key: HostKey, leased: bool, now: float) -> None:
        self.key = key
        self.leased = leased
        self.leased_at = now
        self.lease_after = now
        self.give_up_at: float | None = None
        self.idle_since = now
        self.free_at = now
        self.hold_until = now
        self.crawl_delay = 0.0
        self.in_flight = 0
        self.jobs: deque[CrawlState] = deque()
        self.retries: deque[Retry] = deque()
        self.errands: deque[RobotsErrand] = deque()
        self.scheduled_at: float | None = None

    @property
    def ready_at(self) -> float:
        """The moment from which the host may be asked."""
        return max(self.free_at, self.hold_until)

    @property
    def is_wanted(self) -> bool:
        """Whether anything waits for this host."""
        return bool(self.jobs or self.retries or self.errands)

    @property
    def limit(self) -> int:
        """Requests that may be in flight at once: the least of what the jobs that share the host allow."""
        return min((job.spec.per_host for job in self.jobs), default=1)

    def delay_for(self, job: CrawlState) -> float:
        """Seconds between two requests: the largest delay of the jobs that share the host, Crawl-delay
        included."""
        spec = job.spec
        delay = spec.delay_seconds
        if len(self.jobs) > 1:
            delay = max(delay, *(other.spec.delay_seconds for other in self.jobs))
        if self.crawl_delay and spec.obey_robots and spec.obey_crawl_delay:
            delay = max(delay, min(self.crawl_delay, job.max_crawl_delay_seconds))
        return delay

    def began(self, job: CrawlState, now: float) -> None:
        """A request goes out."""
        self.in_flight += 1
        self.free_at = max(self.free_at, now + self.delay_for(job))

    def ended(self, job: CrawlState, now: float) -> None:
        """A request is over, however it ended: the delay begins."""
        self.in_flight -= 1
        self.idle_since = now
        self.free_at = max(self.free_at, now + self.delay_for(job))

    def hold(self, until: float) -> None:
        """Leave the whole host alone until then."""
        self.hold_until = max(self.hold_until, until)
