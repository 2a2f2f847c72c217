"""Every backend, for the suite of the memory structure: a backend is one entry of OPENERS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_structure.backends.mongodb import MongoStorage
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.corpus_records import CorpusOptions
from memory_structure.storage import Storage
from memory_structure.stored.structure import StoredMemoryStructure
from tests.mongodb_server import MongoServer, fresh_database_name

MakeStorage = Callable[[], Storage]
OpenStructure = Callable[..., StoredMemoryStructure]
FreshCorpus = Callable[[], OpenStructure]


def _sqlite(request: pytest.FixtureRequest) -> MakeStorage:
    folder: Path = request.getfixturevalue("tmp_path")
    name = fresh_database_name()
    return lambda: SqliteStorage(folder / f"{name}.sqlite")


def _mongodb(request: pytest.FixtureRequest) -> MakeStorage:
    server: MongoServer = request.getfixturevalue("mongodb_server")
    name = fresh_database_name()
    return lambda: MongoStorage(server.uri, name)


OPENERS: dict[str, Callable[[pytest.FixtureRequest], MakeStorage]] = {"sqlite": _sqlite, "mongodb": _mongodb}


@pytest.fixture(params=sorted(OPENERS, reverse=True))
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def fresh_corpus(backend: str, request: pytest.FixtureRequest) -> Iterator[FreshCorpus]:
    """Makes corpora: each answer opens one and the same, as often as one likes; options count the first
    time."""
    corpora: list[list[Storage]] = []

    def make_corpus() -> OpenStructure:
        make = OPENERS[backend](request)
        opened: list[Storage] = []
        corpora.append(opened)

        def open_it(options: CorpusOptions | None = None) -> StoredMemoryStructure:
            opened.append(make())
            return StoredMemoryStructure(opened[-1], options)

        return open_it

    yield make_corpus
    for opened in corpora:
        for storage in opened[1:]:
            storage.close()
        for storage in opened[:1]:
            storage.destroy()


@pytest.fixture
def open_structure(fresh_corpus: FreshCorpus) -> OpenStructure:
    """Opens one and the same corpus."""
    return fresh_corpus()


@pytest.fixture
def structure(open_structure: OpenStructure) -> StoredMemoryStructure:
    return open_structure()
