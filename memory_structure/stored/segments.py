"""Segments: all current page links as columns of ids, in the order they were found. The last one is filled up
first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory_structure.storage import Row
from memory_structure.stored.arrivals import make_run_before
from memory_structure.stored.codec import (
    Ints,
    LinkColumns,
    counted,
    decode_segment,
    decode_targets,
    encode_segment,
    joined_columns,
    negated,
    packed,
)
from memory_structure.stored.schema import OUTLINKS, SEGMENT_LINKS, SEGMENTS, Weights
from memory_structure.stored.session import Session


def append_links(session: Session, page_ids: Sequence[int], columns: LinkColumns) -> dict[int, int]:
    """Add the links of pages, sorted by source; page id -> its segment. A page's links are never split."""
    state = session.state
    row = session.tx.get(SEGMENTS, (state.segment,)).get(state.segment)
    current = [decode_segment(row[2], row[1])] if row else []
    room = SEGMENT_LINKS - (row[1] if row else 0)
    ids = np.unique(np.array(page_ids, np.int32))
    starts = np.searchsorted(columns.sources, ids)
    ends = np.append(starts[1:], len(columns.sources))
    placed: dict[int, int] = {}
    first = 0
    for page_id, start, end in zip(ids.tolist(), starts.tolist(), ends.tolist(), strict=True):
        if start - first >= room:
            _write(session, [*current, _cut(columns, first, start)])
            state.segment += 1
            make_run_before(session.tx, state.segment)
            current, room, first = [], SEGMENT_LINKS, start
        if end > start:
            placed[page_id] = state.segment
    _write(session, [*current, _cut(columns, first, len(columns.sources))])
    return placed


def _cut(columns: LinkColumns, start: int, end: int) -> LinkColumns:
    return LinkColumns(columns.sources[start:end], columns.targets[start:end], columns.masks[start:end])


def _write(session: Session, parts: list[LinkColumns]) -> None:
    columns = joined_columns(parts)
    if len(columns.sources):
        session.tx.put(SEGMENTS, [(session.state.segment, len(columns.sources), encode_segment(columns))])


def take_links(session: Session, by_segment: dict[int, list[int]]) -> LinkColumns:
    """Remove the links of pages, given by their segments; what was removed."""
    removed: list[LinkColumns] = []
    for segment, row in session.tx.get(SEGMENTS, sorted(by_segment)).items():
        columns = decode_segment(row[2], row[1])
        leaving = np.isin(columns.sources, np.array(by_segment[segment], np.int32))
        removed.append(columns.only(leaving))
        kept = columns.only(~leaving)
        if len(kept.sources):
            session.tx.put(SEGMENTS, [(segment, len(kept.sources), encode_segment(kept))])
        else:
            session.tx.delete(SEGMENTS, [segment])
    return joined_columns(removed)


def ends_of(columns: LinkColumns) -> tuple[Ints, Ints]:
    """Sources and targets of the links that count in networks."""
    counting = columns.of_networks()
    return counting.sources, counting.targets


def take_outlinks(session: Session, links_ids: Sequence[int]) -> list[Row]:
    """Remove the outlinks of pages, by their ids, with their weights; the rows that were there."""
    rows = list(session.tx.get(OUTLINKS, links_ids).values())
    if not rows:
        return []
    by_segment: dict[int, list[int]] = {}
    for _, page_id, segment, blob in rows:
        by_segment.setdefault(segment, []).append(page_id)
        session.state.n_links -= len(decode_targets(blob)[0])
    session.tx.delete(OUTLINKS, [row[0] for row in rows])
    weigh_links(session, take_links(session, by_segment), -1)
    return rows


def weigh_links(session: Session, columns: LinkColumns, sign: int) -> None:
    """Count links between the owners and the nodes of their pages; with a sign below 0 count them off."""
    sources, targets = ends_of(columns)
    labelled = [(Weights.FORWARD, session.owners)]
    if session.has_nodes:
        labelled.append((Weights.NODES, session.nodes))
    for kind, labels in labelled:
        pairs = counted(packed(labels.values[sources], labels.values[targets]))
        session.add_weights(kind, pairs if sign > 0 else negated(pairs))
