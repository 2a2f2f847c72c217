"""Links of a page as they are stored: one for each (target, kind), with the evidence folded together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from hyphe_core.parsers.base import Link
from memory_structure.lru import lru_to_url
from memory_structure.records import Area, FoundLink, LinkKind
from memory_structure.urls import BadUrl

MAX_EXAMPLES = 5


class Cutter(Protocol):
    """Turns URLs into LRUs by the policy of a corpus (see `memory_structure.lru.UrlCutter`)."""

    def lru(self, url: str) -> str:
        """Canonical LRU of a URL. Raises BadUrl."""


class BadLinks(NamedTuple):
    """Links dropped for one reason: how many, and the first few URLs."""

    reason: str
    n_links: int
    examples: tuple[str, ...]


class MergedLinks(NamedTuple):
    """Links of one page, in order of first appearance. One is made for each page.

    `n_self_links` counts links to the page's own key, which are not stored; `bad` the dropped ones, by reason.
    """

    links: tuple[FoundLink, ...]
    n_self_links: int = 0
    bad: tuple[BadLinks, ...] = ()

    @property
    def n_bad_links(self) -> int:
        """Links dropped, for whatever reason."""
        return sum(bad.n_links for bad in self.bad)


class _Evidence:
    """What the links to one target say together."""

    __slots__ = ("anchor", "area", "count", "raw", "rel")

    def __init__(self, anchor: str, rel: str, area: Area, raw: str) -> None:
        self.count = 1
        self.anchor = anchor
        self.rel = rel
        self.area = area
        self.raw = raw

    def add(self, anchor: str, rel: str) -> None:
        self.count += 1
        if anchor and not self.anchor:
            self.anchor = anchor
        if rel != self.rel:
            self.rel = " ".join(sorted({*self.rel.split(), *rel.split()}))


def merge_links(page_lru: str, links: Sequence[Link], cutter: Cutter) -> MergedLinks:
    """Links of a page merged by (target key, kind): count, first non-empty anchor, union of rel, first area.

    `page_lru` is the page's own key. `raw` is the first address found for the target, without fragment, when it is not
    the readable form of the key.
    """
    keys: dict[str, str | None] = {}
    merged: dict[tuple[str, LinkKind], _Evidence] = {}
    dropped: list[tuple[str, str]] = []
    n_self_links = 0
    for url, kind, anchor, rel, area in links:
        if "#" in url:
            url = url.partition("#")[0]
        if url in keys:
            key = keys[url]
        else:
            key = keys[url] = _find_key(url, cutter, dropped)
        if key is None:
            continue
        if key == page_lru:
            n_self_links += 1
            continue
        evidence = merged.get((key, kind))
        if evidence is None:
            merged[key, kind] = _Evidence(anchor, rel, area, url)
        else:
            evidence.add(anchor, rel)
    return MergedLinks(_stored(merged), n_self_links, _count_bad(dropped) if dropped else ())


def _find_key(url: str, cutter: Cutter, dropped: list[tuple[str, str]]) -> str | None:
    try:
        return cutter.lru(url)
    except BadUrl as error:
        dropped.append((error.reason, url))
        return None


def _stored(merged: dict[tuple[str, LinkKind], _Evidence]) -> tuple[FoundLink, ...]:
    made: list[FoundLink] = []
    for (key, kind), evidence in merged.items():
        raw = evidence.raw
        shown = lru_to_url(key)
        made.append(
            FoundLink(
                key,
                kind,
                evidence.count,
                evidence.anchor,
                evidence.rel,
                evidence.area,
                None if raw == shown else raw,
            )
        )
    return tuple(made)


def _count_bad(dropped: list[tuple[str, str]]) -> tuple[BadLinks, ...]:
    """Dropped addresses by reason. The same address counts once: it was looked at once."""
    by_reason: dict[str, list[str]] = {}
    for reason, url in dropped:
        by_reason.setdefault(reason, []).append(url)
    return tuple(
        BadLinks(reason, len(urls), tuple(urls[:MAX_EXAMPLES])) for reason, urls in sorted(by_reason.items())
    )
