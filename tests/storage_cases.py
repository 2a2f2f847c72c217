"""Tables and fixtures of the suites over every database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_structure.backends.mongodb import MongoStorage
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.storage import Column, ColumnKind, Index, Key, Row, Storage, Table
from tests.mongodb_server import MongoServer, fresh_database_name, real_server_uri

PAGES = Table(
    "pages",
    (
        Column("id", ColumnKind.INTEGER),
        Column("lru", ColumnKind.TEXT),
        Column("entity", ColumnKind.INTEGER),
        Column("score", ColumnKind.REAL),
        Column("body", ColumnKind.BLOB),
    ),
    ("id",),
    (
        Index("by_lru", ("lru",), unique=True),
        Index("by_entity", ("entity",)),
        Index("by_entity_lru", ("entity", "lru"), unique=True),
        Index("by_score", ("score",)),
    ),
)
BLOCKS = Table(
    "blocks",
    (
        Column("kind", ColumnKind.TEXT),
        Column("block", ColumnKind.INTEGER),
        Column("size", ColumnKind.INTEGER),
        Column("data", ColumnKind.BLOB),
    ),
    ("kind", "block"),
    (Index("by_size", ("size",)), Index("by_block", ("block",))),
)
TABLES = (PAGES, BLOCKS)
BACKENDS = ["sqlite", "mongodb", *(["real mongodb"] if real_server_uri() else [])]

Opener = Callable[[], Storage]


@pytest.fixture(params=BACKENDS)
def opener(request: pytest.FixtureRequest, tmp_path: Path, mongodb_server: MongoServer) -> Iterator[Opener]:
    """Opens one and the same database, as often as one likes."""
    opened: list[Storage] = []
    name = fresh_database_name()
    uri = mongodb_server.uri if request.param == "mongodb" else real_server_uri() or ""

    def open_it() -> Storage:
        sqlite = request.param == "sqlite"
        storage: Storage = SqliteStorage(tmp_path / "it.sqlite") if sqlite else MongoStorage(uri, name)
        opened.append(storage)
        return storage

    yield open_it
    for storage in opened[1:]:
        storage.close()
    if opened:
        opened[0].destroy()


@pytest.fixture
def storage(opener: Opener) -> Storage:
    opened = opener()
    opened.ensure_tables(TABLES)
    return opened


class Boom(Exception):
    """A fault inside a transaction."""


def key_of(table: Table, row: Row) -> Key:
    key = tuple(row[table.position(name)] for name in table.key)
    return key[0] if len(key) == 1 else key
