"""Hosts leased, shared and given back."""

from __future__ import annotations

from hyphe_core.crawl.board import IDLE_SECONDS, SLICE_SECONDS
from hyphe_core.crawl.frontier import Frontier
from hyphe_core.crawl.job_state import CrawlState
from memory_structure.registry import HostKey
from memory_structure.url_cutter import UrlCutter
from tests.unit.hyphe_core.crawl.simulation import EPOCH, spec_of

HOST = HostKey("", "site.example:80")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def leased_frontier(clock: Clock, *urls: str, **settings: object) -> tuple[Frontier, CrawlState]:
    frontier = Frontier(clock, needs_lease=True, utc_now=lambda: EPOCH)
    job = CrawlState("c", 1, spec_of(*urls, **settings), UrlCutter(), agent="a/1")
    frontier.add_job(job)
    return frontier, job


def test_nothing_is_sent_to_a_host_that_is_not_held() -> None:
    clock = Clock()
    frontier, _ = leased_frontier(clock, "http://site.example/")
    assert frontier.next_ticket() is None
    assert frontier.board.list_unleased() == [HOST]
    frontier.board.grant(HOST, 0.0)
    assert frontier.next_ticket() is not None
    assert frontier.board.list_unleased() == []


def test_the_delay_left_by_the_last_holder_is_kept() -> None:
    clock = Clock()
    frontier, _ = leased_frontier(clock, "http://site.example/")
    frontier.board.grant(HOST, 3.0)
    assert frontier.next_ticket() is None
    assert frontier.next_wake() == 103.0
    clock.now = 103.0
    assert frontier.next_ticket() is not None


def test_a_refused_host_is_asked_for_again_later() -> None:
    clock = Clock()
    frontier, _ = leased_frontier(clock, "http://site.example/")
    frontier.board.refuse(HOST)
    assert frontier.board.list_unleased() == []
    clock.now += 1.0
    assert frontier.board.list_unleased() == [HOST]


def test_a_wanted_host_is_given_up_after_a_fair_slice() -> None:
    clock = Clock()
    urls = [f"http://site.example/{i}" for i in range(50)]
    frontier, _ = leased_frontier(clock, *urls, delay_seconds=1.0)
    board = frontier.board
    board.grant(HOST, 0.0)
    board.share([HOST])
    first = frontier.next_ticket()
    assert first is not None
    assert board.take_released() == []
    frontier.release(first)
    clock.now += SLICE_SECONDS
    assert frontier.next_ticket() is None
    assert board.take_released() == [(HOST, 0.0)]
    assert board.list_unleased() == []  # the other one first
    clock.now += 3.0
    assert board.list_unleased() == [HOST]


def test_a_wanted_host_is_not_given_up_while_a_request_is_under_way() -> None:
    clock = Clock()
    frontier, _ = leased_frontier(clock, "http://site.example/1", "http://site.example/2")
    frontier.board.grant(HOST, 0.0)
    ticket = frontier.next_ticket()
    assert ticket is not None
    frontier.board.share([HOST])
    clock.now += SLICE_SECONDS
    assert frontier.board.take_released() == []
    frontier.release(ticket)
    assert frontier.board.take_released() == [(HOST, 0.0)]


def test_an_idle_host_is_given_back_with_the_rest_of_its_delay() -> None:
    clock = Clock()
    frontier, job = leased_frontier(clock, "http://site.example/", delay_seconds=10.0)
    frontier.board.grant(HOST, 0.0)
    ticket = frontier.next_ticket()
    assert ticket is not None
    frontier.abandon(ticket)
    frontier.board.detach(job)
    clock.now += IDLE_SECONDS
    assert frontier.board.take_released() == [(HOST, 10.0 - IDLE_SECONDS)]
    assert HOST not in frontier.board.slots
