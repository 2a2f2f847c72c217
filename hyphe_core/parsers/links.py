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

    `n_self_links` counts links to the page's own key, which are not stored; `bad` tells the dropped ones.
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

    `page_lru` is the page's own key. `raw` is the first address found for the target, without fragment,
    when it is not the readable form of the key. A frame and a hyperlink to one page stay two links.
    """
    keys: dict[str, str] = {}
    reasons: dict[str, str] = {}
    merged: dict[tuple[str, LinkKind], _Evidence] = {}
    bad: list[str] = []
    n_self_links = 0
    for url, kind, anchor, rel, area in links:
        if "#" in url:
            url = url.partition("#")[0]
        key = keys.get(url)
        if key is None:
            key = keys[url] = _key_of(url, cutter, reasons)
        if not key:
            bad.append(url)
        elif key == page_lru:
            n_self_links += 1
        elif (key, kind) in merged:
            merged[key, kind].add(anchor, rel)
        else:
            merged[key, kind] = _Evidence(anchor, rel, area, url)
    return MergedLinks(_stored(merged), n_self_links, _count_bad(bad, reasons) if bad else ())


def _key_of(url: str, cutter: Cutter, reasons: dict[str, str]) -> str:
    """Key of an address; "" for one that has none, whose reason is noted."""
    try:
        return cutter.lru(url)
    except BadUrl as error:
        reasons[url] = error.reason
        return ""


def _stored(merged: dict[tuple[str, LinkKind], _Evidence]) -> tuple[FoundLink, ...]:
    made: list[FoundLink] = []
    for (key, kind), evidence in merged.items():
        raw: str | None = evidence.raw
        shown = lru_to_url(key)
        if raw in (
            shown,
            shown + "/",
        ):  # only the lone slash after a host can be missing from the readable form
            raw = None
        made.append(FoundLink(key, kind, evidence.count, evidence.anchor, evidence.rel, evidence.area, raw))
    return tuple(made)


def _count_bad(bad: list[str], reasons: dict[str, str]) -> tuple[BadLinks, ...]:
    """Dropped links by reason, with the first few distinct addresses of each."""
    by_reason: dict[str, list[str]] = {}
    for url in bad:
        by_reason.setdefault(reasons[url], []).append(url)
    return tuple(
        BadLinks(reason, len(urls), tuple(dict.fromkeys(urls))[:MAX_EXAMPLES])
        for reason, urls in sorted(by_reason.items())
    )
