"""The client for servers whose answers are not quite HTTP: bodies bounded while they stream.

Built on Scrapy's HTTP/1.1 handler (connection pool, lenient header parser, TLS, tunnels through proxies);
the reading of answers is ours: Scrapy's sends a signal for each chunk and drops the status of an answer over
the limit. It takes what aiohttp refuses: header lines that are none, lengths given twice, bytes after the
body, URLs in unusual spellings. It costs several times as much, so few requests come here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _ScrapyAgent,
    _TunnelingAgent,
)
from scrapy.utils._download_handlers import wrap_twisted_exceptions
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.client import URI, HTTPConnectionPool, ResponseDone
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers
from twisted.web.iweb import UNKNOWN_LENGTH

from hyphe_core.crawl.answers import WANTED_HEADERS
from hyphe_core.crawl.page_work import Answer
from hyphe_core.crawl.resolver import is_private_literal, resolving_for
from hyphe_core.crawl.tickets import Ticket
from hyphe_core.crawl.tolerant_http import TolerantFactory
from hyphe_core.errors import AddressRefused
from memory_structure.records import FetchError

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

_WANTED: Final = tuple((name, name.encode()) for name in WANTED_HEADERS)
_MAX_AGENTS: Final = 1000
_MAX_ENDPOINTS: Final = 1000


class TolerantClient(HTTP11DownloadHandler):
    """Fetches for tickets, with the proxy, limits and permissions of their jobs.

    Connections of jobs that may reach private addresses are kept apart, so that no other job finds one open.
    """

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        from twisted.internet import reactor

        self._open_pool = HTTPConnectionPool(reactor, persistent=True)  # type: ignore[no-untyped-call]
        self._open_pool.maxPersistentPerHost = self._pool.maxPersistentPerHost
        self._pool._factory = self._open_pool._factory = TolerantFactory
        self._agents: dict[tuple[str | None, str, float, bool], Any] = {}

    async def fetch(self, request: Request, ticket: Ticket, headers: Headers) -> Answer:
        """The answer, whatever its status and even when cut or too large. Cancelling the task ends it; time
        limits are the caller's."""
        _refuse_private_target(ticket)
        resolving_for.set(ticket)
        with wrap_twisted_exceptions():
            begun = self._begin(request, ticket, headers)
            answer: Answer = await begun.asFuture(asyncio.get_running_loop())
            return answer

    def _begin(self, request: Request, ticket: Ticket, headers: Headers) -> Deferred[Any]:
        agent = self._agent(request, ticket)
        if isinstance(agent, _TunnelingAgent):
            headers = headers.copy()
            headers.removeHeader(b"Proxy-Authorization")
        limit = ticket.job.spec.max_body_bytes
        answering: Deferred[Any] = agent.request(b"GET", request.url.encode("ascii"), headers, None)
        return answering.addCallback(_head_came, limit)

    def _agent(self, request: Request, ticket: Ticket) -> Any:
        """A client for a proxy, a time limit and a permission, kept: making one for each request costs
        time."""
        spec = ticket.job.spec
        scheme = request.url.partition(":")[0] if spec.proxy else ""
        key = (spec.proxy, scheme, spec.timeout_seconds, spec.allow_private_networks)
        agent = self._agents.get(key)
        if agent is None:
            if len(self._agents) >= _MAX_AGENTS:
                self._agents.clear()
            maker = _ScrapyAgent(
                contextFactory=self._contextFactory,
                bindAddress=self._bind_address,
                pool=self._open_pool if spec.allow_private_networks else self._pool,
                crawler=self._crawler,
            )
            agent = self._agents[key] = maker._get_agent(request, spec.timeout_seconds)
            if not isinstance(agent, _TunnelingAgent):
                agent._getEndpoint = _remembering(agent._getEndpoint)  # type: ignore[method-assign]
        return agent

    async def close(self) -> None:
        """Close the connections kept open."""
        self._open_pool.closeCachedConnections()  # type: ignore[no-untyped-call]
        await super().close()


def _remembering(get_endpoint: Callable[[URI], Any]) -> Callable[[URI], Any]:
    """An agent's maker of endpoints that keeps them by origin, boundedly: an endpoint has no state of a
    connection."""
    kept: dict[tuple[bytes, bytes, int], Any] = {}

    def find(uri: URI) -> Any:
        key = (uri.scheme, uri.host, uri.port)
        endpoint = kept.get(key)
        if endpoint is None:
            if len(kept) >= _MAX_ENDPOINTS:
                kept.clear()
            endpoint = kept[key] = get_endpoint(uri)
        return endpoint

    return find


def _refuse_private_target(ticket: Ticket) -> None:
    """Through a proxy DNS is not ours: only addresses written out can be refused. Nor does it look up what
    is written out as the proxy's own."""
    spec = ticket.job.spec
    if spec.proxy and not spec.allow_private_networks:
        for url in (ticket.url, spec.proxy) if spec.guards_proxy else (ticket.url,):
            host = urlsplit(url).hostname or ""
            if is_private_literal(host):
                raise AddressRefused(f"{host} is not a public address")


def _head_came(response: Any, limit: int) -> Any:
    """An Answer, or a Deferred of one."""
    answer = Answer(int(response.code), _wanted_headers(response.headers), b"")
    length = response.length
    if length == 0:
        return answer
    if length is not UNKNOWN_LENGTH and length > limit:
        response._transport._producer.abortConnection()
        answer.error = FetchError.TOO_LARGE
        answer.error_detail = f"{length} bytes announced, {limit} allowed"
        return answer
    finished: Deferred[Any] = Deferred(lambda _: response._transport._producer.abortConnection())
    response.deliverBody(_BodyReader(answer, limit, finished))
    return finished


class _BodyReader(Protocol):
    """Collects a body up to the limit. A body that ends early is kept, with error TRUNCATED."""

    def __init__(self, answer: Answer, limit: int, finished: Deferred[Any]) -> None:
        self._answer = answer
        self._room = limit
        self._limit = limit
        self._finished = finished
        self._parts: list[bytes] = []

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        self._room -= len(data)
        if self._room >= 0:
            self._parts.append(data)
            return
        if not self._finished.called:
            self._parts.clear()
            self._end(FetchError.TOO_LARGE, f"more than {self._limit} bytes")
            self.transport._producer.abortConnection()  # type: ignore[union-attr]  # Twisted's TransportProxyProducer

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802
        if self._finished.called:
            return
        if isinstance(reason.value, (ResponseDone, PotentialDataLoss)):
            self._end(None, "")
        else:
            self._end(FetchError.TRUNCATED, "the body ended before its announced length")

    def _end(self, error: FetchError | None, detail: str) -> None:
        self._answer.body = b"".join(self._parts)
        self._answer.error, self._answer.error_detail = error, detail
        self._finished.callback(self._answer)


def _wanted_headers(headers: Headers) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, key in _WANTED:
        values = headers.getRawHeaders(key)
        if values:
            found[name] = [_text(value) for value in values]
    return found


def _text(value: bytes) -> str:
    """A header value as text: UTF-8 when it is that, else Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
