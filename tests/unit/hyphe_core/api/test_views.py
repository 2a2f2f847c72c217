"""Summaries and listings: fresh when the store changed, shared when it did not, bounded."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from hyphe_core.api import listings as listings_module
from hyphe_core.api import views as views_module
from hyphe_core.api.listings import Listing, Listings
from hyphe_core.api.views import CorpusView
from memory_structure.columns import JobHead
from memory_structure.records import JobState


class Store:
    """Just what the jobs of a view ask for: one job more each time."""

    def __init__(self) -> None:
        self.now, self.n_calls, self.cost, self.time = 1, 0, 0.0, 100.0

    def version(self) -> int:
        return self.now

    def list_job_heads(self) -> list[JobHead]:
        self.n_calls += 1
        self.time += self.cost
        return [JobHead(n, None, JobState.PENDING, 0) for n in range(self.n_calls)]


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    store = Store()
    monkeypatch.setattr(views_module, "monotonic", lambda: store.time)
    return store


def test_a_summary_is_made_once_for_each_version(store: Any) -> None:
    view = CorpusView(store)
    assert view.jobs() is view.jobs()
    store.now += 1
    assert view.jobs().n_total == 2
    assert store.n_calls == 2


def test_a_dear_summary_may_be_a_little_old(store: Any) -> None:
    view = CorpusView(store)
    store.cost = 1.0
    view.jobs()
    store.now += 1
    store.time += 9.9
    assert view.jobs().n_total == 1
    store.time += 0.2
    assert view.jobs().n_total == 2


def test_a_change_of_a_client_is_never_hidden(store: Any) -> None:
    view = CorpusView(store)
    store.cost = 1.0
    view.jobs()
    store.now += 1
    view.note_change()
    assert view.jobs().n_total == 2


def test_a_change_that_moved_nothing_makes_nothing_anew(store: Any) -> None:
    view = CorpusView(store)
    store.cost = 1.0
    view.jobs()
    view.note_change()
    assert view.jobs().n_total == 1


def listing(corpus: str, n: int = 1, first: int = 0) -> Listing:
    return Listing(corpus, array("i", range(first, first + n)), 10, "light")


def test_listings_are_found_in_their_corpus_alone() -> None:
    listings = Listings()
    token = listings.keep(listing("a"))
    assert len(token) == 24
    assert listings.find("a", token)
    assert listings.find("b", token) is None
    listings.forget_corpus("a")
    assert listings.find("a", token) is None


@pytest.mark.parametrize(("name", "value"), [("_MAX_LISTINGS", 3), ("_MAX_IDS", 30)])
def test_the_least_recently_used_listing_goes_first(
    monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    monkeypatch.setattr(listings_module, name, value)
    listings = Listings()
    tokens = [listings.keep(listing("a", 10, first)) for first in range(3)]
    assert listings.find("a", tokens[0])
    listings.keep(listing("a", 10, 3))
    assert [listings.find("a", t) is not None for t in tokens] == [True, False, True]


def test_the_same_listing_keeps_its_token_until_it_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listings_module, "_MAX_LISTINGS", 2)
    listings = Listings()
    token = listings.keep(listing("a", 10))
    assert listings.keep(listing("a", 10)) == token
    assert listings.keep(listing("b", 10)) != token
    assert listings.keep(listing("a", 9)) != token
    assert listings.find("a", token) is None
    assert listings.keep(listing("a", 10)) != token


def test_listings_with_weights_are_never_taken_for_each_other() -> None:
    listings = Listings()
    one = Listing("a", array("i", [1]), 10, "light", {1: 3})
    other = Listing("a", array("i", [1]), 10, "light", {1: 4})
    assert listings.keep(one) != listings.keep(other)
