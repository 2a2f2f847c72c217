"""Words as searches compare them."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_structure.words import MAX_WORD, folded, words_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Hello, world-wide_web 2.0!", ["hello", "world", "wide", "web", "2", "0"]),
        ("Été à Noël", ["ete", "a", "noel"]),
        ("e\u0301te\u0301", ["ete"]),
        ("Straße", ["strasse"]),
        ("ﬁn ½", ["fin", "1", "2"]),
        ("漢字かな", ["漢", "字", "か", "な"]),
        ("abc漢def", ["abc", "漢", "def"]),
        ("Ελλάδα", ["ελλαδα"]),
        ("x" * 100, ["x" * MAX_WORD]),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


@settings(deadline=None)
@given(st.text(max_size=60))
def test_words_are_whole_words_of_themselves(text: str) -> None:
    for word in words_of(text):
        assert word
        assert words_of(word) == [word]
        assert not any(char.isspace() or char in "=\"'" for char in word)


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="ascii"), max_size=60))
def test_ascii_takes_the_same_way_as_other_text(text: str) -> None:
    assert words_of(text + " é") == [*words_of(text), "e"]
    assert folded(text) == text.lower()


def test_no_combining_mark_is_missed() -> None:
    marks = [chr(i) for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i))[0] == "M"]
    assert folded("é" + "".join(marks)) == "e"
