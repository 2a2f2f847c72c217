"""What can keep a crawl from ever ending: no living worker, no room on the disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from hyphe_core.clock import monotonic
from memory_structure.errors import StoreFull

PATIENCE_SECONDS = 5.0

# A transaction and its journal find place in this; with less, workers could only try again and again.
LEAST_ROOM_BYTES = 1024 * 1024


class DeathWatch:
    """Complains, once, when no worker has been alive for a while: the crawl would wait for ever in
    silence."""

    def __init__(
        self,
        is_alive: Callable[[], bool],
        complain: Callable[[str], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._is_alive = is_alive
        self._complain = complain
        self._clock = clock
        self._dead_since: float | None = None
        self._has_told = False

    def look(self) -> None:
        """Look whether one is alive."""
        if self._is_alive():
            self._dead_since = None
            return
        if self._dead_since is None:
            self._dead_since = self._clock()
        if not self._has_told and self._clock() - self._dead_since >= PATIENCE_SECONDS:
            self._complain("no worker stays alive; they are started again and again (--debug tells more)")
            self._has_told = True


def require_room(folder: Path) -> None:
    """Raise StoreFull when the disk of a folder has no room for another transaction."""
    free = shutil.disk_usage(folder).free
    if free < LEAST_ROOM_BYTES:
        raise StoreFull(
            f"the disk of {folder} is full ({free // 1024} KiB free): the crawl stopped; make room, "
            "then --resume"
        )
