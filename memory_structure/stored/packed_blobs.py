"""Bodies in packs; where each lies is a row of the corpus' own database.

Bytes are written before the rows that name them: a process killed in between only wastes bytes."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from typing import Final

import zstandard

from memory_structure.blobs import BlobStore
from memory_structure.errors import CorruptCorpus, InvalidValue, NotFound
from memory_structure.storage import Row, Span, Storage
from memory_structure.stored.pack_files import Packs, Stretch
from memory_structure.stored.schema import BODIES

_LEVEL: Final = 1  # HTML shrinks five times; level 3 gains a twentieth for twice the time
_REMEMBERED: Final = 1 << 15  # digests known to be kept
_DELETED_AT_ONCE: Final = 1000


class PackedBlobStore(BlobStore):
    """Bodies as zstd frames in packs, found by the BODIES table of `storage`. Safe to use from several
    threads and processes; a body that another process deletes may be taken for kept here for a while.

    With `full_durability` bodies that were acknowledged survive a power cut."""

    def __init__(self, packs: Packs, storage: Storage, *, full_durability: bool = False) -> None:
        self._packs = packs
        self._storage = storage
        self._full_durability = full_durability
        self._lock = threading.Lock()
        self._known: set[bytes] = set()
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)
        # Written and not indexed, because the database did not answer: the next try writes no second copy.
        self._loose: dict[bytes, Row] = {}

    # -- contract

    def put_many(self, bodies: Sequence[tuple[str, bytes]]) -> None:
        """Keep bodies: one write and one transaction for all that are new."""
        keyed = {_key(digest): body for digest, body in bodies}
        with self._lock:
            new = self._without_kept({k: b for k, b in keyed.items() if k not in self._known})
            while new and not self._index(self._write(new)):
                pass  # the pack was removed in between: write to another
            self._remember(keyed)

    def get(self, digest: str) -> bytes:
        """The body, byte for byte."""
        stretch = self._find(_key(digest))
        data = None if stretch is None else self._packs.read(stretch)
        if stretch is None or data is None:
            raise NotFound(f"there is no body {digest}" + (f": {stretch.pack} is gone" if stretch else ""))
        if len(data) < stretch.length:
            raise CorruptCorpus(f"{stretch.pack} ends before the end of body {digest}")
        try:
            body = zstandard.ZstdDecompressor().decompress(data)
        except zstandard.ZstdError as error:
            raise CorruptCorpus(f"body {digest} in {stretch.pack} cannot be unpacked: {error}") from error
        if hashlib.sha256(body).hexdigest() != digest:
            raise CorruptCorpus(f"{stretch.pack} does not hold body {digest} where it should")
        return body

    def has(self, digest: str) -> bool:
        """Whether a body is kept: it is indexed, and its pack reaches to its end."""
        stretch = self._find(_key(digest))
        return stretch is not None and _Reach(self._packs).covers(stretch)

    def iter_digests(self) -> Iterator[str]:
        """Every digest kept, by digest; those whose bytes are gone are left out."""
        reach = _Reach(self._packs, self._packs.sizes())
        for key, *place in self._storage.scan(BODIES):
            if reach.covers(Stretch(*place)):
                yield key.hex()

    def delete(self, digest: str) -> None:
        """Remove a body; its pack goes with the last body of it.

        The pack is removed inside the transaction, so that no writer can add to it unseen."""
        key = _key(digest)
        with self._lock:
            self._known.discard(key)
        with self._storage.transaction() as transaction:
            row = transaction.get(BODIES, (key,)).get(key)
            if row is None:
                return
            transaction.delete(BODIES, (key,))
            packs = transaction.scan(BODIES, columns=("pack",))  # others of it are among the first thousands
            if not any(pack == row[1] for (pack,) in packs):
                self._packs.remove(row[1])

    def destroy(self) -> None:
        """Remove all bodies."""
        with self._lock:
            self._known.clear()
            self._loose.clear()
            while self._delete_some():
                pass
            self._packs.destroy()

    def close(self) -> None:
        """Release the open pack."""
        with self._lock:
            self._packs.close()

    # -- parts

    def _find(self, key: bytes) -> Stretch | None:
        row = self._storage.get(BODIES, (key,)).get(key)
        return None if row is None else Stretch(*row[1:])

    def _without_kept(self, bodies: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """Those not yet indexed, or whose pack has been lost."""
        if not bodies:
            return bodies
        reach = _Reach(self._packs)
        rows = self._storage.get(BODIES, bodies)
        kept = {key for key, row in rows.items() if reach.covers(Stretch(*row[1:]))}
        return {key: body for key, body in bodies.items() if key not in kept}

    def _write(self, bodies: dict[bytes, bytes]) -> list[Row]:
        """Rows that tell where those bodies lie; the bytes are written, the rows are not."""
        missing = [key for key in bodies if key not in self._loose]
        if missing:
            frames = [self._compressor.compress(bodies[key]) for key in missing]
            for key, stretch in zip(missing, self._packs.append(frames), strict=True):
                self._loose[key] = (key, *stretch)
            if self._full_durability:
                self._packs.sync()
        return [self._loose[key] for key in bodies]

    def _index(self, rows: list[Row]) -> bool:
        """Store rows, unless a pack they name has been removed as unused."""
        packs = {row[1] for row in rows}
        with self._storage.transaction() as transaction:
            is_whole = all(self._packs.holds(pack) for pack in packs)
            if is_whole:
                transaction.put(BODIES, rows)
        self._loose.clear()
        return is_whole

    def _delete_some(self) -> bool:
        with self._storage.transaction() as transaction:
            span = Span(limit=_DELETED_AT_ONCE)
            keys = [key for (key,) in transaction.scan(BODIES, span, ("digest",))]
            transaction.delete(BODIES, keys)
        return bool(keys)

    def _remember(self, keys: dict[bytes, bytes]) -> None:
        if len(self._known) + len(keys) > _REMEMBERED:
            self._known.clear()
        self._known.update(keys)


class _Reach:
    """How far packs reach, asked once a pack and again where one seems too short: packs grow."""

    def __init__(self, packs: Packs, sizes: dict[str, int] | None = None) -> None:
        self._packs = packs
        self._sizes = sizes or {}

    def covers(self, stretch: Stretch) -> bool:
        """Whether the bytes of a stretch are there."""
        end = stretch.offset + stretch.length
        if self._sizes.get(stretch.pack, -1) < end:
            self._sizes[stretch.pack] = self._packs.find_size(stretch.pack) or 0
        return self._sizes[stretch.pack] >= end


def _key(digest: str) -> bytes:
    try:
        key = bytes.fromhex(digest)
    except ValueError:
        key = b""
    if len(key) != hashlib.sha256().digest_size or (not digest.islower() and not digest.isdigit()):
        raise InvalidValue(f"{digest!r} is not a SHA-256 digest in lower-case hexadecimal")
    return key
