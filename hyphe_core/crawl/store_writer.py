"""Writes batches to the stores from a thread of its own: the event loop never waits for a disk or a
server.

Bodies go with their batch instead of one by one: waking a thread for each page costs more than writing
the page.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from hyphe_core.crawl.batches import PendingBatch
from hyphe_core.crawl.corpora import OpenCorpora
from memory_structure.errors import StoreLocked, StoreUnreachable

_LONGEST_WAIT_SECONDS: Final = 5.0
_LOG: Final = logging.getLogger(__name__)


class StoreWriter:
    """Batches are written one after the other, in the order submitted. An unreachable or locked store is
    waited for; any other failure ends the crawl of that corpus: `on_fault(corpus_id, words)` is called in
    the event loop."""

    def __init__(self, corpora: OpenCorpora, on_fault: Callable[[str, str], None]) -> None:
        self._corpora = corpora
        self._on_fault = on_fault
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, "store-writer")
        self._giving_up = threading.Event()
        self._last: dict[str, asyncio.Future[None]] = {}
        self._failed: dict[str, str] = {}
        self.n_waiting_pages = 0
        self.n_stored_pages = 0
        self.is_waiting_for_store = False

    def submit(self, pending: PendingBatch) -> None:
        """Write a batch after all submitted before."""
        if pending.corpus_id in self._failed:
            return
        self.n_waiting_pages += len(pending.batch.pages)
        written = self._loop.run_in_executor(self._thread, self._write, pending)
        written.add_done_callback(lambda future: self._written(pending, future))
        self._last[pending.corpus_id] = written

    async def flush(self, corpus_id: str) -> None:
        """Wait until all that was submitted for a corpus is written, or has failed."""
        last = self._last.get(corpus_id)
        if last is not None:
            await asyncio.wait([last])

    def find_fault(self, corpus_id: str) -> str | None:
        """Why the store of a corpus takes nothing any more, in words; None when it does."""
        return self._failed.get(corpus_id)

    def give_up(self) -> None:
        """Stop waiting for stores that do not answer: what is not written will be fetched again by the
        next worker."""
        self._giving_up.set()

    def close(self) -> None:
        """Let the thread end; what was submitted is still written."""
        self._thread.shutdown(wait=False)

    def _written(self, pending: PendingBatch, future: asyncio.Future[None]) -> None:
        self.n_waiting_pages -= len(pending.batch.pages)
        if self._last.get(pending.corpus_id) is future:
            del self._last[pending.corpus_id]
        error = future.exception()
        if error is None:
            self.n_stored_pages += len(pending.batch.pages)
        elif pending.corpus_id not in self._failed and not self._giving_up.is_set():
            words = f"the store failed: {type(error).__name__}: {error}"
            self._failed[pending.corpus_id] = words
            _LOG.error("the store of corpus %s failed: %s", pending.corpus_id, error, exc_info=error)
            self._on_fault(pending.corpus_id, words)

    def _write(self, pending: PendingBatch) -> None:
        corpus = self._corpora.get(pending.corpus_id)
        if pending.bodies:
            self._insist(partial(corpus.blobs.put_many, pending.bodies))
        self._insist(partial(corpus.structure.write_batch, pending.batch))

    def _insist(self, action: Callable[[], object]) -> None:
        """Do something, again and again while the store is away."""
        wait = 0.1
        while True:
            try:
                action()
            except (StoreUnreachable, StoreLocked) as error:
                if self._giving_up.is_set():
                    raise
                if not self.is_waiting_for_store:
                    _LOG.warning("waiting for the store: %s", error)
                self.is_waiting_for_store = True
                self._giving_up.wait(wait)
                wait = min(_LONGEST_WAIT_SECONDS, wait * 2)
            else:
                self.is_waiting_for_store = False
                return
