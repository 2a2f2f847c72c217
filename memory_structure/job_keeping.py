"""The contract of crawl jobs and of the log of a corpus: a part of `MemoryStructure`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from memory_structure.records import (
    EndReason,
    Job,
    JobOutcomes,
    JobPage,
    JobSpec,
    JobState,
    LinkKind,
    LogEntry,
)


class JobKeeping(ABC):
    """Crawl jobs, what they did, and the log."""

    @abstractmethod
    def create_job(self, spec: JobSpec) -> Job:
        """Store a job, PENDING. Ids rise from 1 and are never reused."""

    @abstractmethod
    def create_jobs(self, specs: Sequence[JobSpec]) -> list[Job]:
        """Store several jobs, PENDING, in order: all or none."""

    @abstractmethod
    def get_job(self, job_id: int) -> Job:
        """The job of that id."""

    @abstractmethod
    def list_jobs(
        self,
        *,
        ids: Sequence[int] | None = None,
        web_entity_id: int | None = None,
        states: Sequence[JobState] | None = None,
    ) -> list[Job]:
        """Jobs by id."""

    @abstractmethod
    def move_job(
        self,
        job_id: int,
        state: JobState,
        *,
        end: EndReason = EndReason.NONE,
        reason: str = "",
        active_seconds: float | None = None,
    ) -> Job:
        """Change a job's state by the table of legal moves (IllegalTransition otherwise); sets started_at and
        ended_at. Moving to the state it is in already changes only what is given. A move without a reason
        takes the words of `memory_structure.jobs.default_reason`."""

    @abstractmethod
    def move_jobs(
        self, job_ids: Sequence[int], state: JobState, *, end: EndReason = EndReason.NONE, reason: str = ""
    ) -> list[int]:
        """Change the state of several jobs at once; the ids of those changed, in order. Jobs that are in that
        state already or may not come to it are passed over. Raises NotFound, before anything is changed."""

    @abstractmethod
    def set_job_reviewed(self, job_id: int, reviewed: bool, *, note: str = "", actor: str = "") -> Job:
        """Mark a job as looked at, or not, with a note and who says so; what was noted before is replaced."""

    @abstractmethod
    def iter_job_pages(self, job_id: int) -> Iterator[JobPage]:
        """Pages this job has done (final attempts), in the order stored."""

    @abstractmethod
    def outlink_targets(self, lrus: Sequence[str]) -> dict[str, list[tuple[str, LinkKind, str | None]]]:
        """For each page: (target LRU, kind, raw URL or None) of its stored links. What a crawl expands
        again."""

    @abstractmethod
    def job_quality(self, job_id: int) -> dict[str, int]:
        """Numbers of final attempts of a job by outcome: a status ("200", "404") or an error ("robots",
        "timeout")."""

    @abstractmethod
    def job_outcomes(self, job_id: int) -> JobOutcomes:
        """What the final attempts of a job came to, counted in one pass."""

    @abstractmethod
    def add_log(self, kind: str, message: str, job_id: int | None = None) -> None:
        """Append a line to the log."""

    @abstractmethod
    def add_logs(self, lines: Sequence[tuple[str, str, int | None]]) -> None:
        """Append lines (kind, message, job id) to the log, at one moment."""

    @abstractmethod
    def iter_logs(self, *, job_id: int | None = None, limit: int | None = None) -> Iterator[LogEntry]:
        """Log lines, oldest first (the newest `limit` of them); of one job, or all."""
