"""Page links between entities as columns of ids, gathered the cheapest way: by the pages that link, by the
pages linked to, or from all links."""

from __future__ import annotations

from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_structure.storage import Reader
from memory_structure.stored.arrivals import SEGMENTS_PER_RUN, candidate_pairs
from memory_structure.stored.codec import (
    Ints,
    LinkColumns,
    Longs,
    decode_targets,
    distinct_columns,
    joined_columns,
    packed,
)
from memory_structure.stored.recompute import iter_link_columns
from memory_structure.stored.schema import OUTLINKS, PAGES, Weights
from memory_structure.stored.state import read_state
from memory_structure.stored.weights import entity_counts, weights_of

# Microseconds, as measured on the embedded store; only their ratios matter.
_COST_OF_SOURCE: Final = 40.0
_COST_OF_TARGET: Final = 10.0
_COST_OF_RUN: Final = 25.0  # for each target
_COST_OF_LINK: Final = 0.03
_PAGES_AT_ONCE: Final = 2000
_PAGES_TO_STREAM: Final = 500


class Others(Enum):
    """Whose links are meant when no single entity is: those of all other entities, or of all."""

    OTHERS = "others"
    ALL = "all"


Linking = int | Others
"""The entity whose links are meant, or which of all of them."""


def links_between(reader: Reader, owners: Ints, source: Linking, target_id: int) -> LinkColumns:
    """Links of network kinds to pages of an entity, by source then target. `owners`: owner of each page
    id."""
    n_pairs = count_pairs(reader, source, target_id)
    if not n_pairs:
        return joined_columns([])
    by_source, by_target, by_all = _costs(reader, source, target_id, n_pairs)
    if isinstance(source, int) and by_source <= min(by_target, by_all):
        found = _outlinks(reader, _ids_of(owners, source))
    elif by_target <= by_all:
        found = _arriving(reader, owners, source, target_id)
    else:
        found = joined_columns(
            [_chosen(part, owners, source, target_id) for part in iter_link_columns(reader)]
        )
    return _sorted(_chosen(found, owners, source, target_id))


def next_links(
    reader: Reader, owners: Ints, ends: tuple[int, int], after: int, limit: int
) -> LinkColumns | None:
    """The first links from one entity to another behind a pair of pages (source << 32 | target), at least one
    more than `limit` when there are so many; None when reading all of them at once costs less."""
    source_id, target_id = ends
    ids = _ids_of(owners, source_id)
    n_pairs = count_pairs(reader, source_id, target_id)
    cost = (limit + 1) * len(ids) / max(n_pairs, 1) * _COST_OF_SOURCE
    if not n_pairs or cost > min(_costs(reader, source_id, target_id, n_pairs)) / 2:
        return None
    ids = ids[np.searchsorted(ids, after >> 32) :]
    parts: list[LinkColumns] = []
    n_found = 0
    for start in range(0, len(ids), _PAGES_TO_STREAM):
        some = _outlinks(reader, ids[start : start + _PAGES_TO_STREAM])
        part = _chosen(some, owners, source_id, target_id)
        parts.append(part.only(packed(part.sources, part.targets) > after))
        n_found += len(parts[-1].sources)
        if n_found > limit:
            break
    return _sorted(joined_columns(parts))


def _sorted(columns: LinkColumns) -> LinkColumns:
    order = np.lexsort((columns.targets, columns.sources))
    return LinkColumns(columns.sources[order], columns.targets[order], columns.masks[order])


def _ids_of(owners: Ints, entity_id: int) -> Longs:
    """Ids of the pages of an entity, rising."""
    return np.flatnonzero(owners == entity_id)


def count_pairs(reader: Reader, source: Linking, target_id: int) -> int:
    """How many links there are, by the weights."""
    if isinstance(source, int):
        pairs = weights_of(reader, Weights.FORWARD, [source])
        kept = (pairs.keys & 0xFFFFFFFF) == target_id
    else:
        pairs = weights_of(reader, Weights.BACKWARD, [target_id])
        kept = ((pairs.keys & 0xFFFFFFFF) != target_id) | (source is Others.ALL)
    return int(pairs.weights[kept].sum())


def count_linking_pages(reader: Reader, n_ids: int) -> Longs:
    """How many pages link to each page id, by links of network kinds."""
    counts = np.zeros(n_ids, np.int64)
    for part in iter_link_columns(reader):
        counts += np.bincount(part.of_networks().targets, minlength=n_ids)[:n_ids]
    return counts


def _costs(reader: Reader, source: Linking, target_id: int, n_pairs: int) -> tuple[float, float, float]:
    """Microseconds of each way. The one by targets reads the pages that link, to be sure that they still
    do."""
    state = read_state(reader)
    counts = entity_counts(reader, [source, target_id] if isinstance(source, int) else [target_id])
    n_sources = counts.get(source, (0, 0))[1] if isinstance(source, int) else state.n_pages_fetched
    n_targets = counts.get(target_id, (0, 0))[0]
    n_runs = state.segment // SEGMENTS_PER_RUN + 1
    return (
        n_sources * _COST_OF_SOURCE,
        n_targets * (_COST_OF_TARGET + n_runs * _COST_OF_RUN) + n_pairs * _COST_OF_SOURCE,
        state.n_links * _COST_OF_LINK,
    )


def _is_meant(labels: Ints, source: Linking, target_id: int) -> NDArray[np.bool_]:
    """Which of the owners of linking pages are meant."""
    if source is Others.ALL:
        return np.ones(len(labels), np.bool_)
    meant: NDArray[np.bool_] = labels != target_id if source is Others.OTHERS else labels == source
    return meant


def _chosen(columns: LinkColumns, owners: Ints, source: Linking, target_id: int) -> LinkColumns:
    counting = columns.of_networks()
    kept = owners[counting.targets] == target_id
    return counting.only(kept & _is_meant(owners[counting.sources], source, target_id))


def _outlinks(reader: Reader, page_ids: Longs) -> LinkColumns:
    """All current links of pages."""
    parts: list[LinkColumns] = []
    for start in range(0, len(page_ids), _PAGES_AT_ONCE):
        rows = reader.get(PAGES, page_ids[start : start + _PAGES_AT_ONCE].tolist()).values()
        blobs = reader.get(OUTLINKS, [row[5] for row in rows if row[5] is not None]).values()
        parts += [_columns_of(row[1], row[3]) for row in blobs]
    return joined_columns(parts)


def _columns_of(page_id: int, blob: bytes) -> LinkColumns:
    targets, kinds = decode_targets(blob)
    return distinct_columns(np.full(len(targets), page_id, np.int32), targets, kinds)


def _arriving(reader: Reader, owners: Ints, source: Linking, target_id: int) -> LinkColumns:
    """All current links of the pages that may link to pages of an entity."""
    keys = candidate_pairs(reader, _ids_of(owners, target_id))
    sources = np.unique(keys & 0xFFFFFFFF)
    return _outlinks(reader, sources[_is_meant(owners[sources], source, target_id)])
