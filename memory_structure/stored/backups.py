"""Backing up corpora of a registry, and making corpora of backups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, Final, TypeVar

from memory_structure.blobs import BlobStore
from memory_structure.errors import AlreadyExists, InvalidValue, UnusableBackup
from memory_structure.records import EndReason, JobState
from memory_structure.registry import BackupHead, BackupProgress, BackupReport, CorpusEntry, unwatched
from memory_structure.storage import Storage
from memory_structure.stored.corpora import Corpora, corpus_id_of
from memory_structure.stored.dump import DUMPED_TABLES, write_dump
from memory_structure.stored.dump_reading import DumpReader
from memory_structure.stored.packed_blobs import PackedBlobStore
from memory_structure.stored.schema import CORPUS_TABLES
from memory_structure.stored.state import find_state
from memory_structure.stored.structure import StoredMemoryStructure

_ROWS_AT_ONCE: Final = 2000
_BYTES_AT_ONCE: Final = 8 << 20
_PAUSED: Final = "restored from a backup; waits to be resumed"

R = TypeVar("R", bound=tuple[Any, ...])


class Backups(Corpora):
    """Backup and restore of one corpus as one file (see `dump`)."""

    def backup_corpus(
        self, corpus_id: str, file: BinaryIO, *, written_by: str = "", progress: BackupProgress = unwatched
    ) -> BackupReport:
        """Write everything of a corpus but its secrets as one stream."""
        entry = self.get_corpus(corpus_id)
        about = {
            "corpus_id": entry.corpus_id,
            "name": entry.name,
            "protected": bool(entry.password_hash),
            "written_by": written_by,
        }
        storage, blobs = self.open_structure(corpus_id).storage, self.open_blobs(corpus_id)
        return write_dump(file, storage, blobs, about, progress)

    def describe_backup(self, file: BinaryIO) -> BackupHead:
        """What a backup says of itself."""
        return DumpReader(file).head

    def restore_corpus(
        self,
        file: BinaryIO,
        *,
        name: str | None = None,
        password_hash: str = "",
        progress: BackupProgress = unwatched,
    ) -> CorpusEntry:
        """Make a new corpus of a backup, all or nothing."""
        dump = DumpReader(file)
        name = self._free_name(dump.head.name if name is None else name)
        with self._stores.making(corpus_id_of(name)) as store:

            def alive(what: str, done: int) -> None:
                self._stores.touch(store)
                progress(what, done)

            storage = self._stores.open_database(store, False)
            try:
                _load_tables(dump, storage, alive)
                blobs = PackedBlobStore(self._stores.open_packs(store), storage)
                try:
                    _load_bodies(dump, blobs, alive)
                finally:
                    blobs.close()
                _pause_jobs(storage)
            finally:
                storage.close()
            return self._enter(store, name, password_hash)


def _load_tables(dump: DumpReader, storage: Storage, progress: BackupProgress) -> None:
    storage.ensure_tables(CORPUS_TABLES)
    for table in DUMPED_TABLES:
        n_rows = 0
        for rows in _portions(dump.iter_rows(table)):
            try:
                with storage.transaction() as transaction:
                    transaction.insert(table, rows)
            except (AlreadyExists, InvalidValue) as error:
                raise UnusableBackup(f"the backup is damaged: {error}") from error
            n_rows += len(rows)
            progress(table.name, n_rows)
    if find_state(storage) is None:
        raise UnusableBackup("the backup is damaged: the state of the corpus is absent")


def _load_bodies(dump: DumpReader, blobs: BlobStore, progress: BackupProgress) -> None:
    n_bodies = 0
    for bodies in _portions(dump.iter_bodies()):
        blobs.put_many(bodies)
        n_bodies += len(bodies)
        progress("bodies", n_bodies)


def _portions(records: Iterator[R]) -> Iterator[list[R]]:
    """Records in lists that are neither long nor heavy."""
    portion: list[R] = []
    weight = 0
    for record in records:
        portion.append(record)
        weight += sum(len(cell) for cell in record if isinstance(cell, (str, bytes)))
        if len(portion) >= _ROWS_AT_ONCE or weight >= _BYTES_AT_ONCE:
            yield portion
            portion, weight = [], 0
    if portion:
        yield portion


def _pause_jobs(storage: Storage) -> None:
    """Nobody works on what was running when the backup was written, and nothing begins by itself."""
    structure = StoredMemoryStructure(storage)
    for job in structure.list_jobs(states=(JobState.PENDING, JobState.RUNNING)):
        structure.move_job(job.job_id, JobState.PAUSED, end=EndReason.PAUSED, reason=_PAUSED)
