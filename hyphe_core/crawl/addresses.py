"""Which addresses lie on the public internet. Everything else is refused unless private networks are
allowed."""

from __future__ import annotations

import ipaddress

# NAT64 (RFC 6052) and 6to4 (RFC 3056) carry an IPv4 address that the packet ends up at.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an IP address is reachable by anyone: no loopback, private, link-local, shared, reserved or
    multicast one.

    An IPv6 address that wraps an IPv4 address is as public as the one inside. False for what is no address.
    """
    try:
        found = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return False
    inner = _wrapped(found) if isinstance(found, ipaddress.IPv6Address) else None
    if inner is not None:
        return is_public(str(inner))
    return found.is_global and not found.is_multicast and not found.is_reserved


def _wrapped(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
