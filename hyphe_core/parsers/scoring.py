"""Scores of pages: a chain of filters that are called along a page's way, and OPIC among them.

Online page importance computation: a page shares its score among its links at each fetch, a page's score is
the sum of what it was given. The page's own score is not reduced by what it gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyphe_core.parsers.url_rules.addresses import find_host
from memory_structure.opic import shared_scores, sum_contributions

__all__ = [
    "MAX_CONTRIBUTIONS",
    "SCORE_KEY",
    "Opic",
    "ScoringChain",
    "ScoringFilter",
    "score_in",
    "sum_contributions",
]

Scores: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

SCORE_KEY = "nutch.crawl.score"
MAX_CONTRIBUTIONS = 10_000


class ScoringFilter:
    """One way of scoring. Each method answers its argument unless a filter has something to say."""

    def injected(self, score: float) -> float:
        """Score of a start page."""
        return score

    def initial(self, score: float) -> float:
        """Score of a page that was just discovered."""
        return score

    def sort_value(self, score: float, value: float) -> float:
        """Rank of a page in the frontier, from its score and the value so far; higher comes first."""
        return value

    def before_parsing(self, score: float) -> dict[str, str]:
        """Metadata that the content takes along, from the score of its page."""
        return {}

    def after_parsing(self, content_metadata: Mapping[str, str]) -> dict[str, str]:
        """Metadata that the parse takes over from its content."""
        return {}

    def distribute(self, score: float, page: str, targets: Sequence[str], n_all_links: int) -> list[float]:
        """What each of the accepted links of a page is given, in their order; `n_all_links` were found."""
        return [0.0] * len(targets)

    def update(self, old: float | None, fetched: float | None, contributions: Sequence[float]) -> float:
        """New score of a page.

        `old` as stored (None: first seen), `fetched` as the fetch list had it, what pages of this round gave.
        """
        return old if old is not None else fetched or 0.0

    def orphaned(self, score: float, days_without_links: float) -> float:
        """Score of a page that no page links to any more."""
        return score

    def index_boost(self, score: float, boost: float) -> float:
        """Weight of a page in search results, from its score and the weight so far."""
        return boost


@dataclass(frozen=True, slots=True)
class Opic(ScoringFilter):
    """OPIC. Links within a host (its name, without case) are worth `internal`, others `external`;
    `counts_dropped` shares among all links found, so that what dropped ones would get is lost."""

    injected_score: float = 1.0
    internal: float = 1.0
    external: float = 1.0
    counts_dropped: bool = False
    index_power: float = 0.5

    def injected(self, score: float) -> float:
        """The configured score, whatever was."""
        return self.injected_score

    def initial(self, score: float) -> float:
        """Nothing: a page has what pages give it."""
        return 0.0

    def sort_value(self, score: float, value: float) -> float:
        """The product of both."""
        return score * value

    def before_parsing(self, score: float) -> dict[str, str]:
        """The score as text."""
        return {SCORE_KEY: repr(score)}

    def after_parsing(self, content_metadata: Mapping[str, str]) -> dict[str, str]:
        """The score as text, when the content has it."""
        return {SCORE_KEY: content_metadata[SCORE_KEY]} if SCORE_KEY in content_metadata else {}

    def distribute(self, score: float, page: str, targets: Sequence[str], n_all_links: int) -> list[float]:
        """Equal shares, weighted by whether a link leaves its host."""
        n_shares = n_all_links if self.counts_dropped else len(targets)
        if not targets or not n_shares:
            return [0.0] * len(targets)
        share, host = score / n_shares, find_host(page)
        inside, outside = share * self.internal, share * self.external
        if inside == outside:
            return [inside] * len(targets)
        own = (f"http://{host}/", f"https://{host}/")
        return [
            inside if target.startswith(own) or find_host(target) == host else outside for target in targets
        ]

    def update(self, old: float | None, fetched: float | None, contributions: Sequence[float]) -> float:
        """The stored score, else that of the fetch list, plus the highest 10,000 contributions."""
        if len(contributions) > MAX_CONTRIBUTIONS:
            contributions = sorted(contributions, reverse=True)[:MAX_CONTRIBUTIONS]
        return (old if old is not None else fetched or 0.0) + sum(contributions)

    def index_boost(self, score: float, boost: float) -> float:
        """The weight so far times a power of the score."""
        return boost * float(score**self.index_power)

    def contributions(
        self,
        page_scores: Scores,
        page_of_link: Indices,
        is_internal: Flags,
        n_all_links: Indices | None = None,
    ) -> Scores:
        """What each link of many pages is given, in one step; the same as `distribute` page by page.

        Arrays by page, and by link the number of its page. `n_all_links` by page: when dropped links count.
        """
        n_links = np.bincount(page_of_link, minlength=len(page_scores))
        if self.counts_dropped and n_all_links is not None:
            n_links = n_all_links
        weights = np.where(is_internal, self.internal, self.external)
        return shared_scores(page_scores, page_of_link, n_links, weights)


def score_in(metadata: Mapping[str, str]) -> float:
    """The score written in metadata; missing or unreadable text counts as zero."""
    try:
        return float(metadata.get(SCORE_KEY, "0"))
    except ValueError:
        return 0.0


@dataclass(frozen=True, slots=True)
class ScoringChain(ScoringFilter):
    """Filters in order: a score goes from one to the next, metadata are joined, shares are added up."""

    filters: tuple[ScoringFilter, ...] = (Opic(),)

    def injected(self, score: float) -> float:
        """As the last filter leaves it."""
        for one in self.filters:
            score = one.injected(score)
        return score

    def initial(self, score: float) -> float:
        """As the last filter leaves it."""
        for one in self.filters:
            score = one.initial(score)
        return score

    def sort_value(self, score: float, value: float) -> float:
        """As the last filter leaves it."""
        for one in self.filters:
            value = one.sort_value(score, value)
        return value

    def before_parsing(self, score: float) -> dict[str, str]:
        """Of all filters; the later counts."""
        return {key: value for one in self.filters for key, value in one.before_parsing(score).items()}

    def after_parsing(self, content_metadata: Mapping[str, str]) -> dict[str, str]:
        """Of all filters; the later counts."""
        return {
            key: value for one in self.filters for key, value in one.after_parsing(content_metadata).items()
        }

    def distribute(self, score: float, page: str, targets: Sequence[str], n_all_links: int) -> list[float]:
        """The sum of all filters' shares by link."""
        shares = [one.distribute(score, page, targets, n_all_links) for one in self.filters]
        return [sum(column) for column in zip(*shares, strict=True)]

    def update(self, old: float | None, fetched: float | None, contributions: Sequence[float]) -> float:
        """The first filter's answer, corrected by those after it, to which it is the stored score."""
        score: float | None = old
        for index, one in enumerate(self.filters):
            score = one.update(score, fetched, contributions if index == 0 else ())
        return score or 0.0

    def orphaned(self, score: float, days_without_links: float) -> float:
        """As the last filter leaves it."""
        for one in self.filters:
            score = one.orphaned(score, days_without_links)
        return score

    def index_boost(self, score: float, boost: float) -> float:
        """As the last filter leaves it."""
        for one in self.filters:
            boost = one.index_boost(score, boost)
        return boost
