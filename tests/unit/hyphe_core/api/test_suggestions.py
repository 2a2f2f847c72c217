"""Suggested merges of a corpus, with names and reasons."""

from __future__ import annotations

from datetime import UTC, datetime

from memory_structure.records import Batch, Fetch, FetchedPage, JobSpec
from memory_structure.url_cutter import url_to_lru
from tests.unit.hyphe_core.api.conftest import Curator


def test_merges_are_suggested_with_a_reason(curator: Curator) -> None:
    one = curator.declare("http://x.com", name="X", status="IN")
    two = curator.declare("http://m.x.com", name="Mobile X")
    curator.declare("http://z.org")
    (found,) = curator.call("store.suggest_merges")
    assert found["reason"] == "mobile host"
    assert (found["good"], found["old"]) == ({"id": one, "name": "X"}, [{"id": two, "name": "Mobile X"}])
    assert "m.x.com" in found["detail"]
    told = curator.call("store.preview_merge", [two], one)
    assert told["removed_webentities"] == found["old"]


def test_only_entities_of_some_statuses_are_looked_at(curator: Curator) -> None:
    curator.declare("http://x.com", status="OUT")
    curator.declare("http://m.x.com", status="DISCOVERED")
    assert curator.call("store.suggest_merges") == []
    assert len(curator.call("store.suggest_merges", ["out"])) == 1
    assert len(curator.call("store.suggest_merges", "DISCOVERED", 1)) == 1


def test_a_front_page_that_redirects_is_a_reason(curator: Curator) -> None:
    old, new = curator.declare("http://old.com", status="IN"), curator.declare("http://new.org")
    curator.structure.create_job(JobSpec(old, ("http://old.com/",), (url_to_lru("http://old.com/"),)))
    target = url_to_lru("http://new.org/welcome")
    fetch = Fetch(1, datetime(2026, 3, 1, tzinfo=UTC), status=301, redirect_lru=target)
    curator.structure.write_batch(Batch((FetchedPage(url_to_lru("http://old.com/"), (fetch,)),)))
    (found,) = curator.call("store.suggest_merges")
    assert (found["reason"], found["good"]["id"]) == ("redirect", new)
    assert [e["id"] for e in found["old"]] == [old]
