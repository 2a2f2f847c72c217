"""Asking a web server, here and now, what it answers at a URL: by the crawler's rules, without its queue."""

from __future__ import annotations

import base64
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from scrapy.core.downloader.contextfactory import _ScrapyClientContextFactory
from scrapy.core.downloader.handlers.http11 import TunnelError, _TunnelingAgent
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, wrapClientTLS
from twisted.internet.error import ConnectError, DNSLookupError
from twisted.internet.interfaces import IProtocol, IStreamClientEndpoint
from twisted.internet.threads import deferToThread
from twisted.web.client import URI, Agent, ProxyAgent
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgentEndpointFactory, IResponse
from zope.interface import implementer  # type: ignore[import-untyped]

from hyphe_core.api.failures import Refusal
from hyphe_core.crawl.addresses import is_public
from hyphe_core.crawl.resolver import is_private_literal
from hyphe_core.errors import AddressRefused
from memory_structure.urls import BadUrl, join_url, request_url

# Twisted leaves these without annotations.
_Agent: Any = Agent
_ProxyAgent: Any = ProxyAgent
_TlsPolicy: Any = _ScrapyClientContextFactory
_wrap_tls: Any = wrapClientTLS

UNREACHABLE = -1
PROXY_FAILED = -2

_PROXY_ERRORS = (ConnectError, DNSLookupError, TunnelError)


class ProxyRefused(AddressRefused):
    """The proxy lies at a private address, and is not the operator's."""


@implementer(IStreamClientEndpoint)
@dataclass(frozen=True, slots=True)
class GuardedEndpoint:
    """A connection to a host whose addresses were looked up, and refused when private, before connecting to
    one of them."""

    host: str
    port: int
    uses_tls: bool
    allow_private: bool
    timeout_seconds: float

    def connect(self, factory: Any) -> Deferred[IProtocol]:
        """Connect to the first address that answers. Fails with AddressRefused, DNSLookupError,
        ConnectError."""
        return ensureDeferred(self._connect(factory))

    async def _connect(self, factory: Any) -> IProtocol:
        addresses = await deferToThread(_resolve, self.host, self.port)
        allowed = [a for a in addresses if self.allow_private or is_public(a)]
        if not allowed:
            raise AddressRefused(f"{self.host} is at a private address")
        failure: Exception | None = None
        for address in allowed[:4]:
            try:
                return cast(IProtocol, await self._endpoint(address).connect(factory))
            except ConnectError as error:
                failure = error
        raise failure or AddressRefused(f"{self.host} has no address")

    def _endpoint(self, address: str) -> Any:
        kind = TCP6ClientEndpoint if ":" in address else TCP4ClientEndpoint
        plain = kind(_reactor(), address, self.port, timeout=self.timeout_seconds)
        return _wrap_tls(_tls_options(self.host, self.port), plain) if self.uses_tls else plain


def _tls_options(host: str, port: int) -> Any:
    """TLS as the crawler does it: a page with a bad certificate is still a page."""
    return _TlsPolicy().creatorForNetloc(host.encode("ascii"), port)


def _reactor() -> Any:
    """The reactor, taken when needed: importing it chooses one for the whole process."""
    from twisted.internet import reactor

    return reactor


def _resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, in the order to be tried. Blocks."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise DNSLookupError(str(error)) from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@implementer(IAgentEndpointFactory)
@dataclass(frozen=True, slots=True)
class _GuardedEndpoints:
    allow_private: bool
    timeout_seconds: float

    def endpointForURI(self, uri: URI) -> GuardedEndpoint:  # noqa: N802  # Twisted's name
        """The endpoint for a URI."""
        host = uri.host.decode("ascii").strip("[]")
        return GuardedEndpoint(
            host, uri.port, uri.scheme == b"https", self.allow_private, self.timeout_seconds
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: a status, or a negative number with words; and where a redirect leads."""

    status: int
    location: str | None = None
    words: str = ""


async def ask(
    url: str,
    *,
    agent_name: str,
    timeout_seconds: float,
    allow_private: bool,
    proxy: str | None,
    guards_proxy: bool = False,
) -> Answer:
    """What a server answers at a URL, redirects not followed. HEAD first; GET when the server dislikes
    HEAD. `guards_proxy`: the proxy must not lie at a private address either, since a client named it."""
    try:
        sent = request_url(url)
        if proxy and guards_proxy and not allow_private:
            proxy = await _at_public_address(proxy)
        response = await _request(b"HEAD", sent, agent_name, timeout_seconds, allow_private, proxy)
        if response.code >= 400:
            response = await _request(b"GET", sent, agent_name, timeout_seconds, allow_private, proxy)
    except BadUrl as error:
        raise Refusal(str(error)) from None
    except AddressRefused as error:
        refused = PROXY_FAILED if isinstance(error, ProxyRefused) else UNREACHABLE
        return Answer(refused, words=str(error))
    except Exception as error:
        words = str(error) or type(error).__name__
        return Answer(
            PROXY_FAILED if proxy and isinstance(error, _PROXY_ERRORS) else UNREACHABLE,
            words=words[:300],
        )
    return Answer(response.code, _location(response, sent))


async def _at_public_address(proxy: str) -> str:
    """The proxy by the address that was judged: a name may mean another one a moment later."""
    parts = urlsplit(proxy)
    host, port = parts.hostname or "", parts.port or 80
    allowed = [a for a in await deferToThread(_resolve, host, port) if is_public(a)]
    if not allowed:
        raise ProxyRefused(f"the proxy {host} is at a private address")
    address = f"[{allowed[0]}]" if ":" in allowed[0] else allowed[0]
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return urlunsplit((parts.scheme, f"{user}{address}:{port}", "", "", ""))


def _request(
    verb: bytes, url: str, agent_name: str, timeout_seconds: float, allow_private: bool, proxy: str | None
) -> Deferred[IResponse]:
    headers = Headers({b"User-Agent": [agent_name.encode("latin-1", "replace")], b"Accept": [b"*/*"]})
    credentials = _proxy_credentials(proxy)
    if credentials is not None and not url.startswith("https:"):
        headers.setRawHeaders(b"Proxy-Authorization", [credentials])
    agent = _agent(url, timeout_seconds, allow_private, proxy)
    answering = agent.request(verb, url.encode("ascii"), headers)
    answering.addTimeout(timeout_seconds, _reactor())
    return cast("Deferred[IResponse]", answering.addCallback(_hang_up))


def _agent(url: str, timeout_seconds: float, allow_private: bool, proxy: str | None) -> Any:
    """An agent that checks addresses. The operator's proxy is exempt; behind it only literal ones can be
    judged."""
    if not proxy:
        return _Agent.usingEndpointFactory(_reactor(), _GuardedEndpoints(allow_private, timeout_seconds))
    if not allow_private and is_private_literal(urlsplit(url).hostname or ""):
        raise AddressRefused(f"{url} is at a private address")
    parts = urlsplit(proxy)
    host, port = parts.hostname or "", parts.port or 80
    if url.startswith("https:"):
        return _TunnelingAgent(
            reactor=_reactor(),
            proxyConf=(host, port, _proxy_credentials(proxy)),
            contextFactory=_TlsPolicy(),
            connectTimeout=timeout_seconds,
        )
    return _ProxyAgent(GuardedEndpoint(host, port, False, True, timeout_seconds), _reactor())


def _proxy_credentials(proxy: str | None) -> bytes | None:
    """The value of Proxy-Authorization for the user and password in a proxy's URL."""
    parts = urlsplit(proxy or "")
    if parts.username is None:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return b"Basic " + base64.b64encode(pair.encode())


def _hang_up(response: Any) -> Any:
    """The status and headers are all we want; bodies may be long."""
    transport = getattr(response, "_transport", None)
    if transport is not None:
        transport.loseConnection()
    return response


def _location(response: Any, url: str) -> str | None:
    values: Sequence[bytes] = response.headers.getRawHeaders(b"location") or []
    if not values or not 300 <= response.code < 400:
        return None
    return join_url(url, values[0].decode("latin-1").strip())
