"""Ending the crawls of a corpus before it is emptied or destroyed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from hyphe_core.clock import now
from hyphe_core.errors import UsageFault
from hyphe_core.maintenance import corpus_life
from hyphe_core.maintenance.corpus_life import (
    destroy_corpus,
    empty_corpus,
    end_crawls,
    force_destroy_corpus,
    purge_due,
)
from memory_structure.corpus_records import CorpusOptions
from memory_structure.errors import CorruptCorpus
from memory_structure.opening import open_registry
from memory_structure.records import EndReason, JobState
from memory_structure.registry import Command, Registry
from tests.corpus_cases import SPEC


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    registry = open_registry(tmp_path / "data")
    registry.create_corpus("corpus", CorpusOptions())
    yield registry
    registry.close()


def with_jobs(registry: Registry, n_jobs: int = 3) -> list[int]:
    structure = registry.open_structure("corpus")
    jobs = [structure.create_job(SPEC).job_id for _ in range(n_jobs)]
    for job_id in jobs[:-1]:
        registry.enqueue("corpus", job_id, [])
    structure.move_job(jobs[-1], JobState.PAUSED)
    return jobs


def test_jobs_that_nobody_has_are_canceled(registry: Registry) -> None:
    jobs = with_jobs(registry)
    structure = registry.open_structure("corpus")
    structure.move_job(structure.create_job(SPEC).job_id, JobState.FINISHED)
    assert end_crawls(registry, "corpus", "it ends") == jobs
    assert [(job.state, job.end, job.reason) for job in structure.list_jobs(ids=jobs)] == [
        (JobState.CANCELED, EndReason.CANCELED, "it ends")
    ] * 3
    assert registry.list_queue("corpus") == []
    assert [entry.kind for entry in structure.iter_logs()] == ["CRAWL_CANCELED"] * 3


def test_a_worker_is_told_and_waited_for(registry: Registry) -> None:
    jobs = with_jobs(registry)
    registry.beat("w", "elsewhere", 1, 30.0)
    registry.claim_jobs("w", 1, 30.0)
    structure = registry.open_structure("corpus")
    structure.move_job(jobs[0], JobState.RUNNING)

    def work() -> None:
        while not any(e.command is Command.CANCEL for e in registry.beat("w", "elsewhere", 1, 30.0)):
            pass
        structure.move_job(jobs[0], JobState.CANCELED, end=EndReason.CANCELED, reason="by the worker")
        registry.release_job("corpus", jobs[0], "w", done=True)

    worker = threading.Thread(target=work)
    worker.start()
    end_crawls(registry, "corpus", "it ends")
    worker.join()
    assert [job.reason for job in structure.list_jobs(ids=jobs)] == ["by the worker", "it ends", "it ends"]


def test_a_worker_that_does_not_let_go_is_named(registry: Registry) -> None:
    with_jobs(registry)
    registry.beat("w", "elsewhere", 1, 30.0)
    registry.claim_jobs("w", 1, 30.0)
    with pytest.raises(UsageFault, match="job 1 is still being ended by worker w"):
        end_crawls(registry, "corpus", "it ends", patience_seconds=0.0)
    assert registry.get_corpus("corpus")


def test_a_dead_worker_holds_nothing_up(registry: Registry) -> None:
    jobs = with_jobs(registry)
    registry.beat("w", "elsewhere", 1, 0.0)
    registry.claim_jobs("w", 1, 0.0)
    assert end_crawls(registry, "corpus", "it ends") == jobs


def test_destroyed_and_emptied_corpora_come_back_unless_told_otherwise(registry: Registry) -> None:
    with_jobs(registry)
    emptied = empty_corpus(registry, "corpus", restore_days=1)
    destroyed = destroy_corpus(registry, "corpus", restore_days=1)
    assert registry.list_destroyed() == [destroyed, emptied]
    assert emptied is not None
    registry.undestroy_corpus(emptied.destroyed_id)
    jobs = registry.open_structure("corpus").list_jobs()
    assert [job.state for job in jobs] == [JobState.CANCELED] * 3
    assert empty_corpus(registry, "corpus", restore_days=0) is None
    assert destroy_corpus(registry, "corpus", restore_days=0) is None
    assert registry.list_destroyed() == [destroyed]


def test_what_was_destroyed_long_enough_ago_is_purged(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    destroyed = destroy_corpus(registry, "corpus", restore_days=30)
    assert purge_due(registry, 30) == []
    monkeypatch.setattr(corpus_life, "now", lambda: now() + timedelta(days=29, hours=23))
    assert purge_due(registry, 30) == []
    monkeypatch.setattr(corpus_life, "now", lambda: now() + timedelta(days=30))
    assert purge_due(registry, 30) == [destroyed]
    assert registry.list_destroyed() == []


def test_a_corpus_whose_store_is_broken_can_be_destroyed(tmp_path: Path) -> None:
    registry = open_registry(tmp_path / "data")
    registry.create_corpus("broken", CorpusOptions())
    registry.close()
    (tmp_path / "data" / "corpora" / "broken" / "corpus.sqlite").write_bytes(b"no database" * 500)
    registry = open_registry(tmp_path / "data")
    registry.enqueue("broken", 1, [])
    with pytest.raises(CorruptCorpus):
        destroy_corpus(registry, "broken", restore_days=1)
    assert force_destroy_corpus(registry, "broken", restore_days=1) is not None
    assert (registry.list_corpora(), registry.list_queue()) == ([], [])
    registry.close()
