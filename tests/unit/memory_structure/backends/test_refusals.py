"""What a user reads when a store cannot be had."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from memory_structure.backends import mongodb
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.errors import StoreError, StoreFull, StoreUnreachable


@pytest.mark.parametrize(
    ("flags", "free_blocks", "kind", "words"),
    [
        (os.ST_RDONLY, 1 << 20, StoreError, "can only be read"),
        (0, 3, StoreFull, "no space left"),
    ],
)
def test_the_file_system_is_asked_why(
    flags: int,
    free_blocks: int,
    kind: type[StoreError],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = SimpleNamespace(f_flag=flags, f_bavail=free_blocks, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: room)
    with pytest.raises(kind, match=words):
        SqliteStorage(tmp_path / "absent" / "x.sqlite")


def test_a_missing_right_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreError, match=f"no right to read and write {tmp_path / 'absent'}"):
        SqliteStorage(tmp_path / "absent" / "x.sqlite")


def test_an_unreachable_server_is_told_without_the_drivers_inner_state() -> None:
    with pytest.raises(StoreUnreachable, match=r"MongoDB database hyphe does not answer: .*refused$"):
        mongodb.MongoStorage(
            "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=1", "hyphe", opening_seconds=0.0
        )
