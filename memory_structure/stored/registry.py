"""The registry over any database that offers keyed tables."""

from __future__ import annotations

import re
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Final

from memory_structure.blobs import BlobStore
from memory_structure.corpus_records import CorpusOptions
from memory_structure.errors import (
    AlreadyExists,
    CorruptCorpus,
    InvalidValue,
    MemoryStructureError,
    NotFound,
    SchemaMismatch,
    StoreLocked,
)
from memory_structure.registry import CorpusEntry, Registry
from memory_structure.storage import Reader, Row, Storage, Transaction
from memory_structure.stored.codec import clean_text
from memory_structure.stored.leases import Leases
from memory_structure.stored.moments import from_micros, now_micros
from memory_structure.stored.pack_files import Packs
from memory_structure.stored.packed_blobs import PackedBlobStore
from memory_structure.stored.schema import (
    CORPORA,
    CORPUS_TABLES,
    QUEUE,
    REGISTRY_STATE,
    REGISTRY_TABLES,
    SCHEMA_VERSION,
    WORKERS,
)
from memory_structure.stored.state import find_state
from memory_structure.stored.structure import StoredMemoryStructure
from memory_structure.stored.tokens import TOKEN_TABLES, StoredTokens

WELL_KNOWN_ID: Final = "--hyphe--"  # what clients call the corpus of a single-corpus service
_MAX_ID: Final = 16
_MAX_NAME: Final = 200
_UNSHOWN: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, surrogate, line and paragraph separators
# Overrides of the writing direction.
_OVERRIDES: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_COLUMNS: Final = tuple(c.name for c in CORPORA.columns)


def corpus_id_of(name: str) -> str:
    """The id a corpus name gives when it is free: "Mon Corpus !" is "mon-corpus-"; it never begins with a
    dash."""
    if name == WELL_KNOWN_ID:
        return name
    letters = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).lstrip("-")
    return letters[:_MAX_ID] or "corpus"


class StoredRegistry(Leases, StoredTokens, Registry):
    """Corpora, queue, workers and host leases in one database; each corpus in its own, made by
    `make_storage`."""

    def __init__(
        self,
        storage: Storage,
        make_storage: Callable[[str, bool], Storage],
        make_packs: Callable[[str], Packs],
        remove_storage: Callable[[str], None],
    ) -> None:
        self._storage = storage
        self._make_storage = make_storage
        self._make_packs = make_packs
        self._remove_storage = remove_storage
        self._lock = threading.RLock()
        self._structures: dict[str, tuple[datetime, StoredMemoryStructure]] = {}  # with the corpus' creation
        self._blobs: dict[str, tuple[StoredMemoryStructure, PackedBlobStore]] = {}
        self._touched: dict[str, float] = {}
        storage.ensure_tables((*REGISTRY_TABLES, *TOKEN_TABLES))
        _lay_out(storage)

    # -- corpora

    def create_corpus(self, name: str, options: CorpusOptions, password_hash: str = "") -> CorpusEntry:
        """Create a corpus and its store."""
        _refuse_bad_name(name)
        with self._storage.transaction() as transaction:
            _refuse_used(transaction, name)
            corpus_id = _free_id(transaction, name)
            moment = now_micros()
            transaction.put(CORPORA, [(corpus_id, clean_text(name), password_hash, moment, moment, 0, 0)])
        try:
            structure = self._make_structure(corpus_id, options)
        except BaseException:
            with suppress(MemoryStructureError):  # what failed first is told; unfinished remains hold no name
                self._remove_storage(corpus_id)
                with self._storage.transaction() as transaction:
                    transaction.delete(CORPORA, [corpus_id])
            raise
        with self._storage.transaction() as transaction:
            transaction.update(CORPORA, ("ready",), [(corpus_id, (1,))])
        entry = self.get_corpus(corpus_id)
        with self._lock:
            self._structures[corpus_id] = (entry.created_at, structure)
        return entry

    def _make_structure(self, corpus_id: str, options: CorpusOptions | None) -> StoredMemoryStructure:
        storage = self._make_storage(corpus_id, False)
        if options is None:
            _require_store(storage, corpus_id)
        structure = StoredMemoryStructure(storage, options)
        if structure.options().full_durability:
            structure.close()
            structure = StoredMemoryStructure(self._make_storage(corpus_id, True))
        return structure

    def get_corpus(self, corpus: str) -> CorpusEntry:
        """The corpus of that id, else of that name."""
        row = self._storage.get(CORPORA, (corpus,)).get(corpus)
        named = [] if row is not None and row[6] else self._storage.find(CORPORA, "by_name", (corpus,))
        for found in (row, *named):
            if found is not None and found[6]:
                return _corpus(found)
        raise NotFound(f"there is no corpus {corpus!r}")

    def list_corpora(self) -> list[CorpusEntry]:
        """All corpora by id."""
        return [_corpus(row) for row in self._storage.scan(CORPORA) if row[6]]

    def rename_corpus(self, corpus_id: str, name: str) -> CorpusEntry:
        """Change the name; the id stays."""
        _refuse_bad_name(name)
        with self._changing(corpus_id) as (transaction, row):
            if row[1] != name:
                _refuse_used(transaction, name)
                transaction.update(CORPORA, ("name",), [(corpus_id, (clean_text(name),))])
        return self.get_corpus(corpus_id)

    def set_password(self, corpus_id: str, password_hash: str) -> CorpusEntry:
        """Change the password hash; an empty one opens the corpus."""
        with self._changing(corpus_id) as (transaction, _):
            transaction.update(CORPORA, ("password_hash",), [(corpus_id, (password_hash,))])
        return self.get_corpus(corpus_id)

    def set_started(self, corpus_id: str, started: bool) -> None:
        """Note whether clients have the corpus open."""
        with self._changing(corpus_id) as (transaction, _):
            transaction.update(CORPORA, ("started",), [(corpus_id, (int(started),))])

    def touch_corpus(self, corpus_id: str) -> None:
        """Note activity, at most once a second."""
        now = time.monotonic()
        if now - self._touched.get(corpus_id, float("-inf")) < 1.0:
            return
        with self._changing(corpus_id) as (transaction, _):
            transaction.update(CORPORA, ("last_activity_at",), [(corpus_id, (now_micros(),))])
        self._touched[corpus_id] = now

    def destroy_corpus(self, corpus_id: str) -> None:
        """Remove a corpus, its store, its bodies and its queue for good."""
        with self._changing(corpus_id) as (transaction, _):
            queued = [row for row in transaction.scan(QUEUE) if row[1] == corpus_id]
            living = {row[0] for row in transaction.scan(WORKERS) if row[4] > now_micros()}
            for row in queued:
                if row[4] in living:
                    raise StoreLocked(f"corpus {corpus_id}: worker {row[4]} is crawling job {row[2]}")
            transaction.delete(QUEUE, [(row[1], row[2]) for row in queued])
            transaction.update(CORPORA, ("ready",), [(corpus_id, (0,))])
        with self._lock:
            known = self._structures.pop(corpus_id, None)
            if known is not None:
                known[1].close()
            self._close_blobs(corpus_id)
        self._make_packs(corpus_id).destroy()
        self._remove_storage(corpus_id)
        with self._storage.transaction() as transaction:
            transaction.delete(CORPORA, [corpus_id])

    @contextmanager
    def _changing(self, corpus_id: str) -> Iterator[tuple[Transaction, Row]]:
        with self._storage.transaction() as transaction:
            row = transaction.get(CORPORA, (corpus_id,)).get(corpus_id)
            if row is None or not row[6]:
                raise NotFound(f"there is no corpus {corpus_id!r}")
            yield transaction, row

    def open_structure(self, corpus_id: str) -> StoredMemoryStructure:
        """The memory structure of a corpus; one shared instance a process.

        Another process may have destroyed the corpus and made a new one of that id: the old one is closed.
        """
        created_at = self.get_corpus(corpus_id).created_at
        with self._lock:
            known = self._structures.get(corpus_id)
            if known is not None and known[0] == created_at:
                return known[1]
            if known is not None:
                known[1].close()
            structure = self._make_structure(corpus_id, None)
            self._structures[corpus_id] = (created_at, structure)
            return structure

    def open_blobs(self, corpus_id: str) -> BlobStore:
        """The bodies of a corpus; one shared instance a process, so that it fills one pack."""
        structure = self.open_structure(corpus_id)
        with self._lock:
            known = self._blobs.get(corpus_id)
            if known is not None and known[0] is structure:
                return known[1]
            self._close_blobs(corpus_id)
            blobs = PackedBlobStore(
                self._make_packs(corpus_id),
                structure.storage,
                full_durability=structure.options().full_durability,
            )
            self._blobs[corpus_id] = (structure, blobs)
            return blobs

    def _close_blobs(self, corpus_id: str) -> None:
        known = self._blobs.pop(corpus_id, None)
        if known is not None:
            known[1].close()

    def close(self) -> None:
        """Release everything opened here."""
        with self._lock:
            for corpus_id in list(self._blobs):
                self._close_blobs(corpus_id)
            for _, structure in self._structures.values():
                structure.close()
            self._structures.clear()
            self._storage.close()


def _lay_out(storage: Storage) -> None:
    row = storage.get(REGISTRY_STATE, (1,)).get(1)
    if row is None:
        with storage.transaction() as transaction:
            if not transaction.get(REGISTRY_STATE, (1,)):
                transaction.put(REGISTRY_STATE, [(1, SCHEMA_VERSION, 1)])
    elif row[1] > SCHEMA_VERSION:
        raise SchemaMismatch(f"the registry has schema {row[1]}, this program knows up to {SCHEMA_VERSION}")


def _require_store(storage: Storage, corpus_id: str) -> None:
    """A store that was lost is a fault to be told, not an empty corpus."""
    storage.ensure_tables(CORPUS_TABLES)
    if find_state(storage) is None:
        storage.close()
        raise CorruptCorpus(
            f"the store of corpus {corpus_id} is lost or empty: bring back a copy, or destroy it"
        )


def _refuse_bad_name(name: str) -> None:
    """Names are shown on one line of terminals and tables: nothing that breaks or disguises it."""
    if not name.strip():
        raise InvalidValue("a corpus needs a name")
    if len(name) > _MAX_NAME:
        raise InvalidValue(f"the name of a corpus has at most {_MAX_NAME} characters, not {len(name)}")
    if any(unicodedata.category(character) in _UNSHOWN or character in _OVERRIDES for character in name):
        raise InvalidValue(f"the name {name!r} holds characters that cannot be shown")


def _refuse_used(reader: Reader, name: str) -> None:
    """Remains of a corpus that was never finished, or not wholly destroyed, do not hold its name."""
    for row in reader.find(CORPORA, "by_name", (clean_text(name),)):
        if row[6]:
            raise AlreadyExists(f"a corpus is called {name!r} already: its id is {row[0]}")


def _free_id(transaction: Transaction, name: str) -> str:
    for row in transaction.find(CORPORA, "by_name", (clean_text(name),)):
        transaction.delete(CORPORA, [row[0]])
    wanted = corpus_id_of(name)
    candidate, n = wanted, 0
    while transaction.get(CORPORA, (candidate,)):
        n += 1
        candidate = f"{wanted}-{n}"
    return candidate


def _corpus(row: Row) -> CorpusEntry:
    return CorpusEntry(row[0], row[1], row[2], from_micros(row[3]), from_micros(row[4]), bool(row[5]))
