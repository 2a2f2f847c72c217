"""Which links of a page are kept: limits, own page, inside or outside, normalisers, filters, in that order.

Off in the research profile, which keeps all. Every link that is dropped is counted with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from hyphe_core.parsers.base import Link
from hyphe_core.parsers.url_rules.addresses import domain_of, find_host
from hyphe_core.parsers.url_rules.chains import (
    FilterChain,
    NormalizerChain,
    nutch_filters,
    nutch_normalizers,
)
from hyphe_core.parsers.url_rules.steps import Filter, Scope

# Of the anchors that the page's targets are found by (inverted links), not of the page's own record.
INVERTED_ANCHOR_CHARACTERS = 100
_N_REMEMBERED = 8192
_LONG = 1000  # addresses from this length on are not remembered


class DropReason(StrEnum):
    """Why a link was dropped, in the order in which the reasons are looked for."""

    TOO_LONG = "too long"
    SELF = "own page"
    EXTERNAL = "external"
    INTERNAL = "internal"
    MALFORMED = "malformed"
    FILTERED = "filtered"
    DUPLICATE = "duplicate"
    OVER_LIMIT = "over the limit"


class Place(StrEnum):
    """What makes a link internal: the same host, or the same registered domain."""

    HOST = "byHost"
    DOMAIN = "byDomain"


class DropCount(NamedTuple):
    """Links dropped for one reason."""

    reason: DropReason
    n_links: int


@dataclass(frozen=True, slots=True)
class KeptLinks:
    """Links that a policy keeps, their URLs normalised, and counts of the dropped ones by reason (reasons in
    their order, none of zero). `n_examined` links were looked at before the limit was reached."""

    links: tuple[Link, ...]
    dropped: tuple[DropCount, ...] = ()
    n_examined: int = 0


@dataclass(frozen=True, slots=True)
class OutlinkPolicy:
    """A policy. `max_links` counts links that are kept, dropped ones do not use it up; None = no limit.

    A link to the page itself is looked for before and after normalising, so one to a part of the page is
    dropped. `exemptions` keep links that would be dropped as external. Duplicates are looked for after
    normalising; the first stands at its position, with the first anchor that is not empty.
    """

    max_characters: int | None = 4096
    max_links: int | None = 100
    max_anchor_characters: int | None = None
    ignores_external: bool = False
    ignores_internal: bool = False
    place: Place = Place.HOST
    exemptions: Filter | None = None
    normalizers: NormalizerChain = field(default_factory=NormalizerChain)
    filters: FilterChain = field(default_factory=FilterChain)
    drops_self: bool = True
    drops_duplicates: bool = True

    def apply(self, page_url: str, links: Sequence[Link]) -> KeptLinks:
        """Links of a page that are kept, in their order."""
        kept: dict[object, Link] = {}
        dropped: Counter[DropReason] = Counter()
        page = self._page_of(page_url)
        n_examined = 0
        for link in links:
            if self.max_links is not None and len(kept) >= self.max_links:
                break
            n_examined += 1
            url = self._judge(link.url, page, Scope.OUTLINK)
            if isinstance(url, DropReason):
                dropped[url] += 1
                continue
            identity: object = url if self.drops_duplicates else n_examined
            if identity in kept:
                dropped[DropReason.DUPLICATE] += 1
                self._keep_anchor(kept, identity, link)
                continue
            kept[identity] = link._replace(url=url, anchor=link.anchor[: self.max_anchor_characters])
        if n_examined < len(links):
            dropped[DropReason.OVER_LIMIT] = len(links) - n_examined
        counts = tuple(DropCount(reason, dropped[reason]) for reason in DropReason if dropped[reason])
        return KeptLinks(tuple(kept.values()), counts, n_examined)

    def find_redirect(self, page_url: str, target: str) -> str | None:
        """The target of a page's refresh, normalised, None when the rules for links drop it."""
        url = self._judge(target, self._page_of(page_url), Scope.FETCHER)
        return None if isinstance(url, DropReason) else url

    def judge(self, page_url: str, url: str) -> str | DropReason:
        """The normalised URL of one link, or why it is dropped; limits on number and duplicates aside."""
        return self._judge(url, self._page_of(page_url), Scope.OUTLINK)

    def _page_of(self, url: str) -> _Page:
        return _Page(url, self.normalizers.find_normal(url, Scope.OUTLINK), find_host(url) or "")

    def _judge(self, url: str, page: _Page, scope: Scope) -> str | DropReason:
        if self.max_characters is not None and len(url) > self.max_characters:
            return DropReason.TOO_LONG
        if self.drops_self and url == page.url:
            return DropReason.SELF
        misplaced = self._misplaced(url, page.host)
        if misplaced is not None:
            return misplaced
        judge = _remembered if len(url) < _LONG else _judge
        normal, passes = judge(self.normalizers, self.filters, url, scope)
        if not normal:
            return DropReason.MALFORMED
        if self.drops_self and normal in (page.url, page.normal):
            return DropReason.SELF
        return normal if passes else DropReason.FILTERED

    def _misplaced(self, url: str, page_host: str) -> DropReason | None:
        if not (self.ignores_external or self.ignores_internal):
            return None
        host = find_host(url)
        if host is None:
            return DropReason.MALFORMED
        if self.place is Place.DOMAIN:
            is_internal = domain_of(host) == domain_of(page_host)
        else:
            is_internal = host == page_host
        if is_internal:
            return DropReason.INTERNAL if self.ignores_internal else None
        if not self.ignores_external or (self.exemptions is not None and self.exemptions.accepts(url)):
            return None
        return DropReason.EXTERNAL

    def _keep_anchor(self, kept: dict[object, Link], identity: object, link: Link) -> None:
        if link.anchor and not kept[identity].anchor:
            anchor = link.anchor[: self.max_anchor_characters]
            kept[identity] = kept[identity]._replace(anchor=anchor)


def _judge(
    normalizers: NormalizerChain, filters: FilterChain, url: str, scope: Scope
) -> tuple[str | None, bool]:
    """(the URL normalised, None when it is malformed; whether the filters let it pass)."""
    normal = normalizers.find_normal(url, scope)
    return normal, normal is not None and filters.accepts(normal)


# Pages of a site share most of their links.
_remembered = lru_cache(maxsize=_N_REMEMBERED)(_judge)


class _Page(NamedTuple):
    """The page whose links are judged: its URL, that URL normalised, its host in lower case."""

    url: str
    normal: str | None
    host: str


@cache
def nutch_policy() -> OutlinkPolicy:
    """The policy as Nutch ships it: 100 links a page, its normalisers, its filter that refuses queries."""
    return OutlinkPolicy(normalizers=nutch_normalizers(), filters=nutch_filters())
