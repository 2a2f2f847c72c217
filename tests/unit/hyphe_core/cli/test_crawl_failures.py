"""A crawl that brought nothing says at which stage, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from hyphe_core.cli import crawl_failures
from hyphe_core.cli.crawl_failures import empty_crawls
from hyphe_core.cli.crawl_watch import CrawlWatch
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.records import EndReason, JobSpec, JobState
from memory_structure.url_cutter import url_to_lru
from tests.corpus_cases import batch, fetch, page


def test_each_empty_crawl_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = open_registry(tmp_path)
    registry.create_corpus("c", CorpusOptions())
    structure = registry.open_structure("c")
    answers = [
        {"status": None, "error": "dns"},
        {"status": 403},
        {"status": 200},
        {"status": None, "error": "tls"},
    ]
    for number, answer in enumerate(answers, 1):
        url = f"http://site{number}.com/"
        entity = structure.declare_web_entity([url_to_lru(url)])
        structure.create_job(JobSpec(entity.web_entity_id, (url,), entity.prefixes))
        structure.write_batch(batch(page(url_to_lru(url), attempts=[fetch(number, **answer)])))
        structure.move_job(number, JobState.RUNNING)
        structure.move_job(number, JobState.FINISHED, end=EndReason.COMPLETE)
    view = CrawlWatch(structure, "c", [1, 2, 3, 4]).look()
    first, second, third = empty_crawls(structure, view)
    assert first.startswith(
        "Site1.com: http://site1.com/ failed at dns (dns): the host has no (public) address"
    )
    assert "failed at status (status 403)" in second
    assert "failed at tls" in third
    monkeypatch.setattr(crawl_failures, "MOST_TOLD", 1)
    assert list(empty_crawls(structure, view))[1].startswith("2 more crawls")
    registry.close()
