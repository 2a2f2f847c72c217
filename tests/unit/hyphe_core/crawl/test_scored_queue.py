"""The order of a job by scores."""

from __future__ import annotations

import random

from hyphe_core.crawl.scored_queue import JobScores, ScoredQueue
from memory_structure.parse_options import CrawlOrder
from tests.unit.hyphe_core.crawl.simulation import SimPage, Simulation, SimWeb, spec_of

HOME = "http://site.example"


def order_of(order: CrawlOrder) -> list[str]:
    """Paths in the order in which they are fetched, one at a time."""
    names = [f"{HOME}/{name}" for name in ("a", "b", "c", "d")]
    pages = [
        SimPage(HOME, names),
        SimPage(names[0], [names[3]]),
        SimPage(names[1], [f"{HOME}/x{i}" for i in range(20)]),
        *(SimPage(name) for name in names[2:]),
        *(SimPage(f"{HOME}/x{i}") for i in range(20)),
    ]
    sim = Simulation(SimWeb(pages), random.Random(1))
    sim.add(1, spec_of(HOME, max_depth=3, order=order))
    sim.run()
    return [lru.rpartition("p:")[2].rstrip("|") for lru in sim.stores[1].done]


def test_a_page_that_is_given_more_comes_before_pages_of_its_depth() -> None:
    assert order_of(CrawlOrder.BREADTH)[1:5] == ["a", "b", "c", "d"]
    assert order_of(CrawlOrder.OPIC)[1:5] == ["a", "d", "b", "c"]


def test_a_page_shares_once() -> None:
    scores = JobScores()
    assert scores.of("home") == 1.0
    scores.share("home", ["a", "b"])
    scores.share("home", ["a", "b"])
    assert (scores.of("a"), scores.of("b")) == (0.5, 0.5)


def test_pages_that_gain_much_are_named() -> None:
    scores = JobScores()
    scores.share("one", ["a", "b", "c", "d"])
    assert [scores.of(name) for name in "ab"] == [0.25, 0.25]
    assert scores.share("two", ["a", "e"]) == ["a"]
    assert scores.of("a") == 0.75
    assert scores.share("b", ["a", "x"]) == []


def test_what_is_put_back_comes_first() -> None:
    scores = {b"low": 0.1, b"high": 0.9}
    queue = ScoredQueue(scores.__getitem__)
    queue.push(1, b"low")
    queue.push(2, b"high")
    assert queue.pop() == (2, b"high")
    queue.push(2, b"high")
    queue.put_back(1, b"low")
    assert [queue.pop() for _ in range(3)] == [(1, b"low"), (2, b"high"), (1, b"low")]
    assert queue.pop() is None
