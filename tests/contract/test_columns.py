"""Columns of a corpus say what its records say, also when they are brought up to date piece by piece."""

from __future__ import annotations

from memory_structure.records import JobState, StartPage, WebEntityStatus
from memory_structure.stored.moments import to_micros
from memory_structure.stored.structure import StoredMemoryStructure
from memory_structure.structure import MemoryStructure
from tests.contract.conftest import OpenStructure
from tests.corpus_cases import SPEC, batch, link, lru, page


def write(structure: MemoryStructure, first: int, last: int) -> None:
    for i in range(first, last):
        targets = [link(lru(f"s{(i * j + first) % 9}.com", f"p{j}")) for j in range(1, 5)]
        structure.write_batch(batch(page(lru(f"s{i % 6}.com", f"q{i}"), *targets)))


def assert_same(structure: MemoryStructure, fresh: MemoryStructure) -> None:
    """What one instance remembers equals what the records and another instance say."""
    entities = fresh.list_web_entities()
    counts = structure.page_counts()
    known = zip(
        counts.web_entity_ids.tolist(), counts.n_pages.tolist(), counts.n_pages_fetched.tolist(), strict=True
    )
    assert list(known) == [(e.web_entity_id, e.n_pages, e.n_pages_fetched) for e in entities if e.n_pages]
    network = structure.network_arrays()
    links = list(
        zip(network.sources.tolist(), network.targets.tolist(), network.weights.tolist(), strict=True)
    )
    assert links == [tuple(found) for found in fresh.web_entity_links()]
    rows = {row.web_entity_id: row for row in structure.iter_entity_rows()}
    assert list(rows) == [e.web_entity_id for e in entities]
    for e in entities:
        row = rows[e.web_entity_id]
        assert (row.name, row.status, row.homepage, row.note) == (e.name, e.status, e.homepage, e.note)
        assert (row.prefixes, row.tags) == (e.prefixes, e.tags)
        assert row.start_pages == e.start_pages
        assert (row.created_at_micros, row.modified_at_micros) == (
            to_micros(e.created_at),
            to_micros(e.modified_at),
        )


def test_columns_follow_batches_edits_merges_and_a_rebuild(open_structure: OpenStructure) -> None:
    structure: StoredMemoryStructure = open_structure()
    structure.create_job(SPEC)
    assert_same(structure, structure)
    for step in range(4):
        before = structure.figures_version()
        write(structure, step * 5, step * 5 + 5)
        assert structure.figures_version() != before
        assert_same(structure, open_structure())
    ids = [e.web_entity_id for e in structure.list_web_entities()]
    structure.edit_web_entity(
        ids[1],
        status=WebEntityStatus.IN,
        note="seen",
        tags=[("USER", "kind", "press")],
        start_pages=[StartPage("http://s1.com/", "user")],
    )
    structure.merge_web_entities(ids[0], ids[2])
    assert_same(structure, open_structure())
    structure.rebuild()
    assert_same(structure, open_structure())


def test_rows_of_some_ids_pass_over_the_absent_ones(structure: StoredMemoryStructure) -> None:
    first = structure.declare_web_entity([lru("a.com")])
    second = structure.declare_web_entity([lru("b.com")])
    found = structure.iter_entity_rows([second.web_entity_id, 99, first.web_entity_id])
    assert [row.name for row in found] == [first.name, second.name]
    assert list(structure.iter_entity_rows([99])) == []


def test_heads_of_jobs_tell_state_entity_and_pages(structure: StoredMemoryStructure) -> None:
    entity = structure.declare_web_entity([lru("s0.com")])
    job = structure.create_job(SPEC)
    (head,) = structure.list_job_heads()
    assert (head.job_id, head.web_entity_id, head.state) == (1, SPEC.web_entity_id, JobState.PENDING)
    structure.move_job(job.job_id, JobState.RUNNING)
    write(structure, 0, 1)
    (head,) = structure.list_job_heads()
    assert (head.state, head.n_pages) == (JobState.RUNNING, 1)
    assert entity.web_entity_id == 1
