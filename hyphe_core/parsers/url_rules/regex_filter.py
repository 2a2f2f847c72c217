"""The regular expression filter: signed patterns, some for one host or domain only."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from hyphe_core.parsers.url_rules.addresses import domain_of, find_host
from hyphe_core.parsers.url_rules.bounded_patterns import (
    BadPattern,
    BoundedPattern,
    TextTooLong,
    pattern_for_search,
)
from hyphe_core.parsers.url_rules.steps import BadRules, Filter


class SignedPattern(NamedTuple):
    """A rule: URLs in which `pattern` is found pass or not; `place` is the host or domain it is for, None =
    all."""

    accepts: bool
    pattern: BoundedPattern
    place: str | None


class RegexFilter(Filter):
    """The first rule found in a URL decides; a URL without any does not pass, nor one that is too long for a
    rule to be asked about it in bounded time (see `bounded_patterns`)."""

    __slots__ = ("_has_places", "_rules")

    def __init__(self, rules: tuple[SignedPattern, ...]) -> None:
        self._rules = rules
        self._has_places = any(rule.place is not None for rule in rules)

    def accepts(self, url: str) -> bool:
        """Whether the deciding rule lets the URL pass."""
        places = self._places_of(url) if self._has_places else ()
        try:
            for accepts, pattern, place in self._rules:
                if (place is None or place in places) and pattern.search(url):
                    return accepts
        except TextTooLong:
            return False
        return False

    @staticmethod
    def _places_of(url: str) -> tuple[str, ...]:
        host = find_host(url)
        return (host, domain_of(host)) if host else ()


def read_regex_rules(text: str) -> tuple[SignedPattern, ...]:
    """Rules of a text, one a line: `+` or `-` and the pattern.

    `> place` opens rules for a host or registered domain, `<` closes them. Lines that are empty or begin with
    a blank or `#` say nothing. Raises BadRules for any other line and for patterns that are refused.
    """
    rules: list[SignedPattern] = []
    place: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        mark, rest = line[:1], line[1:]
        if mark in ("", " ", "\t", "#"):
            continue
        if mark in (">", "<"):
            place = (rest.strip().lower() or None) if mark == ">" else None
        elif mark in ("+", "-"):
            try:
                rules.append(SignedPattern(mark == "+", pattern_for_search(rest), place))
            except BadPattern as error:
                raise BadRules(f"line {number}: {error}") from error
        else:
            raise BadRules(f"line {number} begins with {mark!r}, not with one of + - # > < or a blank")
    return tuple(rules)


@cache
def shipped_regex_filter() -> RegexFilter:
    """The filter with the rules of this package: no queries, no images, no loops."""
    data = files("hyphe_core.parsers.url_rules") / "data" / "regex_filter.txt"
    return RegexFilter(read_regex_rules(data.read_text("utf-8")))
