"""The validator: lets URLs pass that are well formed and written in ASCII, with a plausible host."""

from __future__ import annotations

import re

from hyphe_core.parsers.url_rules.steps import Filter

_PRINTABLE = re.compile(r"[!-~]++")
_PARTS = re.compile(r"(?:([^:/?#]*+):)?(?://([^/?#]*+))?([^?#]*+)(?:\?[^#]*+)?(?:#.*)?")
_SCHEME = re.compile(r"[A-Za-z]++")
_AUTHORITY = re.compile(r"([A-Za-z0-9.\-]*+)(?::([0-9]{1,5}))?")
_IP_V4 = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})")
_LABEL = re.compile(r"[A-Za-z0-9\-]++")
# Occurrences may overlap: three dots are two of these.
_UP = re.compile(r"(?=\.\.)")
_DOUBLE_SLASH = re.compile(r"(?=//)")
_TOP_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9\-]++")
_PATH = re.compile(r"(?:/[\w:@&?=+,.!/~*'%$;()\-]*+)?", re.ASCII)


class ValidatorFilter(Filter):
    """Scheme, of letters alone, and host are present; the host is an address of four octets or a name of two
    labels or more, the last beginning with a letter; the port has at most five digits, there is no user,
    `..` stays inside.
    """

    __slots__ = ()

    def accepts(self, url: str) -> bool:
        """Whether all of this holds."""
        match = _PARTS.fullmatch(url) if _PRINTABLE.fullmatch(url) else None
        if match is None:
            return False
        scheme, authority, path = match.groups()
        if not scheme or not _SCHEME.fullmatch(scheme) or authority is None:
            return False
        place = _AUTHORITY.fullmatch(authority)
        return place is not None and _is_plausible_host(place[1]) and _is_plausible_path(path)


def _is_plausible_host(host: str) -> bool:
    octets = _IP_V4.fullmatch(host)
    if octets:
        return all(int(octet) <= 255 for octet in octets.groups())
    labels = host.split(".")
    if len(labels) < 2 or not _TOP_LABEL.fullmatch(labels[-1]):
        return False
    return all(_LABEL.fullmatch(label) for label in labels)


def _is_plausible_path(path: str) -> bool:
    if not _PATH.fullmatch(path):
        return False
    n_ups = len(_UP.findall(path))
    n_levels = path.count("/") - len(_DOUBLE_SLASH.findall(path)) - 1
    return n_ups == 0 or n_levels > n_ups
