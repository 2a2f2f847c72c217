"""Bodies in files, on any file system that fsspec knows; folders of the machine itself are served without
it."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import fsspec
import zstandard

from memory_structure.blobs import BlobStore
from memory_structure.errors import CorruptCorpus, InvalidValue, NotFound, StoreError, StoreFull

_LEVEL: Final = 1  # HTML shrinks five times; level 3 gains a twentieth for twice the time
_REMEMBERED: Final = 1 << 15  # digests known to be kept
_SUFFIX: Final = ".zst"


@contextmanager
def _translated(where: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(f"{where}: no space left: {error}") from error
        raise StoreError(f"{where}: {error}") from error


class FsspecBlobStore(BlobStore):
    """Bodies as zstd files under a URL, in 256 folders: `ab/abcd....zst`.

    A second level would cost most new bodies a folder of their own: six times the time of the file.
    On the machine's own disk a file appears whole, by renaming; object stores do the same by themselves.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._known: set[bytes] = set()
        self._local: Path | None = None
        self._fs: Any = None
        if "://" not in url or url.startswith("file://"):
            self._local = Path(url.removeprefix("file://"))
            self._root = str(self._local)
        else:
            self._fs, self._root = fsspec.core.url_to_fs(url)

    # -- contract

    def put(self, digest: str, body: bytes) -> None:
        """Keep a body under its digest."""
        key = _key(digest)
        if key in self._known:
            return
        with _translated(self._path(digest)):
            if not self.has(digest):
                self._write(digest, zstandard.ZstdCompressor(level=_LEVEL).compress(body))
        self._remember(key)

    def get(self, digest: str) -> bytes:
        """The body, byte for byte."""
        _key(digest)
        with _translated(self._path(digest)):
            try:
                body = zstandard.ZstdDecompressor().decompress(self._read(digest))
            except FileNotFoundError as error:
                raise NotFound(f"there is no body {digest}") from error
            except zstandard.ZstdError as error:
                raise CorruptCorpus(f"{self._path(digest)} cannot be unpacked: {error}") from error
        if hashlib.sha256(body).hexdigest() != digest:
            raise CorruptCorpus(f"{self._path(digest)} does not hold the body its name says")
        return body

    def has(self, digest: str) -> bool:
        """Whether a body is kept."""
        key = _key(digest)
        if key in self._known:
            return True
        with _translated(self._path(digest)):
            path = self._path(digest)
            found = os.path.exists(path) if self._local else bool(self._fs.exists(path))
        if found:
            self._remember(key)
        return found

    def iter_digests(self) -> Iterator[str]:
        """Every digest kept, in no order."""
        with _translated(self._root):
            for name in self._iter_names():
                if name.endswith(_SUFFIX) and not name.startswith("."):
                    yield name.removesuffix(_SUFFIX)

    def delete(self, digest: str) -> None:
        """Remove a body."""
        self._known.discard(_key(digest))
        with _translated(self._path(digest)):
            try:
                if self._local:
                    os.unlink(self._path(digest))
                else:
                    self._fs.rm_file(self._path(digest))
            except FileNotFoundError:
                pass

    def destroy(self) -> None:
        """Remove all bodies."""
        self._known.clear()
        with _translated(self._root):
            if self._local:
                shutil.rmtree(self._local, ignore_errors=not self._local.exists())
            elif self._fs.exists(self._root):
                self._fs.rm(self._root, recursive=True)

    # -- files

    def _path(self, digest: str) -> str:
        return f"{self._root}/{digest[:2]}/{digest}{_SUFFIX}"

    def _write(self, digest: str, data: bytes) -> None:
        path = self._path(digest)
        if not self._local:
            self._fs.pipe_file(path, data)
            return
        folder = os.path.dirname(path)
        part = f"{folder}/.{digest}.{os.getpid()}.{threading.get_ident()}"
        try:
            try:
                _write_file(part, data)
            except FileNotFoundError:
                os.makedirs(folder, exist_ok=True)
                _write_file(part, data)
            os.replace(part, path)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise

    def _read(self, digest: str) -> bytes:
        if self._local:
            return Path(self._path(digest)).read_bytes()
        return bytes(self._fs.cat_file(self._path(digest)))

    def _iter_names(self) -> Iterator[str]:
        if self._local:
            for _, _, names in os.walk(self._local):
                yield from names
        elif self._fs.exists(self._root):
            for path in self._fs.find(self._root):
                yield path.rpartition("/")[2]

    def _remember(self, key: bytes) -> None:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known.add(key)


def _write_file(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def _key(digest: str) -> bytes:
    try:
        key = bytes.fromhex(digest)
    except ValueError:
        key = b""
    if len(key) != hashlib.sha256().digest_size or (not digest.islower() and not digest.isdigit()):
        raise InvalidValue(f"{digest!r} is not a SHA-256 digest in lower-case hexadecimal")
    return key
