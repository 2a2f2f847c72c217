"""Which catalogues stay in memory: those used last, up to a number of entities."""

from __future__ import annotations

from operator import itemgetter
from threading import Lock
from typing import Final, Protocol
from weakref import WeakKeyDictionary

# About 1 GB with eight links an entity; a corpus whose catalogue was dropped reads it again when next used.
MAX_ENTITIES: Final = 500_000


class Shelved(Protocol):
    """What can be kept: it tells how large it is, and gives its memory back when nobody uses it just now."""

    @property
    def n_entities(self) -> int:
        """Entities held in memory."""
        ...

    def forget_if_unused(self) -> bool:
        """Give the memory back; False when it is in use."""
        ...


class Shelf:
    """Catalogues in the order of their last use. Safe to use from several threads."""

    def __init__(self, max_entities: int = MAX_ENTITIES) -> None:
        self._max_entities = max_entities
        self._lock = Lock()
        self._uses: WeakKeyDictionary[Shelved, int] = WeakKeyDictionary()
        self._n_uses = 0

    def note_use(self, used: Shelved) -> None:
        """Put one at the end, and drop the first ones when all together are too large."""
        with self._lock:
            self._n_uses += 1
            self._uses[used] = self._n_uses
            kept = sorted(self._uses.items(), key=itemgetter(1))
            held = sum(one.n_entities for one, _ in kept)
            for one, _ in kept:
                if held <= self._max_entities or one is used:
                    return
                size = one.n_entities
                if size and one.forget_if_unused():
                    held -= size


SHELF: Final = Shelf()
