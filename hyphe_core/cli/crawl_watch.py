"""Waiting for crawl jobs: what they have done so far, how fast, how long they may still take."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_structure.errors import NotFound, StoreLocked, StoreUnreachable
from memory_structure.jobs import ENDED
from memory_structure.records import Job, JobState, WebEntity
from memory_structure.structure import MemoryStructure

POLL_SECONDS = 0.4
_RATE_WINDOW_SECONDS = 20.0
_STANDING = (*ENDED, JobState.PAUSED)


@dataclass(frozen=True, slots=True)
class JobView:
    """A job with the name of its web entity, and how many known pages of that entity were never fetched."""

    job: Job
    name: str
    n_queued: int

    @property
    def is_over(self) -> bool:
        """Whether nothing happens any more without an order from outside."""
        return self.job.state in _STANDING


@dataclass(frozen=True, slots=True)
class CrawlView:
    """A crawl at one moment. `n_queued` is at most what is still to fetch: known pages beyond the depth are
    in it.

    `rate` is stored pages a second over the last seconds, `eta_seconds` None when it cannot be told.
    """

    corpus: str
    seconds: float
    jobs: tuple[JobView, ...]
    n_pages: int
    n_queued: int
    rate: float
    eta_seconds: float | None

    @property
    def n_over(self) -> int:
        """Jobs that are over."""
        return sum(1 for view in self.jobs if view.is_over)

    @property
    def is_over(self) -> bool:
        """Whether all are."""
        return self.n_over == len(self.jobs)


class CrawlWatch:
    """Reads the store for the state of some jobs. `clock` is in seconds and steady."""

    def __init__(
        self,
        structure: MemoryStructure,
        corpus: str,
        job_ids: Sequence[int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._structure = structure
        self._corpus = corpus
        self._job_ids = list(job_ids)
        self._clock = clock
        self._started_at = clock()
        self._history: deque[tuple[float, int]] = deque()
        self._n_before: int | None = None

    def look(self) -> CrawlView:
        """The state now. Raises StoreError when the store cannot be read."""
        jobs = self._structure.list_jobs(ids=self._job_ids)
        views = self._named(jobs)
        n_pages = sum(job.counters.n_pages for job in jobs)
        n_queued = sum(view.n_queued for view in views if not view.is_over)
        rate = self._rate(n_pages)
        eta = n_queued / rate if rate > 0 else None
        seconds = self._clock() - self._started_at
        return CrawlView(self._corpus, seconds, views, n_pages, n_queued, rate, eta)

    def _named(self, jobs: Sequence[Job]) -> tuple[JobView, ...]:
        entities = self._entities({job.spec.web_entity_id or 0 for job in jobs})
        views = []
        for job in jobs:
            entity = entities.get(job.spec.web_entity_id or 0)
            name = entity.name if entity else job.previous_web_entity_name
            views.append(JobView(job, name, entity.n_pages - entity.n_pages_fetched if entity else 0))
        return tuple(views)

    def _entities(self, ids: set[int]) -> dict[int, WebEntity]:
        """Those of the entities that are still there: a researcher may merge them meanwhile."""
        try:
            found = self._structure.list_web_entities(ids=sorted(ids - {0}))
        except NotFound:
            found = [entity for each in sorted(ids) for entity in self._one_entity(each)]
        return {entity.web_entity_id: entity for entity in found}

    def _one_entity(self, web_entity_id: int) -> list[WebEntity]:
        try:
            return [self._structure.get_web_entity(web_entity_id)]
        except NotFound:
            return []

    def _rate(self, n_pages: int) -> float:
        now = self._clock()
        self._history.append((now, n_pages))
        while self._history[0][0] < now - _RATE_WINDOW_SECONDS:
            self._history.popleft()
        then, n_then = self._history[0]
        return (n_pages - n_then) / (now - then) if now > then else 0.0


def wait_for_end(
    watch: CrawlWatch,
    show: Callable[[CrawlView], None],
    complain: Callable[[str], None],
    tend: Callable[[], None],
    sleep: Callable[[float], None] = time.sleep,
) -> CrawlView:
    """Look until every job is over; the last view. `tend` is called at each turn (to look after workers).

    A store that does not answer is told once and waited for.
    """
    is_away = False
    while True:
        tend()
        try:
            view = watch.look()
        except (StoreLocked, StoreUnreachable) as error:
            if not is_away:
                complain(f"waiting for the store: {error}")
            is_away = True
        else:
            is_away = False
            show(view)
            if view.is_over:
                return view
        sleep(POLL_SECONDS)
