"""The contract of parses, signatures and scores, on every backend."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from memory_structure.corpus_records import CorpusOptions
from memory_structure.parse_options import ChainStep, LinkPlaces, ParseOptions, ScoringChoice
from memory_structure.parses import EntryLink, PageParse, PageSignature, ParsedEntry
from memory_structure.stored.structure import StoredMemoryStructure
from tests.contract.conftest import FreshCorpus, OpenStructure
from tests.corpus_cases import MOMENT, SPEC, batch, fetch, lru, page

A, B, C = lru("a.com"), lru("b.com"), lru("c.com")
FULL = PageParse(
    2,
    202,
    "cut",
    "rss",
    "application/rss+xml",
    "0f" * 16,
    "a0" * 16,
    "http://a.com/é",
    ("http://b.com/", 2.5),
    (("dc.creator", "Ann"), ("dc.creator", "Bob")),
    (("filtered", 3),),
    ("odd",),
    (
        ParsedEntry(
            "http://a.com/1", "One", "words", "fr", (("tag", "x"),), (EntryLink("http://b.com/", "b"),)
        ),
    ),
)


@pytest.fixture
def corpus(structure: StoredMemoryStructure) -> StoredMemoryStructure:
    structure.create_job(SPEC)
    return structure


def test_a_parse_comes_back_as_it_was_written(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, B, parse=FULL), page(B, parse=PageParse(parser="html"))))
    assert corpus.find_parse(A) == FULL._replace(parsed_at=MOMENT)
    assert corpus.find_parse(B) == PageParse(parser="html", parsed_at=MOMENT)
    assert corpus.find_parse(C) is None
    assert list(corpus.iter_signatures()) == [PageSignature(1, FULL.signature, FULL.text_profile)]
    assert corpus.check() == []


def test_names_and_passwords_in_addresses_are_not_stored(corpus: StoredMemoryStructure) -> None:
    secret = "http://me:secret@b.com/"
    entry = ParsedEntry(secret, links=(EntryLink(secret),))
    parse = PageParse(representative=secret, refresh=(secret, 1.0), entries=(entry,))
    corpus.write_batch(batch(page(A, parse=parse)))
    assert "secret" not in repr(corpus.find_parse(A))


def test_a_new_answer_replaces_the_parse_and_says_whether_anything_changed(
    corpus: StoredMemoryStructure,
) -> None:
    for attempt, signature in enumerate(("aa" * 16, "aa" * 16, "aa" * 16, "bb" * 16), 1):
        moment = MOMENT + timedelta(days=attempt)
        tried = fetch(attempt=attempt, fetched_at=moment)
        corpus.write_batch(batch(page(A, attempts=[tried], parse=PageParse(signature=signature))))
        found = corpus.find_parse(A)
        assert found is not None
        assert (found.signature, found.parsed_at) == (signature, moment)
        assert found.unchanged_since == (MOMENT + timedelta(days=1) if attempt in (2, 3) else None)


def test_an_attempt_without_answer_leaves_the_parse(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, parse=FULL)))
    corpus.write_batch(batch(page(A, attempts=[fetch(attempt=2, status=None, error="timeout")])))
    assert corpus.find_parse(A) == FULL._replace(parsed_at=MOMENT)


def test_what_is_forgotten_has_no_parse_and_undoing_brings_it_back(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, B, parse=FULL)))
    job = corpus.list_jobs()[0]
    corpus.move_job(job.job_id, type(job.state).CANCELED)
    act = corpus.forget(1)
    assert corpus.find_parse(A) is None
    assert corpus.check() == []
    corpus.undo(act.act_id)
    assert corpus.find_parse(A) == FULL._replace(parsed_at=MOMENT)
    assert corpus.check() == []


def scored(open_structure: OpenStructure, **changes: float) -> StoredMemoryStructure:
    parsing = replace(ParseOptions(scoring=ScoringChoice.OPIC), **changes)  # type: ignore[arg-type]
    structure = open_structure(CorpusOptions(parsing=parsing))
    structure.create_job(SPEC)
    return structure


def test_scores_are_shared_among_links(open_structure: OpenStructure) -> None:
    corpus = scored(open_structure)
    deeper = fetch(depth=1)
    corpus.write_batch(batch(page(A, B, C, parse=PageParse())))
    corpus.write_batch(batch(page(B, C, attempts=[deeper], parse=PageParse())))
    scores = corpus.scores()
    assert [float(scores[i]) for i in (1, 2, 3)] == [1.0, 0.5, 1.0]
    first, second = corpus.find_parse(A), corpus.find_parse(B)
    assert first is not None
    assert second is not None
    assert (first.score, second.score) == (1.0, 0.5)


def test_links_within_a_site_may_be_worth_less(open_structure: OpenStructure) -> None:
    corpus = scored(open_structure, internal_share=0.5)
    corpus.write_batch(batch(page(A, B, lru("a.com", "x"))))
    assert sorted(float(score) for score in corpus.scores() if score) == [0.25, 0.5, 1.0]


def test_scores_survive_being_added_up_by_another_process(open_structure: OpenStructure) -> None:
    one = scored(open_structure)
    other = open_structure()
    for i in range(150):
        writer = one if i % 3 else other
        writer.write_batch(batch(page(lru("s.com", str(i)), A, lru(f"t{i % 7}.com"))))
    scores = other.scores()
    assert np.array_equal(scores[:12], one.scores()[:12])
    target = one.find_page(A)
    assert target is not None
    assert float(scores[target.page_id]) == pytest.approx(75.0)


def test_without_scoring_there_are_no_scores(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, B)))
    assert len(corpus.scores()) == 0


def test_options_of_parsing_are_kept(open_structure: OpenStructure) -> None:
    parsing = ParseOptions(
        "nutch",
        "own",
        (ChainStep("basic"),),
        (ChainStep("prefix", "http://"),),
        LinkPlaces.INTERNAL,
        max_links=5,
    )
    open_structure(CorpusOptions(parsing=parsing))
    assert open_structure().options().parsing == parsing


def test_scores_do_not_depend_on_where_batches_begin(fresh_corpus: FreshCorpus) -> None:
    home, middle, last = lru("a.com"), lru("a.com", "m"), lru("b.com")
    deeper = [fetch(depth=1)]
    pages = [
        page(home, middle, last),
        page(middle, last, home, attempts=deeper),
        page(last, lru("c.com"), attempts=deeper),
    ]
    found = []
    for batches in ([pages], [[each] for each in pages]):
        corpus = scored(fresh_corpus())
        for some in batches:
            corpus.write_batch(batch(*some))
        found.append({each.lru: float(corpus.scores()[each.page_id]) for each in corpus.iter_pages()})
    assert found[0] == found[1]
    assert found[0][lru("c.com")] == found[0][last] == 0.75
