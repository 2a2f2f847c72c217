"""The laws of the frontier, on random webs, in random order of answers."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_structure.lru import url_to_lru
from memory_structure.parse_options import CrawlOrder
from memory_structure.records import EndReason, FetchError
from tests.unit.hyphe_core.crawl.simulation import SimPage, Simulation, SimWeb, spec_of

HOSTS = ("http://site.example", "http://a.site.example", "http://b.site.example:8080")
OTHER = "http://elsewhere.example/"


@st.composite
def webs(draw: st.DrawFn) -> SimWeb:
    """Up to 40 pages on three hosts: links, chains of redirects, refreshes, failures, errors, nofollow."""
    seed = draw(st.integers(0, 1 << 32))
    chance = random.Random(seed)
    n = draw(st.integers(1, 40))
    urls = [f"{chance.choice(HOSTS)}/p{i}" for i in range(n)]
    pages = []
    for url in urls:
        links = [chance.choice(urls) for _ in range(chance.randint(0, 4))]
        page = SimPage(url, [*links, OTHER, f"{HOSTS[0]}/missing{chance.randint(0, 3)}"])
        page.seconds = chance.choice((None, 0.01, 0.01, 60.0))
        kind = chance.random()
        if kind < 0.2:
            page.redirect = chance.choice([*urls, OTHER])
        elif kind < 0.25:
            page.refresh = chance.choice(urls)
        elif kind < 0.3:
            page.nofollow = True
        elif kind < 0.4:
            page.n_failures = chance.randint(1, 4)
            page.failure = chance.choice((500, 503, 429, FetchError.TIMEOUT, FetchError.CONNECTION))
        elif kind < 0.45:
            page.status = chance.choice((404, 403))
        pages.append(page)
    return SimWeb(pages)


def start_of(web: SimWeb) -> str:
    return next(iter(web.pages.values())).url


SEEDS = st.integers(0, 1 << 32)
DEPTHS = st.integers(0, 4)


@given(webs(), SEEDS, DEPTHS, st.sampled_from(CrawlOrder))
@settings(max_examples=150, deadline=None)
def test_pages_and_depths_equal_the_truth_whatever_the_order(
    web: SimWeb, seed: int, depth: int, order: CrawlOrder
) -> None:
    spec = spec_of(start_of(web), max_depth=depth, per_host=3, order=order)
    sim = Simulation(web, random.Random(seed))
    sim.add(1, spec)
    sim.run()
    assert sim.stores[1].depths() == web.truth(spec)
    assert sim.ends[1][0] is EndReason.COMPLETE
    assert set(sim.stores[1].n_stored.values()) <= {1}


@given(webs(), SEEDS, DEPTHS)
@settings(max_examples=100, deadline=None)
def test_attempts_are_made_as_often_as_decided_and_all_recorded(web: SimWeb, seed: int, depth: int) -> None:
    spec = spec_of(start_of(web), max_depth=depth, n_retries=2)
    sim = Simulation(web, random.Random(seed))
    sim.add(1, spec)
    sim.run()
    for lru, stored in sim.stores[1].done.items():
        page = web.pages.get(lru)
        expected = 1 if page is None else min(page.n_failures, 2) + 1
        assert sim.tries[1, lru] == expected == len(stored.attempts)
        assert [a.attempt for a in stored.attempts] == list(range(1, expected + 1))
        assert [a.final for a in stored.attempts] == [False] * (expected - 1) + [True]


@given(webs(), SEEDS, st.lists(st.integers(1, 25), min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_a_killed_and_resumed_job_gives_the_result_of_an_uninterrupted_one(
    web: SimWeb, seed: int, kills: list[int]
) -> None:
    spec = spec_of(start_of(web), max_depth=3, per_host=2)
    sim = Simulation(web, random.Random(seed))
    sim.add(1, spec)
    for n_steps in kills:
        for _ in range(n_steps):
            sim.step()
        if 1 not in sim.ends:
            sim.kill()
    sim.run()
    assert sim.stores[1].depths() == web.truth(spec)


@given(webs(), SEEDS, st.integers(1, 20))
@settings(max_examples=100, deadline=None)
def test_a_page_budget_is_exact(web: SimWeb, seed: int, limit: int) -> None:
    spec = spec_of(start_of(web), max_depth=4, max_pages=limit, per_host=4)
    sim = Simulation(web, random.Random(seed))
    sim.add(1, spec)
    sim.run()
    answers = [p for p in sim.stores[1].done.values() if p.fetch.status is not None]
    reachable = [
        lru
        for lru in web.truth(spec)
        if not (
            (page := web.pages.get(lru))
            and page.n_failures > spec.n_retries
            and isinstance(page.failure, FetchError)
        )
    ]
    assert len(answers) == min(limit, len(reachable))
    assert {lru for _, lru in sim.tries} == set(sim.stores[1].done)  # nothing asked for in vain
    if len(reachable) > limit:
        assert sim.ends[1] == (EndReason.MAX_PAGES, f"page budget of {limit} reached")


@given(webs(), SEEDS, st.integers(1, 3), st.sampled_from([0.0, 0.5, 2.0]))
@settings(max_examples=100, deadline=None)
def test_politeness_holds_per_host_over_all_jobs(web: SimWeb, seed: int, per_host: int, delay: float) -> None:
    start = start_of(web)
    sim = Simulation(web, random.Random(seed))
    for job_id in (1, 2, 3):
        sim.add(
            job_id,
            spec_of(start, max_depth=2, per_host=per_host, delay_seconds=delay, obey_robots=job_id < 3),
        )
    sim.run()
    assert max(sim.peak.values()) <= per_host
    by_host: dict[str, list[tuple[float, float]]] = {}
    for began, ended, host, _ in sim.requests:
        by_host.setdefault(host, []).append((began, ended))
    for spans in by_host.values():
        spans.sort()
        for i, (began, _) in enumerate(spans):
            over = [ended for _, ended in spans[:i] if ended < began - 1e-9]
            assert all(began - ended >= delay - 1e-6 for ended in over)
        assert all(later[0] - earlier[0] >= delay - 1e-6 for earlier, later in pairwise(spans))


@given(webs(), SEEDS)
@settings(max_examples=50, deadline=None)
def test_a_robots_file_is_asked_for_once_and_obeyed(web: SimWeb, seed: int) -> None:
    web.robots = {"site.example:80": b"User-agent: *\nDisallow: /p1\n"}
    spec = spec_of(start_of(web), obey_robots=True)
    sim = Simulation(web, random.Random(seed))
    sim.add(1, spec)
    sim.run()
    assert max(Counter(sim.robots_fetched).values()) == 1
    assert sim.stores[1].depths() == web.truth(spec)
    for lru, page in sim.stores[1].done.items():
        if web.is_forbidden(spec, lru):
            assert (page.fetch.status, page.fetch.error) == (None, FetchError.ROBOTS)
            assert (1, lru) not in sim.tries


def test_a_page_found_again_nearer_has_its_stored_links_expanded_without_fetching() -> None:
    site = "http://site.example/"
    near = SimPage("http://a.site.example/near", [site + "far"], seconds=100.0)  # the short way comes late
    pages = [
        SimPage(site, [site + "0", near.url]),
        SimPage(site + "0", [site + "1"]),
        SimPage(site + "1", [site + "far"]),
        SimPage(site + "far", [site + "behind"]),
        SimPage(site + "behind", [site + "last"]),
        SimPage(site + "last"),
        near,
    ]
    web = SimWeb(pages)
    spec = spec_of(site, max_depth=4)
    sim = Simulation(web, random.Random(1))
    sim.add(1, spec)
    sim.run()
    assert sim.stores[1].depths()[url_to_lru(site + "last")] == 4
    assert sim.stores[1].depths() == web.truth(spec)
    assert sim.tries[1, url_to_lru(site + "far")] == 1
    assert sim.n_lowered == 2


def test_503_holds_the_whole_host_as_long_as_it_asks() -> None:
    site = "http://site.example/"
    pages = [SimPage(site, [site + "busy", site + "other"]), SimPage(site + "other")]
    pages.append(SimPage(site + "busy", n_failures=1, failure=503, retry_after=50.0, seconds=0.01))
    sim = Simulation(SimWeb(pages), random.Random(1))
    sim.add(1, spec_of(site))
    sim.run()
    busy = next(i for i, (_, _, _, url) in enumerate(sim.requests) if url.endswith("busy"))
    assert sim.requests[busy + 1][0] - sim.requests[busy][1] >= 50.0
    assert len(sim.stores[1].done[url_to_lru(site + "busy")].attempts) == 2


def test_room_left_by_a_page_without_answer_is_used_by_another_host() -> None:
    site, other = "http://site.example/", "http://b.site.example:8080/x"
    late = SimPage(site + "late", n_failures=9, failure=FetchError.TIMEOUT, seconds=50.0)
    web = SimWeb([SimPage(site, [late.url, other], seconds=0.01), late, SimPage(other)])
    sim = Simulation(web, random.Random(1))
    sim.add(1, spec_of(site, max_pages=2, n_retries=0))
    sim.run()
    assert set(sim.stores[1].done) == {url_to_lru(url) for url in (site, late.url, other)}
    assert sim.ends[1][0] is EndReason.COMPLETE
