"""What clients are told of a crawl: why it waits, how good it was, why it brought nothing, who looked at
it."""

from __future__ import annotations

from typing import Any

import pytest

from hyphe_core.crawl.diagnosis import _ADVICE, _FAILING, Stage
from hyphe_core.crawl.robots import judge_robots
from memory_structure.acts import acting
from memory_structure.records import EndReason, FetchError, JobState
from memory_structure.registry import Command, HostKey
from memory_structure.url_cutter import url_to_lru
from tests.corpus_cases import batch, fetch, page
from tests.unit.hyphe_core.api.conftest import Curator


def launched(curator: Curator, *urls: str, depth: int = 1) -> tuple[int, int]:
    """(web entity id, job id) of a crawl from those pages."""
    entity = curator.declare(urls[0])
    job = curator.call("crawl.start", entity, list(urls), [url_to_lru(urls[0])], [], depth=depth)
    return entity, int(job)


def store(curator: Curator, job_id: int, url: str, *targets: str, **answer: Any) -> None:
    links = tuple(map(url_to_lru, targets))
    values = {"content_type": "text/html", "size_bytes": 9, "n_links": len(links), **answer}
    curator.structure.write_batch(batch(page(url_to_lru(url), *links, attempts=[fetch(job_id, **values)])))


def end(curator: Curator, job_id: int, why: EndReason = EndReason.COMPLETE, words: str = "all done") -> None:
    curator.structure.move_job(job_id, JobState.RUNNING)
    curator.structure.move_job(job_id, JobState.FINISHED, end=why, reason=words)


def listed(curator: Curator, job_id: int) -> Any:
    (job,) = curator.call("listjobs", [job_id])
    return job


# -- why it waits


def test_a_waiting_job_says_why_and_where_in_the_queue(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hyphe_core.crawl.waiting._GOOD_SECONDS", 0.0)
    registry = curator.service.registry
    _, first = launched(curator, "http://a.com/")
    _, second = launched(curator, "http://b.com/")
    assert "no worker is running" in listed(curator, first)["reason"]
    registry.beat("w", "here", 1, 30.0)
    registry.lease_hosts("w", [HostKey("", "b.com:80")], 30.0)
    assert listed(curator, first)["reason"] == "next in the queue, waiting for a free worker"
    waiting = listed(curator, second)
    assert (waiting["queue_position"], waiting["queue_length"]) == (2, 2)
    assert waiting["reason"].startswith("2nd in the queue, waiting for host b.com:80 held by worker w")
    registry.claim_jobs("w", 1, 30.0)
    assert listed(curator, first)["reason"] == "worker w is about to begin"
    curator.structure.move_job(first, JobState.RUNNING, reason="running")
    assert listed(curator, first)["situation"] == "worker w is crawling it (running)"
    registry.command_job(curator.corpus, second, Command.PAUSE)
    assert listed(curator, second)["reason"] == "told to pause before a worker took it"
    registry.drop_worker("w")
    registry.release_job(curator.corpus, second, "", done=True)
    assert "in no queue" in listed(curator, second)["reason"]


def test_every_state_has_a_reason(curator: Curator) -> None:
    _, job = launched(curator, "http://a.com/")
    moves = [
        JobState.RUNNING,
        JobState.PAUSED,
        JobState.PENDING,
        JobState.FAILED,
        JobState.PENDING,
        JobState.CANCELED,
    ]
    for state in moves:
        curator.structure.move_job(job, state)
        assert listed(curator, job)["reason"]
        assert listed(curator, job)["situation"]


# -- how good it was


def test_a_report_counts_and_judges_with_its_numbers(curator: Curator) -> None:
    entity, job = launched(curator, "http://a.com/")
    store(curator, job, "http://a.com/", *[f"http://a.com/{n}" for n in range(12)], "http://b.com/")
    for n in range(11):
        store(curator, job, f"http://a.com/{n}", "http://a.com/", depth=1)
    store(curator, job, "http://a.com/11", depth=1, status=404)
    store(curator, job, "http://a.com/12", depth=1, status=301, redirect_lru=url_to_lru("http://a.com/"))
    store(curator, job, "http://a.com/13", depth=1, status=None, error="robots")
    end(curator, job)
    report = curator.call("jobs.report", job)
    assert (report["verdict"], report["verdict_reason"]) == ("achieved", "12 pages with status 200")
    figures = report["figures"]
    assert (figures["pages"], figures["errors"], figures["redirects"]) == (15, 2, 1)
    assert figures["error_share"] == pytest.approx(2 / 15, abs=1e-4)
    assert (figures["depth_reached"], figures["max_depth"]) == (1, 1)
    assert report["pages_by_outcome"] == {"200": 12, "301": 1, "404": 1, "robots": 1}
    assert report["pages_by_depth"] == {"0": 1, "1": 14}
    assert report["links"]["to_other_webentities"] == 1
    assert report["links"]["webentities_linked"] == 1
    assert "1 page not fetched: robots.txt forbids them or could not be had" in report["cuts"]
    assert any("depth 1" in cut for cut in report["cuts"])
    whole = curator.call("jobs.report_webentity", entity)
    assert (whole["n_jobs"], whole["verdict"]) == (1, "achieved")
    assert whole["reports"] == [report]


def judged(curator: Curator, job: int) -> tuple[str, str]:
    report = curator.call("jobs.report", job)
    return report["verdict"], report["verdict_reason"]


def test_verdicts_follow_the_table(curator: Curator) -> None:
    _, job = launched(curator, "http://a.com/")
    assert judged(curator, job)[0] == "under way"
    store(curator, job, "http://a.com/", status=None, error="dns")
    end(curator, job)
    assert judged(curator, job) == (
        "unsuccessful",
        "none of 1 page tried answered with status 200 (1 x dns)",
    )
    _, job = launched(curator, "http://b.com/", depth=0)
    store(curator, job, "http://b.com/")
    end(curator, job)
    assert judged(curator, job) == ("achieved", "depth 0: 1 page with status 200")
    _, job = launched(curator, "http://c.com/")
    store(curator, job, "http://c.com/")
    end(curator, job)
    verdict, words = judged(curator, job)
    assert verdict == "suspicious"
    assert "only 1 page with status 200, 0.0 links a page" in words
    _, job = launched(curator, "http://d.com/")
    store(curator, job, "http://d.com/", "http://elsewhere.com/")
    end(curator, job)
    assert judged(curator, job)[0] == "achieved"  # one page, and it has links: nothing to suspect
    _, job = launched(curator, "http://e.com/")
    store(curator, job, "http://e.com/", *[f"http://e.com/{n}" for n in range(20)])
    for n in range(20):
        store(curator, job, f"http://e.com/{n}", status=503, depth=1)
    end(curator, job, EndReason.MAX_PAGES, "the page budget of 21 is used up")
    verdict, words = judged(curator, job)
    assert (verdict, words) == ("suspicious", "20 of 21 pages are errors (95%), 1 page with status 200")
    cuts = curator.call("jobs.report", job)["cuts"]
    assert cuts[0] == "the crawl stopped early: the page budget of 21 is used up"


# -- why it brought nothing


@pytest.mark.parametrize(
    ("answer", "failed", "words"),
    [
        ({"status": None, "error": "dns", "error_detail": "no such name"}, "dns", "dns: no such name"),
        ({"status": None, "error": "tls"}, "tls", "tls"),
        ({"status": None, "error": "timeout"}, "connection", "timeout"),
        ({"status": None, "error": "robots"}, "robots", "robots"),
        ({"status": 403}, "status", "status 403"),
        ({"content_type": "application/pdf"}, "type", "application/pdf"),
        ({"size_bytes": 0}, "size", "an empty body"),
        ({"error": "truncated"}, "size", "truncated"),
        ({}, "links", "no link in 9 bytes"),
        (
            {"status": 302, "redirect_lru": "s:http|h:com|h:login|"},
            "redirect",
            "leads to http://login.com: it belongs to no web entity yet",
        ),
    ],
)
def test_an_empty_crawl_is_diagnosed_at_the_stage_that_failed(
    curator: Curator, answer: dict[str, Any], failed: str, words: str
) -> None:
    _, job = launched(curator, "http://a.com/")
    store(curator, job, "http://a.com/", **answer)
    end(curator, job)
    found = curator.call("jobs.diagnose", job)
    (start_page,) = found["start_pages"]
    assert start_page["failed"] == failed
    stages = {each["stage"]: each for each in start_page["stages"]}
    assert (stages[failed]["passed"], stages[failed]["words"]) == (False, words)
    order = list(stages)
    assert all(stages[name]["passed"] is True for name in order[: order.index(failed)])
    assert all(stages[name]["passed"] is None for name in order[order.index(failed) + 1 :])
    assert len(found["advice"]) == 1


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        ("robots.txt forbids it", "refuses the crawler"),
        (judge_robots("tester", 503, None, b"").detail, "fails when it is asked for robots.txt"),
    ],
)
def test_a_server_that_fails_at_robots_txt_does_not_refuse(curator: Curator, detail: str, words: str) -> None:
    _, job = launched(curator, "http://a.com/")
    store(curator, job, "http://a.com/", status=None, error="robots", error_detail=detail)
    end(curator, job)
    (advice,) = curator.call("jobs.diagnose", job)["advice"]
    assert words in advice


def test_every_error_has_a_stage() -> None:
    assert set(_FAILING) == set(FetchError)
    assert set(_ADVICE) == set(Stage)


def test_a_start_page_of_another_entity_is_told(curator: Curator) -> None:
    _, job = launched(curator, "http://a.com/", "http://b.com/")
    other = curator.declare("http://b.com/")
    found = curator.call("jobs.diagnose", job)
    first, second = found["start_pages"]
    assert first["failed"] is None  # not tried yet
    assert second["failed"] == "scope"
    assert f"web entity {other}" in str(second["stages"])
    assert "not over" in found["advice"][0]


def test_a_good_start_page_passes_all_stages(curator: Curator) -> None:
    _, job = launched(curator, "http://a.com/", "http://a.com/moved")
    store(curator, job, "http://a.com/", "http://a.com/x")
    store(curator, job, "http://a.com/moved", status=301, redirect_lru=url_to_lru("http://a.com/"))
    end(curator, job)
    found = curator.call("jobs.diagnose", job)
    assert [each["failed"] for each in found["start_pages"]] == [None, None]
    assert found["start_pages"][0]["stages"][-1] == {"stage": "links", "passed": True, "words": "1 links"}
    assert found["advice"] == []


# -- who looked at it


def test_a_review_keeps_note_and_author(curator: Curator) -> None:
    _, job = launched(curator, "http://a.com/")
    with acting("Ada"):
        found = curator.call("jobs.review", job, True, "a login page")
    assert (found["reviewed"], found["note"]) == (True, "a login page")
    shown = listed(curator, job)
    assert (shown["reviewed"], shown["review"]["note"]) == (True, "a login page")
    assert shown["review"]["reviewed_at"] >= shown["created_at"]
    curator.call("crawl.set_job_review_status", job, False)
    shown = listed(curator, job)
    assert (shown["reviewed"], shown["review"]["note"]) == (False, "a login page")


# -- its log


def test_the_log_is_filtered_and_comes_in_pieces(curator: Curator) -> None:
    entity, first = launched(curator, "http://a.com/")
    second = int(curator.call("crawl.start", entity, ["http://a.com/"], [url_to_lru("http://a.com/")], []))
    _, other = launched(curator, "http://b.com/")
    structure = curator.structure
    structure.add_log("CRAWL_RUNNING", "running", first)
    structure.add_log("CRAWL_FINISHED", "All Done", second)
    structure.add_log("NOTE", "of the corpus")

    def kinds(**named: Any) -> list[str]:
        return [line["kind"] for line in curator.call("jobs.log", **named)["lines"]]

    assert kinds(job_id=first) == ["CRAWL_ADDED", "CRAWL_RUNNING"]
    assert kinds(webentity_id=entity) == ["CRAWL_ADDED", "CRAWL_ADDED", "CRAWL_RUNNING", "CRAWL_FINISHED"]
    assert kinds(kinds="crawl_f") == ["CRAWL_FINISHED"]
    assert kinds(text="all done") == ["CRAWL_FINISHED"]
    assert kinds(kinds=["note", "crawl_running"]) == ["CRAWL_RUNNING", "NOTE"]
    assert kinds(to_ts=0) == []
    assert len(kinds(from_ts=structure.get_job(other).created_at.timestamp() // 1 * 1000)) >= 3
    piece = curator.call("jobs.log", webentity_id=entity, count=3)
    assert (piece["n_lines"], piece["token"]) == (3, "3")
    rest = curator.call("jobs.log", webentity_id=entity, count=3, token=piece["token"])
    assert ([line["message"] for line in rest["lines"]], rest["token"]) == (["All Done"], None)
    assert "token" in curator.refusal("jobs.log", token="x")["message"]


# -- cancelling many


def test_all_are_cancelled_at_once_and_those_of_workers_are_told(curator: Curator) -> None:
    (_, ended), (_, free), (_, held) = (launched(curator, f"http://{host}.com/") for host in "abc")
    end(curator, ended)
    registry = curator.service.registry
    registry.claim_jobs("w", 1, 30.0, only=(curator.corpus, held))
    version = curator.structure.version()
    assert curator.call("crawl.cancel_all") == [str(free), str(held)]
    assert curator.structure.version() == version + 2  # the jobs, the log
    assert listed(curator, free)["state"] == "canceled"
    assert listed(curator, held)["state"] == "pending"
    assert [(e.job_id, e.command) for e in registry.list_queue() if e.worker_id] == [(held, Command.CANCEL)]
    assert [e.job_id for e in registry.list_queue()] == [ended, held]
    kinds = [e.kind for e in curator.structure.iter_logs(job_id=free)]
    assert kinds == ["CRAWL_ADDED", "CRAWL_CANCELED"]
    assert curator.call("crawl.cancel", held) == f"crawl job {held} is being canceled"
    assert "has ended already (canceled)" in curator.refusal("crawl.cancel", free)["message"]
