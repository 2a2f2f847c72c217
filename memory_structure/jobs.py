"""States of a crawl job: the table of legal moves."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from memory_structure.errors import IllegalTransition
from memory_structure.records import JobState

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


def refuse_illegal_move(job_id: int, old: JobState, new: JobState) -> None:
    """Raise IllegalTransition unless a job may go from one state to the other; to stay is legal."""
    if old is not new and new not in LEGAL_MOVES[old]:
        legal = ", ".join(sorted(LEGAL_MOVES[old]))
        raise IllegalTransition(f"crawl job {job_id} is {old.value}: it may become {legal}, not {new.value}")
