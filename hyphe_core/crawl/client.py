"""The crawler's HTTP client, on aiohttp: requests sent verbatim, bodies bounded while they stream.

No cookies, redirects, decompression, environment or verified certificates: what a server says is the data.
Time limits and cancellation are the caller's.
"""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Final

from aiohttp import (
    BasicAuth,
    ClientConnectorDNSError,
    ClientPayloadError,
    ClientRequest,
    ClientResponse,
    ClientResponseError,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    InvalidURL,
    TCPConnector,
)
from aiohttp.http import HttpProcessingError
from multidict import CIMultiDict, istr
from twisted.web.http_headers import Headers
from yarl import URL

from hyphe_core.crawl.answers import WANTED_HEADERS
from hyphe_core.crawl.name_lookup import NameLookup
from hyphe_core.crawl.page_work import Answer
from hyphe_core.crawl.resolver import KEEP_SECONDS, is_private_literal
from hyphe_core.errors import AddressRefused
from memory_structure.records import FetchError

if TYPE_CHECKING:
    from aiohttp.connector import Connection
    from aiohttp.typedefs import LooseHeaders

    from hyphe_core.crawl.tickets import Ticket
    from memory_structure.records import JobSpec

_WANTED: Final = tuple((name, istr(name)) for name in WANTED_HEADERS)
_PROXY_AUTHORIZATION: Final = istr("Proxy-Authorization")
_IDLE_SECONDS: Final = 15.0
_MAX_NAMES: Final = 10_000
_MAX_LINE_BYTES: Final = 64 * 1024
_MAX_HEADERS: Final = 10_000
_MAX_KEPT: Final = 5_000
_OP_LEGACY_SERVER_CONNECT: Final = 0x4


class OddExchange(Exception):
    """aiohttp cannot send this URL as it stands, or cannot read what came back; others may."""


class _Request(ClientRequest):
    """A request whose plain-HTTP proxy is simply the server it goes to: connections to the proxy serve all
    hosts, where aiohttp keeps one for each, and no second request object is made."""

    _asked: URL | None = None

    def update_proxy(
        self, proxy: URL | None, proxy_auth: BasicAuth | None, proxy_headers: LooseHeaders | None
    ) -> None:
        """Called once the headers, Host among them, are those of the URL asked for."""
        if proxy is None or self.is_ssl():
            super().update_proxy(proxy, proxy_auth, proxy_headers)
            return
        super().update_proxy(None, None, None)
        self._asked, self.url = self.url, proxy

    async def send(self, conn: Connection) -> ClientResponse:
        """Send it on a connection to the proxy, with the whole URL in the request line."""
        if self._asked is not None:
            self.url, self.proxy = self._asked, self.url
        return await super().send(conn)


class CrawlClient:
    """Two pools of connections: one reaches public addresses alone, the other serves jobs that may go
    anywhere and jobs with the operator's proxy. A connection opened for the second is never found by the
    first.

    Made in the running event loop.
    """

    def __init__(self) -> None:
        self._lookups = (NameLookup(only_public=True), NameLookup(only_public=False))
        self._guarded, self._open = (_new_session(lookup) for lookup in self._lookups)
        self._headers: dict[int, tuple[Headers, CIMultiDict[str]]] = {}
        self._proxies: dict[str, URL] = {}

    async def fetch(self, ticket: Ticket, headers: Headers) -> Answer:
        """As `get`, for a request of a crawl job."""
        return await self.get(ticket.url, ticket.job.spec, headers)

    async def get(self, address: str, spec: JobSpec, headers: Headers) -> Answer:
        """The answer at an address, whatever its status, and even when cut or too large.

        Raises OddExchange, AddressRefused, aiohttp.ClientError, OSError.
        """
        url = _verbatim(address)
        if not spec.allow_private_networks and is_private_literal(url.raw_host or ""):
            raise AddressRefused(f"{url.raw_host} is not a public address")
        try:
            if spec.proxy:
                session = self._guarded if spec.guards_proxy else self._open
                response = await self._through_proxy(session, url, headers, spec.proxy)
            else:
                session = self._open if spec.allow_private_networks else self._guarded
                response = await session.request(
                    "GET", url, headers=self._prepared(headers), allow_redirects=False
                )
        except InvalidURL as error:
            raise OddExchange(str(error)) from error
        except ClientConnectorDNSError as error:
            refused = error.os_error
            if isinstance(refused, AddressRefused):
                raise AddressRefused(*refused.args) from None
            raise
        except ClientResponseError as error:
            if isinstance(error.__cause__, HttpProcessingError):
                raise OddExchange(error.message) from error
            raise
        return await _read_answer(response, spec.max_body_bytes)

    async def _through_proxy(
        self, session: ClientSession, url: URL, headers: Headers, proxy: str
    ) -> ClientResponse:
        """Credentials go to the proxy alone: with the request, or with the CONNECT that opens a tunnel."""
        proxy_url = self._proxy_url(proxy)
        if session is self._guarded and is_private_literal(proxy_url.raw_host or ""):
            raise AddressRefused(f"the proxy {proxy_url.raw_host} is not at a public address")
        sent, to_proxy = self._prepared(headers), None
        if url.scheme == "https" and _PROXY_AUTHORIZATION in sent:
            to_proxy = {_PROXY_AUTHORIZATION: sent[_PROXY_AUTHORIZATION]}
            sent = sent.copy()
            del sent[_PROXY_AUTHORIZATION]
        return await session.request(
            "GET",
            url,
            headers=sent,
            allow_redirects=False,
            proxy=proxy_url,
            proxy_headers=to_proxy,
        )

    def _proxy_url(self, proxy: str) -> URL:
        """A proxy's address without its credentials, kept."""
        url = self._proxies.get(proxy)
        if url is None:
            if len(self._proxies) >= _MAX_KEPT:
                self._proxies.clear()
            url = URL(proxy if "://" in proxy else f"http://{proxy}").with_user(None)
            self._proxies[proxy] = url
        return url

    def _prepared(self, headers: Headers) -> CIMultiDict[str]:
        """The headers of a job in aiohttp's form, kept by identity: a job's requests share one object."""
        kept = self._headers.get(id(headers))
        if kept is not None and kept[0] is headers:
            return kept[1]
        if len(self._headers) >= _MAX_KEPT:
            self._headers.clear()
        prepared = CIMultiDict(
            (name.decode("latin-1"), value.decode("utf-8", "surrogateescape"))
            for name, values in headers.getAllRawHeaders()
            for value in values
        )
        self._headers[id(headers)] = (headers, prepared)
        return prepared

    async def close(self) -> None:
        """Close all connections."""
        for session in (self._guarded, self._open):
            await session.close()
        for lookup in self._lookups:
            await lookup.close()


def _new_session(lookup: NameLookup) -> ClientSession:
    """The frontier bounds what is under way, so the pools do not."""
    connector = TCPConnector(
        limit=0,
        ssl=_make_tls_context(),
        resolver=lookup,
        ttl_dns_cache=int(KEEP_SECONDS),
        dns_cache_max_size=_MAX_NAMES,
        keepalive_timeout=_IDLE_SECONDS,
    )
    return ClientSession(
        connector=connector,
        request_class=_Request,
        cookie_jar=DummyCookieJar(),
        timeout=ClientTimeout(),
        auto_decompress=False,
        max_line_size=_MAX_LINE_BYTES,
        max_field_size=_MAX_LINE_BYTES,
        max_headers=_MAX_HEADERS,
    )


def _make_tls_context() -> ssl.SSLContext:
    """TLS with any server there is: nothing is verified, old versions and short keys are taken."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.options |= _OP_LEGACY_SERVER_CONNECT
    context.set_alpn_protocols(["http/1.1"])
    return context


def _verbatim(text: str) -> URL:
    """A URL whose text goes out as it is. Raises OddExchange when yarl would write it otherwise (an empty
    query, a port that is the default)."""
    try:
        url = URL(text, encoded=True)
        is_kept = str(url) == text and url.raw_user is None
    except ValueError as error:
        raise OddExchange(str(error)) from error
    if not is_kept:
        raise OddExchange(f"{text} would be sent as {url}")
    return url


async def _read_answer(response: ClientResponse, limit: int) -> Answer:
    """An answer with its body up to the limit. The connection is dropped unless the body was read whole."""
    answer = Answer(response.status, _wanted_headers(response), b"")
    content = response.content
    try:
        if content.at_eof():
            return answer
        length = response.content_length
        if length is not None and length > limit:
            return _too_large(answer, f"{length} bytes announced, {limit} allowed")
        await _read_body(response, answer, limit)
        return answer
    finally:
        if not content.is_eof():
            _abort(response)
        response.close()


async def _read_body(response: ClientResponse, answer: Answer, limit: int) -> None:
    content, room, parts = response.content, limit, []
    try:
        while data := await content.readany():
            room -= len(data)
            if room < 0:
                _too_large(answer, f"more than {limit} bytes")
                return
            parts.append(data)
    except (ClientPayloadError, OSError):
        # What had come and was not read yet lies behind the error.
        content.set_exception(None)  # type: ignore[arg-type]
        parts.append(content.read_nowait()[:room])
        answer.error = FetchError.TRUNCATED
        answer.error_detail = "the body ended before its announced length"
    answer.body = parts[0] if len(parts) == 1 else b"".join(parts)


def _too_large(answer: Answer, detail: str) -> Answer:
    answer.error, answer.error_detail = FetchError.TOO_LARGE, detail
    return answer


def _abort(response: ClientResponse) -> None:
    """End a connection without waiting for its peer, which may send for ever."""
    connection = response.connection
    if connection is not None and connection.transport is not None:
        connection.transport.abort()


def _wanted_headers(response: ClientResponse) -> dict[str, list[str]]:
    headers = response.headers
    found: dict[str, list[str]] = {}
    for name, key in _WANTED:
        if key in headers:
            found[name] = [_text(value) for value in headers.getall(key)]
    return found


def _text(value: str) -> str:
    """A header value: UTF-8 when it is that, else Latin-1 (aiohttp gives other bytes as lone surrogates)."""
    if value.isascii():
        return value
    raw = value.encode("utf-8", "surrogateescape")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
