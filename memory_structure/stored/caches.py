"""What a process remembers between transactions: ids of pages by LRU, and the labels of all pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_structure.storage import Reader
from memory_structure.stored.codec import Ints, Longs
from memory_structure.stored.schema import BLOCK, LABELS, Labels

_FIRST_SLOTS: Final = 1 << 14
MAX_SLOTS: Final = 1 << 22
_N_WAYS: Final = 4  # places an entry may take: neighbours, in one cache line


class PageIds:
    """A bounded map from LRUs to page ids: 12 bytes a slot, four slots to choose from; when all
    are taken, one gives way.

    An LRU is recognised by its 64-bit string hash, whose key is random in each process: among a million pages
    two collide with a chance of 3 in a hundred million."""

    def __init__(self, max_slots: int = MAX_SLOTS) -> None:
        self._max_slots = max_slots
        self._make(min(_FIRST_SLOTS, max_slots))

    def _make(self, n_slots: int) -> None:
        self._hashes: Longs = np.zeros(n_slots, np.int64)
        self._ids: Ints = np.zeros(n_slots, np.int32)
        self._mask = np.int64(n_slots - 1)
        self._n_added = 0

    @staticmethod
    def hashes(lrus: Sequence[str]) -> Longs:
        """The hash of each LRU."""
        return np.fromiter(map(hash, lrus), np.int64, len(lrus))

    def look_up(self, hashes: Longs) -> Ints:
        """The ids, 0 where not remembered."""
        ids = np.zeros(len(hashes), np.int32)
        first = hashes & self._mask
        for way in range(_N_WAYS):
            slots = first ^ way
            found = self._hashes[slots] == hashes
            ids[found] = self._ids[slots[found]]
        return ids

    def remember(self, hashes: Longs, ids: Ints) -> None:
        """Keep those ids; only of committed pages."""
        if (self._n_added + len(ids)) * 2 > len(self._ids) < self._max_slots:
            self._grow(len(ids))
        self._n_added += len(ids)
        for way in range(_N_WAYS):
            slots = (hashes & self._mask) ^ way
            free = (self._ids[slots] == 0) | (self._hashes[slots] == hashes)
            self._put(slots[free], hashes[free], ids[free])
            left = self._hashes[slots] != hashes  # others took the slot, before or in this very step
            hashes, ids = hashes[left], ids[left]
            if not len(ids):
                return
        # Each place is taken: one of them, told by other bits of the hash, gives way.
        self._put((hashes & self._mask) ^ ((hashes >> 40) & (_N_WAYS - 1)), hashes, ids)

    def _put(self, slots: Longs, hashes: Longs, ids: Ints) -> None:
        self._hashes[slots] = hashes
        self._ids[slots] = ids

    def _grow(self, n_coming: int) -> None:
        kept = self._ids != 0
        hashes, ids = self._hashes[kept], self._ids[kept]
        n_slots = len(self._ids) * 2
        while (len(ids) + n_coming) * 2 > n_slots < self._max_slots:
            n_slots *= 2
        self._make(n_slots)
        self.remember(hashes, ids)


class LabelArray:
    """One label for each page id, from 1 on; index 0 is unused. Mirrors the label blocks of the store."""

    def __init__(self, kind: Labels) -> None:
        self.kind = kind
        self._array: Ints = np.zeros(BLOCK, np.int32)
        self._end = 0  # ids below are loaded
        self._version = -1

    def refresh(self, reader: Reader, label_version: int, next_page: int) -> None:
        """Load what other processes have changed."""
        if self._version != label_version:
            self._end = 0
            self._version = label_version
        if self._end < next_page:
            first = self._end // BLOCK
            blocks = range(first, (next_page - 1) // BLOCK + 1)
            self._reserve(next_page)
            for (_, block), row in reader.get(LABELS, [(self.kind.value, b) for b in blocks]).items():
                values = np.frombuffer(row[2], np.dtype("<i4"))
                self._array[block * BLOCK : block * BLOCK + len(values)] = values
            self._end = next_page

    def forget(self) -> None:
        """Trust nothing of it any more."""
        self._version = -1

    def moved_to(self, label_version: int) -> None:
        """Note that the changes made here have become this version."""
        self._version = label_version

    def append(self, values: Ints) -> None:
        """Label the next page ids."""
        self._reserve(self._end + len(values))
        self._array[self._end : self._end + len(values)] = values
        self._end += len(values)

    def replace(self, values: Ints) -> None:
        """Set all labels."""
        self._array = values.astype(np.int32)
        self._end = len(values)

    def _reserve(self, n: int) -> None:
        if n > len(self._array):
            self._array = np.concatenate(
                (self._array, np.zeros(max(n - len(self._array), len(self._array) // 4), np.int32))
            )

    @property
    def values(self) -> Ints:
        """The labels of ids 0 to the last; a view, good until the next change."""
        return self._array[: self._end]

    def paint(self, ids: Ints, values: Ints) -> None:
        """Change labels of known pages."""
        self._array[ids] = values

    def block_bytes(self, block: int) -> bytes:
        """A block as stored."""
        return self._array[block * BLOCK : min((block + 1) * BLOCK, self._end)].tobytes()


class LabelReader:
    """Labels as a reader sees them, block by block, for reads that touch a few pages."""

    def __init__(self, reader: Reader, kind: Labels = Labels.OWNER) -> None:
        self._reader = reader
        self._kind = kind
        self._blocks: dict[int, NDArray[np.int32]] = {}

    def of(self, ids: Sequence[int]) -> list[int]:
        """The label of each id."""
        missing = {i // BLOCK for i in ids}.difference(self._blocks)
        rows = self._reader.get(LABELS, [(self._kind.value, block) for block in sorted(missing)])
        for (_, block), row in rows.items():
            self._blocks[block] = np.frombuffer(row[2], np.dtype("<i4"))
        return [int(self._blocks[i // BLOCK][i % BLOCK]) for i in ids]
