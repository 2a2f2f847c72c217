"""The job that takes crawl jobs back from workers that are gone."""

from __future__ import annotations

from dataclasses import dataclass

from hyphe_core.crawl.hosts import host_key
from hyphe_core.maintenance.job import (
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    Progress,
    counted,
    maintenance_job,
)
from memory_structure.records import Job, JobState
from memory_structure.registry import HostKey, QueueEntry
from memory_structure.urls import BadUrl, request_url

_OPEN_STATES = (JobState.PENDING, JobState.RUNNING)


@maintenance_job
class ReapJobs(MaintenanceJob):
    """Make the queue and the corpus agree on which jobs are to be done."""

    name = "reap-jobs"
    description = (
        "Free the crawl jobs of workers that are gone, put unfinished jobs that fell out of the queue back "
        "into it, and drop ended ones from it."
    )

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """One note for each job touched."""
        progress("queue and workers", 0, None)
        if not dry_run:
            freed = {
                entry.job_id for entry in context.registry.reap() if entry.corpus_id == context.corpus_id
            }
        else:
            freed = {entry.job_id for entry in _held_by_the_dead(context)}
        amiss = _compare(context)
        if not dry_run:
            _put_right(context, amiss)
        notes = [
            *(f"job {job_id}: freed from a worker that is gone" for job_id in sorted(freed)),
            *(f"job {job.job_id}: back in the queue" for job in amiss.lost),
            *(f"job {entry.job_id}: ended, dropped from the queue" for entry in amiss.ended),
        ]
        verb = "would be put right" if dry_run else "put right"
        summary = f"{counted(len(notes), 'job')} {verb}"
        return MaintenanceReport(
            self.name, context.corpus_id, dry_run, summary, len(notes), notes=tuple(notes)
        )


@dataclass(frozen=True, slots=True)
class _Amiss:
    """Unfinished jobs that are not queued, and queued ones that have ended."""

    lost: tuple[Job, ...]
    ended: tuple[QueueEntry, ...]


def _held_by_the_dead(context: MaintenanceContext) -> list[QueueEntry]:
    living = {worker.worker_id for worker in context.registry.list_workers() if worker.alive}
    queue = context.registry.list_queue(context.corpus_id)
    return [entry for entry in queue if entry.worker_id and entry.worker_id not in living]


def _compare(context: MaintenanceContext) -> _Amiss:
    queue = {entry.job_id: entry for entry in context.registry.list_queue(context.corpus_id)}
    unfinished = context.structure.list_jobs(states=_OPEN_STATES)
    paused = context.structure.list_jobs(states=[JobState.PAUSED])
    open_ids = {job.job_id for job in (*unfinished, *paused)}
    return _Amiss(
        lost=tuple(job for job in unfinished if job.job_id not in queue),
        ended=tuple(
            entry for entry in queue.values() if entry.job_id not in open_ids and not entry.worker_id
        ),
    )


def _put_right(context: MaintenanceContext, amiss: _Amiss) -> None:
    for job in amiss.lost:
        context.registry.enqueue(context.corpus_id, job.job_id, start_hosts(job))
    for entry in amiss.ended:
        context.registry.release_job(context.corpus_id, entry.job_id, "", done=True)


def start_hosts(job: Job) -> list[HostKey]:
    """The hosts of a job's start pages, each once; addresses that cannot be asked are passed over."""
    hosts: dict[HostKey, None] = {}
    for url in job.spec.start_urls:
        try:
            hosts[host_key(request_url(url), job.spec.proxy)] = None
        except BadUrl:
            continue
    return list(hosts)
