"""What the spiders send: one request a ticket, with the headers of its job."""

from __future__ import annotations

from typing import Any

import pytest

from hyphe_core.crawl.frontier import Frontier
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.tickets import RobotsTicket, Ticket
from memory_structure.url_cutter import UrlCutter
from spiders.web_entity import WebEntitySpider
from spiders.worker import WorkerSpider
from tests.unit.hyphe_core.crawl.simulation import EPOCH, spec_of


def ticket_of(**settings: object) -> Ticket:
    frontier = Frontier(lambda: 1.0, utc_now=lambda: EPOCH)
    job = CrawlState("c", 1, spec_of("http://site.example/é?a=1", **settings), UrlCutter(), agent="default/1")
    frontier.add_job(job)
    ticket = frontier.next_ticket()
    assert ticket is not None
    return ticket


def request_of(ticket: Ticket) -> Any:
    spider = WorkerSpider()
    spider._headers = {}
    return spider._request(ticket)


def test_the_request_is_the_url_as_sent_and_carries_its_ticket() -> None:
    ticket = ticket_of(proxy="http://p:1", user_agent="mine/1", cookies="a=b")
    request = request_of(ticket)
    assert request.url == "http://site.example/%C3%A9?a=1"
    assert request.meta["ticket"] is ticket
    assert request.meta["proxy"] == "http://p:1"
    headers = request.meta["tx_headers"]
    assert headers.getRawHeaders(b"user-agent") == [b"mine/1"]
    assert headers.getRawHeaders(b"cookie") == [b"a=b"]
    assert headers.getRawHeaders(b"proxy-authorization") is None


def test_credentials_of_the_proxy_are_sent_to_the_proxy() -> None:
    headers = request_of(ticket_of(proxy="http://me:pw@p:1")).meta["tx_headers"]
    assert headers.getRawHeaders(b"proxy-authorization") == [b"Basic bWU6cHc="]


def test_robots_files_are_asked_for_with_the_agent_and_without_cookies() -> None:
    ticket = ticket_of(obey_robots=True, cookies="a=b")
    assert isinstance(ticket, RobotsTicket)
    request = request_of(ticket)
    assert request.url == "http://site.example/robots.txt"
    assert request.meta["tx_headers"].getRawHeaders(b"user-agent") == [b"default/1"]
    assert request.meta["tx_headers"].getRawHeaders(b"cookie") is None


def test_headers_are_made_once_a_job() -> None:
    spider = WorkerSpider()
    spider._headers = {}
    ticket = ticket_of()
    assert spider._headers_of(ticket) is spider._headers_of(ticket)


@pytest.mark.parametrize("kind", [WorkerSpider, WebEntitySpider])
def test_both_spiders_have_the_names_of_the_commands(kind: type) -> None:
    assert kind.name == {"WorkerSpider": "worker", "WebEntitySpider": "web_entity"}[kind.__name__]  # type: ignore[attr-defined]
