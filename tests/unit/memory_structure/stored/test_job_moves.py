"""The table of legal moves of a crawl job."""

from __future__ import annotations

import itertools

import pytest

from memory_structure.errors import IllegalTransition
from memory_structure.jobs import ENDED, LEGAL_MOVES, refuse_illegal_move
from memory_structure.records import JobState


def test_every_state_has_a_row() -> None:
    assert set(LEGAL_MOVES) == set(JobState)


@pytest.mark.parametrize(("old", "new"), list(itertools.product(JobState, JobState)))
def test_moves_follow_the_table(old: JobState, new: JobState) -> None:
    if old is new or new in LEGAL_MOVES[old]:
        refuse_illegal_move(1, old, new)
        return
    with pytest.raises(IllegalTransition, match=f"crawl job 1 is {old.value}"):
        refuse_illegal_move(1, old, new)


def test_an_ended_job_is_only_taken_up_again() -> None:
    assert {LEGAL_MOVES[state] for state in ENDED} == {frozenset({JobState.PENDING})}


def test_a_job_cannot_end_while_paused_but_by_a_person_or_a_fault() -> None:
    assert JobState.FINISHED not in LEGAL_MOVES[JobState.PAUSED]
