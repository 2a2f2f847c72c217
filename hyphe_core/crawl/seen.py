"""The table of URLs a job knows: 10 bytes a slot, one probe a look-up.

A dictionary would take about 90 bytes a URL. Keys are the 64-bit hash of the LRU (chance of a clash among
a million URLs: 3 in 10**8), values a depth and a state.
"""

from __future__ import annotations

from array import array
from enum import IntEnum
from typing import Final

import numpy as np

_FULL: Final = 0xFFFF_FFFF_FFFF_FFFF
_SLACK: Final = 32
_FIRST_SIZE: Final = 16
ABSENT: Final = -1


class PageState(IntEnum):
    """Where a known URL stands. OPEN: done, its stored links may be expanded again; CLOSED: done, they
    may not."""

    QUEUED = 0
    IN_FLIGHT = 1
    CLOSED = 2
    OPEN = 3


class SeenTable:
    """LRU -> depth * 4 + state, for depths up to 16,383. Only grows.

    Open addressing without wrap-around: a probe runs to the next empty slot, and the last slot is always
    empty.
    """

    __slots__ = ("_keys", "_mask", "_n", "_values")

    def __init__(self) -> None:
        self._keys = array("Q", bytes(8 * (_FIRST_SIZE + _SLACK)))
        self._values = array("H", bytes(2 * (_FIRST_SIZE + _SLACK)))
        self._mask = _FIRST_SIZE - 1
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def get(self, lru: str) -> int:
        """The value kept for an LRU, ABSENT when there is none."""
        key = hash(lru) & _FULL or 1
        keys = self._keys
        i = key & self._mask
        while (found := keys[i]) != key:
            if not found:
                return ABSENT
            i += 1
        return self._values[i]

    def put(self, lru: str, depth: int, state: PageState) -> None:
        """Keep a depth and a state, over what was kept."""
        key = hash(lru) & _FULL or 1
        keys = self._keys
        i = key & self._mask
        while (found := keys[i]) != key:
            if not found:
                self._insert(i, key, depth << 2 | state)
                return
            i += 1
        self._values[i] = depth << 2 | state

    def _insert(self, i: int, key: int, value: int) -> None:
        if i >= len(self._keys) - 1 or self._n * 10 >= self._mask * 7:
            self._grow()
            i = key & self._mask
            while self._keys[i]:
                i += 1
        self._keys[i] = key
        self._values[i] = value
        self._n += 1

    def _grow(self) -> None:
        """Double the table. Keys sorted by their home slot take the next free one each: a running maximum."""
        keys = np.frombuffer(self._keys, dtype=np.uint64)
        values = np.frombuffer(self._values, dtype=np.uint16)
        live = np.flatnonzero(keys)
        size = 2 * (self._mask + 1)
        home = (keys[live] & np.uint64(size - 1)).astype(np.int64)
        order = np.argsort(home, kind="stable")
        rank = np.arange(len(live))
        slots = np.maximum.accumulate(home[order] - rank) + rank
        room = max(size, int(slots[-1]) + 1 if len(slots) else 0) + _SLACK
        new_keys, new_values = np.zeros(room, np.uint64), np.zeros(room, np.uint16)
        new_keys[slots], new_values[slots] = keys[live][order], values[live][order]
        self._keys, self._values = array("Q"), array("H")
        self._keys.frombytes(new_keys.tobytes())
        self._values.frombytes(new_values.tobytes())
        self._mask = size - 1
