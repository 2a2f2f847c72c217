"""The order of entities by a text, kept sorted while texts change."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from itertools import islice
from operator import itemgetter, ne

import numpy as np
from numpy.typing import NDArray

from memory_structure.words import folded


class TextOrder:
    """Ranks of entities by a text without case and accents. Entities without text rank 0; equal texts rank
    alike."""

    def __init__(self) -> None:
        self._sorted: list[tuple[str, int]] = []
        self._keys: dict[int, str] = {}
        self._ranks: NDArray[np.int64] | None = None

    def load(self, texts: Iterable[tuple[int, str]]) -> None:
        """Hold these texts alone."""
        self._keys = {entity_id: key for entity_id, text in texts if (key := folded(text))}
        self._sorted = sorted((key, entity_id) for entity_id, key in self._keys.items())
        self._ranks = None

    def put(self, entity_id: int, text: str) -> None:
        """Set the text of an entity; "" for none."""
        new, old = folded(text), self._keys.get(entity_id, "")
        if new == old:
            return
        if old:
            del self._sorted[bisect_left(self._sorted, (old, entity_id))]
            del self._keys[entity_id]
        if new:
            insort(self._sorted, (new, entity_id))
            self._keys[entity_id] = new
        self._ranks = None

    def key(self, entity_id: int) -> str:
        """The text of an entity as it is compared."""
        return self._keys.get(entity_id, "")

    def ids_of(self, key: str) -> list[int]:
        """Entities whose text is compared as this key, rising."""
        found = []
        for place in range(bisect_left(self._sorted, (key, 0)), len(self._sorted)):
            if self._sorted[place][0] != key:
                break
            found.append(self._sorted[place][1])
        return found

    def ranks(self, size: int) -> NDArray[np.int64]:
        """The rank of each id below `size`."""
        if self._ranks is None or len(self._ranks) < size:
            self._ranks = self._counted(size)
        return self._ranks

    def _counted(self, size: int) -> NDArray[np.int64]:
        ranks = np.zeros(size, np.int64)
        n = len(self._sorted)
        if n:
            keys = list(map(itemgetter(0), self._sorted))
            ids = np.fromiter(map(itemgetter(1), self._sorted), np.int64, n)
            differs = np.fromiter(map(ne, keys, islice(keys, 1, None)), np.bool_, n - 1)
            ranks[ids] = 1 + np.concatenate(([0], np.cumsum(differs)))
        return ranks
