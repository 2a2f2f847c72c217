"""Summaries of a corpus that many calls ask for, computed once for each state of its store.

A summary is made again when the version of the store has moved. During a crawl it moves with every batch: one
that took long to make may then be several times that old, so that polling clients cannot keep a core busy.
What
a client changed through this service is never hidden from the next call.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar, cast

from hyphe_core.clock import monotonic
from memory_structure.records import Degrees, Job, JobState, WebEntity, WebEntityStatus, WeightedLink
from memory_structure.structure import MemoryStructure

T = TypeVar("T")
# namespace -> category -> value -> number of entities, each in alphabetical order.
TagCounts = dict[str, dict[str, dict[str, int]]]

_DEAR_SECONDS = 0.01
_PATIENCE = 10.0
_MAX_KEPT_ENTITIES = 50_000


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
    """The jobs of a corpus in numbers, and the latest one of each web entity."""

    latest: dict[int, Job]
    n_total: int
    n_pending: int
    n_running: int
    n_finished: int


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """The status of every web entity, and how many that are IN lack a user's tag, or a crawl."""

    statuses: dict[int, WebEntityStatus]
    n_in_untagged: int
    n_in_uncrawled: int


class CorpusView:
    """The summaries of one corpus. Safe to use from several threads; each summary is made by one at a
    time."""

    def __init__(self, structure: MemoryStructure) -> None:
        self.structure = structure
        self._kept: dict[object, _Kept] = {}
        self._locks: defaultdict[object, Lock] = defaultdict(Lock)
        self._lock = Lock()
        self._n_changes = 0

    def note_change(self) -> None:
        """A client changed something: whatever is asked from now on must show it."""
        with self._lock:
            self._n_changes += 1

    def degrees(self) -> dict[int, Degrees]:
        """Degrees of every entity that has a neighbour."""
        return self._get("degrees", self.structure.degrees)

    def jobs(self) -> JobSummary:
        """The jobs in numbers."""
        return self._get("jobs", lambda: _summarise_jobs(self.structure.list_jobs()))

    def entities(self) -> EntitySummary:
        """Statuses of all entities."""
        return self._get("entities", lambda: _summarise_entities(self.all_entities(), self.jobs()))

    def all_entities(self) -> Iterable[WebEntity]:
        """Every entity by id; kept in memory unless there are very many."""
        if self.structure.counters().n_web_entities > _MAX_KEPT_ENTITIES:
            return self.structure.list_web_entities()
        return self._get("all", lambda: tuple(self.structure.list_web_entities()))

    def tag_counts(self) -> TagCounts:
        """How many entities have each tag."""
        return self._get("tags", lambda: _count_tags(self.all_entities()))

    def network(self, sources: frozenset[WebEntityStatus]) -> list[list[int]]:
        """[source, target, weight] of the links whose source has one of the statuses, by source then
        target."""
        return self._get(("network", sources), lambda: self._network(sources))

    def links(self) -> list[WeightedLink]:
        """All links between entities."""
        return self._get("links", self.structure.web_entity_links)

    def _network(self, sources: frozenset[WebEntityStatus]) -> list[list[int]]:
        statuses = self.entities().statuses
        return [list(link) for link in self.links() if statuses.get(link.source_id) in sources]

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


def _summarise_jobs(jobs: list[Job]) -> JobSummary:
    latest = {job.spec.web_entity_id: job for job in jobs if job.spec.web_entity_id is not None}
    states = [job.state for job in jobs]
    waiting = states.count(JobState.PENDING) + states.count(JobState.PAUSED)
    running = states.count(JobState.RUNNING)
    return JobSummary(latest, len(states), waiting, running, len(states) - waiting - running)


def _summarise_entities(entities: Iterable[WebEntity], jobs: JobSummary) -> EntitySummary:
    statuses: dict[int, WebEntityStatus] = {}
    untagged = uncrawled = 0
    for entity in entities:
        statuses[entity.web_entity_id] = entity.status
        if entity.status is WebEntityStatus.IN:
            untagged += not any(namespace == "USER" for namespace, _, _ in entity.tags)
            uncrawled += not is_crawled(jobs.latest.get(entity.web_entity_id))
    return EntitySummary(statuses, untagged, uncrawled)


def _count_tags(entities: Iterable[WebEntity]) -> TagCounts:
    counts = Counter(tag for entity in entities for tag in entity.tags)
    counted: TagCounts = {}
    for (namespace, category, value), n_entities in sorted(counts.items()):
        counted.setdefault(namespace, {}).setdefault(category, {})[value] = n_entities
    return counted


def is_crawled(latest_job: Job | None) -> bool:
    """Whether an entity counts as crawled: its latest job was not called off."""
    return latest_job is not None and latest_job.state is not JobState.CANCELED
