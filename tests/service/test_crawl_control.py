"""Workers over real sockets: orders, quick ends, a second worker, a dead one, a store that goes away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hyphe_core.config import Config, load_config
from hyphe_core.crawl.launch import launch_crawl
from hyphe_core.crawl.supervisor import Supervisor
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.records import (
    EndReason,
    Job,
    JobState,
)
from memory_structure.registry import Command, Registry
from memory_structure.structure import MemoryStructure
from tests.mock_web.running import ROOT, MockWeb, crawl_environment, running_mock_web


@pytest.fixture(scope="module")
def web() -> Iterator[MockWeb]:
    with running_mock_web() as running:
        yield running


class Bench:
    """A corpus, its configuration, and how to launch in it."""

    def __init__(self, folder: Path, web: MockWeb, **settings: object) -> None:
        self.environment = crawl_environment(folder, web.proxy, **({"lease_seconds": 2} | settings))
        self.config: Config = load_config(None, self.environment)
        self.registry: Registry = open_registry(folder)
        options = CorpusOptions(delay_seconds=self.config.delay_seconds, proxy=self.config.proxy)
        self.corpus_id = self.registry.create_corpus("bench", options).corpus_id
        self.structure: MemoryStructure = self.registry.open_structure(self.corpus_id)

    def launch(self, url: str, depth: int, **settings: object) -> int:
        page, _ = self.structure.declare_pages([_lru(url)])[0]
        job = launch_crawl(
            self.registry,
            self.corpus_id,
            page.web_entity_id,
            config=self.config,
            depth=depth,
            start_urls=[url],
            **settings,  # type: ignore[arg-type]
        )
        return job.job_id

    def job(self, job_id: int) -> Job:
        return self.structure.get_job(job_id)

    @contextmanager
    def worker(self) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            [sys.executable, "-m", "hyphe_core.crawl.worker"], cwd=ROOT, env=self.environment
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def _lru(url: str) -> str:
    from memory_structure.lru import url_to_lru

    return url_to_lru(url)


def wait_until(condition: Callable[[], bool], seconds: float = 40) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.fixture
def bench(tmp_path: Path, web: MockWeb) -> Iterator[Bench]:
    made = Bench(tmp_path, web)
    yield made
    made.registry.close()


def test_a_job_is_paused_resumed_and_canceled_while_it_runs(bench: Bench, web: MockWeb) -> None:
    job_id = bench.launch("http://pause.example/fan", 1, delay_seconds=0.05)
    key = (bench.corpus_id, job_id)
    with bench.worker():
        wait_until(lambda: bench.job(job_id).counters.n_pages > 2)
        assert bench.registry.command_job(*key, Command.PAUSE)
        wait_until(lambda: bench.job(job_id).state is JobState.PAUSED)
        assert bench.job(job_id).reason == "paused by request"
        time.sleep(0.8)  # what was in flight ends
        n_asked = len(web.paths("pause.example"))
        time.sleep(1.0)
        assert len(web.paths("pause.example")) == n_asked
        bench.registry.command_job(*key, Command.RUN)
        wait_until(lambda: bench.job(job_id).state is JobState.RUNNING)
        wait_until(lambda: len(web.paths("pause.example")) > n_asked)
        bench.registry.command_job(*key, Command.CANCEL)
        wait_until(lambda: bench.job(job_id).state is JobState.CANCELED)
        assert (bench.job(job_id).end, bench.job(job_id).reason) == (
            EndReason.CANCELED,
            "canceled by request",
        )
        n_asked = len(web.paths("pause.example"))
        time.sleep(1.0)
        assert len(web.paths("pause.example")) == n_asked
    kinds = [entry.kind for entry in bench.structure.iter_logs(job_id=job_id)]
    assert kinds == ["CRAWL_ADDED", "CRAWL_RUNNING", "CRAWL_PAUSED", "CRAWL_RESUMED", "CRAWL_CANCELED"]
    assert bench.registry.list_queue() == []


def test_cancel_ends_a_hanging_request_at_once(bench: Bench, web: MockWeb) -> None:
    job_id = bench.launch("http://hangs.example/hang", 0)
    with bench.worker() as worker:
        wait_until(lambda: "/hang" in web.paths("hangs.example"))
        bench.registry.command_job(bench.corpus_id, job_id, Command.CANCEL)
        wait_until(lambda: bench.job(job_id).state is JobState.CANCELED, 1.9)  # the time-out is 2 s
        worker.terminate()
        assert worker.wait(10) == 0
    assert bench.job(job_id).counters.n_pages == 0


def test_sigterm_ends_a_worker_with_hanging_requests_and_gives_the_jobs_back(
    tmp_path: Path, web: MockWeb
) -> None:
    bench = Bench(tmp_path, web, timeout_seconds=30)
    done, hanging = (
        bench.launch("http://gives.example/chain1", 1),
        bench.launch("http://hang2.example/hang", 0),
    )
    with bench.worker() as worker:
        wait_until(
            lambda: bench.job(done).state is JobState.FINISHED and "/hang" in web.paths("hang2.example")
        )
        began = time.monotonic()
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(10) == 0
        assert time.monotonic() - began < 5
    job = bench.job(hanging)
    assert job.state is JobState.PENDING
    assert "goes back to the queue" in job.reason
    assert [(entry.job_id, entry.worker_id) for entry in bench.registry.list_queue()] == [(hanging, "")]
    assert bench.registry.list_workers() == []
    bench.registry.close()


def test_two_workers_share_the_queue_and_no_host(tmp_path: Path, web: MockWeb) -> None:
    bench = Bench(tmp_path, web, delay_seconds=0.05)
    jobs = [bench.launch(f"http://share{i}.example/fan", 1, max_pages=10) for i in range(12)]
    with bench.worker(), bench.worker():
        wait_until(lambda: all(bench.job(job).state is JobState.FINISHED for job in jobs))
    _, peak = web.seen()
    assert all(peak[f"share{i}.example"] == 1 for i in range(12))
    assert all(bench.job(job).counters.n_answers == 10 for job in jobs)
    assert bench.structure.check() == []
    bench.registry.close()


def test_the_supervisor_starts_a_dead_worker_again_and_its_jobs_go_on(tmp_path: Path, web: MockWeb) -> None:
    bench = Bench(tmp_path, web, lease_seconds=600)
    job_id = bench.launch("http://dies.example/fan", 1)
    supervisor = Supervisor(bench.config, 1)
    supervisor.start()
    try:
        wait_until(lambda: bench.job(job_id).counters.n_pages > 3)
        (pid,) = supervisor.pids
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: bench.job(job_id).state is JobState.FINISHED)
        assert supervisor.pids not in ([], [pid])
    finally:
        supervisor.stop()
    assert bench.job(job_id).counters.n_pages == 41
    assert "CRAWL_RESUMED" in [entry.kind for entry in bench.structure.iter_logs(job_id=job_id)]
    assert bench.registry.list_workers() == []
    bench.registry.close()


def test_a_job_launched_while_the_worker_runs_begins_soon(bench: Bench) -> None:
    with bench.worker():
        wait_until(lambda: bool(bench.registry.list_workers()))
        job_id = bench.launch("http://late.example/chain1", 0)
        wait_until(lambda: bench.job(job_id).state is JobState.FINISHED)
    assert bench.job(job_id).counters.n_200 == 1


def test_a_time_limit_ends_the_job_and_is_said(bench: Bench) -> None:
    job_id = bench.launch("http://timed.example/chain0", 50, delay_seconds=0.3, time_limit_seconds=1.5)
    with bench.worker():
        wait_until(lambda: bench.job(job_id).state is JobState.FINISHED)
    job = bench.job(job_id)
    assert (job.end, job.reason) == (EndReason.TIME_LIMIT, "time limit of 1.5 seconds reached")
    assert 0 < job.counters.n_pages < 8


def test_cookies_of_a_job_are_sent_with_its_pages_alone(bench: Bench, web: MockWeb) -> None:
    job_id = bench.launch(
        "http://cookies.example/echo", 0, cookies="session=abc=def; x=1", user_agent="mine/2"
    )
    with bench.worker():
        wait_until(lambda: bench.job(job_id).state is JobState.FINISHED)
    requests = {r.path: r.headers for r in web.seen()[0] if r.host == "cookies.example"}
    assert requests["/echo"]["cookie"] == "session=abc=def; x=1"
    assert "cookie" not in requests["/robots.txt"]
    assert {headers["user-agent"] for headers in requests.values()} == {"mine/2"}
