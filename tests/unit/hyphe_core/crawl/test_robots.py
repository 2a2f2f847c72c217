"""robots.txt: tricky files, and what each kind of answer means."""

from __future__ import annotations

import re

import pytest

from hyphe_core.crawl.robots import (
    KEEP_FAILURE_SECONDS,
    KEEP_SECONDS,
    MAX_ROBOTS_BYTES,
    RobotsCache,
    RobotsKey,
    RobotsState,
    agent_token,
    judge_robots,
    parse_robots,
    without_other_agents,
)
from memory_structure.records import FetchError
from memory_structure.registry import HostKey

AGENT = "hyphe-crawler/1.0 (research crawler)"
HOST = "http://e.fr"


def allows(text: str, path: str) -> bool:
    return parse_robots(text.encode(), AGENT).allows(HOST + path)


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("  User-agent: *\n   Disallow: /a\nUser-agent: other\nDisallow: /", "/a", False),
        ("  User-agent: *\n   Disallow: /a\nUser-agent: other\nDisallow: /", "/b", True),
        ("User-agent: *\nDisallow: /a/b/c\nDisallow: /a/bb/c\nAllow: /a/*/c", "/a/b/c", True),
        ("User-agent: *\nDisallow: *.gif$", "/x.gif", False),
        ("User-agent: *\nDisallow: *.gif$", "/x.gif?s=1", True),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: Hyphe-Crawler/9.9\nDisallow: /\nUser-agent: *\nDisallow:", "/x", False),
        ("User-agent: a\nUser-agent: HYPHE-CRAWLER\nDisallow: /\n", "/x", False),
        ("User-agent: crawler\nDisallow: /\n", "/x", True),
        ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
        ("User-agent: *\r\nDisallow: /x\r\n", "/x", False),
        ("", "/x", True),
        ("\x00\x01\x02", "/x", True),
    ],
)
def test_tricky_files(text: str, path: str, allowed: bool) -> None:
    assert allows(text, path) is allowed


def test_rules_wrapped_in_html_are_read() -> None:
    text = "<html><body>User-agent: *<BR>Disallow: /no/<br></body></html>"
    assert not allows(text, "/no/1")
    assert allows(text, "/yes/1")


def test_an_html_error_page_allows_all() -> None:
    assert parse_robots(b"<!DOCTYPE html><html><p>Not found</p></html>", AGENT).state is RobotsState.ALLOW


def test_a_file_over_the_limit_is_read_up_to_it_and_the_cut_line_dropped() -> None:
    filler = b"Disallow: /f\n" * (MAX_ROBOTS_BYTES // 13 - 2)
    body = b"User-agent: *\n" + filler + b"Disallow: /tail" + b"x" * 1000 + b"\nDisallow: /late\n"
    rules = parse_robots(body, AGENT)
    assert not rules.allows(HOST + "/f")
    assert rules.allows(HOST + "/tail")
    assert rules.allows(HOST + "/late")


@pytest.mark.parametrize(
    "unit", [b"\n", b" ", b"<", b"<script ", b"<p ", b"User-agent:", b"User-agent: a\n", b"&"]
)
@pytest.mark.timeout(20)
def test_a_huge_hostile_file_is_read_in_no_time(unit: bytes) -> None:
    for start in (b"", b"<"):
        assert parse_robots(start + unit * (500_000 // len(unit)), AGENT).allows(HOST + "/x")


@pytest.mark.parametrize(("text", "delay"), [("2.5", 2.5), ("abc", 0.0), ("-1", 0.0), ("1000", 1000.0)])
def test_crawl_delay(text: str, delay: float) -> None:
    assert parse_robots(f"User-agent: *\nCrawl-delay: {text}\n".encode(), AGENT).crawl_delay == delay


@pytest.mark.parametrize("status", [401, 403, 404, 410, 451])
def test_4xx_allows_all(status: int) -> None:
    assert judge_robots(AGENT, status, None, b"User-agent: *\nDisallow: /").allows(HOST + "/x")


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_5xx_and_429_forbid_for_now_with_error_robots(status: int) -> None:
    rules = judge_robots(AGENT, status, None, b"")
    assert not rules.allows(HOST + "/x")
    assert rules.error is FetchError.ROBOTS
    assert str(status) in rules.detail


def test_a_time_out_forbids_for_now_with_error_robots() -> None:
    rules = judge_robots(AGENT, None, FetchError.TIMEOUT, b"")
    assert not rules.allows(HOST + "/x")
    assert (rules.error, rules.detail) == (FetchError.ROBOTS, "robots.txt could not be had: timeout")


@pytest.mark.parametrize(
    "error", [FetchError.DNS, FetchError.PRIVATE_ADDRESS, FetchError.CONNECTION, FetchError.TLS]
)
def test_a_failure_of_the_way_to_the_host_is_the_error_of_its_pages(error: FetchError) -> None:
    rules = judge_robots(AGENT, None, error, b"")
    assert not rules.allows(HOST + "/x")
    assert rules.error is error


def test_rules_are_kept_a_day_and_failures_an_hour() -> None:
    cache = RobotsCache()
    good = RobotsKey(HostKey("", "e.fr:80"), "http", AGENT)
    bad = RobotsKey(HostKey("", "f.fr:80"), "http", AGENT)
    cache.keep(good, judge_robots(AGENT, 404, None, b""), 0.0)
    cache.keep(bad, judge_robots(AGENT, 500, None, b""), 0.0)
    assert cache.find(good, KEEP_SECONDS - 1) is not None
    assert cache.find(good, KEEP_SECONDS) is None
    assert cache.find(bad, KEEP_FAILURE_SECONDS - 1) is not None
    assert cache.find(bad, KEEP_FAILURE_SECONDS) is None


def test_the_cache_is_bounded_and_forgets_the_least_used() -> None:
    cache = RobotsCache()
    rules = judge_robots(AGENT, 404, None, b"")
    keys = [RobotsKey(HostKey("", f"h{i}.fr:80"), "http", AGENT) for i in range(5001)]
    for key in keys[:5000]:
        cache.keep(key, rules, 0.0)
    assert cache.find(keys[0], 1.0) is rules
    cache.keep(keys[5000], rules, 0.0)
    assert cache.find(keys[0], 1.0) is rules
    assert cache.find(keys[1], 1.0) is None


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("hyphe-crawler/1.0 (research crawler; me)", "hyphe-crawler"),
        ("Mozilla/5.0 (compatible; Foobot/2.1; +http://e.fr)", "Foobot"),
        ("curl", "curl"),
        ("", ""),
    ],
)
def test_the_product_name_is_what_sites_speak_to(agent: str, token: str) -> None:
    assert agent_token(agent) == token


def test_many_agents_share_many_rules_at_the_cost_of_one() -> None:
    others = "".join(f"User-agent: a{n}\n" for n in range(2000))
    rules = "".join(f"Disallow: /{n}*\n" for n in range(2000))
    agents = re.findall(r"User-agent: \S+", without_other_agents(others + rules, "hyphe-crawler"))
    assert set(agents) == {"User-agent: -"}
    assert allows(others + rules, "/5")
    assert not allows(others + "User agent Hyphe-Crawler # us\n" + rules, "/5")
    assert not allows(others + "user-agent: *\n" + rules, "/5")
    assert without_other_agents("User-agent: other\nDisallow: /", "hyphe") == "User-agent: other\nDisallow: /"
