"""Online page importance computation in arrays: a page shares its score among its links."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Numbers = NDArray[np.int64]


def shared_scores(
    page_scores: Scores, page_of_link: Numbers, n_shares: Numbers, weights: Scores | None = None
) -> Scores:
    """What each link is given, from the scores of pages, the page of each link, and how many shares a page
    makes of its score; times the weight of the link when there are weights."""
    shares = (page_scores / np.maximum(n_shares, 1))[page_of_link]
    return np.asarray(shares if weights is None else shares * weights, dtype=np.float64)


def sum_contributions(target_of_link: Numbers, contributions: Scores, n_targets: int) -> Scores:
    """What each target is given by all links to it: an array by target."""
    sums = np.bincount(target_of_link, weights=contributions, minlength=n_targets)
    return np.asarray(sums, dtype=np.float64)
