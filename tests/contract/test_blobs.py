"""The contract of the blob store: on the machine's disk, and over fsspec."""

from __future__ import annotations

import hashlib
import uuid
from pathlib import Path

import pytest

from memory_structure.blobs import BlobStore
from memory_structure.errors import CorruptCorpus, InvalidValue, NotFound, StoreError
from memory_structure.stored.blob_files import FsspecBlobStore

BODY = b"<html>" + bytes(range(256)) * 50


def digest_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


@pytest.fixture(params=["folder", "file", "memory"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    urls = {
        "folder": f"{tmp_path}/b",
        "file": f"file://{tmp_path}/b",
        "memory": f"memory://{uuid.uuid4().hex}",
    }
    return FsspecBlobStore(urls[request.param])


def test_body_comes_back_byte_for_byte(blobs: BlobStore) -> None:
    for body in (BODY, b""):
        assert not blobs.has(digest_of(body))
        blobs.put(digest_of(body), body)
        blobs.put(digest_of(body), body)
        assert blobs.has(digest_of(body))
        assert blobs.get(digest_of(body)) == body
    assert sorted(blobs.iter_digests()) == sorted([digest_of(BODY), digest_of(b"")])


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
        blobs.put(digest, BODY)


def test_unfinished_file_is_no_body(tmp_path: Path) -> None:
    blobs = FsspecBlobStore(str(tmp_path))
    blobs.put(digest_of(BODY), BODY)
    folder = next(tmp_path.rglob("*.zst")).parent
    (folder / f".{digest_of(b'x')}.1.1").write_bytes(b"half")
    assert list(blobs.iter_digests()) == [digest_of(BODY)]


def test_torn_file_is_told(tmp_path: Path) -> None:
    blobs = FsspecBlobStore(str(tmp_path))
    blobs.put(digest_of(BODY), BODY)
    next(tmp_path.rglob("*.zst")).write_bytes(b"not zstd")
    with pytest.raises(CorruptCorpus, match="unpacked"):
        blobs.get(digest_of(BODY))


def test_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="file"):
        FsspecBlobStore(str(tmp_path / "file")).put(digest_of(BODY), BODY)
