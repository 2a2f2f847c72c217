"""Where a registry and its corpora lie: files of a folder, or databases of a MongoDB server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from memory_structure.backends.sqlite import SqliteStorage, remove_database
from memory_structure.errors import StoreError
from memory_structure.registry import Registry
from memory_structure.storage import Storage
from memory_structure.stored.pack_files import Packs, open_packs
from memory_structure.stored.registry import StoredRegistry

_CORPUS_FILE: Final = "corpus.sqlite"


def open_registry(data_dir: Path, mongodb_uri: str | None = None, blob_url: str | None = None) -> Registry:
    """The registry of a data folder, made when absent.

    Without `mongodb_uri`: `registry.sqlite`, and `corpora/<id>/corpus.sqlite`. With it: the databases `hyphe`
    and `hyphe_<id>`. Bodies: `corpora/<id>/bodies` of the folder, or `<blob_url>/<id>`."""
    data_dir = Path(data_dir).absolute()
    _ensure_folder(data_dir)

    def make_packs(corpus_id: str) -> Packs:
        if blob_url is not None:
            return open_packs(f"{blob_url.rstrip('/')}/{corpus_id}")
        return open_packs(str(data_dir / "corpora" / corpus_id / "bodies"))

    if mongodb_uri is not None:
        return _open_mongodb(mongodb_uri, make_packs)

    def make_storage(corpus_id: str, full_durability: bool) -> Storage:
        folder = data_dir / "corpora" / corpus_id
        _ensure_folder(folder)
        return SqliteStorage(folder / _CORPUS_FILE, full_durability)

    def remove_storage(corpus_id: str) -> None:
        """The database and its folder, without opening them: they may be broken. Other files stay."""
        folder = data_dir / "corpora" / corpus_id
        remove_database(folder / _CORPUS_FILE)
        if folder.exists() and not any(folder.iterdir()):
            folder.rmdir()

    registry = SqliteStorage(data_dir / "registry.sqlite")
    return StoredRegistry(registry, make_storage, make_packs, remove_storage)


def _ensure_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be made: {error}") from error


def _open_mongodb(uri: str, make_packs: Callable[[str], Packs]) -> Registry:
    from memory_structure.backends.mongodb import MongoStorage  # pymongo is loaded only where it is used

    def make_storage(corpus_id: str, full_durability: bool) -> Storage:
        del full_durability  # every write is journalled there
        return MongoStorage(uri, f"hyphe_{corpus_id}")

    def remove_storage(corpus_id: str) -> None:
        MongoStorage(uri, f"hyphe_{corpus_id}").destroy()

    return StoredRegistry(MongoStorage(uri, "hyphe"), make_storage, make_packs, remove_storage)
