"""Why a crawl job stands where it stands, in words, and its place in the queue; asked of the registry."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from hyphe_core.clock import monotonic
from memory_structure.records import Job, JobState
from memory_structure.registry import Command, QueueEntry, Registry, WaitingJob, WorkerEntry

_GOOD_SECONDS: Final = 1.0
_MAX_HOSTS_TOLD: Final = 3
_IN_QUEUE: Final = frozenset({JobState.PENDING, JobState.RUNNING})
NO_WORKER: Final = "no worker is running: start one with `hyphe worker`, or with the service"


class Situation(NamedTuple):
    """How a job stands. `position` counts from 1 in the queue of the whole service, None when it does not
    wait there; `n_waiting` is the length of that queue."""

    words: str
    position: int | None = None
    n_waiting: int = 0


JobKey = tuple[str, int]


class _Queue(NamedTuple):
    """The queue at one moment: waiting jobs with their positions, held jobs, workers."""

    read_at: float
    waiting: dict[JobKey, tuple[int, WaitingJob]]
    held: dict[JobKey, QueueEntry]
    workers: dict[str, WorkerEntry]

    def knows(self, key: JobKey) -> bool:
        """Whether it waits or is held."""
        return key in self.waiting or key in self.held


_read: WeakKeyDictionary[Registry, _Queue] = WeakKeyDictionary()
_lock: Final = Lock()


def situations(registry: Registry, corpus_id: str, jobs: Iterable[Job]) -> dict[int, Situation]:
    """Job id -> situation, for jobs of one corpus. The queue is read at most once a second, unless it does
    not know a job that waits: clients ask every other second."""
    jobs = list(jobs)
    alive = {(corpus_id, job.job_id): job for job in jobs if job.state in _IN_QUEUE}
    found = {job.job_id: Situation(job.reason) for job in jobs}
    if alive:
        queue = _queue_that_knows(registry, alive)
        found |= {job.job_id: _situation(queue, key, job) for key, job in alive.items()}
    return found


def _queue_that_knows(registry: Registry, keys: Iterable[JobKey]) -> _Queue:
    with _lock:
        queue = _read.get(registry)
        age = monotonic() - queue.read_at if queue is not None else 0.0
        if queue is None or age > _GOOD_SECONDS or not all(map(queue.knows, keys)):
            queue = _read[registry] = _read_queue(registry)
        return queue


def _read_queue(registry: Registry) -> _Queue:
    waiting = {
        (each.entry.corpus_id, each.entry.job_id): (position, each)
        for position, each in enumerate(registry.list_waiting(), 1)
    }
    held = {(e.corpus_id, e.job_id): e for e in registry.list_queue() if e.worker_id}
    workers = {worker.worker_id: worker for worker in registry.list_workers()}
    return _Queue(monotonic(), waiting, held, workers)


def _situation(queue: _Queue, key: JobKey, job: Job) -> Situation:
    if key in queue.waiting:
        position, waiting = queue.waiting[key]
        words = _waiting_words(queue, position, waiting, key)
        return Situation(words, position, len(queue.waiting))
    if key in queue.held:
        return Situation(_held_words(queue, queue.held[key], job))
    return Situation("it is in no queue: resume it with crawl.resume, or `hyphe crawl --resume`")


def _waiting_words(queue: _Queue, position: int, waiting: WaitingJob, key: JobKey) -> str:
    if waiting.entry.command is not Command.RUN:
        return f"told to {waiting.entry.command.value} before a worker took it"
    if not any(worker.alive for worker in queue.workers.values()):
        return NO_WORKER
    place = "next in the queue" if position == 1 else f"{ordinal(position)} in the queue"
    blocking = [(host, holder) for host, holder in waiting.blocked_by if holder in queue.workers]
    if not blocking:
        return f"{place}, waiting for a free worker"
    told = ", ".join(f"{host.host} held by worker {holder}" for host, holder in blocking[:_MAX_HOSTS_TOLD])
    return f"{place}, waiting for host {told}; only that worker may take it until then"


def _held_words(queue: _Queue, entry: QueueEntry, job: Job) -> str:
    worker = queue.workers.get(entry.worker_id)
    if worker is None or not worker.alive:
        return f"its worker {entry.worker_id} gives no sign of life: another one will take it over"
    if job.state is JobState.PENDING:
        return f"worker {entry.worker_id} is about to begin"
    order = "" if entry.command is Command.RUN else f"; told to {entry.command.value}"
    return f"worker {entry.worker_id} is crawling it ({job.reason}){order}"


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"
