"""One service for the tests that only read it, with corpora in every state."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hyphe_core.api.passwords import hash_password
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.records import (
    Area,
    Batch,
    Fetch,
    FetchedPage,
    FetchError,
    FoundLink,
    JobSpec,
    JobState,
    LinkKind,
    StartPage,
    WebEntityStatus,
)
from memory_structure.registry import Registry
from memory_structure.url_cutter import url_to_lru
from tests.service.service_process import Client, ServiceProcess

FULL, EMPTY, STOPPED, MISSING, PROTECTED = "full", "empty", "stopped", "missing", "protected"
PASSWORD = "rosebud"
BODY = "<html><title>Un</title>é</html>".encode()
MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def link(url: str, kind: LinkKind = LinkKind.HYPERLINK, count: int = 1) -> FoundLink:
    return FoundLink(url_to_lru(url), kind, count, "anchor", "", Area.MAIN, None)


def page(
    url: str, *links: FoundLink, depth: int = 0, status: int | None = 200, **more: object
) -> FetchedPage:
    fetch = Fetch(
        1, MOMENT, depth=depth, status=status, content_type="text/html", encoding="utf-8", title=url
    )
    fetch = replace(fetch, n_links=len(links), **more)  # type: ignore[arg-type]
    return FetchedPage(url_to_lru(url), (fetch,), links)


PAGES = (
    page(
        "http://one.example.com/",
        link("http://one.example.com/a", count=2),
        link("http://one.example.com/a", LinkKind.FRAME),
        link("http://one.example.com/style.css", LinkKind.HEAD),
        link("http://www.two.org/x"),
        link("http://www.two.org/y"),
    ),
    page("http://one.example.com/a", link("http://www.two.org/x"), link("http://three.net/"), depth=1),
    page("http://one.example.com/gone", depth=1, status=404),
    page("http://one.example.com/slow", depth=1, status=None, error=FetchError.TIMEOUT),
    page("http://www.two.org/x", link("http://one.example.com/")),
)


def fill(registry: Registry) -> None:
    """The corpus every reading test works on: entity 1 crawled and IN, 2 OUT, 3 only discovered."""
    entry = registry.create_corpus(FULL, CorpusOptions(allow_private_networks=True))
    structure = registry.open_structure(entry.corpus_id)
    for url in ("http://one.example.com/", "http://www.two.org/x", "http://three.net/"):
        structure.declare_pages([url_to_lru(url)])
    job = structure.create_job(
        JobSpec(1, ("http://one.example.com/",), (url_to_lru("http://one.example.com/"),), cookies="secret=1")
    )
    structure.move_job(job.job_id, JobState.RUNNING)
    structure.add_log("CRAWL_RUNNING", "began", job.job_id)
    blobs = registry.open_blobs(entry.corpus_id)

    digest = hashlib.sha256(BODY).hexdigest()
    blobs.put(digest, BODY)
    first = PAGES[0]
    first = replace(first, attempts=(replace(first.fetch, digest=digest, size_bytes=len(BODY)),))
    structure.write_batch(Batch((first, *PAGES[1:])))
    structure.move_job(job.job_id, JobState.FINISHED, reason="all pages in reach are done")
    structure.set_statuses([1], WebEntityStatus.IN)
    structure.set_statuses([2], WebEntityStatus.OUT)
    structure.edit_web_entity(
        1, tags=[("USER", "kind", "press")], start_pages=[StartPage("http://one.example.com/a", "user")]
    )
    registry.set_started(entry.corpus_id, True)


def make_corpora(data_dir: Path) -> None:
    registry = open_registry(data_dir)
    fill(registry)
    for name in (EMPTY, PROTECTED, STOPPED):
        registry.create_corpus(name, CorpusOptions(), hash_password(PASSWORD if name == PROTECTED else ""))
        registry.set_started(name, name != STOPPED)
    registry.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    data_dir = tmp_path_factory.mktemp("service")
    make_corpora(data_dir)
    process = ServiceProcess(data_dir, max_request_bytes=200_000)
    yield process
    process.stop()


@pytest.fixture
def client(service: ServiceProcess) -> Client:
    return service.client()
