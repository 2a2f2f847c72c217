"""Which start pages an entity keeps after a crawl."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hyphe_core.crawl.answered_starts import keep_answered_starts
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.prefixes import variations
from memory_structure.records import FetchedPage, FetchError, StartPage
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import url_to_lru
from tests.corpus_cases import SPEC, batch, fetch, page

HOME, SECURE, OLD, GONE = "http://x.com", "https://x.com", "http://x.com/old", "http://x.com/gone"


@pytest.fixture
def structure(tmp_path: Path) -> Iterator[MemoryStructure]:
    registry = open_registry(tmp_path)
    yield registry.open_structure(registry.create_corpus("c", CorpusOptions()).corpus_id)
    registry.close()


def answer(url: str, job_id: int = 1, to: str | None = None, **changes: object) -> FetchedPage:
    target = None if to is None else url_to_lru(to)
    return page(url_to_lru(url), attempts=[fetch(job_id, redirect_lru=target, **changes)])


def crawled(structure: MemoryStructure, *urls: str, kept: tuple[StartPage, ...] = ()) -> int:
    entity = structure.declare_web_entity(variations(url_to_lru(HOME)), start_pages=kept)
    return structure.create_job(
        replace(SPEC, web_entity_id=entity.web_entity_id, start_urls=urls, follow_prefixes=entity.prefixes)
    ).job_id


def kept_pages(structure: MemoryStructure) -> list[tuple[str, str]]:
    return [(found.url, found.source) for found in structure.get_web_entity(1).start_pages]


def test_those_that_answered_are_kept_once(structure: MemoryStructure) -> None:
    job_id = crawled(structure, SECURE, GONE, HOME, "no address", "http://x.com/never")
    structure.write_batch(
        batch(
            answer(SECURE, status=None, error=FetchError.TLS), answer(GONE, status=404), answer(HOME),
            answer("http://x.com/deeper", depth=1),
        )
    )  # fmt: skip
    assert keep_answered_starts(structure, job_id) == 1
    assert kept_pages(structure) == [(HOME, "auto")]
    n_acts = len(structure.list_acts())
    assert keep_answered_starts(structure, job_id) == 0
    assert len(structure.list_acts()) == n_acts


def test_the_target_stands_for_one_that_redirects_inside(structure: MemoryStructure) -> None:
    job_id = crawled(structure, OLD, GONE, "http://x.com/loop")
    structure.write_batch(
        batch(
            answer(OLD, status=301, to=SECURE), answer(SECURE, status=302, to=HOME), answer(HOME),
            answer(GONE, status=301, to="http://elsewhere.org/"), answer("http://elsewhere.org/"),
            answer("http://x.com/loop", status=301, to="http://x.com/loop"),
        )
    )  # fmt: skip
    keep_answered_starts(structure, job_id)
    assert kept_pages(structure) == [(HOME, "auto")]


def test_what_a_person_chose_stays_as_it_is(structure: MemoryStructure) -> None:
    job_id = crawled(structure, GONE, HOME, kept=(StartPage(GONE, "user"), StartPage(HOME + "/", "user")))
    structure.write_batch(batch(answer(GONE, status=404), answer(HOME)))
    assert keep_answered_starts(structure, job_id) == 0
    assert kept_pages(structure) == [(GONE, "user"), (HOME + "/", "user")]


def test_an_answer_of_another_crawl_is_none(structure: MemoryStructure) -> None:
    job_id = crawled(structure, HOME)
    other = structure.create_job(SPEC).job_id
    structure.write_batch(batch(answer(HOME, other)))
    assert keep_answered_starts(structure, job_id) == 0


def test_a_crawl_whose_entity_is_gone_keeps_none(structure: MemoryStructure) -> None:
    job_id = crawled(structure, HOME)
    structure.write_batch(batch(answer(HOME)))
    structure.delete_web_entity(1)
    assert keep_answered_starts(structure, job_id) == 0


def test_an_entity_that_goes_at_that_moment_keeps_none(
    structure: MemoryStructure, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = crawled(structure, HOME)
    structure.write_batch(batch(answer(HOME)))
    options = structure.options

    def delete_first() -> CorpusOptions:
        monkeypatch.setattr(structure, "options", options)
        structure.delete_web_entity(1)
        return options()

    monkeypatch.setattr(structure, "options", delete_first)
    assert keep_answered_starts(structure, job_id) == 0
