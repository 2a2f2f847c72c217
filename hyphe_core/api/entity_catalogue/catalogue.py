"""The catalogue of a corpus: columns of all its entities as of the last write, and orders made when first
asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Final

import numpy as np

from hyphe_core.api.entity_catalogue.columns import STATUS_RANKS, EntityColumns, Longs, Mask
from hyphe_core.api.entity_catalogue.figures import Figures
from hyphe_core.api.entity_catalogue.shelf import SHELF, Shelf
from hyphe_core.clock import monotonic
from memory_structure.structure import MemoryStructure

# During a crawl figures change with every batch: they may then be ten times as old as they took to make, so
# that polling clients cannot keep a core busy. What a client changed is never hidden from the next call.
_PATIENCE: Final = 10.0
_MAX_ORDERS: Final = 16
_SMALL_PART: Final = 8  # a part of at most one in so many is sorted by itself

ORDERS: Final = (
    "id",
    "name",
    "status",
    "homepage",
    "creation_date",
    "last_modification_date",
    "pages_total",
    "pages_crawled",
    "crawled",
    "indegree",
    "outdegree",
    "undirected_degree",
    "citing_in",
)


class Catalogue:
    """Entities of one corpus, ready to be filtered, sorted and counted. Safe to use from several threads:
    by one at a time, inside `now`."""

    def __init__(self, structure: MemoryStructure, shelf: Shelf = SHELF) -> None:
        self._structure = structure
        self._shelf = shelf
        self._lock = RLock()
        self._n_changes = 0
        self._orders: dict[tuple[str, ...], Longs] = {}
        self.forget()

    def forget(self) -> None:
        """Give the memory back; the next call reads everything again."""
        with self._lock:
            self.columns = EntityColumns()
            self.figures = Figures()
            self._orders.clear()
            self._version = self._rows_version = self._figures_version = self._seen_changes = -1
            self._made_at = self._cost = 0.0

    def forget_if_unused(self) -> bool:
        """Give the memory back unless somebody uses it just now."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self.forget()
        finally:
            self._lock.release()
        return True

    def note_change(self) -> None:
        """A client changed something: whatever is asked from now on must show it."""
        self._n_changes += 1

    @contextmanager
    def now(self) -> Iterator[Catalogue]:
        """The catalogue as of the last write, and nobody else's inside the block."""
        with self._lock:
            self._refresh()
            self._shelf.note_use(self)
            yield self

    @property
    def n_entities(self) -> int:
        """Entities held in memory."""
        return len(self.columns.names)

    # -- keeping up

    def _refresh(self) -> None:
        n_changes, version = self._n_changes, self._structure.version()
        if version == self._version and self._seen_changes >= 0:
            return
        must = n_changes != self._seen_changes
        if not must and monotonic() - self._made_at < _PATIENCE * self._cost:
            return
        started = monotonic()
        statuses_changed = self._refresh_rows()
        self._refresh_figures(statuses_changed)
        self._orders.clear()
        self._version, self._seen_changes = version, n_changes
        self._made_at = monotonic()
        self._cost = self._made_at - started

    def _refresh_rows(self) -> bool:
        if self._rows_version < 0:
            return self._load_rows()
        version, ids = self._structure.list_changed_web_entities(self._rows_version)
        if ids is None:
            self.columns = EntityColumns()
            return self._load_rows()
        self._rows_version = version
        return bool(ids) and self.columns.update(ids, self._structure.iter_entity_rows(ids))

    def _load_rows(self) -> bool:
        """Read everything. What changes meanwhile is read again by the next refresh."""
        self._rows_version = self._structure.version()
        self.columns.load(self._structure.iter_entity_rows())
        return True

    def _refresh_figures(self, statuses_changed: bool) -> None:
        size, figures = self.columns.size, self.figures
        version = self._structure.figures_version()
        if version != self._figures_version:
            figures.take_counts(self._structure.page_counts(), size)
            figures.take_network(self._structure.network_arrays(), size)
            self._figures_version = version
            statuses_changed = True
        figures.take_jobs(self._structure.list_job_heads(), size)
        if statuses_changed:
            figures.count_degrees(self.columns)
        figures.fit(size)

    # -- orders

    def sorted_ids(self, chosen: Mask, fields: Sequence[str]) -> Longs:
        """Ids of the chosen entities by some of ORDERS, falling where a field begins with a minus, then by
        id."""
        if int(np.count_nonzero(chosen)) * _SMALL_PART < self.columns.size:
            ids = np.flatnonzero(chosen)
            return ids[self._sorting(fields, ids)]
        key = tuple(fields)
        if key not in self._orders:
            if len(self._orders) >= _MAX_ORDERS:
                del self._orders[next(iter(self._orders))]
            alive = np.flatnonzero(self.columns.alive())
            self._orders[key] = alive[self._sorting(fields, alive)]
        order = self._orders[key]
        return order[chosen[order]]

    def _sorting(self, fields: Sequence[str], ids: Longs) -> Longs:
        keys = []
        for field in reversed(fields):
            column = self.column(field.lstrip("-"))[ids]
            keys.append(-column if field.startswith("-") else column)
        return np.lexsort(keys) if keys else np.arange(len(ids))

    def column(self, name: str) -> Longs:
        """One of ORDERS as numbers that rise with it, by entity id."""
        columns, figures, size = self.columns, self.figures, self.columns.size
        found: Longs
        if name == "name":
            found = columns.by_name.ranks(size)
        elif name == "homepage":
            found = columns.by_homepage.ranks(size)
        elif name == "status":
            found = STATUS_RANKS[columns.statuses]
        elif name == "id":
            found = np.arange(size)
        else:
            found = {
                "creation_date": columns.created_at,
                "last_modification_date": columns.modified_at,
                "pages_total": figures.n_pages,
                "pages_crawled": figures.n_pages_fetched,
                "crawled": figures.crawled,
                "indegree": figures.degrees.indegree,
                "outdegree": figures.degrees.outdegree,
                "undirected_degree": figures.degrees.undirected,
                "citing_in": figures.degrees.citing_in,
            }[name].astype(np.int64, copy=False)
        return found[:size]
