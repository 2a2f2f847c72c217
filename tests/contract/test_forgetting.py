"""The contract of forgetting what a web entity brought in, on every backend."""

from __future__ import annotations

from typing import Any

import pytest

from memory_structure.acts import Act, ActKind
from memory_structure.corpus_records import CorpusOptions
from memory_structure.errors import InvalidValue, NotFound, StoreLocked, UndoConflict
from memory_structure.records import JobSpec, JobState, StartPage, WebEntityStatus
from memory_structure.stored import forgetting
from memory_structure.stored.structure import StoredMemoryStructure
from memory_structure.stored.taking_out import put_back
from tests.contract.conftest import OpenStructure
from tests.corpus_cases import SPEC, batch, fetch, lru, page

A, P, PQ = lru("a.com"), lru("a.com", "p"), lru("a.com", "p", "q")
B, C, D, DX = lru("b.com"), lru("c.com"), lru("d.com"), lru("d.com", "x")


@pytest.fixture
def corpus(open_structure: OpenStructure, monkeypatch: pytest.MonkeyPatch) -> StoredMemoryStructure:
    """a.com (1) brought in b.com (2, fetched too), c.com (3), d.com (4, fetched too) with a page of it."""
    monkeypatch.setattr(forgetting, "PAGES_AT_ONCE", 2)
    structure = open_structure(CorpusOptions(precision_limit=1))
    structure.create_job(SPEC)
    structure.create_job(SPEC)
    timeout = fetch(2, error="timeout", status=None)
    structure.write_batch(
        batch(
            page(A, P, PQ, B, C, D, text="home", attempts=[fetch(attempt=1, final=False), fetch(attempt=2)]),
            page(P, PQ, DX),
            page(PQ, A, text="deep", raw_url="http://a.com/p/q#x"),
            page(B, PQ),
            page(D, B),
            page(P, attempts=[timeout]),
        )
    )
    return structure


def told(corpus: StoredMemoryStructure) -> dict[str, Any]:
    pages = list(corpus.iter_pages())
    return {
        "pages": [(p.lru, p.web_entity_id, p.node, p.raw_url, p.first_seen_at, p.fetch) for p in pages],
        "fetches": [corpus.list_fetches(p.lru) for p in pages],
        "texts": [corpus.find_text(p.lru) for p in pages],
        "outlinks": [corpus.list_outlinks(p.lru) for p in pages],
        "inlinks": [corpus.list_inlinks(p.lru) for p in pages],
        "networks": (corpus.web_entity_links(), corpus.internal_weights(), list(corpus.iter_node_links())),
        "counters": corpus.counters(),
        "jobs": [(j.counters, j.spec) for j in corpus.list_jobs()],
        "entities": [(e.web_entity_id, e.name, e.prefixes, e.n_pages) for e in corpus.list_web_entities()],
    }


def lrus(corpus: StoredMemoryStructure) -> dict[str, bool]:
    """Known pages, and whether they were fetched."""
    return {p.lru: p.fetch is not None for p in corpus.iter_pages()}


def test_what_an_entity_brought_in_goes_and_comes_back(corpus: StoredMemoryStructure) -> None:
    before = told(corpus)
    seen = corpus.preview_forget(1)
    assert (seen.n_pages, seen.n_pages_fetched, seen.n_pages_kept, seen.n_pages_brought) == (3, 3, 1, 2)
    assert (seen.n_links, seen.samples, seen.removed_web_entity_ids) == (8, (C, DX), (3,))
    assert told(corpus) == before
    act = corpus.forget(1)
    assert (act.kind, act.summary, act.web_entity_ids) == (
        ActKind.FORGET,
        'What "A.com" brought in forgotten',
        (1, 3),
    )
    assert lrus(corpus) == {B: True, PQ: False, D: True}
    assert [(link.source_lru, link.target_lru) for link in corpus.iter_links()] == [(B, PQ), (D, B)]
    assert [j.counters.n_pages for j in corpus.list_jobs()] == [2, 0]
    assert [e.web_entity_id for e in corpus.list_web_entities()] == [1, 2, 4]
    assert corpus.check() == []
    undoing = corpus.undo(act.act_id)
    assert (undoing.undoes, corpus.get_act(act.act_id).undone_by) == (act.act_id, undoing.act_id)
    assert told(corpus) == before
    assert corpus.check() == []
    with pytest.raises(InvalidValue, match="forget it again"):
        corpus.undo(undoing.act_id)
    with pytest.raises(UndoConflict, match="already"):
        corpus.undo(act.act_id)
    assert corpus.forget(1).act_id > undoing.act_id
    assert corpus.check() == []


def test_whole_entity_goes_with_its_last_page(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(4, status=WebEntityStatus.IN)
    assert corpus.preview_forget(4).removed_web_entity_ids == ()
    corpus.forget(1)
    act = corpus.forget(4)
    with pytest.raises(NotFound):
        corpus.get_web_entity(4)
    assert corpus.find_owner(D) is None
    assert corpus.check() == []
    corpus.undo(act.act_id)
    assert corpus.get_web_entity(4).status is WebEntityStatus.IN
    assert corpus.check() == []


def test_what_others_say_of_pages_is_kept(corpus: StoredMemoryStructure) -> None:
    corpus.edit_start_pages(4, add=[StartPage("http://d.com/x", "user")])
    corpus.edit_tags([3], add=[("USER", "c", "v")])
    seen = corpus.preview_forget(1)
    assert (seen.n_pages_brought, seen.removed_web_entity_ids) == (1, ())
    corpus.forget(1)
    assert set(lrus(corpus)) == {B, PQ, D, DX}
    assert corpus.get_web_entity(3).n_pages == 0
    assert corpus.check() == []


def test_entity_under_crawl_is_not_forgotten(corpus: StoredMemoryStructure) -> None:
    job = corpus.create_job(JobSpec(1, ("http://a.com/",), (A,))).job_id
    version = corpus.version()
    with pytest.raises(InvalidValue, match="has not ended"):
        corpus.forget(1)
    assert corpus.version() == version
    corpus.move_job(job, JobState.CANCELED)
    corpus.forget(1)
    assert corpus.check() == []


def test_pages_forgotten_by_one_process_are_new_to_the_other(
    corpus: StoredMemoryStructure, open_structure: OpenStructure
) -> None:
    other = open_structure()
    other.write_batch(batch(page(D, B, C, DX, attempts=[fetch(2, attempt=7)])))
    other.write_batch(batch(page(D, B, attempts=[fetch(2, attempt=8)])))
    corpus.forget(1)
    assert C not in lrus(other)
    report = other.write_batch(batch(page(B, C, A, attempts=[fetch(2, attempt=9)])))
    assert report.n_pages_new == 2
    assert other.check() == []


def test_pages_found_again_since_keep_what_they_have(corpus: StoredMemoryStructure) -> None:
    act = corpus.forget(1)
    corpus.write_batch(batch(page(A, B, text="new", attempts=[fetch(2, attempt=5)]), page(D, C, P)))
    corpus.write_batch(batch(page(D, C, P, attempts=[fetch(2, attempt=6)])))
    corpus.undo(act.act_id)
    assert corpus.check() == []
    assert corpus.find_text(A) == "new"
    assert [link.target_lru for link in corpus.list_outlinks(A)] == [B]
    assert [link.target_lru for link in corpus.list_outlinks(P)] == [PQ, DX]
    assert [link.target_lru for link in corpus.list_outlinks(PQ)] == [A]
    assert len(corpus.list_fetches(A)) == 3
    assert corpus.get_web_entity(3).prefixes[0] == C.replace("s:http|", "s:https|")


def test_rebuilding_knows_that_pages_are_gone(corpus: StoredMemoryStructure) -> None:
    act = corpus.forget(1)
    with corpus._writing() as session:
        session.state.n_links += 3
        session.changed = True
    assert len(corpus.rebuild()) == 1
    assert corpus.check() == []
    corpus.undo(act.act_id)
    assert corpus.check() == []


def test_later_forgetting_stands_in_the_way(corpus: StoredMemoryStructure) -> None:
    before = told(corpus)
    first, second = corpus.forget(1), corpus.forget(2)
    with pytest.raises(UndoConflict) as refused:
        corpus.undo(first.act_id)
    assert refused.value.later_act_ids == (second.act_id,)
    corpus.undo(second.act_id)
    corpus.undo(first.act_id)
    assert told(corpus) == before
    assert corpus.check() == []


def test_pages_that_came_back_under_another_number(corpus: StoredMemoryStructure) -> None:
    links = {(link.source_lru, link.target_lru) for link in corpus.iter_links()}
    first = corpus.forget(1)
    second = corpus.forget(2)
    corpus.write_batch(batch(page(C, PQ, attempts=[fetch(2, attempt=5)])))
    assert lrus(corpus)[PQ] is False
    corpus.undo(second.act_id)
    corpus.undo(first.act_id)
    assert lrus(corpus)[PQ] is True
    assert {(link.source_lru, link.target_lru) for link in corpus.iter_links()} == links | {(C, PQ)}
    assert corpus.check() == []


def test_interrupted_forgetting_and_bringing_back_go_on(
    corpus: StoredMemoryStructure, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = told(corpus)
    steps = iter(range(3))
    take_out = StoredMemoryStructure._take_out

    def dying(*arguments: Any) -> None:
        if next(steps, None) is None:
            raise OSError("killed")
        take_out(*arguments)

    monkeypatch.setattr(StoredMemoryStructure, "_take_out", dying)
    with pytest.raises(OSError, match="killed"):
        corpus.forget(1)
    assert corpus.check() == []
    act: Act = corpus.list_acts()[0]
    assert act.kind is ActKind.FORGET
    steps = iter(range(1))

    def dying_too(*arguments: Any) -> Any:
        if next(steps, None) is None:
            raise OSError("killed again")
        return put_back(*arguments)

    monkeypatch.setattr(forgetting, "put_back", dying_too)
    with pytest.raises(OSError, match="killed again"):
        corpus.undo(act.act_id)
    assert corpus.check() == []
    monkeypatch.setattr(forgetting, "put_back", put_back)
    assert corpus.undo(act.act_id).undoes == act.act_id
    assert told(corpus) == before
    assert corpus.check() == []


def test_bringing_back_does_not_go_on_past_what_was_forgotten_since(
    corpus: StoredMemoryStructure, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = told(corpus)
    first, second = corpus.forget(1), corpus.forget(2)

    def dying(*_: Any) -> Any:
        raise OSError("killed")

    monkeypatch.setattr(forgetting, "put_back", dying)
    with pytest.raises(OSError, match="killed"):
        corpus.undo(second.act_id)
    monkeypatch.setattr(forgetting, "put_back", put_back)
    with pytest.raises(UndoConflict, match="more was forgotten") as refused:
        corpus.undo(first.act_id)
    assert refused.value.later_act_ids == (second.act_id,)
    corpus.undo(second.act_id)
    corpus.undo(first.act_id)
    assert told(corpus) == before


def test_one_act_at_a_time_takes_out_or_brings_back(
    corpus: StoredMemoryStructure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "_TURN_SECONDS", 0.01)
    act = corpus.forget(2)
    take_out = StoredMemoryStructure._take_out
    n_refused = 0

    def meddling(*arguments: Any) -> None:
        nonlocal n_refused
        with pytest.raises(StoreLocked, match="being forgotten"):
            corpus.forget(4)
        with pytest.raises(StoreLocked, match="being forgotten"):
            corpus.undo(act.act_id)
        n_refused += 2
        take_out(*arguments)

    monkeypatch.setattr(StoredMemoryStructure, "_take_out", meddling)
    corpus.forget(1)
    assert n_refused
    assert corpus.check() == []
