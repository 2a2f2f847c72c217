"""Pages of a job in the order of their scores: a page that comes shares its score among its links."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Final

# A waiting page is moved forward when its score has grown by this factor: few moves, for an order that is
# nearly that of the scores.
_GROWTH: Final = 2.0
_START: Final = 1.0


class JobScores:
    """Scores of the pages of one job, by the hash of their LRU. Start pages begin with 1."""

    def __init__(self) -> None:
        self._scores: dict[int, float] = {}
        self._placed: dict[int, float] = {}
        self._shared: set[int] = set()

    def of(self, lru: str) -> float:
        """The score of a page about to be queued."""
        key = hash(lru)
        score = self._scores.setdefault(key, _START)  # nothing gave it any: a start page
        self._placed[key] = score
        return score

    def share(self, lru: str, targets: Sequence[str]) -> list[str]:
        """Share the score of a page among its links, once; those of them whose score has grown much since
        they were queued."""
        key = hash(lru)
        if key in self._shared or not targets:
            return []
        self._shared.add(key)
        share = self._scores.get(key, _START) / len(targets)
        raised = []
        for target in targets:
            key = hash(target)
            score = self._scores[key] = self._scores.get(key, 0.0) + share
            placed = self._placed.get(key)
            if placed is not None and score >= placed * _GROWTH:
                raised.append(target)
        return raised


class ScoredQueue:
    """Pages of one job on one host, highest score first, then first come; see `HostQueue`.

    A page that gained score is pushed again; its earlier place is passed over when it comes.
    """

    __slots__ = ("_heap", "_order", "_score_of")

    def __init__(self, score_of: Callable[[bytes], float]) -> None:
        self._score_of = score_of
        self._heap: list[tuple[float, int, int, bytes]] = []
        self._order = count()

    def push(self, depth: int, entry: bytes) -> None:
        """Put a page in its place."""
        heappush(self._heap, (-self._score_of(entry), next(self._order), depth, entry))

    def put_back(self, depth: int, entry: bytes) -> None:
        """Return what `pop` gave, to come first again."""
        heappush(self._heap, (-math.inf, next(self._order), depth, entry))

    def pop(self) -> tuple[int, bytes] | None:
        """(depth, entry) of the next page, None when empty."""
        if not self._heap:
            return None
        _, _, depth, entry = heappop(self._heap)
        return depth, entry

    def __len__(self) -> int:
        return len(self._heap)
