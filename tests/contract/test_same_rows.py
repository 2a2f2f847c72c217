"""The same batches and edits give the same rows in every backend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_structure.backends.mongodb import MongoStorage
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.records import (
    LinkKind,
)
from memory_structure.storage import Storage
from memory_structure.stored.moments import to_micros
from memory_structure.stored.schema import ACT_CHANGES, ACTS, CORPUS_TABLES, ENTITIES, JOBS, STATUS_POINTS
from memory_structure.stored.structure import StoredMemoryStructure
from tests.corpus_cases import MOMENT, SPEC, batch, fetch, link, lru, page
from tests.mongodb_server import MongoServer, fresh_database_name

# Columns that tell when a person or a worker did something.
MOMENTS = {
    ENTITIES.name: {"modified_at"},
    JOBS.name: {"created_at", "started_at", "ended_at"},
    ACTS.name: {"acted_at"},
    ACT_CHANGES.name: {"changes"},  # compressed, with moments in it: told in words instead
}


def fill(storage: Storage) -> StoredMemoryStructure:
    structure = StoredMemoryStructure(storage, CorpusOptions(precision_limit=1))
    structure.create_job(SPEC)
    for i in range(12):
        site = f"s{i % 5}.com"
        links = [lru(f"s{(i * j) % 7}.com", f"p{j}", f"q{i}") for j in range(1, 9)]
        structure.write_batch(
            batch(
                page(lru(site, f"p{i}"), *links, link(lru(site), LinkKind.REDIRECT), text=f"text {i}"),
                page(lru(site), *links[:3], attempts=[fetch(attempt=i + 1)]),
            )
        )
    structure.add_rule(CreationRule(lru("s1.com"), Preset.parse("path-1")))
    structure.apply_rules()
    structure.merge_web_entities(1, 2)
    structure.remove_prefix(3, lru("s2.com"))
    return structure


def rows_of(storage: Storage) -> dict[str, list[dict[str, Any]]]:
    rows = {}
    for table in CORPUS_TABLES:
        if table is STATUS_POINTS:  # its rows tell when people did something
            continue
        hidden = MOMENTS.get(table.name, set())
        names = tuple(column.name for column in table.columns if column.name not in hidden)
        rows[table.name] = [dict(zip(names, row, strict=True)) for row in storage.scan(table, columns=names)]
    for entity in rows[ENTITIES.name]:
        if entity["created_at"] != to_micros(MOMENT):
            entity["created_at"] = "when edited"
    structure = StoredMemoryStructure(storage)
    for act in rows[ACTS.name]:
        act["changes"] = structure.get_act(act["id"]).changes
    return rows


def test_backends_hold_the_same_rows(tmp_path: Path, mongodb_server: MongoServer) -> None:
    one = SqliteStorage(tmp_path / "corpus.sqlite")
    other = MongoStorage(mongodb_server.uri, fresh_database_name())
    assert fill(one).check() == []
    assert fill(other).check() == []
    expected, got = rows_of(one), rows_of(other)
    for name in expected:
        assert got[name] == expected[name], name
    one.destroy()
    other.destroy()


def test_replay_into_a_new_file_gives_the_same_rows(tmp_path: Path) -> None:
    dumps = []
    for name in ("a", "b"):
        storage = SqliteStorage(tmp_path / f"{name}.sqlite")
        fill(storage)
        dumps.append(rows_of(storage))
        storage.close()
    assert dumps[0] == dumps[1]
    made_by_batches = [e for e in dumps[0][ENTITIES.name] if e["created_at"] == to_micros(MOMENT)]
    assert made_by_batches
