"""The index of words that each database offers."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.errors import StoreError
from memory_structure.storage import Storage
from memory_structure.word_index import Document, WordIndex
from tests.storage_cases import Opener, opener, storage

__all__ = ["opener", "storage"]


@pytest.fixture
def index(storage: Storage) -> WordIndex:
    found = storage.word_index()
    assert found is not None
    return found


def doc(number: int, words: str) -> Document:
    return Document(number, words.split())


def test_documents_are_found_by_all_of_their_words(index: WordIndex) -> None:
    assert index.find(["cat"]) == []
    assert index.advance([doc(1, "cat dog"), doc(2, "cat"), doc(7, "dog =cat")], [], before=0, after=10)
    assert index.find(["cat"]) == [1, 2]
    assert index.find(["dog", "cat"]) == [1]
    assert index.find(["=cat"]) == [7]
    assert index.find(["cat", "cat"]) == [1, 2]
    assert index.find(["bird"]) == []


def test_pages_of_answers_follow_each_other(index: WordIndex) -> None:
    index.advance([doc(i, "all") for i in range(1, 8)], [], before=0, after=1)
    assert index.find(["all"], limit=3) == [1, 2, 3]
    assert index.find(["all"], after=3, limit=3) == [4, 5, 6]
    assert index.find(["all"], after=7) == []
    assert index.find(["all"], among=[6, 2, 99]) == [2, 6]
    assert index.find(["all"], among=[6, 2, 99], after=2) == [6]
    assert index.find(["all"], among=[6, 2, 4], limit=2) == [2, 4]
    assert index.find(["all"], among=[]) == index.find(["all"], after=9, among=[6]) == []
    index.advance([doc(10**6, "all")], [], before=1, after=2)
    assert index.find(["all"], among=[10**6, 2, 10**7]) == [2, 10**6]


def test_documents_are_replaced_and_removed(index: WordIndex) -> None:
    index.advance([doc(1, "old both"), doc(2, "old")], [], before=0, after=1)
    index.advance([doc(1, "new both")], [2, 55], before=1, after=2)
    assert index.find(["old"]) == []
    assert index.find(["new"]) == index.find(["both"]) == [1]
    index.clear()
    assert index.mark() == 0
    assert index.find(["new"]) == []


def test_only_who_knows_the_mark_moves_it(index: WordIndex) -> None:
    assert index.advance([doc(1, "first")], [], before=0, after=5)
    assert not index.advance([doc(1, "late")], [], before=0, after=3)
    assert index.mark() == 5
    assert index.find(["first"]) == [1]
    assert index.find(["late"]) == []


@pytest.mark.parametrize(
    "word", ["and", "not", "near", "or", "été", "漢", "straße", "a" * 64, "ⅷ", "हनद", "123"]
)
def test_words_are_found_as_given_whatever_they_mean_to_the_database(index: WordIndex, word: str) -> None:
    index.advance([Document(3, [word, "other"]), doc(4, "other")], [], before=0, after=1)
    assert index.find([word]) == [3]
    assert index.find([word, "other"]) == [3]


def test_the_index_outlives_its_process_and_goes_with_the_database(opener: Opener) -> None:
    first = opener()
    made = first.word_index()
    assert made is not None
    made.advance([doc(1, "kept")], [], before=0, after=4)
    again = opener().word_index()
    assert again is not None
    assert (again.mark(), again.find(["kept"])) == (4, [1])
    first.destroy()
    anew = opener().word_index()
    assert anew is not None
    assert (anew.mark(), anew.find(["kept"])) == (0, [])


def test_a_closed_database_has_no_index_any_more(tmp_path: Path) -> None:
    closed = SqliteStorage(tmp_path / "it.sqlite")
    closed.destroy()
    with pytest.raises(StoreError):
        closed.word_index()
    assert list(tmp_path.iterdir()) == []
