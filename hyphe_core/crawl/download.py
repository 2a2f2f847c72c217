"""The download handler: one request at a time that can be ended, bodies bounded while they stream.

Built on Scrapy's HTTP/1.1 handler (connection pool, lenient header parser, TLS, tunnels through proxies);
the reading of answers is ours: Scrapy's sends a signal for each chunk, drops the status of an answer over
the limit, and has no way to end one request.
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
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError
from scrapy.http import Response
from scrapy.utils._download_handlers import wrap_twisted_exceptions
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.client import URI, HTTPConnectionPool, ResponseDone
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers
from twisted.web.iweb import UNKNOWN_LENGTH

from hyphe_core.crawl.page_work import Answer
from hyphe_core.crawl.resolver import is_private_literal, resolving_for
from hyphe_core.crawl.tickets import Ticket
from hyphe_core.crawl.tolerant_http import TolerantFactory
from hyphe_core.errors import AddressRefused
from memory_structure.records import FetchError

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

_WANTED_HEADERS: Final = (
    "content-type",
    "content-encoding",
    "location",
    "retry-after",
    "x-robots-tag",
    "content-language",
    "link",
)
_WANTED: Final = tuple((name, name.encode()) for name in _WANTED_HEADERS)
_MAX_AGENTS: Final = 1000
_MAX_ENDPOINTS: Final = 1000


class AnsweredResponse(Response):
    """Scrapy's response as an envelope: all we read of it is `answer`."""

    def __init__(self, url: str, answer: Answer) -> None:
        super().__init__(url, status=answer.status)
        self.answer = answer


class JobDownloadHandler(HTTP11DownloadHandler):
    """Downloads for tickets (`request.meta["ticket"]`), with the proxy, limits and permissions of their jobs.

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

    async def download_request(self, request: Request) -> Response:
        """The answer, whatever its status and even when cut or too large; an exception when there was
        none."""
        ticket: Ticket = request.meta["ticket"]
        if ticket.cancelled:
            raise DownloadCancelledError("the job ended")
        _refuse_private_target(ticket)
        task = asyncio.current_task()
        ticket.task = task
        resolving_for.set(ticket)
        try:
            with wrap_twisted_exceptions():
                answered: Response = await self._begin(request, ticket).asFuture(asyncio.get_running_loop())
                return answered
        except asyncio.CancelledError:
            # Scrapy's downloader knows no CancelledError (a BaseException): it would lose the request for
            # ever.
            if task is not None:
                task.uncancel()
            raise DownloadCancelledError("the job ended") from None
        except Exception as error:
            if ticket.refused_address:
                raise AddressRefused(f"{ticket.refused_address} is not a public address") from error
            raise
        finally:
            ticket.task = None

    def _begin(self, request: Request, ticket: Ticket) -> Deferred[Any]:
        agent = self._agent(request, ticket)
        headers: Headers = request.meta["tx_headers"]
        if isinstance(agent, _TunnelingAgent):
            headers = headers.copy()
            headers.removeHeader(b"Proxy-Authorization")
        return _Exchange(request.url, ticket.job.spec.max_body_bytes, ticket.job.spec.timeout_seconds).start(
            agent.request(b"GET", request.url.encode("ascii"), headers, None)
        )

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
    """Through a proxy DNS is not ours: only addresses written out can be refused."""
    spec = ticket.job.spec
    if spec.proxy and not spec.allow_private_networks:
        host = urlsplit(ticket.url).hostname or ""
        if is_private_literal(host):
            raise AddressRefused(f"{host} is not a public address")


class _Exchange:
    """One request and its answer, with a time limit over the whole."""

    def __init__(self, url: str, limit: int, timeout_seconds: float) -> None:
        self._url = url
        self._limit = limit
        self._timeout_seconds = timeout_seconds
        self._is_late = False
        self._deferred: Deferred[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self, requested: Deferred[Any]) -> Deferred[Any]:
        """A Deferred of an AnsweredResponse."""
        self._deferred = requested.addCallback(self._head_came)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._timeout_seconds, self._time_is_up)
        return requested.addBoth(self._finish)

    def _time_is_up(self) -> None:
        self._is_late = True
        if self._deferred is not None:
            self._deferred.cancel()

    def _finish(self, result: Any) -> Any:
        if self._timer is not None:
            self._timer.cancel()
        if self._is_late and isinstance(result, Failure):
            raise DownloadTimeoutError(f"no whole answer within {self._timeout_seconds:g} seconds")
        return result

    def _head_came(self, response: Any) -> Any:
        answer = Answer(int(response.code), _wanted_headers(response.headers), b"")
        length = response.length
        if length == 0:
            return AnsweredResponse(self._url, answer)
        if length is not UNKNOWN_LENGTH and length > self._limit:
            response._transport._producer.abortConnection()
            answer.error = FetchError.TOO_LARGE
            answer.error_detail = f"{length} bytes announced, {self._limit} allowed"
            return AnsweredResponse(self._url, answer)
        finished: Deferred[Any] = Deferred(lambda _: response._transport._producer.abortConnection())
        response.deliverBody(_BodyReader(self._url, answer, self._limit, finished))
        return finished


class _BodyReader(Protocol):
    """Collects a body up to the limit. A body that ends early is kept, with error TRUNCATED."""

    def __init__(self, url: str, answer: Answer, limit: int, finished: Deferred[Any]) -> None:
        self._url = url
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
        self._finished.callback(AnsweredResponse(self._url, self._answer))


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
