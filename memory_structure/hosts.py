"""Host names in their one spelling: ASCII, lower case, no trailing dot; and what cannot be a host, refused
in words."""

import ipaddress
import re
from typing import Final
from urllib.parse import unquote_to_bytes

import idna

IPV4: Final = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?!$)|$)){4}")
# A name with nothing to convert and nothing to doubt: most hosts. Its last label begins with a letter.
_ORDINARY_HOST: Final = re.compile(r"(?:[a-z0-9_-]{1,63}\.)++[a-z][a-z0-9_-]{0,62}")
_PLAIN_HOST: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*+")
_EXOTIC_DOTS: Final = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": "."})
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
# "http://http://e.org" and "http://http//e.org" are two schemes in a row, never a machine of that name.
_SCHEME_NAMES: Final = frozenset({"http", "https", "ftp", "javascript", "mailto"})
MAX_HOST: Final = 253


class BadHost(ValueError):
    """Text that cannot be a host; the message says why."""


def canonical_host(raw: str) -> str:
    """The one spelling of a host as written in a URL. Raises BadHost.

    International names become punycode (UTS 46, non-transitional). IPv6 keeps its brackets, compressed. A
    single label passes: whether it may be a page's host is the caller's decision.
    """
    if _ORDINARY_HOST.fullmatch(raw) and len(raw) <= MAX_HOST and "xn--" not in raw:
        return raw
    if raw.startswith("["):
        return _canonical_ipv6(raw)
    host = raw.lower() if raw.isascii() and "%" not in raw else _to_ascii(raw)
    host = host.removesuffix(".")
    _refuse_bad_name(host)
    return host


def is_single_stem(host: str) -> bool:
    """Whether a canonical host has no inner structure: an IP address or localhost."""
    return host == "localhost" or host[-1:] == "]" or IPV4.fullmatch(host) is not None


def unicode_host(host: str) -> str:
    """A canonical host as people read it."""
    if "xn--" not in host:
        return host
    return ".".join(_unicode_label(label) for label in host.split("."))


def _unicode_label(label: str) -> str:
    return label[4:].encode().decode("punycode") if label.startswith("xn--") else label


def _to_ascii(raw: str) -> str:
    try:
        text = unquote_to_bytes(raw.translate(_EXOTIC_DOTS)).decode("utf-8")
        mapped = idna.uts46_remap(text, std3_rules=False)
    except UnicodeError as error:  # idna's own error is one too
        raise BadHost(f"the host {raw!r} is not a valid international name") from error
    return ".".join(_punycode(label) for label in mapped.split("."))


def _punycode(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")


def _refuse_bad_name(host: str) -> None:
    if not host:
        raise BadHost("there is no host")
    if not _PLAIN_HOST.fullmatch(host):
        raise BadHost(_why_not_plain(host))
    if len(host) > MAX_HOST:
        raise BadHost(f"the host is longer than {MAX_HOST} characters")
    if host in _SCHEME_NAMES:
        raise BadHost(f"a scheme stands where the host should be ({host})")
    last = host.rpartition(".")[2]
    if _NUMBER.fullmatch(last):
        if not IPV4.fullmatch(host):
            raise BadHost(f"{host} ends in a number but is no IPv4 address")
    elif "." in host and last[0] in "0123456789":
        raise BadHost(f"no top-level domain begins with a digit ({last})")
    if "xn--" in host:
        _refuse_bad_punycode(host)


def _why_not_plain(host: str) -> str:
    if "" in host.split("."):
        return f"the host {host!r} has an empty label"
    if max(map(len, host.split("."))) > 63:
        return "a label of the host is longer than 63 characters"
    return f"the host {host!r} has a character that no host name has"


def _refuse_bad_punycode(host: str) -> None:
    """As browsers: a label must be the punycode of text that UTS 46 leaves as it is; a name has one form."""
    for label in host.split("."):
        if label.startswith("xn--"):
            try:
                text = label[4:].encode().decode("punycode")
                valid = not text.isascii() and idna.uts46_remap(text, std3_rules=False) == text
            except UnicodeError:
                valid = False
            if not valid:
                raise BadHost(f"{label} is not valid punycode")


def _canonical_ipv6(raw: str) -> str:
    try:
        if not raw.endswith("]") or "%" in raw:
            raise ValueError(raw)
        return f"[{ipaddress.IPv6Address(raw[1:-1]).compressed}]"
    except ValueError as error:
        raise BadHost(f"{raw!r} is not an IPv6 address in brackets") from error
