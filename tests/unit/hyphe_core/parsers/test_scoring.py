"""Scores: OPIC page by page and all at once, and chains of filters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyphe_core.parsers.scoring import (
    MAX_CONTRIBUTIONS,
    SCORE_KEY,
    Opic,
    ScoringChain,
    ScoringFilter,
    score_in,
    sum_contributions,
)

HOSTS = ("http://a.com/", "http://A.com:80/x", "http://b.com/", "https://www.a.com/")


@given(
    st.lists(
        st.tuples(st.floats(0, 100), st.lists(st.sampled_from(HOSTS), max_size=5)), min_size=1, max_size=6
    ),
    st.booleans(),
)
def test_all_at_once_is_page_by_page(pages: list[tuple[float, list[str]]], counts_dropped: bool) -> None:
    scoring = Opic(internal=0.1, external=0.9, counts_dropped=counts_dropped)
    n_all = [len(targets) + 2 for _, targets in pages]
    one_by_one = [
        share
        for (score, targets), n in zip(pages, n_all, strict=True)
        for share in scoring.distribute(score, "http://a.com/", targets, n)
    ]
    page_of_link = np.array(
        [index for index, (_, targets) in enumerate(pages) for _ in targets], dtype=np.int64
    )
    is_internal = np.array(
        ["//a." in target.lower() for _, targets in pages for target in targets], dtype=bool
    )
    at_once = scoring.contributions(
        np.array([score for score, _ in pages]), page_of_link, is_internal, np.array(n_all)
    )
    assert at_once.tolist() == pytest.approx(one_by_one)


def test_a_page_gives_what_it_has() -> None:
    targets = [f"http://b.com/{i}" for i in range(7)]
    assert sum(Opic().distribute(3.0, "http://a.com/", targets, 9)) == pytest.approx(3.0)
    assert sum(Opic(counts_dropped=True).distribute(3.0, "http://a.com/", targets, 9)) == pytest.approx(
        3 * 7 / 9
    )
    assert Opic().distribute(3.0, "http://a.com/", [], 5) == []


def test_contributions_add_up_by_target() -> None:
    sums = sum_contributions(np.array([0, 2, 0]), np.array([0.5, 1.0, 0.25]), 4)
    assert sums.tolist() == [0.75, 0.0, 1.0, 0.0]


def test_only_the_best_contributions_count() -> None:
    contributions = [1.0] * MAX_CONTRIBUTIONS + [0.5]
    assert Opic().update(None, None, contributions) == MAX_CONTRIBUTIONS
    assert Opic().update(None, 2.0, [1.0]) == 3.0
    assert Opic().update(0.0, 2.0, [1.0]) == 1.0


def test_the_way_of_a_score_through_metadata() -> None:
    scoring = Opic()
    assert scoring.injected(9.0) == 1.0
    assert scoring.initial(9.0) == 0.0
    parse = scoring.after_parsing(scoring.before_parsing(0.1))
    assert score_in(parse) == 0.1
    assert scoring.after_parsing({}) == {}
    assert score_in({}) == score_in({SCORE_KEY: "x"}) == 0.0
    assert scoring.index_boost(4.0, 3.0) == 6.0


def test_a_chain_hands_on_what_each_filter_says() -> None:
    chain = ScoringChain((Opic(injected_score=2.0), ScoringFilter(), Opic(injected_score=3.0)))
    assert chain.injected(1.0) == 3.0
    assert chain.initial(1.0) == 0.0
    assert chain.sort_value(2.0, 1.0) == 4.0
    assert chain.distribute(1.0, "http://a.com/", ["http://b.com/"], 1) == [2.0]
    assert chain.update(1.0, None, [0.5]) == 1.5
    assert chain.index_boost(4.0, 1.0) == 4.0
    assert chain.orphaned(1.0, 40) == 1.0
    assert chain.after_parsing(chain.before_parsing(0.5)) == {SCORE_KEY: "0.5"}
    assert ScoringChain(()).update(None, 1.0, []) == 0.0
