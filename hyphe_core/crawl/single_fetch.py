"""Single documents fetched here and now, with the manners of a crawl but without its queue and its store.

robots.txt is asked first, redirects are followed, requests to one host have a pause between them; private
addresses are refused and bodies bounded by the very client that crawls use.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Final
from urllib.parse import urlsplit

from hyphe_core.clock import monotonic
from hyphe_core.config import Config
from hyphe_core.crawl.client import CrawlClient
from hyphe_core.crawl.decoding import BodyOverLimit, UndecodableBody, decode_body
from hyphe_core.crawl.failures import classify_failure
from hyphe_core.crawl.page_work import READ_HEADERS, REDIRECT_STATUSES, Answer
from hyphe_core.crawl.request_headers import request_headers
from hyphe_core.crawl.robots import (
    ALLOW_ALL,
    MAX_ROBOTS_BYTES,
    MAX_ROBOTS_REDIRECTS,
    RobotsRules,
    judge_robots,
)
from hyphe_core.errors import AddressRefused, BodyTooLarge, FetchFailed, WebFault
from memory_structure.corpus_records import CorpusOptions
from memory_structure.records import FetchError, JobSpec
from memory_structure.urls import BadUrl, UrlPolicy, clean_user_url, join_url, request_url

MAX_REDIRECTS: Final = 5


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """What a server sent. `url` is the address that answered, after those of `trail`; `headers` are those
    that parsers read."""

    url: str
    status: int
    content_type: str | None
    headers: tuple[tuple[str, str], ...]
    body: bytes
    trail: tuple[str, ...] = ()


def spec_of_visit(config: Config, options: CorpusOptions | None = None) -> JobSpec:
    """The manners of single requests: those of a crawl of the corpus, else of the configuration."""
    own = options.proxy if options is not None else None
    return JobSpec(
        web_entity_id=None,
        start_urls=(),
        follow_prefixes=(),
        delay_seconds=config.delay_seconds if options is None else options.delay_seconds,
        obey_robots=config.obey_robots if options is None else options.obey_robots,
        obey_crawl_delay=config.obey_crawl_delay,
        user_agent=(options.user_agent if options is not None else "") or config.user_agent,
        proxy=own or config.proxy,
        guards_proxy=bool(own) and own != config.proxy,
        allow_private_networks=config.allow_private_networks
        or (options is not None and options.allow_private_networks),
        timeout_seconds=config.timeout_seconds,
        max_body_bytes=config.max_body_bytes,
    )


class DocumentFetcher:
    """Fetches documents one after the other. Used in a running event loop, as an async context."""

    def __init__(self, spec: JobSpec, max_crawl_delay_seconds: float = 30.0) -> None:
        self._spec = spec
        self._max_crawl_delay = max_crawl_delay_seconds if spec.obey_crawl_delay else 0.0
        self._headers = request_headers(spec.user_agent, spec.proxy)
        self._rules: dict[str, RobotsRules] = {}
        self._free_at: dict[str, float] = {}
        self._client: CrawlClient | None = None

    async def __aenter__(self) -> DocumentFetcher:
        self._client = CrawlClient()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.close()

    async def find_refusal(self, url: str) -> str | None:
        """Why robots.txt keeps crawls from an address, in words; None when it does not, when it is not obeyed
        or when the host does not answer. Raises BadUrl for what is no address of the web."""
        if not self._spec.obey_robots:
            return None
        sent = self._request_url(url)
        try:
            rules = await self._rules_of(_origin_of(sent))
        except WebFault:
            return None
        return None if rules.allows(sent) else rules.detail

    def _request_url(self, url: str) -> str:
        policy = UrlPolicy(allow_single_label_hosts=self._spec.allow_private_networks)
        return request_url(clean_user_url(url, policy))

    async def fetch(self, url: str) -> FetchedDocument:
        """The document at an address, redirects followed. Raises WebFault in words (AddressRefused,
        BodyTooLarge, FetchFailed), BadUrl for what is no address of the web."""
        here = self._request_url(url)
        trail: list[str] = []
        while True:
            answer = await self._visit(here)
            target = _find_target(here, answer)
            if target is None:
                return _document_of(here, answer, tuple(trail), self._spec.max_body_bytes)
            trail.append(here)
            if len(trail) > MAX_REDIRECTS or target in trail:
                raise FetchFailed(f"{url}: redirects without end")
            here = target

    async def _visit(self, url: str) -> Answer:
        origin = _origin_of(url)
        rules = await self._rules_of(origin) if self._spec.obey_robots else ALLOW_ALL
        if not rules.allows(url):
            raise FetchFailed(f"{url}: {rules.detail}")
        wait = self._free_at.get(origin, 0.0) - monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        try:
            return await self._get(url)
        finally:
            pause = max(self._spec.delay_seconds, min(rules.crawl_delay, self._max_crawl_delay))
            self._free_at[origin] = monotonic() + pause

    async def _get(self, url: str) -> Answer:
        assert self._client is not None  # the context was entered
        try:
            async with asyncio.timeout(self._spec.timeout_seconds):
                return await self._client.get(url, self._spec, self._headers)
        except TimeoutError:
            raise FetchFailed(f"{url}: no whole answer in {self._spec.timeout_seconds:g} seconds") from None
        except AddressRefused as error:
            raise AddressRefused(f"{url}: {error}") from None
        except Exception as error:  # whatever the network library makes of what a server sends
            raise FetchFailed(f"{url}: {_words(error, self._spec)}") from None

    async def _rules_of(self, origin: str) -> RobotsRules:
        rules = self._rules.get(origin)
        if rules is None:
            rules = self._rules[origin] = await self._ask_for_rules(origin)
        return rules

    async def _ask_for_rules(self, origin: str) -> RobotsRules:
        """The rules of a host. Raises WebFault when they cannot be had: nothing is asked of it then."""
        url = f"{origin}/robots.txt"
        answer = await self._get(url)
        for _ in range(MAX_ROBOTS_REDIRECTS):
            target = _find_target(url, answer)
            if target is None:
                break
            url, answer = target, await self._get(target)
        error = answer.error if answer.error is not FetchError.TOO_LARGE else None
        return judge_robots(self._spec.user_agent, answer.status, error, _robots_body(answer))


def _robots_body(answer: Answer) -> bytes:
    try:
        return decode_body(answer.body, answer.headers.get("content-encoding", []), 4 * MAX_ROBOTS_BYTES)
    except (BodyOverLimit, UndecodableBody):
        return b""


def _document_of(url: str, answer: Answer, trail: tuple[str, ...], limit: int) -> FetchedDocument:
    if answer.error is FetchError.TOO_LARGE:
        raise BodyTooLarge(f"{url}: {answer.error_detail}")
    if answer.error is not None:
        raise FetchFailed(f"{url}: {answer.error_detail or answer.error.value}")
    try:
        body = decode_body(answer.body, answer.headers.get("content-encoding", []), limit)
    except BodyOverLimit as error:
        raise BodyTooLarge(f"{url}: {error}") from None
    except UndecodableBody as error:
        raise FetchFailed(f"{url}: {error}") from None
    headers = tuple((name, value) for name in READ_HEADERS for value in answer.headers.get(name, ()))
    return FetchedDocument(url, answer.status, answer.header("content-type") or None, headers, body, trail)


def _find_target(url: str, answer: Answer) -> str | None:
    """Where a redirect leads; None for any other answer, and for a redirect to no address of the web."""
    location = answer.header("location").strip()
    if answer.status not in REDIRECT_STATUSES or not location:
        return None
    try:
        return request_url(join_url(url, location).partition("#")[0])
    except BadUrl:
        return None


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _words(error: Exception, spec: JobSpec) -> str:
    kind, detail = classify_failure(error, through_proxy=bool(spec.proxy))
    return f"{kind.value}: {detail}"[:300]
