"""The records that go in and out of the memory structure. All are immutable values.

Moments are aware UTC `datetime`, durations seconds, sizes bytes. LRUs are canonical texts (see
`memory_structure.lru`). `NamedTuple` is used where millions of instances are made (a frozen dataclass costs
four times as much)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import NamedTuple

from memory_structure.parse_options import CrawlOrder
from memory_structure.parses import PageParse


class LinkKind(IntEnum):
    """How a page points at another. Head and feed links enter networks only on request."""

    HYPERLINK = 0
    FRAME = 1
    REDIRECT = 2
    REFRESH = 3
    HEAD = 4
    FEED = 5


NETWORK_KINDS = frozenset({LinkKind.HYPERLINK, LinkKind.FRAME, LinkKind.REDIRECT, LinkKind.REFRESH})


class Area(IntEnum):
    """The part of the page a link stands in: its nearest landmark ancestor, else MAIN."""

    MAIN = 0
    NAV = 1
    HEADER = 2
    FOOTER = 3
    ASIDE = 4


class WebEntityStatus(StrEnum):
    """What the researcher decided of a web entity. DISCOVERED: found by links, not judged yet."""

    IN = "IN"
    OUT = "OUT"
    UNDECIDED = "UNDECIDED"
    DISCOVERED = "DISCOVERED"


class FetchError(StrEnum):
    """Why an attempt gave no usable answer. A fetch without error has an HTTP status and a whole body."""

    TIMEOUT = "timeout"
    DNS = "dns"
    CONNECTION = "connection"
    TLS = "tls"
    PROXY = "proxy"
    ROBOTS = "robots"
    TOO_LARGE = "too_large"
    TRUNCATED = "truncated"
    PRIVATE_ADDRESS = "private_address"
    BAD_ANSWER = "bad_answer"
    BAD_ENCODING = "bad_encoding"
    PARSER = "parser"
    TRAP = "trap"
    INTERNAL = "internal"


class FoundLink(NamedTuple):
    """A link of a page, merged by (target, kind). `raw` is the absolute URL as found when it is not the key's
    own."""

    target_lru: str
    kind: LinkKind
    count: int  # type: ignore[assignment]  # named as people name it; tuple.count is never used here
    anchor: str
    rel: str
    area: Area
    raw: str | None


@dataclass(frozen=True, slots=True)
class Fetch:
    """One attempt to fetch a page, and what its answer said.

    `status` is None when no HTTP answer came; `error` is None when the answer was whole. `attempt` counts
    from 1 within the job; `final` marks the one that counts for the job. `depth` is in clicks from a start
    page. `digest` is the SHA-256 (hex) of the original body, None when no body is kept. `redirect_lru` is the
    target of a 3xx answer or of an immediate meta refresh. `follow` is False when links of the page must not
    be followed (nofollow). `n_links` counts page links stored, `n_self_links` links to the page itself,
    `n_links_cut` those over a limit or unreadable."""

    job_id: int
    fetched_at: datetime
    duration_seconds: float = 0.0
    attempt: int = 1
    final: bool = True
    depth: int = 0
    status: int | None = None
    error: FetchError | None = None
    error_detail: str = ""
    content_type: str = ""
    encoding: str = ""
    size_bytes: int = 0
    digest: str | None = None
    title: str = ""
    language: str = ""
    canonical: str = ""
    redirect_lru: str | None = None
    follow: bool = True
    n_links: int = 0
    n_self_links: int = 0
    n_links_cut: int = 0


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as a crawl hands it over: its key, how it was asked for, the attempts (last one final), its
    links.

    `raw_url` is the URL sent when it is not the key's own readable form. `text` is the page's visible text,
    `parse` what else the parser found, None when nothing was parsed.
    Links replace those of the previous fetch when the final attempt has no error; otherwise the old links
    stay."""

    lru: str
    attempts: tuple[Fetch, ...]
    links: tuple[FoundLink, ...] = ()
    raw_url: str | None = None
    text: str = ""
    parse: PageParse | None = None

    @property
    def fetch(self) -> Fetch:
        """The final attempt."""
        return self.attempts[-1]


class DepthChange(NamedTuple):
    """A page turned out to be nearer to the start pages of a job than its stored fetch says."""

    job_id: int
    lru: str
    depth: int


@dataclass(frozen=True, slots=True)
class Batch:
    """What one transaction writes: fetched pages in order, and corrections of depth."""

    pages: tuple[FetchedPage, ...]
    depth_changes: tuple[DepthChange, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What a batch changed. A batch written before changes nothing: every count is 0 and `n_pages_known` is
    their number."""

    n_pages_stored: int
    n_pages_known: int
    n_pages_new: int
    n_links: int
    created_web_entity_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A page as stored. `fetch` is its last final attempt, None when it was never fetched. `node` is an
    LRU."""

    page_id: int
    lru: str
    url: str
    web_entity_id: int
    node: str
    raw_url: str | None
    first_seen_at: datetime
    fetch: Fetch | None


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A page link as stored, with both ends readable. Identity: (source, target, kind)."""

    source_page_id: int
    target_page_id: int
    source_lru: str
    target_lru: str
    source_web_entity_id: int
    target_web_entity_id: int
    kind: LinkKind
    count: int
    anchor: str
    rel: str
    area: Area
    raw: str | None


class StartPage(NamedTuple):
    """A start page of a web entity and where it came from: `user`, `auto` or `crawl`."""

    url: str
    source: str


# (namespace, category, value)
Tag = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class WebEntity:
    """A web entity: an actor of the web, made of LRU prefixes. `tags`: (namespace, category, value),
    sorted."""

    web_entity_id: int
    name: str
    status: WebEntityStatus
    prefixes: tuple[str, ...]
    created_at: datetime
    modified_at: datetime
    homepage: str | None = None
    start_pages: tuple[StartPage, ...] = ()
    tags: tuple[Tag, ...] = ()
    note: str = ""
    n_pages: int = 0
    n_pages_fetched: int = 0


class WeightedLink(NamedTuple):
    """A link between two web entities, or two nodes: number of distinct (source page, target page) links."""

    source_id: int
    target_id: int
    weight: int


class Degrees(NamedTuple):
    """Numbers of distinct neighbours of a web entity, itself excluded."""

    indegree: int
    outdegree: int
    undirected: int


class NodeLink(NamedTuple):
    """A link between two nodes, named by their LRUs."""

    source_lru: str
    target_lru: str
    weight: int


class JobState(StrEnum):
    """States of a crawl job; the legal moves are in `memory_structure.jobs`."""

    PENDING = "pending"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELED = "canceled"
    FAILED = "failed"


class EndReason(StrEnum):
    """Why a crawl job ended (or stands still); `Job.reason` says it in words."""

    NONE = ""
    COMPLETE = "complete"
    MAX_PAGES = "max_pages"
    MAX_BYTES = "max_bytes"
    TIME_LIMIT = "time_limit"
    CANCELED = "canceled"
    PAUSED = "paused"
    NO_START_PAGE = "no_start_page"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class JobSpec:
    """What a crawl job was asked to do; frozen at launch.

    `start_urls` as to be requested. A page is in scope when its longest matching prefix among both lists is a
    follow prefix. Budgets of None are without limit; `max_pages` counts final attempts that got an HTTP
    answer, redirects included; `time_limit_seconds` excludes pauses. `cookies` is a Cookie header value.
    `proxy` is a URL; `guards_proxy` when a client named it, who may not name a private address.
    `follow_feeds`: links of feeds and sitemaps are followed as those of pages are. Depths do not depend on
    `order`."""

    web_entity_id: int | None
    start_urls: tuple[str, ...]
    follow_prefixes: tuple[str, ...]
    nofollow_prefixes: tuple[str, ...] = ()
    max_depth: int = 1
    max_pages: int | None = None
    max_bytes: int | None = None
    time_limit_seconds: float | None = None
    delay_seconds: float = 1.0
    per_host: int = 1
    obey_robots: bool = True
    obey_crawl_delay: bool = True
    user_agent: str = ""
    cookies: str = ""
    proxy: str | None = None
    guards_proxy: bool = False
    allow_private_networks: bool = False
    timeout_seconds: float = 30.0
    n_retries: int = 2
    max_body_bytes: int = 10 * 1024 * 1024
    follow_feeds: bool = False
    order: CrawlOrder = CrawlOrder.BREADTH


@dataclass(frozen=True, slots=True)
class JobCounters:
    """What a job has stored so far; changed in the same transaction as the pages."""

    n_pages: int = 0
    n_answers: int = 0
    n_200: int = 0
    n_3xx: int = 0
    n_errors: int = 0
    n_robots: int = 0
    n_links: int = 0
    n_new_pages: int = 0
    n_bytes: int = 0
    max_depth_reached: int = 0


class Review(NamedTuple):
    """What somebody said of a crawl job after looking at it; `actor` is "" when nobody said who."""

    note: str
    actor: str
    reviewed_at: datetime


@dataclass(frozen=True, slots=True)
class Job:
    """A crawl job. `active_seconds` is crawling time without pauses. `previous_*` name an entity that is
    gone. `review` is the last thing said of it, also when it is no longer `reviewed`."""

    job_id: int
    spec: JobSpec
    state: JobState
    end: EndReason
    reason: str
    counters: JobCounters
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    active_seconds: float = 0.0
    reviewed: bool = False
    previous_web_entity_id: int | None = None
    previous_web_entity_name: str = ""
    review: Review | None = None


class JobPage(NamedTuple):
    """A page a job has done: what a resumed crawl needs to know of it."""

    page_id: int
    lru: str
    depth: int
    follow: bool
    status: int | None


class JobOutcomes(NamedTuple):
    """Final attempts of a job, counted. `by_outcome`: (status or error, number), by outcome; `by_depth`:
    (clicks, number), by clicks; `by_type`: (media type of whole answers, number), most first. `n_bare` counts
    pages with status 200 and no link at all, `n_links_cut` links dropped (over a limit, or no web address),
    `n_nofollow` pages with links that must not be followed."""

    by_outcome: tuple[tuple[str, int], ...]
    by_depth: tuple[tuple[int, int], ...]
    by_type: tuple[tuple[str, int], ...]
    n_links: int
    n_links_cut: int
    n_bare: int
    n_nofollow: int


class LogEntry(NamedTuple):
    """A line of the log of a corpus; `job_id` is None for what concerns the corpus, `kind` is a word such as
    CRAWL_FINISHED."""

    logged_at: datetime
    job_id: int | None
    kind: str
    message: str
