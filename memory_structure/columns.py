"""The part of the memory structure that gives whole columns: what listings, facets and networks of a large
corpus are made of, without a record for each entity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_structure.records import JobState, PageRecord, StartPage, WebEntity, WebEntityStatus
from memory_structure.stored.moments import from_micros


class EntityRow(NamedTuple):
    """A web entity without its counters. Moments are microseconds since 1970 UTC; `status` is the value of a
    WebEntityStatus, `tags` are (namespace, category, value), prefixes in text order."""

    web_entity_id: int
    name: str
    status: str
    created_at_micros: int
    modified_at_micros: int
    homepage: str | None
    start_pages: tuple[StartPage, ...]
    tags: tuple[tuple[str, str, str], ...]
    note: str
    prefixes: tuple[str, ...]

    def web_entity(self, n_pages: int, n_pages_fetched: int) -> WebEntity:
        """The record of the entity, with its numbers of pages."""
        return WebEntity(
            self.web_entity_id,
            self.name,
            WebEntityStatus(self.status),
            self.prefixes,
            from_micros(self.created_at_micros),
            from_micros(self.modified_at_micros),
            self.homepage,
            self.start_pages,
            self.tags,
            self.note,
            n_pages,
            n_pages_fetched,
        )


class PageCounts(NamedTuple):
    """Pages and fetched pages of web entities, by id; entities without pages are absent."""

    web_entity_ids: NDArray[np.int64]
    n_pages: NDArray[np.int64]
    n_pages_fetched: NDArray[np.int64]


class NetworkArrays(NamedTuple):
    """Links between two different web entities, by source then target id."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    weights: NDArray[np.int32]


class JobHead(NamedTuple):
    """What a listing needs to know of a crawl job. `n_pages` is told of jobs that have not ended, 0 of
    others."""

    job_id: int
    web_entity_id: int | None
    state: JobState
    n_pages: int


class Columns(ABC):
    """Reads of everything at once."""

    @abstractmethod
    def iter_entity_rows(self, ids: Sequence[int] | None = None) -> Iterator[EntityRow]:
        """All web entities, or those of `ids` that exist, by id, streamed."""

    @abstractmethod
    def figures_version(self) -> int:
        """A number that changes whenever a link between entities or a count of pages does: equal numbers,
        equal `network_arrays` and `page_counts`."""

    @abstractmethod
    def network_arrays(self) -> NetworkArrays:
        """All links between two different web entities; brought up to date from the last answer."""

    @abstractmethod
    def page_counts(self) -> PageCounts:
        """Numbers of pages of all entities; brought up to date from the last answer."""

    @abstractmethod
    def find_pages(self, lrus: Sequence[str]) -> list[PageRecord]:
        """Those of the pages that are known, by LRU, in one read."""

    @abstractmethod
    def list_job_heads(self) -> list[JobHead]:
        """All crawl jobs by id."""
