"""Decisions about crawl jobs: scope, resuming, budgets, politeness, cutting by rules. A test for each, by its
name."""

from __future__ import annotations

from itertools import pairwise

import pytest

from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.lru import url_to_lru
from memory_structure.opening import open_registry
from memory_structure.prefixes import variations
from memory_structure.records import (
    EndReason,
    FetchError,
    JobState,
)
from memory_structure.registry import HostKey
from tests.decisions.conftest import MakeCrawl
from tests.decisions.small_crawl import CORPUS, Reply, html, moved, silence
from tests.decisions.stored_result import result_of

HOME = "http://site.example"
SITE = {
    HOME: html("/a", "/b", "/moved"),
    f"{HOME}/a": html("/b", "/c", "/sub/x"),
    f"{HOME}/b": html("/d"),
    f"{HOME}/c": html("/e", "http://other.example/"),
    f"{HOME}/d": [html(status=503), html("/e")],
    f"{HOME}/e": html("/too-deep"),
    f"{HOME}/moved": moved("/sub/y"),
    f"{HOME}/sub/x": html("/never", head="<meta name=robots content=nofollow>"),
    f"{HOME}/sub/y": html("/f"),
}


@pytest.mark.parametrize("n_pages", [0, 1, 2, 4, 7])
def test_resume(make_crawl: MakeCrawl, n_pages: int) -> None:
    """What a page became (depth, outcome, follow flag) and what the job is are in the store: a crawl killed
    anywhere and taken up by another worker gives what an uninterrupted one gives."""
    whole, cut = make_crawl(SITE), make_crawl(SITE)
    whole.crawl(HOME, depth=3)
    job = cut.launch(HOME, depth=3)
    cut.run(job, stop_after=n_pages)
    done = list(cut.structure.iter_job_pages(job.job_id))
    assert len(done) == n_pages
    for page in done:
        fetch = cut.fetch(cut.structure.find_page(page.lru).url)  # type: ignore[union-attr]
        assert (page.depth, page.status, page.follow) == (fetch.depth, fetch.status, fetch.follow)
    cut.structure.move_job(job.job_id, JobState.PENDING)
    resumed = cut.run(job)
    assert resumed.end is EndReason.COMPLETE
    assert resumed.spec == job.spec
    assert result_of(cut.structure) == result_of(whole.structure)
    assert cut.structure.check() == []


def test_resume_goes_on_with_the_budgets_that_are_left(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(SITE)
    job = crawl.launch(HOME, depth=3, max_pages=5)
    crawl.run(job, stop_after=3)
    crawl.structure.move_job(job.job_id, JobState.PENDING)
    resumed = crawl.run(job)
    assert (resumed.end, resumed.counters.n_answers) == (EndReason.MAX_PAGES, 5)


def test_prefix_edits_during_a_crawl(make_crawl: MakeCrawl) -> None:
    """The scope stays as frozen at launch; who owns a page is decided in the batch's own transaction."""
    crawl = make_crawl(SITE)
    job = crawl.launch(HOME, depth=3)
    crawl.run(job, stop_after=2)
    elsewhere = open_registry(crawl.folder)
    edited = elsewhere.open_structure(CORPUS)
    below = edited.declare_web_entity(variations(url_to_lru(f"{HOME}/sub"))).web_entity_id
    crawl.structure.move_job(job.job_id, JobState.PENDING)
    crawl.run(job)
    assert crawl.fetch(f"{HOME}/sub/x").status == 200, "still in the scope of the running job"
    assert crawl.page(f"{HOME}/sub/x").web_entity_id == below, "and owned by today's prefixes"
    assert crawl.page(f"{HOME}/sub/y").web_entity_id == below
    later = crawl.launch(HOME)
    assert url_to_lru(f"{HOME}/sub") in later.spec.nofollow_prefixes
    assert crawl.structure.check() == []
    elsewhere.close()


def test_budgets(make_crawl: MakeCrawl) -> None:
    """A page is a stored attempt with an HTTP answer: redirects included, robots.txt, refusals, silence and
    retries not. Exact, with a reason in words."""
    pages = {
        HOME: html("/moved", "/late", "/no", *(f"/p{i}" for i in range(9))),
        f"{HOME}/moved": moved("/p0"),
        f"{HOME}/late": silence(FetchError.TIMEOUT),
        f"{HOME}/p0": [html(status=500), html()],
    } | {f"{HOME}/p{i}": html() for i in range(1, 9)}
    crawl = make_crawl(pages, {"site.example": b"User-agent: *\nDisallow: /no\n"})
    job = crawl.crawl(HOME, max_pages=5, per_host=4)
    assert (job.end, job.reason) == (EndReason.MAX_PAGES, "page budget of 5 reached")
    stored = [page.fetch for page in crawl.structure.iter_pages(only_fetched=True) if page.fetch]
    assert sum(fetch.status is not None for fetch in stored) == job.counters.n_answers == 5
    assert crawl.fetch(f"{HOME}/moved").status == 301
    assert crawl.fetch(f"{HOME}/no").error is FetchError.ROBOTS
    wide = make_crawl({HOME: html(*(f"/p{i}" for i in range(9)))})
    wide.crawl(HOME, max_pages=3, per_host=8, obey_robots=False)
    assert len(wide.asked) == 3, "no request goes out whose answer could not count"


def test_budgets_of_bytes_and_time(make_crawl: MakeCrawl) -> None:
    web = {HOME: html(*(f"/p{i}" for i in range(9)))}
    web |= {f"{HOME}/p{i}": Reply(b"x" * 1000, seconds=3.0) for i in range(9)}
    crawl = make_crawl(web)
    limit = len(web[HOME].body) + 2500
    job = crawl.crawl(HOME, max_bytes=limit)
    assert (job.end, job.counters.n_bytes) == (EndReason.MAX_BYTES, limit - 500)
    timed = make_crawl(web)
    job = timed.launch(HOME, time_limit_seconds=10)
    timed.run(job, stop_after=2)
    timed.structure.move_job(job.job_id, JobState.PENDING, active_seconds=4.0)
    timed.now += 10_000
    job = timed.run(job)
    assert (job.end, job.active_seconds) == (EndReason.TIME_LIMIT, 10.0), "the pause did not count"


def test_politeness(make_crawl: MakeCrawl) -> None:
    """One request in flight and a second from the end of one to the next, by default; the larger of delay and
    Crawl-delay, which counts for at most 30 seconds."""
    hosts = {
        f"http://{name}.example": html(*(f"/p{i}" for i in range(4)), seconds=0.5)
        for name in ("none", "less", "more", "most")
    }
    robots = {
        "less.example": b"User-agent: *\nCrawl-delay: 0.5\n",
        "more.example": b"User-agent: *\nCrawl-delay: 7\n",
        "most.example": b"User-agent: *\nCrawl-delay: 900\n",
    }
    crawl = make_crawl(hosts, robots, options=CorpusOptions())
    for home in hosts:
        crawl.crawl(home)
    pauses = {}
    for home in hosts:
        asked = [a for a in crawl.asked if a.url.startswith(home) and not a.url.endswith("robots.txt")]
        assert len(asked) == 5
        pauses[home[7:11]] = {round(b.began - a.ended, 3) for a, b in pairwise(asked)}
    assert pauses == {"none": {1.0}, "less": {1.0}, "more": {7.0}, "most": {30.0}}
    assert (crawl.config.per_host, crawl.config.delay_seconds) == (1, 1.0)


def test_politeness_is_shared_by_all_corpora_and_workers(make_crawl: MakeCrawl) -> None:
    """Leases on (proxy, host) lie beside the corpora, with the delay that the last holder left."""
    crawl = make_crawl()
    first, second = crawl.registry, open_registry(crawl.folder)
    host, proxied = HostKey("", "site.example:80"), HostKey("http://proxy:1", "site.example:80")
    for registry, worker in ((first, "one"), (second, "two")):
        registry.beat(worker, "machine", 1, 30.0)
    assert first.lease_hosts("one", [host], 30.0) == {host: 0.0}
    assert second.lease_hosts("two", [host, proxied], 30.0).keys() == {proxied}
    assert first.wanted_hosts("one") == [host]
    first.release_hosts("one", [(host, 20.0)])
    wait = second.lease_hosts("two", [host], 30.0)[host]
    assert 0 < wait <= 20.0
    second.close()


def test_rules_that_do_not_match(make_crawl: MakeCrawl) -> None:
    """path-N falls to the deepest path there is, then the host; subdomain-N to the whole host: every page has
    an owner. A rule counts for the four variations of its prefix."""
    structure = make_crawl(options=CorpusOptions(default_rule="subdomain-2")).structure
    structure.add_rule(CreationRule(url_to_lru("http://paths.example"), Preset.parse("path-2")))
    urls = {
        "http://paths.example/a/b/c": "s:http|h:example|h:paths|p:a|p:b|",
        "http://paths.example/x": "s:http|h:example|h:paths|p:x|",
        "http://paths.example/": "s:http|h:example|h:paths|",
        "https://www.paths.example/a/b/d": "s:http|h:example|h:paths|p:a|p:b|",
        "https://paths.example/z/y/x": "s:https|h:example|h:paths|p:z|p:y|",
        "http://a.b.c.hosts.example/": "s:http|h:example|h:hosts|h:c|h:b|",
        "http://hosts.example/p": "s:http|h:example|h:hosts|",
    }
    for url, prefix in urls.items():
        ((page, _),) = structure.declare_pages([url_to_lru(url)])
        owner = structure.get_web_entity(page.web_entity_id)
        assert prefix in owner.prefixes, url
        assert set(variations(prefix)) == set(owner.prefixes)
    assert structure.check() == []
