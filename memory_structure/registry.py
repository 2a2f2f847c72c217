"""The contract of the registry: what lies beside the corpora and is shared by all of them.

It knows the corpora, the worker processes, which crawl job is whose, and which worker may talk to which host.
Every claim is a lease: it ends by itself when its holder stops renewing it. Moments are aware UTC."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import BinaryIO, Final, NamedTuple

from memory_structure.blobs import BlobStore
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule
from memory_structure.resolutions import ResolutionKeeping
from memory_structure.structure import MemoryStructure
from memory_structure.tokens import TokenKeeping

WELL_KNOWN_ID: Final = "--hyphe--"  # what clients call the corpus of a single-corpus service


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


class DestroyedCorpus(NamedTuple):
    """A corpus in the trash. `destroyed_id` names it there; its corpus id and name may be in use again."""

    destroyed_id: str
    corpus_id: str
    name: str
    created_at: datetime
    destroyed_at: datetime


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup holds. `n_lost_bodies` are named by pages, and could not be read."""

    n_rows: int
    n_bodies: int
    n_lost_bodies: int


class BackupHead(NamedTuple):
    """What a backup says of itself: name of the corpus, when it was written, whether the corpus had a
    password."""

    name: str
    written_at: str
    is_protected: bool


# Called with what is being written or read, and how many records of it are done.
BackupProgress = Callable[[str, int], None]


def unwatched(_what: str, _done: int) -> None:
    """A progress that nobody watches."""


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


class WaitingJob(NamedTuple):
    """A job that no worker holds. `blocked_by`: its start hosts that living workers hold, with their ids:
    until those let go, only they may take the job. `n_running`: jobs of its corpus that workers hold."""

    entry: QueueEntry
    blocked_by: tuple[tuple[HostKey, str], ...]
    n_running: int


class Registry(TokenKeeping, ResolutionKeeping):
    """Corpora, queue, workers, host leases. Safe to use from several threads and processes."""

    # -- corpora
    @abstractmethod
    def create_corpus(
        self,
        name: str,
        options: CorpusOptions,
        password_hash: str = "",
        rules: Sequence[CreationRule] = (),
    ) -> CorpusEntry:
        """Create a corpus and its store, with creation rules beside the default one. Raises AlreadyExists for
        a name in use, InvalidValue for an empty one."""

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
    def empty_corpus(self, corpus_id: str) -> DestroyedCorpus:
        """Leave a corpus with its name, password, options and rules, and nothing else. What it held is in the
        trash. Raises StoreLocked as `destroy_corpus`."""

    @abstractmethod
    def trash_corpus(self, corpus_id: str) -> DestroyedCorpus:
        """Take a corpus away so that it can be brought back; its id and name are free at once. Raises
        StoreLocked as `destroy_corpus`."""

    @abstractmethod
    def list_destroyed(self) -> list[DestroyedCorpus]:
        """Corpora in the trash, the last one destroyed first."""

    @abstractmethod
    def get_destroyed(self, destroyed: str) -> DestroyedCorpus:
        """What is in the trash under that id; else the last one destroyed of that corpus id or name."""

    @abstractmethod
    def undestroy_corpus(self, destroyed_id: str, name: str | None = None) -> CorpusEntry:
        """Bring a corpus back from the trash, not started, with its password. Raises NotFound, AlreadyExists
        when its name (or the one given instead) is in use. Its id may be another one."""

    @abstractmethod
    def purge_destroyed(self, until: datetime | None = None) -> list[DestroyedCorpus]:
        """Remove for good what was destroyed until that moment (None: everything in the trash), and the
        remains of corpora whose making was interrupted."""

    @abstractmethod
    def purge_corpus(self, destroyed_id: str) -> None:
        """Remove one of the trash for good. Raises NotFound."""

    @abstractmethod
    def backup_corpus(
        self, corpus_id: str, file: BinaryIO, *, written_by: str = "", progress: BackupProgress = unwatched
    ) -> BackupReport:
        """Write everything of a corpus but its secrets (password, cookies, credentials of proxies) as one
        stream, as it is at one moment, while others read and write; on MongoDB writers wait while the tables,
        not the bodies, are written. Memory stays flat."""

    @abstractmethod
    def describe_backup(self, file: BinaryIO) -> BackupHead:
        """What a backup says of itself. Raises UnusableBackup."""

    @abstractmethod
    def restore_corpus(
        self,
        file: BinaryIO,
        *,
        name: str | None = None,
        password_hash: str = "",
        progress: BackupProgress = unwatched,
    ) -> CorpusEntry:
        """Make a new corpus of a backup (a file that can be read from any place), under its name or another.

        All or nothing, also when the process is killed. Crawl jobs that had not ended are paused. Raises
        UnusableBackup for what is no backup, damaged or newer; AlreadyExists for a name in use."""

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
    def enqueue_many(self, corpus_id: str, jobs: Sequence[tuple[int, Sequence[HostKey]]]) -> None:
        """Offer several jobs (id, start hosts) at once, in order."""

    @abstractmethod
    def list_waiting(self) -> list[WaitingJob]:
        """Free jobs of all corpora in the order in which workers will take them (fewest running jobs of the
        corpus first, then oldest); those with another command than RUN behind, by age."""

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
    def command_jobs(self, corpus_id: str, job_ids: Sequence[int], command: Command) -> dict[int, str]:
        """Leave an order for several jobs at once: job id -> its worker ("" for none) of those queued."""

    @abstractmethod
    def release_job(self, corpus_id: str, job_id: int, worker_id: str, *, done: bool) -> None:
        """Give a job back: `done` removes it from the queue, otherwise another worker may take it."""

    @abstractmethod
    def release_jobs(self, corpus_id: str, job_ids: Sequence[int], worker_id: str, *, done: bool) -> None:
        """Give several jobs back at once; those that another worker holds are left alone."""

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
