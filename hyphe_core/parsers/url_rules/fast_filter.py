"""The fast filter: patterns that refuse paths, looked up by host and domain instead of tried in turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hyphe_core.parsers.url_rules.addresses import Address, MalformedUrl, split_address
from hyphe_core.parsers.url_rules.bounded_patterns import (
    BadPattern,
    BoundedPattern,
    TextTooLong,
    pattern_for_search,
)
from hyphe_core.parsers.url_rules.steps import BadRules, Filter

_HEADING = re.compile(r"(Host|Domain)\s+(\S+)")
_DENIAL = re.compile(r"(DenyPath|DenyPathQuery)\s+(\S+)(?:\s.*)?")
_EVERYWHERE = "."


class Denial(NamedTuple):
    """A rule: URLs are refused when `pattern` is found in the path, with `with_query` in path and query."""

    pattern: BoundedPattern
    with_query: bool


class FastFilter(Filter):
    """Refuses URLs by the rules of their host, then of their domains from long to short, then of `.`.

    URLs without a host are subject to the rules of `.` alone. A path too long for a rule to be asked about it
    in bounded time is refused (see `bounded_patterns`), as is a malformed URL.
    """

    __slots__ = ("_domains", "_hosts")

    def __init__(self, hosts: dict[str, tuple[Denial, ...]], domains: dict[str, tuple[Denial, ...]]) -> None:
        self._hosts = hosts
        self._domains = domains

    def accepts(self, url: str) -> bool:
        """Whether no rule that is for the URL's host is found in it."""
        try:
            address = split_address(url)
            return not any(_denies(rules, address) for rules in self._rules_for(address.host.lower()))
        except (MalformedUrl, TextTooLong):
            return False

    def _rules_for(self, host: str) -> list[tuple[Denial, ...]]:
        found = [self._hosts.get(host, ())]
        domain = host
        while domain:
            found.append(self._domains.get(domain, ()))
            domain = domain.partition(".")[2]
        found.append(self._domains.get(_EVERYWHERE, ()))
        return found


def _denies(rules: Sequence[Denial], address: Address) -> bool:
    return any(rule.pattern.search(address.file if rule.with_query else address.path) for rule in rules)


def read_fast_rules(text: str) -> FastFilter:
    """The filter of a text: lines `Host name` or `Domain name` (`.` for all), each followed by lines
    `DenyPath pattern` or `DenyPathQuery pattern`; a pattern ends at a blank, a line at a hash.

    Raises BadRules for any other line.
    """
    places: dict[str, dict[str, list[Denial]]] = {"Host": {}, "Domain": {}}
    current: list[Denial] | None = None
    for line in filter(None, (line.partition("#")[0].strip() for line in text.splitlines())):
        if heading := _HEADING.fullmatch(line):
            current = places[heading[1]].setdefault(heading[2].lower(), [])
        elif (denial := _DENIAL.fullmatch(line)) and current is not None:
            try:
                current.append(Denial(pattern_for_search(denial[2]), denial[1] == "DenyPathQuery"))
            except BadPattern as error:
                raise BadRules(f"{line!r}: {error}") from error
        else:
            raise BadRules(f"{line!r}: not a host, a domain, or a denial below one")
    hosts, domains = ({name: tuple(rules) for name, rules in place.items()} for place in places.values())
    return FastFilter(hosts, domains)
