"""A corpus as one file: how it is written.

A ZIP archive whose members are stored as they are, each a zstd stream (but the first and the last, plain
JSON), so that common tools can take it apart:

    manifest.json             format, version, schema, name of the corpus, columns of each table
    tables/<table>.jsonl.zst  rows in key order, one JSON array a line; bytes in Base64
    bodies.zst                bodies: SHA-256 digest (32 bytes), length (8 bytes, big endian), bytes
    checksums.json            for each member before: SHA-256 of what the archive holds, number of records

Where bodies lie (the table `bodies`) is left out: it is made anew. Everything is streamed, both ways.
"""

from __future__ import annotations

import hashlib
import json
import struct
import tempfile
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any, BinaryIO, Final, Protocol
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import zstandard

from memory_structure.blobs import BlobStore
from memory_structure.errors import CorruptCorpus, NotFound
from memory_structure.registry import BackupProgress, BackupReport
from memory_structure.storage import ColumnKind, Reader, Row, Storage, Table
from memory_structure.stored.schema import BODIES, CORPUS_TABLES, SCHEMA_VERSION
from memory_structure.stored.secrets_left_out import without_secrets

FORMAT: Final = "hyphe corpus backup"
FORMAT_VERSION: Final = 1
MANIFEST: Final = "manifest.json"
CHECKSUMS: Final = "checksums.json"
BODIES_MEMBER: Final = "bodies.zst"
BODY_HEAD: Final = struct.Struct(">32sQ")
DUMPED_TABLES: Final = tuple(table for table in CORPUS_TABLES if table is not BODIES)
_LEVEL: Final = 3
_STEP: Final = 1000


class Sink(Protocol):
    """Takes bytes."""

    def write(self, data: bytes, /) -> int:
        """Take them all."""


def member_of(table_name: str) -> str:
    """Name of the member that holds a table."""
    return f"tables/{table_name}.jsonl.zst"


def write_dump(
    file: BinaryIO, storage: Storage, blobs: BlobStore, about: Mapping[str, object], progress: BackupProgress
) -> BackupReport:
    """Write a corpus into a stream; `about` is told in the manifest."""
    with tempfile.TemporaryFile() as digests, ZipFile(file, "w", ZIP_STORED) as archive:
        writer = _DumpWriter(archive)
        writer.put_json(MANIFEST, _manifest(about))
        n_rows = 0
        with storage.frozen() as reader:
            for table in DUMPED_TABLES:
                n_rows += writer.put_table(table, reader, progress)
            for (digest,) in reader.scan(BODIES, columns=("digest",)):
                digests.write(digest)
        digests.seek(0)
        n_bodies, n_lost = writer.put_bodies(_digests(digests), blobs, progress)
        writer.put_json(CHECKSUMS, {name: vars(check) for name, check in writer.checks.items()})
    return BackupReport(n_rows, n_bodies, n_lost)


def _manifest(about: Mapping[str, object]) -> dict[str, object]:
    tables = {t.name: [[c.name, c.kind.value] for c in t.columns] for t in DUMPED_TABLES}
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "schema": SCHEMA_VERSION,
        "written_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **about,
        "tables": tables,
    }


def _digests(file: IO[bytes]) -> Iterator[str]:
    while digest := file.read(32):
        yield digest.hex()


@dataclass
class Check:
    """What a member must be: the digest of its bytes in the archive, its number of records."""

    sha256: str
    n_records: int


@dataclass(slots=True)
class _Hashed:
    """Passes bytes on and takes their digest."""

    target: IO[bytes]
    digest: Any = field(default_factory=hashlib.sha256)

    def write(self, data: bytes) -> int:
        """Pass them on."""
        self.digest.update(data)
        return self.target.write(data)


class _DumpWriter:
    """Writes members one after the other."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self.checks: dict[str, Check] = {}

    def put_json(self, name: str, document: object) -> None:
        """A member that people can read."""
        data = json.dumps(document, indent=1, ensure_ascii=False).encode()
        self._archive.writestr(_info(name), data)
        self.checks[name] = Check(hashlib.sha256(data).hexdigest(), 1)

    def put_table(self, table: Table, reader: Reader, progress: BackupProgress) -> int:
        """The rows of a table, without secrets; their number."""
        positions = tuple(n for n, c in enumerate(table.columns) if c.kind is ColumnKind.BLOB)
        rows = without_secrets(table, reader.scan(table))
        with self._member(member_of(table.name)) as (sink, check):
            for row in rows:
                sink.write(_line(row, positions))
                check.n_records += 1
                if check.n_records % _STEP == 0:
                    progress(table.name, check.n_records)
        return check.n_records

    def put_bodies(
        self, digests: Iterable[str], blobs: BlobStore, progress: BackupProgress
    ) -> tuple[int, int]:
        """Bodies; how many were written, and how many could not be read."""
        n_lost = 0
        with self._member(BODIES_MEMBER) as (sink, check):
            for digest in digests:
                try:
                    body = blobs.get(digest)
                except (NotFound, CorruptCorpus):
                    n_lost += 1
                    continue
                sink.write(BODY_HEAD.pack(bytes.fromhex(digest), len(body)) + body)
                check.n_records += 1
                if check.n_records % _STEP == 0:
                    progress("bodies", check.n_records)
        return check.n_records, n_lost

    @contextmanager
    def _member(self, name: str) -> Iterator[tuple[Sink, Check]]:
        check = Check("", 0)
        with self._archive.open(_info(name), "w", force_zip64=True) as raw:
            hashed = _Hashed(raw)
            compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
            with compressor.stream_writer(hashed, closefd=False) as sink:  # type: ignore[arg-type]  # it only writes
                yield sink, check
        check.sha256 = hashed.digest.hexdigest()
        self.checks[name] = check


def _info(name: str) -> ZipInfo:
    """A member that others may not read once unpacked."""
    info = ZipInfo(name)
    info.external_attr = 0o600 << 16
    return info


def _line(row: Row, bytes_at: tuple[int, ...]) -> bytes:
    if bytes_at:
        cells = list(row)
        for position in bytes_at:
            if cells[position] is not None:
                cells[position] = b64encode(cells[position]).decode("ascii")
        row = tuple(cells)
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
