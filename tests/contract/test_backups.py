"""A corpus backed up and restored is the same corpus, over each backend and from one to the other."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from hyphe_core.exports import ExportRequest
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import AlreadyExists, NotFound, StoreLocked, UnusableBackup
from memory_structure.opening import open_registry
from memory_structure.records import EndReason, JobState, WebEntityStatus
from memory_structure.registry import Registry
from memory_structure.stored.dump import BODIES_MEMBER, CHECKSUMS, DUMPED_TABLES, MANIFEST
from memory_structure.stored.registry import StoredRegistry
from memory_structure.stored.schema import (
    ACTS,
    CORPORA,
    CORPUS_TABLES,
    STATE,
    STORES,
    TRASH,
    UNFINISHED,
)
from tests.corpus_cases import SPEC, batch, lru, page
from tests.export_cases import ALL_REQUESTS, exported, fill
from tests.mongodb_server import MongoServer

OpenRegistry = Callable[[str], StoredRegistry]


@pytest.fixture
def opening(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[OpenRegistry]:
    """Opens a registry over the backend of that name; one each a test, empty."""
    opened: list[StoredRegistry] = []

    def open_it(backend: str) -> StoredRegistry:
        uri = None
        if backend == "mongodb":
            server: MongoServer = request.getfixturevalue("mongodb_server")
            uri = server.uri
        registry = open_registry(tmp_path / f"data {len(opened)}", uri)
        assert isinstance(registry, StoredRegistry)
        opened.append(registry)
        return registry

    yield open_it
    for registry in opened:
        for entry in registry.list_corpora():
            registry.destroy_corpus(entry.corpus_id)
        registry.purge_destroyed()
        registry._storage.destroy()


@pytest.fixture
def registry(backend: str, opening: OpenRegistry) -> StoredRegistry:
    return opening(backend)


def everything(registry: Registry, corpus_id: str) -> list[bytes]:
    return [exported(registry, corpus_id, ExportRequest(subject, form)) for subject, form in ALL_REQUESTS]


def backed_up(registry: Registry, corpus_id: str) -> io.BytesIO:
    file = io.BytesIO()
    registry.backup_corpus(corpus_id, file)
    return file


def filled(registry: Registry, name: str = "exports") -> str:
    corpus_id = fill(registry, name)
    structure = registry.open_structure(corpus_id)
    job = structure.create_job(
        replace(SPEC, cookies="sid=secret1", proxy="http://someone:secret2@proxy.example:8080")
    )
    structure.move_job(job.job_id, JobState.RUNNING)
    structure.add_log("CRAWL_RUNNING", "by http://someone:secret4@proxy.example", job.job_id)
    options = structure.options()
    structure.set_options(replace(options, proxy="http://someone:secret3@proxy.example:8080"))
    structure.set_options(replace(options, proxy="http://proxy.example:8080"))
    return corpus_id


def rows_of(registry: StoredRegistry, corpus_id: str) -> dict[str, list[object]]:
    storage = registry.open_structure(corpus_id).storage
    return {table.name: list(storage.scan(table)) for table in DUMPED_TABLES}


@pytest.mark.parametrize(
    ("source", "target"),
    [("sqlite", "sqlite"), ("sqlite", "mongodb"), ("mongodb", "sqlite"), ("mongodb", "mongodb")],
)
def test_exports_are_the_same_bytes_after_a_restore(opening: OpenRegistry, source: str, target: str) -> None:
    origin = opening(source)
    corpus_id = filled(origin)
    expected = everything(origin, corpus_id)
    file = backed_up(origin, corpus_id)
    if source == target:
        registry = origin
        registry.destroy_corpus(corpus_id)
    else:
        registry = opening(target)
        if "mongodb" in (source, target):
            origin.destroy_corpus(corpus_id)
    entry = registry.restore_corpus(file)
    assert (entry.corpus_id, entry.name, entry.started) == (corpus_id, "exports", False)
    assert everything(registry, entry.corpus_id) == expected
    structure = registry.open_structure(entry.corpus_id)
    assert structure.check() == []
    assert set(registry.open_blobs(entry.corpus_id).iter_digests())
    ids = [entity.web_entity_id for entity in structure.list_web_entities()]
    structure.delete_web_entity(ids[-1])
    assert structure.declare_web_entity([lru("new.example")]).web_entity_id > ids[-1]


def test_every_table_of_a_corpus_is_in_a_backup() -> None:
    assert {table.name for table in CORPUS_TABLES} - {table.name for table in DUMPED_TABLES} == {"bodies"}


def test_rows_are_the_same_but_for_secrets_and_jobs_under_way(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    expected = rows_of(registry, corpus_id)
    restored = registry.restore_corpus(backed_up(registry, corpus_id), name="again").corpus_id
    got = rows_of(registry, restored)
    changed = {name for name in expected if got[name] != expected[name]}
    assert changed <= {"state", "jobs", "logs", "act_changes"}
    assert changed >= {"jobs", "logs"}


def test_jobs_under_way_are_paused(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    restored = registry.restore_corpus(backed_up(registry, corpus_id), name="again").corpus_id
    jobs = registry.open_structure(restored).list_jobs()
    assert {(job.state, job.end) for job in jobs} == {(JobState.PAUSED, EndReason.PAUSED)}
    assert {bool(job.reason) for job in jobs} == {True}
    assert registry.list_queue(restored) == []


def test_no_secret_is_in_a_backup(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    registry.set_password(corpus_id, "scrypt$secret5")
    file = backed_up(registry, corpus_id)
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    unpacked = {
        name: zstandard.ZstdDecompressor().stream_reader(data).read() if name.endswith(".zst") else data
        for name, data in members.items()
    }
    for line in unpacked["tables/act_changes.jsonl.zst"].splitlines():
        packed = json.loads(line)[1]
        unpacked[f"change {len(unpacked)}"] = zstandard.ZstdDecompressor().decompress(
            base64.b64decode(packed)
        )
    assert any(b"proxy.example" in data for name, data in unpacked.items() if name.startswith("change"))
    assert [name for name, data in unpacked.items() if b"secret" in data] == []
    head = registry.describe_backup(file)
    assert (head.name, head.is_protected) == ("exports", True)
    assert registry.restore_corpus(file, name="again").password_hash == ""
    assert registry.restore_corpus(file, name="locked", password_hash="hash").password_hash == "hash"


def test_bodies_that_are_lost_are_counted_and_the_rest_is_kept(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    packs = registry._stores.open_packs(corpus_id)
    for pack in packs.sizes():
        packs.remove(pack)
    registry.open_blobs(corpus_id).put(hashlib.sha256(b"kept").hexdigest(), b"kept")
    file = io.BytesIO()
    report = registry.backup_corpus(corpus_id, file)
    assert (report.n_bodies, report.n_lost_bodies) == (1, 3)
    restored = registry.restore_corpus(file, name="again").corpus_id
    assert list(registry.open_blobs(restored).iter_digests()) == [hashlib.sha256(b"kept").hexdigest()]


def test_a_backup_shows_one_moment_while_others_write(registry: StoredRegistry) -> None:
    corpus_id = registry.create_corpus("busy", CorpusOptions()).corpus_id
    structure = registry.open_structure(corpus_id)
    structure.create_job(SPEC)
    ended = threading.Event()

    def write() -> None:
        n = 0
        while not ended.is_set():
            n += 1
            structure.write_batch(batch(page(lru(f"s{n % 7}.com", f"p{n}"), lru(f"t{n % 5}.com"))))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        files = [backed_up(registry, corpus_id) for _ in range(3)]
    finally:
        ended.set()
        writer.join()
    for number, file in enumerate(files):
        restored = registry.restore_corpus(file, name=f"copy {number}").corpus_id
        assert registry.open_structure(restored).check() == []
    assert structure.counters().n_pages


# -- what is refused


def damaged(file: io.BytesIO, change: Callable[[dict[str, bytes]], None]) -> io.BytesIO:
    """The archive with members changed, in good order as a ZIP file."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made


def is_refused(registry: StoredRegistry, file: io.BytesIO, words: str) -> None:
    """It is told why, and nothing is left of the attempt."""
    with pytest.raises(UnusableBackup, match=words):
        registry.restore_corpus(file, name="half")
    for table in (CORPORA, STORES, TRASH, UNFINISHED):
        names = [row[0] for row in registry._storage.scan(table)]
        assert "half" not in names, table.name


def manifest_with(**values: object) -> Callable[[dict[str, bytes]], None]:
    def change(members: dict[str, bytes]) -> None:
        members[MANIFEST] = json.dumps(json.loads(members[MANIFEST]) | values).encode()

    return change


def swapped(members: dict[str, bytes]) -> None:
    one, two = "tables/pages.jsonl.zst", "tables/nodes.jsonl.zst"
    members[one], members[two] = members[two], members[one]


def shortened(members: dict[str, bytes]) -> None:
    rows = zstandard.ZstdDecompressor().stream_reader(members["tables/fetches.jsonl.zst"]).read()
    fewer = b"".join(rows.splitlines(keepends=True)[:-1])
    members["tables/fetches.jsonl.zst"] = zstandard.compress(fewer)


def without_state(members: dict[str, bytes]) -> None:
    forge(members, "state", [])


def forge(members: dict[str, bytes], table: str, rows: list[list[object]]) -> None:
    """Put other rows into a table, with their checksum."""
    data = zstandard.compress(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    members[f"tables/{table}.jsonl.zst"] = data
    checks = json.loads(members[CHECKSUMS])
    checks[f"tables/{table}.jsonl.zst"] = {"sha256": hashlib.sha256(data).hexdigest(), "n_records": len(rows)}
    members[CHECKSUMS] = json.dumps(checks).encode()


def with_cells(table: str, column: int, cell: object) -> Callable[[dict[str, bytes]], None]:
    """Another cell in each row of a table."""

    def change(members: dict[str, bytes]) -> None:
        name = f"tables/{table}.jsonl.zst"
        rows = zstandard.ZstdDecompressor().stream_reader(members[name]).read().splitlines()
        cells = [json.loads(row) for row in rows]
        forge(members, table, [[*row[:column], cell, *row[column + 1 :]] for row in cells])

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (manifest_with(format="other"), "no backup of a corpus"),
        (manifest_with(version=2), "newer program.*version 2"),
        (manifest_with(schema=10**6), "newer program.*schema"),
        (manifest_with(version="1"), "damaged: its version"),
        (manifest_with(name="changed"), "manifest.json is not what was written"),
        (lambda members: members.pop(MANIFEST), "no manifest.json"),
        (lambda members: members.pop(CHECKSUMS), "no checksums.json"),
        (lambda members: members.pop(BODIES_MEMBER), "damaged"),
        (lambda members: members.update({MANIFEST: b"[]"}), "not an object"),
        (lambda members: members.update({BODIES_MEMBER: b"x" * 50}), "damaged"),
        (swapped, "damaged"),
        (shortened, "damaged"),
        (without_state, "state of the corpus is absent"),
        (with_cells("pages", 0, 1 << 70), "damaged: the id of a row of pages"),
        (with_cells("pages", 0, None), "damaged: the id of a row of pages"),
        (with_cells("pages", 1, {"$gt": ""}), "damaged: the lru of a row of pages"),
        (with_cells("pages", 3, True), "damaged: the first_seen_at of a row of pages"),
        (with_cells("state", 1, None), "damaged: the schema of a row of state"),
    ],
)
def test_what_is_not_whole_is_refused_in_words(
    opening: OpenRegistry, change: Callable[[dict[str, bytes]], None], words: str
) -> None:
    registry = opening("sqlite")
    is_refused(registry, damaged(backed_up(registry, filled(registry)), change), words)


def test_any_single_changed_byte_is_found(opening: OpenRegistry) -> None:
    registry = opening("sqlite")
    whole = backed_up(registry, filled(registry)).getvalue()
    for position in range(50, len(whole) - 200, len(whole) // 25):
        broken = bytearray(whole)
        broken[position] ^= 0x55
        try:
            entry = registry.restore_corpus(io.BytesIO(bytes(broken)), name="half")
        except UnusableBackup:
            continue
        # Names and moments of the archive itself are not content.
        assert everything(registry, entry.corpus_id) == everything(registry, "exports"), position
        registry.destroy_corpus(entry.corpus_id)
    is_refused(registry, io.BytesIO(whole[:-300]), "its end is missing")
    is_refused(registry, io.BytesIO(b"not a backup"), "no backup of a corpus")
    is_refused(registry, io.BytesIO(b""), "no backup of a corpus")


def without_newer(members: dict[str, bytes]) -> None:
    """As a program wrote it that knew neither acts nor segments."""
    manifest, checks = json.loads(members[MANIFEST]), json.loads(members[CHECKSUMS])
    for name in ("acts", "act_changes"):
        del manifest["tables"][name], checks[f"tables/{name}.jsonl.zst"], members[f"tables/{name}.jsonl.zst"]
    columns = [column for column, _ in manifest["tables"]["state"]]
    place = columns.index("next_delta")
    state = json.loads(zstandard.ZstdDecompressor().stream_reader(members["tables/state.jsonl.zst"]).read())
    del state[place], manifest["tables"]["state"][place]
    members["tables/state.jsonl.zst"] = zstandard.compress(json.dumps(state).encode() + b"\n")
    members[MANIFEST] = json.dumps(manifest).encode()
    for name in (MANIFEST, "tables/state.jsonl.zst"):
        checks[name]["sha256"] = hashlib.sha256(members[name]).hexdigest()
    members[CHECKSUMS] = json.dumps(checks).encode()


def test_a_backup_that_knows_less_is_completed(opening: OpenRegistry) -> None:
    registry = opening("sqlite")
    corpus_id = filled(registry)
    file = damaged(backed_up(registry, corpus_id), without_newer)
    restored = registry.restore_corpus(file, name="older").corpus_id
    assert everything(registry, restored) == everything(registry, corpus_id)
    structure = registry.open_structure(restored)
    assert structure.storage.count(ACTS) == 0
    (state,) = structure.storage.scan(STATE)
    assert state[STATE.position("next_delta")] == 1


def test_a_backup_that_knows_more_is_refused(opening: OpenRegistry) -> None:
    registry = opening("sqlite")

    def with_more(members: dict[str, bytes]) -> None:
        manifest, checks = json.loads(members[MANIFEST]), json.loads(members[CHECKSUMS])
        manifest["tables"]["moods"] = [["id", "INTEGER"]]
        members[MANIFEST] = json.dumps(manifest).encode()
        checks[MANIFEST]["sha256"] = hashlib.sha256(members[MANIFEST]).hexdigest()
        members[CHECKSUMS] = json.dumps(checks).encode()

    is_refused(registry, damaged(backed_up(registry, filled(registry)), with_more), "holds moods, which")


def test_a_name_in_use_is_refused_before_anything_is_read(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    file = backed_up(registry, corpus_id)
    with pytest.raises(AlreadyExists, match="exports"):
        registry.restore_corpus(file)
    assert [entry.corpus_id for entry in registry.list_corpora()] == [corpus_id]


# -- destroyed and brought back


def test_a_destroyed_corpus_comes_back_as_it_was(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    registry.set_password(corpus_id, "hash")
    expected = everything(registry, corpus_id)
    destroyed = registry.trash_corpus(corpus_id)
    assert registry.list_corpora() == []
    with pytest.raises(NotFound):
        registry.open_structure(corpus_id)
    assert registry.list_destroyed() == [destroyed]
    assert registry.get_destroyed("exports") == registry.get_destroyed(destroyed.destroyed_id) == destroyed
    entry = registry.undestroy_corpus(destroyed.destroyed_id)
    assert (entry.corpus_id, entry.name, entry.password_hash) == (corpus_id, "exports", "hash")
    assert entry.created_at == destroyed.created_at
    assert everything(registry, corpus_id) == expected
    assert registry.list_destroyed() == []
    with pytest.raises(NotFound):
        registry.undestroy_corpus(destroyed.destroyed_id)


def test_id_and_name_of_a_destroyed_corpus_are_free_at_once(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    expected = everything(registry, corpus_id)
    destroyed = registry.trash_corpus(corpus_id)
    assert registry.create_corpus("exports", CorpusOptions()).corpus_id == corpus_id
    assert registry.open_structure(corpus_id).counters().n_pages == 0
    assert list(registry.open_blobs(corpus_id).iter_digests()) == []
    second = registry.trash_corpus(corpus_id)
    assert second.destroyed_id != destroyed.destroyed_id
    assert [each.destroyed_id for each in registry.list_destroyed()] == [
        second.destroyed_id,
        destroyed.destroyed_id,
    ]
    third = registry.create_corpus("exports", CorpusOptions())
    with pytest.raises(AlreadyExists):
        registry.undestroy_corpus(destroyed.destroyed_id)
    back = registry.undestroy_corpus(destroyed.destroyed_id, "exports of before")
    assert back.corpus_id not in (third.corpus_id,)
    assert everything(registry, back.corpus_id) == expected
    assert registry.open_structure(third.corpus_id).counters().n_pages == 0


def test_purged_corpora_are_gone_and_others_stay(registry: StoredRegistry) -> None:
    first = registry.trash_corpus(filled(registry))
    registry.create_corpus("exports", CorpusOptions())
    second = registry.trash_corpus("exports")
    assert registry.purge_destroyed(first.destroyed_at) == [first]
    assert registry.list_destroyed() == [second]
    assert registry._stores.open_packs(first.destroyed_id).sizes() == {}
    assert registry.purge_destroyed() == [second]
    assert registry.list_destroyed() == []
    assert list(registry._storage.scan(UNFINISHED)) == []
    with pytest.raises(NotFound):
        registry.purge_corpus(second.destroyed_id)


def test_an_emptied_corpus_keeps_its_settings_and_what_it_held_comes_back(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    registry.set_password(corpus_id, "hash")
    registry.set_started(corpus_id, True)
    old = registry.open_structure(corpus_id)
    expected, options, rules = everything(registry, corpus_id), old.options(), set(old.rules().rules)
    before = registry.get_corpus(corpus_id)
    destroyed = registry.empty_corpus(corpus_id)
    assert registry.get_corpus(corpus_id) == before
    structure = registry.open_structure(corpus_id)
    assert structure.options() == options
    assert set(structure.rules().rules) == rules
    assert structure.rules().default == CreationRule("", Preset.parse(options.default_rule))
    assert structure.counters().n_pages == structure.counters().n_web_entities == 0
    assert structure.list_jobs() == []
    assert list(structure.iter_logs()) == []
    assert list(registry.open_blobs(corpus_id).iter_digests()) == []
    structure.declare_web_entity([lru("after.example")], status=WebEntityStatus.IN)
    assert structure.check() == []
    back = registry.undestroy_corpus(destroyed.destroyed_id, "before")
    assert everything(registry, back.corpus_id) == expected
    assert registry.open_structure(corpus_id).counters().n_in == 1


def test_an_emptied_corpus_is_seen_by_other_processes(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    stores = registry._stores
    other = StoredRegistry(
        registry._storage, stores.open_database, stores.open_packs, stores._remove_database
    )
    assert other.open_structure(corpus_id).counters().n_pages
    registry.empty_corpus(corpus_id)
    assert other.open_structure(corpus_id).counters().n_pages == 0


def test_a_corpus_at_work_is_neither_emptied_nor_taken_away(registry: StoredRegistry) -> None:
    corpus_id = filled(registry)
    registry.enqueue(corpus_id, 1, [])
    assert registry.claim_jobs("w", 1, 30.0)
    for action in (registry.empty_corpus, registry.trash_corpus):
        with pytest.raises(StoreLocked, match="worker w"):
            action(corpus_id)
    assert registry.open_structure(corpus_id).counters().n_pages
    assert registry.list_destroyed() == []
    assert list(registry._storage.scan(UNFINISHED)) == []
    registry.release_job(corpus_id, 1, "w", done=True)


def test_what_a_dead_process_was_making_is_swept_and_what_lives_is_not(registry: StoredRegistry) -> None:
    with registry._stores.making("dead") as store:
        registry._stores.open_database(store, False).close()
        assert registry._stores.sweep() == []
        registry._stores.touch(store)
        assert registry._stores.sweep(idle_seconds=0.0) == ["dead"]
    assert registry.create_corpus("dead", CorpusOptions()).corpus_id == "dead"
