"""Which web pages may talk to the service: the rules on Host and Origin that keep other sites out.

A browser sends requests for any page a person visits. Two headers tell us about it, and pages cannot forge
them:
`Origin` names the page's site; `Host` names what the page believes to talk to, which is the attacker's own
name when it
made that name point at this machine (DNS rebinding). An address in digits cannot be rebound.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from hyphe_core.config import Config


@dataclass(frozen=True, slots=True)
class BrowserAccess:
    """Allowed origins and host names. `compatible`: any origin, files included, as the older program
    allows."""

    names: frozenset[str]
    origins: frozenset[str]
    compatible: bool = False

    @classmethod
    def of(cls, config: Config) -> BrowserAccess:
        """The rules of a service: the host it binds, this machine's name, further names, those of allowed
        origins."""
        origins = frozenset(_normal(o) for o in config.allowed_origins if _split(o) is not None)
        names = {(_split(origin) or ("", "", None))[1] for origin in origins}
        names |= {name.lower() for name in (config.host, socket.gethostname(), *config.allowed_hosts)}
        return cls(frozenset(names - {""}), origins, config.hyphe_compatible_access)

    def allows_host(self, host_header: str | None) -> bool:
        """Whether the Host header is a name of ours; without one (HTTP/1.0) the caller is no browser."""
        if host_header is None:
            return True
        host = _host_of(host_header)
        return host is not None and (is_loopback_name(host) or _is_address(host) or host in self.names)

    def allows_origin(self, origin: str | None, host_header: str | None) -> bool:
        """Whether a page of this origin may call; None is no page at all."""
        return self.compatible or self.trusts_origin(origin, host_header)

    def trusts_origin(self, origin: str | None, host_header: str | None) -> bool:
        """Whether a page of this origin may act with the cookies of its visitor, which no compatibility
        loosens."""
        if origin is None:
            return True
        return self._is_listed(origin) or self._is_own(origin, host_header) or _is_loopback_origin(origin)

    def trusts_without_origin(self, fetch_site: str | None, referer: str | None, host: str | None) -> bool:
        """Whether a request without Origin may come from a page we trust, by what else browsers tell of it;
        programs tell nothing."""
        if fetch_site is not None:
            return fetch_site.strip().lower() in ("same-origin", "none")
        return referer is None or self.trusts_origin(_origin_of(referer), host)

    def cors_origin(self, origin: str | None, host_header: str | None) -> str | None:
        """The value of Access-Control-Allow-Origin, None when the header must not be sent."""
        if origin is None:
            return "*" if self.compatible else None
        if self._is_listed(origin):
            return origin
        if self.compatible:
            return "*"
        return origin if self.allows_origin(origin, host_header) else None

    def _is_listed(self, origin: str) -> bool:
        return _normal(origin) in self.origins

    def _is_own(self, origin: str, host_header: str | None) -> bool:
        parts = _split(origin)
        return (
            host_header is not None
            and bool(parts)
            and parts == _split(f"{origin.partition(':')[0]}://{host_header}")
        )


def _origin_of(url: str) -> str:
    """The origin of a page; "null" when it has none that could be trusted."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if _split(url) is not None else "null"


def _normal(origin: str) -> str:
    return origin.strip().rstrip("/").lower()


def _split(origin: str) -> tuple[str, str, int | None] | None:
    """(scheme, host, port) of a web origin; the scheme's own port is None."""
    try:
        parts = urlsplit(_normal(origin))
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return (
        parts.scheme,
        parts.hostname,
        None if port in (None, 80 if parts.scheme == "http" else 443) else port,
    )


def _host_of(host_header: str) -> str | None:
    parts = _split(f"http://{host_header}")
    return parts[1] if parts else None


def _is_loopback_origin(origin: str) -> bool:
    parts = _split(origin)
    return parts is not None and is_loopback_name(parts[1])


def is_loopback_name(host: str) -> bool:
    """Whether a host name or address always means this machine."""
    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
