"""Numbers of entities by status over time, as clients draw them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from memory_structure.stored import session, status_history
from memory_structure.stored.moments import to_micros
from tests.corpus_cases import MOMENT
from tests.unit.hyphe_core.api.conftest import Curator


def test_points_follow_what_was_done(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, MOMENT)
    (point,) = stats(curator)
    assert set(point.values()) == {0}
    first = curator.declare("http://a.com", status="IN")
    (point,) = stats(curator)
    assert point == {
        "total": 1, "in": 1, "in_untagged": 1, "in_uncrawled": 1, "out": 0, "undecided": 0, "discovered": 0,
    }  # fmt: skip
    at(monkeypatch, MOMENT + timedelta(minutes=5))
    curator.call("store.add_webentity_tag_value", first, "USER", "kind", "press")
    curator.declare("http://b.com", status="OUT")
    points = stats(curator)
    assert [(p["total"], p["out"], p["in_untagged"]) for p in points] == [(1, 0, 1), (2, 1, 0)]


def at(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    """It is this moment in the store."""
    for module in (session, status_history):
        monkeypatch.setattr(module, "now_micros", lambda: to_micros(moment))


def stats(curator: Curator) -> list[Any]:
    found = curator.call("store.get_webentities_stats")
    moments = [each.pop("timestamp") for each in found]
    assert moments == sorted(moments)
    return list(found)
