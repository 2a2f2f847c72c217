"""Networks: of web entities, of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from memory_structure.records import Degrees, NodeLink, WebEntityStatus, WeightedLink
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.caches import LabelArray
from memory_structure.stored.codec import NETWORK_MASK, Ints, Pairs, decode_targets, swapped
from memory_structure.stored.column_reads import ColumnReads, KnownWeights
from memory_structure.stored.entities import entity_row
from memory_structure.stored.evidence import EvidenceReads
from memory_structure.stored.recompute import recomputed_weights
from memory_structure.stored.schema import ENTITIES, NODES, OUTLINKS, PAGES, Labels, Weights
from memory_structure.stored.state import read_state
from memory_structure.stored.weights import all_weights, weights_of

_PAGES_AT_ONCE = 500
_make_link = partial(tuple.__new__, WeightedLink)


class _Network(NamedTuple):
    """The network of entities after a change of weights: the same links as arrays and as a list."""

    version: int
    pairs: Pairs
    links: list[WeightedLink]
    internal: dict[int, int]


class Networks(ColumnReads, EvidenceReads):
    """Aggregated links."""

    _network: _Network | None = None

    def _network_now(self) -> _Network:
        """The network, made anew only when a weight has changed: each change takes a number of its own."""
        weights, known = self.weights_now(Weights.FORWARD), self._network
        if known is None or known.version != weights.version:
            known = self._network = _network(known, weights)
        return known

    def web_entity_links(self) -> list[WeightedLink]:
        """All links between two different web entities, by source then target id."""
        return self._network_now().links.copy()

    def recomputed_links(self) -> list[WeightedLink]:
        """What `web_entity_links` should answer, from page links and owners alone; reads every link."""
        pairs = self._at_one_moment(lambda reader: recomputed_weights(reader, Labels.OWNER))
        return _weighted(_between(pairs))

    def internal_weights(self) -> dict[int, int]:
        """Web entity id -> number of distinct page links that stay inside it."""
        return self._network_now().internal.copy()

    def degrees(
        self, sources: Iterable[WebEntityStatus] = (WebEntityStatus.IN, WebEntityStatus.UNDECIDED)
    ) -> dict[int, Degrees]:
        """Degrees of every web entity that has a neighbour by links whose source has one of the statuses."""
        wanted = {status.value for status in sources}
        rows = self._storage.scan(ENTITIES, columns=("id", "status"))
        source_ids = [row[0] for row in rows if row[1] in wanted]
        return _degrees(self.weights_now(Weights.FORWARD).pairs, np.array(source_ids, np.int64))

    def list_referrers(self, web_entity_id: int) -> list[WeightedLink]:
        """Links arriving at an entity, by falling weight then source id."""
        pairs = self._at_one_moment(lambda reader: _row_of(reader, Weights.BACKWARD, web_entity_id))
        return _ranked(Pairs(swapped(pairs.keys), pairs.weights), 0)

    def list_referrals(self, web_entity_id: int) -> list[WeightedLink]:
        """Links leaving an entity, by falling weight then target id."""
        return _ranked(self._at_one_moment(lambda reader: _row_of(reader, Weights.FORWARD, web_entity_id)), 1)

    # -- nodes

    def iter_node_links(self) -> Iterator[NodeLink]:
        """Links between nodes, by source then target LRU."""
        if self.options().precision_limit is None:
            yield from self._page_node_links()
            return
        pairs = self._at_one_moment(lambda reader: all_weights(reader, Weights.NODES))
        names = {row[0]: row[1] for row in self._storage.scan(NODES)}
        ids = sorted(names, key=names.__getitem__)
        rank = np.zeros(max(ids, default=0) + 1, np.int64)
        rank[ids] = np.arange(len(ids))
        keys = (rank[pairs.keys >> 32] << 32) | rank[pairs.keys & 0xFFFFFFFF]
        order = np.argsort(keys)
        for key, weight in zip(keys[order].tolist(), pairs.weights[order].tolist(), strict=True):
            source, target = key >> 32, key & 0xFFFFFFFF
            if source != target:
                yield NodeLink(names[ids[source]], names[ids[target]], weight)

    def _page_node_links(self) -> Iterator[NodeLink]:
        after: str | None = None
        while True:
            rows, links = self._at_one_moment(lambda r, after=after: self._next_node_links(r, after))  # type: ignore[misc]
            yield from links
            if not rows:
                return
            after = rows[-1][1]

    def _next_node_links(self, reader: Reader, after: str | None) -> tuple[list[Row], list[NodeLink]]:
        rows = self._page_rows(reader, None, after, _PAGES_AT_ONCE, only_fetched=True)
        targets: dict[int, list[int]] = {}
        blobs = reader.get(OUTLINKS, [row[5] for row in rows if row[5] is not None])
        for _, page_id, _, blob in blobs.values():
            ids, kinds = decode_targets(blob)
            counting = (np.left_shift(1, kinds.astype(np.int32)) & NETWORK_MASK) != 0
            targets[page_id] = np.unique(ids[counting]).tolist()
        wanted = sorted({i for ids in targets.values() for i in ids})
        names = {row[0]: row[1] for row in reader.get(PAGES, wanted).values()}
        named = ((row[1], sorted(names[i] for i in targets.get(row[0], ()))) for row in rows)
        return rows, [NodeLink(source, target, 1) for source, found in named for target in found]

    def iter_nodes(self) -> Iterator[tuple[str, int, int]]:
        """(node LRU, owning web entity id, number of pages folded into it), by LRU."""
        if self.options().precision_limit is None:
            for record in self.iter_pages():
                yield record.lru, record.web_entity_id, 1
            return
        counts, owners = self._at_one_moment(_node_tables)
        for node_id, lru in self._storage.scan(NODES, Span("by_lru")):
            if node_id < len(counts) and counts[node_id]:
                yield lru, int(owners[node_id]), int(counts[node_id])


def _between(pairs: Pairs) -> Pairs:
    """Without what stays inside."""
    different = (pairs.keys >> 32) != (pairs.keys & 0xFFFFFFFF)
    return Pairs(pairs.keys[different], pairs.weights[different])


def _network(known: _Network | None, now: KnownWeights) -> _Network:
    """The network of these weights; links that were known before are taken over."""
    weights = now.pairs
    inside = (weights.keys >> 32) == (weights.keys & 0xFFFFFFFF)
    own = Pairs(weights.keys[inside], weights.weights[inside])
    internal = dict(zip((own.keys >> 32).tolist(), own.weights.tolist(), strict=True))
    pairs = _between(weights)
    links = _weighted(pairs) if known is None else _patched(known, pairs)
    return _Network(now.version, pairs, links, internal)


def _patched(known: _Network, pairs: Pairs) -> list[WeightedLink]:
    """The list of these links, made of runs of the known one and of new links: hundreds of thousands stay the
    same."""
    if not len(pairs.keys) or not len(known.pairs.keys):
        return _weighted(pairs)
    places = np.minimum(np.searchsorted(known.pairs.keys, pairs.keys), len(known.pairs.keys) - 1)
    same = (known.pairs.keys[places] == pairs.keys) & (known.pairs.weights[places] == pairs.weights)
    breaks = np.flatnonzero((np.diff(places) != 1) | ~same[1:] | ~same[:-1]) + 1
    if len(breaks) * 4 > len(pairs.keys):
        return _weighted(pairs)
    links: list[WeightedLink] = []
    for start, end in pairwise([0, *breaks.tolist(), len(pairs.keys)]):
        if same[start]:
            first = int(places[start])
            links += known.links[first : first + end - start]
        else:
            links += _weighted(Pairs(pairs.keys[start:end], pairs.weights[start:end]))
    return links


def _weighted(pairs: Pairs) -> list[WeightedLink]:
    """Made without the Python-level constructor: networks have hundreds of thousands of links."""
    rows = zip(
        (pairs.keys >> 32).tolist(), (pairs.keys & 0xFFFFFFFF).tolist(), pairs.weights.tolist(), strict=True
    )
    return list(map(_make_link, rows))


def _row_of(reader: Reader, kind: Weights, entity_id: int) -> Pairs:
    entity_row(reader, entity_id)
    return weights_of(reader, kind, [entity_id])


def _ranked(pairs: Pairs, other_end: int) -> list[WeightedLink]:
    links = [link for link in _weighted(pairs) if link.source_id != link.target_id]
    return sorted(links, key=lambda link: (-link.weight, link[other_end]))


def _degrees(pairs: Pairs, source_ids: Ints | np.ndarray) -> dict[int, Degrees]:
    sources, targets = pairs.keys >> 32, pairs.keys & 0xFFFFFFFF
    kept = (sources != targets) & np.isin(sources, source_ids)
    sources, targets = sources[kept], targets[kept]
    n = int(max(sources.max(initial=0), targets.max(initial=0))) + 1
    undirected = np.unique((np.minimum(sources, targets) << 32) | np.maximum(sources, targets))
    incoming = np.bincount(targets, minlength=n)
    outgoing = np.bincount(sources, minlength=n)
    either = np.bincount(undirected >> 32, minlength=n) + np.bincount(undirected & 0xFFFFFFFF, minlength=n)
    return {
        i: Degrees(int(incoming[i]), int(outgoing[i]), int(either[i]))
        for i in np.flatnonzero(either).tolist()
    }


def _node_tables(reader: Reader) -> tuple[np.ndarray, np.ndarray]:
    """(pages of each node, owner of each node). A node lies inside one entity: prefixes finer than it are
    exceptions."""
    state = read_state(reader)
    nodes, owners = LabelArray(Labels.NODE), LabelArray(Labels.OWNER)
    nodes.refresh(reader, state.label_version, state.next_page)
    owners.refresh(reader, state.label_version, state.next_page)
    counts = np.bincount(nodes.values, minlength=state.next_node)
    counts[0] = 0
    owner_of = np.zeros(len(counts), np.int32)
    owner_of[nodes.values] = owners.values
    return counts, owner_of
