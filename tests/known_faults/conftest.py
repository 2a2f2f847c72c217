"""A corpus in a file, and a service over it, for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.stored.structure import StoredMemoryStructure


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[StoredMemoryStructure]:
    storage = SqliteStorage(tmp_path / "corpus.sqlite")
    yield StoredMemoryStructure(storage)
    storage.close()
