"""Pages found by the words of titles and texts, the same ones in every backend."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_structure.corpus_records import CorpusOptions
from memory_structure.errors import InvalidValue, NotFound
from memory_structure.records import FetchError, JobState
from memory_structure.stored import text_search
from memory_structure.stored.structure import StoredMemoryStructure
from memory_structure.text_search import FoundPages, SearchPlace
from tests.contract.conftest import OpenStructure
from tests.corpus_cases import SPEC, batch, fetch, lru, page


@pytest.fixture
def corpus(structure: StoredMemoryStructure) -> StoredMemoryStructure:
    structure.create_job(SPEC)
    return structure


def write(corpus: StoredMemoryStructure, path: str, title: str, text: str, attempt: int = 1) -> str:
    key = lru("a.com", path)
    corpus.write_batch(batch(page(key, attempts=[fetch(title=title, attempt=attempt)], text=text)))
    return key


def lrus(found: FoundPages) -> list[str]:
    return [each.page.lru for each in found.pages]


def test_titles_come_first_and_accents_and_case_do_not_count(corpus: StoredMemoryStructure) -> None:
    in_text = write(corpus, "1", "Other", "Une journée d'ÉTÉ, chaude.")
    in_title = write(corpus, "2", "L’été à Paris", "")
    write(corpus, "3", "Hiver", "rien")
    corpus.index_texts()
    assert lrus(corpus.search_pages("Ete")) == [in_title, in_text]
    assert lrus(corpus.search_pages("journee ETE")) == [in_text]
    assert lrus(corpus.search_pages("paris journée")) == []


def test_what_waits_is_told_and_found_once_it_is_indexed(corpus: StoredMemoryStructure) -> None:
    key = write(corpus, "1", "", "needle")
    found = corpus.search_pages("needle")
    assert (found.pages, found.n_waiting) == ((), 1)
    progress = corpus.index_texts()
    assert (progress.n_pages, progress.n_waiting) == (1, 0)
    found = corpus.search_pages("needle")
    assert (lrus(found), found.n_waiting) == ([key], 0)
    assert corpus.index_texts().n_pages == 0


def test_a_page_fetched_again_is_indexed_anew(corpus: StoredMemoryStructure) -> None:
    key = write(corpus, "1", "Old title", "old text")
    corpus.index_texts()
    write(corpus, "1", "New title", "new text", attempt=2)
    corpus.index_texts()
    assert lrus(corpus.search_pages("old")) == []
    assert lrus(corpus.search_pages("new title")) == [key]


def test_a_failed_attempt_leaves_the_last_good_one_in_the_index(corpus: StoredMemoryStructure) -> None:
    key = write(corpus, "1", "Good", "good text")
    failed = fetch(attempt=2, status=None, error=FetchError.TIMEOUT)
    corpus.write_batch(batch(page(key, attempts=[failed])))
    corpus.index_texts()
    assert lrus(corpus.search_pages("good")) == [key]


def test_a_budget_of_no_time_still_makes_progress(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(
        batch(*(page(lru("a.com", str(i)), attempts=[fetch(title="same")]) for i in range(100)))
    )
    left = [corpus.index_texts(0.0).n_waiting for _ in range(7)]
    assert left == sorted(left, reverse=True)
    assert left[0] < 100
    assert left[-1] == 0


def test_places_lead_through_titles_then_texts(
    corpus: StoredMemoryStructure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_search, "_HITS_AT_ONCE", 3)
    keys = [write(corpus, str(i), "word" if i % 2 else "", "word and more") for i in range(9)]
    corpus.index_texts()
    seen: list[str] = []
    place: SearchPlace | None = None
    for _ in range(20):
        found = corpus.search_pages("word", after=place, limit=2)
        seen += lrus(found)
        place = found.next_place
        if place is None:
            break
    assert seen == keys[1::2] + keys[::2]
    assert lrus(corpus.search_pages("word", limit=100)) == seen


@pytest.mark.parametrize("few", [500, 2], ids=["one by one", "by scanning"])
def test_search_within_an_entity(
    corpus: StoredMemoryStructure, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(text_search, "_FEW_PAGES", few)
    keys = [write(corpus, f"{i}", "word" if i == 4 else "", "word") for i in range(6)]
    corpus.write_batch(batch(page(lru("b.com"), text="word")))
    corpus.index_texts()
    entity = corpus.find_owner(keys[0])
    assert entity is not None
    inside = entity.web_entity_id
    expected = [keys[4], *keys[:4], keys[5]]
    assert lrus(corpus.search_pages("word", web_entity_id=inside)) == expected
    first = corpus.search_pages("word", web_entity_id=inside, limit=3)
    rest = corpus.search_pages("word", web_entity_id=inside, after=first.next_place)
    assert (lrus(first), lrus(rest), rest.next_place) == (expected[:3], expected[3:], None)
    with pytest.raises(NotFound):
        corpus.search_pages("word", web_entity_id=99)


def test_pages_that_were_taken_out_are_not_found(corpus: StoredMemoryStructure) -> None:
    kept = lru("b.com")
    corpus.write_batch(batch(page(kept, lru("a.com", "linked"), attempts=[fetch(title="word")])))
    write(corpus, "linked", "word", "word")
    write(corpus, "alone", "word", "word")
    corpus.index_texts()
    assert len(corpus.search_pages("word").pages) == 3
    owner = corpus.find_owner(lru("a.com"))
    assert owner is not None
    corpus.move_job(1, JobState.CANCELED)
    corpus.forget(owner.web_entity_id)
    assert lrus(corpus.search_pages("word")) == [kept]


def test_a_search_needs_a_word(corpus: StoredMemoryStructure) -> None:
    with pytest.raises(InvalidValue):
        corpus.search_pages(" -- ")


def test_snippets_stand_around_the_first_word(corpus: StoredMemoryStructure) -> None:
    filler = "lorem ipsum dolor " * 30
    write(corpus, "1", "", filler + "the Éléphant walks " + filler)
    corpus.index_texts()
    (found,) = corpus.search_pages("elephant").pages
    assert "the Éléphant walks" in found.snippet
    assert found.snippet.startswith("… ")
    assert found.snippet.endswith(" …")
    assert len(found.snippet) < 260


def test_an_emptied_index_is_filled_again(corpus: StoredMemoryStructure) -> None:
    key = write(corpus, "1", "", "needle")
    corpus.index_texts()
    corpus.forget_texts()
    assert corpus.search_pages("needle").n_waiting == 1
    corpus.index_texts()
    assert lrus(corpus.search_pages("needle")) == [key]


def test_small_corpora_are_indexed_unless_an_option_says_otherwise(
    open_structure: OpenStructure, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = open_structure(CorpusOptions())
    assert corpus.indexes_texts()
    monkeypatch.setattr(text_search, "SMALL_CORPUS", -1)
    assert not corpus.indexes_texts()
    corpus.set_options(replace(corpus.options(), index_text=True))
    assert corpus.indexes_texts()
    corpus.set_options(replace(corpus.options(), index_text=False))
    monkeypatch.setattr(text_search, "SMALL_CORPUS", 100)
    assert not corpus.indexes_texts()
