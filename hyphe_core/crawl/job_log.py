"""The log of crawl jobs, filtered: by job, by web entity, by kind, words and time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_structure.records import LogEntry
from memory_structure.structure import MemoryStructure


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which lines are wanted. `job_ids` None: of all jobs, and of the corpus itself. `kinds` are words such
    as CRAWL_FINISHED, or their beginnings, in any case; `text` is looked for in kind and message, in any
    case."""

    job_ids: tuple[int, ...] | None = None
    kinds: tuple[str, ...] = ()
    text: str = ""
    since: datetime | None = None
    until: datetime | None = None

    def wants(self, entry: LogEntry) -> bool:
        """Whether a line passes, its job left aside."""
        in_time = (self.since is None or entry.logged_at >= self.since) and (
            self.until is None or entry.logged_at <= self.until
        )
        kinds = tuple(kind.upper() for kind in self.kinds)
        in_kind = not kinds or entry.kind.upper().startswith(kinds)
        words = f"{entry.kind} {entry.message}".casefold()
        return in_time and in_kind and self.text.casefold() in words


def iter_log(structure: MemoryStructure, wanted: LogFilter) -> Iterator[LogEntry]:
    """Lines of the log that pass, oldest first."""
    if wanted.job_ids is None:
        lines = structure.iter_logs()
    else:
        each = [structure.iter_logs(job_id=job_id) for job_id in wanted.job_ids]
        lines = iter(heapq.merge(*each, key=lambda entry: entry.logged_at))
    return (entry for entry in lines if wanted.wants(entry))


def jobs_of_entity(structure: MemoryStructure, web_entity_id: int) -> Sequence[int]:
    """The crawl jobs of an entity, rising. Raises NotFound."""
    structure.get_web_entity(web_entity_id)
    return [job.job_id for job in structure.list_jobs(web_entity_id=web_entity_id)]
