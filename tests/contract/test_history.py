"""The contract of the history, on every backend: acts listed, read, undone and done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_structure.acts import Act, ActKind, Change, acting
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import InvalidValue, NotFound, UndoConflict
from memory_structure.records import JobSpec, StartPage, WebEntityStatus
from memory_structure.stored.codec import packed_ids
from memory_structure.stored.schema import (
    ACT_CHANGES,
    ACT_ENTITIES,
    ACTS,
    CORPUS_TABLES,
    ENTITY_CHANGES,
    FORGOTTEN,
)
from memory_structure.stored.structure import StoredMemoryStructure
from tests.contract.conftest import OpenStructure
from tests.corpus_cases import SPEC, batch, fetch, lru, page

A, B, C = lru("a.com"), lru("b.com"), lru("c.com")
P, PQ, S = lru("a.com", "p"), lru("a.com", "p", "q"), lru("a.com", "s")
RED = ("USER", "colour", "red")
IN, OUT = WebEntityStatus.IN, WebEntityStatus.OUT
HISTORY_TABLES = {ACTS, ACT_CHANGES, ACT_ENTITIES, ENTITY_CHANGES, FORGOTTEN}


@pytest.fixture
def corpus(open_structure: OpenStructure) -> StoredMemoryStructure:
    """Web entities 1 (a.com, four pages), 2 (b.com, one page), 3 (c.com/x, declared), and a job of 1."""
    structure = open_structure(CorpusOptions(precision_limit=1))
    structure.create_job(SPEC)
    structure.write_batch(batch(page(A, P, PQ, S, B), page(P, PQ), page(B, PQ)))
    structure.declare_web_entity([lru("c.com", "x")], name="Three", status=IN, tags=[RED])
    structure.create_job(JobSpec(1, ("http://a.com/",), (A,)))
    return structure


def told(corpus: StoredMemoryStructure) -> dict[str, Any]:
    """Everything people decide, and who owns which page."""
    return {
        "entities": [
            (e.web_entity_id, e.name, e.status, e.prefixes, e.homepage, e.start_pages, e.tags, e.note)
            for e in corpus.list_web_entities()
        ],
        "counters": corpus.counters(),
        "rules": corpus.rules().rules,
        "exceptions": corpus.precision().exceptions,
        "jobs": [
            (j.job_id, j.spec.web_entity_id, j.previous_web_entity_id, j.previous_web_entity_name)
            for j in corpus.list_jobs()
        ],
        "options": corpus.options(),
        "pages": [(p.lru, p.web_entity_id, p.node) for p in corpus.iter_pages()],
        "links": corpus.web_entity_links(),
        "inside": corpus.internal_weights(),
        "nodes": list(corpus.iter_node_links()),
    }


def last_act(corpus: StoredMemoryStructure) -> Act:
    return corpus.get_act(corpus.list_acts(limit=1)[0].act_id)


ACTS_OF: dict[ActKind, Callable[[StoredMemoryStructure], Any]] = {
    ActKind.DECLARE: lambda s: s.declare_web_entity(
        [PQ, S], start_pages=[StartPage("http://a.com/s", "user")]
    ),
    ActKind.EDIT: lambda s: s.edit_web_entity(1, name="N", note="n", homepage="http://a.com/p"),
    ActKind.STATUS: lambda s: s.set_statuses([1, 2, 3], OUT),
    ActKind.TAGS: lambda s: s.edit_tags([1, 3], add=[("USER", "c", "v")], remove=[RED]),
    ActKind.START_PAGES: lambda s: s.edit_start_pages(1, add=[StartPage("http://a.com/p", "user")]),
    ActKind.ADD_PREFIXES: lambda s: s.add_prefixes(2, [PQ, lru("c.com", "x")], take=True),
    ActKind.REMOVE_PREFIX: lambda s: s.remove_prefix(1, A),
    ActKind.MERGE: lambda s: s.merge_web_entities([1, 3], 2, take_name_and_status=True),
    ActKind.SPLIT: lambda s: s.split_web_entity(1, "path-2"),
    ActKind.DELETE: lambda s: s.delete_web_entity(1),
    ActKind.ADD_RULE: lambda s: s.add_rule(CreationRule(A, Preset.parse("path-1"))),
    ActKind.DELETE_RULE: lambda s: s.delete_rule(B),
    ActKind.APPLY_RULES: lambda s: s.apply_rules(),
    ActKind.ADD_EXCEPTION: lambda s: s.add_precision_exceptions([P]),
    ActKind.DELETE_EXCEPTION: lambda s: s.delete_precision_exceptions([PQ]),
    ActKind.OPTIONS: lambda s: s.set_options(
        CorpusOptions(precision_limit=1, max_depth=2, default_rule="page")
    ),
}


def prepare(corpus: StoredMemoryStructure, kind: ActKind) -> None:
    if kind is ActKind.DELETE_RULE:
        corpus.add_rule(CreationRule(B, Preset.parse("path-1")))
    if kind is ActKind.APPLY_RULES:
        corpus.add_rule(CreationRule(A, Preset.parse("path-1")))
    if kind is ActKind.DELETE_EXCEPTION:
        corpus.add_precision_exceptions([PQ])


@pytest.mark.parametrize("kind", ACTS_OF)
def test_act_is_recorded_undone_and_done_again(corpus: StoredMemoryStructure, kind: ActKind) -> None:
    prepare(corpus, kind)
    n_before, before = len(corpus.list_acts()), told(corpus)
    with acting("Ann"):
        ACTS_OF[kind](corpus)
    act, after = last_act(corpus), told(corpus)
    assert (len(corpus.list_acts()), act.kind, act.actor) == (n_before + 1, kind, "Ann")
    assert act.changes
    assert not act.summary.startswith(kind.value)
    assert after != before
    undoing = corpus.undo(act.act_id)
    assert (undoing.kind, undoing.undoes, undoing.summary) == (
        ActKind.UNDO,
        act.act_id,
        f"Undone: {act.summary}",
    )
    assert told(corpus) == before
    assert corpus.get_act(act.act_id).undone_by == undoing.act_id
    assert corpus.check() == []
    again = corpus.undo(undoing.act_id)
    assert again.summary == f"Done again: {act.summary}"
    assert told(corpus) == after
    assert corpus.get_act(act.act_id).undone_by is None
    assert corpus.check() == []


def test_every_kind_is_tried() -> None:
    assert set(ActKind) - set(ACTS_OF) == {ActKind.UNDO, ActKind.FORGET}


def test_changes_say_what_was_and_what_is(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(1, name="New", note="n")
    act = last_act(corpus)
    assert act.changes == (
        Change("web entity 1", "name", "A.com", "New"),
        Change("web entity 1", "note", "", "n"),
    )
    assert (act.web_entity_ids, act.n_web_entities) == ((1,), 1)
    corpus.add_prefixes(2, [PQ])
    assert Change(f"prefix {PQ}", "web entity", None, "2") in last_act(corpus).changes
    corpus.add_rule(CreationRule("", Preset.parse("page")))
    assert Change("default rule", "preset", "domain", "page") in last_act(corpus).changes
    assert corpus.list_acts(limit=1)[0].changes == ()


def test_nothing_changed_is_no_act(corpus: StoredMemoryStructure) -> None:
    n = len(corpus.list_acts())
    corpus.edit_web_entity(3, name="Three", status=IN, tags=[RED])
    corpus.set_statuses([3], IN)
    corpus.declare_pages([A])
    corpus.apply_rules(dry_run=True)
    corpus.split_web_entity(1, "page", dry_run=True)
    corpus.set_options(corpus.options())
    corpus.write_batch(batch(page(lru("new.com"), attempts=[fetch(2)])))
    corpus.create_job(SPEC)
    with pytest.raises(NotFound):
        corpus.delete_web_entity(99)
    assert len(corpus.list_acts()) == n


def test_pages_declared_are_an_act_when_they_make_entities(corpus: StoredMemoryStructure) -> None:
    corpus.declare_pages([lru("d.com"), lru("d.com", "y")])
    act = last_act(corpus)
    assert (act.kind, act.summary, act.web_entity_ids) == (
        ActKind.DECLARE,
        "1 web entity made for pages declared",
        (4,),
    )


def test_secrets_of_a_proxy_are_not_told(corpus: StoredMemoryStructure) -> None:
    corpus.set_options(CorpusOptions(precision_limit=1, proxy="http://user:secret@proxy.example:3128"))
    shown = [change for change in last_act(corpus).changes if change.subject == "option proxy"]
    assert [(change.before, change.after) for change in shown] == [("null", '"http://proxy.example:3128"')]


# -- lists


def test_acts_are_listed_newest_first_by_key(corpus: StoredMemoryStructure) -> None:
    for status in (OUT, IN, OUT, IN):
        corpus.set_statuses([1], status)
    corpus.edit_tags([2], add=[RED])
    ids = [act.act_id for act in corpus.list_acts()]
    assert ids == sorted(ids, reverse=True)
    assert list(paged(corpus, 2)) == ids
    assert list(paged(corpus, 2, web_entity_id=1)) == ids[1:5]
    assert list(paged(corpus, 3, kinds=[ActKind.TAGS, ActKind.STATUS])) == ids[:5]
    assert list(paged(corpus, 1, web_entity_id=2, kinds=[ActKind.STATUS])) == []
    assert corpus.list_acts(limit=0) == []
    with pytest.raises(InvalidValue):
        corpus.list_acts(limit=-1)
    with pytest.raises(NotFound, match="act 99"):
        corpus.get_act(99)


def paged(corpus: StoredMemoryStructure, limit: int, **filters: Any) -> Iterator[int]:
    before: int | None = None
    while True:
        found = corpus.list_acts(before=before, limit=limit, **filters)
        assert len(found) <= limit
        yield from (act.act_id for act in found)
        if not found:
            return
        before = found[-1].act_id


def test_act_on_many_names_a_hundred(corpus: StoredMemoryStructure) -> None:
    corpus.declare_pages([lru(f"site{i}.com") for i in range(120)])
    ids = [entity.web_entity_id for entity in corpus.list_web_entities()]
    assert corpus.set_statuses(ids, OUT) == 123
    act = last_act(corpus)
    assert (act.n_web_entities, len(act.web_entity_ids), act.summary) == (
        123,
        100,
        "Status of 123 web entities set to OUT",
    )
    assert next(found.act_id for found in corpus.list_acts(web_entity_id=ids[-1])) == act.act_id
    assert corpus.undo(act.act_id).n_web_entities == 123
    assert corpus.counters().n_out == 0


def test_entities_that_changed_since_a_version(corpus: StoredMemoryStructure) -> None:
    version = corpus.version()
    assert corpus.list_changed_web_entities(version) == (version, [])
    corpus.add_log("NOTE", "x")
    corpus.set_statuses([2], IN)
    assert corpus.list_changed_web_entities(version) == (version + 2, [2])
    corpus.write_batch(batch(page(lru("new.com"), attempts=[fetch(2)])))
    middle = corpus.version()
    corpus.delete_web_entity(1)
    corpus.add_prefixes(3, [lru("c.com", "y")])
    now, ids = corpus.list_changed_web_entities(version)
    assert (now, ids) == (corpus.version(), [1, 2, 3, 4, 5])
    assert corpus.list_changed_web_entities(middle) == (now, [1, 3, 5])
    assert corpus.list_changed_web_entities(0) == (now, [1, 2, 3, 4, 5])


# -- conflicts


def test_later_acts_on_the_same_field_are_named(corpus: StoredMemoryStructure) -> None:
    corpus.set_statuses([1, 2], IN)
    first = last_act(corpus).act_id
    corpus.edit_web_entity(2, name="other field")
    corpus.set_statuses([2], OUT)
    second = last_act(corpus).act_id
    version = corpus.version()
    with pytest.raises(UndoConflict, match=f"undo act {second} first") as refused:
        corpus.undo(first)
    assert (refused.value.act_id, refused.value.later_act_ids) == (first, (second,))
    assert corpus.version() == version
    corpus.undo(second)
    corpus.undo(first)
    assert [e.status for e in corpus.list_web_entities(ids=[1, 2])] == [WebEntityStatus.DISCOVERED] * 2
    assert corpus.get_web_entity(2).name == "other field"
    with pytest.raises(UndoConflict, match="undid it already"):
        corpus.undo(first)


def test_the_undoing_of_an_older_act_is_a_later_act_like_any_other(corpus: StoredMemoryStructure) -> None:
    corpus.add_prefixes(3, [lru("c.com", "y")])
    corpus.remove_prefix(3, lru("c.com", "y"))
    removed = last_act(corpus).act_id
    stranger = corpus.declare_web_entity([lru("c.com", "y")])
    corpus.delete_web_entity(stranger.web_entity_id)
    deleted = last_act(corpus).act_id
    undoing = corpus.undo(removed).act_id
    with pytest.raises(UndoConflict, match="changed since") as refused:
        corpus.undo(deleted)
    assert refused.value.later_act_ids == (undoing,)
    assert lru("c.com", "y") in corpus.get_web_entity(3).prefixes
    corpus.undo(undoing)
    corpus.undo(deleted)
    assert corpus.get_web_entity(stranger.web_entity_id).prefixes == (lru("c.com", "y"),)


@pytest.mark.parametrize("most", [1, 100])
def test_later_acts_are_the_same_read_beforehand_or_not(
    corpus: StoredMemoryStructure, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("memory_structure.stored.later_acts._MOST_AT_ONCE", most)
    corpus.set_statuses([2], IN)
    judged = last_act(corpus).act_id
    corpus.add_prefixes(3, [lru("c.com", "y")])
    added = last_act(corpus).act_id
    corpus.remove_prefix(3, lru("c.com", "y"))
    removed = last_act(corpus).act_id
    statuses = []
    for status in (OUT, IN, OUT):
        corpus.edit_web_entity(1, note=status.value)
        corpus.set_statuses([2], status)
        statuses.append(last_act(corpus).act_id)
    with pytest.raises(UndoConflict, match="web entity 2 changed since") as refused:
        corpus.undo(judged)
    assert refused.value.later_act_ids == tuple(reversed(statuses))
    with pytest.raises(UndoConflict, match="changed since") as refused:
        corpus.undo(added)
    assert refused.value.later_act_ids == (removed,)
    undoing = corpus.undo(removed)
    assert corpus.get_act(removed).undone_by == undoing.act_id
    corpus.undo(added)
    for act_id in reversed(statuses):
        corpus.undo(act_id)
    corpus.undo(judged)
    assert corpus.get_web_entity(2).status is WebEntityStatus.DISCOVERED
    assert corpus.check() == []


def test_a_conflict_names_some_acts_in_words_and_all_as_numbers() -> None:
    conflict = UndoConflict(1, tuple(range(30, 1, -1)), "it changed since")
    assert "11 and 9 more first" in str(conflict)
    assert len(conflict.later_act_ids) == 29


def test_entity_made_and_judged_since_is_not_lost(corpus: StoredMemoryStructure) -> None:
    made = corpus.declare_web_entity([P]).web_entity_id
    first = last_act(corpus).act_id
    corpus.edit_tags([made], add=[RED])
    tagged = last_act(corpus).act_id
    with pytest.raises(UndoConflict) as refused:
        corpus.undo(first)
    assert refused.value.later_act_ids == (tagged,)
    corpus.undo(tagged)
    corpus.add_prefixes(made, [S])
    added = last_act(corpus).act_id
    with pytest.raises(UndoConflict) as refused:
        corpus.undo(first)
    assert refused.value.later_act_ids == (added,)
    assert corpus.get_web_entity(made).prefixes == (P, S)


def test_prefix_goes_back_to_nobody_who_is_gone(corpus: StoredMemoryStructure) -> None:
    corpus.add_prefixes(1, [lru("c.com", "y")])
    corpus.add_prefixes(3, [lru("c.com", "y")], take=True)
    taken = last_act(corpus).act_id
    corpus.merge_web_entities(1, 2)
    merged = last_act(corpus).act_id
    with pytest.raises(UndoConflict) as refused:
        corpus.undo(taken)
    assert refused.value.later_act_ids == (merged,)


def test_freed_prefix_comes_back_from_what_a_crawl_made_there(corpus: StoredMemoryStructure) -> None:
    key = lru("c.com", "x")
    before = corpus.get_web_entity(3)
    corpus.delete_web_entity(3)
    deleted = last_act(corpus).act_id
    corpus.add_rule(CreationRule(C, Preset.parse("path-1")))
    corpus.write_batch(batch(page(key, attempts=[fetch(2)])))
    found = corpus.find_web_entity_by_prefix(key)
    assert found is not None
    corpus.set_statuses([found.web_entity_id], IN)
    judged = last_act(corpus).act_id
    corpus.undo(deleted)
    assert corpus.get_web_entity(3).prefixes == before.prefixes
    assert corpus.find_owner(key) == corpus.get_web_entity(3)
    left = corpus.get_web_entity(found.web_entity_id)
    assert (left.status, key in left.prefixes, len(left.prefixes)) == (IN, False, 3)
    assert corpus.get_act(judged).undone_by is None
    assert corpus.check() == []


def test_judged_entity_of_a_crawl_is_not_lost(corpus: StoredMemoryStructure) -> None:
    host = "s:http|h:127.0.0.1|"
    made = corpus.declare_web_entity([host]).web_entity_id
    corpus.delete_web_entity(made)
    deleted = last_act(corpus).act_id
    corpus.write_batch(batch(page(host, attempts=[fetch(2)])))
    found = corpus.find_web_entity_by_prefix(host)
    assert found is not None
    corpus.set_statuses([found.web_entity_id], IN)
    judged = last_act(corpus).act_id
    with pytest.raises(UndoConflict) as refused:
        corpus.undo(deleted)
    assert refused.value.later_act_ids == (judged,)
    corpus.undo(judged)
    corpus.undo(deleted)
    assert corpus.find_owner(host) == corpus.get_web_entity(made)
    with pytest.raises(NotFound):
        corpus.get_web_entity(found.web_entity_id)
    assert corpus.check() == []


def test_pages_found_since_get_owners(corpus: StoredMemoryStructure) -> None:
    corpus.declare_web_entity([C], name="Site")
    act = last_act(corpus).act_id
    corpus.write_batch(batch(page(C, lru("c.com", "z"), attempts=[fetch(2)])))
    undoing = corpus.undo(act)
    owner = corpus.find_owner(C)
    assert owner is not None
    assert (owner.name, owner.n_pages, owner.web_entity_id in undoing.web_entity_ids) == ("C.com", 2, True)
    assert corpus.check() == []


def test_options_that_are_fixed_by_now_are_not_set_back(open_structure: OpenStructure) -> None:
    corpus = open_structure()
    corpus.create_job(SPEC)
    corpus.set_options(CorpusOptions(precision_limit=2))
    corpus.write_batch(batch(page(A)))
    with pytest.raises(InvalidValue, match="precision_limit is fixed"):
        corpus.undo(1)
    assert corpus.options().precision_limit == 2


# -- the store


def test_check_finds_an_act_that_is_not_found_from_its_entity(corpus: StoredMemoryStructure) -> None:
    act = last_act(corpus)
    with corpus._storage.transaction() as transaction:
        transaction.put(ACT_ENTITIES, [(0, act.act_id, packed_ids([2]))])
    assert [finding.subject for finding in corpus.check()] == [f"act {act.act_id}"]


def test_corpus_without_the_tables_of_the_history_opens(tmp_path: Path) -> None:
    old = StoredMemoryStructure(SqliteStorage(tmp_path / "new.sqlite"))
    old.create_job(SPEC)
    old.write_batch(batch(page(A, P, B)))
    storage = SqliteStorage(tmp_path / "old.sqlite")
    tables = [table for table in CORPUS_TABLES if table not in HISTORY_TABLES]
    storage.ensure_tables(tables)
    with storage.transaction() as transaction:
        for table in tables:
            transaction.put(table, list(old.storage.scan(table)))
    corpus = StoredMemoryStructure(storage)
    assert corpus.list_acts() == []
    corpus.merge_web_entities(1, 2)
    corpus.undo(1)
    corpus.undo(corpus.forget(1).act_id)
    assert corpus.check() == []
    assert [e.web_entity_id for e in corpus.list_web_entities()] == [1, 2]


def test_corpus_from_before_the_history_opens(open_structure: OpenStructure) -> None:
    old = open_structure()
    old.create_job(SPEC)
    old.write_batch(batch(page(A, P)))
    with old._storage.transaction() as transaction:
        transaction.delete(ENTITY_CHANGES, [row[0] for row in transaction.scan(ENTITY_CHANGES)])
    corpus = open_structure()
    version = corpus.version()
    assert corpus.list_acts() == []
    assert corpus.list_changed_web_entities(version - 1) == (version, None)
    corpus.set_statuses([1], IN)
    assert corpus.list_changed_web_entities(version) == (version + 1, [1])
    assert corpus.list_changed_web_entities(version - 1) == (version + 1, None)
    assert corpus.check() == []
