"""What many calls ask of a corpus, kept in memory: the catalogue of its web entities, its jobs in numbers,
its network.

During a crawl the store changes with every batch. What took long to make may then be several times that
old, so that polling clients cannot keep a core busy. What a client changed through this service is never
hidden from the next call.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar, cast

import numpy as np

from hyphe_core.api.entity_catalogue.catalogue import Catalogue
from hyphe_core.api.entity_catalogue.filters import n_in_uncrawled, n_in_untagged
from hyphe_core.api.text_indexing import INDEXER
from hyphe_core.clock import monotonic
from memory_structure.columns import JobHead
from memory_structure.errors import StoreError
from memory_structure.records import JobState, WebEntityStatus
from memory_structure.structure import MemoryStructure

T = TypeVar("T")
_log = logging.getLogger(__name__)
# namespace -> category -> value -> number of entities, each in alphabetical order.
TagCounts = dict[str, dict[str, dict[str, int]]]

_DEAR_SECONDS = 0.01
_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class _Kept:
    version: int
    n_changes: int
    value: object
    made_at_seconds: float
    cost_seconds: float

    def serves(self, version: int, n_changes: int) -> bool:
        """Whether it may still be given out when the store is at that version and clients changed so
        often."""
        if self.version == version:
            return True
        if self.n_changes != n_changes:
            return False
        age = monotonic() - self.made_at_seconds
        return self.cost_seconds > _DEAR_SECONDS and age < _PATIENCE * self.cost_seconds


@dataclass(frozen=True, slots=True)
class JobSummary:
    """The jobs of a corpus in numbers."""

    n_total: int
    n_pending: int
    n_running: int
    n_finished: int


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """How many entities that are IN lack a tag of the user's categories, or a crawl."""

    n_in_untagged: int
    n_in_uncrawled: int


class CorpusView:
    """The summaries of one corpus. Safe to use from several threads; each summary is made by one at a
    time."""

    def __init__(self, structure: MemoryStructure) -> None:
        self.structure = structure
        self.catalogue = Catalogue(structure)
        self._kept: dict[object, _Kept] = {}
        self._locks: defaultdict[object, Lock] = defaultdict(Lock)
        self._lock = Lock()
        self._n_changes = 0
        self._indexed_version = -1

    def note_change(self) -> None:
        """A client changed something: whatever is asked from now on must show it."""
        with self._lock:
            self._n_changes += 1
        self.catalogue.note_change()

    def index_texts_later(self) -> None:
        """Let pages be indexed in the background when something was written since the last time."""
        version = self.structure.version()
        if version != self._indexed_version:
            self._indexed_version = version
            INDEXER.note(self.structure)

    def jobs(self) -> JobSummary:
        """The jobs in numbers."""
        return self._get("jobs", lambda: _summarise_jobs(self.structure.list_job_heads()))

    def entities(self) -> EntitySummary:
        """What entities that are IN lack."""
        return self._get("entities", self._summarise_entities)

    def _summarise_entities(self) -> EntitySummary:
        with self.catalogue.now(with_figures=False) as catalogue:
            summary = EntitySummary(n_in_untagged(catalogue), n_in_uncrawled(catalogue))
        try:
            self.structure.note_lacks(summary.n_in_untagged, summary.n_in_uncrawled)
        except StoreError as error:  # who only looks is not told that nothing can be written
            _log.info("numbers of entities were not kept: %s", error)
        return summary

    def tag_counts(self) -> TagCounts:
        """How many entities have each tag."""
        counted: TagCounts = {}
        with self.catalogue.now(with_figures=False) as catalogue:
            for (namespace, category, value), n_entities in catalogue.columns.tags.counts().items():
                counted.setdefault(namespace, {}).setdefault(category, {})[value] = n_entities
        return counted

    def network(self, sources: frozenset[WebEntityStatus]) -> list[list[int]]:
        """[source, target, weight] of the links whose source has one of the statuses, by source then
        target."""
        return self._get(("network", sources), lambda: self._network(sources))

    def _network(self, sources: frozenset[WebEntityStatus]) -> list[list[int]]:
        network = self.structure.network_arrays()
        with self.catalogue.now(with_figures=False) as catalogue:
            mask = catalogue.columns.of_statuses(sources)
        chosen = network.sources < len(mask)
        chosen[chosen] = mask[network.sources[chosen]]
        kept = (network.sources[chosen], network.targets[chosen], network.weights[chosen].astype(np.int64))
        return cast("list[list[int]]", np.stack(kept, axis=1).tolist())

    def _get(self, name: object, make: Callable[[], T]) -> T:
        with self._lock:
            lock = self._locks[name]
        with lock:
            version, n_changes = self.structure.version(), self._n_changes
            kept = self._kept.get(name)
            if kept is None or not kept.serves(version, n_changes):
                started = monotonic()
                value = make()
                kept = _Kept(version, n_changes, value, monotonic(), monotonic() - started)
                self._kept[name] = kept
            return cast(T, kept.value)


def _summarise_jobs(heads: list[JobHead]) -> JobSummary:
    states = [head.state for head in heads]
    waiting = states.count(JobState.PENDING) + states.count(JobState.PAUSED)
    running = states.count(JobState.RUNNING)
    return JobSummary(len(states), waiting, running, len(states) - waiting - running)
