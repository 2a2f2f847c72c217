"""Backups that the service writes by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from hyphe_core.api import automatic_backups
from hyphe_core.api.automatic_backups import back_up_due, backup_folder
from hyphe_core.app import tidy
from hyphe_core.clock import now
from hyphe_core.config import Config
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.registry import Registry
from tests.corpus_cases import lru


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(data_dir=tmp_path, backup_days=1.0, n_backups=2)


@pytest.fixture
def registry(config: Config) -> Iterator[Registry]:
    registry = open_registry(config.data_dir)
    registry.create_corpus("a", CorpusOptions())
    yield registry
    registry.close()


def later(monkeypatch: pytest.MonkeyPatch, days: float) -> None:
    monkeypatch.setattr(automatic_backups, "now", lambda: now() + timedelta(days=days))


def change(registry: Registry, name: str) -> None:
    registry.open_structure("a").declare_web_entity([lru(name)])


def test_none_is_written_unless_asked_for(registry: Registry, tmp_path: Path) -> None:
    assert back_up_due(registry, Config(data_dir=tmp_path)) == []
    assert not (tmp_path / "backups").exists()


def test_what_changed_is_backed_up_once_in_the_time(
    registry: Registry, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = back_up_due(registry, config)
    with first.open("rb") as file:
        assert registry.restore_corpus(file, name="copy").corpus_id == "copy"
    registry.destroy_corpus("copy")
    change(registry, "one.com")
    assert back_up_due(registry, config) == []
    later(monkeypatch, 1.1)
    (second,) = back_up_due(registry, config)
    assert second != first
    later(monkeypatch, 9)
    assert back_up_due(registry, config) == []  # nothing changed since


def test_the_newest_are_kept_and_no_file_of_others_is_removed(
    registry: Registry, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [backup_folder(config) / name for name in ("a.zip", "a-auto-mine.hyphe.zip", "b-auto-1.zip")]
    for other in others:
        other.write_text("of a person")
    written = []
    for n in range(4):
        change(registry, f"s{n}.com")
        later(monkeypatch, 2 * n)
        written += back_up_due(registry, config)
    assert len(written) == 4
    assert set(backup_folder(config).iterdir()) == {*others, *written[-2:]}


def test_a_corpus_that_cannot_be_read_holds_up_no_other(
    config: Config, registry: Registry, caplog: pytest.LogCaptureFixture
) -> None:
    registry.create_corpus("b", CorpusOptions())
    registry.close()
    (config.data_dir / "corpora" / "a" / "corpus.sqlite").write_bytes(b"no database" * 500)
    again = open_registry(config.data_dir)
    tidy(again, config)
    assert [path.name.split("-")[0] for path in backup_folder(config).iterdir()] == ["b"]
    assert "corpus a was not backed up" in caplog.text
    again.close()
