"""What a worker that ends does with the jobs it holds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hyphe_core.crawl.keeper import Keeper
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.records import EndReason, JobState
from tests.corpus_cases import SPEC


@pytest.mark.parametrize(("state", "n_queued"), [(JobState.FINISHED, 0), (JobState.RUNNING, 1)])
def test_a_job_that_ended_just_before_leaves_the_queue(
    tmp_path: Path, state: JobState, n_queued: int
) -> None:
    registry = open_registry(tmp_path)
    corpus_id = registry.create_corpus("c", CorpusOptions()).corpus_id
    structure = registry.open_structure(corpus_id)
    job = structure.create_job(SPEC)
    structure.move_job(job.job_id, JobState.RUNNING)
    if state is not JobState.RUNNING:
        structure.move_job(job.job_id, state, end=EndReason.COMPLETE)
    registry.enqueue(corpus_id, job.job_id, hosts=())
    keeper: Any = object.__new__(Keeper)
    keeper.worker_id = "w"
    keeper._registry = registry
    keeper._jobs = {(corpus_id, job.job_id): SimpleNamespace(ended=(EndReason.COMPLETE, ""))}
    opened = SimpleNamespace(get=lambda _: SimpleNamespace(structure=structure))
    board = SimpleNamespace(slots={})
    keeper._session = SimpleNamespace(
        corpora=opened, frontier=SimpleNamespace(board=board, clock=lambda: 0.0)
    )

    async def call(action: Any, *arguments: Any) -> Any:
        return action(*arguments)

    keeper._call = call
    registry.beat("w", "here", 1, 30.0)
    assert registry.claim_jobs("w", 1, 30.0)
    asyncio.run(keeper._give_back())
    assert len(registry.list_queue()) == n_queued
    registry.close()
