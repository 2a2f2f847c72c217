"""The LRU tree of a batch or of an entity: which LRUs lie under a prefix."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from memory_structure.lru import range_end


class LruTree:
    """A set of LRUs that also knows their order, in which each subtree is one run.

    Adding costs a set insertion; the order is made when first asked for after an addition.
    """

    __slots__ = ("_lrus", "_sorted")

    def __init__(self, lrus: Iterable[str] = ()) -> None:
        self._lrus: set[str] = set(lrus)
        self._sorted: list[str] = []

    def add_lru(self, lru: str) -> None:
        """Put an LRU into the tree; one that is there already changes nothing."""
        self._lrus.add(lru)

    def get_children(self, prefix: str) -> list[str]:
        """Every LRU under a prefix, in text order, the prefix itself first when it is in the tree. "" is
        above all."""
        ordered = self._ordered()
        return ordered[bisect_left(ordered, prefix) : bisect_left(ordered, range_end(prefix))]

    def __len__(self) -> int:
        return len(self._lrus)

    def __contains__(self, lru: object) -> bool:
        return lru in self._lrus

    def __iter__(self) -> Iterator[str]:
        """The LRUs in text order."""
        return iter(self._ordered())

    def _ordered(self) -> list[str]:
        if len(self._sorted) != len(self._lrus):  # LRUs are never taken out, so equal sizes mean equal sets
            self._sorted = sorted(self._lrus)
        return self._sorted
