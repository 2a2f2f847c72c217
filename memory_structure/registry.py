"""The contract of the registry: what lies beside the corpora and is shared by all of them.

It knows the corpora, the worker processes, which crawl job is whose, and which worker may talk to which host.
Every claim is a lease: it ends by itself when its holder stops renewing it. Moments are aware UTC."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from memory_structure.blobs import BlobStore
from memory_structure.corpus_records import CorpusOptions
from memory_structure.structure import MemoryStructure
from memory_structure.tokens import TokenKeeping


class Command(StrEnum):
    """What a worker is told to do with a job it holds."""

    RUN = "run"
    PAUSE = "pause"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """A corpus as the registry knows it. `corpus_id` is derived from the name. `password_hash` is empty when
    open. `started` tells whether clients have opened it; crawls go on regardless."""

    corpus_id: str
    name: str
    password_hash: str
    created_at: datetime
    last_activity_at: datetime
    started: bool


class QueueEntry(NamedTuple):
    """A job waiting for a worker or held by one (`worker_id` empty when free)."""

    corpus_id: str
    job_id: int
    command: Command
    worker_id: str
    queued_at: datetime


class WorkerEntry(NamedTuple):
    """A worker process. `alive` is False when its lease has run out."""

    worker_id: str
    machine: str
    pid: int
    started_at: datetime
    alive: bool


class HostKey(NamedTuple):
    """What politeness is counted by: the proxy ("" for none) and host:port as the client connects to it."""

    proxy: str
    host: str


class Registry(TokenKeeping):
    """Corpora, queue, workers, host leases. Safe to use from several threads and processes."""

    # -- corpora
    @abstractmethod
    def create_corpus(self, name: str, options: CorpusOptions, password_hash: str = "") -> CorpusEntry:
        """Create a corpus and its store. Raises AlreadyExists for a name in use, InvalidValue for an empty
        one."""

    @abstractmethod
    def get_corpus(self, corpus: str) -> CorpusEntry:
        """The corpus of that id, else of that name."""

    @abstractmethod
    def list_corpora(self) -> list[CorpusEntry]:
        """All corpora by id."""

    @abstractmethod
    def rename_corpus(self, corpus_id: str, name: str) -> CorpusEntry:
        """Change the name; the id stays."""

    @abstractmethod
    def set_started(self, corpus_id: str, started: bool) -> None:
        """Note whether clients have the corpus open."""

    @abstractmethod
    def touch_corpus(self, corpus_id: str) -> None:
        """Note activity (at most one write a second)."""

    @abstractmethod
    def destroy_corpus(self, corpus_id: str) -> None:
        """Remove a corpus, its store, its bodies and its queue for good. Raises StoreLocked while a worker
        holds one of its jobs."""

    @abstractmethod
    def open_structure(self, corpus_id: str) -> MemoryStructure:
        """The memory structure of a corpus; one shared instance a process."""

    @abstractmethod
    def open_blobs(self, corpus_id: str) -> BlobStore:
        """The bodies of a corpus."""

    # -- queue
    @abstractmethod
    def enqueue(self, corpus_id: str, job_id: int, hosts: Sequence[HostKey]) -> None:
        """Offer a job to the workers; `hosts` are those of its start pages. Queued twice is once."""

    @abstractmethod
    def claim_jobs(
        self, worker_id: str, limit: int, lease_seconds: float, only: tuple[str, int] | None = None
    ) -> list[QueueEntry]:
        """Take up to `limit` free jobs with command RUN (fewest running jobs of the corpus first, then
        oldest), but none whose start hosts are leased by another living worker. `only` restricts to one
        (corpus, job)."""

    @abstractmethod
    def list_queue(self, corpus_id: str | None = None) -> list[QueueEntry]:
        """The queue, oldest first."""

    @abstractmethod
    def command_job(self, corpus_id: str, job_id: int, command: Command) -> bool:
        """Leave an order for the worker that holds (or will take) a job; False when it is not queued."""

    @abstractmethod
    def release_job(self, corpus_id: str, job_id: int, worker_id: str, *, done: bool) -> None:
        """Give a job back: `done` removes it from the queue, otherwise another worker may take it."""

    # -- workers and hosts
    @abstractmethod
    def beat(self, worker_id: str, machine: str, pid: int, lease_seconds: float) -> list[QueueEntry]:
        """Register or renew a worker with all its job and host leases; answers the jobs it holds, with their
        commands. A job it thought it held and that is absent was taken away: it must stop it without
        writing."""

    @abstractmethod
    def list_workers(self) -> list[WorkerEntry]:
        """Workers by id."""

    @abstractmethod
    def drop_worker(self, worker_id: str) -> None:
        """Forget a worker and free what it held (its end was orderly, or its process is known dead)."""

    @abstractmethod
    def reap(self) -> list[QueueEntry]:
        """Free what workers hold whose lease ran out; the jobs that became free."""

    @abstractmethod
    def lease_hosts(
        self, worker_id: str, hosts: Sequence[HostKey], lease_seconds: float
    ) -> dict[HostKey, float]:
        """Take hosts nobody else holds. Answers those granted, each with the seconds to wait before the first
        request (the delay the last holder left). A host refused is marked as wanted."""

    @abstractmethod
    def release_hosts(self, worker_id: str, hosts: Sequence[tuple[HostKey, float]]) -> None:
        """Give hosts back, each with the seconds until it may be asked again."""

    @abstractmethod
    def wanted_hosts(self, worker_id: str) -> list[HostKey]:
        """Hosts this worker holds and another one waits for."""

    @abstractmethod
    def close(self) -> None:
        """Release everything opened here."""
