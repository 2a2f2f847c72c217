"""States of a crawl job as tables: the legal moves, the two statuses that Hyphe's clients know, and what is
said when nobody gave a reason."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from memory_structure.errors import IllegalTransition
from memory_structure.records import EndReason, Job, JobState

_P, _R, _S = JobState.PENDING, JobState.RUNNING, JobState.PAUSED
_F, _C, _X = JobState.FINISHED, JobState.CANCELED, JobState.FAILED

# A running job whose worker died goes back to PENDING; an ended one may be taken up again (resumed) from
# PENDING.
LEGAL_MOVES: Final = MappingProxyType(
    {
        _P: frozenset({_R, _S, _F, _C, _X}),
        _R: frozenset({_P, _S, _F, _C, _X}),
        _S: frozenset({_P, _R, _C, _X}),
        _F: frozenset({_P}),
        _C: frozenset({_P}),
        _X: frozenset({_P}),
    }
)
ENDED: Final = frozenset({_F, _C, _X})


class CrawlingStatus(StrEnum):
    """The first of Hyphe's statuses. UNCRAWLED belongs to entities without a job; RETRIED never occurs here:
    a crawl is not begun again behind the user's back."""

    UNCRAWLED = "UNCRAWLED"
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    CANCELED = "CANCELED"
    RETRIED = "RETRIED"


class IndexingStatus(StrEnum):
    """The second. Pages are indexed in the transaction that stores them: BATCH_CRASHED never occurs here,
    since a batch is stored whole or not at all."""

    UNINDEXED = "UNINDEXED"
    PENDING = "PENDING"
    BATCH_RUNNING = "BATCH_RUNNING"
    BATCH_FINISHED = "BATCH_FINISHED"
    BATCH_CRASHED = "BATCH_CRASHED"
    FINISHED = "FINISHED"


class Statuses(NamedTuple):
    """Both statuses of a job or an entity."""

    crawling: CrawlingStatus
    indexing: IndexingStatus


_CRAWL, _INDEX = CrawlingStatus, IndexingStatus
NO_JOB: Final = Statuses(_CRAWL.UNCRAWLED, _INDEX.UNINDEXED)

# State -> statuses before the first page is stored, statuses from then on.
# A failed crawl is over for clients, which judge it by its pages; `state` and `reason` say the rest.
STATUSES: Final = MappingProxyType(
    {
        _P: (Statuses(_CRAWL.PENDING, _INDEX.PENDING), Statuses(_CRAWL.PENDING, _INDEX.BATCH_FINISHED)),
        _S: (Statuses(_CRAWL.PENDING, _INDEX.PENDING), Statuses(_CRAWL.PENDING, _INDEX.BATCH_FINISHED)),
        _R: (Statuses(_CRAWL.RUNNING, _INDEX.PENDING), Statuses(_CRAWL.RUNNING, _INDEX.BATCH_RUNNING)),
        _F: (Statuses(_CRAWL.FINISHED, _INDEX.FINISHED), Statuses(_CRAWL.FINISHED, _INDEX.FINISHED)),
        _X: (Statuses(_CRAWL.FINISHED, _INDEX.FINISHED), Statuses(_CRAWL.FINISHED, _INDEX.FINISHED)),
        _C: (Statuses(_CRAWL.CANCELED, _INDEX.FINISHED), Statuses(_CRAWL.CANCELED, _INDEX.FINISHED)),
    }
)

_END_WORDS: Final = MappingProxyType(
    {
        EndReason.COMPLETE: "every page within reach was fetched",
        EndReason.MAX_PAGES: "the page budget is used up",
        EndReason.MAX_BYTES: "the byte budget is used up",
        EndReason.TIME_LIMIT: "the time limit is reached",
        EndReason.CANCELED: "canceled by request",
        EndReason.PAUSED: "paused by request",
        EndReason.NO_START_PAGE: "no start page could be fetched",
        EndReason.FAULT: "a fault of the program or of its store ended it",
    }
)
_STATE_WORDS: Final = MappingProxyType(
    {
        _P: "waiting in the queue for a worker",
        _R: "a worker is crawling it",
        _S: "laid aside until it is resumed",
        _F: "ended",
        _C: "canceled",
        _X: "ended by a fault that left no words",
    }
)


def refuse_illegal_move(job_id: int, old: JobState, new: JobState) -> None:
    """Raise IllegalTransition unless a job may go from one state to the other; to stay is legal."""
    if old is not new and new not in LEGAL_MOVES[old]:
        legal = ", ".join(sorted(LEGAL_MOVES[old]))
        raise IllegalTransition(f"crawl job {job_id} is {old.value}: it may become {legal}, not {new.value}")


def statuses_of(job: Job | None) -> Statuses:
    """Hyphe's two statuses of a job; those of an entity without one for None."""
    if job is None:
        return NO_JOB
    return STATUSES[job.state][job.counters.n_pages > 0]


def default_reason(state: JobState, end: EndReason) -> str:
    """What is said of a state when nobody gave a reason."""
    return _END_WORDS.get(end) or _STATE_WORDS[state]
