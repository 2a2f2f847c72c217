"""Figures of all entities that crawls change: pages, degrees, crawl statuses. Arrays are indexed by entity
id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from hyphe_core.api.entity_catalogue.columns import EntityColumns, Longs, Mask, StatusChange, grown
from hyphe_core.api.entity_catalogue.degrees import DegreeColumns, Neighbourhoods, StatusEffect
from hyphe_core.api.wire import job_statuses
from memory_structure.columns import JobHead, NetworkArrays, PageCounts
from memory_structure.jobs import CrawlingStatus, IndexingStatus
from memory_structure.records import Degrees, JobState, WebEntityStatus

# Links count in degrees when their source has one of these statuses, as in Hyphe.
COUNTING = (WebEntityStatus.IN, WebEntityStatus.UNDECIDED)


_MOST_ONE_BY_ONE: Final = 200


class Figures:
    """Pages, degrees and crawls of entities."""

    def __init__(self) -> None:
        empty = np.zeros(1, np.int64)
        self.n_pages: Longs = empty
        self.n_pages_fetched: Longs = empty
        self.degrees = DegreeColumns(empty, empty, empty, empty)
        self.latest_jobs: dict[int, JobHead] = {}
        self.crawled: Mask = np.zeros(1, np.bool_)
        self._neighbourhoods: Neighbourhoods | None = None

    def take_counts(self, counts: PageCounts, size: int) -> None:
        """Take numbers of pages over."""
        top = max(size, int(counts.web_entity_ids.max(initial=0)) + 1)
        self.n_pages, self.n_pages_fetched = np.zeros(top, np.int64), np.zeros(top, np.int64)
        self.n_pages[counts.web_entity_ids] = counts.n_pages
        self.n_pages_fetched[counts.web_entity_ids] = counts.n_pages_fetched

    def take_network(self, network: NetworkArrays, size: int) -> bool:
        """Take the network over; whether it differs, so that degrees are to be counted anew."""
        if self._neighbourhoods is not None and self._neighbourhoods.are_of(network):
            return False
        self._neighbourhoods = Neighbourhoods(network, size)
        return True

    def count_degrees(self, columns: EntityColumns) -> None:
        """Count degrees by the statuses of now."""
        if self._neighbourhoods is not None:
            is_in = columns.of_statuses((WebEntityStatus.IN,))
            self.degrees = self._neighbourhoods.degrees(columns.of_statuses(COUNTING), is_in)

    def change_degrees(self, columns: EntityColumns, changed: Mapping[int, StatusChange]) -> None:
        """Follow changes of statuses, one by one when they are few."""
        if self._neighbourhoods is None or len(changed) > _MOST_ONE_BY_ONE:
            self.count_degrees(columns)
            return
        counts = columns.of_statuses(COUNTING)
        for entity_id, change in changed.items():
            counts[entity_id] = change.before in COUNTING
        for entity_id, (before, after) in changed.items():
            is_in = (after is WebEntityStatus.IN) - (before is WebEntityStatus.IN)
            effect = StatusEffect((after in COUNTING) - (before in COUNTING), is_in)
            self._neighbourhoods.apply(self.degrees, entity_id, effect, counts)
            counts[entity_id] = after in COUNTING

    def take_jobs(self, heads: Iterable[JobHead], size: int) -> None:
        """Take crawl jobs over: the latest one of each entity counts."""
        self.latest_jobs = {head.web_entity_id: head for head in heads if head.web_entity_id is not None}
        crawled = [i for i, head in self.latest_jobs.items() if head.state is not JobState.CANCELED]
        self.crawled = np.zeros(max(size, max(crawled, default=0) + 1), np.bool_)
        self.crawled[crawled] = True

    def ranks_by_job(self, name: str, size: int) -> Longs:
        """Rank of each entity by one of the two statuses of its latest crawl, as people sort words."""
        words: list[str] = sorted(CrawlingStatus if name == "crawling_status" else IndexingStatus)
        ranks: dict[object, int] = {word: rank for rank, word in enumerate(words)}
        column = np.full(size, ranks[job_statuses(None)[name]], np.int64)
        for entity_id, head in self.latest_jobs.items():
            if entity_id < size:
                column[entity_id] = ranks[job_statuses(head)[name]]
        return column

    def fit(self, size: int) -> None:
        """Make room for ids below `size`."""
        self.n_pages, self.n_pages_fetched = grown(self.n_pages, size), grown(self.n_pages_fetched, size)
        self.degrees = DegreeColumns(*(grown(column, size) for column in self.degrees))
        if len(self.crawled) < size:
            self.crawled = np.concatenate((self.crawled, np.zeros(size - len(self.crawled), np.bool_)))

    def degrees_of(self, entity_id: int) -> Degrees:
        """Degrees of an entity."""
        if entity_id >= len(self.degrees.indegree):
            return Degrees(0, 0, 0)
        indegree, outdegree, undirected, _ = self.degrees
        return Degrees(int(indegree[entity_id]), int(outdegree[entity_id]), int(undirected[entity_id]))

    def pages_of(self, entity_id: int) -> tuple[int, int]:
        """Numbers of pages and of fetched pages of an entity."""
        if entity_id >= len(self.n_pages):
            return 0, 0
        return int(self.n_pages[entity_id]), int(self.n_pages_fetched[entity_id])

    def citing_in_of(self, entity_id: int) -> int:
        """Number of entities that are IN and link to an entity."""
        column = self.degrees.citing_in
        return int(column[entity_id]) if entity_id < len(column) else 0
