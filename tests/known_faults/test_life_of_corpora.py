"""Faults in the life of corpora that programs of this kind are known to have: none may occur here."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

from hyphe_core.api.call import Caller
from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.methods import Role
from hyphe_core.api.passwords import hash_password, matches_hash, matches_secret
from hyphe_core.api.service import Service
from hyphe_core.app import reconcile
from hyphe_core.config import load_config
from hyphe_core.exports import ExportRequest
from hyphe_core.maintenance.corpus_life import end_crawls
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.records import JobState
from memory_structure.registry import Registry
from tests.corpus_cases import SPEC, batch, lru, page
from tests.export_cases import ALL_REQUESTS, exported, fill

DESTRUCTIVE = ("clear_all", "destroy_corpus", "force_destroy_corpus", "reinitialize")


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    registry = open_registry(tmp_path)
    yield registry
    registry.close()


@pytest.fixture
def service(registry: Registry, tmp_path: Path) -> Service:
    """With an administrator, who is not the one who calls."""
    environment = {"HYPHE_DATA_DIR": str(tmp_path), "HYPHE_ADMIN_PASSWORD": "open sesame"}
    return Service(load_config(None, environment, {}), registry)


def answer(service: Service, method: str, *params: Any) -> Any:
    bound = service.table.get(method).bind(list(params))
    value = service.answer_blocking(bound, Caller()).value
    assert isinstance(value, dict)
    return value


def unpacked(file: io.BytesIO) -> bytes:
    """All that a backup holds, one behind the other."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return b"".join(
        zstandard.ZstdDecompressor().stream_reader(data).read() if name.endswith(".zst") else data
        for name, data in members.items()
    )


class TestDestruction:
    @pytest.mark.parametrize("method", DESTRUCTIVE)
    def test_needs_an_administrator(self, registry: Registry, service: Service, method: str) -> None:
        assert all_methods().get(method).role is Role.ADMIN
        corpus_id = fill(registry)
        registry.set_started(corpus_id, True)
        params = [] if method == "clear_all" else [corpus_id]
        assert answer(service, method, *params)["code"] == "fail"
        assert registry.open_structure(corpus_id).counters().n_pages

    def test_can_be_taken_back(self, registry: Registry) -> None:
        corpus_id = fill(registry)
        expected = exported(registry, corpus_id, ExportRequest(*ALL_REQUESTS[0]))
        destroyed = registry.trash_corpus(corpus_id)
        registry.undestroy_corpus(destroyed.destroyed_id)
        assert exported(registry, corpus_id, ExportRequest(*ALL_REQUESTS[0])) == expected

    def test_removes_the_very_store_of_the_corpus_and_no_other(
        self, registry: Registry, tmp_path: Path
    ) -> None:
        for name in ("one", "one two"):
            fill(registry, name)
        folders = {folder.name for folder in (tmp_path / "corpora").iterdir()}
        registry.destroy_corpus("one")
        left = {folder.name for folder in (tmp_path / "corpora").iterdir()}
        assert folders - left == {"one"}
        assert registry.open_structure("one-two").counters().n_pages


class TestSecrets:
    def test_a_stored_hash_is_no_password(self) -> None:
        stored = hash_password("rosebud")
        assert matches_hash("rosebud", stored)
        for wrong in (stored, "", None, "Rosebud", " rosebud "):
            assert not matches_hash(wrong, stored)
        assert not matches_secret(None, None)
        assert not matches_secret("", "")

    def test_neither_hashes_nor_cookies_are_in_backups(self, registry: Registry) -> None:
        corpus_id = fill(registry)
        stored = hash_password("rosebud")
        registry.create_corpus("locked", CorpusOptions(), stored)
        registry.open_structure("locked").create_job(replace(SPEC, cookies="session=12345"))
        file = io.BytesIO()
        registry.backup_corpus("locked", file)
        content = unpacked(file)
        assert b"locked" in content
        for secret in (stored.encode(), stored.rsplit("$", 1)[1].encode(), b"session=12345"):
            assert secret not in content
        assert registry.get_corpus(corpus_id)

    def test_a_backup_needs_no_secret_of_the_program_that_wrote_it(
        self, registry: Registry, tmp_path: Path
    ) -> None:
        file = io.BytesIO()
        registry.backup_corpus(fill(registry), file)
        elsewhere = open_registry(tmp_path / "elsewhere")
        assert elsewhere.restore_corpus(file).corpus_id == "exports"
        elsewhere.close()


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"defautStartpagesMode": "homepage"}, "did you mean defaultStartpagesMode"),
            ({"anything": 1}, "option anything is unknown"),
            ({"obey_robots": "certainly"}, "option obey_robots"),
            ({"ignore_internal_links": []}, "option ignore_internal_links"),
            ({"webarchives_option": "archive.nowhere"}, "option webarchives_option"),
        ],
    )
    def test_that_are_wrong_are_refused(
        self, registry: Registry, tmp_path: Path, options: dict[str, Any], words: str
    ) -> None:
        service = Service(load_config(None, {"HYPHE_DATA_DIR": str(tmp_path)}, {}), registry)
        assert words in answer(service, "create_corpus", "wrong", "", options)["message"]
        assert registry.list_corpora() == []

    def test_every_option_can_be_given_at_creation(self, registry: Registry, tmp_path: Path) -> None:
        service = Service(load_config(None, {"HYPHE_DATA_DIR": str(tmp_path)}, {}), registry)
        answer(service, "create_corpus", "first")
        shown = answer(service, "get_corpus_options", "first")["result"]
        given = {name: value for name, value in shown.items() if name != "suffix_list"} | {"max_depth": 1}
        assert answer(service, "create_corpus", "second", "", given)["code"] == "success"
        expected = {**shown, "max_depth": 1}
        assert answer(service, "get_corpus_options", "second")["result"] == expected


class TestWork:
    def test_a_job_canceled_before_it_began_is_not_queued_again(self, registry: Registry) -> None:
        registry.create_corpus("corpus", CorpusOptions())
        structure = registry.open_structure("corpus")
        job = structure.create_job(SPEC)
        registry.enqueue("corpus", job.job_id, [])
        end_crawls(registry, "corpus", "no longer wanted")
        reconcile(registry)
        assert registry.list_queue() == []
        assert structure.get_job(job.job_id).state is JobState.CANCELED

    def test_what_is_crawled_while_nobody_has_the_corpus_open_is_indexed(self, registry: Registry) -> None:
        registry.create_corpus("corpus", CorpusOptions())
        registry.set_started("corpus", False)
        structure = registry.open_structure("corpus")
        structure.create_job(SPEC)
        structure.write_batch(batch(page(lru("a.com"), lru("b.com"))))
        registry.set_started("corpus", True)
        assert (structure.counters().n_pages, structure.counters().n_web_entities) == (2, 2)

    def test_nothing_in_memory_counts(self, registry: Registry, tmp_path: Path) -> None:
        corpus_id = fill(registry)
        expected = [exported(registry, corpus_id, ExportRequest(*request)) for request in ALL_REQUESTS]
        other = open_registry(tmp_path)  # as a process sees it that was started after a crash
        assert [exported(other, corpus_id, ExportRequest(*request)) for request in ALL_REQUESTS] == expected
        other.close()


class TestBackups:
    def test_hold_everything_and_are_restored_by_one_call(self, registry: Registry) -> None:
        corpus_id = fill(registry)
        expected = [exported(registry, corpus_id, ExportRequest(*request)) for request in ALL_REQUESTS]
        file = io.BytesIO()
        registry.backup_corpus(corpus_id, file)
        registry.destroy_corpus(corpus_id)
        restored = registry.restore_corpus(file).corpus_id
        assert [exported(registry, restored, ExportRequest(*request)) for request in ALL_REQUESTS] == expected

    def test_an_emptied_corpus_works_as_a_new_one(self, registry: Registry) -> None:
        corpus_id = fill(registry)
        rules = set(registry.open_structure(corpus_id).rules().rules)
        registry.empty_corpus(corpus_id)
        structure = registry.open_structure(corpus_id)
        assert set(structure.rules().rules) == rules
        structure.declare_web_entity([lru("new.example")])
        structure.declare_pages([lru("c.example.net", "one", "two")])
        assert structure.check() == []
