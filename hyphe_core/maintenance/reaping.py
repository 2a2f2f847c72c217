"""The job that takes crawl jobs back from workers that are gone."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hyphe_core.crawl.launch import start_hosts
from hyphe_core.maintenance.job import (
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    Progress,
    counted,
    maintenance_job,
)
from memory_structure.records import Job, JobState
from memory_structure.registry import QueueEntry, Registry, WorkerEntry

_UNFINISHED = (JobState.PENDING, JobState.RUNNING, JobState.PAUSED)


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
        freed = _held_by_the_dead(context)
        if not dry_run:
            free_dead_workers(context.registry)
        amiss = _compare(context, freed)
        if not dry_run:
            _put_right(context, amiss)
        notes = tuple(_notes(freed, amiss))
        summary = f"{counted(len(notes), 'job')} {'would be put right' if dry_run else 'put right'}"
        return MaintenanceReport(self.name, context.corpus_id, dry_run, summary, len(notes), notes=notes)


def free_dead_workers(registry: Registry) -> None:
    """Free what workers held whose lease ran out, or whose process on this machine is no more."""
    for worker in registry.list_workers():
        if _is_gone(worker):
            registry.drop_worker(worker.worker_id)
    registry.reap()


def _is_gone(worker: WorkerEntry) -> bool:
    """Whether it is a process of this machine that has ended (a lease may outlast it for a while)."""
    if worker.machine != socket.gethostname():
        return False
    try:
        os.kill(worker.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _is_zombie(worker.pid)


def _is_zombie(pid: int) -> bool:
    """Whether a process has ended and only waits to be collected by its parent; False where that cannot be
    told."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return False
    return state[:1] == ["Z"]


@dataclass(frozen=True, slots=True)
class _Amiss:
    """Unfinished jobs that are not queued, jobs that run nowhere, and queued ones that have ended."""

    lost: tuple[Job, ...]
    stranded: tuple[Job, ...]
    ended: tuple[QueueEntry, ...]


def _notes(freed: set[int], amiss: _Amiss) -> Iterator[str]:
    for job_id in sorted(freed):
        yield f"job {job_id}: freed from a worker that is gone"
    for job in amiss.lost:
        yield f"job {job.job_id}: back in the queue"
    for job in amiss.stranded:
        yield f"job {job.job_id}: ran nowhere, waits again"
    for entry in amiss.ended:
        yield f"job {entry.job_id}: ended, dropped from the queue"


def _held_by_the_dead(context: MaintenanceContext) -> set[int]:
    workers = context.registry.list_workers()
    living = {worker.worker_id for worker in workers if worker.alive and not _is_gone(worker)}
    queue = context.registry.list_queue(context.corpus_id)
    return {entry.job_id for entry in queue if entry.worker_id and entry.worker_id not in living}


def _compare(context: MaintenanceContext, freed: set[int]) -> _Amiss:
    """The queue against the jobs; `freed` count as held by nobody, also when they were not freed (dry
    run)."""
    queue = {entry.job_id: entry for entry in context.registry.list_queue(context.corpus_id)}
    held = {entry.job_id for entry in queue.values() if entry.worker_id} - freed
    unfinished = context.structure.list_jobs(states=_UNFINISHED)
    open_ids = {job.job_id for job in unfinished}
    waiting = [job for job in unfinished if job.state is not JobState.PAUSED]
    return _Amiss(
        lost=tuple(job for job in waiting if job.job_id not in queue),
        stranded=tuple(job for job in waiting if job.state is JobState.RUNNING and job.job_id not in held),
        ended=tuple(e for e in queue.values() if e.job_id not in open_ids and e.job_id not in held),
    )


def _put_right(context: MaintenanceContext, amiss: _Amiss) -> None:
    for job in amiss.stranded:
        context.structure.move_job(
            job.job_id, JobState.PENDING, reason="its worker is gone; waits for another"
        )
    for job in amiss.lost:
        context.registry.enqueue(context.corpus_id, job.job_id, start_hosts(job.spec))
    for entry in amiss.ended:
        context.registry.release_job(context.corpus_id, entry.job_id, entry.worker_id, done=True)
