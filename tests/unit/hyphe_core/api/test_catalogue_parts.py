"""The parts of the catalogue, each against the plainest way to say the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyphe_core.api.entity_catalogue import freshness, haystack
from hyphe_core.api.entity_catalogue.catalogue import _sorted_places
from hyphe_core.api.entity_catalogue.figures import Figures
from hyphe_core.api.entity_catalogue.freshness import Freshness
from hyphe_core.api.entity_catalogue.haystack import Haystack
from hyphe_core.api.entity_catalogue.text_order import TextOrder
from memory_structure.columns import NetworkArrays
from memory_structure.words import folded, words_of

texts = st.text(alphabet="ab é.1", max_size=8)
edits = st.lists(st.tuples(st.integers(1, 12), texts), max_size=30)


@pytest.fixture(scope="module", autouse=True)
def few_apart() -> object:
    """The buffer is made anew after few changes."""
    before, haystack._MAX_APART = haystack._MAX_APART, 3  # type: ignore[misc]
    yield
    haystack._MAX_APART = before  # type: ignore[misc]


@settings(deadline=None)
@given(st.dictionaries(st.integers(1, 12), texts), edits, st.text(alphabet="ab é.1", min_size=1, max_size=3))
def test_a_haystack_finds_what_each_text_holds(
    loaded: dict[int, str], changes: list[tuple[int, str]], needle: str
) -> None:
    stack, plain = Haystack(), {i: folded(text) for i, text in loaded.items()}
    stack.load(plain)
    for entity_id, text in changes:
        plain[entity_id] = folded(text)
        stack.put(entity_id, folded(text))
    wanted = folded(needle)
    assert np.flatnonzero(stack.mask(wanted, 13)).tolist() == sorted(
        i for i, t in plain.items() if wanted in t
    )
    for word in words_of(needle):
        whole = np.flatnonzero(stack.mask(word, 13, whole=True)).tolist()
        assert whole == sorted(i for i, t in plain.items() if word in words_of(t))


@settings(deadline=None)
@given(st.dictionaries(st.integers(1, 12), texts), edits)
def test_ranks_order_as_the_texts_do(loaded: dict[int, str], changes: list[tuple[int, str]]) -> None:
    order, plain = TextOrder(), dict(loaded)
    order.load(plain.items())
    for entity_id, text in changes:
        plain[entity_id] = text
        order.put(entity_id, text)
    ranks = order.ranks(13)
    for a in range(13):
        for b in range(13):
            one, other = folded(plain.get(a, "")), folded(plain.get(b, ""))
            assert (ranks[a] < ranks[b], ranks[a] == ranks[b]) == (one < other, one == other)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-(2**40), 2**40), st.integers(0, 2**20)), max_size=40),
    st.lists(st.sampled_from([0, 1, 2]), max_size=3),
)
def test_places_by_several_keys(rows: list[tuple[int, int, int]], chosen: list[int]) -> None:
    keys = [np.array([row[i] for row in rows], np.int64) for i in chosen]
    expected = sorted(range(len(rows)), key=lambda place: [rows[place][i] for i in chosen])
    assert _sorted_places(keys, len(rows)).tolist() == expected


def test_what_took_long_may_be_ten_times_as_old_unless_a_client_changed_something(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time = [100.0]
    monkeypatch.setattr(freshness, "monotonic", lambda: time[0])
    fresh = Freshness()
    assert not fresh.serves(1, 0)
    time[0] = 101.0
    fresh.note(1, 0, 100.0)
    assert fresh.serves(1, 5)
    time[0] = 110.9
    assert fresh.serves(2, 0)
    assert not fresh.serves(2, 1)
    time[0] = 111.1
    assert not fresh.serves(2, 0)


def test_degrees_are_counted_anew_for_other_pairs_alone() -> None:
    def network(*links: tuple[int, int, int]) -> NetworkArrays:
        return NetworkArrays(*(np.array(column, np.int64) for column in zip(*links, strict=True)))

    figures = Figures()
    assert figures.take_network(network((1, 2, 1), (2, 1, 1)), 3)
    assert not figures.take_network(network((1, 2, 7), (2, 1, 1)), 4)
    assert figures.take_network(network((1, 2, 7), (2, 3, 1)), 4)
    assert figures.take_network(network((1, 2, 7)), 4)
