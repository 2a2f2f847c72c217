"""Faults in running such a service that are known of others: none may occur here."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hyphe_core.app import reconcile
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.errors import SchemaMismatch
from memory_structure.opening import open_registry
from memory_structure.records import JobState
from memory_structure.stored.schema import REGISTRY_STATE, SCHEMA_VERSION
from tests.corpus_cases import batch, page
from tests.service.conftest import FULL, PAGES, fill
from tests.service.service_process import Client, ServiceProcess


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    registry = open_registry(tmp_path)
    fill(registry)
    registry.close()
    return tmp_path


def launch(client: Client) -> str:
    return str(client.call("crawl_webentity", webentity_id=1, depth=1, corpus=FULL))


def job_of(client: Client, job_id: str) -> dict[str, Any]:
    (job,) = client.call("listjobs", [int(job_id)], None, None, False, FULL)
    return dict(job)


def test_a_job_cancelled_before_it_began_is_not_begun_after_a_restart(folder: Path) -> None:
    first = ServiceProcess(folder)
    job_id = launch(first.client())
    first.client().call("crawl.cancel", int(job_id), FULL)
    first.stop()
    registry = open_registry(folder)
    reconcile(registry)
    assert registry.claim_jobs("w", 10, 60.0) == []
    registry.close()
    again = ServiceProcess(folder)
    job = job_of(again.client(), job_id)
    assert (job["crawling_status"], job["crawljob_id"]) == ("CANCELED", job_id)
    again.stop()


def test_a_job_whose_worker_was_lost_is_not_called_finished(folder: Path) -> None:
    registry = open_registry(folder)
    structure = registry.open_structure(FULL)
    service = ServiceProcess(folder)
    job_id = int(launch(service.client()))
    registry.beat("w", "elsewhere", 1, 0.01)
    claimed = registry.claim_jobs("w", 10, 0.01, only=(FULL, job_id))
    assert [entry.job_id for entry in claimed] == [job_id]
    structure.move_job(job_id, JobState.RUNNING)
    service.stop()
    registry.drop_worker("w")
    reconcile(registry)
    assert structure.get_job(job_id).state in (JobState.PENDING, JobState.RUNNING)
    registry.beat("v", "here", 2, 60.0)
    assert [e.job_id for e in registry.claim_jobs("v", 10, 60.0, only=(FULL, job_id))] == [job_id]
    registry.close()


def test_a_stopped_corpus_loses_no_work_and_needs_nobody_to_open_it(folder: Path) -> None:
    service = ServiceProcess(folder)
    client = service.client()
    job_id = int(launch(client))
    client.call("stop_corpus", FULL)
    registry = open_registry(folder)
    registry.beat("w", "here", 1, 60.0)
    assert [entry.job_id for entry in registry.claim_jobs("w", 10, 60.0)] == [job_id]
    lru = "s:http|h:com|h:example|h:one|p:later|"
    registry.open_structure(FULL).write_batch(batch(page(lru)))
    registry.close()
    assert client.call("start_corpus", FULL)["ready"]
    urls = {each["url"] for each in client.call("store.get_webentity_pages", 1, False, FULL)}
    assert "http://one.example.com/later" in urls
    service.stop()


def test_what_was_answered_survives_a_kill(folder: Path) -> None:
    """The store is the truth: nothing that was acknowledged lies in memory alone."""
    service = ServiceProcess(folder)
    client = service.client()
    client.call("store.add_webentity_tag_value", 3, "USER", "kind", "blog", FULL)
    client.call("store.set_webentity_status", 3, "UNDECIDED", FULL)
    job_id = launch(client)
    before = client.call("store.get_webentities", [3], None, -1, 0, False, False, False, FULL)
    status = client.call("get_status", FULL)["corpus"]["traph"]["webentities"]
    service.kill()
    again = ServiceProcess(folder)
    client = again.client()
    assert client.call("store.get_webentities", [3], None, -1, 0, False, False, False, FULL) == before
    assert client.call("get_status", FULL)["corpus"]["traph"]["webentities"] == status
    assert client.call("store.get_tags", "USER", FULL)["kind"]["blog"] == 1
    assert job_of(client, job_id)["crawling_status"] == "PENDING"
    again.stop()


def test_a_backup_holds_everything_and_comes_back_over_the_api(folder: Path) -> None:
    service = ServiceProcess(folder)
    client = service.client()
    asked: list[tuple[Any, ...]] = [
        ("store.get_webentities", [], None, -1, 0, False, False, False, FULL),
        ("store.get_webentity_pages", 1, True, FULL),
        ("store.get_webentity_pagelinks_network", 1, True, FULL),
        ("store.get_webentities_network", True, True, FULL),
        ("store.get_tags", "USER", FULL),
        ("store.get_webentity_creationrules", None, FULL),
    ]
    before = [client.call(*each) for each in asked]
    assert len(before[1]) >= len(PAGES) - 2
    client.call("corpus.backup", "whole.hyphe.zip", FULL)
    client.call("destroy_corpus", FULL)
    client.call("corpus.restore", "whole.hyphe.zip")
    assert [client.call(*each) for each in asked] == before
    (job,) = client.call("listjobs", None, None, None, False, FULL)
    assert job["crawling_status"] == "FINISHED"
    service.stop()


def test_a_registry_of_an_earlier_version_is_brought_up_to_date(folder: Path) -> None:
    connection = sqlite3.connect(folder / "registry.sqlite")
    for table in ("access_tokens", "reader_passwords"):
        connection.execute(f"DROP TABLE {table}")
    connection.close()
    service = ServiceProcess(folder)
    made = service.client().call("access.create_token", "script", "reader", 1, FULL)
    assert made["token"]
    service.stop()


def test_data_of_a_later_version_are_refused_in_words_and_left_alone(folder: Path) -> None:
    storage = SqliteStorage(folder / "registry.sqlite")
    with storage.transaction() as transaction:
        transaction.update(REGISTRY_STATE, ("schema",), [(1, (SCHEMA_VERSION + 1,))])
    storage.close()
    with pytest.raises(SchemaMismatch, match="schema"):
        open_registry(folder)


def test_limits_that_are_told_are_kept(folder: Path) -> None:
    """None is announced that nobody holds."""
    service = ServiceProcess(folder, max_depth=3)
    client = service.client()
    told = client.call("get_status", FULL)["hyphe"]
    assert told["max_depth"] == 3
    answer = client.envelope("crawl_webentity", webentity_id=1, depth=4, corpus=FULL)
    assert answer["code"] == "fail"
    assert client.envelope("set_corpus_options", FULL, {"max_depth": 9})["code"] == "fail"
    assert not [name for name in told if "max" in name and name != "max_depth"]
    service.stop()


def test_edits_at_once_lose_nothing(folder: Path) -> None:
    service = ServiceProcess(folder)
    client = service.client()

    def edit(i: int) -> None:
        client.call("store.add_webentity_tag_value", 3, "USER", f"c{i % 4}", f"v{i}", FULL)
        client.call("store.add_webentity_startpage", 3, f"http://three.net/{i}", FULL)
        client.call("store.add_webentities_tag_value", [1, 2], "USER", "both", f"v{i}", FULL)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(edit, range(40)))
    (entity,) = client.call("store.get_webentity", 3, FULL)
    values = [value for values in entity["tags"]["USER"].values() for value in values]
    assert sorted(values) == sorted(f"v{i}" for i in range(40))
    assert set(entity["startpages"]) == {f"http://three.net/{i}" for i in range(40)}
    assert client.call("store.get_tags", "USER", FULL)["both"] == {f"v{i}": 2 for i in range(40)}
    service.stop()


def test_logs_are_for_machines_too_and_the_service_says_how_it_is(folder: Path) -> None:
    service = ServiceProcess(folder, log_format="json")
    client = service.client()
    assert client.call("ping") == "pong"
    status = client.call("get_status", FULL)
    assert {"corpus_running", "crawls_running", "crawls_pending"} <= set(status["hyphe"])
    service.stop()
    lines = [json.loads(line) for line in service.log_path.read_text().splitlines()]
    assert lines
    assert all({"at", "level", "logger", "message"} <= set(line) for line in lines)
