"""Boundaries of web entities: prefixes move, entities merge, split and go, and it is told before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.hyphe_core.api.conftest import Curator

X = "s:http|h:com|h:x|"
Y = "s:http|h:org|h:y|"


def owners(curator: Curator) -> dict[str, str]:
    """URL -> name of the entity that has the page."""
    found = curator.call("store.get_webentities", count=-1)
    return {
        page["url"]: entity["name"]
        for entity in found
        for page in curator.call("store.get_webentity_pages", entity["id"], False)
    }


# -- prefixes -----------------------------------------------------------------------------------------------


def test_owned_prefixes_above_an_lru_come_longest_first(curator: Curator) -> None:
    one = curator.declare("http://x.com", name="X")
    two = curator.declare("http://x.com/a/b", name="B")
    found = curator.call("store.get_lru_definedprefixes", X + "p:a|p:b|p:c|")
    assert found == [
        {"lru": X + "p:a|p:b|", "stems_count": 5, "id": two, "name": "B"},
        {"lru": X, "stems_count": 3, "id": one, "name": "X"},
    ]
    assert [f["id"] for f in curator.call("store.get_lru_definedprefixes", X + "p:a|")] == [one]
    assert curator.call("store.get_lru_definedprefixes", Y) == []


def test_prefixes_are_taken_from_their_owner(curator: Curator) -> None:
    one, two = curator.declare("http://x.com", name="X"), curator.declare("http://y.org", "http://y.org:81")
    curator.pages("http://y.org/page", "http://x.com/page")
    curator.call("store.add_webentity_lruprefixes", one, Y)
    assert curator.entity(one)["prefixes"] == sorted([X, Y])
    assert owners(curator) == {"http://y.org/page": "X", "http://x.com/page": "X"}
    curator.call("store.add_webentity_lruprefixes", one, ["s:http|t:81|h:org|h:y|"])
    assert curator.call("store.get_webentity", two) == []


def test_prefixes_that_say_nothing_are_not_needed(curator: Curator) -> None:
    one = curator.declare("http://x.com")
    answer = curator.call("store.add_webentity_lruprefixes", one, [X, X + "p:a|"])
    assert answer.startswith("No need to add these prefixes")
    assert curator.entity(one)["prefixes"] == [X]
    assert len(curator.acts()) == 1


def test_a_removed_prefix_leaves_its_pages_to_the_next_owner_up(curator: Curator) -> None:
    curator.declare("http://x.com", name="X")
    two = curator.declare("http://x.com/a", "http://x.com/b", name="AB")
    curator.pages("http://x.com/a/1", "http://x.com/b/1")
    curator.call("store.rm_webentity_lruprefix", two, X + "p:a|")
    assert owners(curator) == {"http://x.com/a/1": "X", "http://x.com/b/1": "AB"}
    assert "deleted" in curator.call("store.rm_webentity_lruprefix", two, X + "p:b|")
    assert owners(curator) == {"http://x.com/a/1": "X", "http://x.com/b/1": "X"}


def test_prefixes_of_others_are_not_removed(curator: Curator) -> None:
    one, two = curator.declare("http://x.com"), curator.declare("http://y.org")
    curator.refusal("store.rm_webentity_lruprefix", one, Y)
    curator.refusal("store.rm_webentity_lruprefix", one, X + "p:a|")
    assert curator.entity(two)["prefixes"] == [Y]


# -- merging, splitting, deleting ---------------------------------------------------------------------------


def test_a_merge_takes_what_it_is_told_to(curator: Curator) -> None:
    old = curator.declare(
        "http://y.org", name="Old", status="OUT", tags={"USER": {"a": "1"}}, startpages=["http://y.org/s"]
    )
    good = curator.declare("http://x.com", name="Good", status="IN", tags={"USER": {"b": "2"}})
    curator.call("store.merge_webentity_into_another", old, good)
    entity = curator.entity(good)
    assert (entity["name"], entity["status"], entity["startpages"]) == ("Good", "IN", [])
    assert entity["tags"]["USER"] == {"b": ["2"]}
    assert entity["prefixes"] == sorted([X, Y])
    assert curator.call("store.get_webentity", old) == []


def test_a_merge_can_bring_everything_along(curator: Curator) -> None:
    old = curator.declare(
        "http://y.org", name="Old", status="OUT", tags={"USER": {"a": "1"}}, startpages=["http://y.org/s"]
    )
    curator.call("store.set_webentity_homepage", old, "http://y.org/home")
    good = curator.declare("http://x.com", name="Good", status="IN", tags={"USER": {"b": "2"}})
    n_before = len(curator.acts())
    curator.call("store.merge_webentity_into_another", old, good, True, True, True)
    entity = curator.entity(good)
    assert (entity["name"], entity["status"]) == ("Old", "OUT")
    assert set(entity["startpages"]) == {"http://y.org/s", "http://y.org/home"}
    assert entity["tags"]["USER"] == {"a": ["1"], "b": ["2"]}
    assert len(curator.acts()) == n_before + 1


def test_several_are_merged_in_one_act_and_the_others_told(curator: Curator) -> None:
    ids = [curator.declare(f"http://x{n}.com") for n in range(4)]
    n_before = len(curator.acts())
    assert len(curator.call("store.merge_webentities_into_another", ids[:2], ids[3])) == 2
    assert len(curator.acts()) == n_before + 1
    answer = curator.refusal("store.merge_webentities_into_another", [ids[2], 99, ids[3]], ids[3])
    assert answer["errors"] == [
        "there is no web entity 99",
        f"web entity {ids[3]} cannot be merged into itself",
    ]
    assert [e["id"] for e in curator.call("store.get_webentities", count=-1)] == [ids[3]]
    assert len(curator.entity(ids[3])["prefixes"]) == 4


def test_nothing_is_merged_into_itself(curator: Curator) -> None:
    one = curator.declare("http://x.com")
    curator.refusal("store.merge_webentity_into_another", one, one)
    assert curator.entity(one)["prefixes"] == [X]


def test_pages_of_a_deleted_entity_have_an_owner(curator: Curator) -> None:
    one = curator.declare("http://x.com/a", name="A")
    curator.pages("http://x.com/a/1")
    message = curator.call("store.delete_webentity", one)
    assert owners(curator) == {"http://x.com/a/1": "X.com"}
    (left,) = curator.call("store.get_webentities", count=-1)
    assert str(left["id"]) in message


def test_a_split_cuts_known_pages_once(curator: Curator) -> None:
    one = curator.declare("http://x.com", name="X")
    curator.pages("http://x.com/a/1", "http://x.com/b/1", "http://x.com/")
    told = curator.call("store.preview_split", one, "path-1")
    assert (told["dry_run"], told["nb_pages_moved"], told["webentity_ids"]) == (True, 2, [])
    assert len(curator.call("store.get_webentities", count=-1)) == 1
    done = curator.call("store.split_webentity", one, "path-1")
    assert (done["prefixes"], done["nb_pages_moved"]) == (told["prefixes"], 2)
    assert len(set(owners(curator).values())) == 3
    curator.pages("http://x.com/c/1")
    assert owners(curator)["http://x.com/c/1"] == "X"
    curator.refusal("store.split_webentity", one, "into pieces")


# -- what would happen --------------------------------------------------------------------------------------


def moved(told: Any) -> list[tuple[Any, Any, int]]:
    return [
        (c["before"] and c["before"]["id"], c["after"] and c["after"]["id"], c["nb_pages"])
        for c in told["changes"]
    ]


@pytest.fixture
def nested(curator: Curator) -> tuple[int, int]:
    """x.com with its section a, two pages in the section, one beside it."""
    one, two = curator.declare("http://x.com"), curator.declare("http://x.com/a", name="A")
    curator.pages("http://x.com/a/1", "http://x.com/a/2", "http://x.com/b")
    return one, two


def test_a_removal_is_told_before(curator: Curator, nested: tuple[int, int]) -> None:
    one, two = nested
    told = curator.call("store.preview_rm_lruprefix", two, X + "p:a|")
    assert (told["nb_pages_moved"], moved(told)) == (2, [(two, one, 2)])
    assert told["removed_webentities"] == [{"id": two, "name": "A"}]
    assert [s["url"] for s in told["samples"]] == ["http://x.com/a/1", "http://x.com/a/2"]
    assert told["samples"][0]["after_prefix"] == X
    assert owners(curator)["http://x.com/a/1"] == "A"


def test_a_deletion_tells_the_entities_that_rules_would_make(
    curator: Curator, nested: tuple[int, int]
) -> None:
    one, _two = nested
    told = curator.call("store.preview_delete", one)
    assert moved(told) == [(one, None, 1)]
    assert X in told["created_prefixes"][0]
    assert len(curator.call("store.get_webentities", count=-1)) == 2


def test_an_addition_and_a_merge_are_told_before(curator: Curator, nested: tuple[int, int]) -> None:
    one, two = nested
    told = curator.call("store.preview_add_lruprefixes", two, [X + "p:b|"])
    assert moved(told) == [(one, two, 1)]
    told = curator.call("store.preview_merge", [two], one)
    assert moved(told) == [(two, one, 2)]
    assert told["dropped_prefixes"] == [X + "p:a|"]
    assert len(curator.acts()) == 2


def test_rules_are_applied_to_known_pages_on_request(curator: Curator, nested: tuple[int, int]) -> None:
    curator.call("store.add_webentity_creationrule", X, "path-1")
    told = curator.call("store.preview_creationrules", X)
    assert (told["dry_run"], told["nb_pages_moved"]) == (True, 1)
    assert len(curator.call("store.get_webentities", count=-1)) == 2
    done = curator.call("store.apply_creationrules")
    assert done["webentity_ids"]
    assert set(owners(curator)) == {"http://x.com/a/1", "http://x.com/a/2", "http://x.com/b"}
    assert len(curator.call("store.get_webentities", count=-1)) == 3
    assert curator.acts()[0]["kind"] == "apply rules"


def test_nested_entities_are_listed_both_ways(curator: Curator, nested: tuple[int, int]) -> None:
    one, two = nested
    (sub,) = curator.call("store.get_webentity_subwebentities", one, True)
    assert (sub["id"], sub["prefixes"]) == (two, [X + "p:a|"])
    (parent,) = curator.call("store.get_webentity_parentwebentities", two)
    assert (parent["id"], "startpages" in parent) == (one, True)
    assert curator.call("store.get_webentity_subwebentities", two) == []
    assert "99" in curator.refusal("store.get_webentity_subwebentities", 99)["message"]


def test_hosts_that_stand_for_another_are_an_option(curator: Curator) -> None:
    shown = curator.call("set_corpus_options", options={"host_aliases": {"M.x.com": "www.x.com"}})
    assert shown["host_aliases"] == [["m.x.com", "x.com"]]
    curator.call("set_corpus_options", options={"host_aliases": shown["host_aliases"]})
    curator.call("store.add_webentity_creationrule", X, "path-1")
    ids = {
        curator.call("declare_page", f"https://{host}x.com/who/{n}")["id"]
        for n, host in enumerate(["m.", ""])
    }
    assert len(ids) == 1
    for wrong in ({"x.com": "x.com"}, {"two words": "x.com"}, [["x.com"]], "x.com"):
        curator.refusal("set_corpus_options", options={"host_aliases": wrong})
    assert curator.call("get_corpus_options")["host_aliases"] == [["m.x.com", "x.com"]]


def test_a_merge_of_several_takes_what_is_chosen(curator: Curator) -> None:
    first = curator.declare("http://x1.com", name="First", status="OUT", tags={"USER": {"a": "1"}})
    second = curator.declare("http://x2.com", name="Second", startpages=["http://x2.com/s"])
    good = curator.declare("http://x3.com", name="Good", status="IN")
    curator.call("store.set_webentity_homepage", second, "http://x2.com/home")
    curator.call("store.edit_webentities", [first, second], note="seen")
    entity = curator.call(
        "store.merge_webentities",
        [first, second],
        good,
        False,
        False,
        True,
        take_homepage=True,
        take_note=True,
    )
    assert (entity["id"], entity["name"], entity["status"]) == (good, "First", "OUT")
    assert (entity["homepage"], entity["note"]) == ("http://x2.com/home", "seen\nseen")
    assert (entity["startpages"], entity["tags"].get("USER", {})) == ([], {})
    assert curator.acts()[0]["kind"] == "merge"


def test_a_merge_of_several_is_for_all_or_none(curator: Curator) -> None:
    one, good = curator.declare("http://x1.com", tags={"USER": {"a": "1"}}), curator.declare("http://x3.com")
    for olds in ([one, 99], [one, good], []):
        curator.refusal("store.merge_webentities", olds, good)
    assert len(curator.call("store.get_webentities", count=-1)) == 2
    entity = curator.call("store.merge_webentities", one, good)
    assert entity["tags"]["USER"] == {"a": ["1"]}
