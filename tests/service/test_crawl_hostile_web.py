"""A crawl of a web where everything goes wrong: each page leaves the record it should, and the crawl ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from memory_structure.lru import url_to_lru
from memory_structure.opening import open_registry
from memory_structure.records import EndReason, FetchError, Job, JobState, PageRecord
from memory_structure.structure import MemoryStructure
from tests.mock_web.running import MockWeb, crawl_environment, running_mock_web, scrapy_crawl

HOST = "http://hostile.example"


@pytest.fixture(scope="module")
def web() -> Iterator[MockWeb]:
    with running_mock_web() as running:
        yield running


@pytest.fixture(scope="module")
def crawled(web: MockWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryStructure]:
    folder = tmp_path_factory.mktemp("data")
    done = scrapy_crawl(
        crawl_environment(folder, web.proxy), "web_entity", f"url={HOST}/", "depth=2", "corpus=hostile"
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    registry = open_registry(folder)
    yield registry.open_structure("hostile")
    registry.close()


def page_of(crawled: MemoryStructure, path: str) -> PageRecord:
    found = crawled.find_page(url_to_lru(HOST + path))
    assert found is not None, path
    return found


def test_the_job_ends_complete_and_says_why(crawled: MemoryStructure) -> None:
    (job,) = crawled.list_jobs()
    assert (job.state, job.end) == (JobState.FINISHED, EndReason.COMPLETE)
    assert "everything in reach was fetched" in job.reason
    kinds = [entry.kind for entry in crawled.iter_logs(job_id=job.job_id)]
    assert kinds == ["CRAWL_ADDED", "CRAWL_RUNNING", "CRAWL_FINISHED"]


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("/endless-chunked", 200, FetchError.TOO_LARGE),
        ("/endless", 200, FetchError.TOO_LARGE),
        ("/huge-declared", 200, FetchError.TOO_LARGE),
        ("/bomb", 200, FetchError.TOO_LARGE),
        ("/drip", None, FetchError.TIMEOUT),
        ("/hang", None, FetchError.TIMEOUT),
        ("/wrong-encoding", 200, FetchError.BAD_ENCODING),
        ("/unknown-encoding", 200, FetchError.BAD_ENCODING),
        ("/not-http", None, FetchError.BAD_ANSWER),
        ("/reset", None, FetchError.CONNECTION),
        ("/close", None, FetchError.CONNECTION),
        ("/cut", 200, FetchError.TRUNCATED),
        ("/no-location", 302, FetchError.BAD_ANSWER),
        ("/bad-location", 302, FetchError.BAD_ANSWER),
        ("/loop/loop/loop/x", None, FetchError.TRAP),
        ("/error-links", 404, None),
        ("/status-999", 999, None),
        ("/empty", 200, None),
        ("/pdf", 200, None),
        ("/feed", 200, None),
        ("/plain", 200, None),
        ("/self", 302, None),
        ("/loop-a", 301, None),
        ("/loop-b", 301, None),
        ("/to-other", 302, None),
    ],
)
def test_a_bad_page_is_a_record(
    crawled: MemoryStructure, path: str, status: int | None, error: FetchError | None
) -> None:
    fetch = page_of(crawled, path).fetch
    assert fetch is not None
    assert (fetch.status, fetch.error) == (status, error), fetch


@pytest.mark.parametrize(
    "path",
    [
        "/from-double-gzip",
        "/from-garbage",
        "/from-cut-once",
        "/from-flaky",
        "/from-no-length",
        "/from-deflate",
        "/from-many-headers",
        "/caf%C3%A9",
        "/a%20b",
        "/refreshed",
        "/beside-refresh",
        "/refreshed-later",
    ],
)
def test_what_can_be_read_is_followed(crawled: MemoryStructure, path: str) -> None:
    fetch = page_of(crawled, path).fetch
    assert fetch is not None
    assert fetch.status == 200


def test_links_of_errors_feeds_files_heads_and_nofollow_pages_are_not_followed(
    web: MockWeb, crawled: MemoryStructure
) -> None:
    paths = web.paths("hostile.example")
    assert [path for path in paths if path.startswith("/never")] == []
    assert "/head-link" not in paths


@pytest.mark.parametrize("path", ["/nofollow", "/xnofollow"])
def test_links_of_a_nofollow_page_are_stored(crawled: MemoryStructure, path: str) -> None:
    links = crawled.list_outlinks(page_of(crawled, path).lru)
    assert len(links) == 1
    fetch = page_of(crawled, path).fetch
    assert fetch is not None
    assert not fetch.follow


def test_links_of_an_error_page_are_stored_and_not_followed(web: MockWeb, crawled: MemoryStructure) -> None:
    assert [link.target_lru for link in crawled.list_outlinks(page_of(crawled, "/error-links").lru)] == [
        url_to_lru(HOST + "/never-5")
    ]
    assert "/never-5" not in web.paths("hostile.example")


def test_an_immediate_refresh_keeps_the_depth_and_a_late_one_does_not(crawled: MemoryStructure) -> None:
    depths = {}
    for path in ("/refresh", "/refreshed", "/beside-refresh", "/refresh-later", "/refreshed-later"):
        fetch = page_of(crawled, path).fetch
        assert fetch is not None
        depths[path] = fetch.depth
    assert depths == {
        "/refresh": 1,
        "/refreshed": 1,
        "/beside-refresh": 2,
        "/refresh-later": 1,
        "/refreshed-later": 2,
    }


def test_a_redirect_target_keeps_the_depth(crawled: MemoryStructure) -> None:
    fetch = page_of(crawled, "/a%20b").fetch
    assert fetch is not None
    assert fetch.depth == 1


def test_a_redirect_out_of_scope_is_recorded_and_never_fetched(
    web: MockWeb, crawled: MemoryStructure
) -> None:
    target = crawled.find_page(url_to_lru("http://other.example/landing"))
    assert target is not None
    assert target.fetch is None
    assert web.paths("other.example") == []
    fetch = page_of(crawled, "/to-other").fetch
    assert fetch is not None
    assert fetch.redirect_lru == target.lru


def test_every_attempt_is_recorded(crawled: MemoryStructure) -> None:
    attempts = crawled.list_fetches(page_of(crawled, "/flaky").lru)
    assert [(a.attempt, a.status, a.final) for a in attempts] == [(1, 503, False), (2, 200, True)]
    attempts = crawled.list_fetches(page_of(crawled, "/reset").lru)
    assert [(a.attempt, a.error, a.final) for a in attempts] == [
        (1, FetchError.CONNECTION, False),
        (2, FetchError.CONNECTION, True),
    ]


def test_a_cut_body_keeps_its_bytes_and_gives_no_links(crawled: MemoryStructure) -> None:
    fetch = page_of(crawled, "/cut").fetch
    assert fetch is not None
    assert fetch.size_bytes > 0
    assert fetch.digest is not None
    assert fetch.n_links == 0


def test_an_endless_body_is_left_at_the_limit(crawled: MemoryStructure) -> None:
    fetch = page_of(crawled, "/endless-chunked").fetch
    assert fetch is not None
    assert fetch.size_bytes == 0
    assert fetch.digest is None


def test_retry_after_slows_the_whole_host(web: MockWeb, crawled: MemoryStructure) -> None:
    seen, _ = web.seen()
    requests = [r for r in seen if r.host == "hostile.example"]
    first = next(i for i, r in enumerate(requests) if r.path == "/flaky")
    assert requests[first + 1].at - requests[first].at >= 0.99


def test_one_request_at_a_time_goes_to_a_host(web: MockWeb, crawled: MemoryStructure) -> None:
    _, peak = web.seen()
    # A request given up after its time is still on the server's side when the next one comes.
    assert peak["hostile.example"] <= 1 + sum(
        path in ("/drip", "/hang", "/huge-declared") for path in ROUTES_GIVEN_UP
    )


ROUTES_GIVEN_UP = ("/drip", "/drip", "/hang", "/hang", "/huge-declared")


def test_the_store_is_consistent(crawled: MemoryStructure) -> None:
    assert crawled.check() == []


def job_of(folder: Path, corpus: str) -> Job:
    registry = open_registry(folder)
    try:
        return registry.open_structure(corpus).list_jobs()[-1]
    finally:
        registry.close()


ROBOTS_CASES = [
    ("forbidding", {"/small", "/yes/1"}, {"/no/1"}),
    ("closed", set(), {"/small"}),
    ("broken-robots", set(), {"/small"}),
    ("hanging-robots", set(), {"/small"}),
    ("moved-robots", {"/small", "/yes/1"}, {"/no/1"}),
    ("html-robots", {"/small", "/yes/1", "/no/1"}, set()),
    ("forbidden-robots", {"/small", "/yes/1", "/no/1"}, set()),
]


@pytest.fixture(scope="module")
def robots_crawled(web: MockWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryStructure]:
    folder = tmp_path_factory.mktemp("robots")
    urls = " ".join(f"http://{host}.example/small" for host, _, _ in ROBOTS_CASES)
    environment = crawl_environment(folder, web.proxy, timeout_seconds=1)
    done = scrapy_crawl(environment, "web_entity", f"url={urls}", "depth=1", "corpus=robots")
    assert done.returncode == 0, done.stderr
    registry = open_registry(folder)
    yield registry.open_structure("robots")
    registry.close()


@pytest.mark.parametrize(("host", "fetched", "refused"), ROBOTS_CASES)
def test_robots_txt_decides(
    web: MockWeb, robots_crawled: MemoryStructure, host: str, fetched: set[str], refused: set[str]
) -> None:
    name = f"{host}.example"
    assert {path for path in web.paths(name) if path != "/robots.txt"} == fetched
    for path in refused:
        page = robots_crawled.find_page(url_to_lru(f"http://{name}{path}"))
        assert page is not None
        assert page.fetch is not None
        assert (page.fetch.status, page.fetch.error) == (None, FetchError.ROBOTS)


def test_crawl_delay_is_the_larger_of_both_and_counts_from_the_end(web: MockWeb, tmp_path: Path) -> None:
    environment = crawl_environment(tmp_path, web.proxy, delay_seconds=0.2)
    done = scrapy_crawl(
        environment, "web_entity", "url=http://slow-robots.example/chain0", "depth=2", "corpus=slow"
    )
    assert done.returncode == 0, done.stderr
    moments = [r.at for r in web.seen()[0] if r.host == "slow-robots.example"]
    assert len(moments) == 4
    assert min(b - a for a, b in pairwise(moments)) >= 0.7


def test_agent_and_cookies_are_the_jobs_own(web: MockWeb, tmp_path: Path) -> None:
    environment = crawl_environment(tmp_path, web.proxy, operator_contact="me@example.org")
    done = scrapy_crawl(environment, "web_entity", "url=http://agent.example/echo", "depth=0", "corpus=agent")
    assert done.returncode == 0, done.stderr
    request = next(r for r in web.seen()[0] if r.host == "agent.example" and r.path == "/echo")
    assert request.headers["user-agent"].startswith("hyphe-crawler/")
    assert "me@example.org" in request.headers["user-agent"]
    assert "cookie" not in request.headers


def test_a_page_budget_is_exact_and_said(web: MockWeb, tmp_path: Path) -> None:
    environment = crawl_environment(tmp_path, web.proxy, per_host=8)
    done = scrapy_crawl(
        environment, "web_entity", "url=http://budget.example/fan", "depth=1", "corpus=budget", "max_pages=10"
    )
    assert done.returncode == 0, done.stderr
    job = job_of(tmp_path, "budget")
    assert (job.end, job.reason, job.counters.n_answers) == (
        EndReason.MAX_PAGES,
        "page budget of 10 reached",
        10,
    )
    assert len([path for path in web.paths("budget.example") if path != "/robots.txt"]) == 10


def test_private_addresses_are_refused_after_dns_whatever_their_spelling(
    web: MockWeb, tmp_path: Path
) -> None:
    hosts = ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]")
    urls = " ".join(f"http://{host}:{web.port}/" for host in hosts)
    before = len(web.seen()[0])
    scrapy_crawl(crawl_environment(tmp_path, None), "web_entity", f"url={urls}", "depth=0", "corpus=private")
    registry = open_registry(tmp_path)
    pages = list(registry.open_structure("private").iter_pages(only_fetched=True))
    registry.close()
    assert len(pages) >= 3
    assert {page.fetch.error for page in pages if page.fetch} == {FetchError.PRIVATE_ADDRESS}
    assert len(web.seen()[0]) == before


def test_private_addresses_are_refused_at_each_redirect(web: MockWeb, tmp_path: Path) -> None:
    """Through a proxy, where only an address written out can be refused; the target is made part of the
    scope."""
    environment = crawl_environment(tmp_path, web.proxy)
    urls = "http://127.0.0.1:9/other http://redirects.example/to-private"
    scrapy_crawl(environment, "web_entity", f"url={urls}", "depth=1", "corpus=redirects")
    registry = open_registry(tmp_path)
    structure = registry.open_structure("redirects")
    pages = {page.url: page.fetch for page in structure.iter_pages()}
    registry.close()
    redirecting, target = pages["http://redirects.example/to-private"], pages["http://127.0.0.1:9/secret"]
    assert redirecting is not None
    assert (redirecting.status, target) == (302, None)
    refused = pages["http://127.0.0.1:9/other"]
    assert refused is not None
    assert refused.error is FetchError.PRIVATE_ADDRESS
    assert web.paths("127.0.0.1:9") == []


def test_private_addresses_are_fetched_when_allowed(web: MockWeb, tmp_path: Path) -> None:
    environment = crawl_environment(tmp_path, None, allow_private_networks="true")
    done = scrapy_crawl(
        environment, "web_entity", f"url=http://127.0.0.1:{web.port}/chain1", "depth=1", "corpus=intranet"
    )
    assert done.returncode == 0, done.stderr
    job = job_of(tmp_path, "intranet")
    assert job.counters.n_200 == 2


def test_a_url_that_is_none_ends_with_one_clear_message(tmp_path: Path) -> None:
    done = scrapy_crawl(crawl_environment(tmp_path, None), "web_entity", "url=mailto:x@example.org")
    assert done.returncode != 0
    assert "only http and https are web pages" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_argument_is_refused_with_the_nearest_one_and_makes_nothing(tmp_path: Path) -> None:
    done = scrapy_crawl(
        crawl_environment(tmp_path, None), "web_entity", "url=http://site.example/", "dept=1", "corpus=c"
    )
    assert done.returncode != 0
    assert "unknown argument 'dept'; did you mean depth?" in done.stderr
    assert "Traceback" not in done.stderr
    registry = open_registry(tmp_path)
    assert registry.list_corpora() == []
    registry.close()


def test_the_log_ends_with_how_each_job_ended(web: MockWeb, tmp_path: Path) -> None:
    environment = crawl_environment(tmp_path, web.proxy) | {"HYPHE_LOG_LEVEL": "INFO"}
    urls = "url=http://agent.example/echo http://127.0.0.1:9/"
    done = scrapy_crawl(environment, "web_entity", urls, "depth=0", "corpus=said", "max_pages=5")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "of corpus said finished" in line]
    assert [line.partition("crawl job ")[2][:1] for line in lines] == ["1", "2"]
    assert lines[0].endswith("(pages: 1, errors: 0)")
    assert lines[1].endswith("(pages: 1, errors: 1)")


def test_the_worker_takes_no_arguments(tmp_path: Path) -> None:
    done = scrapy_crawl(crawl_environment(tmp_path, None), "worker", "x=1")
    assert done.returncode != 0
    assert "unknown argument 'x'; none is accepted" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_crawl_that_failed_is_told_by_the_exit_code(web: MockWeb, tmp_path: Path) -> None:
    """Here the place of the bodies is a file, where no folder can be made."""
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    environment = crawl_environment(tmp_path, web.proxy) | {"HYPHE_BLOB_URL": f"file://{in_the_way}/bodies"}
    done = scrapy_crawl(environment, "web_entity", "url=http://site.example/chain1", "depth=0", "corpus=c")
    assert done.returncode != 0, done.stderr
    assert "of corpus c failed" in done.stderr
    assert job_of(tmp_path, "c").state is JobState.FAILED
