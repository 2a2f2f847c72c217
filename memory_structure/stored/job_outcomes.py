"""What the attempts of a crawl job came to, counted from rows of fetches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from memory_structure.records import JobOutcomes
from memory_structure.storage import Row

OUTCOME_COLUMNS: Final = (
    "final", "depth", "status", "error", "content_type", "follow", "n_links", "n_links_cut",
)  # fmt: skip
_OK: Final = 200


def count_outcomes(rows: Iterable[Row]) -> JobOutcomes:
    """The outcomes of final attempts, given by rows of OUTCOME_COLUMNS."""
    outcomes: Counter[str] = Counter()
    depths: Counter[int] = Counter()
    types: Counter[str] = Counter()
    n_links = n_cut = n_bare = n_nofollow = 0
    for _, depth, status, error, content_type, follow, links, cut in rows:
        outcomes[str(status) if error is None else str(error)] += 1
        depths[depth] += 1
        n_links += links
        n_cut += cut
        if error is None and status == _OK:
            types[media_type(content_type)] += 1
            n_bare += not links
            n_nofollow += bool(links) and not follow
    by_type = tuple(sorted(types.items(), key=lambda pair: (-pair[1], pair[0])))
    return JobOutcomes(
        tuple(sorted(outcomes.items())),
        tuple(sorted(depths.items())),
        by_type,
        n_links,
        n_cut,
        n_bare,
        n_nofollow,
    )


def media_type(content_type: str) -> str:
    """The media type of a Content-Type header, "" when it has none."""
    return content_type.partition(";")[0].strip().lower()
