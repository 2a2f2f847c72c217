"""The registry over any database that offers keyed tables."""

from __future__ import annotations

from collections.abc import Callable

from memory_structure.errors import SchemaMismatch
from memory_structure.registry import Registry
from memory_structure.storage import Storage
from memory_structure.stored.backups import Backups
from memory_structure.stored.corpora import corpus_id_of
from memory_structure.stored.leases import Leases
from memory_structure.stored.pack_files import Packs
from memory_structure.stored.resolutions import RESOLUTION_TABLES, StoredResolutions
from memory_structure.stored.schema import REGISTRY_STATE, REGISTRY_TABLES, SCHEMA_VERSION
from memory_structure.stored.tokens import TOKEN_TABLES, StoredTokens

__all__ = ["StoredRegistry", "corpus_id_of"]


class StoredRegistry(Backups, Leases, StoredTokens, StoredResolutions, Registry):
    """Corpora, queue, workers and host leases in one database; each corpus in a store of its own, whose
    database `make_storage` opens and `remove_storage` removes, and whose packs `make_packs` opens."""

    def __init__(
        self,
        storage: Storage,
        make_storage: Callable[[str, bool], Storage],
        make_packs: Callable[[str], Packs],
        remove_storage: Callable[[str], None],
    ) -> None:
        storage.ensure_tables((*REGISTRY_TABLES, *TOKEN_TABLES, *RESOLUTION_TABLES))
        _lay_out(storage)
        super().__init__(storage, make_storage, make_packs, remove_storage)


def _lay_out(storage: Storage) -> None:
    row = storage.get(REGISTRY_STATE, (1,)).get(1)
    if row is None:
        with storage.transaction() as transaction:
            if not transaction.get(REGISTRY_STATE, (1,)):
                transaction.put(REGISTRY_STATE, [(1, SCHEMA_VERSION, 1)])
    elif row[1] > SCHEMA_VERSION:
        raise SchemaMismatch(f"the registry has schema {row[1]}, this program knows up to {SCHEMA_VERSION}")
