"""Numbers of entities by status over time: one point for each minute in which one changed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_structure.records import WebEntityStatus
from memory_structure.stored import entity_store, session, status_history
from memory_structure.stored.moments import to_micros
from memory_structure.stored.structure import StoredMemoryStructure
from tests.corpus_cases import MOMENT, SPEC, batch, fetch, lru, page


class Clock:
    def __init__(self) -> None:
        self.now = MOMENT

    def micros(self) -> int:
        return to_micros(self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (session, status_history, entity_store):
        monkeypatch.setattr(module, "now_micros", clock.micros, raising=False)
    return clock


def test_a_minute_has_one_point_as_of_its_last_change(clock: Clock, structure: StoredMemoryStructure) -> None:
    assert structure.list_status_points() == []
    first = structure.declare_web_entity([lru("a.com")])
    clock.now += timedelta(seconds=5)
    structure.set_statuses([first.web_entity_id], WebEntityStatus.IN)
    (point,) = structure.list_status_points()
    assert (point.counted_at, point.n_in, point.n_discovered) == (clock.now, 1, 0)
    clock.now += timedelta(minutes=3)
    structure.edit_web_entity(first.web_entity_id, note="no number changes")
    assert len(structure.list_status_points()) == 1
    structure.declare_web_entity([lru("b.com")], status=WebEntityStatus.OUT)
    assert [(p.n_in, p.n_out) for p in structure.list_status_points()] == [(1, 0), (1, 1)]


def test_crawls_count_too(clock: Clock, structure: StoredMemoryStructure) -> None:
    structure.create_job(SPEC)
    later = MOMENT + timedelta(hours=1)
    structure.write_batch(batch(page(lru("a.com"), lru("b.com"))))
    structure.write_batch(batch(page(lru("c.com"), attempts=[fetch(fetched_at=later)])))
    assert [(p.counted_at, p.n_discovered) for p in structure.list_status_points()] == [
        (MOMENT, 2),
        (later, 3),
    ]


def test_what_is_lacking_is_noted_when_it_changes(clock: Clock, structure: StoredMemoryStructure) -> None:
    structure.declare_web_entity([lru("a.com")], status=WebEntityStatus.IN)
    version = structure.version()
    structure.note_lacks(1, 1)
    assert structure.version() == version
    clock.now += timedelta(minutes=1)
    structure.note_lacks(1, 1)
    structure.declare_web_entity([lru("b.com")], status=WebEntityStatus.IN)
    clock.now += timedelta(minutes=1)
    structure.note_lacks(2, 1)
    points = [(p.n_in, p.n_in_untagged, p.n_in_uncrawled) for p in structure.list_status_points()]
    assert points == [(1, 1, 1), (2, None, None), (2, 2, 1)]


def test_a_change_keeps_what_was_noted_in_its_minute(clock: Clock, structure: StoredMemoryStructure) -> None:
    structure.declare_web_entity([lru("a.com")], status=WebEntityStatus.IN)
    structure.note_lacks(1, 0)
    structure.declare_web_entity([lru("b.com")])
    (point,) = structure.list_status_points()
    assert (point.n_discovered, point.n_in_untagged, point.n_in_uncrawled) == (1, 1, 0)
