"""What the options of a corpus accept. Each reader raises ValueError saying what it wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final
from urllib.parse import urlsplit

from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.parameters import Flag, Integer, ListOf, Text
from hyphe_core.api.parameters import Mapping as ObjectKind
from hyphe_core.crawl.redirect_rules import parse_redirector
from hyphe_core.crawl.start_pages import refuse_unknown_modes
from hyphe_core.errors import UsageFault, nearest_name
from memory_structure.creation_rules import Preset
from memory_structure.errors import InvalidValue
from memory_structure.host_aliases import checked_aliases
from memory_structure.hosts import is_single_stem
from memory_structure.suffixes import suffix_table
from memory_structure.urls import BadUrl, clean_user_url

_HOST: Final = Text(max_chars=300)

Reader = Callable[[object], Any]

_MOST_SECONDS: Final = 10**7
_DATE: Final = "must be a date like 2012-07-01"


def creation_rule(value: object) -> str:
    """The name of a preset."""
    return str(Preset.parse(Text().read(value)))


def start_modes(value: object) -> tuple[str, ...]:
    """One start mode or more."""
    modes = tuple(str(mode) for mode in ListOf(Text(max_chars=100), or_one=True).read(value))
    if not modes:
        raise ValueError("must name one start mode or more")
    if "default" in modes:
        raise ValueError("is what 'default' stands for, and cannot name it")
    try:
        refuse_unknown_modes(modes)
    except UsageFault as fault:
        raise ValueError(f"is not accepted: {fault}") from None
    return modes


def one_line(value: object) -> str:
    """A text that can stand in a header."""
    text = Text(max_chars=1000).read(value).strip()
    if not text.isprintable():
        raise ValueError("must be one line without control characters")
    return text


def live_web_alone(value: object) -> str:
    """The archive to crawl: none is offered."""
    if Text(max_chars=100).read(value):
        raise ValueError("must be empty: this service offers the live web alone")
    return ""


def day(value: object) -> str:
    """A date as YYYY-MM-DD."""
    text = Text(max_chars=100).read(value)
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(_DATE) from None


def redirecting_hosts(value: object) -> list[str]:
    """Hosts, or the beginnings of their addresses, under a known public suffix."""
    hosts = [str(host).strip() for host in ListOf(Text(max_chars=300)).read(value)]
    for host in hosts:
        if not _is_on_the_web(host):
            raise ValueError(f"must hold hosts of the web such as bit.ly, not {host!r}")
    return list(dict.fromkeys(hosts))


def redirect_changes(value: object) -> tuple[str, ...]:
    """Changes of the list of redirectors, "+rule" or "-rule", the last one on each rule."""
    texts = [str(text).strip() for text in ListOf(Text(max_chars=400)).read(value)]
    changes: dict[str, str] = {}
    for text in texts:
        if text[:1] not in ("+", "-"):
            raise ValueError(f"must hold +rule or -rule, not {text!r}")
        try:
            changes[parse_redirector(text[1:]).text] = text[:1]
        except UsageFault as fault:
            raise ValueError(f"is not accepted: {fault}") from None
    return tuple(sign + rule for rule, sign in sorted(changes.items()))


def host_aliases(value: object) -> tuple[tuple[str, str], ...]:
    """Hosts that stand for another one: an object, host -> host it stands for, or a list of pairs."""
    pairs: Any = list(value.items()) if isinstance(value, dict) else ListOf(ListOf(_HOST)).read(value)
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError("must be an object: host -> host it stands for")
    try:
        return checked_aliases([(_HOST.read(alias), _HOST.read(main)) for alias, main in pairs])
    except InvalidValue as error:
        raise ValueError(f"is not accepted: {error}") from None


def _is_on_the_web(text: str) -> bool:
    try:
        host = urlsplit(clean_user_url(text)).hostname or ""
    except (BadUrl, ValueError):
        return False
    labels = host.rsplit(".", 1)
    return len(labels) == 2 and not is_single_stem(host) and suffix_table().is_known(labels[1])


def completed(present: Mapping[str, object], readers: Mapping[str, Reader]) -> Reader:
    """Reads an object of named members: those that are absent stay as they are, unknown ones are refused."""

    def read(value: object) -> JsonObject:
        given = ObjectKind().read(value)
        members = dict(present)
        for name, member in given.items():
            if name not in readers:
                raise ValueError(f"has no member {name[:100]!r}" + nearest_name(name, readers))
            try:
                members[name] = readers[name](member)
            except ValueError as error:
                raise ValueError(f"{name} {error}") from None
        return members

    return read


def proxy_url(value: object, present: JsonObject) -> str | None:
    """The URL of a proxy given as {host, port}, completed from the present one; None for an empty host."""
    readers: dict[str, Reader] = {"host": _proxy_host, "port": lambda port: Integer(0, 65535).read(port or 0)}
    proxy = completed(present, readers)(value)
    if not proxy["host"]:
        return None
    if not proxy["port"]:
        raise ValueError("must be {host, port} with a port from 1 to 65535")
    host = str(proxy["host"])
    return f"http://[{host}]:{proxy['port']}" if ":" in host else f"http://{host}:{proxy['port']}"


def _proxy_host(value: object) -> str:
    host = Text(max_chars=300).read(value or "").strip()
    if any(c in "/@? #[]" for c in host) or not host.isprintable():
        raise ValueError("must be the name or the address of a host alone")
    return host


seconds: Final[Reader] = Integer(0, _MOST_SECONDS).read
PHANTOM: Final[dict[str, Reader]] = {
    "timeout": seconds,
    "idle_timeout": seconds,
    "ajax_timeout": seconds,
    "whitelist_domains": ListOf(Text(max_chars=300)).read,
    "autoretry": Flag().read,
}
