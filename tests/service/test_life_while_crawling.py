"""Corpora that are stopped, backed up, emptied or destroyed while they are crawled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_structure.opening import open_registry
from tests.service.service_process import ServiceProcess, wait_until
from tests.service.test_running import N_PAGES, SETTINGS, crawl, finished, job_of, site

__all__ = ["site"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    process = ServiceProcess(tmp_path_factory.mktemp("service"), **SETTINGS)
    yield process
    process.stop()


def is_clean(data_dir: Path, corpus_id: str) -> bool:
    registry = open_registry(data_dir)
    try:
        return registry.open_structure(corpus_id).check() == []
    finally:
        registry.close()


def test_crawls_go_on_while_a_corpus_is_stopped(service: ServiceProcess, site: str) -> None:
    client = service.client()
    crawl(client, "stopped", f"{site}/slow/0")
    wait_until(lambda: job_of(client, "stopped")["nb_crawled_pages"], 60)
    assert client.call("stop_corpus", "stopped")["status"] == "stopped"
    wait_until(lambda: client.call("list_corpus")["stopped"]["total_pages_crawled"] == N_PAGES, 60)
    client.call("start_corpus", "stopped")
    job = wait_until(lambda: finished(client, "stopped"), 60)
    assert (job["crawling_status"], job["nb_crawled_pages"]) == ("FINISHED", N_PAGES)


def test_a_backup_amid_a_crawl_is_whole_and_the_crawl_goes_on(service: ServiceProcess, site: str) -> None:
    client = service.client()
    crawl(client, "backed", f"{site}/slow/0")
    wait_until(lambda: job_of(client, "backed")["nb_crawled_pages"], 60)
    assert client.call("corpus.backup", "amid.zip", "backed")["n_lost_bodies"] == 0
    assert client.call("corpus.restore", "amid.zip", "copy")["ready"] is True
    assert client.call("listjobs", corpus="copy")[0]["crawling_status"] == "PENDING"
    assert is_clean(service.data_dir, "copy")
    job = wait_until(lambda: finished(client, "backed"), 60)
    assert job["nb_crawled_pages"] == N_PAGES
    n_copied = client.call("list_corpus")["copy"]["total_pages_crawled"]
    assert 0 < n_copied < N_PAGES
    assert client.call("get_status", "copy")["hyphe"]["crawls_running"] == 0


def test_a_crawl_is_ended_before_its_corpus_is_emptied_or_destroyed(
    service: ServiceProcess, site: str
) -> None:
    client = service.client()
    crawl(client, "ended", f"{site}/slow/0")
    wait_until(lambda: job_of(client, "ended")["nb_crawled_pages"], 60)
    client.call("reinitialize", "ended")
    assert client.call("get_status", "ended")["hyphe"]["crawls_running"] == 0
    assert client.call("list_corpus")["ended"]["total_pages"] == 0
    client.call("corpus.undestroy", "ended", "before")
    client.call("start_corpus", "before")
    job = job_of(client, "before")
    assert job["crawling_status"] == "CANCELED"
    assert 0 < job["nb_crawled_pages"] < N_PAGES
    assert is_clean(service.data_dir, "before")
    # The same worker crawls the emptied corpus, whose store is another one.
    entity = client.call("declare_page", f"{site}/fast/0", "ended")
    client.call("crawl_webentity", webentity_id=entity["id"], depth=1, corpus="ended")
    assert wait_until(lambda: finished(client, "ended"), 60)["nb_crawled_pages"] > 0
    assert client.call("list_corpus")["ended"]["total_pages_crawled"] > 0
    assert job_of(client, "before") == job
    client.call("destroy_corpus", "ended")
    assert "ended" not in client.call("list_corpus")
