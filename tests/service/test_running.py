"""Crawls through the service: started by a call, carried out by workers, followed, cancelled, survived."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.contract.hyphe_api import result_faults
from tests.service.service_process import Client, ServiceProcess, wait_until

N_PAGES = 12


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Workers that are killed hang up."""


class Site(BaseHTTPRequestHandler):
    """Pages 0 to 11, each linking to all; below /slow/ each takes a while."""

    def do_GET(self) -> None:
        folder, _, name = self.path.rpartition("/")
        if folder == "/slow":
            time.sleep(0.2)
        known = name.isdecimal() and int(name) < N_PAGES and folder in ("/fast", "/slow")
        body = "".join(f'<a href="{n}">page {n}</a>' for n in range(N_PAGES)).encode() if known else b"none"
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = QuietServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


SETTINGS = {"n_workers": 1, "allow_private_networks": "true", "delay_seconds": 0}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    process = ServiceProcess(tmp_path_factory.mktemp("service"), **SETTINGS)
    yield process
    process.stop()


def crawl(client: Client, corpus: str, url: str) -> int:
    """Crawl everything beside a page; the entity's id."""
    client.call("create_corpus", corpus)
    folder = url.rpartition("/")[0]
    entity = client.call(
        "store.declare_webentity_by_lrus_as_urls",
        list_urls=[folder], startpages=[url], lruVariations=False, corpus=corpus,
    )  # fmt: skip
    client.call("crawl_webentity", webentity_id=entity["id"], depth=2, corpus=corpus)
    return int(entity["id"])


def job_of(client: Client, corpus: str) -> Any:
    jobs = client.call("listjobs", corpus=corpus)
    assert result_faults("listjobs", jobs) == []
    return jobs[0]


def finished(client: Client, corpus: str) -> Any:
    job = job_of(client, corpus)
    return job if job["crawling_status"] in ("FINISHED", "CANCELED") else None


def test_a_crawl_is_carried_out_and_shown(service: ServiceProcess, site: str) -> None:
    client = service.client()
    entity = crawl(client, "fast", f"{site}/fast/0")
    job = wait_until(lambda: finished(client, "fast"), 60)
    assert (job["crawling_status"], job["indexing_status"]) == ("FINISHED", "FINISHED")
    assert (job["nb_crawled_pages"], job["nb_crawled_pages_200"]) == (N_PAGES, N_PAGES)
    assert job["nb_links"] == N_PAGES * (N_PAGES - 1)
    assert job["created_at"] <= job["started_at"] <= job["finished_at"]
    assert job["reason"]
    pages = client.call("store.get_webentity_pages", entity, True, "fast")
    assert len(pages) == N_PAGES
    assert len(client.call("store.get_webentity_pagelinks_network", entity, False, "fast")) == job["nb_links"]
    status = client.call("get_status", "fast")
    assert status["corpus"]["crawler"]["pages_crawled"] == N_PAGES
    assert status["hyphe"]["crawls_running"] == 0
    assert "CRAWL_ADDED" in client.call("crawl.get_job_log", job["_id"], "fast")


def test_a_running_crawl_is_cancelled(service: ServiceProcess, site: str) -> None:
    client = service.client()
    entity = crawl(client, "slow", f"{site}/slow/0")
    wait_until(lambda: job_of(client, "slow")["nb_crawled_pages"], 60)
    assert job_of(client, "slow")["crawling_status"] == "RUNNING"
    assert client.call("get_status", "slow")["hyphe"]["crawls_running"] == 1
    assert client.call("cancel_webentity_jobs", entity, "slow")[0][0] is True
    job = wait_until(lambda: finished(client, "slow"), 60)
    assert job["crawling_status"] == "CANCELED"
    assert 0 < job["nb_crawled_pages"] < N_PAGES
    wait_until(lambda: client.call("get_status", "slow")["hyphe"]["crawls_running"] == 0)
    client.call("destroy_corpus", "slow")


def test_a_crawl_goes_on_after_the_service_was_killed(tmp_path: Path, site: str) -> None:
    service = ServiceProcess(tmp_path, **SETTINGS)
    crawl(service.client(), "killed", f"{site}/slow/0")
    wait_until(lambda: job_of(service.client(), "killed")["nb_crawled_pages"], 60)
    workers = psutil.Process(service.child.pid).children()
    service.kill()
    service = ServiceProcess(tmp_path, **SETTINGS)
    client = service.client()
    job = wait_until(lambda: finished(client, "killed"), 60)
    assert (job["crawling_status"], job["nb_crawled_pages"]) == ("FINISHED", N_PAGES)
    assert service.stop() == 0
    for worker in workers:  # these outlive a killed service when they are in the middle of something
        if worker.is_running():
            worker.kill()
