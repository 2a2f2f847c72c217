"""Patterns of users: dangerous ones are refused, costly ones are not asked about long texts."""

from __future__ import annotations

import re

import pytest

from hyphe_core.parsers.url_rules.bounded_patterns import (
    MAX_PATTERN_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    BadPattern,
    BoundedPattern,
    TextTooLong,
    pattern_for_search,
)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "(a*)*b",
        "(?:a|a)*b",
        r"(?:\w|\wb)*c",
        "(.*,){12}P",
        "(?:a?){30}a{30}",
        r"(?:\w+\s?)+$",
        "(x+x+)+y",
        "(?:.*a){9}",
        "a.*b.*c.*d.*e.*f",
        "(",
        "*",
        "a" * (MAX_PATTERN_CHARACTERS + 1),
        "(a)?(?(1)b|c)",
        "(?:[a-c]{1,5}x?){1,8}y",
        "(?:(?:a{0,8}){0,8}){0,8}b",
        "(?:a*b?){2}a",
        "a?" * 30 + "a" * 30,
        "(?:a|ab|b){1,30}c",
    ],
)
def test_refused(pattern: str) -> None:
    with pytest.raises(BadPattern):
        BoundedPattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"^https?://([a-z0-9-]+\.)*example\.org/",
        r"(?i)\.(?:gif|jpg|png)$",
        r"(\d{1,3}\.){3}\d{1,3}",
        "a{1,8}b",
        r"^(?:file|ftp|mailto):",
        r"[?*!@=]",
        "(?:[^/]+/)+index",
        "foo.*bar",
        ".",
        r"\d{4}-\d{2}",
        "^.{2049,}",
    ],
)
def test_usual_patterns_are_asked_about_any_url(pattern: str) -> None:
    assert BoundedPattern(pattern).max_characters == MAX_TEXT_CHARACTERS


@pytest.mark.parametrize(
    ("pattern", "longest"), [("a.*b.*c", 669), (r"(/.+?)/.*?\1/.*?\1/", 186), ("a.*[bc]+d", 669)]
)
def test_costly_patterns_are_asked_about_short_texts_only(pattern: str, longest: int) -> None:
    bounded = BoundedPattern(pattern)
    assert bounded.max_characters == longest
    assert not bounded.search("x" * longest)
    with pytest.raises(TextTooLong):
        bounded.search("x" * (longest + 1))


def test_possessive_repeats_cost_nothing() -> None:
    assert BoundedPattern(r"(/[^/]++)/[^/]++\1/[^/]++\1/").max_characters == MAX_TEXT_CHARACTERS


@pytest.mark.parametrize("text", [".*(/[^/]+)/[^/]+\\1/[^/]+\\1/", ".*"])
def test_a_beginning_that_says_nothing_costs_nothing(text: str) -> None:
    pattern = pattern_for_search(text)
    assert pattern.max_characters == MAX_TEXT_CHARACTERS
    assert pattern.search("http://e.org/a/x/a/y/a/")


def test_a_lazy_beginning_is_left_alone() -> None:
    assert pattern_for_search(".*?a").text == ".*?a"


def test_search_is_anywhere_and_flags_in_the_middle_hold_to_the_end() -> None:
    assert BoundedPattern("b").search("abc")
    assert BoundedPattern(r"^http://(?i)www").search("http://WWW.e.org")
    assert not BoundedPattern(r"^http://(?i)www").search("HTTP://www.e.org")


def test_replacements_name_groups_by_number() -> None:
    assert BoundedPattern("(a)(x)?").replace("cab", r"[$1$2\$1$9]") == "c[a$1]b"


def test_judging_agrees_with_the_engine_on_syntax() -> None:
    for pattern in ("a{2,1}", "[z-a]", "(?P<n", "\\"):
        with pytest.raises(re.error):
            re.compile(pattern)
        with pytest.raises(BadPattern):
            BoundedPattern(pattern)
