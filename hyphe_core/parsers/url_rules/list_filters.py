"""Filters by lists: beginnings and ends of URLs, hosts and their domains."""

from __future__ import annotations

from collections.abc import Iterable

from hyphe_core.parsers.url_rules.addresses import (
    MalformedUrl,
    domain_of,
    find_host,
    split_address,
    suffix_of,
)
from hyphe_core.parsers.url_rules.steps import Filter, list_rule_lines


class PrefixFilter(Filter):
    """Lets URLs pass that begin with one of the prefixes, in the very same spelling."""

    __slots__ = ("_prefixes",)

    def __init__(self, prefixes: Iterable[str]) -> None:
        self._prefixes = tuple(prefixes)

    def accepts(self, url: str) -> bool:
        """Whether a prefix fits; none does when there is none."""
        return url.startswith(self._prefixes)


class SuffixFilter(Filter):
    """Refuses URLs that end with a listed suffix (`lists_refused`), or all others.

    The end of the whole URL is looked at, of its path with `path_only`.
    """

    __slots__ = ("_ignores_case", "_lists_refused", "_path_only", "_suffixes")

    def __init__(
        self,
        suffixes: Iterable[str],
        *,
        lists_refused: bool,
        ignores_case: bool = False,
        path_only: bool = False,
    ) -> None:
        self._suffixes = tuple(suffix.lower() if ignores_case else suffix for suffix in suffixes)
        self._lists_refused = lists_refused
        self._ignores_case = ignores_case
        self._path_only = path_only

    def accepts(self, url: str) -> bool:
        """Whether the end of the URL is one that passes."""
        end = url
        if self._path_only:
            try:
                end = split_address(url).path
            except MalformedUrl:
                end = url
        if self._ignores_case:
            end = end.lower()
        return end.endswith(self._suffixes) != self._lists_refused


def read_suffix_rules(text: str) -> SuffixFilter:
    """The filter of a text: one suffix a line, and a line that begins with `+` (listed ones are refused) or
    `-` (only listed ones pass, the default), followed by `I` (case does not matter) and `P` (path only)."""
    suffixes: list[str] = []
    lists_refused = ignores_case = path_only = False
    for line in list_rule_lines(text):
        if line[0] in "+-":
            lists_refused = line[0] == "+"
            ignores_case = ignores_case or "I" in line
            path_only = path_only or "P" in line
        else:
            suffixes.append(line)
    return SuffixFilter(suffixes, lists_refused=lists_refused, ignores_case=ignores_case, path_only=path_only)


class DomainFilter(Filter):
    """Lets URLs pass whose host, registered domain or public suffix is listed; all when nothing is listed.

    With `denies`, listed ones are refused instead, and malformed URLs. Suffixes are those of registries.
    """

    __slots__ = ("_denies", "_places")

    def __init__(self, places: Iterable[str], *, denies: bool = False) -> None:
        self._places = frozenset(place.strip().lower() for place in places) - {""}
        self._denies = denies

    def accepts(self, url: str) -> bool:
        """Whether the URL's host is one that passes; a malformed URL does only without a list to be on."""
        if not self._places and not self._denies:
            return True
        host = find_host(url)
        if host is None:
            return False
        is_listed = not self._places.isdisjoint((host, domain_of(host), suffix_of(host)))
        return is_listed != self._denies
