"""Small crawls, and one service, for the tests of decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from memory_structure.corpus_records import CorpusOptions
from tests.decisions.small_crawl import SmallCrawl, Web
from tests.service.conftest import client, service

__all__ = ["client", "service"]

MakeCrawl = Callable[..., SmallCrawl]


@pytest.fixture
def make_crawl(tmp_path: Path) -> Iterator[MakeCrawl]:
    """Makes corpora with a web to crawl, each in a folder of its own."""
    made: list[SmallCrawl] = []

    def make(
        web: Web | None = None,
        robots: Mapping[str, bytes] | None = None,
        options: CorpusOptions | None = None,
    ) -> SmallCrawl:
        made.append(SmallCrawl(tmp_path / str(len(made)), web, robots, options))
        return made[-1]

    yield make
    for crawl in made:
        crawl.registry.close()
