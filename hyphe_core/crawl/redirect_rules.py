"""Addresses that only lead to another one: which they are, and where they lead as far as the address itself
says it.

A rule is a text of one of three forms (the list that comes with the program is data/redirectors.txt):

- `host/path?name,name`: the target stands in one of these parameters of the query. `*` in the path stands for
one segment. A slash at the end of the path does not matter. - `host/path/>`: the target is the rest of the
address; `>https` gives the scheme of targets that have none. - `host`: a shortener, whose target is known
only by asking for it.

A host that begins with `*.` covers the hosts below it, one that ends in `.*` every public suffix. Nothing
else is taken for a redirector: a parameter that holds an address does not make one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from hyphe_core.errors import UsageFault

_DATA: Final = Path(__file__).parent / "data" / "redirectors.txt"
_MOST_STEPS: Final = 5
_MAX_CHARACTERS: Final = 300
_SCHEME: Final = re.compile(r"(https?):/{0,2}", re.I)
_HOST: Final = re.compile(r"(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(\.\*)?")
_MAX_SUFFIX_LABELS: Final = 3
_NO_NAME: Final = re.compile(r"[=&?#\s]")


class RedirectorKind(StrEnum):
    """How the target of an address is known."""

    PARAMETER = "parameter"
    PATH = "path"
    SHORTENER = "shortener"


@dataclass(frozen=True, slots=True)
class Redirector:
    """A rule. `segments` are those of its path, `*` standing for any; `names` the parameters; `scheme` that
    of targets without one."""

    text: str
    kind: RedirectorKind
    host: str
    segments: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    scheme: str = "http"

    def find_target(self, url: str) -> str | None:
        """The address that an address leads to by this rule; None when it has none. The host is that of the
        rule."""
        if self.kind is RedirectorKind.SHORTENER:
            return None
        parts = urlsplit(url)
        path = parts.path.split("/")[1:]
        if self.kind is RedirectorKind.PARAMETER:
            return self._in_query(path, parts.query)
        n = len(self.segments)
        if len(path) <= n or not _match(self.segments, path[:n]):
            return None
        rest = "/".join(path[n:]) + (f"?{parts.query}" if parts.query else "")
        return _target(rest, self.scheme)

    def _in_query(self, path: Sequence[str], query: str) -> str | None:
        trimmed = path[:-1] if path and not path[-1] else path
        if len(trimmed) != len(self.segments) or not _match(self.segments, trimmed):
            return None
        values: dict[str, str] = {}
        for name, value in parse_qsl(query, max_num_fields=None):
            values.setdefault(name, value)
        found = (_target(values[name], None) for name in self.names if name in values)
        return next((target for target in found if target is not None), None)


def _match(pattern: Sequence[str], segments: Sequence[str]) -> bool:
    return all(wanted in ("*", segment) for wanted, segment in zip(pattern, segments, strict=True))


def _target(text: str, default_scheme: str | None) -> str | None:
    """The web address a text stands for; None when it is none. Archives fold the two slashes of a scheme to
    one."""
    text = text.strip()
    found = _SCHEME.match(text)
    if found is not None:
        rest, scheme = text[found.end() :], found[1].lower()
    elif default_scheme is not None:
        rest, scheme = text.removeprefix("//"), default_scheme
    else:
        return None
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    return f"{scheme}://{rest}" if "." in host.strip(".") or host.startswith("[") else None


def parse_redirector(text: str) -> Redirector:
    """The rule of a text. Raises UsageFault saying what is wrong."""
    cleaned = text.strip().removeprefix("http://").removeprefix("https://")
    if len(cleaned) > _MAX_CHARACTERS:
        raise UsageFault(f"a rule on redirectors has at most {_MAX_CHARACTERS} characters")
    address, mark, tail = _split(cleaned)
    host, slash, path = address.partition("/")
    host = host.lower()
    if not _HOST.fullmatch(host) or "." not in host:
        raise UsageFault(f"{text!r} is no rule on redirectors: it begins with the name of a host")
    segments = tuple(path.rstrip("/").split("/")) if path.strip("/") else ()
    if mark == "?":
        names = tuple(name.strip().removesuffix("=") for name in tail.split(",") if name.strip(" ="))
        if not names:
            raise UsageFault(f"{text!r} names no parameter behind its question mark")
        if any(_NO_NAME.search(name) for name in names):
            raise UsageFault(
                f"{text!r}: behind the question mark stand names of parameters, with commas between"
            )
        return Redirector(f"{address}?{','.join(names)}", RedirectorKind.PARAMETER, host, segments, names)
    if mark == ">":
        if tail not in ("", "http", "https"):
            raise UsageFault(f"{text!r}: behind > may stand http or https, nothing else")
        return Redirector(cleaned, RedirectorKind.PATH, host, segments, scheme=tail or "http")
    if slash and path:
        raise UsageFault(
            f"{text!r} is no rule on redirectors: it is host (shortener), host/path?parameter or host/path/>"
        )
    return Redirector(host, RedirectorKind.SHORTENER, host)


def _split(text: str) -> tuple[str, str, str]:
    """(host and path, mark, what follows it)."""
    for mark in ("?", ">"):
        address, found, tail = text.partition(mark)
        if found:
            return address, found, tail
    return text, "", ""


@cache
def built_in_redirectors() -> tuple[Redirector, ...]:
    """The rules that come with the program, in the order of the list."""
    lines = (line.strip() for line in _DATA.read_text("utf-8").splitlines())
    return tuple(parse_redirector(line) for line in lines if line and not line.startswith("#"))


class RedirectRules:
    """Rules found by host. Safe to share between threads."""

    def __init__(self, redirectors: Iterable[Redirector]) -> None:
        self._exact: dict[str, list[Redirector]] = {}
        self._below: dict[str, list[Redirector]] = {}
        self._any_suffix: dict[str, list[Redirector]] = {}
        for each in redirectors:
            if each.host.startswith("*."):
                self._below.setdefault(each.host[2:], []).append(each)
            elif each.host.endswith(".*"):
                self._any_suffix.setdefault(each.host[:-2], []).append(each)
            else:
                self._exact.setdefault(each.host, []).append(each)

    def list_of_host(self, host: str) -> list[Redirector]:
        """The rules on a host (lower case, without port)."""
        found = list(self._exact.get(host, ()))
        labels = host.split(".")
        for place in range(1, len(labels)):
            found += self._below.get(".".join(labels[place:]), ())
        for n_suffix in range(1, min(_MAX_SUFFIX_LABELS, len(labels))):
            found += self._any_suffix.get(".".join(labels[:-n_suffix]), ())
        return found

    def decode(self, url: str) -> str | None:
        """Where an address leads in the end, as far as addresses tell; None when no rule says it."""
        here, seen = url, {url}
        for _ in range(_MOST_STEPS):
            target = self._step(here)
            if target is None or target in seen:
                break
            seen.add(target)
            here = target
        return here if here != url else None

    def _step(self, url: str) -> str | None:
        host = _host_of(url)
        targets = (rule.find_target(url) for rule in self.list_of_host(host)) if host else iter(())
        return next((target for target in targets if target is not None), None)

    def is_shortener(self, url: str) -> bool:
        """Whether an address is one of a shortener: not its home page."""
        rules = self.list_of_host(_host_of(url))
        path = urlsplit(url).path if rules else ""
        return path.strip("/") != "" and any(rule.kind is RedirectorKind.SHORTENER for rule in rules)

    def list_shorteners(self) -> list[str]:
        """Hosts of shorteners that are named in full, sorted."""
        return sorted(
            host
            for host, rules in self._exact.items()
            if any(rule.kind is RedirectorKind.SHORTENER for rule in rules)
        )


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


@lru_cache(maxsize=64)
def redirect_rules(*changes: tuple[str, ...]) -> RedirectRules:
    """The rules of the program with changes applied, list after list: "+rule" adds, "-rule" takes away. What
    cannot be read is passed over: it was checked when it was given."""
    rules = {each.text: each for each in built_in_redirectors()}
    for change in (change for some in changes for change in some):
        try:
            redirector = parse_redirector(change[1:])
        except UsageFault:
            continue
        rules.pop(redirector.text, None)
        if change[:1] == "+":
            rules[redirector.text] = redirector
    return RedirectRules(rules.values())
