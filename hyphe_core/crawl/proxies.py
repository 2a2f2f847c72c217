"""Credentials of proxies."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import unquote, urlsplit


def proxy_authorization(proxy: str | None) -> bytes | None:
    """The value of Proxy-Authorization for the user and password in a proxy's URL; None without any."""
    if not proxy:
        return None
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.username is None:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return b"Basic " + b64encode(pair.encode("utf-8"))
