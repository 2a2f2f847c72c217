"""Links of a page as they are stored: one for each (target, kind), with the evidence folded together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from hyphe_core.parsers.base import Link
from memory_structure.lru import lru_to_url
from memory_structure.records import FoundLink, LinkKind
from memory_structure.urls import BadUrl

MAX_EXAMPLES = 5
_N_REMEMBERED = 8192  # some 4 MB
_LONG = 500  # characters of an address that is not worth remembering


class Cutter(Protocol):
    """Turns URLs into LRUs by the policy of a corpus (see `memory_structure.lru.UrlCutter`); always the same
    way, since what it says is remembered."""

    def __hash__(self) -> int:
        """That of the object."""

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


class _Key(NamedTuple):
    """What is known of an address: its key ("" when it has none, for `reason`), and `raw`, the address itself
    when it is not the readable form of the key."""

    lru: str
    raw: str | None
    reason: str = ""


def merge_links(page_lru: str, links: Sequence[Link], cutter: Cutter) -> MergedLinks:
    """Links of a page merged by (target key, kind): count, first non-empty anchor, union of rel, first area.

    `page_lru` is the page's own key. `raw` is the first address found for the target, without fragment,
    when it is not the readable form of the key. A frame and a hyperlink to one page stay two links.
    """
    merged: dict[tuple[str, LinkKind], FoundLink] = {}
    bad: list[tuple[str, str]] = []
    n_self_links = 0
    key_of, new_link = _remembered_key, tuple.__new__  # tuple.__new__ is half the cost of FoundLink(...)
    for url, kind, anchor, rel, area in links:
        if "#" in url:
            url = url.partition("#")[0]
        key, raw, reason = (key_of if len(url) < _LONG else _find_key)(cutter, url)
        if key == page_lru:
            n_self_links += 1
            continue
        if not key:
            bad.append((url, reason))
            continue
        identity = (key, kind)
        known = merged.get(identity)
        if known is None:
            merged[identity] = new_link(FoundLink, (key, kind, 1, anchor, rel, area, raw))
        else:
            merged[identity] = _with_evidence(known, anchor, rel)
    return MergedLinks(tuple(merged.values()), n_self_links, _count_bad(bad) if bad else ())


def _find_key(cutter: Cutter, url: str) -> _Key:
    try:
        lru = cutter.lru(url)
    except BadUrl as error:
        return _Key("", None, error.reason)
    shown = lru_to_url(lru)
    # Only the lone slash after a host can be missing from the readable form.
    return _Key(lru, None if url == shown or url == shown + "/" else url)


# Pages of a site share most of their links (menus, footers).
_remembered_key = lru_cache(maxsize=_N_REMEMBERED)(_find_key)


def _with_evidence(link: FoundLink, anchor: str, rel: str) -> FoundLink:
    """The link met once more."""
    key, kind, n, first_anchor, first_rel, area, raw = link
    if rel != first_rel:
        rel = " ".join(sorted({*first_rel.split(), *rel.split()}))
    made: FoundLink = tuple.__new__(FoundLink, (key, kind, n + 1, first_anchor or anchor, rel, area, raw))
    return made


def _count_bad(bad: list[tuple[str, str]]) -> tuple[BadLinks, ...]:
    """Dropped links (address, reason) by reason, with the first few distinct addresses of each."""
    by_reason: dict[str, list[str]] = {}
    for url, reason in bad:
        by_reason.setdefault(reason, []).append(url)
    return tuple(
        BadLinks(reason, len(urls), tuple(dict.fromkeys(urls))[:MAX_EXAMPLES])
        for reason, urls in sorted(by_reason.items())
    )
