"""A database on a MongoDB server, or on one that speaks its protocol; servers that stand alone suffice.

One collection a table (see `mongodb_documents`), `_lock` with the writer's lock and `_journal`. A transaction
gathers its rows in memory (`mongodb_overlay`); at its end they are written to the journal, decided by one
change of the lock document (`mongodb_lock`), then applied by writes that may be repeated: each carries the
transaction's number and never replaces a row of a later one. Unique values are checked by the writer, who is
alone; so the server's indexes need not be unique and the writes of a transaction may be applied in any order.

A connection that is lost is waited for; StoreUnreachable comes after `unreachable_seconds` without an answer.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import bson
from bson.errors import BSONError
from bson.raw_bson import RawBSONDocument
from pymongo import IndexModel, MongoClient, ReplaceOne
from pymongo.collection import Collection
from pymongo.errors import (
    BulkWriteError,
    ConnectionFailure,
    CursorNotFound,
    DuplicateKeyError,
    OperationFailure,
    PyMongoError,
)
from pymongo.write_concern import WriteConcern

from memory_structure.backends.mongodb_access import Access, Document, LostConnection
from memory_structure.backends.mongodb_commit import CommitStep, Committer
from memory_structure.backends.mongodb_documents import KEY_INDEX
from memory_structure.backends.mongodb_journal import OperationKind
from memory_structure.backends.mongodb_lock import WriterLock
from memory_structure.backends.mongodb_overlay import OverlayTransaction
from memory_structure.backends.mongodb_reads import WHOLE, DocumentReader
from memory_structure.backends.mongodb_words import WORDS, WORDS_FIELDS, MongoWords
from memory_structure.errors import (
    InvalidValue,
    MemoryStructureError,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreUnreachable,
)
from memory_structure.storage import Key, Reader, Row, Span, Storage, Table, Transaction
from memory_structure.word_index import WordIndex

T = TypeVar("T")

KEYS_PER_QUERY = 100
ROWS_PER_BATCH = 1000
RETRY_SECONDS = 0.1
DUPLICATE_KEY = 11000
DISK_IS_FULL = frozenset({14031, 13068, 12501})
UNREPRESENTABLE = (BSONError, OverflowError, UnicodeEncodeError)
CLIENT_DEFAULTS = {"serverSelectionTimeoutMS": 1000, "connectTimeoutMS": 2000, "socketTimeoutMS": 60_000}


def _translated(error: PyMongoError, place: str) -> MemoryStructureError:
    """The error of this package that says the same."""
    if isinstance(error, ConnectionFailure):
        return StoreUnreachable(f"{place} does not answer: {_why(error)}")
    code = error.code if isinstance(error, OperationFailure) else None
    if isinstance(error, BulkWriteError):
        code = next((e["code"] for e in error.details["writeErrors"] if e["code"] in DISK_IS_FULL), code)
    return StoreFull(f"{place}: {error}") if code in DISK_IS_FULL else StoreError(f"{place}: {error}")


def _why(error: BaseException) -> str:
    """The driver's words without its time-outs and all it knows of its servers."""
    return re.split(r" \(configured timeouts|, Timeout: ", str(error), maxsplit=1)[0]


class MongoAccess(Access):
    """The driver, for one database."""

    def __init__(self, uri: str, database: str, patience_seconds: float) -> None:
        """A server may be silent for `patience_seconds`. Raises InvalidValue for an unusable address."""
        options: dict[str, Any] = {n: v for n, v in CLIENT_DEFAULTS.items() if n.lower() not in uri.lower()}
        self.place = f"MongoDB database {database}"
        self.patience_seconds = patience_seconds
        try:
            self.client: MongoClient[Document] = MongoClient(uri, **options)
            self.database = self.client[database]
        except (PyMongoError, ValueError) as error:
            raise InvalidValue(f"not a usable MongoDB address: {error}") from error
        self._quick = self.client.write_concern
        self._durable = WriteConcern(**{**self._quick.document, "j": True})

    def call(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do it, again and again while the server does not answer."""
        deadline: float | None = None
        while True:
            try:
                return work(*arguments)
            except ConnectionFailure as error:
                deadline = self._wait(error, deadline)
            except UNREPRESENTABLE as error:
                raise InvalidValue(f"{self.place}: {error}") from error
            except PyMongoError as error:
                raise _translated(error, self.place) from error

    def _wait(self, error: BaseException, deadline: float | None) -> float:
        self.was_lost = True
        now = time.monotonic()
        if deadline is not None and now >= deadline:
            raise StoreUnreachable(f"{self.place} does not answer: {_why(error)}") from error
        time.sleep(RETRY_SECONDS)
        return now + self.patience_seconds if deadline is None else deadline

    def pause(self, fault: LostConnection, deadline: float | None) -> float:
        """See `Access`."""
        return self._wait(fault.__cause__ or fault, deadline)

    def stream(
        self,
        collection: str,
        query: Document,
        fields: Document | None = None,
        sort: list[tuple[str, int]] | None = None,
        limit: int = 0,
    ) -> Iterator[Document]:
        """See `Access`."""
        found = self.database[collection]
        try:
            yield from found.find(query, fields, sort=sort, limit=limit, batch_size=ROWS_PER_BATCH)
        except (ConnectionFailure, CursorNotFound) as error:
            raise LostConnection from error
        except UNREPRESENTABLE as error:
            raise InvalidValue(f"{self.place}: {error}") from error
        except PyMongoError as error:
            raise _translated(error, self.place) from error

    def list_all(
        self,
        collection: str,
        query: Document,
        fields: Document | None = None,
        sort: list[tuple[str, int]] | None = None,
        limit: int = 0,
    ) -> list[Document]:
        """See `Access`."""
        found = self.database[collection]
        return self.call(lambda: list(found.find(query, fields, sort=sort, limit=limit)))

    def find_one(self, collection: str, document_id: Any) -> Document | None:
        """See `Access`."""
        return self.call(self.database[collection].find_one, {"_id": document_id})

    def count(self, collection: str, query: Document) -> int:
        """See `Access`."""
        return self.call(self.database[collection].count_documents, query)

    def _collection(self, name: str, *, durable: bool) -> Collection[Document]:
        return self.database[name].with_options(write_concern=self._durable if durable else self._quick)

    def add_once(self, collection: str, document: Document) -> None:
        """See `Access`."""

        def add() -> None:
            try:
                self._collection(collection, durable=True).insert_one(document)
            except DuplicateKeyError:
                return

        self.call(add)

    def change_one(
        self, collection: str, guard: Document, change: Document, *, durable: bool = False
    ) -> bool:
        """See `Access`."""
        changed = self.call(self._collection(collection, durable=durable).update_one, guard, change)
        return changed.matched_count > 0

    def write(
        self, collection: str, kind: OperationKind, documents: Sequence[bytes], seq: int, *, durable: bool
    ) -> None:
        """See `Access`."""
        raw = [RawBSONDocument(document) for document in documents]
        target = self._collection(collection, durable=durable)
        if kind is OperationKind.REMOVE:
            for start in range(0, len(raw), KEYS_PER_QUERY):
                some = {"$in": [document["_id"] for document in raw[start : start + KEYS_PER_QUERY]]}
                self.call(target.delete_many, {"_id": some, "_v": {"$lte": seq}})
            return
        if kind is OperationKind.ADD:
            raw = self.call(_insert_new, target, raw)
        if raw:
            self.call(_replace_older, target, raw, seq)

    def server_id(self) -> object:
        """See `Access`. Servers before 4.4 do not tell; their start time does."""
        hello = self.call(self.client.admin.command, "hello")
        version = hello.get("topologyVersion")
        if version is not None:
            return version["processId"]
        status = self.call(self.client.admin.command, "serverStatus")
        return status["pid"], status["localTime"].timestamp() // 10 - status["uptime"] // 10

    def remove(self, collection: str, ids: list[str] | None) -> None:
        """See `Access`."""
        query: Document = {} if ids is None else {"_id": {"$in": ids}}
        self.call(self._collection(collection, durable=False).delete_many, query)

    def encode(self, document: Document) -> bytes:
        """See `Access`."""
        try:
            return bson.encode(document)
        except UNREPRESENTABLE as error:
            raise InvalidValue(f"{self.place}: {error}") from error


def _insert_new(collection: Collection[Document], raw: list[RawBSONDocument]) -> list[RawBSONDocument]:
    """Add documents; returns those whose ids are there, left by an earlier attempt or a later transaction."""
    try:
        collection.insert_many(raw, ordered=False)
    except BulkWriteError as error:
        faults = error.details["writeErrors"]
        if any(f["code"] != DUPLICATE_KEY for f in faults):
            raise
        return [raw[f["index"]] for f in faults]
    return []


def _replace_older(collection: Collection[Document], raw: list[RawBSONDocument], seq: int) -> None:
    """Write documents over those of earlier transactions; newer ones stay."""
    writes: list[Any] = [ReplaceOne({"_id": d["_id"], "_v": {"$lte": seq}}, d, upsert=True) for d in raw]
    try:
        collection.bulk_write(writes, ordered=False)
    except BulkWriteError as error:
        if any(f["code"] != DUPLICATE_KEY for f in error.details["writeErrors"]):
            raise


class MongoStorage(Storage):
    """A database of a server, made when absent.

    `busy_seconds`: how long to wait for another writer. `lease_seconds`: after how long without a sign of
    life a writer of another machine counts as dead. `unreachable_seconds`: how long to wait for a server that
    does not answer; `opening_seconds`: the same for the first answer. `on_step` is called at each step of a
    commit.
    """

    def __init__(
        self,
        uri: str,
        database: str,
        *,
        busy_seconds: float = 60.0,
        lease_seconds: float = 15.0,
        unreachable_seconds: float = 60.0,
        opening_seconds: float = 10.0,
        on_step: Callable[[CommitStep], None] | None = None,
    ) -> None:
        self._uri = uri
        self._access = MongoAccess(uri, database, opening_seconds)
        self._reader = DocumentReader(self._access)
        self._busy_seconds = busy_seconds
        self._turn = threading.Lock()
        self._lock = WriterLock(self._access, busy_seconds=busy_seconds, lease_seconds=lease_seconds)
        self._committer = Committer(self._access, self._lock, on_step or (lambda _: None))
        self._committer.recover()
        self._access.patience_seconds = unreachable_seconds

    def get(self, table: Table, keys: Iterable[Key]) -> dict[Key, Row]:
        """See `Reader`."""
        return self._sound().get(table, keys)

    def find(
        self, table: Table, index: str, values: Iterable[Any], columns: tuple[str, ...] | None = None
    ) -> list[Row]:
        """See `Reader`."""
        return self._sound().find(table, index, values, columns)

    def scan(self, table: Table, span: Span = WHOLE, columns: tuple[str, ...] | None = None) -> Iterator[Row]:
        """See `Reader`."""
        return self._sound().scan(table, span, columns)

    def count(self, table: Table, span: Span = WHOLE) -> int:
        """See `Reader`."""
        return self._sound().count(table, span)

    def _sound(self) -> DocumentReader:
        """The reader; after an outage, what was decided before it is applied first."""
        if self._access.was_lost and self._lock.owner is None and self._turn.acquire(blocking=False):
            try:
                self._access.was_lost = False
                self._committer.recover()
            finally:
                self._turn.release()
        return self._reader

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """See `Storage`."""
        with self._my_turn():
            state = self._committer.take_lock()
            transaction = OverlayTransaction(self._reader)
            try:
                yield transaction
                if transaction.failure is not None:
                    raise transaction.failure
                self._committer.commit(state, transaction.changes())
            finally:
                self._lock.release()

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=self._busy_seconds):
            raise StoreLocked(f"{self._access.place}: another thread writes")
        try:
            yield
        finally:
            self._turn.release()

    @contextmanager
    def frozen(self) -> Iterator[Reader]:
        """See `Storage`: holds the writers' lock."""
        with self._my_turn():
            self._committer.take_lock()
            try:
                yield self._reader
            finally:
                self._lock.release()

    def word_index(self) -> WordIndex:
        """See `Storage`."""
        models = [IndexModel(WORDS_FIELDS)]
        self._access.call(self._access.database[WORDS].create_indexes, models)
        return MongoWords(self._access)

    def ensure_tables(self, tables: Sequence[Table]) -> None:
        """See `Storage`."""
        for table in tables:
            codec = self._reader.codec(table)
            models = [IndexModel(codec.index_fields(None), name=KEY_INDEX)]
            models += [IndexModel(codec.index_fields(i.name), name=i.name) for i in table.indexes]
            self._access.call(self._access.database[table.name].create_indexes, models)

    def size_bytes(self) -> int:
        """See `Storage`."""
        stats = self._access.call(self._access.database.command, "dbStats")
        return int(stats.get("storageSize") or stats.get("dataSize") or 0) + int(stats.get("indexSize") or 0)

    def close(self) -> None:
        """See `Storage`."""
        self._lock.close()
        self._access.client.close()

    def destroy(self) -> None:
        """See `Storage`; a closed instance may do it too."""
        self.close()
        access = MongoAccess(self._uri, self._access.database.name, self._access.patience_seconds)
        try:
            access.call(access.client.drop_database, access.database)
        finally:
            access.client.close()
