"""The frame of maintenance jobs: what one is, where they are listed, how one is run and logged.

A job is idempotent: run again on an unchanged corpus it changes nothing more. A dry run changes nothing at
all and writes no log.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple, TypeVar

from memory_structure.blobs import BlobStore
from memory_structure.corpus_records import Finding
from memory_structure.errors import NotFound
from memory_structure.records import (
    FetchError,
)
from memory_structure.registry import Registry
from memory_structure.structure import MemoryStructure

# Called with what is being done, how much of it is done, and out of how much (None when not known).
Progress = Callable[[str, int, "int | None"], None]

LOG_KIND = "MAINTENANCE"


@dataclass(frozen=True, slots=True)
class MaintenanceContext:
    """What a job works on: one corpus, its bodies, and the registry it is known to."""

    registry: Registry
    corpus_id: str
    structure: MemoryStructure
    blobs: BlobStore


class RedirectTrail(NamedTuple):
    """Where a redirecting page leads in the end, after `n_hops` redirects. In a loop there is no end:
    `target_lru` is then the first page met twice."""

    lru: str
    target_lru: str
    n_hops: int
    loops: bool


class TwinForm(NamedTuple):
    """One of the pages that are twins, as its last fetch left it: without an answer `status` is None, of a
    page that was never fetched `error` too."""

    lru: str
    fetched: bool
    status: int | None
    error: FetchError | None
    redirect_lru: str | None


@dataclass(frozen=True, slots=True)
class TwinGroup:
    """Pages whose addresses differ in http or https and in www alone, by LRU; two to four."""

    forms: tuple[TwinForm, ...]

    @property
    def n_contents(self) -> int:
        """Forms that gave a page of their own: fetched with status 200, and not sent elsewhere."""
        return sum(1 for form in self.forms if form.status == 200 and form.redirect_lru is None)

    @property
    def has_inner_redirect(self) -> bool:
        """Whether a form redirects to another one."""
        known = {form.lru for form in self.forms}
        return any(form.redirect_lru in known - {form.lru} for form in self.forms)


class DuplicateKind(StrEnum):
    """What pages of a group share: their bytes, or the frequent words of their texts."""

    SAME = "same content"
    ALIKE = "nearly the same words"


class DuplicateGroup(NamedTuple):
    """Pages that share something, by LRU; two or more."""

    kind: DuplicateKind
    lrus: tuple[str, ...]


class MirrorPair(NamedTuple):
    """Two hosts (LRUs up to the host) that share pages: in how many groups they meet, and how many pages each
    has."""

    first: str
    second: str
    n_shared: int
    n_first: int
    n_second: int


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """What a job found and did.

    `summary` is one sentence. `findings` are what differs from what should be, `notes` what is worth
    knowing and no fault. `n_changes` counts the records changed (or that would be, in a dry run). `trails`,
    `twins`, `duplicates` and `mirrors` are what the jobs on those are for.
    """

    job: str
    corpus_id: str
    dry_run: bool
    summary: str
    n_changes: int = 0
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    trails: tuple[RedirectTrail, ...] = ()
    twins: tuple[TwinGroup, ...] = ()
    duplicates: tuple[DuplicateGroup, ...] = ()
    mirrors: tuple[MirrorPair, ...] = ()


class MaintenanceJob(ABC):
    """A job; one class each, without state. `name` is what the command line calls it."""

    name: ClassVar[str]
    description: ClassVar[str]

    @abstractmethod
    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """Do it, or with `dry_run` tell what it would do."""


_JOBS: dict[str, MaintenanceJob] = {}
J = TypeVar("J", bound=type[MaintenanceJob])


def maintenance_job(job: J) -> J:
    """Class decorator: list a job under its name."""
    _JOBS[job.name] = job()
    return job


def list_maintenance_jobs() -> list[MaintenanceJob]:
    """Every job, in the order they were declared."""
    return list(_JOBS.values())


def get_maintenance_job(name: str) -> MaintenanceJob:
    """The job of that name; NotFound names those there are."""
    if name not in _JOBS:
        raise NotFound(f"there is no maintenance job {name!r}; there are {', '.join(_JOBS)}")
    return _JOBS[name]


def silent(_what: str, _done: int, _total: int | None) -> None:
    """A progress that nobody watches."""


def run_maintenance(
    name: str, context: MaintenanceContext, *, dry_run: bool = False, progress: Progress = silent
) -> MaintenanceReport:
    """Run a job and log its start and its end in the corpus; a fault is logged and raised again."""
    job = get_maintenance_job(name)
    if dry_run:
        return job.run(context, dry_run=True, progress=progress)
    context.structure.add_log(LOG_KIND, f"{name}: started")
    try:
        report = job.run(context, dry_run=False, progress=progress)
    except Exception as error:
        context.structure.add_log(LOG_KIND, f"{name}: failed: {error}")
        raise
    context.structure.add_log(LOG_KIND, f"{name}: ended: {report.summary}")
    return report


def open_context(registry: Registry, corpus: str) -> MaintenanceContext:
    """The context of a corpus named by id or name. Raises NotFound."""
    corpus_id = registry.get_corpus(corpus).corpus_id
    return MaintenanceContext(
        registry, corpus_id, registry.open_structure(corpus_id), registry.open_blobs(corpus_id)
    )


def counted(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 page", "2 pages"."""
    return f"{n} {one if n == 1 else many or one + 's'}"
