"""The corpora of a registry: made, found, renamed, destroyed and brought back."""

from __future__ import annotations

import re
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Final

from memory_structure.blobs import BlobStore
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule
from memory_structure.errors import AlreadyExists, CorruptCorpus, InvalidValue, NotFound, StoreLocked
from memory_structure.registry import WELL_KNOWN_ID, CorpusEntry, DestroyedCorpus
from memory_structure.storage import Reader, Row, Storage, Transaction
from memory_structure.stored.codec import clean_text
from memory_structure.stored.corpus_stores import CorpusStores, condemn, give, store_of
from memory_structure.stored.moments import from_micros, now_micros
from memory_structure.stored.pack_files import Packs
from memory_structure.stored.packed_blobs import PackedBlobStore
from memory_structure.stored.rule_rows import store_rule
from memory_structure.stored.schema import CORPORA, CORPUS_TABLES, QUEUE, RULES, STORES, TRASH, WORKERS
from memory_structure.stored.state import find_state
from memory_structure.stored.structure import StoredMemoryStructure

_MAX_ID: Final = 16
_MAX_NAME: Final = 200
_UNSHOWN: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, surrogate, line and paragraph separators
# Overrides of the writing direction.
_OVERRIDES: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def corpus_id_of(name: str) -> str:
    """The id a corpus name gives when it is free: "Mon Corpus !" is "mon-corpus-"; it never begins with a
    dash."""
    if name == WELL_KNOWN_ID:
        return name
    letters = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).lstrip("-")
    return letters[:_MAX_ID] or "corpus"


class Corpora:
    """Corpora in one database; each has a store of its own (see `corpus_stores`)."""

    def __init__(
        self,
        storage: Storage,
        make_storage: Callable[[str, bool], Storage],
        make_packs: Callable[[str], Packs],
        remove_storage: Callable[[str], None],
    ) -> None:
        self._storage = storage
        self._stores = CorpusStores(storage, make_storage, make_packs, remove_storage)
        self._lock = threading.RLock()
        # With name and beginning of the store.
        self._structures: dict[str, tuple[tuple[str, datetime], StoredMemoryStructure]] = {}
        self._blobs: dict[str, tuple[StoredMemoryStructure, PackedBlobStore]] = {}
        self._touched: dict[str, float] = {}

    # -- making and finding

    def create_corpus(
        self,
        name: str,
        options: CorpusOptions,
        password_hash: str = "",
        rules: Sequence[CreationRule] = (),
    ) -> CorpusEntry:
        """Create a corpus and its store, with rules."""
        name = self._free_name(name)
        with self._stores.making(corpus_id_of(name)) as store:
            structure = self._make_structure(store, options)
            try:
                with structure.storage.transaction() as transaction:
                    for rule in rules:
                        store_rule(transaction, rule)
                entry = self._enter(store, name, password_hash)
            except BaseException:
                structure.close()
                raise
        with self._lock:
            self._structures[entry.corpus_id] = ((store, entry.created_at), structure)
        return entry

    def _free_name(self, name: str) -> str:
        usable = _usable_name(name)
        _refuse_used(self._storage, usable)
        return usable

    def _enter(self, store: str, name: str, password_hash: str) -> CorpusEntry:
        """Make a finished store a corpus, in one transaction."""
        with self._storage.transaction() as transaction:
            _refuse_used(transaction, name)
            corpus_id = _free_id(transaction, name)
            moment = now_micros()
            row = (corpus_id, clean_text(name), password_hash, moment, moment, 0, 1)
            transaction.put(CORPORA, [row])
            give(transaction, store, corpus_id)
        return _corpus(row)

    def _make_structure(self, store: str, options: CorpusOptions | None) -> StoredMemoryStructure:
        storage = self._stores.open_database(store, False)
        if options is None:
            _require_store(storage, store)
        structure = StoredMemoryStructure(storage, options)
        if structure.options().full_durability:
            structure.close()
            structure = StoredMemoryStructure(self._stores.open_database(store, True))
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

    # -- changing

    def rename_corpus(self, corpus_id: str, name: str) -> CorpusEntry:
        """Change the name; the id stays."""
        name = _usable_name(name)
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

    def empty_corpus(self, corpus_id: str) -> DestroyedCorpus:
        """Give a corpus a new, empty store with its options and rules; the old one goes to the trash."""
        old = self.open_structure(corpus_id)
        with self._stores.making(corpus_id) as store:
            structure = self._make_structure(store, old.options())
            try:
                with structure.storage.transaction() as transaction:
                    transaction.put(RULES, list(old.storage.scan(RULES)))
            finally:
                structure.close()
            with self._changing(corpus_id) as (transaction, row):
                _drop_queue(transaction, corpus_id)
                destroyed = _to_trash(transaction, row)
                give(transaction, store, corpus_id)
        self._close_corpus(corpus_id)
        return destroyed

    # -- destroying

    def destroy_corpus(self, corpus_id: str) -> None:
        """Remove a corpus, its store, its bodies and its queue for good."""
        with self._changing(corpus_id) as (transaction, _):
            _drop_queue(transaction, corpus_id)
            store = store_of(transaction, corpus_id)
            transaction.delete(CORPORA, [corpus_id])
            transaction.delete(STORES, [corpus_id])
            condemn(transaction, store)
        self._close_corpus(corpus_id)
        self._stores.remove(store)

    def trash_corpus(self, corpus_id: str) -> DestroyedCorpus:
        """Take a corpus away so that it can be brought back; its id and name are free."""
        with self._changing(corpus_id) as (transaction, row):
            _drop_queue(transaction, corpus_id)
            destroyed = _to_trash(transaction, row)
            transaction.delete(CORPORA, [corpus_id])
            transaction.delete(STORES, [corpus_id])
        self._close_corpus(corpus_id)
        return destroyed

    def list_destroyed(self) -> list[DestroyedCorpus]:
        """Corpora in the trash, the last one destroyed first."""
        found = [_destroyed(row) for row in self._storage.scan(TRASH)]
        return sorted(found, key=lambda each: each.destroyed_at, reverse=True)

    def get_destroyed(self, destroyed: str) -> DestroyedCorpus:
        """What is in the trash under that id; else the last one destroyed of that corpus id or name."""
        row = self._storage.get(TRASH, (destroyed,)).get(destroyed)
        if row is not None:
            return _destroyed(row)
        for each in self.list_destroyed():
            if destroyed in (each.corpus_id, each.name):
                return each
        raise NotFound(f"there is no destroyed corpus {destroyed!r}")

    def undestroy_corpus(self, destroyed_id: str, name: str | None = None) -> CorpusEntry:
        """Bring a corpus back from the trash, not started."""
        if name is not None:
            name = _usable_name(name)
        with self._storage.transaction() as transaction:
            row = transaction.get(TRASH, (destroyed_id,)).get(destroyed_id)
            if row is None:
                raise NotFound(f"there is no destroyed corpus {destroyed_id!r}")
            store, old_id, old_name, *rest = row[:6]
            name = old_name if name is None else name
            _refuse_used(transaction, name)
            corpus_id = _free_id(transaction, name, old_id if name == old_name else None)
            transaction.put(CORPORA, [(corpus_id, clean_text(name), *rest, 0, 1)])
            transaction.delete(TRASH, [destroyed_id])
            give(transaction, store, corpus_id)
        return self.get_corpus(corpus_id)

    def purge_destroyed(self, until: datetime | None = None) -> list[DestroyedCorpus]:
        """Remove for good what was destroyed until that moment (None: everything), and unfinished stores."""
        self._stores.sweep()
        due = [each for each in self.list_destroyed() if until is None or each.destroyed_at <= until]
        purged = []
        for each in due:
            with suppress(NotFound):  # brought back meanwhile, or purged by somebody else
                self.purge_corpus(each.destroyed_id)
                purged.append(each)
        return purged

    def purge_corpus(self, destroyed_id: str) -> None:
        """Remove one of the trash for good."""
        with self._storage.transaction() as transaction:
            if not transaction.get(TRASH, (destroyed_id,)):
                raise NotFound(f"there is no destroyed corpus {destroyed_id!r}")
            transaction.delete(TRASH, [destroyed_id])
            condemn(transaction, destroyed_id)
        self._stores.remove(destroyed_id)

    # -- opening

    def open_structure(self, corpus_id: str) -> StoredMemoryStructure:
        """The memory structure of a corpus; one shared instance a process.

        Another process may have emptied the corpus, or destroyed it and made a new one of that id: the old
        one is closed.
        """
        created_at = self.get_corpus(corpus_id).created_at
        place = (store_of(self._storage, corpus_id), created_at)
        with self._lock:
            known = self._structures.get(corpus_id)
            if known is not None and known[0] == place:
                return known[1]
            if known is not None:
                known[1].close()
            structure = self._make_structure(place[0], None)
            self._structures[corpus_id] = (place, structure)
            return structure

    def open_blobs(self, corpus_id: str) -> BlobStore:
        """The bodies of a corpus; one shared instance a process, so that it fills one pack."""
        structure = self.open_structure(corpus_id)
        with self._lock:
            known = self._blobs.get(corpus_id)
            if known is not None and known[0] is structure:
                return known[1]
            self._close_blobs(corpus_id)
            store = self._structures[corpus_id][0][0]
            blobs = PackedBlobStore(
                self._stores.open_packs(store),
                structure.storage,
                full_durability=structure.options().full_durability,
            )
            self._blobs[corpus_id] = (structure, blobs)
            return blobs

    def _close_corpus(self, corpus_id: str) -> None:
        with self._lock:
            known = self._structures.pop(corpus_id, None)
            if known is not None:
                known[1].close()
            self._close_blobs(corpus_id)

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

    @contextmanager
    def _changing(self, corpus_id: str) -> Iterator[tuple[Transaction, Row]]:
        with self._storage.transaction() as transaction:
            row = transaction.get(CORPORA, (corpus_id,)).get(corpus_id)
            if row is None or not row[6]:
                raise NotFound(f"there is no corpus {corpus_id!r}")
            yield transaction, row


def _require_store(storage: Storage, store: str) -> None:
    """A store that was lost is a fault to be told, not an empty corpus."""
    storage.ensure_tables(CORPUS_TABLES)
    if find_state(storage) is None:
        storage.close()
        raise CorruptCorpus(f"the store of corpus {store} is lost or empty: bring back a copy, or destroy it")


def _drop_queue(transaction: Transaction, corpus_id: str) -> None:
    """Take the jobs of a corpus from the queue. Raises StoreLocked while a worker has one of them."""
    queued = [row for row in transaction.scan(QUEUE) if row[1] == corpus_id]
    living = {row[0] for row in transaction.scan(WORKERS) if row[4] > now_micros()}
    for row in queued:
        if row[4] in living:
            raise StoreLocked(f"corpus {corpus_id}: worker {row[4]} is crawling job {row[2]}")
    transaction.delete(QUEUE, [(row[1], row[2]) for row in queued])


def _to_trash(transaction: Transaction, row: Row) -> DestroyedCorpus:
    """Note the store of a corpus as destroyed now."""
    made = (store_of(transaction, row[0]), *row[:5], now_micros())
    transaction.put(TRASH, [made])
    return _destroyed(made)


def _usable_name(name: str) -> str:
    """The name without spaces around it, letters in their composed form. Names are shown on one line of
    terminals and tables: nothing that breaks or disguises it."""
    name = unicodedata.normalize("NFC", name).strip()
    if not name:
        raise InvalidValue("a corpus needs a name")
    if len(name) > _MAX_NAME:
        raise InvalidValue(f"the name of a corpus has at most {_MAX_NAME} characters, not {len(name)}")
    if any(unicodedata.category(character) in _UNSHOWN or character in _OVERRIDES for character in name):
        raise InvalidValue(f"the name {name!r} holds characters that cannot be shown")
    return name


def _refuse_used(reader: Reader, name: str) -> None:
    """Remains of a corpus that was never finished, or not wholly destroyed, do not hold its name."""
    for row in reader.find(CORPORA, "by_name", (clean_text(name),)):
        if row[6]:
            raise AlreadyExists(f"a corpus is called {name!r} already: its id is {row[0]}")


def _free_id(transaction: Transaction, name: str, wanted: str | None = None) -> str:
    for row in transaction.find(CORPORA, "by_name", (clean_text(name),)):
        transaction.delete(CORPORA, [row[0]])
    wanted = wanted or corpus_id_of(name)
    candidate, n = wanted, 0
    while transaction.get(CORPORA, (candidate,)):
        n += 1
        candidate = f"{wanted}-{n}"
    return candidate


def _corpus(row: Row) -> CorpusEntry:
    return CorpusEntry(row[0], row[1], row[2], from_micros(row[3]), from_micros(row[4]), bool(row[5]))


def _destroyed(row: Row) -> DestroyedCorpus:
    return DestroyedCorpus(row[0], row[1], row[2], from_micros(row[4]), from_micros(row[6]))
