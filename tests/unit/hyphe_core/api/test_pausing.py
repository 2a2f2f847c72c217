"""Crawls are laid aside and taken up again over the API, and launched with limits."""

from __future__ import annotations

import pytest

from memory_structure.records import EndReason, JobState
from memory_structure.registry import Command
from tests.unit.hyphe_core.api.conftest import Curator


@pytest.fixture
def job_id(curator: Curator) -> int:
    return int(curator.call("crawl_webentity", curator.declare("http://x.com/")))


def claimed(curator: Curator) -> list[int]:
    """The jobs that a worker gets now."""
    registry = curator.service.registry
    registry.beat("w", "here", 1, 30.0)
    return [entry.job_id for entry in registry.claim_jobs("w", 9, 30.0)]


def test_a_waiting_job_pauses_at_once_and_goes_on_when_resumed(curator: Curator, job_id: int) -> None:
    assert curator.call("crawl.pause", job_id) == [str(job_id)]
    (job,) = curator.call("listjobs")
    assert (job["state"], job["crawling_status"], job["reason"]) == ("paused", "PENDING", "paused by request")
    assert curator.call("crawl.pause", [job_id, job_id]) == [str(job_id)]
    assert claimed(curator) == []
    assert curator.call("crawl.resume", job_id) == [str(job_id)]
    assert curator.structure.get_job(job_id).state is JobState.PENDING
    assert claimed(curator) == [job_id]
    log = [line["log"] for line in curator.call("crawl.get_job_logs", job_id)]
    assert sum(line.startswith("CRAWL_PAUSED") for line in log) == 1


def test_the_worker_that_holds_a_job_gets_the_order(curator: Curator, job_id: int) -> None:
    registry = curator.service.registry
    assert claimed(curator) == [job_id]
    curator.structure.move_job(job_id, JobState.RUNNING)
    curator.call("crawl.pause", job_id)
    assert [entry.command for entry in registry.beat("w", "here", 1, 30.0)] == [Command.PAUSE]
    assert curator.structure.get_job(job_id).state is JobState.RUNNING  # the worker notes when it pauses
    curator.structure.move_job(job_id, JobState.PAUSED)
    curator.call("crawl.resume", job_id)
    assert [entry.command for entry in registry.beat("w", "here", 1, 30.0)] == [Command.RUN]


def test_a_job_that_is_in_no_queue_comes_back_into_it(curator: Curator, job_id: int) -> None:
    curator.structure.move_job(job_id, JobState.PAUSED)
    curator.service.registry.release_job(curator.corpus, job_id, "", done=True)
    curator.call("crawl.resume", job_id)
    assert claimed(curator) == [job_id]


@pytest.mark.parametrize(
    ("state", "end"), [(JobState.FINISHED, EndReason.COMPLETE), (JobState.CANCELED, EndReason.CANCELED)]
)
def test_what_has_ended_is_told_and_nothing_is_changed(
    curator: Curator, job_id: int, state: JobState, end: EndReason
) -> None:
    other = int(curator.call("crawl_webentity", curator.declare("http://y.com/")))
    curator.structure.move_job(job_id, state, end=end)
    for method in ("crawl.pause", "crawl.resume"):
        message = curator.refusal(method, [other, job_id])["message"]
        assert f"crawl job {job_id} has ended" in message
        assert "no crawl job 99" in curator.refusal(method, [other, 99])["message"]
    assert curator.structure.get_job(other).state is JobState.PENDING


def test_a_job_that_a_fault_ended_is_taken_up_again(curator: Curator, job_id: int) -> None:
    curator.structure.move_job(job_id, JobState.FAILED, end=EndReason.FAULT)
    curator.call("crawl.resume", job_id)
    assert curator.structure.get_job(job_id).state is JobState.PENDING


def test_crawls_are_launched_with_limits(curator: Curator) -> None:
    one = curator.declare("http://x.com/")
    limits = {"max_pages": 7, "max_bytes": 1000, "time_limit": 2.5}
    (job,) = curator.call("crawl.start_many", [one], startmode="prefixes", **limits)
    spec = curator.structure.get_job(int(job)).spec
    assert (spec.max_pages, spec.max_bytes, spec.time_limit_seconds) == (7, 1000, 2.5)
    arguments = curator.call("listjobs", [job])[0]["crawl_arguments"]
    assert (arguments["max_pages"], arguments["time_limit_seconds"]) == (7, 2.5)
