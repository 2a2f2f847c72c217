"""Crawl jobs as the command line handles them: launched, continued, laid aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_structure.records import EndReason, JobState
from memory_structure.registry import Command, Registry
from memory_structure.structure import MemoryStructure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hyphe_core.cli.crawl_plan import CrawlWish, Target

# A failed job is taken up again too: its fault may be gone. One that was cancelled stays so.
_RESUMABLE = (JobState.PENDING, JobState.RUNNING, JobState.PAUSED, JobState.FAILED)


def launch_jobs(registry: Registry, corpus_id: str, wish: CrawlWish, targets: Sequence[Target]) -> list[int]:
    """Put new crawl jobs into the queue; their ids, in order. What was not said is the corpus' choice."""
    from hyphe_core.crawl.launch import CrawlChoices, CrawlTarget, launch_crawls

    manners = wish.manners
    choices = CrawlChoices(
        depth=wish.depth,
        time_limit_seconds=wish.time_limit_seconds,
        proxy=manners.proxy,
        delay_seconds=manners.delay_seconds,
        per_host=manners.per_host,
        obey_robots=manners.obey_robots,
        obey_crawl_delay=manners.obey_crawl_delay,
        allow_private_networks=manners.allow_private_networks,
        trusts_proxy=True,
        order=wish.order,
    )
    wanted = [CrawlTarget(each.web_entity_id, each.urls, max_pages=each.max_pages) for each in targets]
    jobs = launch_crawls(registry, corpus_id, wanted, config=wish.config, choices=choices)
    return [job.job_id for job in jobs]


def resume_jobs(registry: Registry, corpus_id: str, structure: MemoryStructure) -> list[int]:
    """Put every unfinished job of a corpus back into the queue with the order to run; their ids, rising.

    Idempotent: a job that a worker holds goes on as it is.
    """
    from hyphe_core.crawl.pausing import resume_job
    from hyphe_core.maintenance import open_context, run_maintenance

    run_maintenance("reap-jobs", open_context(registry, corpus_id))
    jobs = structure.list_jobs(states=_RESUMABLE)
    for job in jobs:
        resume_job(registry, corpus_id, structure, job)
    return [job.job_id for job in jobs]


def lay_aside(
    registry: Registry, corpus_id: str, structure: MemoryStructure, job_ids: Iterable[int], reason: str
) -> None:
    """Pause the unfinished of those jobs, so that no worker takes them up before they are resumed."""
    for job in structure.list_jobs(ids=list(job_ids)):
        if job.state in (JobState.PENDING, JobState.RUNNING):
            registry.command_job(corpus_id, job.job_id, Command.PAUSE)
            structure.move_job(job.job_id, JobState.PAUSED, end=EndReason.PAUSED, reason=reason)
