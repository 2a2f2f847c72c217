"""Crawl jobs as the command line handles them: launched, continued, laid aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_structure.records import EndReason, Job, JobState
from memory_structure.registry import Command, Registry
from memory_structure.structure import MemoryStructure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hyphe_core.cli.crawl_plan import CrawlWish, Target

# A failed job is taken up again too: its fault may be gone. One that was cancelled stays so.
_RESUMABLE = (JobState.PENDING, JobState.RUNNING, JobState.PAUSED, JobState.FAILED)


def launch_job(registry: Registry, corpus_id: str, wish: CrawlWish, target: Target) -> int:
    """Put a new crawl job into the queue; its id. What was not said is the corpus' choice."""
    from hyphe_core.crawl.launch import launch_crawl

    job = launch_crawl(
        registry,
        corpus_id,
        target.web_entity_id,
        config=wish.config,
        depth=wish.depth,
        start_urls=target.urls,
        max_pages=target.max_pages,
        time_limit_seconds=wish.time_limit_seconds,
        proxy=wish.manners.proxy,
        delay_seconds=wish.manners.delay_seconds,
        per_host=wish.manners.per_host,
        obey_robots=wish.manners.obey_robots,
        obey_crawl_delay=wish.manners.obey_crawl_delay,
        allow_private_networks=wish.manners.allow_private_networks,
    )
    return job.job_id


def resume_jobs(registry: Registry, corpus_id: str, structure: MemoryStructure) -> list[int]:
    """Put every unfinished job of a corpus back into the queue with the order to run; their ids, rising.

    Idempotent: a job that a worker holds goes on as it is.
    """
    from hyphe_core.maintenance import open_context, run_maintenance

    run_maintenance("reap-jobs", open_context(registry, corpus_id))
    jobs = structure.list_jobs(states=_RESUMABLE)
    for job in jobs:
        _resume(registry, corpus_id, structure, job)
    return [job.job_id for job in jobs]


def _resume(registry: Registry, corpus_id: str, structure: MemoryStructure, job: Job) -> None:
    from hyphe_core.crawl.launch import start_hosts

    if job.state in (JobState.PAUSED, JobState.FAILED):
        structure.move_job(job.job_id, JobState.PENDING, reason="resumed")
    registry.enqueue(corpus_id, job.job_id, start_hosts(job.spec))
    registry.command_job(corpus_id, job.job_id, Command.RUN)


def lay_aside(
    registry: Registry, corpus_id: str, structure: MemoryStructure, job_ids: Iterable[int], reason: str
) -> None:
    """Pause the unfinished of those jobs, so that no worker takes them up before they are resumed."""
    for job in structure.list_jobs(ids=list(job_ids)):
        if job.state in (JobState.PENDING, JobState.RUNNING):
            registry.command_job(corpus_id, job.job_id, Command.PAUSE)
            structure.move_job(job.job_id, JobState.PAUSED, end=EndReason.PAUSED, reason=reason)
