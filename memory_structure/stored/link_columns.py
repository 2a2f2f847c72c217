"""Page links between entities as columns of ids, gathered the cheapest way: by the pages that link, by the
pages linked to, or from all links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np

from memory_structure.storage import Reader
from memory_structure.stored.arrivals import candidate_pairs
from memory_structure.stored.codec import Ints, LinkColumns, decode_targets, distinct_columns, joined_columns
from memory_structure.stored.recompute import iter_link_columns
from memory_structure.stored.schema import OUTLINKS, PAGES
from memory_structure.stored.state import read_state
from memory_structure.stored.weights import entity_counts

# Microseconds, as measured on the embedded store; only their ratios matter.
_COST_OF_SOURCE: Final = 40.0
_COST_OF_TARGET: Final = 10.0
_COST_OF_RUN: Final = 25.0  # for each target
_COST_OF_LINK: Final = 0.03
_PAGES_AT_ONCE: Final = 2000

PageIds = Callable[[int], Iterable[int]]
"""Ids of the pages of an entity."""


def links_between(
    reader: Reader, owners: Ints, page_ids: PageIds, source_id: int | None, target_id: int
) -> LinkColumns:
    """Links of network kinds from pages of an entity (None: of all others) to pages of an entity, by source
    then target."""
    by_source, by_target, by_all = _costs(reader, source_id, target_id)
    if by_source <= min(by_target, by_all) and source_id is not None:
        found = _outlinks(reader, sorted(page_ids(source_id)))
    elif by_target <= by_all:
        found = _arriving(reader, owners, sorted(page_ids(target_id)), source_id, target_id)
    else:
        found = joined_columns(
            [_chosen(part, owners, source_id, target_id) for part in iter_link_columns(reader)]
        )
    chosen = _chosen(found, owners, source_id, target_id)
    order = np.lexsort((chosen.targets, chosen.sources))
    return LinkColumns(chosen.sources[order], chosen.targets[order], chosen.masks[order])


def _costs(reader: Reader, source_id: int | None, target_id: int) -> tuple[float, float, float]:
    state = read_state(reader)
    ids = [target_id] if source_id is None else [source_id, target_id]
    counts = entity_counts(reader, ids)
    n_sources = counts.get(source_id, (0, 0))[1] if source_id is not None else state.n_pages_fetched
    n_targets = counts.get(target_id, (0, 0))[0]
    n_runs = state.segment // 64 + 1
    return (
        n_sources * _COST_OF_SOURCE,
        n_targets * (_COST_OF_TARGET + n_runs * _COST_OF_RUN),
        state.n_links * _COST_OF_LINK,
    )


def _chosen(columns: LinkColumns, owners: Ints, source_id: int | None, target_id: int) -> LinkColumns:
    counting = columns.of_networks()
    kept = owners[counting.targets] == target_id
    sources = owners[counting.sources]
    kept &= sources != target_id if source_id is None else sources == source_id
    return counting.only(kept)


def _outlinks(reader: Reader, page_ids: Sequence[int]) -> LinkColumns:
    """All current links of pages."""
    parts: list[LinkColumns] = []
    for start in range(0, len(page_ids), _PAGES_AT_ONCE):
        rows = reader.get(PAGES, page_ids[start : start + _PAGES_AT_ONCE]).values()
        blobs = reader.get(OUTLINKS, [row[5] for row in rows if row[5] is not None]).values()
        parts += [_columns_of(row[1], row[3]) for row in blobs]
    return joined_columns(parts)


def _columns_of(page_id: int, blob: bytes) -> LinkColumns:
    targets, kinds = decode_targets(blob)
    return distinct_columns(np.full(len(targets), page_id, np.int32), targets, kinds)


def _arriving(
    reader: Reader, owners: Ints, page_ids: Sequence[int], source_id: int | None, target_id: int
) -> LinkColumns:
    """All current links of the pages that may link to some pages."""
    keys = candidate_pairs(reader, np.array(page_ids, np.int64))
    sources = np.unique(keys & 0xFFFFFFFF)
    labels = owners[sources]
    kept = labels != target_id if source_id is None else labels == source_id
    return _outlinks(reader, sources[kept].tolist())
