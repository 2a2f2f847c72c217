"""Packs: files that hold compressed bodies one after the other, on any file system that fsspec knows; folders
of the machine itself are served without it."""

from __future__ import annotations

import errno
import os
import shutil
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import fsspec

from memory_structure.errors import StoreError, StoreFull

PACK_BYTES: Final = 64 << 20  # from this size on a pack grows no more
_SUFFIX: Final = ".pack"


class Stretch(NamedTuple):
    """Bytes of a pack. NamedTuple because one is made for each body read or written."""

    pack: str
    offset: int
    length: int


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


class Packs(ABC):
    """The packs of one corpus. What `append` has written is never changed, so readers need no lock.

    `append` is called by one thread at a time; a pack has one writer, whatever the number of processes."""

    @abstractmethod
    def append(self, pieces: Sequence[bytes]) -> list[Stretch]:
        """Write pieces and tell where each lies. After an error nothing of them is ever read.

        Raises StoreFull, StoreError."""

    @abstractmethod
    def sync(self) -> None:
        """Make what was appended survive a power cut."""

    @abstractmethod
    def holds(self, pack: str) -> bool:
        """Whether a pack just written to still stands: another process may have removed it as unused."""

    @abstractmethod
    def read(self, stretch: Stretch) -> bytes | None:
        """Those bytes, fewer where the pack is shorter; None when the pack is absent."""

    @abstractmethod
    def find_size(self, pack: str) -> int | None:
        """Length of a pack in bytes."""

    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """Length of every pack in bytes, by name."""

    @abstractmethod
    def remove(self, pack: str) -> None:
        """Remove a pack; absent ones are passed over."""

    @abstractmethod
    def destroy(self) -> None:
        """Remove all packs and their folder."""

    @abstractmethod
    def close(self) -> None:
        """Release what is open; the next `append` begins a new pack."""


def open_packs(url: str) -> Packs:
    """The packs under a URL or in a folder; nothing is made before something is written."""
    if "://" not in url or url.startswith("file://"):
        return _LocalPacks(url.removeprefix("file://"))
    return _ObjectPacks(url)


def _new_name() -> str:
    return uuid.uuid4().hex[:20] + _SUFFIX


class _LocalPacks(Packs):
    """Files of a folder. A writer appends to a pack of its own until that is full: a new file costs many
    times the writing of a body."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file = -1
        self._name = ""
        self._end = 0
        self._owner = 0  # the process: a forked one shares the file, and must leave it alone

    def append(self, pieces: Sequence[bytes]) -> list[Stretch]:
        with _translated(self._folder):
            if not self._is_usable():
                self._begin()
            try:
                _write_all(self._file, b"".join(pieces))
            except BaseException:
                self.close()  # how much was written is not known
                raise
        stretches = []
        for piece in pieces:
            stretches.append(Stretch(self._name, self._end, len(piece)))
            self._end += len(piece)
        return stretches

    def _is_usable(self) -> bool:
        return (
            self._file >= 0
            and self._end < PACK_BYTES
            and self._owner == os.getpid()
            and self.holds(self._name)
        )

    def _begin(self) -> None:
        self.close()
        name = _new_name()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        try:
            self._file = os.open(self._path(name), flags, 0o666)
        except FileNotFoundError:
            os.makedirs(self._folder, exist_ok=True)
            self._file = os.open(self._path(name), flags, 0o666)
        self._name, self._end, self._owner = name, 0, os.getpid()

    def sync(self) -> None:
        with _translated(self._folder):
            os.fsync(self._file)
            folder = os.open(self._folder, os.O_RDONLY)  # the name of a new pack
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def holds(self, pack: str) -> bool:
        return self.find_size(pack) is not None

    def read(self, stretch: Stretch) -> bytes | None:
        path = self._path(stretch.pack)
        with _translated(path):
            try:
                with open(path, "rb", buffering=0) as file:
                    return os.pread(file.fileno(), stretch.length, stretch.offset)
            except FileNotFoundError:
                return None

    def find_size(self, pack: str) -> int | None:
        with _translated(self._path(pack)):
            try:
                return os.stat(self._path(pack)).st_size
            except FileNotFoundError:
                return None

    def sizes(self) -> dict[str, int]:
        with _translated(self._folder):
            try:
                with os.scandir(self._folder) as entries:
                    return {e.name: e.stat().st_size for e in entries if e.name.endswith(_SUFFIX)}
            except FileNotFoundError:
                return {}

    def remove(self, pack: str) -> None:
        with _translated(self._path(pack)):
            Path(self._path(pack)).unlink(missing_ok=True)

    def destroy(self) -> None:
        self.close()
        with _translated(self._folder):
            shutil.rmtree(self._folder, ignore_errors=not os.path.exists(self._folder))

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def __del__(self) -> None:
        self.close()

    def _path(self, pack: str) -> str:
        return f"{self._folder}/{pack}"


class _ObjectPacks(Packs):
    """Objects of a store that cannot append: one for each call of `append`, there whole or not at all."""

    def __init__(self, url: str) -> None:
        self._fs: Any
        self._fs, self._root = fsspec.core.url_to_fs(url)

    def append(self, pieces: Sequence[bytes]) -> list[Stretch]:
        name = _new_name()
        with _translated(self._path(name)):
            self._fs.pipe_file(self._path(name), b"".join(pieces))
        stretches, end = [], 0
        for piece in pieces:
            stretches.append(Stretch(name, end, len(piece)))
            end += len(piece)
        return stretches

    def sync(self) -> None:
        """Object stores answer when an object is safe."""

    def holds(self, pack: str) -> bool:
        """Always: a pack is removed with the last body of it, and all its bodies are indexed at once."""
        del pack
        return True

    def read(self, stretch: Stretch) -> bytes | None:
        path = self._path(stretch.pack)
        with _translated(path):
            try:
                end = stretch.offset + stretch.length
                return bytes(self._fs.cat_file(path, start=stretch.offset, end=end))
            except FileNotFoundError:
                return None

    def find_size(self, pack: str) -> int | None:
        with _translated(self._path(pack)):
            try:
                return int(self._fs.size(self._path(pack)))
            except FileNotFoundError:
                return None

    def sizes(self) -> dict[str, int]:
        with _translated(self._root):
            if not self._fs.exists(self._root):
                return {}
            found = self._fs.find(self._root, detail=True)
        return {path.rpartition("/")[2]: int(about["size"]) for path, about in found.items()}

    def remove(self, pack: str) -> None:
        with _translated(self._path(pack)):
            try:
                self._fs.rm_file(self._path(pack))
            except FileNotFoundError:
                pass

    def destroy(self) -> None:
        with _translated(self._root):
            if self._fs.exists(self._root):
                self._fs.rm(self._root, recursive=True)

    def close(self) -> None:
        """Nothing is kept open."""

    def _path(self, pack: str) -> str:
        return f"{self._root}/{pack}"


def _write_all(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]
