"""The embedded database: one SQLite file, write-ahead logging, several processes at once.

Writers queue up for `BEGIN IMMEDIATE`; readers never wait. `synchronous=NORMAL`: what was acknowledged
survives a killed process; with `full_durability` it survives a power cut too."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final

from memory_structure.backends.sqlite_statements import (
    create_statements,
    insert_statement,
    lookup_statement,
    narrowed,
    span_statement,
    update_statement,
)
from memory_structure.backends.sqlite_words import SqliteWords
from memory_structure.errors import (
    AlreadyExists,
    CorruptCorpus,
    MemoryStructureError,
    StoreError,
    StoreFull,
    StoreLocked,
)
from memory_structure.storage import ColumnKind, Key, Reader, Row, Span, Storage, Table, Transaction
from memory_structure.word_index import WordIndex

BUSY_SECONDS: Final = 30.0
_LEAST_BYTES: Final = 128 << 10  # with less a database cannot even be read: it needs a shared index file
_WORDS: Final = "-words"  # ending of the file of the word index
_LOOKUP_SIZES: Final = (256, 32, 4, 1)
_CHUNK_ROWS: Final = 2000
_CHUNK_BLOBS: Final = 100
_LOCKED: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_REFUSED: Final = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR})
_CORRUPT: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def _translated(error: sqlite3.Error, path: Path) -> MemoryStructureError:
    """The error of this package that says the same, naming the file."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if isinstance(error, sqlite3.IntegrityError):
        return AlreadyExists(f"{path}: {error}")
    if primary in _LOCKED:
        return StoreLocked(f"{path} is locked by another process: {error}")
    if primary == sqlite3.SQLITE_FULL:
        return StoreFull(f"{path}: no space left: {error}")
    if primary in _CORRUPT:
        return CorruptCorpus(f"{path} is not a sound SQLite file: {error}")
    if primary in _REFUSED:
        return _refusal(error, path)
    return StoreError(f"{path}: {error}")


def _refusal(error: sqlite3.Error, path: Path) -> StoreError:
    """What the file system refused, for the reason it gives when asked again: SQLite keeps that to itself."""
    folder = path.parent
    with suppress(OSError):
        room = os.statvfs(folder)
        if room.f_flag & os.ST_RDONLY:
            return StoreError(f"{path}: its file system can only be read: {error}")
        if room.f_bavail * room.f_frsize < _LEAST_BYTES:
            return StoreFull(f"{path}: no space left: {error}")
    touched = (folder, *(file for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")) if file.exists()))
    closed = [str(place) for place in touched if not os.access(place, os.R_OK | os.W_OK)]
    why = f"no right to read and write {', '.join(closed)}: " if closed else ""
    return StoreError(f"{path}: {why}{error}")


class _SqliteReader(Reader):
    """Reads over one connection. Inside a transaction or snapshot scans stream from a cursor."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error

    def _fetch(self, statement: str, values: Sequence[Any]) -> list[Row]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error

    def get(self, table: Table, keys: Iterable[Key]) -> dict[Key, Row]:
        if len(table.key) > 1:
            return self._get_composite(table, keys)
        position = table.position(table.key[0])
        return {row[position]: row for row in self._look_up(table, table.key, keys, None)}

    def _get_composite(self, table: Table, keys: Iterable[Key]) -> dict[Key, Row]:
        """Keys that differ in their last column alone are looked up together."""
        positions = [table.position(column) for column in table.key]
        groups: dict[tuple[Any, ...], list[Any]] = {}
        for key in keys:
            groups.setdefault(tuple(key[:-1]), []).append(key[-1])
        rows = [
            row
            for first, last in groups.items()
            for row in self._look_up(table, table.key, last, None, first)
        ]
        return {tuple([row[i] for i in positions]): row for row in rows}

    def find(
        self, table: Table, index: str, values: Iterable[Any], columns: tuple[str, ...] | None = None
    ) -> list[Row]:
        return self._look_up(table, table.index(index).columns[:1], values, columns)

    def _look_up(
        self,
        table: Table,
        by: tuple[str, ...],
        values: Iterable[Any],
        columns: tuple[str, ...] | None,
        first: tuple[Any, ...] = (),
    ) -> list[Row]:
        """Rows whose last column of `by` is among the values and whose others equal `first`.

        Statements exist for a few list sizes only, so that they stay prepared.
        """
        wanted = list(dict.fromkeys(values))
        rows: list[Row] = []
        start = 0
        for size in _LOOKUP_SIZES:
            statement = lookup_statement(table, by, columns, size)
            while len(wanted) - start >= size:
                rows += self._fetch(statement, (*first, *wanted[start : start + size]))
                start += size
        return rows

    def scan(
        self, table: Table, span: Span = Span(), columns: tuple[str, ...] | None = None
    ) -> Iterator[Row]:
        statement, values = span_statement(table, span, columns)
        cursor = self._execute(statement, values)
        chunk = _chunk_size(table, columns)
        while True:
            try:
                rows = cursor.fetchmany(chunk)
            except sqlite3.Error as error:
                raise _translated(error, self._path) from error
            if not rows:
                return
            yield from rows

    def count(self, table: Table, span: Span = Span()) -> int:
        statement, values = span_statement(table, span, ("count(*)",))
        return int(self._fetch(statement, values)[0][0])


class _SqliteTransaction(_SqliteReader, Transaction):
    """Writes over the connection that holds the write lock."""

    def _execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        self._execute_many(insert_statement(table, replace=False), rows)

    def put(self, table: Table, rows: Sequence[Row]) -> None:
        self._execute_many(insert_statement(table, replace=True), rows)

    def update(self, table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Key, Row]]) -> None:
        single = len(table.key) == 1
        self._execute_many(
            update_statement(table, columns),
            [(*values, key) if single else (*values, *key) for key, values in rows],
        )

    def delete(self, table: Table, keys: Sequence[Key]) -> None:
        single = len(table.key) == 1
        where = " AND ".join(f'"{c}" = ?' for c in table.key)
        self._execute_many(
            f'DELETE FROM "{table.name}" WHERE {where}',  # noqa: S608  # names come from table declarations
            [(key,) if single else key for key in keys],
        )


class SqliteStorage(Storage):
    """A database in one file, made when absent (its folder must exist).

    One connection writes, under a lock; reads take connections from a pool, so they may run in several
    threads."""

    def __init__(
        self, path: Path | str, full_durability: bool = False, *, cache_bytes: int = 8 << 20
    ) -> None:
        self._path = Path(path)
        self._synchronous = "FULL" if full_durability else "NORMAL"
        self._cache_bytes = cache_bytes
        self._lock = threading.RLock()
        self._pool_lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._active: _SqliteTransaction | None = None
        self._words: SqliteStorage | None = None
        self._writer = self._connect(cache_bytes)

    def _connect(self, cache_bytes: int) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                self._path,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=512,
            )
            connection.execute("PRAGMA page_size = 4096")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            connection.execute(f"PRAGMA cache_size = -{cache_bytes >> 10}")
            connection.execute("PRAGMA wal_autocheckpoint = 8192")
            connection.execute("PRAGMA journal_size_limit = 67108864")
            connection.execute("PRAGMA temp_store = MEMORY")
            return connection
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error

    @contextmanager
    def _reading(self) -> Iterator[_SqliteReader]:
        with self._pool_lock:
            if self._closed:
                raise StoreError(f"{self._path} is closed")
            connection = self._idle.pop() if self._idle else None
        connection = connection or self._connect(self._cache_bytes // 2)
        try:
            yield _SqliteReader(connection, self._path)
        finally:
            self._give_back(connection)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._pool_lock:
            if not self._closed and len(self._idle) < 4:
                self._idle.append(connection)
                return
        connection.close()

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        with self._reading() as reader:
            reader._execute("BEGIN")
            try:
                yield reader
            finally:
                reader._execute("COMMIT")

    def frozen(self) -> AbstractContextManager[Reader]:
        return self.snapshot()

    def get(self, table: Table, keys: Iterable[Key]) -> dict[Key, Row]:
        with self._reading() as reader:
            return reader.get(table, keys)

    def find(
        self, table: Table, index: str, values: Iterable[Any], columns: tuple[str, ...] | None = None
    ) -> list[Row]:
        with self._reading() as reader:
            return reader.find(table, index, values, columns)

    def scan(
        self, table: Table, span: Span = Span(), columns: tuple[str, ...] | None = None
    ) -> Iterator[Row]:
        """Rows come in chunks, each read by its own statement: a slow consumer keeps no read transaction
        open."""
        order = table.order(span.index)
        shown = tuple(c.name for c in table.columns) if columns is None else columns
        wide = shown + tuple(c for c in order if c not in shown)
        positions = [wide.index(c) for c in order]
        chunk = _chunk_size(table, columns)
        left, after = span.limit, span.after
        while left is None or left > 0:
            n_wanted = chunk if left is None else min(chunk, left)
            rows = self._chunk(table, narrowed(span, after, n_wanted), wide)
            yield from rows if wide is shown else (row[: len(shown)] for row in rows)
            if len(rows) < n_wanted:
                return
            after = tuple(rows[-1][i] for i in positions)
            left = None if left is None else left - n_wanted

    def _chunk(self, table: Table, span: Span, columns: tuple[str, ...]) -> list[Row]:
        with self._reading() as reader:
            return reader._fetch(*span_statement(table, span, columns))

    def count(self, table: Table, span: Span = Span()) -> int:
        with self._reading() as reader:
            return reader.count(table, span)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with self._lock:
            if self._closed:
                raise StoreError(f"{self._path} is closed")
            if self._active is not None:
                raise StoreError(f"{self._path}: a transaction is open in this thread already")
            transaction = _SqliteTransaction(self._writer, self._path)
            transaction._execute("BEGIN IMMEDIATE")
            self._active = transaction
            try:
                yield transaction
                transaction._execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._active = None

    def _roll_back(self) -> None:
        """SQLite itself has rolled back already after some errors, such as a full disk."""
        if self._writer.in_transaction:
            self._writer.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[Callable[[str, Sequence[Any]], list[Row]]]:
        """A write transaction for statements of this backend's own."""
        with self.transaction() as transaction:
            assert isinstance(transaction, _SqliteTransaction)
            yield transaction._fetch

    def query(self, statement: str, values: Sequence[Any]) -> list[Row]:
        """Rows of a reading statement of this backend's own."""
        with self._reading() as reader:
            return reader._fetch(statement, values)

    def word_index(self) -> WordIndex:
        with self._pool_lock:
            if self._closed:
                raise StoreError(f"{self._path} is closed")
            if self._words is None:
                self._words = SqliteStorage(f"{self._path}{_WORDS}")
            return SqliteWords(self._words)

    def ensure_tables(self, tables: Sequence[Table]) -> None:
        present = set(self._table_names())
        statements = [s for table in tables for s in create_statements(table)]
        if all(table.name in present for table in tables):
            return
        with self.transaction() as transaction:
            assert isinstance(transaction, _SqliteTransaction)
            for statement in statements:
                transaction._execute(statement)

    def _table_names(self) -> list[str]:
        with self._reading() as reader:
            return [
                row[0] for row in reader._fetch("SELECT name FROM sqlite_master WHERE type = 'table'", ())
            ]

    def size_bytes(self) -> int:
        files = (self._path, Path(f"{self._path}-wal"))
        return sum(f.stat().st_size for f in files if f.exists())

    def close(self) -> None:
        with self._lock, self._pool_lock:
            self._closed = True
            for connection in islice(self._idle, len(self._idle)):
                connection.close()
            self._idle.clear()
            self._writer.close()
            if self._words is not None:
                self._words.close()

    def destroy(self) -> None:
        self.close()
        remove_database(self._path)


def remove_database(path: Path) -> None:
    """Remove a database that nobody has open, sound or not."""
    try:
        for file in (f"{path}{_WORDS}", str(path)):
            for suffix in ("-wal", "-shm", ""):
                Path(f"{file}{suffix}").unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be removed: {error.strerror}") from error


def _chunk_size(table: Table, columns: tuple[str, ...] | None) -> int:
    heavy = any(c.kind is ColumnKind.BLOB and (columns is None or c.name in columns) for c in table.columns)
    return _CHUNK_BLOBS if heavy else _CHUNK_ROWS
