"""Tags: trimmed, of any words, counted as they are, changed in one act."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.hyphe_core.api.conftest import Curator


def tags(curator: Curator, web_entity_id: int) -> Any:
    return curator.entity(web_entity_id)["tags"].get("USER", {})


@pytest.fixture
def three(curator: Curator) -> list[int]:
    return [curator.declare(f"http://x{n}.com") for n in range(3)]


def test_a_tag_given_twice_counts_once(curator: Curator, three: list[int]) -> None:
    for value in ("press", " press ", "press"):
        curator.call("store.add_webentity_tag_value", three[0], "USER", " kind ", value)
    curator.call("store.add_webentity_tag_value", three[1], "USER", "kind", "press")
    assert curator.call("store.get_tags", "USER") == {"kind": {"press": 2}}
    curator.call("store.rm_webentity_tag_value", three[0], "USER", "kind", "press ")
    assert curator.call("store.get_tags") == {"USER": {"kind": {"press": 1}}}
    curator.call("store.delete_webentity", three[1])
    assert curator.call("store.get_tags") == {}
    assert curator.call("store.rebuild_tags_dictionary") == {}


@pytest.mark.parametrize("word", ["langue à étudier", "language", "日本語", "a.b$c", "id", "_id", "Ⅷ"])
def test_any_word_is_a_tag(curator: Curator, three: list[int], word: str) -> None:
    curator.call("store.add_webentity_tag_value", three[0], "USER", word, word)
    assert tags(curator, three[0]) == {word: [word]}
    assert curator.call("store.get_tag_values", "USER", word) == [word]


def test_two_spellings_of_one_letter_are_one_tag(curator: Curator, three: list[int]) -> None:
    curator.call("store.add_webentity_tag_value", three[0], "USER", "kind", "caf\u00e9")
    curator.call("store.add_webentity_tag_value", three[0], "USER", "kind", "cafe\u0301")
    assert tags(curator, three[0]) == {"kind": ["caf\u00e9"]}
    curator.call("store.rm_webentity_tag_value", three[0], "USER", "kind", "cafe\u0301")
    assert tags(curator, three[0]) == {}


def test_several_tags_are_given_in_one_act(curator: Curator, three: list[int]) -> None:
    n_before = len(curator.acts())
    curator.call(
        "store.add_webentity_tags",
        three[0],
        "USER",
        {"kind": "blog", "language": ["fr", "en", ""], "x": None, "year": 2012},
    )
    assert tags(curator, three[0]) == {"kind": ["blog"], "language": ["en", "fr"], "year": ["2012"]}
    assert len(curator.acts()) == n_before + 1


def test_many_entities_are_tagged_in_one_act_and_unknown_ones_told(
    curator: Curator, three: list[int]
) -> None:
    n_before = len(curator.acts())
    assert len(curator.call("store.add_webentities_tag_value", three, "USER", "kind", "blog")) == 3
    assert len(curator.acts()) == n_before + 1
    answer = curator.refusal("store.rm_webentities_tag_value", [three[0], 99], "USER", "kind", "blog")
    assert answer["errors"] == ["there is no web entity 99"]
    assert answer["results"] == [f"Web entity {three[0]} no longer has USER:kind=blog"]
    assert curator.call("store.get_tags", "USER") == {"kind": {"blog": 2}}


def test_an_edit_of_a_value_is_one_act(curator: Curator, three: list[int]) -> None:
    curator.call("store.add_webentity_tag_value", three[0], "USER", "kind", "blog")
    n_before = len(curator.acts())
    curator.call("store.edit_webentity_tag_value", three[0], "USER", "kind", "blog", " press ")
    assert tags(curator, three[0]) == {"kind": ["press"]}
    assert len(curator.acts()) == n_before + 1
    answer = curator.refusal("store.edit_webentity_tag_value", three[0], "USER", "kind", "blog", "x")
    assert "USER:kind=blog" in answer["message"]


def test_an_edit_of_tags_is_for_all_or_none(curator: Curator, three: list[int]) -> None:
    assert curator.call("store.edit_tags", three, {"USER": {"a": ["1", "2"]}}) == 3
    assert curator.call("store.edit_tags", three[:2], {"USER": {"a": "3"}}, {"USER": {"a": ["1"]}}) == 2
    assert "99" in curator.refusal("store.edit_tags", [three[0], 99], {"USER": {"a": "4"}})["message"]
    assert curator.call("store.get_tags", "USER") == {"a": {"1": 1, "2": 3, "3": 2}}


@pytest.mark.parametrize(
    "call",
    [
        ("store.add_webentity_tag_value", "USER", "kind", "  "),
        ("store.add_webentity_tag_value", "USER", "", "x"),
        ("store.add_webentity_tag_value", "", "kind", "x"),
        ("store.add_webentity_tags", "USER", {"kind": True}),
        ("store.edit_tags", {"USER": "kind"}),
    ],
)
def test_a_tag_with_an_empty_part_or_no_text_is_refused(
    curator: Curator, three: list[int], call: tuple[Any, ...]
) -> None:
    name, *params = call
    curator.refusal(name, three[0], *params)
    assert tags(curator, three[0]) == {}


def test_a_question_has_three_answers(curator: Curator, three: list[int]) -> None:
    curator.call("store.add_webentity_tag_value", three[0], "USER", "open?", "ask again")
    assert curator.call("store.mark_webentities", three, "open?", True) == 3
    assert curator.call("store.mark_webentities", three[:2], "open?", False) == 2
    assert tags(curator, three[0]) == {"open?": ["ask again", "no"]}
    assert tags(curator, three[2]) == {"open?": ["yes"]}
    assert curator.call("store.mark_webentities", three, "open?", None) == 3
    assert [tags(curator, i) for i in three] == [{"open?": ["ask again"]}, {}, {}]


def test_namespaces_categories_and_values_in_use_are_listed(curator: Curator, three: list[int]) -> None:
    curator.call("store.edit_tags", three, {"USER": {"kind": "b", "FREETAGS": "note"}, "CORE": {"c": ["a"]}})
    assert curator.call("store.get_tag_namespaces") == ["CORE", "USER"]
    assert curator.call("store.get_tag_categories") == ["c", "kind"]
    assert curator.call("store.get_tag_categories", "USER") == ["kind"]
    assert curator.call("store.get_tag_categories", "NONE") == []
    assert curator.call("store.get_tag_values") == ["a", "b", "note"]
    assert curator.call("store.get_tag_values", "USER", "kind") == ["b"]
    assert curator.call("store.get_tag_values", None, "c") == ["a"]
    assert curator.call("store.get_tags", "NONE") == {}


@pytest.mark.parametrize("status", ["IN", "OUT", "UNDECIDED", "DISCOVERED"])
def test_entities_of_every_status_are_tagged(curator: Curator, status: str) -> None:
    one = curator.declare("http://x.com", status=status)
    curator.call("store.add_webentity_tag_value", one, "USER", "kind", "press")
    assert curator.entity(one)["status"] == status
    assert tags(curator, one) == {"kind": ["press"]}
