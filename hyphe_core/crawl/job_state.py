"""A running crawl job in memory: what it knows, what waits, what it has used of its budgets."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hyphe_core.crawl.hosts import MAX_CRAWL_DELAY_SECONDS, host_key
from hyphe_core.crawl.scope import Scope
from hyphe_core.crawl.scored_queue import JobScores, ScoredQueue
from hyphe_core.crawl.seen import ABSENT, PageState, SeenTable
from memory_structure.lru import BadUrl, UrlCutter, head_of, lru_to_url, request_url
from memory_structure.parse_options import CrawlOrder
from memory_structure.records import EndReason, JobCounters, JobSpec
from memory_structure.registry import HostKey

if TYPE_CHECKING:
    from hyphe_core.crawl.tickets import Ticket

MAX_DEPTH_KEPT: Final = 16_000
_MEMO_SIZE: Final = 65_536


class HostQueue:
    """Pages of one job on one host, lowest depth first, then first come. An entry is one bytes object."""

    __slots__ = ("_levels",)

    def __init__(self) -> None:
        self._levels: dict[int, deque[bytes]] = {}

    def push(self, depth: int, entry: bytes) -> None:
        """Put a page at the end of its depth."""
        level = self._levels.get(depth)
        if level is None:
            level = self._levels[depth] = deque()
        level.append(entry)

    def put_back(self, depth: int, entry: bytes) -> None:
        """Return what `pop` gave, to its old place."""
        self._levels.setdefault(depth, deque()).appendleft(entry)

    def pop(self) -> tuple[int, bytes] | None:
        """(depth, entry) of the next page, None when empty."""
        if not self._levels:
            return None
        depth = min(self._levels)
        level = self._levels[depth]
        entry = level.popleft()
        if not level:
            del self._levels[depth]
        return depth, entry

    def __len__(self) -> int:
        return sum(map(len, self._levels.values()))


def pack_entry(lru: str, raw: str | None) -> bytes:
    """A queued page as bytes: its LRU, or the URL as found when that is not the LRU's own."""
    return (lru if raw is None else raw).encode("utf-8", "surrogatepass")


class CrawlState:
    """One job. Depths and page states live in `seen`; queues hold entries, some of them outdated by a
    shorter way.

    `active_seconds` is crawling time before `running_since` (None while paused); `ended` is (reason,
    words) once over.
    """

    __slots__ = (
        "_hosts",
        "active_seconds",
        "agent",
        "corpus_id",
        "cutter",
        "ended",
        "expand",
        "in_flight",
        "job_id",
        "left_scope",
        "max_crawl_delay_seconds",
        "max_depth",
        "n_answers",
        "n_bytes",
        "n_done",
        "n_expanding",
        "n_queued",
        "n_retrying",
        "n_traps",
        "proxy",
        "queues",
        "running_since",
        "scope",
        "scores",
        "seen",
        "spec",
    )

    def __init__(
        self,
        corpus_id: str,
        job_id: int,
        spec: JobSpec,
        cutter: UrlCutter,
        *,
        agent: str,
        counters: JobCounters | None = None,
        active_seconds: float = 0.0,
        max_crawl_delay_seconds: float = MAX_CRAWL_DELAY_SECONDS,
    ) -> None:
        counters = counters or JobCounters()
        self.corpus_id = corpus_id
        self.job_id = job_id
        self.spec = spec
        self.cutter = cutter
        self.agent = spec.user_agent or agent
        self.proxy = spec.proxy
        self.max_depth = min(spec.max_depth, MAX_DEPTH_KEPT)
        self.max_crawl_delay_seconds = max_crawl_delay_seconds
        self.scope = Scope(spec.follow_prefixes, spec.nofollow_prefixes)
        self.seen = SeenTable()
        self.scores = JobScores() if spec.order is CrawlOrder.OPIC else None
        self.queues: dict[HostKey, HostQueue | ScoredQueue] = {}
        self.in_flight: set[Ticket] = set()
        self.expand: deque[str] = deque()
        self.n_expanding = 0
        self.n_queued = 0
        self.n_retrying = 0
        self.n_answers = counters.n_answers
        self.n_bytes = counters.n_bytes
        self.n_done = counters.n_pages
        self.n_traps = 0
        self.left_scope: str | None = None
        self.active_seconds = active_seconds
        self.running_since: float | None = None
        self.ended: tuple[EndReason, str] | None = None
        self._hosts: dict[str, HostKey] = {}

    @property
    def is_running(self) -> bool:
        """Whether requests may go out for it."""
        return self.ended is None and self.running_since is not None

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits and nothing is under way: with nothing left to expand, the job is
        complete."""
        return not (self.n_queued or self.in_flight or self.n_retrying or self.expand or self.n_expanding)

    @property
    def has_room(self) -> bool:
        """Whether the page budget allows one more answer, those under way and to be retried included."""
        limit = self.spec.max_pages
        return limit is None or self.n_answers + len(self.in_flight) + self.n_retrying < limit

    def seconds_used(self, now: float) -> float:
        """Crawling time so far, pauses excluded."""
        running = now - self.running_since if self.running_since is not None else 0.0
        return self.active_seconds + running

    def deadline(self) -> float | None:
        """The moment the time limit ends the job, on the frontier's clock; None while paused or without
        limit."""
        if self.spec.time_limit_seconds is None or self.running_since is None:
            return None
        return self.running_since + self.spec.time_limit_seconds - self.active_seconds

    def depth_of(self, lru: str) -> int:
        """The least depth known of a page; 0 for one never heard of."""
        value = self.seen.get(lru)
        return 0 if value == ABSENT else value >> 2

    def host_of(self, lru: str) -> HostKey:
        """The host a page is asked from. Hosts are remembered by the LRU's head, boundedly."""
        head = head_of(lru)
        key = self._hosts.get(head)
        if key is None:
            if len(self._hosts) >= _MEMO_SIZE:
                self._hosts.clear()
            key = self._hosts[head] = host_key(lru_to_url(head), self.proxy)
        return key

    def open_entry(self, entry: bytes) -> tuple[str, str]:
        """(LRU, URL to send) of a queued page."""
        text = entry.decode("utf-8", "surrogatepass")
        if text.startswith("s:"):
            return text, request_url(lru_to_url(text))
        lru = self.cutter.lru(text)
        try:
            return lru, request_url(text)
        except BadUrl:
            return lru, request_url(lru_to_url(lru))

    def new_queue(self) -> HostQueue | ScoredQueue:
        """A queue for pages of one host, in the order of the job."""
        return HostQueue() if self.scores is None else ScoredQueue(self._score_of_entry)

    def _score_of_entry(self, entry: bytes) -> float:
        assert self.scores is not None
        text = entry.decode("utf-8", "surrogatepass")
        return self.scores.of(text if text.startswith("s:") else self.cutter.lru(text))

    def iter_start_pages(self) -> Iterator[tuple[str, str | None]]:
        """(LRU, raw URL) of the start pages in scope, in order; those that are none are passed over."""
        for url in self.spec.start_urls:
            try:
                lru = self.cutter.lru(url)
            except BadUrl:
                continue
            if self.scope.follows(lru):
                yield lru, None if url == lru_to_url(lru) else url

    def note_exit(self, target: str, depth: int) -> None:
        """Remember where a start page's redirect leads when that is out of scope."""
        if not depth and not self.scope.follows(target):
            self.left_scope = target

    def forget_queues(self) -> None:
        """Drop all that waits: the job is over."""
        self.queues.clear()
        self.expand.clear()
        self.n_queued = 0

    def mark(self, lru: str, state: PageState) -> None:
        """Change a page's state, keeping its depth."""
        self.seen.put(lru, self.depth_of(lru), state)
