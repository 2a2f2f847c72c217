"""Absolute URLs taken apart and references resolved (RFC 3986 5), for the schemes the parse stage knows.

A looser reading than that of `memory_structure.urls`: any host is let through, since the steps of a chain
decide what is wanted.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from memory_structure.suffixes import suffix_table

DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}
HIERARCHICAL = frozenset({"http", "https", "ftp", "file"})
KNOWN_SCHEMES = HIERARCHICAL | {"jar", "mailto"}

_CONTROLS_AND_SPACE = "".join(map(chr, range(33)))
_LINE_BREAKS = str.maketrans("", "", "\t\r\n\0")
_REFERENCE = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*+):)?(?://(?P<authority>[^/?#]*+))?"
    r"(?P<path>[^?#]*+)(?:\?(?P<query>[^#]*+))?(?:#(?P<fragment>.*))?",
    re.DOTALL,
)
_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]*)(?::(?P<port>[0-9]{0,9}))?")
_PLAIN_HOST = re.compile(r"https?://([a-z0-9.\-]++)(?:/|$)")
# No longer name exists; converting one takes time that grows with its square.
MAX_HOST_CHARACTERS = 253
_IP_V4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")


class MalformedUrl(ValueError):
    """This text is no URL of a scheme the parse stage knows. The reason is the message."""


class Address(NamedTuple):
    """An absolute URL taken apart; all parts as written, save the scheme in lower case.

    `authority`, `query` and `fragment` are None when their mark is missing; `port` is None when there is
    none, also after a lone colon. `host` keeps the brackets of IPv6.
    """

    scheme: str
    authority: str | None
    userinfo: str | None
    host: str
    port: int | None
    path: str
    query: str | None
    fragment: str | None

    @property
    def file(self) -> str:
        """Path and query as sent to a server."""
        return self.path if self.query is None else f"{self.path}?{self.query}"

    @property
    def text(self) -> str:
        """The URL put together again."""
        authority = "" if self.authority is None else "//" + self.authority
        fragment = "" if self.fragment is None else "#" + self.fragment
        return f"{self.scheme}:{authority}{self.file}{fragment}"


def split_address(url: str, *, keeps_breaks: bool = False) -> Address:
    """The parts of an absolute URL. Raises MalformedUrl: no scheme, an unknown one, a bad port or bracket.

    Line breaks, tabs and NULs within it are left out, as browsers do, unless `keeps_breaks`.
    """
    text = url.strip(_CONTROLS_AND_SPACE) if keeps_breaks else _trimmed(url)
    match = _REFERENCE.fullmatch(text)
    scheme = (match["scheme"] or "").lower() if match else ""
    if match is None or scheme not in KNOWN_SCHEMES:
        raise MalformedUrl(f"unknown scheme {scheme[:40]!r}" if scheme else "no scheme")
    if scheme == "jar" and "!/" not in text:
        raise MalformedUrl("a jar address names no entry")
    if scheme not in HIERARCHICAL:
        return Address(scheme, None, None, "", None, text[len(scheme) + 1 :], None, None)
    userinfo, host, port = _split_authority(match["authority"] or "")
    return Address(
        scheme, match["authority"], userinfo, host, port, match["path"], match["query"], match["fragment"]
    )


def _trimmed(text: str) -> str:
    return text.strip(" ") if text.isprintable() else text.translate(_LINE_BREAKS).strip(_CONTROLS_AND_SPACE)


def _split_authority(authority: str) -> tuple[str | None, str, int | None]:
    userinfo, at, place = authority.rpartition("@")
    match = _HOST_AND_PORT.fullmatch(place)
    if match is None:
        raise MalformedUrl("bad host or port")
    return userinfo if at else None, match["host"], int(match["port"]) if match["port"] else None


def resolve(base: str, reference: str) -> str:
    """The absolute URL that a reference of a page means, dots above the root dropped; its fragment is kept.

    A reference without path and query is the base itself without its fragment; one of a query alone keeps the
    last segment of the base, or gets the slash that a base without a path means. Raises MalformedUrl when the
    result is of an unknown scheme or broken.
    """
    text = _trimmed(reference)
    match = _REFERENCE.fullmatch(text)
    if match is None or (match["scheme"] and (match["authority"] is not None or not _repeats(base, match))):
        address = split_address(text)
        return address._replace(path=drop_dots(address.path)).text if address.authority else address.text
    whole = split_address(base)
    if whole.scheme not in HIERARCHICAL:
        raise MalformedUrl(f"nothing is relative to an address of scheme {whole.scheme}")
    authority, path, query = match["authority"], match["path"], match["query"]
    if authority is not None:
        _split_authority(authority)
        path = drop_dots(path)
    else:
        authority = whole.authority
        if path:
            path = drop_dots(path if path[0] == "/" else _merge(whole, path))
        else:
            path = whole.path if query is None else whole.path or "/"
            query = whole.query if query is None else query
    return whole._replace(authority=authority, path=path, query=query, fragment=match["fragment"]).text


def _repeats(base: str, match: re.Match[str]) -> bool:
    """Whether a reference without a host repeats the scheme of its base (`http:g`): browsers take the rest
    for a relative reference, which RFC 3986 5.4.2 lets them."""
    scheme = match["scheme"].lower()
    return scheme in DEFAULT_PORTS and base[: len(scheme) + 1].lower() == scheme + ":"


def _merge(base: Address, path: str) -> str:
    if base.authority is not None and not base.path:
        return "/" + path
    return base.path[: base.path.rfind("/") + 1] + path


def drop_dots(path: str) -> str:
    """The path without its `.` and `..` segments; those above the root vanish (RFC 3986 5.2.4)."""
    if "." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", "..") and kept != [""]:
        kept.append("")
    if path[0] == "/" and len(kept) == 1:
        kept.append("")
    return "/".join(kept)


def find_host(url: str) -> str | None:
    """Host of a URL in lower case ("" for schemes without one), None when the URL is malformed."""
    plain = _PLAIN_HOST.match(url)
    if plain:
        return plain[1]
    try:
        return split_address(url).host.lower()
    except MalformedUrl:
        return None


def domain_of(host: str) -> str:
    """Registered domain of a lower-case host by the registries' section of the suffix list.

    An address, a bare suffix, a single label and a name below no known suffix are their own domain; a dot at
    the end is left out.
    """
    host = host.removesuffix(".")
    suffix = suffix_of(host)
    if not suffix or suffix == host:
        return host
    return host[: -len(suffix) - 1].rpartition(".")[2] + "." + suffix


def suffix_of(host: str) -> str:
    """Public suffix of a lower-case host by the section of registries; "" when there is none: of an address,
    of a name whose last label is unknown, of none, of one too long."""
    host = host.removesuffix(".")
    if not host or len(host) > MAX_HOST_CHARACTERS or host[0] == "[" or _IP_V4.fullmatch(host):
        return ""
    return _suffix_of_ascii(host)


@lru_cache(maxsize=4096)
def _suffix_of_ascii(host: str) -> str:
    table = suffix_table(private=False)
    labels = [
        label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in host.split(".")
    ]
    if not table.is_known(labels[-1]):
        return ""
    n_labels = table.suffix_of(".".join(labels)).count(".") + 1
    return ".".join(host.split(".")[-n_labels:])
