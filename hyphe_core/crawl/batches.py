"""Fetched pages on their way to the store: gathered by corpus, cut into batches by number or age."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from memory_structure.records import Batch, DepthChange, FetchedPage

_MAX_BODY_BYTES: Final = 16 * 1024 * 1024


class Body(NamedTuple):
    """Original bytes under their digest."""

    digest: str
    content: bytes


@dataclass(frozen=True, slots=True)
class PendingBatch:
    """A batch to write, and the bodies it names, to be written before it."""

    corpus_id: str
    batch: Batch
    bodies: tuple[Body, ...] = ()


@dataclass(slots=True)
class _Buffer:
    pages: list[FetchedPage] = field(default_factory=list)
    changes: list[DepthChange] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    n_body_bytes: int = 0
    underway: set[tuple[int, str]] = field(default_factory=set)
    changes_underway: set[DepthChange] = field(default_factory=set)
    since: float = 0.0


class BatchBuffer:
    """Pages and depth changes of many corpora. Not safe to share between threads.

    A page is announced (`expect`) when the spider hands it over and added when the pipelines bring it: in
    between it is under way, and a change of its depth is held back, since it must not be written before
    the page. Changes are announced (`expect_change`) likewise, so that the last one of a job is waited for.
    """

    def __init__(self, max_pages: int, max_seconds: float) -> None:
        self._max_pages = max_pages
        self._max_seconds = max_seconds
        self._buffers: dict[str, _Buffer] = {}

    def expect(self, corpus_id: str, page: FetchedPage) -> None:
        """A page will come through the pipelines."""
        self._buffer(corpus_id).underway.add((page.fetch.job_id, page.lru))

    def expect_change(self, corpus_id: str, change: DepthChange) -> None:
        """A change of depth will come through the pipelines."""
        self._buffer(corpus_id).changes_underway.add(change)

    def is_underway(self, corpus_id: str) -> bool:
        """Whether pages or changes announced have not come yet."""
        buffer = self._buffers.get(corpus_id)
        return buffer is not None and bool(buffer.underway or buffer.changes_underway)

    def add_body(self, corpus_id: str, digest: str, content: bytes) -> None:
        """Take a body; it is written with the next batch."""
        buffer = self._buffer(corpus_id)
        buffer.bodies.append(Body(digest, content))
        buffer.n_body_bytes += len(content)

    def add_page(self, corpus_id: str, page: FetchedPage, now: float) -> PendingBatch | None:
        """Take a page; a batch when it is full, by pages or by bytes of bodies."""
        buffer = self._buffer(corpus_id)
        buffer.underway.discard((page.fetch.job_id, page.lru))
        if not buffer.pages and not buffer.changes:
            buffer.since = now
        buffer.pages.append(page)
        is_full = len(buffer.pages) >= self._max_pages or buffer.n_body_bytes >= _MAX_BODY_BYTES
        return self._cut(corpus_id, buffer, now) if is_full else None

    def add_change(self, corpus_id: str, change: DepthChange, now: float) -> None:
        """Take a change of depth."""
        buffer = self._buffer(corpus_id)
        buffer.changes_underway.discard(change)
        if not buffer.pages and not buffer.changes:
            buffer.since = now
        buffer.changes.append(change)

    def iter_due(self, now: float) -> Iterator[PendingBatch]:
        """Batches that waited long enough."""
        for corpus_id, buffer in self._buffers.items():
            if (buffer.pages or buffer.changes) and now - buffer.since >= self._max_seconds:
                yield self._cut(corpus_id, buffer, now)

    def take(self, corpus_id: str, now: float) -> PendingBatch | None:
        """What there is of a corpus, at once."""
        buffer = self._buffers.get(corpus_id)
        if buffer is None or not (buffer.pages or buffer.changes):
            return None
        return self._cut(corpus_id, buffer, now)

    def discard(self, corpus_id: str) -> None:
        """Forget a corpus whose store failed."""
        self._buffers.pop(corpus_id, None)

    def list_corpora(self) -> list[str]:
        """Corpora that have something waiting or under way."""
        return [name for name, b in self._buffers.items() if b.pages or b.changes or self.is_underway(name)]

    def _buffer(self, corpus_id: str) -> _Buffer:
        buffer = self._buffers.get(corpus_id)
        if buffer is None:
            buffer = self._buffers[corpus_id] = _Buffer()
        return buffer

    def _cut(self, corpus_id: str, buffer: _Buffer, now: float) -> PendingBatch:
        ready = buffer.changes
        held: list[DepthChange] = []
        if ready and buffer.underway:
            held = [change for change in ready if (change.job_id, change.lru) in buffer.underway]
            ready = [change for change in ready if (change.job_id, change.lru) not in buffer.underway]
        cut = PendingBatch(corpus_id, Batch(tuple(buffer.pages), tuple(ready)), tuple(buffer.bodies))
        buffer.pages, buffer.changes, buffer.bodies, buffer.n_body_bytes = [], held, [], 0
        buffer.since = now
        return cut
