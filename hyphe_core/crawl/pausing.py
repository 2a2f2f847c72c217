"""Crawl jobs laid aside and taken up again."""

from __future__ import annotations

from collections.abc import Sequence

from hyphe_core.crawl.launch import start_hosts
from memory_structure.records import EndReason, Job, JobState
from memory_structure.registry import Command, Registry
from memory_structure.structure import MemoryStructure


def pause_jobs(
    registry: Registry, corpus_id: str, structure: MemoryStructure, job_ids: Sequence[int]
) -> list[int]:
    """Let no more be fetched by jobs until they are resumed: those that a worker holds within a second, the
    others at once. The ids of those at work or waiting. Raises NotFound."""
    jobs = structure.list_jobs(ids=list(job_ids))
    active = [job.job_id for job in jobs if job.state in (JobState.PENDING, JobState.RUNNING)]
    workers = registry.command_jobs(corpus_id, active, Command.PAUSE)
    free = [job_id for job_id in active if not workers.get(job_id)]
    reason = "paused by request"
    moved = structure.move_jobs(free, JobState.PAUSED, end=EndReason.PAUSED, reason=reason)
    structure.add_logs([("CRAWL_PAUSED", reason, job_id) for job_id in moved])
    return active


def resume_job(registry: Registry, corpus_id: str, structure: MemoryStructure, job: Job) -> None:
    """Put an unfinished or failed job back into the queue with the order to run. One that a worker holds goes
    on there."""
    if job.state in (JobState.PAUSED, JobState.FAILED):
        structure.move_job(job.job_id, JobState.PENDING, reason="resumed")
    registry.enqueue(corpus_id, job.job_id, start_hosts(job.spec))
    registry.command_job(corpus_id, job.job_id, Command.RUN)
