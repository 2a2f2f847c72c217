"""The tables of crawl jobs: every state has its moves, its statuses and its words."""

from __future__ import annotations

import itertools

import pytest

from memory_structure.errors import IllegalTransition
from memory_structure.jobs import (
    ENDED,
    LEGAL_MOVES,
    STATUSES,
    CrawlingStatus,
    IndexingStatus,
    default_reason,
    refuse_illegal_move,
    statuses_of,
)
from memory_structure.records import EndReason, JobState


def test_every_state_stands_in_every_table() -> None:
    assert set(LEGAL_MOVES) == set(STATUSES) == set(JobState)
    for state, end in itertools.product(JobState, EndReason):
        assert default_reason(state, end)


def test_from_everywhere_a_job_can_be_taken_up_again_and_ends_are_ends() -> None:
    for state in JobState:
        assert JobState.PENDING in LEGAL_MOVES[state] or state is JobState.PENDING
        assert (LEGAL_MOVES[state] == {JobState.PENDING}) == (state in ENDED)


def test_what_is_not_in_the_table_is_refused() -> None:
    for old, new in itertools.product(JobState, repeat=2):
        if new is old or new in LEGAL_MOVES[old]:
            refuse_illegal_move(1, old, new)
        else:
            with pytest.raises(IllegalTransition, match=f"crawl job 1 is {old.value}"):
                refuse_illegal_move(1, old, new)


def test_statuses_go_forward_with_every_move_but_a_resumption() -> None:
    """Clients show a bar by the first status: it never falls back while a job goes on."""
    place = {
        CrawlingStatus.PENDING: 0,
        CrawlingStatus.RUNNING: 1,
        CrawlingStatus.FINISHED: 2,
        CrawlingStatus.CANCELED: 2,
    }
    for old, moves in LEGAL_MOVES.items():
        for new, has_pages in itertools.product(moves, (False, True)):
            before, after = STATUSES[old][has_pages], STATUSES[new][has_pages]
            if new not in (JobState.PENDING, JobState.PAUSED):
                assert place[after.crawling] >= place[before.crawling]


def test_indexing_is_finished_exactly_when_the_crawl_is_over() -> None:
    for state, pair in STATUSES.items():
        for statuses in pair:
            assert (statuses.indexing is IndexingStatus.FINISHED) == (state in ENDED)
            assert statuses.indexing is not IndexingStatus.BATCH_CRASHED
    assert statuses_of(None) == (CrawlingStatus.UNCRAWLED, IndexingStatus.UNINDEXED)
