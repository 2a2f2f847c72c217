"""Servers and databases for the tests of the MongoDB storage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory_structure.backends.mongodb import MongoStorage
from tests.mongodb_server import MongoServer, fresh_database_name, running_server
from tests.mongodb_writer import ROWS, Open, old_rows


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MongoServer]:
    """A server of this module's own, to be killed."""
    with running_server(tmp_path_factory.mktemp("killed")) as server:
        yield server


@pytest.fixture
def database() -> str:
    return fresh_database_name()


@pytest.fixture
def open_storage(server: MongoServer, database: str) -> Iterator[Open]:
    """Opens the test's database with the old rows in it, as often as one likes."""
    opened: list[MongoStorage] = []

    def open_it(**options: object) -> MongoStorage:
        storage = MongoStorage(server.uri, database, **options)  # type: ignore[arg-type]
        opened.append(storage)
        return storage

    first = open_it()
    first.ensure_tables([ROWS])
    with first.transaction() as transaction:
        transaction.insert(ROWS, old_rows())
    yield open_it
    opened[0].destroy()
    for storage in opened:
        storage.close()
