"""Texts of pages go into the index of words while nobody waits for them: in one thread, with long pauses."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Lock, Thread
from typing import Final

from memory_structure.errors import MemoryStructureError
from memory_structure.structure import MemoryStructure

_TURN_SECONDS: Final = 0.1
_REST: Final = 3.0  # a turn is followed by a pause of so many times its length: a quarter of a core at most
_LEAST_REST_SECONDS: Final = 0.05

_log = logging.getLogger(__name__)


class TextIndexer:
    """Corpora whose pages are to be indexed. The thread ends when none is left. Safe to use from several
    threads."""

    def __init__(self, pause: Callable[[float], None] = time.sleep) -> None:
        self._pause = pause
        self._lock = Lock()
        self._waiting: list[MemoryStructure] = []
        self._thread: Thread | None = None

    def note(self, structure: MemoryStructure) -> None:
        """There may be pages to index in a corpus."""
        with self._lock:
            if structure not in self._waiting:
                self._waiting.append(structure)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="text index", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while (structure := self._next()) is not None:
            started = time.monotonic()
            more = _turn(structure)
            with self._lock:
                self._waiting.remove(structure)
                if more:
                    self._waiting.append(structure)
            self._pause(max(_LEAST_REST_SECONDS, _REST * (time.monotonic() - started)))

    def _next(self) -> MemoryStructure | None:
        with self._lock:
            if not self._waiting:
                self._thread = None
                return None
            return self._waiting[0]


def _turn(structure: MemoryStructure) -> bool:
    """Index for a short time; whether there is more to do."""
    try:
        return structure.indexes_texts() and structure.index_texts(_TURN_SECONDS).n_waiting > 0
    except MemoryStructureError as error:
        _log.info("texts of pages were not indexed: %s", error)
        return False


INDEXER: Final = TextIndexer()
