"""Short addresses are asked by a crawl job with the manners of any; then pages link to where they lead."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyphe_core.maintenance import open_context, run_maintenance
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.records import JobState
from memory_structure.url_cutter import url_to_lru
from tests.corpus_cases import SPEC, batch, link, page
from tests.mock_web.running import ROOT, MockWeb, crawl_environment, running_mock_web

PAGE = url_to_lru("http://paper.example/")
SHORT = "http://short.example/to-other"


@pytest.fixture(scope="module")
def web() -> Iterator[MockWeb]:
    with running_mock_web() as running:
        yield running


def test_a_shortener_is_asked_once_and_its_target_linked(web: MockWeb, tmp_path: Path) -> None:
    options = CorpusOptions(redirects=("+short.example",), proxy=web.proxy, delay_seconds=0.0)
    registry = open_registry(tmp_path)
    registry.create_corpus("c", options)
    structure = registry.open_structure("c")
    structure.create_job(SPEC)
    structure.write_batch(batch(page(PAGE, link(url_to_lru(SHORT), anchor="Read"))))
    structure.move_job(1, JobState.CANCELED)
    run_maintenance("resolve-redirects", open_context(registry, "c"))
    registry.close()

    command = [sys.executable, "-m", "hyphe_core.cli", "crawl", "--corpus", "c", "--resume", "--workers", "1"]
    environment = crawl_environment(tmp_path, None) | {"PATH": os.environ["PATH"]}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr

    registry = open_registry(tmp_path)
    report = run_maintenance("resolve-redirects", open_context(registry, "c"))
    assert report.n_changes == 1, report
    structure = registry.open_structure("c")
    found = {each.target_lru: each for each in structure.list_outlinks(PAGE)}
    target = url_to_lru("http://other.example/landing")
    assert set(found) == {url_to_lru(SHORT), target}
    assert (found[target].anchor, found[target].rel) == ("Read", "via:short.example")
    short = structure.find_page(url_to_lru(SHORT))
    assert short is not None
    assert short.fetch is not None
    assert (short.fetch.status, short.fetch.redirect_lru) == (302, target)
    assert registry.find_resolutions()[SHORT].trail == (SHORT, "http://other.example/landing")
    registry.close()
    assert web.paths("short.example") == ["/robots.txt", "/to-other"]
    assert web.paths("other.example") == []
