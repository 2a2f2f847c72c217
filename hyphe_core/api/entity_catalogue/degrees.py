"""Degrees of all entities of a corpus, by the statuses of those that link."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_structure.columns import NetworkArrays

Longs = NDArray[np.int64]
Mask = NDArray[np.bool_]


class DegreeColumns(NamedTuple):
    """Numbers of distinct neighbours of each entity id. `citing_in`: entities that are IN and link to it."""

    indegree: Longs
    outdegree: Longs
    undirected: Longs
    citing_in: Longs


class StatusEffect(NamedTuple):
    """What a change of status does to the links that leave an entity: 1 when they begin to count (or to be
    cited by an entity IN), -1 when they cease to, 0 when nothing changes."""

    counting: int
    is_in: int


class Neighbourhoods:
    """The network with what does not depend on statuses: where the opposite of each link stands."""

    def __init__(self, network: NetworkArrays, size: int) -> None:
        top = max(int(network.sources.max(initial=0)), int(network.targets.max(initial=0)))
        self._size = max(size, top + 1)
        self._sources, self._targets = network.sources, network.targets
        keys = (network.sources << 32) | network.targets
        opposite = (network.targets << 32) | network.sources
        places = np.searchsorted(keys, opposite)
        places[places == len(keys)] = 0
        self._mutual = keys[places] == opposite if len(keys) else np.zeros(0, np.bool_)
        self._rising = network.sources < network.targets

    def are_of(self, network: NetworkArrays) -> bool:
        """Whether the network links the same pairs: pages that link nobody change it no more than weights
        do."""
        return np.array_equal(self._sources, network.sources) and np.array_equal(
            self._targets, network.targets
        )

    def degrees(self, counts: Mask, is_in: Mask) -> DegreeColumns:
        """Degrees by links whose source counts; both masks are by entity id."""
        counting, citing = self._by_link(counts), self._by_link(is_in)
        sources, targets = self._sources[counting], self._targets[counting]
        indegree, outdegree = self._counted(targets), self._counted(sources)
        # A pair that links both ways is one neighbour: its second link is not counted when both count.
        twice = counting & self._mutual & self._rising
        twice &= self._padded(counts)[self._targets]
        double = self._counted(self._sources[twice]) + self._counted(self._targets[twice])
        return DegreeColumns(
            indegree, outdegree, indegree + outdegree - double, self._counted(self._targets[citing])
        )

    def apply(self, degrees: DegreeColumns, entity_id: int, change: StatusEffect, counts: Mask) -> None:
        """Change degrees in place for an entity that begins or ceases to count; `counts` is what held
        before, for all entities."""
        first, last = np.searchsorted(self._sources, (entity_id, entity_id + 1)).tolist()
        targets, sign = self._targets[first:last], change.counting
        degrees.citing_in[targets] += change.is_in
        if sign and len(targets):
            degrees.indegree[targets] += sign
            degrees.outdegree[entity_id] += sign * len(targets)
            # Who links back and counts is a neighbour already, or stays one.
            alone = targets[~(self._mutual[first:last] & self._padded(counts)[targets])]
            degrees.undirected[alone] += sign
            degrees.undirected[entity_id] += sign * len(alone)

    def _by_link(self, mask: Mask) -> Mask:
        chosen: Mask = self._padded(mask)[self._sources]
        return chosen

    def _padded(self, mask: Mask) -> Mask:
        if len(mask) >= self._size:
            return mask
        return np.concatenate((mask, np.zeros(self._size - len(mask), np.bool_)))

    def _counted(self, ids: Longs) -> Longs:
        return np.bincount(ids, minlength=self._size)
