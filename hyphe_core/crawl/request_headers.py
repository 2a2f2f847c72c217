"""The headers that requests to sites are sent with."""

from __future__ import annotations

from typing import Final

from twisted.web.http_headers import Headers

from hyphe_core.crawl.decoding import ACCEPTED
from hyphe_core.crawl.proxies import proxy_authorization

_ACCEPT: Final = b"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def request_headers(agent: str, proxy: str | None, cookies: str = "") -> Headers:
    """Headers of all requests of one agent: its name, what it takes, a Cookie value, credentials for the
    proxy."""
    headers = Headers(
        {b"User-Agent": [agent.encode("utf-8")], b"Accept": [_ACCEPT], b"Accept-Encoding": [ACCEPTED]}
    )
    if cookies:
        headers.setRawHeaders(b"Cookie", [cookies.encode("utf-8")])
    credentials = proxy_authorization(proxy)
    if credentials is not None:
        headers.setRawHeaders(b"Proxy-Authorization", [credentials])
    return headers
