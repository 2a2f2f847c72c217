"""Crawl jobs as clients see them, without workers: launched, listed, cancelled, logged."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.hyphe_api import result_faults
from tests.service.conftest import FULL
from tests.service.service_process import Client, Failed


def denied(client: Client, method: str, *params: Any, **named: Any) -> Any:
    with pytest.raises(Failed) as caught:
        client.call(method, *params, **named)
    return caught.value.message


@pytest.fixture
def corpus(client: Client) -> Iterator[str]:
    name = client.call("create_corpus", "Jobs")["corpus_id"]
    client.call("declare_page", "http://x.com/", name)
    yield name
    client.call("crawl.cancel_all", name)
    client.call("destroy_corpus", name)


def only_job(client: Client, corpus: str) -> Any:
    jobs = client.call("listjobs", corpus=corpus)
    assert result_faults("listjobs", jobs) == []
    (job,) = jobs
    return job


def test_a_crawl_waits_in_the_queue_and_can_be_cancelled(client: Client, corpus: str) -> None:
    job_id = client.call("crawl_webentity", webentity_id=1, depth=1, corpus=corpus)
    assert result_faults("crawl_webentity", job_id) == []
    job = only_job(client, corpus)
    assert (job["_id"], job["crawling_status"], job["indexing_status"]) == (job_id, "PENDING", "PENDING")
    assert job["crawl_arguments"]["max_depth"] == 1
    assert "http://www.x.com" in job["crawl_arguments"]["start_urls"]
    status = client.call("get_status", corpus)
    assert (status["corpus"]["crawler"]["jobs_pending"], status["hyphe"]["crawls_pending"]) == (1, 1)
    (entity,) = client.call("store.get_webentity", 1, corpus)
    assert (entity["status"], entity["crawling_status"]) == ("IN", "PENDING")
    assert entity["startpages"] == []  # kept once they answered
    assert client.call("crawl.cancel", job_id, corpus)
    job = only_job(client, corpus)
    assert (job["crawling_status"], job["state"]) == ("CANCELED", "canceled")
    assert "canceled" in job["reason"]
    assert client.call("get_status", corpus)["hyphe"]["crawls_pending"] == 0
    assert "ended" in denied(client, "crawl.cancel", job_id, corpus)


def test_all_jobs_or_those_of_an_entity_are_cancelled(client: Client, corpus: str) -> None:
    other = client.call("declare_page", "http://y.org/", corpus)["id"]
    ids = [client.call("crawl_webentity", webentity_id=i, corpus=corpus) for i in (1, 1, other)]
    pairs = client.call("cancel_webentity_jobs", other, corpus)
    assert result_faults("cancel_webentity_jobs", pairs) == []
    assert [ok for ok, _ in pairs] == [True]
    assert sorted(client.call("crawl.cancel_all", corpus)) == sorted(ids[:2])
    assert client.call("crawl.cancel_all", corpus) == []


def test_settings_of_a_crawl_are_those_asked_for(client: Client, corpus: str) -> None:
    client.call(
        "crawl_webentity_with_startmode",
        webentity_id=1,
        depth=2,
        status="UNDECIDED",
        startmode=["prefixes"],
        proxy="proxy.example:3128",
        cookies_string="session=secret",
        user_agent="tester",
        webarchives={"option": "", "date": "2012-07-01"},
        corpus=corpus,
    )
    arguments = only_job(client, corpus)["crawl_arguments"]
    assert (arguments["max_depth"], arguments["proxy"], arguments["user_agent"]) == (
        2,
        "proxy.example:3128",
        "tester",
    )
    assert arguments["cookies"] == "[hidden]"
    assert len(arguments["start_urls"]) == 4
    (entity,) = client.call("store.get_webentity", 1, corpus)
    assert (entity["status"], entity["startpages"]) == ("UNDECIDED", [])


def test_start_pages_are_proposed_by_mode(client: Client) -> None:
    flat = client.call("propose_webentity_startpages", 1, ["startpages", "prefixes"], False, False, FULL)
    by_mode = client.call("propose_webentity_startpages", 1, ["startpages", "prefixes"], True, False, FULL)
    assert result_faults("propose_webentity_startpages", by_mode) == []
    assert set(by_mode) == {"startpages", "prefixes"}
    assert flat == list(dict.fromkeys(by_mode["startpages"] + by_mode["prefixes"]))
    pages = client.call("propose_webentity_startpages", 2, "pages-1", False, False, FULL)
    assert pages == ["http://www.two.org/x"]


def test_proposed_start_pages_can_be_kept(client: Client, corpus: str) -> None:
    urls = client.call("propose_webentity_startpages", 1, "prefixes", False, True, corpus)
    (entity,) = client.call("store.get_webentity", 1, corpus)
    assert entity["startpages"] == urls
    assert entity["tags"]["CORE-STARTPAGES"] == {"auto": urls}


@pytest.mark.parametrize(
    "named",
    [
        {"webentity_id": 999},
        {"webentity_id": 1, "depth": 4},
        {"webentity_id": 1, "phantom_crawl": True},
        {"webentity_id": 1, "webarchives": {"option": "web.archive.org"}},
        {"webentity_id": 1, "status": "MAYBE"},
    ],
)
def test_a_crawl_that_cannot_be_is_told_and_leaves_nothing(client: Client, corpus: str, named: Any) -> None:
    assert isinstance(denied(client, "crawl_webentity", **named, corpus=corpus), str)
    assert client.call("listjobs", corpus=corpus) == []


@pytest.mark.parametrize("mode", ["nothing", "pages-0", ["prefixes", "x"]])
def test_an_unknown_start_mode_is_told(client: Client, mode: Any) -> None:
    assert "mode" in denied(client, "propose_webentity_startpages", 1, mode, False, False, FULL)


def test_a_depth_that_is_no_number_is_the_largest(client: Client, corpus: str) -> None:
    client.call("crawl_webentity", webentity_id=1, depth="deep", corpus=corpus)
    assert only_job(client, corpus)["crawl_arguments"]["max_depth"] == 3


def test_jobs_are_found_by_id_and_time(client: Client, corpus: str) -> None:
    job_id = client.call("crawl_webentity", webentity_id=1, corpus=corpus)
    now_ms = int(time.time() * 1000)
    assert len(client.call("listjobs", [job_id], None, None, False, corpus)) == 1
    assert len(client.call("listjobs", None, now_ms, None, False, corpus)) == 1
    assert client.call("listjobs", None, None, now_ms - 3_600_000, False, corpus) == []
    client.call("crawl.cancel", job_id, corpus)
    assert client.call("listjobs", None, now_ms + 3_600_000, None, False, corpus) == []
    assert denied(client, "listjobs", [999], None, None, False, corpus)


def test_a_finished_job_shows_its_counts(client: Client) -> None:
    job = only_job(client, FULL)
    assert (job["crawling_status"], job["indexing_status"]) == ("FINISHED", "FINISHED")
    assert (job["nb_crawled_pages"], job["nb_crawled_pages_200"], job["nb_crawled_pages_3xx"]) == (5, 3, 0)
    assert job["nb_links"] == 8
    assert job["reason"] == "all pages in reach are done"
    (light,) = client.call("listjobs", light=True, corpus=FULL)
    assert set(light["crawl_arguments"]) == {"max_depth", "cookies", "webarchives"}


def test_logs_of_jobs(client: Client) -> None:
    (line,) = client.call("crawl.get_job_logs", "1", FULL)
    assert line["log"] == "CRAWL_RUNNING began"
    (entity_line,) = client.call("get_webentity_logs", 1, FULL)
    assert entity_line == line | {"job": "1"}
    text = client.call("crawl.get_job_log", 1, FULL)
    assert "CRAWL_RUNNING began" in text
    assert text.endswith("job 1 is finished: all pages in reach are done\n")
    for method in ("crawl.get_job_logs", "crawl.get_job_log", "crawl.cancel"):
        assert "77" in denied(client, method, 77, FULL)


def test_a_job_can_be_marked_as_reviewed(client: Client) -> None:
    for value, reviewed in [("true", True), (False, False)]:
        client.call("crawl.set_job_review_status", "1", value, FULL)
        assert only_job(client, FULL)["reviewed"] is reviewed
