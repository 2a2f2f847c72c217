"""What crawling one web entity brought in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_structure.lru import url_to_lru
from memory_structure.previews import MAX_SAMPLES, ForgetPreview
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.codec import Ints, decode_segment
from memory_structure.stored.entities import entity_row, is_unjudged
from memory_structure.stored.recompute import read_labels
from memory_structure.stored.schema import ENTITIES, PAGES, SEGMENTS, Labels
from memory_structure.stored.weights import entity_counts
from memory_structure.urls import BadUrl, UrlPolicy

Flags = NDArray[np.bool_]  # one for each page id

_ROWS_AT_ONCE: Final = 5000


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """Page ids: those of the entity that were fetched; own ones without links of others; the ones of other
    entities that would go; entities whose pages go."""

    n_own: int
    n_links: int
    fetched: Ints
    leaving: Ints
    brought: Ints
    emptied: tuple[int, ...]


def plan_forgetting(reader: Reader, entity_id: int, policy: UrlPolicy) -> ForgetPlan:
    """What forgetting an entity takes out. Reads all link segments once."""
    entity_row(reader, entity_id)
    owners = read_labels(reader, Labels.OWNER)
    own = owners == entity_id
    by_own, by_others, n_links = _targets(reader, own)
    own_ids = np.flatnonzero(own).astype(np.int32)
    rows = list(_rows(reader, own_ids))
    fetched = np.array([row[0] for row in rows if row[4] is not None], np.int32)
    candidates = np.flatnonzero(by_own & ~own & ~by_others).astype(np.int32)
    unfetched = [row for row in _rows(reader, candidates) if row[4] is None]
    named = _named_pages(reader, entity_id, policy)
    brought = np.array([row[0] for row in unfetched if row[1] not in named], np.int32)
    leaving = np.array([row[0] for row in rows if not by_others[row[0]] and row[1] not in named], np.int32)
    emptied = _emptied(reader, owners, np.concatenate((leaving, brought)))
    return ForgetPlan(len(own_ids), n_links, fetched, leaving, brought, emptied)


def preview_of(reader: Reader, entity_id: int, policy: UrlPolicy) -> ForgetPreview:
    """The plan as people read it."""
    plan = plan_forgetting(reader, entity_id, policy)
    samples = sorted(row[1] for row in _rows(reader, plan.brought[:MAX_SAMPLES]))
    return ForgetPreview(
        plan.n_own,
        len(plan.fetched),
        plan.n_own - len(plan.leaving),
        len(plan.brought),
        plan.n_links,
        tuple(samples),
        tuple(entity for entity in plan.emptied if goes(reader, entity, entity_id)),
    )


def goes(reader: Reader, emptied_id: int, entity_id: int) -> bool:
    """Whether an entity left without page is removed: the forgotten one, others when nobody judged them."""
    return emptied_id == entity_id or is_unjudged(entity_row(reader, emptied_id))


def linked_since(reader: Reader, segment: int, n: int) -> Flags:
    """For each page id below n whether a link in the segments from this one on arrives there."""
    linked = np.zeros(n, np.bool_)
    for _, n_links, blob in reader.scan(SEGMENTS, Span(lower=segment)):
        targets = decode_segment(blob, n_links).targets
        linked[targets[targets < n]] = True
    return linked


def _targets(reader: Reader, own: Flags) -> tuple[Flags, Flags, int]:
    """(pages that own pages link to, pages that others link to, number of links leaving own pages)."""
    by_own, by_others = np.zeros(len(own), np.bool_), np.zeros(len(own), np.bool_)
    n_links = 0
    for _, n, blob in reader.scan(SEGMENTS):
        columns = decode_segment(blob, n)
        mine = own[columns.sources]
        by_own[columns.targets[mine]] = True
        by_others[columns.targets[~mine]] = True
        n_links += int(np.count_nonzero(mine))
    return by_own, by_others, n_links


def _rows(reader: Reader, ids: Ints) -> Iterator[Row]:
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        yield from reader.get(PAGES, ids[start : start + _ROWS_AT_ONCE].tolist()).values()


def _named_pages(reader: Reader, entity_id: int, policy: UrlPolicy) -> set[str]:
    """Start pages and homepages of other entities."""
    named = set()
    for row in reader.scan(ENTITIES):
        if row[0] != entity_id and (row[5] or row[6] != "[]"):
            for url in [*([row[5]] if row[5] else []), *(page[0] for page in json.loads(row[6]))]:
                try:
                    named.add(url_to_lru(url, policy))
                except BadUrl:
                    continue
    return named


def _emptied(reader: Reader, owners: Ints, ids: Ints) -> tuple[int, ...]:
    """Entities all of whose pages are among these."""
    entities, n_going = np.unique(owners[ids], return_counts=True)
    counts = entity_counts(reader, entities.tolist())
    pairs = zip(entities.tolist(), n_going.tolist(), strict=True)
    return tuple(entity for entity, n in pairs if counts.get(entity, (0, 0))[0] == n)
