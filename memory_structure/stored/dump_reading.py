"""A corpus as one file: how it is read again.

Everything is checked, member by member: what came of one may be used when it was read to its end.
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO, Final
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import zstandard

from memory_structure.errors import UnusableBackup
from memory_structure.registry import BackupHead
from memory_structure.storage import Column, ColumnKind, Row, Table
from memory_structure.stored.dump import (
    BODIES_MEMBER,
    BODY_HEAD,
    CHECKSUMS,
    DUMPED_TABLES,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    Check,
    member_of,
)
from memory_structure.stored.schema import SCHEMA_VERSION, STATE
from memory_structure.stored.state import State

_LONGEST_BODY_BYTES: Final = 1 << 32
_LONGEST_LINE_BYTES: Final = 1 << 28
_LARGEST_DOCUMENT_BYTES: Final = 1 << 24
_FAULTS: Final = (
    BadZipFile, zstandard.ZstdError, zlib.error, EOFError, KeyError, ValueError, NotImplementedError,
    AttributeError, TypeError, IndexError, RecursionError, RuntimeError,
)  # fmt: skip
# What columns hold that the backup does not know yet; the state of the corpus has defaults of its own.
_EMPTY: Final = {ColumnKind.INTEGER: 0, ColumnKind.TEXT: "", ColumnKind.BLOB: b"", ColumnKind.REAL: 0.0}
# What cells are in JSON, bytes in base64.
_TYPES: Final[dict[ColumnKind, tuple[type, ...]]] = {
    ColumnKind.INTEGER: (int,),
    ColumnKind.TEXT: (str,),
    ColumnKind.BLOB: (str,),
    ColumnKind.REAL: (int, float),
}
_LARGEST: Final = (1 << 63) - 1


@contextmanager
def _told() -> Iterator[None]:
    """Whatever damage does to the readers is told in one way."""
    try:
        yield
    except UnusableBackup:
        raise
    except _FAULTS as error:
        raise UnusableBackup(f"the backup is damaged: {str(error) or type(error).__name__}") from error


@dataclass(slots=True)
class _Hashed:
    """Reads, and takes the digest of what went by."""

    source: IO[bytes]
    digest: Any = field(default_factory=hashlib.sha256)

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        data = self.source.read(size)
        self.digest.update(data)
        return data


class DumpReader:
    """A backup. Reading a member to its end raises UnusableBackup unless it is what was written."""

    def __init__(self, file: BinaryIO) -> None:
        """Read manifest and checksums. Raises UnusableBackup."""
        try:
            self._archive = ZipFile(file)
        except (BadZipFile, ValueError, EOFError) as error:
            raise UnusableBackup("this is no backup of a corpus, or its end is missing") from error
        with _told():
            manifest = self._document(MANIFEST)
            _refuse_others(manifest)
            self.head = BackupHead(
                str(manifest["name"]), str(manifest["written_at"]), manifest.get("protected") is not False
            )
            self._columns: dict[str, list[str]] = {
                str(name): [str(column[0]) for column in columns]
                for name, columns in manifest["tables"].items()
            }
            checks = self._document(CHECKSUMS)
            self._checks = {n: Check(str(c["sha256"]), int(c["n_records"])) for n, c in checks.items()}
            self._refuse_unknown()
            self._refuse_changed_manifest()

    def _document(self, name: str) -> dict[str, Any]:
        try:
            info = self._archive.getinfo(name)
        except KeyError:
            raise UnusableBackup(f"this is no backup of a corpus: it has no {name}") from None
        if info.compress_type != ZIP_STORED or info.file_size > _LARGEST_DOCUMENT_BYTES:
            raise UnusableBackup(f"the backup is damaged: its {name} is too large")
        found = json.loads(self._archive.read(name))
        if not isinstance(found, dict):
            raise UnusableBackup(f"the backup is damaged: its {name} is not an object")
        return found

    def _refuse_unknown(self) -> None:
        known = {table.name: {c.name for c in table.columns} for table in DUMPED_TABLES}
        for name, columns in self._columns.items():
            strange = [name] if name not in known else [c for c in columns if c not in known[name]]
            if strange:
                raise UnusableBackup(
                    f"the backup holds {', '.join(strange)}, which this program does not know"
                )
            if member_of(name) not in self._checks:
                raise UnusableBackup(f"the backup is damaged: it has no checksum of {name}")

    def _refuse_changed_manifest(self) -> None:
        if hashlib.sha256(self._archive.read(MANIFEST)).hexdigest() != self._checks[MANIFEST].sha256:
            raise UnusableBackup(f"the backup is damaged: its {MANIFEST} is not what was written")

    def iter_rows(self, table: Table) -> Iterator[Row]:
        """Rows of a table in the order of its columns; none of one that the backup does not know yet."""
        if table.name not in self._columns:
            return
        make = _row_maker(table, self._columns[table.name])
        with self._member(member_of(table.name)) as (stream, seen):
            while line := stream.readline(_LONGEST_LINE_BYTES):
                seen.n_records += 1
                yield make(json.loads(line))

    def iter_bodies(self) -> Iterator[tuple[str, bytes]]:
        """(digest, body), each body what its digest says."""
        with self._member(BODIES_MEMBER) as (stream, seen):
            while head := stream.read(BODY_HEAD.size):
                digest, length = BODY_HEAD.unpack(head)
                if length > _LONGEST_BODY_BYTES:
                    raise UnusableBackup("the backup is damaged: a body has no end")
                body = stream.read(length)
                if hashlib.sha256(body).digest() != digest:
                    raise UnusableBackup(
                        f"the backup is damaged: body {digest.hex()} is not what it should be"
                    )
                seen.n_records += 1
                yield digest.hex(), body

    @contextmanager
    def _member(self, name: str) -> Iterator[tuple[io.BufferedReader, Check]]:
        """A member unpacked; when the block has read it to its end, it is compared with its checksum."""
        with _told():
            seen = Check("", 0)
            with self._archive.open(name) as raw:
                hashed = _Hashed(raw)
                unpacked = zstandard.ZstdDecompressor().stream_reader(
                    hashed,  # type: ignore[arg-type]  # it is read from, nothing else
                    closefd=False,
                )
                yield io.BufferedReader(unpacked, 1 << 18), seen
                while hashed.read(1 << 18):
                    pass
            seen.sha256 = hashed.digest.hexdigest()
            if seen != self._checks[name]:
                raise UnusableBackup(f"the backup is damaged: {name} is not what was written")


def _refuse_others(manifest: dict[str, Any]) -> None:
    if manifest.get("format") != FORMAT:
        raise UnusableBackup("this is no backup of a corpus")
    for what, known in (("version", FORMAT_VERSION), ("schema", SCHEMA_VERSION)):
        found = manifest.get(what)
        if not isinstance(found, int) or found < 1:
            raise UnusableBackup(f"the backup is damaged: its {what} is {found!r}")
        if found > known:
            raise UnusableBackup(
                f"the backup was written by a newer program ({what} {found}, this one knows up to {known}):"
                " use that one"
            )


def _row_maker(table: Table, names: Sequence[str]) -> Callable[[list[Any]], Row]:
    """Makes rows out of the columns of the backup."""
    sources = {name: position for position, name in enumerate(names)}
    readers = [_cell_reader(table, column, sources.get(column.name)) for column in table.columns]
    check = _row_check(table, names)

    def make(cells: list[Any]) -> Row:
        check(cells)
        return tuple([read(cells) for read in readers])

    def make_plain(cells: list[Any]) -> Row:
        check(cells)
        return tuple(cells)

    same = list(names) == [c.name for c in table.columns]
    plain = all(c.kind is not ColumnKind.BLOB for c in table.columns)
    return make_plain if same and plain else make


def _row_check(table: Table, names: Sequence[str]) -> Callable[[list[Any]], None]:
    """Raises UnusableBackup for a row whose cells are not what the columns say, in number and kind."""
    kinds = {column.name: _TYPES[column.kind] for column in table.columns}
    needed = {*table.key, *(kinds if table is STATE else ())}
    expected = [(name, kinds[name], name in needed) for name in names]

    def check(cells: list[Any]) -> None:
        if len(cells) != len(expected):
            raise UnusableBackup(f"the backup is damaged: a row of {table.name} has {len(cells)} cells")
        for cell, (name, types, is_needed) in zip(cells, expected, strict=True):
            if is_needed if cell is None else (type(cell) not in types or _is_too_large(cell)):
                raise UnusableBackup(
                    f"the backup is damaged: the {name} of a row of {table.name} is {str(cell)[:40]!r}"
                )

    return check


def _is_too_large(cell: object) -> bool:
    return type(cell) is int and not -_LARGEST <= cell <= _LARGEST


def _cell_reader(table: Table, column: Column, position: int | None) -> Callable[[list[Any]], Any]:
    if position is None:
        empty = getattr(State(), column.name) if table is STATE else _EMPTY[column.kind]
        return lambda _: empty
    at = position
    if column.kind is ColumnKind.BLOB:
        return lambda cells: None if cells[at] is None else b64decode(cells[at])
    return lambda cells: cells[at]
