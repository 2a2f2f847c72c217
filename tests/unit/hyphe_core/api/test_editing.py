"""What a web entity says of itself: status, name, homepage, note, start pages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.hyphe_core.api.conftest import Curator


def test_what_is_null_stays_in_a_basic_edit(curator: Curator) -> None:
    one = curator.declare("http://x.com", name="X", status="IN")
    curator.call("store.basic_edit_webentity", one, None, "out", None)
    curator.call("store.basic_edit_webentity", one, " New ", "", None)
    curator.call("store.basic_edit_webentity", one, "", None, "http://x.com/home")
    entity = curator.entity(one)
    assert (entity["name"], entity["status"], entity["homepage"]) == ("New", "OUT", "http://x.com/home")
    curator.call("store.basic_edit_webentity", one, homepage="")
    assert curator.structure.get_web_entity(one).homepage is None


def test_a_basic_edit_is_one_act(curator: Curator) -> None:
    one = curator.declare("http://x.com", status="IN")
    curator.call("store.basic_edit_webentity", one, "Name", "OUT", "http://x.com/a")
    assert [act["kind"] for act in curator.acts()] == ["edit", "declare"]


def test_a_name_is_trimmed_and_never_empty(curator: Curator) -> None:
    one = curator.declare("http://x.com")
    curator.call("store.rename_webentity", one, "  Ñandú  ")
    assert curator.entity(one)["name"] == "Ñandú"
    assert "empty" in curator.refusal("store.rename_webentity", one, "   ")["message"]


def test_a_homepage_is_a_page_of_the_entity(curator: Curator) -> None:
    one, two = curator.declare("http://x.com"), curator.declare("http://x.com/two")
    curator.call("store.set_webentity_homepage", one, "HTTP://x.com/a#top")
    assert curator.entity(one)["homepage"] == "http://x.com/a"
    assert [p["url"] for p in curator.call("store.get_webentity_pages", one, False)] == ["http://x.com/a"]
    message = curator.refusal("store.set_webentity_homepage", one, "http://x.com/two/a")["message"]
    assert f"belongs to web entity {two}" in message
    assert "no web entity" in curator.refusal("store.set_webentity_homepage", one, "http://y.org")["message"]
    curator.refusal("store.basic_edit_webentity", one, "Changed", None, "http://y.org/")
    assert curator.entity(one)["name"] == "X.com"


def test_a_homepage_that_a_rule_gives_away_is_refused_and_leaves_nothing(curator: Curator) -> None:
    one = curator.declare("http://x.com")
    curator.call("store.add_webentity_creationrule", "s:http|h:com|h:x|", "path-1")
    answer = curator.refusal("store.set_webentity_homepage", one, "http://x.com/member")
    assert "creation rule" in answer["message"]
    assert curator.call("store.get_webentity_pages", one, False) == []
    assert len(curator.call("store.get_webentities", count=-1)) == 1


def test_a_homepage_is_taken_back(curator: Curator) -> None:
    one = curator.declare("http://x.com")
    curator.call("store.set_webentity_homepage", one, "http://x.com/a")
    curator.call("store.set_webentity_homepage", one)
    assert curator.structure.get_web_entity(one).homepage is None


@pytest.mark.parametrize(
    "call",
    [
        ("store.basic_edit_webentity", 99, "Name"),
        ("store.rename_webentity", 99, "Name"),
        ("store.set_webentity_homepage", 99, ""),
        ("store.set_webentity_homepage", 99, "http://x.com"),
        ("store.add_webentity_startpage", 99, "http://x.com"),
        ("store.rm_webentity_startpages", 99, ["http://x.com"]),
    ],
)
def test_an_unknown_entity_is_told(curator: Curator, call: tuple[Any, ...]) -> None:
    assert "99" in curator.refusal(*call)["message"]


def test_statuses_of_many_are_one_act(curator: Curator) -> None:
    ids = [curator.declare(f"http://x{n}.com", status="UNDECIDED") for n in range(3)]
    n_before = len(curator.acts())
    assert len(curator.call("store.set_webentities_status", ids, "OUT")) == 3
    assert len(curator.acts()) == n_before + 1
    answer = curator.refusal("store.set_webentities_status", [ids[0], 99, ids[0], 98], "IN")
    assert answer["errors"] == ["there is no web entity 99", "there is no web entity 98"]
    assert answer["results"] == [f"The status of web entity {ids[0]} is now IN"]
    assert [curator.entity(i)["status"] for i in ids] == ["IN", "OUT", "OUT"]


def test_a_bulk_edit_is_one_act_for_all_or_none(curator: Curator) -> None:
    ids = [curator.declare(f"http://x{n}.com", tags={"USER": {"a": "old"}}) for n in range(2)]
    n_before = len(curator.acts())
    changed = curator.call(
        "store.edit_webentities", ids, "IN", "seen", {"USER": {"a": "new"}}, {"USER": {"a": ["old"]}}
    )
    assert changed == 2
    for i in ids:
        entity = curator.entity(i)
        assert (entity["status"], entity["note"]) == ("IN", "seen")
        assert entity["tags"]["USER"] == {"a": ["new"]}
    assert len(curator.acts()) == n_before + 1
    assert "99" in curator.refusal("store.edit_webentities", [*ids, 99], "OUT")["message"]
    assert curator.entity(ids[0])["status"] == "IN"
    assert curator.call("store.edit_webentities", ids, "IN") == 0
    curator.call("store.edit_webentities", ids[0], note="")
    assert curator.entity(ids[0])["note"] == ""


def test_start_pages_are_kept_as_pages_and_removed_in_any_spelling(curator: Curator) -> None:
    one = curator.declare("http://x.com", startpages=["http://x.com/a"])
    curator.call("store.add_webentity_startpages", one, ["x.com/b", "http://X.com/b#top", "http://x.com/a"])
    assert curator.entity(one)["startpages"] == ["http://x.com/a", "http://x.com/b"]
    curator.call("store.add_webentity_startpage", one, "http://x.com/")
    assert curator.entity(one)["tags"]["CORE-STARTPAGES"]["user"] == curator.entity(one)["startpages"]
    curator.call("store.rm_webentity_startpages", one, ["http://X.com/b#elsewhere"])
    curator.call("store.rm_webentity_startpage", one, "http://x.com")
    assert curator.entity(one)["startpages"] == ["http://x.com/a"]


def test_start_pages_of_others_and_unknown_ones_are_told_and_nothing_changes(curator: Curator) -> None:
    one = curator.declare("http://x.com", startpages=["http://x.com/a"])
    curator.declare("http://x.com/two")
    for urls in (
        ["http://x.com/b", "http://y.org/"],
        ["http://x.com/b", "http://x.com/two/c"],
        ["two words"],
    ):
        curator.refusal("store.add_webentity_startpages", one, urls)
    curator.refusal("store.rm_webentity_startpages", one, ["http://x.com/a", "http://x.com/never"])
    assert curator.entity(one)["startpages"] == ["http://x.com/a"]
