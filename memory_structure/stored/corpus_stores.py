"""The stores of corpora: which holds which corpus, and which are being made or removed.

A store is a database and its packs of bodies. It bears the id of its corpus unless another store had that
name: one may have been destroyed and wait in the trash while its id is used again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from memory_structure.errors import MemoryStructureError
from memory_structure.storage import Reader, Storage, Transaction
from memory_structure.stored.moments import now_micros
from memory_structure.stored.pack_files import Packs
from memory_structure.stored.schema import CORPORA, STORES, TRASH, UNFINISHED

ABANDONED_SECONDS: Final = 600.0  # without a sign of life who made or removed a store counts as dead
_SECOND: Final = 1_000_000
_TOUCH_SECONDS: Final = 5


def store_of(reader: Reader, corpus_id: str) -> str:
    """Name of the store that holds a corpus."""
    row = reader.get(STORES, (corpus_id,)).get(corpus_id)
    return corpus_id if row is None else str(row[1])


class CorpusStores:
    """Makes, opens and removes stores; `storage` is the registry's database."""

    def __init__(
        self,
        storage: Storage,
        make_storage: Callable[[str, bool], Storage],
        make_packs: Callable[[str], Packs],
        remove_storage: Callable[[str], None],
    ) -> None:
        self._storage = storage
        self.open_database = make_storage
        self.open_packs = make_packs
        self._remove_database = remove_storage
        self._touched: dict[str, int] = {}

    @contextmanager
    def making(self, wanted: str) -> Iterator[str]:
        """Name of a new store, which the block fills and then gives to a corpus with `give`.

        Whatever ends the block otherwise, the store is gone; after the death of the process `sweep` removes
        it.
        """
        with self._storage.transaction() as transaction:
            store = _free_name(transaction, wanted)
            transaction.put(UNFINISHED, [(store, now_micros())])
        try:
            yield store
        except BaseException:
            with suppress(MemoryStructureError):  # what failed first is told; the sweep comes back to it
                self.remove(store)
            raise

    def touch(self, store: str) -> None:
        """Say that a store is still being made, once every few seconds."""
        now = now_micros()
        if now - self._touched.get(store, 0) >= _TOUCH_SECONDS * _SECOND:
            self._touched[store] = now
            with self._storage.transaction() as transaction:
                transaction.update(UNFINISHED, ("touched_at",), [(store, (now,))])

    def remove(self, store: str) -> None:
        """Remove a store that no corpus has any more."""
        self.open_packs(store).destroy()
        self._remove_database(store)
        with self._storage.transaction() as transaction:
            transaction.delete(UNFINISHED, [store])

    def sweep(self, idle_seconds: float = ABANDONED_SECONDS) -> list[str]:
        """Remove what dead processes left half made or half removed; names of those stores."""
        latest = now_micros() - int(idle_seconds * _SECOND)
        left = [store for store, touched_at in self._storage.scan(UNFINISHED) if touched_at <= latest]
        for store in left:
            self.remove(store)
        return left


def give(transaction: Transaction, store: str, corpus_id: str) -> None:
    """Let a corpus have a store; it is finished by that."""
    transaction.delete(UNFINISHED, [store])
    if store == corpus_id:
        transaction.delete(STORES, [corpus_id])
    else:
        transaction.put(STORES, [(corpus_id, store)])


def condemn(transaction: Transaction, store: str) -> None:
    """Note that a store, which no corpus has any more, is to be removed."""
    transaction.put(UNFINISHED, [(store, now_micros())])


def _free_name(reader: Reader, wanted: str) -> str:
    used = set(_names(reader))
    candidate, n = wanted, 1
    while candidate in used:
        n += 1
        candidate = f"{wanted}_{n}"
    return candidate


def _names(reader: Reader) -> Iterator[str]:
    renamed = {str(row[0]): str(row[1]) for row in reader.scan(STORES)}
    for row in reader.scan(CORPORA, columns=("id",)):
        yield renamed.get(row[0], str(row[0]))
    for table in (TRASH, UNFINISHED):
        for row in reader.scan(table, columns=("store",)):
            yield str(row[0])
