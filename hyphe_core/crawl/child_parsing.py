"""Pages that child processes parse: they wait in a thread, so that the event loop does not."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from datetime import datetime
from queue import SimpleQueue
from typing import Final

from hyphe_core.crawl.page_work import Reading
from memory_structure.records import FetchError

_LOG: Final = logging.getLogger(__name__)
_MOST_WAITING: Final = 64
_MOST_BYTES: Final = 64 * 1024 * 1024


class ChildParsing:
    """Parses pages one after the other, in the order they came; `on_parsed(reading, answered_at)` is
    called in the event loop for each.

    It takes any number; `is_full` tells when no more should be fetched for now.
    """

    def __init__(self, on_parsed: Callable[[Reading, datetime], None]) -> None:
        self._on_parsed = on_parsed
        self._loop = asyncio.get_running_loop()
        self._waiting: SimpleQueue[tuple[Reading, datetime]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._n_bytes = 0
        self.n_waiting = 0

    @property
    def is_full(self) -> bool:
        """Whether enough waits."""
        return self.n_waiting >= _MOST_WAITING or self._n_bytes >= _MOST_BYTES

    def submit(self, reading: Reading, answered_at: datetime) -> None:
        """Parse a page."""
        self.n_waiting += 1
        self._n_bytes += len(reading.body)
        self._waiting.put((reading, answered_at))
        if self._thread is None:
            # A daemon: the end of the worker does not wait for a document that takes its time.
            self._thread = threading.Thread(target=self._work, name="child-parsing", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            reading, answered_at = self._waiting.get()
            try:
                reading.parse()
            except Exception as error:  # such as no process to be had
                _LOG.exception("a page could not be parsed")
                reading.fail(FetchError.INTERNAL, f"{type(error).__name__}: {error}")
            try:
                self._loop.call_soon_threadsafe(self._done, reading, answered_at)
            except RuntimeError:  # the loop is closed: the worker has ended
                return

    def _done(self, reading: Reading, answered_at: datetime) -> None:
        self.n_waiting -= 1
        self._n_bytes -= len(reading.body)
        self._on_parsed(reading, answered_at)
