"""Changing the owner or the node of known pages: labels, weights and counters follow in the same transaction.

Which pages change comes from ranges of LRUs; what that does to weights comes from one scan of the link
segments, where only links that touch a changed page count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory_structure.lru import range_end
from memory_structure.storage import Reader, Span
from memory_structure.stored.codec import Ints, Pairs, counted, decode_segment, negated, packed, summed
from memory_structure.stored.schema import N_FETCHED, N_PAGES, NODES, PAGES, SEGMENTS, Labels, Weights
from memory_structure.stored.session import Session
from memory_structure.stored.territory import Territory

_SUM_AT = 1 << 19  # changed links gathered before they are summed
_WEIGHTS = {Labels.OWNER: Weights.FORWARD, Labels.NODE: Weights.NODES}


@dataclass(slots=True)
class PagesOfOwners:
    """Page ids with the owner they should have, and whether each was fetched, gathered interval by
    interval."""

    ids: list[Ints] = field(default_factory=list)
    owners: list[Ints] = field(default_factory=list)
    fetched: list[NDArray[np.bool_]] = field(default_factory=list)

    def add(self, rows: list[tuple[int, int | None]], owner: int) -> None:
        """Rows (page id, last fetch id) that belong to an owner."""
        if rows:
            self.ids.append(np.array([row[0] for row in rows], np.int32))
            self.owners.append(np.full(len(rows), owner, np.int32))
            self.fetched.append(np.array([row[1] is not None for row in rows], np.bool_))


def recut(session: Session, prefixes: Iterable[str]) -> int:
    """Give the pages under these prefixes to their owners by today's prefixes; the number of pages that
    moved.

    Every page there must have an owner.
    """
    pages = PagesOfOwners()
    for prefix in outermost(prefixes):
        for lower, upper, owner in session.territory.intervals(prefix):
            if owner is not None:
                pages.add(_page_rows(session, lower, upper), owner)
    return _move(session, pages)


def unowned_lrus(reader: Reader, territory: Territory, prefixes: Iterable[str]) -> list[str]:
    """Known pages under these prefixes that no prefix owns, in LRU order."""
    found: list[str] = []
    for prefix in outermost(prefixes):
        for lower, upper, owner in territory.intervals(prefix):
            if owner is None:
                rows = reader.scan(PAGES, Span("by_lru", lower=lower, upper=upper), ("lru",))
                found += [row[0] for row in rows]
    return found


def outermost(prefixes: Iterable[str]) -> list[str]:
    """The prefixes without those that lie under another one, sorted."""
    kept: list[str] = []
    for prefix in sorted(prefixes):
        if not kept or not prefix.startswith(kept[-1]):
            kept.append(prefix)
    return kept


def _page_rows(session: Session, lower: str, upper: str) -> list[tuple[int, int | None]]:
    rows = session.tx.scan(PAGES, Span("by_lru", lower=lower, upper=upper), ("id", "fetch_id"))
    return [(row[0], row[1]) for row in rows]


def _move(session: Session, pages: PagesOfOwners) -> int:
    if not pages.ids:
        return 0
    ids, new = np.concatenate(pages.ids), np.concatenate(pages.owners)
    fetched = np.concatenate(pages.fetched)
    old = session.owners.values[ids]
    moved = old != new
    ids, old, new, fetched = ids[moved], old[moved], new[moved], fetched[moved]
    session.n_pages_moved += len(ids)
    if len(ids):
        _count(session, old, new, fetched)
        relabel(session, Labels.OWNER, ids, new)
    return len(ids)


def _count(session: Session, old: Ints, new: Ints, fetched: NDArray[np.bool_]) -> None:
    for entities, amount in ((old, -1), (new, 1)):
        session.add_counts(entities, N_PAGES, np.full(len(entities), amount, np.int32))
        those = entities[fetched]
        session.add_counts(those, N_FETCHED, np.full(len(those), amount, np.int32))


def relabel(session: Session, kind: Labels, ids: Ints, new: Ints) -> None:
    """Change labels of pages and the weights of all links that touch them."""
    labels = session.owners if kind is Labels.OWNER else session.nodes
    before = labels.values.copy()
    after = before.copy()
    after[ids] = new
    session.add_weights(_WEIGHTS[kind], weight_changes(session, before, after))
    session.paint(kind, ids, new)


def weight_changes(session: Session, before: Ints, after: Ints) -> Pairs:
    """What a change of labels does to weights."""
    changed = before != after
    parts: list[Pairs] = []
    for sources, targets in _touching(session, changed):
        parts.append(negated(counted(packed(before[sources], before[targets]))))
        parts.append(counted(packed(after[sources], after[targets])))
    return summed(parts)


def _touching(session: Session, changed: NDArray[np.bool_]) -> Iterator[tuple[Ints, Ints]]:
    """Links of networks with a changed end, many at a time."""
    held: list[tuple[Ints, Ints]] = []
    n_held = 0
    for _, n_links, blob in session.tx.scan(SEGMENTS):
        columns = decode_segment(blob, n_links)
        touched = changed[columns.sources] | changed[columns.targets]
        if touched.any():
            columns = columns.only(touched).of_networks()
            held.append((columns.sources, columns.targets))
            n_held += len(columns.sources)
        if n_held >= _SUM_AT:
            yield np.concatenate([h[0] for h in held]), np.concatenate([h[1] for h in held])
            held, n_held = [], 0
    if held:
        yield np.concatenate([h[0] for h in held]), np.concatenate([h[1] for h in held])


# -- nodes


def ensure_nodes(session: Session, lrus: list[str]) -> dict[str, int]:
    """Ids of the nodes of those names, made where absent, in order."""
    wanted = list(dict.fromkeys(lrus))
    ids: dict[str, int] = {lru: node_id for node_id, lru in session.tx.find(NODES, "by_lru", wanted)}
    fresh = []
    for lru in wanted:
        if lru not in ids:
            ids[lru] = session.state.next_node
            session.state.next_node += 1
            fresh.append((ids[lru], lru))
    session.tx.insert(NODES, fresh)
    return ids


def renode(session: Session, prefixes: Iterable[str]) -> None:
    """Give the pages under these prefixes to their nodes by today's precision."""
    if not session.has_nodes:
        return
    ids: list[int] = []
    names: list[str] = []
    precision = session.territory.precision
    for prefix in outermost(prefixes):
        span = Span("by_lru", lower=prefix, upper=range_end(prefix))
        for page_id, lru in session.tx.scan(PAGES, span, ("id", "lru")):
            ids.append(page_id)
            names.append(precision.node(lru))
    if not ids:
        return
    nodes = ensure_nodes(session, names)
    page_ids = np.array(ids, np.int32)
    new = np.array([nodes[name] for name in names], np.int32)
    moved = session.nodes.values[page_ids] != new
    if moved.any():
        relabel(session, Labels.NODE, page_ids[moved], new[moved])
