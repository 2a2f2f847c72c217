"""Faults in ownership, rules and counts that crawlers of this kind are known to have: none may occur here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.creation_rules import CreationRule, Flag, Preset
from memory_structure.errors import InvalidValue
from memory_structure.records import EndReason, JobState, WebEntityStatus
from memory_structure.stored.structure import StoredMemoryStructure
from tests.corpus_cases import SPEC, batch, fetch, lru, page

A, B = lru("a.com"), lru("b.com")
SECTION = lru("a.com", "section")
IN, OUT = WebEntityStatus.IN, WebEntityStatus.OUT


def deep(*path: str) -> str:
    return lru("a.com", "section", *path)


class TestRules:
    def test_declaring_a_section_makes_no_entity_of_the_whole_domain(
        self, corpus: StoredMemoryStructure
    ) -> None:
        section = corpus.declare_web_entity([SECTION])
        corpus.create_job(SPEC)
        corpus.write_batch(batch(page(deep("x"), deep("y"))))
        assert [e.web_entity_id for e in corpus.list_web_entities()] == [section.web_entity_id]

    def test_freeing_one_form_of_a_prefix_leaves_one_owner_to_each_page(
        self, corpus: StoredMemoryStructure
    ) -> None:
        corpus.create_job(SPEC)
        corpus.write_batch(batch(page(A, lru("www.a.com", "x"))))
        owner = corpus.find_owner(A)
        assert owner is not None
        corpus.remove_prefix(owner.web_entity_id, lru("www.a.com"))
        owners = {record.lru: record.web_entity_id for record in corpus.iter_pages()}
        assert owners[lru("www.a.com", "x")] == owners[A] == owner.web_entity_id
        assert corpus.check() == []

    @pytest.mark.parametrize(
        "preset", ["domain", "subdomain", "subdomain-2", "path-1", "path-2", "page", "prefix+1"]
    )
    def test_simulation_says_what_indexing_does(self, corpus: StoredMemoryStructure, preset: str) -> None:
        corpus.add_rule(CreationRule(A, Preset.parse(preset)))
        corpus.declare_web_entity([SECTION])
        lrus = [A, lru("x.a.com", "p"), lru("a.com", "p", "q"), SECTION, deep("x"), B]
        foretold = corpus.store_and_retrieve_flags(lrus)
        for one, decision in zip(lrus, foretold, strict=True):
            again = corpus.store_and_retrieve_flags([one])[0]
            corpus.declare_pages([one])
            owner = corpus.find_owner(one)
            assert owner is not None
            assert again.prefix in owner.prefixes
            if decision.flag is Flag.WEB_ENTITY:
                assert decision.prefix == again.prefix

    def test_no_page_is_without_an_entity(self, corpus: StoredMemoryStructure) -> None:
        corpus.add_rule(CreationRule("", Preset.parse("path-3")))
        found = corpus.declare_pages([lru("c.com"), lru("d.e.com", "x")])
        assert all(record.web_entity_id > 0 and new for record, new in found)

    @pytest.mark.parametrize("preset", ["subdomain-1", "subdomain-3", "path-2", "prefix+2"])
    def test_a_rule_is_shown_by_its_name(self, preset: str) -> None:
        assert str(Preset.parse(preset)) == preset

    @pytest.mark.parametrize("text", ["(", "s:http|(h:[^|]+|", "path-", "path-x", "subdomain--1", ""])
    def test_what_is_no_rule_is_refused_before_it_is_stored(
        self, corpus: StoredMemoryStructure, text: str
    ) -> None:
        before = corpus.rules().rules
        with pytest.raises(InvalidValue):
            corpus.add_rule(CreationRule(A, Preset.parse(text)))
        assert corpus.rules().rules == before


class TestWeights:
    def test_fetching_a_page_again_or_replaying_a_batch_adds_no_weight(
        self, corpus: StoredMemoryStructure
    ) -> None:
        corpus.create_job(SPEC)
        corpus.create_job(SPEC)
        first = batch(page(A, B))
        corpus.write_batch(first)
        links = corpus.web_entity_links()
        corpus.write_batch(first)
        corpus.write_batch(batch(page(A, B, attempts=[fetch(2)])))
        assert corpus.web_entity_links() == links
        assert [link.weight for link in links] == [1]


class TestOneStore:
    def test_a_failed_merge_loses_neither_entity(self, corpus: StoredMemoryStructure) -> None:
        first = corpus.declare_web_entity([A], name="first").web_entity_id
        with pytest.raises(LookupError):
            corpus.merge_web_entities(first, 99)
        with pytest.raises(InvalidValue):
            corpus.merge_web_entities(first, first)
        assert corpus.get_web_entity(first).prefixes == (A,)
        assert corpus.check() == []

    def test_pages_of_a_deleted_entity_have_an_owner_at_once(self, corpus: StoredMemoryStructure) -> None:
        corpus.create_job(SPEC)
        corpus.write_batch(batch(page(A, deep("x"))))
        gone = corpus.find_owner(A)
        assert gone is not None
        corpus.delete_web_entity(gone.web_entity_id)
        known = {entity.web_entity_id for entity in corpus.list_web_entities()}
        assert {record.web_entity_id for record in corpus.iter_pages()} <= known
        assert gone.web_entity_id not in known


class TestCounts:
    def test_a_change_of_status_moves_totals_and_degrees(self, corpus: StoredMemoryStructure) -> None:
        corpus.create_job(SPEC)
        corpus.write_batch(batch(page(A, B)))
        source, target = corpus.find_owner(A), corpus.find_owner(B)
        assert source is not None
        assert target is not None
        assert target.web_entity_id not in corpus.degrees()
        corpus.set_statuses([source.web_entity_id], IN)
        assert corpus.degrees()[target.web_entity_id].indegree == 1
        assert (corpus.counters().n_in, corpus.counters().n_discovered) == (1, 1)
        corpus.set_statuses([source.web_entity_id], OUT)
        assert target.web_entity_id not in corpus.degrees()
        assert (corpus.counters().n_in, corpus.counters().n_out) == (0, 1)

    def test_jobs_of_a_merged_entity_are_those_of_the_entity_it_went_into(
        self, corpus: StoredMemoryStructure
    ) -> None:
        old = corpus.declare_web_entity([A]).web_entity_id
        good = corpus.declare_web_entity([B]).web_entity_id
        job = corpus.create_job(replace(SPEC, web_entity_id=old))
        corpus.merge_web_entities(old, good)
        assert [one.job_id for one in corpus.list_jobs(web_entity_id=good)] == [job.job_id]

    def test_a_tag_given_twice_counts_once(self, corpus: StoredMemoryStructure) -> None:
        tag = ("USER", "kind", "press")
        entity = corpus.declare_web_entity([A], tags=[tag, tag])
        assert corpus.edit_web_entity(entity.web_entity_id, tags=[tag, tag]).tags == (tag,)

    def test_a_job_that_was_called_off_before_it_ran_stays_so(self, tmp_path: Path) -> None:
        for _ in range(2):
            storage = SqliteStorage(tmp_path / "again.sqlite")
            corpus = StoredMemoryStructure(storage)
            jobs = corpus.list_jobs() or [corpus.create_job(SPEC)]
            if jobs[0].state is JobState.PENDING:
                corpus.move_job(jobs[0].job_id, JobState.CANCELED, end=EndReason.CANCELED)
            assert [job.state for job in corpus.list_jobs()] == [JobState.CANCELED]
            storage.close()


class TestWorkOfSeveral:
    def test_edits_of_two_programs_on_one_entity_are_both_kept(self, tmp_path: Path) -> None:
        one, other = (StoredMemoryStructure(SqliteStorage(tmp_path / "shared.sqlite")) for _ in range(2))
        entity_id = one.declare_web_entity([A]).web_entity_id
        one.edit_web_entity(entity_id, name="named here")
        other.edit_web_entity(entity_id, note="noted there")
        found = one.get_web_entity(entity_id)
        assert (found.name, found.note) == ("named here", "noted there")
        one.close()
        other.close()
