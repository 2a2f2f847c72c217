"""History: what was done is listed, told field by field, and set back."""

from __future__ import annotations

from tests.unit.hyphe_core.api.conftest import Curator


def test_acts_are_listed_newest_first_some_at_a_time(curator: Curator) -> None:
    one, two = curator.declare("http://x.com"), curator.declare("http://y.org")
    curator.call("store.set_webentities_status", [one, two], "IN")
    curator.call("store.rename_webentity", two, "Why")
    kinds = [act["kind"] for act in curator.acts()]
    assert kinds == ["edit", "status", "declare", "declare"]
    first = curator.acts(count=3)
    rest = curator.acts(before=first[-1]["id"])
    assert [act["kind"] for act in first + rest] == kinds
    assert [act["kind"] for act in curator.acts(webentity_id=one)] == ["status", "declare"]
    assert [act["kind"] for act in curator.acts(kinds=["edit", "status"])] == ["edit", "status"]
    status = curator.acts(kinds="status")[0]
    assert (status["webentity_ids"], status["nb_webentities"]) == ([one, two], 2)
    assert status["summary"]
    assert "changes" not in status


def test_an_act_tells_each_field_before_and_after(curator: Curator) -> None:
    one = curator.declare("http://x.com", name="X")
    curator.call("store.rename_webentity", one, "New")
    act = curator.call("history.get", curator.acts()[0]["id"])
    assert {"subject": f"web entity {one}", "field": "name", "before": "X", "after": "New"} in act["changes"]


def test_an_act_is_undone_and_done_again(curator: Curator) -> None:
    one = curator.declare("http://x.com", name="X")
    curator.call("store.rename_webentity", one, "New")
    renaming = curator.acts()[0]["id"]
    undoing = curator.call("history.undo", renaming)
    assert (undoing["kind"], undoing["undoes"]) == ("undo", renaming)
    assert curator.entity(one)["name"] == "X"
    assert curator.call("history.get", renaming)["undone_by"] == undoing["id"]
    curator.call("history.undo", undoing["id"])
    assert curator.entity(one)["name"] == "New"


def test_later_acts_in_the_way_are_named(curator: Curator) -> None:
    one = curator.declare("http://x.com", name="X")
    for name in ("Y", "Z"):
        curator.call("store.rename_webentity", one, name)
    later, earlier, _ = curator.acts()
    answer = curator.refusal("history.undo", earlier["id"])
    assert answer["later_acts"] == [later["id"]]
    assert curator.entity(one)["name"] == "Z"


def test_an_unknown_act_is_told(curator: Curator) -> None:
    for name in ("history.get", "history.undo"):
        assert "99" in curator.refusal(name, 99)["message"]
