"""Aggregates from page links and labels alone: what the stored ones must equal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from memory_structure.storage import Reader, Span
from memory_structure.stored.caches import LabelArray
from memory_structure.stored.codec import (
    Ints,
    LinkColumns,
    Pairs,
    counted,
    decode_segment,
    joined_columns,
    packed,
    summed,
)
from memory_structure.stored.schema import N_FETCHED, N_PAGES, PAGES, SEGMENTS, Labels
from memory_structure.stored.state import read_state
from memory_structure.stored.territory import Territory

_LINKS_AT_ONCE: Final = 1 << 20
_PARTS_AT_ONCE: Final = 16


def read_labels(reader: Reader, kind: Labels) -> Ints:
    """The label of each page id; index 0 is unused."""
    state = read_state(reader)
    labels = LabelArray(kind)
    labels.refresh(reader, state.label_version, state.next_page)
    return labels.values


def iter_link_columns(reader: Reader) -> Iterator[LinkColumns]:
    """All page links, about a million at a time."""
    held: list[LinkColumns] = []
    n_held = 0
    for _, n_links, blob in reader.scan(SEGMENTS):
        held.append(decode_segment(blob, n_links))
        n_held += n_links
        if n_held >= _LINKS_AT_ONCE:
            yield joined_columns(held)
            held, n_held = [], 0
    if held:
        yield joined_columns(held)


def recomputed_weights(reader: Reader, kind: Labels) -> Pairs:
    """Weights between owners, or between nodes."""
    return weights_by(read_labels(reader, kind), reader)


def weights_by(labels: Ints, reader: Reader) -> Pairs:
    """Weights between any labels of pages."""
    parts: list[Pairs] = []
    for columns in iter_link_columns(reader):
        counting = columns.of_networks()
        parts.append(counted(packed(labels[counting.sources], labels[counting.targets])))
        if len(parts) >= _PARTS_AT_ONCE:
            parts = [summed(parts)]
    return summed(parts)


def recomputed_owners(reader: Reader, territory: Territory, n: int) -> Ints:
    """The owner of each page id below n by prefixes; 0 where nobody owns the page."""
    owners = np.zeros(n, np.int32)
    for lower, upper, owner in territory.intervals(""):
        if owner is not None:
            span = Span("by_lru", lower=lower, upper=upper)
            ids = np.fromiter((row[0] for row in reader.scan(PAGES, span, ("id",))), np.int64)
            owners[ids[ids < n]] = owner
    return owners


def recomputed_counts(reader: Reader, owners: Ints) -> Pairs:
    """Counters of entities: pages and fetched pages."""
    fetched = np.zeros(len(owners), np.bool_)
    known = np.zeros(len(owners), np.bool_)
    for page_id, fetch_id in reader.scan(PAGES, columns=("id", "fetch_id")):
        if page_id < len(owners):
            known[page_id] = True
            fetched[page_id] = fetch_id is not None
    owned = owners[known].astype(np.int64)
    fetching = owners[known & fetched].astype(np.int64)
    return summed([counted((owned << 32) | N_PAGES), counted((fetching << 32) | N_FETCHED)])
