"""The contract of web entities, rules, jobs, options and logs, on every backend."""

from __future__ import annotations

import pytest

from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import IllegalTransition, InvalidValue, NotFound, PrefixTaken, SchemaMismatch
from memory_structure.records import (
    EndReason,
    JobSpec,
    JobState,
    StartPage,
    WebEntityStatus,
)
from memory_structure.stored.schema import STATE
from memory_structure.stored.structure import StoredMemoryStructure
from tests.contract.conftest import OpenStructure
from tests.corpus_cases import SPEC, batch, fetch, lru, page

A, B, C = lru("a.com"), lru("b.com"), lru("c.com")
P, PQ = lru("a.com", "p"), lru("a.com", "p", "q")


@pytest.fixture
def corpus(structure: StoredMemoryStructure) -> StoredMemoryStructure:
    """A corpus with two jobs and pages on a.com and b.com."""
    structure.create_job(SPEC)
    structure.create_job(SPEC)
    structure.write_batch(batch(page(A, P, PQ, B), page(P, PQ), page(B, PQ)))
    return structure


def pairs(corpus: StoredMemoryStructure) -> list[tuple[int, ...]]:
    return [tuple(found) for found in corpus.web_entity_links()]


def owners(corpus: StoredMemoryStructure) -> dict[str, int]:
    return {record.lru: record.web_entity_id for record in corpus.iter_pages()}


# -- entities


def test_made_entity_takes_variations_and_a_name(corpus: StoredMemoryStructure) -> None:
    found = corpus.get_web_entity(1)
    assert len(found.prefixes) == 4
    assert list(found.prefixes) == sorted(found.prefixes)
    assert (found.name, found.status) == ("A.com", WebEntityStatus.DISCOVERED)
    assert (found.n_pages, found.n_pages_fetched) == (3, 2)
    assert found.created_at == found.modified_at


def test_declared_entity_takes_its_pages(corpus: StoredMemoryStructure) -> None:
    made = corpus.declare_web_entity(
        [P],
        name="Pé",
        status=WebEntityStatus.IN,
        tags=[("USER", "b", "2"), ("USER", "a", "1"), ("USER", "a", "1")],
        start_pages=[StartPage("http://a.com/p", "user")],
    )
    assert (made.web_entity_id, made.name, made.prefixes, made.n_pages) == (3, "Pé", (P,), 2)
    assert made.tags == (("USER", "a", "1"), ("USER", "b", "2"))
    assert made.start_pages == (StartPage("http://a.com/p", "user"),)
    assert owners(corpus) == {A: 1, P: 3, PQ: 3, B: 2}
    assert pairs(corpus) == [(1, 2, 1), (1, 3, 2), (2, 3, 1)]
    assert corpus.internal_weights() == {3: 1}
    assert corpus.counters().n_in == 1
    assert corpus.check() == []


def test_taken_or_missing_prefixes_are_refused(corpus: StoredMemoryStructure) -> None:
    version = corpus.version()
    with pytest.raises(PrefixTaken) as taken:
        corpus.declare_web_entity([P, A])
    assert (taken.value.prefix, taken.value.web_entity_id) == (A, 1)
    with pytest.raises(InvalidValue, match="at least one prefix"):
        corpus.declare_web_entity([])
    with pytest.raises(InvalidValue, match="not an LRU prefix"):
        corpus.declare_web_entity(["s:http|"])
    with pytest.raises(InvalidValue, match="does not belong"):
        corpus.declare_web_entity([P], start_pages=[StartPage("http://b.com/", "user")])
    assert corpus.version() == version
    assert owners(corpus) == {A: 1, P: 1, PQ: 1, B: 2}


def test_ids_are_never_reused(corpus: StoredMemoryStructure) -> None:
    made = corpus.declare_web_entity([P])
    assert corpus.delete_web_entity(made.web_entity_id) == ()
    assert corpus.declare_web_entity([P]).web_entity_id == made.web_entity_id + 1


def test_owner_of_any_lru(corpus: StoredMemoryStructure) -> None:
    for key, owner in ((lru("a.com", "unknown"), 1), (lru("www.a.com", "x", scheme="https"), 1), (B, 2)):
        found = corpus.find_owner(key)
        assert found is not None
        assert found.web_entity_id == owner
    assert corpus.find_web_entity_by_prefix(P) is None
    assert corpus.find_web_entity_by_prefix(A) == corpus.get_web_entity(1)


def test_lists_of_entities(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(1, name="Zed", status=WebEntityStatus.IN)
    corpus.declare_web_entity([C], name="Alpha")
    ids = [e.web_entity_id for e in corpus.list_web_entities()]
    assert ids == [1, 2, 3]
    assert [e.web_entity_id for e in corpus.list_web_entities(by_name=True)] == [3, 2, 1]
    assert [e.web_entity_id for e in corpus.list_web_entities(ids=[3, 1])] == [3, 1]
    assert [e.web_entity_id for e in corpus.list_web_entities(status=WebEntityStatus.DISCOVERED)] == [2, 3]
    assert [e.web_entity_id for e in corpus.list_web_entities(after=1, limit=1)] == [2]
    assert [e.web_entity_id for e in corpus.list_web_entities(after=("Alpha", 3), by_name=True)] == [2, 1]
    found = corpus.list_web_entities(status=WebEntityStatus.DISCOVERED, by_name=True, limit=1)
    assert [e.web_entity_id for e in found] == [3]
    found = corpus.list_web_entities(status=WebEntityStatus.DISCOVERED, after=2)
    assert [e.web_entity_id for e in found] == [3]
    with pytest.raises(NotFound, match="web entity 9"):
        corpus.list_web_entities(ids=[9])


def test_parents_and_children(corpus: StoredMemoryStructure) -> None:
    below = corpus.declare_web_entity([P]).web_entity_id
    deeper = corpus.declare_web_entity([PQ]).web_entity_id
    assert corpus.list_sub_web_entities(1) == [below, deeper]
    assert corpus.list_parent_web_entities(deeper) == [1, below]
    assert corpus.list_parent_web_entities(1) == []


def test_edits_replace_what_is_given(corpus: StoredMemoryStructure) -> None:
    before = corpus.get_web_entity(1)
    edited = corpus.edit_web_entity(1, homepage="http://a.com/home", note="n", tags=[("U", "c", "v")])
    assert (edited.name, edited.homepage, edited.note, edited.tags) == (
        "A.com",
        "http://a.com/home",
        "n",
        (("U", "c", "v"),),
    )
    assert edited.modified_at >= before.modified_at
    assert corpus.edit_web_entity(1, homepage="").homepage is None
    assert corpus.edit_web_entity(1, start_pages=[StartPage("http://www.a.com/p", "auto")]).start_pages
    with pytest.raises(InvalidValue, match="does not belong"):
        corpus.edit_web_entity(1, start_pages=[StartPage("http://b.com/", "auto")])
    with pytest.raises(InvalidValue, match="usable address"):
        corpus.edit_web_entity(1, start_pages=[StartPage("no address", "auto")])


def test_statuses_of_many_at_once_or_of_none(corpus: StoredMemoryStructure) -> None:
    assert corpus.set_statuses([1, 2, 1], WebEntityStatus.OUT) == 2
    assert corpus.set_statuses([1], WebEntityStatus.OUT) == 0
    with pytest.raises(NotFound, match="web entity 9"):
        corpus.set_statuses([1, 9], WebEntityStatus.IN)
    counters = corpus.counters()
    assert (counters.n_out, counters.n_in, counters.n_discovered) == (2, 0, 0)


# -- prefixes change hands


def test_prefix_is_added_or_taken(corpus: StoredMemoryStructure) -> None:
    corpus.add_prefixes(2, [P])
    assert owners(corpus) == {A: 1, P: 2, PQ: 2, B: 2}
    with pytest.raises(PrefixTaken):
        corpus.add_prefixes(1, [P])
    corpus.add_prefixes(1, [P], take=True)
    assert owners(corpus)[PQ] == 1
    assert corpus.check() == []


def test_entity_that_loses_its_last_prefix_is_gone(corpus: StoredMemoryStructure) -> None:
    made = corpus.declare_web_entity([P], name="Lost").web_entity_id
    job = corpus.create_job(JobSpec(made, ("http://a.com/p",), (P,))).job_id
    corpus.add_prefixes(2, [P], take=True)
    with pytest.raises(NotFound):
        corpus.get_web_entity(made)
    found = corpus.get_job(job)
    assert (found.spec.web_entity_id, found.previous_web_entity_id, found.previous_web_entity_name) == (
        None,
        made,
        "Lost",
    )
    assert corpus.check() == []


def test_removed_prefix_falls_to_the_next_owner_up(corpus: StoredMemoryStructure) -> None:
    other = lru("b.com", "x")
    made = corpus.declare_web_entity([P, other]).web_entity_id
    left = corpus.remove_prefix(made, P)
    assert left is not None
    assert left.prefixes == (other,)
    assert owners(corpus) == {A: 1, P: 1, PQ: 1, B: 2}
    assert corpus.remove_prefix(made, other) is None
    with pytest.raises(NotFound, match="does not own"):
        corpus.remove_prefix(2, A)
    assert corpus.check() == []


def test_deleted_entity_leaves_no_page_without_owner(corpus: StoredMemoryStructure) -> None:
    assert corpus.delete_web_entity(1) == (3,)
    assert owners(corpus) == {A: 3, P: 3, PQ: 3, B: 2}
    assert pairs(corpus) == [(2, 3, 1), (3, 2, 1)]
    assert corpus.check() == []


def test_merge_folds_everything(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(1, tags=[("U", "c", "1")], start_pages=[StartPage("http://a.com/", "user")])
    corpus.edit_web_entity(2, tags=[("U", "c", "2")])
    job = corpus.create_job(JobSpec(1, ("http://a.com/",), (A,))).job_id
    merged = corpus.merge_web_entities(1, 2)
    assert len(merged.prefixes) == 8
    assert (merged.n_pages, merged.n_pages_fetched) == (4, 3)
    assert merged.tags == (("U", "c", "1"), ("U", "c", "2"))
    assert merged.start_pages == (StartPage("http://a.com/", "user"),)
    assert (pairs(corpus), corpus.internal_weights()) == ([], {2: 5})
    found = corpus.get_job(job)
    assert (found.spec.web_entity_id, found.previous_web_entity_id) == (2, 1)
    with pytest.raises(InvalidValue, match="itself"):
        corpus.merge_web_entities(2, 2)
    with pytest.raises(NotFound):
        corpus.merge_web_entities(1, 2)
    assert corpus.check() == []


def test_merge_may_leave_tags_and_start_pages(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(1, tags=[("U", "c", "1")], start_pages=[StartPage("http://a.com/", "user")])
    merged = corpus.merge_web_entities(1, 2, keep_tags=False, keep_start_pages=False)
    assert (merged.tags, merged.start_pages) == ((), ())


# -- rules


def test_rule_counts_for_pages_to_come_and_when_applied(corpus: StoredMemoryStructure) -> None:
    rule = CreationRule(A, Preset.parse("path-1"))
    corpus.add_rule(rule)
    assert corpus.rules().find_rule(lru("www.a.com", scheme="https")) is not None
    assert owners(corpus)[P] == 1
    seen = corpus.apply_rules(A, dry_run=True)
    assert (seen.dry_run, seen.n_pages_moved, seen.created_web_entity_ids) == (True, 2, ())
    assert owners(corpus)[P] == 1
    done = corpus.apply_rules(A)
    assert (done.prefixes, done.created_web_entity_ids) == (seen.prefixes, (3,))
    assert owners(corpus) == {A: 1, P: 3, PQ: 3, B: 2}
    corpus.delete_rule(lru("www.a.com"))
    assert corpus.rules().find_rule(A) is None
    with pytest.raises(NotFound, match="no creation rule"):
        corpus.delete_rule(A)
    assert corpus.check() == []


def test_default_rule_is_an_option_too(corpus: StoredMemoryStructure) -> None:
    corpus.add_rule(CreationRule("", Preset.parse("page")))
    assert corpus.options().default_rule == "page"
    corpus.set_options(CorpusOptions(default_rule="subdomain", delay_seconds=3.0))
    assert str(corpus.rules().default.preset) == "subdomain"
    assert corpus.options().delay_seconds == 3.0
    corpus.declare_pages([lru("x.d.com", "y")])
    assert corpus.find_web_entity_by_prefix(lru("x.d.com")) is not None


def test_fixed_options_do_not_change_once_there_are_pages(corpus: StoredMemoryStructure) -> None:
    with pytest.raises(InvalidValue, match="precision_limit is fixed"):
        corpus.set_options(CorpusOptions(precision_limit=2))
    assert corpus.options() == CorpusOptions()


def test_options_come_back_whole(open_structure: OpenStructure) -> None:
    options = CorpusOptions(
        default_rule="path-1",
        precision_limit=3,
        proxy="http://p:1",
        start_modes=("pages-3",),
        extra=(("k", "[1]"),),
    )
    corpus = open_structure(options)
    assert corpus.options() == options
    changed = CorpusOptions(precision_limit=1, extra=(("z", "{}"),))
    corpus.set_options(changed)
    assert corpus.options() == changed
    assert open_structure().options() == changed


def test_prefix_map_is_a_copy(corpus: StoredMemoryStructure) -> None:
    copied = corpus.prefix_map()
    assert copied.find_owner(PQ) == (A, 1)
    copied[PQ] = 99
    assert corpus.prefix_map().find_owner(PQ) == (A, 1)


def test_other_instances_see_prefix_changes(open_structure: OpenStructure) -> None:
    here, there = open_structure(), open_structure()
    here.create_job(SPEC)
    here.write_batch(batch(page(A, P)))
    there.write_batch(batch(page(A, P, PQ, attempts=[fetch(attempt=2)])))
    here.declare_web_entity([P])
    there.write_batch(batch(page(P, lru("a.com", "p", "z"))))
    there.remove_prefix(2, P)
    here.write_batch(batch(page(PQ, lru("a.com", "p", "y"), lru("c.com"))))
    there.add_rule(CreationRule(B, Preset.parse("page")))
    here.write_batch(batch(page(lru("b.com", "x"), A)))
    assert here.find_web_entity_by_prefix(lru("b.com", "x")) is not None
    assert set(owners(there).values()) == {1, 3, 4}
    assert here.check() == []


def test_start_pages_of_many_entities_are_added_at_once(corpus: StoredMemoryStructure) -> None:
    http, twice = StartPage("http://a.com", "user"), StartPage("http://a.com/", "auto")
    deep = StartPage("http://a.com/p", "user")
    assert corpus.add_start_pages([(1, [http]), (2, [StartPage("http://b.com", "user")])]) == 2
    assert corpus.add_start_pages([(1, [deep, twice, deep]), (1, [http])]) == 1
    assert corpus.get_web_entity(1).start_pages == (http, deep)
    assert corpus.add_start_pages([(1, [twice])]) == 0
    with pytest.raises(InvalidValue, match="does not belong"):
        corpus.add_start_pages(
            [(2, [StartPage("http://b.com/new", "user")]), (1, [StartPage("http://b.com", "x")])]
        )
    assert corpus.get_web_entity(2).start_pages == (StartPage("http://b.com", "user"),)


def test_owners_of_many_prefixes_are_read_at_once(corpus: StoredMemoryStructure) -> None:
    deep = A + "p:deep|"
    found = corpus.prefix_owners([A, deep, "s:http|h:net|h:nobody|"])
    assert found == {A: 1}
    corpus.add_prefixes(2, [deep])
    assert corpus.prefix_owners([deep, A]) == {A: 1, deep: 2}
    assert corpus.prefix_owners([]) == {}


# -- jobs and logs


def test_jobs_move_by_the_table(corpus: StoredMemoryStructure) -> None:
    job = corpus.create_job(JobSpec(1, ("http://a.com/",), (A,), max_depth=2, max_pages=7))
    assert (job.job_id, job.state, job.spec.max_pages) == (3, JobState.PENDING, 7)
    running = corpus.move_job(3, JobState.RUNNING)
    assert running.started_at is not None
    assert running.ended_at is None
    same = corpus.move_job(3, JobState.RUNNING, active_seconds=2.5)
    assert (same.active_seconds, same.started_at) == (2.5, running.started_at)
    done = corpus.move_job(3, JobState.FINISHED, end=EndReason.COMPLETE, reason="all done")
    assert (done.end, done.reason) == (EndReason.COMPLETE, "all done")
    assert done.ended_at is not None
    with pytest.raises(IllegalTransition, match="crawl job 3 is finished"):
        corpus.move_job(3, JobState.RUNNING)
    again = corpus.move_job(3, JobState.PENDING)
    assert (again.ended_at, again.end, again.reason) == (
        None,
        EndReason.NONE,
        "waiting in the queue for a worker",
    )
    with pytest.raises(NotFound, match="crawl job 9"):
        corpus.move_job(9, JobState.RUNNING)


def test_many_jobs_move_at_once_where_they_may(corpus: StoredMemoryStructure) -> None:
    first, second, third = (j.job_id for j in corpus.create_jobs([JobSpec(1, ("http://a.com/",), (A,))] * 3))
    corpus.move_job(second, JobState.FINISHED, end=EndReason.COMPLETE)
    version = corpus.version()
    moved = corpus.move_jobs(
        [third, second, first, third], JobState.CANCELED, end=EndReason.CANCELED, reason="no more"
    )
    assert moved == [third, first]
    assert corpus.version() == version + 1
    jobs = corpus.list_jobs(ids=[first, second, third])
    assert [job.state for job in jobs] == [JobState.CANCELED, JobState.FINISHED, JobState.CANCELED]
    assert [job.reason == "no more" for job in jobs] == [True, False, True]
    assert corpus.move_jobs([first, third], JobState.CANCELED) == []
    with pytest.raises(NotFound, match="crawl job 99"):
        corpus.move_jobs([first, 99], JobState.PENDING)
    assert corpus.get_job(first).state is JobState.CANCELED


def test_a_review_says_who_when_and_what(corpus: StoredMemoryStructure) -> None:
    assert corpus.get_job(1).review is None
    job = corpus.set_job_reviewed(1, True, note="only a login page", actor="Ada")
    assert job.reviewed
    assert job.review is not None
    assert job.review[:2] == ("only a login page", "Ada")
    assert job.review.reviewed_at >= job.created_at
    again = corpus.set_job_reviewed(1, False, actor="Bob")
    assert not again.reviewed
    assert again.review is not None
    assert again.review[:2] == ("", "Bob")
    assert corpus.list_jobs(ids=[1]) == [again]
    with pytest.raises(NotFound, match="crawl job 9"):
        corpus.set_job_reviewed(9, True)


def test_many_jobs_at_once_are_all_or_none(corpus: StoredMemoryStructure) -> None:
    specs = [JobSpec(1, ("http://a.com/",), (A,), max_depth=depth) for depth in range(3)]
    made = corpus.create_jobs(specs)
    assert [(job.job_id, job.spec.max_depth) for job in made] == [(3, 0), (4, 1), (5, 2)]
    assert {job.reason for job in made} == {"waiting in the queue for a worker"}
    with pytest.raises(NotFound, match="web entity 77"):
        corpus.create_jobs([specs[0], JobSpec(77, (), ())])
    assert corpus.create_jobs([]) == []
    assert [job.job_id for job in corpus.list_jobs()] == [1, 2, 3, 4, 5]


def test_outcomes_of_a_job_are_counted(corpus: StoredMemoryStructure) -> None:
    html = "text/html; charset=utf-8"
    corpus.write_batch(
        batch(
            page(lru("a.com", "r1"), P, attempts=[fetch(2, depth=1, content_type=html, n_links=1)]),
            page(lru("a.com", "r2"), attempts=[fetch(2, depth=2, content_type="TEXT/HTML", n_links_cut=3)]),
            page(lru("a.com", "r3"), attempts=[fetch(2, depth=2, status=404)]),
            page(
                lru("a.com", "r4"),
                attempts=[
                    fetch(2, status=None, error="timeout", final=False),
                    fetch(2, status=None, error="dns", attempt=2),
                ],
            ),
        )
    )
    found = corpus.job_outcomes(2)
    assert found.by_outcome == (("200", 2), ("404", 1), ("dns", 1))
    assert found.by_depth == ((0, 1), (1, 1), (2, 2))
    assert found.by_type == (("text/html", 2),)
    assert (found.n_links, found.n_links_cut, found.n_bare, found.n_nofollow) == (1, 3, 1, 0)
    with pytest.raises(NotFound):
        corpus.job_outcomes(9)


def test_lists_of_jobs(corpus: StoredMemoryStructure) -> None:
    corpus.create_job(JobSpec(2, ("http://b.com/",), (B,)))
    corpus.move_job(2, JobState.RUNNING)
    assert [j.job_id for j in corpus.list_jobs()] == [1, 2, 3]
    assert [j.job_id for j in corpus.list_jobs(ids=[3, 1])] == [1, 3]
    assert [j.job_id for j in corpus.list_jobs(web_entity_id=2)] == [3]
    assert [j.job_id for j in corpus.list_jobs(states=[JobState.RUNNING])] == [2]
    with pytest.raises(NotFound, match="web entity 77"):
        corpus.create_job(JobSpec(77, (), ()))


def test_pages_of_a_job_in_the_order_stored(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(
        batch(page(C, attempts=[fetch(2, depth=1, follow=False, status=404)]), page(A, attempts=[fetch(2)]))
    )
    found = [(p.lru, p.depth, p.follow, p.status) for p in corpus.iter_job_pages(2)]
    assert found == [(C, 1, False, 404), (A, 0, True, 200)]
    assert [p.lru for p in corpus.iter_job_pages(1)] == [A, P, B]


def test_log_lines_come_oldest_first(corpus: StoredMemoryStructure) -> None:
    for i in range(5):
        corpus.add_log("NOTE", f"line {i}", job_id=1 if i % 2 else None)
    assert [e.message for e in corpus.iter_logs()] == [f"line {i}" for i in range(5)]
    assert [e.message for e in corpus.iter_logs(limit=2)] == ["line 3", "line 4"]
    assert [e.message for e in corpus.iter_logs(job_id=1)] == ["line 1", "line 3"]
    assert [(e.kind, e.job_id) for e in corpus.iter_logs(job_id=1, limit=1)] == [("NOTE", 1)]


# -- the corpus as a whole


def test_version_grows_with_each_write_alone(corpus: StoredMemoryStructure) -> None:
    version = corpus.version()
    corpus.web_entity_links()
    corpus.store_and_retrieve_flags([A])
    assert corpus.version() == version
    corpus.add_log("NOTE", "x")
    assert corpus.version() == version + 1
    assert corpus.size_bytes() > 0


def test_newer_schema_is_refused(open_structure: OpenStructure) -> None:
    corpus = open_structure()
    with corpus._storage.transaction() as transaction:
        transaction.update(STATE, ("schema",), [(1, (99,))])
    with pytest.raises(SchemaMismatch, match="schema 99"):
        open_structure()


def test_check_names_what_differs_and_rebuild_repairs(corpus: StoredMemoryStructure) -> None:
    with corpus._writing() as session:
        session.state.n_links += 3
        session.changed = True
    found = corpus.check()
    assert [(f.subject, f.stored, f.expected) for f in found] == [("n_links", "8", "5")]
    assert corpus.rebuild(dry_run=True) == found
    assert corpus.check() == found
    assert corpus.rebuild() == found
    assert corpus.check() == []
    assert corpus.rebuild() == []
