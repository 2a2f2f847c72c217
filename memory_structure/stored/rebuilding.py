"""Making derived data anew from pages, outlinks, fetches and prefixes, in one transaction."""

from __future__ import annotations

import numpy as np

from memory_structure.storage import Span
from memory_structure.stored.codec import (
    Ints,
    Pairs,
    decode_targets,
    distinct_columns,
    encode_rows,
    summed,
    swapped,
)
from memory_structure.stored.entities import create_by_rules
from memory_structure.stored.laws import recomputed_tallies, recomputed_totals
from memory_structure.stored.recompute import recomputed_counts, recomputed_owners, weights_by
from memory_structure.stored.relabel import ensure_nodes, unowned_lrus
from memory_structure.stored.schema import (
    ARRIVALS,
    DELTAS,
    FETCHES,
    JOB_COUNTERS,
    OUTLINKS,
    PAGES,
    SEGMENTS,
    WEIGHTS,
    Labels,
    Weights,
)
from memory_structure.stored.segments import append_links
from memory_structure.stored.session import Session

_PAGES_AT_ONCE = 200


def rebuild(session: Session) -> None:
    """Derived data as they should be. Pages that nobody owns get web entities by the rules."""
    session.note_prefix_change(reset=True)
    session.state.next_page = _first_free_page(session)
    _point_at_last_fetches(session)
    _make_segments(session)
    owners = _owners(session)
    _make_rows(session, Weights.FORWARD, weights_by(owners, session.tx))
    _make_rows(session, Weights.COUNTS, recomputed_counts(session.tx, owners))
    session.paint_all(Labels.OWNER, owners)
    if session.has_nodes:
        nodes = _nodes(session, len(owners))
        _make_rows(session, Weights.NODES, weights_by(nodes, session.tx))
        session.paint_all(Labels.NODE, nodes)
    _make_counters(session)


def _first_free_page(session: Session) -> int:
    last = next(iter(session.tx.scan(PAGES, Span(reverse=True, limit=1), ("id",))), (0,))
    return max(session.state.next_page, int(last[0]) + 1)


def _owners(session: Session) -> Ints:
    """After making entities for the ownerless; links change hands later, all at once."""
    session.drop_weights()
    lost = unowned_lrus(session.tx, session.territory, [""])
    create_by_rules(session, lost)
    session.drop_weights()
    return recomputed_owners(session.tx, session.territory, session.state.next_page)


def _nodes(session: Session, n: int) -> Ints:
    rows = list(session.tx.scan(PAGES, columns=("id", "lru")))
    names = [session.territory.precision.node(row[1]) for row in rows]
    ids = ensure_nodes(session, names)
    nodes = np.zeros(n, np.int32)
    nodes[[row[0] for row in rows]] = [ids[name] for name in names]
    return nodes


def _make_rows(session: Session, kind: Weights, pairs: Pairs) -> None:
    kinds = {kind: pairs}
    if kind is Weights.FORWARD:
        kinds[Weights.BACKWARD] = summed([Pairs(swapped(pairs.keys), pairs.weights)])
    for each, those in kinds.items():
        stored = [
            (row[0], row[1]) for row in session.tx.scan(WEIGHTS, Span(equal=(int(each),)), ("kind", "source"))
        ]
        session.tx.delete(WEIGHTS, stored)
        sources, blobs = encode_rows(those)
        session.tx.put(WEIGHTS, [(int(each), s, blob) for s, blob in zip(sources, blobs, strict=True)])


def _point_at_last_fetches(session: Session) -> None:
    last: dict[int, int] = {}
    for fetch_id, page_id, final in session.tx.scan(FETCHES, columns=("id", "page_id", "final")):
        if final:
            last[page_id] = fetch_id
    rows = list(session.tx.scan(PAGES, columns=("id", "fetch_id")))
    wrong = [(i, (last.get(i),)) for i, fetch_id in rows if fetch_id != last.get(i)]
    session.tx.update(PAGES, ("fetch_id",), wrong)


def _make_segments(session: Session) -> None:
    """Segments from outlinks, in the order found; each page's newest outlinks are its only ones."""
    tx = session.tx
    tx.delete(SEGMENTS, [row[0] for row in tx.scan(SEGMENTS, columns=("id",))])
    tx.delete(ARRIVALS, [(row[0], row[1]) for row in tx.scan(ARRIVALS, columns=("run", "first_target"))])
    session.state.segment += 1
    current = {page_id: links_id for links_id, page_id in tx.scan(OUTLINKS, columns=("id", "page_id"))}
    kept = set(current.values())
    tx.delete(OUTLINKS, [row[0] for row in list(tx.scan(OUTLINKS, columns=("id",))) if row[0] not in kept])
    rows = list(tx.scan(PAGES, columns=("id", "links_id")))
    wrong = [(i, (current.get(i),)) for i, links_id in rows if links_id != current.get(i)]
    tx.update(PAGES, ("links_id",), wrong)
    ordered = sorted(kept)
    for start in range(0, len(ordered), _PAGES_AT_ONCE):
        _append(session, ordered[start : start + _PAGES_AT_ONCE])


def _append(session: Session, links_ids: list[int]) -> None:
    rows = session.tx.get(OUTLINKS, links_ids)
    parts = [(row[1], *decode_targets(row[3])) for row in rows.values()]
    sources = np.repeat(np.array([p[0] for p in parts], np.int32), [len(p[1]) for p in parts])
    targets, kinds = np.concatenate([p[1] for p in parts]), np.concatenate([p[2] for p in parts])
    placed = append_links(session, [p[0] for p in parts], distinct_columns(sources, targets, kinds))
    moved = [(links_id, (placed[row[1]],)) for links_id, row in rows.items()]
    session.tx.update(OUTLINKS, ("segment",), moved)


def _make_counters(session: Session) -> None:
    tx, state = session.tx, session.state
    tx.delete(DELTAS, [row[0] for row in tx.scan(DELTAS, columns=("id",))])
    state.n_delta_links = state.n_delta_backward = 0
    state.next_delta += 1  # networks held in memory are of an earlier number
    for name, value in recomputed_totals(tx).items():
        setattr(state, name, value)
    tallies = recomputed_tallies(tx)
    rows = list(tx.scan(JOB_COUNTERS))
    new_rows = []
    for row in rows:
        tally = tallies.get(row[0])
        counted = [0] * 10 if tally is None else list(tally.values())
        counted[7] = row[8]  # n_new_pages: told by no other record
        new_rows.append((row[0], *counted))
    tx.put(JOB_COUNTERS, new_rows)
