"""One test for each decision about crawling, on simulated webs."""

from __future__ import annotations

import random

import pytest

from memory_structure.lru import url_to_lru
from memory_structure.records import EndReason, FetchError
from tests.unit.hyphe_core.crawl.simulation import SimPage, Simulation, SimWeb, spec_of

ROOT = "http://site.example/"


def crawl(pages: list[SimPage], *starts: str, **settings: object) -> Simulation:
    sim = Simulation(SimWeb(pages), random.Random(3))
    sim.add(1, spec_of(*(starts or (ROOT,)), **settings))
    sim.run()
    return sim


def at(path: str) -> str:
    return url_to_lru(ROOT + path)


def test_depth_is_the_fewest_clicks_whatever_the_order() -> None:
    pages = [
        SimPage(ROOT, [ROOT + "a", ROOT + "b"]),
        SimPage(ROOT + "a", [ROOT + "b"]),
        SimPage(ROOT + "b", [ROOT + "c"]),
    ]
    assert crawl(pages, max_depth=2).stores[1].depths() == {at(""): 0, at("a"): 1, at("b"): 1, at("c"): 2}


def test_a_redirect_keeps_the_depth_and_its_target_is_fetched_at_the_limit() -> None:
    pages = [
        SimPage(ROOT, [ROOT + "a"]),
        SimPage(ROOT + "a", redirect=ROOT + "b"),
        SimPage(ROOT + "b", [ROOT + "c"]),
    ]
    assert crawl(pages, max_depth=1).stores[1].depths() == {at(""): 0, at("a"): 1, at("b"): 1}


def test_an_immediate_refresh_keeps_the_depth_and_the_links_of_its_page() -> None:
    pages = [SimPage(ROOT, [ROOT + "c"], refresh=ROOT + "b")]
    assert crawl(pages, max_depth=1).stores[1].depths() == {at(""): 0, at("b"): 0, at("c"): 1}


def test_a_redirect_out_of_scope_is_recorded_and_never_fetched_and_the_reason_says_so() -> None:
    sim = crawl([SimPage(ROOT, redirect="http://elsewhere.example/x")])
    assert sim.stores[1].depths() == {at(""): 0}
    assert sim.ends[1][1].endswith("a start page leads out of the web entity, to http://elsewhere.example/x")


def test_failed_attempts_count_as_done_and_keep_what_they_are() -> None:
    pages = [
        SimPage(ROOT, [ROOT + "late", ROOT + "broken"]),
        SimPage(ROOT + "late", n_failures=9, failure=FetchError.TIMEOUT),
        SimPage(ROOT + "broken", n_failures=9, failure=502),
    ]
    done = crawl(pages, n_retries=2).stores[1].done
    assert (done[at("late")].fetch.status, done[at("late")].fetch.error) == (None, FetchError.TIMEOUT)
    assert (done[at("broken")].fetch.status, done[at("broken")].fetch.error) == (502, None)
    assert [len(done[at(name)].attempts) for name in ("late", "broken")] == [3, 3]


def test_a_refusal_by_robots_is_a_record_without_status_and_without_request() -> None:
    web = SimWeb([SimPage(ROOT, [ROOT + "no"])], {"site.example:80": b"User-agent: *\nDisallow: /no\n"})
    sim = Simulation(web, random.Random(1))
    sim.add(1, spec_of(ROOT, obey_robots=True))
    sim.run()
    fetch = sim.stores[1].done[at("no")].fetch
    assert (fetch.status, fetch.error, fetch.follow) == (None, FetchError.ROBOTS, False)
    assert (1, at("no")) not in sim.tries


def test_budgets_count_answers_redirects_included_robots_and_retries_not() -> None:
    pages = [
        SimPage(ROOT, [ROOT + "a", ROOT + "late", ROOT + "c", ROOT + "d"]),
        SimPage(ROOT + "a", redirect=ROOT + "b"),
        SimPage(ROOT + "late", n_failures=9, failure=FetchError.TIMEOUT),
        SimPage(ROOT + "c", n_failures=1),
    ]
    sim = crawl(pages, max_pages=4, obey_robots=True)
    answers = [page for page in sim.stores[1].done.values() if page.fetch.status is not None]
    assert len(answers) == 4
    assert sim.ends[1] == (EndReason.MAX_PAGES, "page budget of 4 reached")


def test_a_byte_budget_is_never_passed_and_is_said() -> None:
    pages = [SimPage(ROOT, [f"{ROOT}{i}" for i in range(20)], size=100)]
    pages += [SimPage(f"{ROOT}{i}", size=100) for i in range(20)]
    sim = crawl(pages, max_bytes=550, per_host=5)
    assert sum(page.fetch.size_bytes for page in sim.stores[1].done.values()) == 500
    assert sim.ends[1] == (EndReason.MAX_BYTES, "byte budget of 550 reached")


def test_time_excludes_pauses() -> None:
    pages = [SimPage(f"{ROOT}{i}", [f"{ROOT}{i + 1}"]) for i in range(100)]
    sim = Simulation(SimWeb(pages), random.Random(5))
    job = sim.add(1, spec_of(ROOT + "0", max_depth=200, delay_seconds=1.0, time_limit_seconds=10.0))
    for _ in range(6):
        sim.step()
    sim.frontier.pause(job)
    used = job.active_seconds
    sim.now += 1000.0
    sim.frontier.resume(job)
    sim.run()
    assert used < 10
    assert job.active_seconds == pytest.approx(10.0)
    assert sim.ends[1] == (EndReason.TIME_LIMIT, "time limit of 10 seconds reached")


def test_a_job_with_no_start_page_in_scope_ends_with_that_reason() -> None:
    sim = crawl([], "http://elsewhere.example/", "mailto:x@y.z")
    assert sim.ends[1] == (EndReason.NO_START_PAGE, "no start page lies in the scope of the job")
    assert sim.requests == []


def test_nothing_is_sent_for_a_paused_job_and_other_jobs_go_on() -> None:
    pages = [SimPage(ROOT, [f"{ROOT}{i}" for i in range(5)])]
    sim = Simulation(SimWeb(pages), random.Random(2))
    first, _ = sim.add(1, spec_of(ROOT)), sim.add(2, spec_of(ROOT))
    sim.frontier.pause(first)
    sim.run()
    assert sim.stores[1].done == {}
    assert 1 not in sim.ends
    assert sim.ends[2][0] is EndReason.COMPLETE
    sim.frontier.resume(first)
    sim.run()
    assert sim.ends[1][0] is EndReason.COMPLETE
    assert sim.stores[1].depths() == sim.stores[2].depths()


def test_a_canceled_job_stores_nothing_more() -> None:
    pages = [SimPage(ROOT, [f"{ROOT}{i}" for i in range(50)])]
    sim = Simulation(SimWeb(pages), random.Random(2))
    job = sim.add(1, spec_of(ROOT, per_host=4))
    while len(sim.stores[1].done) + len(sim.stores[1].unsaved) < 5:
        sim.step()
    sim.frontier.end(job, EndReason.CANCELED, "canceled by request")
    n_asked = len(sim.requests)
    n_done = len(sim.stores[1].done) + len(sim.stores[1].unsaved)
    assert job.in_flight
    assert [ticket.cancel() for ticket in job.in_flight]
    sim.run()
    assert len(sim.requests) == n_asked
    assert len(sim.stores[1].done) == n_done
    assert sim.frontier.n_in_flight == 0


def test_a_trap_is_a_record_counted_and_never_fetched() -> None:
    sim = crawl([SimPage(ROOT, [ROOT + "a/a/a/x", ROOT + "ok"])])
    fetch = sim.stores[1].done[at("a/a/a/x")].fetch
    assert (fetch.status, fetch.error) == (None, FetchError.TRAP)
    assert (1, at("a/a/a/x")) not in sim.tries
    assert sim.ends[1][1].endswith("1 URLs looked like traps and were not fetched")


def test_nofollow_pages_are_not_followed_while_robots_are_obeyed() -> None:
    pages = [SimPage(ROOT, [ROOT + "a"], nofollow=True)]
    assert crawl(pages, obey_robots=True).stores[1].depths() == {at(""): 0}
    assert crawl(pages, obey_robots=False).stores[1].depths() == {at(""): 0, at("a"): 1}
