"""The contract of the blob store: packs on the machine's disk and over fsspec, indexed in every database."""

from __future__ import annotations

import errno
import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.blobs import BlobStore
from memory_structure.errors import CorruptCorpus, InvalidValue, NotFound, StoreError, StoreLocked
from memory_structure.storage import Storage
from memory_structure.stored import pack_files
from memory_structure.stored.pack_files import open_packs
from memory_structure.stored.packed_blobs import PackedBlobStore
from memory_structure.stored.schema import BODIES
from tests.contract.conftest import OPENERS

BODY = b"<html>" + bytes(range(256)) * 50
OTHER = b"other" * 1000
N_BODIES = 200

OpenBlobs = Callable[[], PackedBlobStore]


def digest_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def named(*bodies: bytes) -> list[tuple[str, bytes]]:
    return [(digest_of(body), body) for body in bodies]


@pytest.fixture
def storage(backend: str, request: pytest.FixtureRequest) -> Iterator[Storage]:
    storage = OPENERS[backend](request)()
    storage.ensure_tables([BODIES])
    yield storage
    storage.destroy()


@pytest.fixture(params=["folder", "file", "memory"])
def open_blobs(request: pytest.FixtureRequest, storage: Storage, tmp_path: Path) -> OpenBlobs:
    """Opens the same bodies as often as one likes, each with a memory of its own."""
    urls = {
        "folder": f"{tmp_path}/b",
        "file": f"file://{tmp_path}/b",
        "memory": f"memory://{uuid.uuid4().hex}",
    }
    return lambda: PackedBlobStore(open_packs(urls[request.param]), storage)


@pytest.fixture
def blobs(open_blobs: OpenBlobs) -> BlobStore:
    return open_blobs()


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqliteStorage]:
    storage = SqliteStorage(tmp_path / "corpus.sqlite")
    storage.ensure_tables([BODIES])
    yield storage
    storage.close()


def local(tmp_path: Path, storage: Storage) -> PackedBlobStore:
    return PackedBlobStore(open_packs(str(tmp_path / "b")), storage)


def packs_of(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "b").iterdir())


# -- every file system, every database


def test_bodies_come_back_byte_for_byte(open_blobs: OpenBlobs) -> None:
    blobs = open_blobs()
    for body in (BODY, b""):
        assert not blobs.has(digest_of(body))
        blobs.put(digest_of(body), body)
        blobs.put(digest_of(body), body)
    blobs.put_many(named(OTHER, BODY, OTHER))
    blobs.put_many([])
    for reader in (blobs, open_blobs()):
        for body in (BODY, b"", OTHER):
            assert reader.has(digest_of(body))
            assert reader.get(digest_of(body)) == body
        assert sorted(reader.iter_digests()) == sorted(map(digest_of, (BODY, b"", OTHER)))


def test_absent_bodies(blobs: BlobStore) -> None:
    assert list(blobs.iter_digests()) == []
    with pytest.raises(NotFound, match="no body"):
        blobs.get(digest_of(BODY))
    blobs.delete(digest_of(BODY))
    blobs.destroy()


def test_deleted_and_destroyed_bodies_are_gone(blobs: BlobStore) -> None:
    blobs.put(digest_of(BODY), BODY)
    blobs.delete(digest_of(BODY))
    assert not blobs.has(digest_of(BODY))
    blobs.put(digest_of(BODY), BODY)
    assert blobs.get(digest_of(BODY)) == BODY
    blobs.destroy()
    assert list(blobs.iter_digests()) == []
    assert not blobs.has(digest_of(BODY))
    blobs.put(digest_of(BODY), BODY)
    assert blobs.get(digest_of(BODY)) == BODY


def test_kept_bodies_are_not_written_again(open_blobs: OpenBlobs) -> None:
    blobs = open_blobs()
    blobs.put_many(named(BODY, OTHER))
    before = blobs._packs.sizes()
    for again in (blobs, open_blobs()):
        again.put_many(named(OTHER, BODY))
    assert blobs._packs.sizes() == before


def test_a_pack_goes_with_its_last_body(blobs: PackedBlobStore) -> None:
    blobs.put_many(named(BODY, OTHER))
    blobs.delete(digest_of(BODY))
    assert len(blobs._packs.sizes()) == 1
    assert blobs.get(digest_of(OTHER)) == OTHER
    blobs.delete(digest_of(OTHER))
    assert blobs._packs.sizes() == {}


def test_wrong_body_is_told(blobs: BlobStore) -> None:
    blobs.put(digest_of(b"other"), BODY)
    with pytest.raises(CorruptCorpus, match="does not hold"):
        blobs.get(digest_of(b"other"))


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "AB" * 32, "ab" * 31])
def test_only_digests_are_keys(blobs: BlobStore, digest: str) -> None:
    for call in (blobs.get, blobs.has, blobs.delete):
        with pytest.raises(InvalidValue):
            call(digest)
    with pytest.raises(InvalidValue):
        blobs.put_many([*named(BODY), (digest, BODY)])
    assert not blobs.has(digest_of(BODY))


def test_a_lost_pack_is_told_and_its_bodies_written_anew(open_blobs: OpenBlobs) -> None:
    blobs = open_blobs()
    blobs.put_many(named(BODY, OTHER))
    (pack,) = blobs._packs.sizes()
    blobs._packs.remove(pack)
    assert not blobs.has(digest_of(BODY))
    assert list(blobs.iter_digests()) == []
    with pytest.raises(NotFound, match="is gone"):
        blobs.get(digest_of(BODY))
    later = open_blobs()
    later.put_many(named(BODY))
    assert later.get(digest_of(BODY)) == BODY
    assert list(blobs.iter_digests()) == [digest_of(BODY)]


def test_a_second_try_writes_no_second_copy(
    blobs: PackedBlobStore, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(storage, "transaction", failing(StoreLocked("held")))
        for _ in range(3):
            with pytest.raises(StoreLocked):
                blobs.put_many(named(BODY, OTHER))
    written = blobs._packs.sizes()
    assert len(written) == 1
    assert list(blobs.iter_digests()) == []
    blobs.put_many(named(BODY, OTHER))
    assert blobs._packs.sizes() == written
    assert (blobs.get(digest_of(BODY)), blobs.get(digest_of(OTHER))) == (BODY, OTHER)


def failing(error: Exception) -> Callable[..., object]:
    def fail(*_arguments: object) -> object:
        raise error

    return fail


# -- files of the machine


def test_nothing_is_made_before_a_body_comes(tmp_path: Path, sqlite: SqliteStorage) -> None:
    blobs = local(tmp_path, sqlite)
    assert not blobs.has(digest_of(BODY))
    blobs.put_many([])
    blobs.close()
    assert not (tmp_path / "b").exists()


def test_batches_share_a_pack_until_it_is_full(
    tmp_path: Path, sqlite: SqliteStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = local(tmp_path, sqlite)
    for i in range(20):
        blobs.put_many(named(b"%d" % i))
    (first,) = packs_of(tmp_path)
    monkeypatch.setattr(pack_files, "PACK_BYTES", first.stat().st_size)
    blobs.put_many(named(BODY))
    assert len(packs_of(tmp_path)) == 2
    assert blobs.get(digest_of(b"7")) == b"7"
    assert blobs.get(digest_of(BODY)) == BODY


def test_torn_pack_is_told(tmp_path: Path, sqlite: SqliteStorage) -> None:
    blobs = local(tmp_path, sqlite)
    blobs.put_many(named(BODY, OTHER))
    (pack,) = packs_of(tmp_path)
    os.truncate(pack, pack.stat().st_size - 1)
    assert list(blobs.iter_digests()) == [digest_of(BODY)]
    assert not blobs.has(digest_of(OTHER))
    assert blobs.get(digest_of(BODY)) == BODY
    with pytest.raises(CorruptCorpus, match="ends before"):
        blobs.get(digest_of(OTHER))
    local(tmp_path, sqlite).put_many(named(OTHER))
    assert blobs.get(digest_of(OTHER)) == OTHER


def test_overwritten_pack_is_told(tmp_path: Path, sqlite: SqliteStorage) -> None:
    blobs = local(tmp_path, sqlite)
    blobs.put(digest_of(BODY), BODY)
    (pack,) = packs_of(tmp_path)
    pack.write_bytes(b"x" * pack.stat().st_size)
    with pytest.raises(CorruptCorpus, match="unpacked"):
        blobs.get(digest_of(BODY))


def test_folder_that_cannot_be_written_is_told(tmp_path: Path, sqlite: SqliteStorage) -> None:
    (tmp_path / "b").write_bytes(b"")
    with pytest.raises(StoreError, match="/b"):
        local(tmp_path, sqlite).put(digest_of(BODY), BODY)


def test_a_write_cut_short_is_never_read(
    tmp_path: Path, sqlite: SqliteStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = local(tmp_path, sqlite)
    blobs.put_many(named(OTHER))
    whole = os.write

    n_left = [5]

    def fill_up(file: int, data: memoryview) -> int:
        if not n_left:
            raise OSError(errno.ENOSPC, "No space left on device")
        return whole(file, data[: n_left.pop()])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fill_up)
        with pytest.raises(StoreError, match="no space left"):
            blobs.put_many(named(BODY))
    assert not blobs.has(digest_of(BODY))
    blobs.put_many(named(BODY))
    assert (blobs.get(digest_of(BODY)), blobs.get(digest_of(OTHER))) == (BODY, OTHER)


def test_a_pack_removed_before_its_rows_are_written_is_replaced(
    tmp_path: Path, sqlite: SqliteStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process deletes the last body of the pack this one has just added to."""
    writer, other = local(tmp_path, sqlite), local(tmp_path, sqlite)
    writer.put_many(named(OTHER))
    begin = sqlite.transaction

    def meanwhile() -> object:
        monkeypatch.setattr(sqlite, "transaction", begin)
        other.delete(digest_of(OTHER))
        return begin()

    monkeypatch.setattr(sqlite, "transaction", meanwhile)
    writer.put_many(named(BODY))
    assert list(writer.iter_digests()) == [digest_of(BODY)]
    assert writer.get(digest_of(BODY)) == BODY


def test_full_durability_syncs_each_batch(
    tmp_path: Path, sqlite: SqliteStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    local(tmp_path, sqlite).put_many(named(BODY))
    assert synced == []
    packs = open_packs(str(tmp_path / "b"))
    PackedBlobStore(packs, sqlite, full_durability=True).put_many(named(OTHER))
    assert synced


# -- several processes


def write_bodies(folder: Path, first: int) -> None:
    storage = SqliteStorage(folder / "corpus.sqlite")
    blobs = local(folder, storage)
    for i in range(first, first + N_BODIES, 10):
        blobs.put_many(named(*(b"body %d" % k for k in range(i, i + 10))))
    storage.close()


def test_two_processes_write_at_once(tmp_path: Path, sqlite: SqliteStorage) -> None:
    """Half of their bodies are the same."""
    context = multiprocessing.get_context("spawn")
    starts = (0, N_BODIES // 2)
    processes = [context.Process(target=write_bodies, args=(tmp_path, first)) for first in starts]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    blobs = local(tmp_path, sqlite)
    expected = [b"body %d" % i for i in range(N_BODIES + N_BODIES // 2)]
    assert sorted(blobs.iter_digests()) == sorted(map(digest_of, expected))
    assert [blobs.get(digest_of(body)) for body in expected] == expected
    assert len(packs_of(tmp_path)) == 2


KILLED = """
import os, signal, sys
from pathlib import Path
from memory_structure.stored.packed_blobs import PackedBlobStore
from memory_structure.backends.sqlite import SqliteStorage
from tests.contract.test_blobs import BODY, OTHER, local, named

folder = Path(sys.argv[1])
blobs = local(folder, SqliteStorage(folder / "corpus.sqlite"))
blobs.put_many(named(BODY))
PackedBlobStore._index = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
blobs.put_many(named(OTHER))
"""


def test_a_kill_between_pack_and_index_only_wastes_bytes(tmp_path: Path, sqlite: SqliteStorage) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    blobs = local(tmp_path, sqlite)
    assert list(blobs.iter_digests()) == [digest_of(BODY)]
    assert blobs.get(digest_of(BODY)) == BODY
    blobs.put_many(named(OTHER))
    assert blobs.get(digest_of(OTHER)) == OTHER
    assert all(pack.stat().st_size > 0 for pack in packs_of(tmp_path))
    assert len(packs_of(tmp_path)) == 2


def test_a_forked_process_begins_its_own_pack(tmp_path: Path, sqlite: SqliteStorage) -> None:
    packs = open_packs(str(tmp_path / "b"))
    packs.append([b"parent"])
    process = multiprocessing.get_context("fork").Process(target=packs.append, args=([b"child"],))
    process.start()
    process.join()
    (stretch,) = packs.append([b"again"])
    assert packs.read(stretch) == b"again"
    assert sorted(packs.sizes().values()) == [5, 11]
