"""JSON-RPC over HTTP: one Twisted resource that answers every path, framing and version.

Everything slow (a store, a big body, a big answer) happens in the threads of `Workroom`; the reactor only
passes
messages. HTTP status is 200 for whatever a call made of itself; others tell that no call was carried out:
204 nothing to
say, 403 wrong site, 405 wrong verb, 413 too large. Beside calls there are GET /health and GET /metrics.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from threading import Thread
from typing import Any, Generic, TypeVar, cast
from zlib import compressobj

from twisted.internet.defer import CancelledError, Deferred, ensureDeferred, gatherResults
from twisted.internet.interfaces import IReactorThreads
from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool
from twisted.web.server import NOT_DONE_YET, Request, Site
from txjsonrpc_ng.web.jsonrpc import JSONRPC

from hyphe_core.api.browser_access import BrowserAccess, is_loopback_name
from hyphe_core.api.call import Call, Caller
from hyphe_core.api.failures import Fault, FaultCode, internal_fault
from hyphe_core.api.framing import Body, Framing, Message, frame_batch, frame_fault, frame_result, read_body
from hyphe_core.api.methods import Bound
from hyphe_core.api.monitoring import METRICS_TYPE, Traffic, watch
from hyphe_core.api.service import Reply, Service
from hyphe_core.clock import monotonic
from memory_structure.errors import StoreError

T = TypeVar("T")

MAX_BATCH = 100
COOKIE = b"hyphe_session"
TOKEN_HEADER = "Auth-Token"  # noqa: S105  # the name of a header

_N_THREADS = 16
_MAX_WAITING = 2_000
_SMALL_BYTES = 32 * 1024
_GZIP_FROM_BYTES = 1_000
_MAX_IGNORED_FACTOR = 8

_log = logging.getLogger(__name__)


class Workroom:
    """The one place where blocking work leaves the reactor: a bounded pool of threads with a bounded
    queue."""

    def __init__(self, reactor: IReactorThreads, n_threads: int = _N_THREADS) -> None:
        self._reactor = reactor
        self._pool = ThreadPool(0, n_threads, "api")
        # Work that does not end in time must not keep the process alive.
        self._pool.threadFactory = _daemon_thread  # type: ignore[assignment]  # a factory, not the class
        self._n_waiting = 0

    def start(self) -> None:
        """Make threads available."""
        self._pool.start()

    def stop(self, patience_seconds: float = 2.0) -> None:
        """Wait a little for the work under way; what takes longer is given up. No work is taken any more."""
        self._n_waiting = _MAX_WAITING
        stopping = Thread(target=self._pool.stop, daemon=True)
        stopping.start()
        stopping.join(patience_seconds)

    def run(self, work: Callable[..., T], *arguments: object) -> Deferred[T]:
        """Do the work in a thread. Raises Fault at once when too much is waiting."""
        if self._n_waiting >= _MAX_WAITING:
            raise Fault(FaultCode.BUSY, "the service is overloaded; try again later")
        self._n_waiting += 1
        order = _Order(work, arguments)
        deferred: Deferred[T] = deferToThreadPool(self._reactor, self._pool, order.carry_out)
        deferred.addErrback(order.drop)
        return deferred.addBoth(self._done)

    @property
    def n_waiting(self) -> int:
        """Work under way or waiting."""
        return self._n_waiting

    def _done(self, result: T) -> T:
        self._n_waiting -= 1
        return result


def _daemon_thread(*arguments: Any, **named: Any) -> Thread:
    return Thread(*arguments, **named, daemon=True)


class _Order(Generic[T]):
    """Work waiting for a thread; dropped when its client left before it began."""

    def __init__(self, work: Callable[..., T], arguments: tuple[object, ...]) -> None:
        self._work = work
        self._arguments = arguments
        self._context = copy_context()  # who acts is known in the thread too
        self._is_dropped = False

    def carry_out(self) -> T:
        """Do the work, in a thread."""
        if self._is_dropped:
            raise CancelledError
        return self._context.run(self._work, *self._arguments)

    def drop(self, failure: Any) -> Failure:
        """Note that nobody waits any more, if that is what the failure says."""
        self._is_dropped = failure.check(CancelledError) is not None
        return cast(Failure, failure)


class BoundedRequest(Request):
    """A request whose body is kept only up to the site's limit; the rest is read and thrown away, then cut
    off."""

    n_received = 0

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802  # Twisted's name
        """Keep a piece of the body while it is within the limit."""
        self.n_received += len(data)
        if not self.is_too_large:
            super().handleContentChunk(data)  # type: ignore[no-untyped-call]  # Twisted's own
        elif self.n_received > _MAX_IGNORED_FACTOR * self._max_bytes:
            cast(Any, self.channel).loseConnection()

    @property
    def is_too_large(self) -> bool:
        """Whether more arrived than the limit."""
        return self.n_received > self._max_bytes

    @property
    def _max_bytes(self) -> int:
        return cast(ApiSite, cast(Any, self.channel).site).max_request_bytes


class ApiSite(Site):
    """The HTTP side of the service. Bodies are never parsed as forms, whatever type a client names."""

    displayTracebacks = False  # noqa: N815  # Twisted's name

    def __init__(self, resource: ApiResource, max_request_bytes: int, timeout_seconds: float = 120.0) -> None:
        super().__init__(  # type: ignore[no-untyped-call]  # Twisted's own
            resource, requestFactory=BoundedRequest, timeout=timeout_seconds, parsePOSTFormSubmission=False
        )
        self.max_request_bytes = max_request_bytes

    def log(self, request: Any) -> None:
        """No access log: polling clients would drown everything else."""


class ApiResource(JSONRPC):
    """The resource at every path."""

    isLeaf = 1  # noqa: N815  # Twisted's name

    def __init__(self, service: Service, workroom: Workroom) -> None:
        super().__init__()
        self._service = service
        self._work = workroom
        self._access = BrowserAccess.of(service.config)
        self._n_requests = 0
        self._started = monotonic()

    # -- HTTP ----------------------------------------------------------------------------------------------

    def render(self, request: Any) -> bytes | int:
        """Answer one HTTP request."""
        host, origin = _header(request, "host"), _header(request, "origin")
        request.setHeader("Content-Type", "application/json")
        request.setHeader("Cache-Control", "no-store")
        request.setHeader("X-Content-Type-Options", "nosniff")
        self._set_cors(request, origin, host)
        if not self._access.allows_host(host):
            return _refuse(request, 403, f"the name {str(host)[:100]} is not one of this service")
        if request.method == b"OPTIONS":
            request.setResponseCode(204)
            return b""
        if not self._may_call(request, origin, host):
            return _refuse(request, 403, f"pages of {str(origin)[:100]} may not call this service")
        if request.method == b"GET" and request.path in (b"/health", b"/metrics"):
            return self._start(request, self._watch)
        if request.method != b"POST":
            request.setHeader("Allow", "POST, OPTIONS")
            return _refuse(request, 405, "calls are sent by POST")
        if request.is_too_large:
            limit = self._service.config.max_request_bytes
            return _refuse(request, 413, f"the body is larger than {limit} bytes")
        self._n_requests += 1
        return self._start(request, self._answer)

    async def _watch(self, request: Any) -> None:
        """Answer those who watch the service; numbers beyond its health are for this machine and its
        administrator."""
        try:
            traffic = Traffic(self._n_requests, self._work.n_waiting, monotonic() - self._started)
            octets = await self._work.run(watch, self._service, request.path, self._caller(request), traffic)
        except (StoreError, Fault) as error:
            request.setResponseCode(503)
            octets = json.dumps({"ok": False, "message": str(error)}).encode()
        if octets is None:
            octets = _refuse(request, 403, "metrics are for this machine and the administrator")
        elif request.path == b"/metrics" and request.code == 200:
            request.setHeader("Content-Type", METRICS_TYPE)
        await self._send(request, octets)

    def _may_call(self, request: Any, origin: str | None, host: str | None) -> bool:
        if origin is not None or self._access.compatible:
            return self._access.allows_origin(origin, host)
        fetch_site, referer = _header(request, "sec-fetch-site"), _header(request, "referer")
        return self._access.trusts_without_origin(fetch_site, referer, host)

    def _caller(self, request: Any) -> Caller:
        """Cookies count for pages we trust only: browsers send them by themselves."""
        token = _token_in_headers(request)
        cookie = request.getCookie(COOKIE)
        origin, host = _header(request, "origin"), _header(request, "host")
        if not token and cookie and self._access.trusts_origin(origin, host):
            token = cookie.decode("ascii", "replace")
        return Caller(token or None, self._address(request))

    def _address(self, request: Any) -> str:
        """Where a request comes from; what a proxy says counts when it is on this machine."""
        peer = request.getClientAddress()
        address = str(getattr(peer, "host", ""))
        passed_on = (_header(request, "x-forwarded-for") or "").rpartition(",")[2].strip()
        return passed_on if passed_on and is_loopback_name(address) else address

    def _set_cors(self, request: Any, origin: str | None, host: str | None) -> None:
        allowed = self._access.cors_origin(origin, host)
        request.setHeader("Vary", "Origin, Accept-Encoding")
        if allowed is None:
            return
        request.setHeader("Access-Control-Allow-Origin", allowed)
        request.setHeader("Access-Control-Expose-Headers", TOKEN_HEADER)
        if allowed != "*":
            request.setHeader("Access-Control-Allow-Credentials", "true")
        if request.method == b"OPTIONS":
            request.setHeader("Access-Control-Allow-Methods", "POST, OPTIONS")
            request.setHeader("Access-Control-Allow-Headers", f"Content-Type, Authorization, {TOKEN_HEADER}")
            request.setHeader("Access-Control-Max-Age", "600")

    def _start(self, request: Any, answer: Callable[[Any], Coroutine[Any, Any, None]]) -> int:
        answering = ensureDeferred(answer(request))
        request.notifyFinish().addErrback(lambda _: answering.cancel())
        answering.addErrback(_say_unless_gone, request)
        return NOT_DONE_YET

    async def _answer(self, request: Any) -> None:
        request.content.seek(0)
        octets = request.content.read()
        body = await self._read(octets)
        caller = self._caller(request)
        if body.is_batch:
            answer = await self._answer_batch(request, body, caller)
        else:
            answer = await self._answer_message(request, body.messages[0], caller)
        if answer is None:
            request.setResponseCode(204)
            request.responseHeaders.removeHeader("Content-Type")
            request.finish()
            return
        await self._send(request, answer)

    async def _read(self, octets: bytes) -> Body:
        """Large bodies take long to parse."""
        if len(octets) <= _SMALL_BYTES:
            return read_body(octets, MAX_BATCH)
        try:
            return await self._work.run(read_body, octets, MAX_BATCH)
        except Fault as fault:
            return Body((Message(Framing.V2, None, fault=fault),), False)

    async def _send(self, request: Any, answer: bytes) -> None:
        accepted = _header(request, "accept-encoding") or ""
        if len(answer) >= _GZIP_FROM_BYTES and "gzip" in accepted.lower():
            request.setHeader("Content-Encoding", "gzip")
            answer = _gzip(answer) if len(answer) <= _SMALL_BYTES else await self._work.run(_gzip, answer)
        request.setHeader("Content-Length", str(len(answer)))
        request.write(answer)
        request.finish()

    # -- calls ---------------------------------------------------------------------------------------------

    async def _answer_batch(self, request: Any, body: Body, caller: Caller) -> bytes | None:
        """All calls of a batch at once; answers in order, none for notifications."""
        running = [ensureDeferred(self._answer_message(request, m, caller)) for m in body.messages]
        answers = [a for a in await gatherResults(running, consumeErrors=True) if a is not None]
        return frame_batch(answers) if answers else None

    async def _answer_message(self, request: Any, message: Message, caller: Caller) -> bytes | None:
        """The framed answer to one call, None for a notification: that one goes on by itself, its client may
        leave."""
        if not message.expects_answer:
            ensureDeferred(self._carry_out(request, message, caller)).addErrback(lambda _: None)
            return None
        try:
            return await self._carry_out(request, message, caller)
        except Fault as fault:
            return frame_fault(message, fault)
        except CancelledError:
            raise
        except Exception as error:
            _log.exception("the answer to %s could not be made", message.method)
            return frame_fault(message, internal_fault(error))

    async def _carry_out(self, request: Any, message: Message, caller: Caller) -> bytes:
        if message.empty:
            return b"[{}]"
        if message.fault is not None:
            raise message.fault
        bound = self._service.table.bind(message.method, message.params)
        if bound.method.is_async:
            reply = await self._carry_out_async(bound, caller)
            _set_session(request, reply)
            return frame_result(message, reply.value)
        if self._runs_inline(bound):
            return frame_result(message, self._service.answer_blocking(bound, caller).value)
        reply, framed = await self._work.run(self._answer_and_frame, bound, caller, message)
        _set_session(request, reply)
        return framed

    def _runs_inline(self, bound: Bound) -> bool:
        """Calls that only look at memory: they answer while every thread is busy."""
        return bound.method.is_inline or (bound.method.name == "ping" and bound.corpus_id is None)

    def _answer_and_frame(self, bound: Bound, caller: Caller, message: Message) -> tuple[Reply, bytes]:
        reply = self._service.answer_blocking(bound, caller)
        return reply, frame_result(message, reply.value)

    async def _carry_out_async(self, bound: Bound, caller: Caller) -> Reply:
        admitted = await self._work.run(self._service.admit_blocking, bound, caller)
        if isinstance(admitted, Call):
            return await self._service.answer_async(bound, admitted)
        return admitted


def _refuse(request: Any, status: int, words: str) -> bytes:
    request.setResponseCode(status)
    code = FaultCode.INVALID_REQUEST if status in (405, 413) else FaultCode.REFUSED
    return frame_fault(Message(Framing.V2, None), Fault(code, words))


def _say_unless_gone(failure: Any, request: Any) -> None:
    """Nobody waits for the answer of a client that left; anything else is a mistake of ours."""
    if failure.check(CancelledError) or request._disconnected:
        return
    _log.error("a request failed: %s", failure.getTraceback())
    request.setResponseCode(200)
    request.write(frame_fault(Message(Framing.V2, None), internal_fault(failure.value)))
    request.finish()


def _header(request: Any, name: str) -> str | None:
    """The first value of a header; whatever octets a client sends, it can be read."""
    values = request.requestHeaders.getRawHeaders(name.encode("ascii"))
    return values[0].decode("latin-1") if values else None


def _token_in_headers(request: Any) -> str:
    """The token of a request: from the token header, else from an Authorization header."""
    token = _header(request, TOKEN_HEADER)
    bearer = _header(request, "Authorization") or ""
    if not token and bearer.lower().startswith("bearer "):
        token = bearer[7:].strip()
    return token or ""


def _set_session(request: Any, reply: Reply) -> None:
    """Send the token of a session that was opened; or take the cookie of one that has ended away."""
    if reply.token is None:
        return
    is_secure = (_header(request, "origin") or "").lower().startswith("https:")
    ended = {} if reply.token else {"max_age": "0"}
    if reply.token:
        request.setHeader(TOKEN_HEADER, reply.token)
    request.addCookie(
        COOKIE, reply.token, path="/", secure=is_secure, httpOnly=True, sameSite="strict", **ended
    )


def _gzip(octets: bytes) -> bytes:
    """Gzip without a time stamp: the same answer gives the same bytes."""
    packer = compressobj(level=5, wbits=31)
    return packer.compress(octets) + packer.flush()


def make_site(service: Service, workroom: Workroom) -> ApiSite:
    """The site to listen with."""
    return ApiSite(ApiResource(service, workroom), service.config.max_request_bytes)


__all__ = ["ApiResource", "ApiSite", "Workroom", "make_site"]
