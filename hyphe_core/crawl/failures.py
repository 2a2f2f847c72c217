"""What went wrong with a request, from the exception of the downloader to the word in the record."""

from __future__ import annotations

from ssl import SSLError

from aiohttp import (
    ClientConnectionError,
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientHttpProxyError,
    ClientPayloadError,
    ClientProxyConnectionError,
    ClientResponseError,
    ClientSSLError,
    InvalidURL,
)
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from twisted.internet.error import ConnectError, ConnectionClosed, DNSLookupError
from twisted.python.failure import Failure
from twisted.web._newclient import ParseError
from twisted.web.client import ResponseFailed
from twisted.web.http import PotentialDataLoss, _DataLoss

from hyphe_core.errors import AddressRefused, BodyTooLarge
from memory_structure.records import FetchError

_TUNNEL = "TunnelError"
_LOST_CONNECTIONS = (
    DownloadConnectionRefusedError,
    ConnectError,
    ConnectionClosed,
    ConnectionError,
    ClientConnectionError,
)


def classify_failure(error: BaseException, *, through_proxy: bool) -> tuple[FetchError, str]:
    """(kind, detail in words) of an exception. Unknown ones are INTERNAL, with their class and text."""
    detail = _words(error)
    for exception in _chain(error):
        kind = _kind(exception)
        if kind is not None:
            return _seen_through_proxy(kind, exception) if through_proxy else kind, detail
    return FetchError.INTERNAL, detail


def _seen_through_proxy(kind: FetchError, error: BaseException) -> FetchError:
    """With a proxy, the host that cannot be resolved or refuses connections is the proxy."""
    is_proxy = kind is FetchError.DNS or type(error) is ClientConnectorError
    return FetchError.PROXY if is_proxy else kind


def _chain(error: BaseException) -> list[BaseException]:
    """An exception, those it wraps, and the reasons Twisted lists in it, outermost first."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting and len(found) < 20:
        exception = waiting.pop(0)
        if exception is None or exception in found:
            continue
        found.append(exception)
        if isinstance(exception, ResponseFailed):
            waiting += [reason.value for reason in exception.reasons if isinstance(reason, Failure)]
        waiting += [exception.__cause__, exception.__context__]
    return found


def _kind(error: BaseException) -> FetchError | None:
    name = type(error).__name__
    if isinstance(error, AddressRefused):
        return FetchError.PRIVATE_ADDRESS
    if isinstance(error, BodyTooLarge):
        return FetchError.TOO_LARGE
    if isinstance(error, DownloadTimeoutError):
        return FetchError.TIMEOUT
    if isinstance(error, (CannotResolveHostError, DNSLookupError, ClientConnectorDNSError)):
        return FetchError.DNS
    if name == _TUNNEL or isinstance(error, (ClientHttpProxyError, ClientProxyConnectionError)):
        return FetchError.PROXY
    if isinstance(error, (ResponseDataLossError, _DataLoss, PotentialDataLoss, ClientPayloadError)):
        return FetchError.TRUNCATED
    if isinstance(error, (ParseError, UnsupportedURLSchemeError, ClientResponseError, InvalidURL)):
        return FetchError.BAD_ANSWER
    return _network_kind(error)


def _network_kind(error: BaseException) -> FetchError | None:
    module = type(error).__module__
    if (
        module.startswith(("OpenSSL", "service_identity"))
        or type(error).__name__ == "VerificationError"
        or isinstance(error, (SSLError, ClientSSLError))
    ):
        return FetchError.TLS
    if isinstance(error, (ValueError, UnicodeError)) and module == "builtins":
        return FetchError.BAD_ANSWER
    if isinstance(error, _LOST_CONNECTIONS):
        return FetchError.CONNECTION
    if isinstance(error, DownloadCancelledError):
        return FetchError.CONNECTION
    if isinstance(error, DownloadFailedError) and error.__cause__ is None:
        return FetchError.CONNECTION
    return None


def _words(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:500] if text else type(error).__name__
