"""The catalogue of a corpus: columns of all its entities as of the last write, and orders made when first
asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Final

import numpy as np

from hyphe_core.api.entity_catalogue.columns import STATUS_RANKS, EntityColumns, Longs, Mask, StatusChange
from hyphe_core.api.entity_catalogue.figures import Figures
from hyphe_core.api.entity_catalogue.freshness import Freshness
from hyphe_core.api.entity_catalogue.shelf import SHELF, Shelf
from hyphe_core.clock import monotonic
from memory_structure.structure import MemoryStructure

_MAX_ORDERS: Final = 16
_BITS: Final = 63  # of a number that is not negative
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
    "crawling_status",
    "indexing_status",
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
            self._rows, self._fresh_figures = Freshness(), Freshness()
            self._read_at_version = -1
            self._changed: dict[int, StatusChange] | None = None  # since degrees were counted; None: all

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
    def now(self, *, with_figures: bool = True) -> Iterator[Catalogue]:
        """The catalogue as of the last write, and nobody else's inside the block. Without figures, numbers
        of pages and degrees may be old."""
        with self._lock:
            n_changes = self._n_changes
            self._refresh_rows(n_changes)
            if with_figures:
                self._refresh_figures(n_changes)
            self._shelf.note_use(self)
            yield self

    @property
    def n_entities(self) -> int:
        """Entities held in memory."""
        return len(self.columns.names)

    # -- keeping up

    def _refresh_rows(self, n_changes: int) -> None:
        """Entities and crawls."""
        version = self._structure.version()
        if self._rows.serves(version, n_changes):
            return
        started = monotonic()
        changed = self._changed_rows()
        self._changed = None if changed is None else _together(self._changed, changed)
        self.figures.take_jobs(self._structure.list_job_heads(), self.columns.size)
        self.figures.fit(self.columns.size)
        self._orders.clear()
        self._rows.note(version, n_changes, started)

    def _changed_rows(self) -> dict[int, StatusChange] | None:
        """Whose status changed; None when all entities were read."""
        version, ids = self._read_at_version, None
        if version >= 0:
            version, ids = self._structure.list_changed_web_entities(version)
        if ids is None:
            self.columns = EntityColumns()
            # What changes while everything is read is read again by the next call.
            self._read_at_version = self._structure.version()
            self.columns.load(self._structure.iter_entity_rows())
            return None
        self._read_at_version = version
        return self.columns.update(ids, self._structure.iter_entity_rows(ids)) if ids else {}

    def _refresh_figures(self, n_changes: int) -> None:
        """Numbers of pages, and degrees."""
        version, size = self._structure.figures_version(), self.columns.size
        if not self._fresh_figures.serves(version, n_changes):
            started = monotonic()
            self.figures.take_counts(self._structure.page_counts(), size)
            if self.figures.take_network(self._structure.network_arrays(), size):
                self._changed = None
            self._orders.clear()
            self._fresh_figures.note(version, n_changes, started)
        if self._changed is None:
            self.figures.count_degrees(self.columns)
        elif self._changed:
            self.figures.change_degrees(self.columns, self._changed)
        if self._changed != {}:
            self.figures.fit(size)
            self._orders.clear()
        self._changed = {}

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
        """Places of the ids in their order."""
        keys = []
        for field in fields:
            column = self.column(field.lstrip("-"))[ids]
            keys.append(-column if field.startswith("-") else column)
        return _sorted_places(keys, len(ids))

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
        elif name in ("crawling_status", "indexing_status"):
            found = figures.ranks_by_job(name, size)
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


def _together(
    earlier: dict[int, StatusChange] | None, later: dict[int, StatusChange]
) -> dict[int, StatusChange] | None:
    """Changes of statuses one after the other; None stays: all."""
    if earlier is None:
        return None
    first = {entity_id: change.before for entity_id, change in (later | earlier).items()}
    last = {entity_id: change.after for entity_id, change in (earlier | later).items()}
    return {entity_id: StatusChange(first[entity_id], last[entity_id]) for entity_id in first}


def _sorted_places(keys: Sequence[Longs], n: int) -> Longs:
    """Places by several keys, then by place. As one number with the place in its lowest bits where there is
    room: to sort plain numbers is ten times as fast as to sort by keys."""
    if not n:
        return np.zeros(0, np.int64)
    lows = [int(key.min()) for key in keys]
    widths = [(int(key.max()) - low).bit_length() for key, low in zip(keys, lows, strict=True)]
    place_bits = n.bit_length()
    if sum(widths) + place_bits > _BITS:
        return np.lexsort(list(reversed(keys)))
    joined = np.zeros(n, np.int64)
    for key, low, width in zip(keys, lows, widths, strict=True):
        joined = (joined << width) | (key - low)
    joined = (joined << place_bits) | np.arange(n)
    joined.sort()
    return joined & ((1 << place_bits) - 1)
