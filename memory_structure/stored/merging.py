"""Folding web entities into another one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory_structure.errors import InvalidValue
from memory_structure.records import StartPage
from memory_structure.storage import Row
from memory_structure.stored.codec import Pairs, negated
from memory_structure.stored.entities import (
    change_row,
    entity_prefixes,
    entity_texts,
    remove_entity_row,
    row_tags,
)
from memory_structure.stored.moments import now_micros
from memory_structure.stored.ownership import hand_over_jobs
from memory_structure.stored.schema import PREFIXES, Labels, Weights
from memory_structure.stored.session import Session
from memory_structure.stored.weights import replaced_ends, touching, weights_of


@dataclass(frozen=True, slots=True)
class Kept:
    """What a merged entity has from the old ones, see `Curation.merge_web_entities`."""

    tags: bool
    start_pages: bool
    name_and_status: bool
    homepage: bool
    note: bool


def merged_ids(old_ids: int | Sequence[int], good_id: int) -> list[int]:
    """The entities to be folded, without doubles. Raises InvalidValue for none, or the good one."""
    wanted = list(dict.fromkeys([old_ids] if isinstance(old_ids, int) else old_ids))
    if not wanted:
        raise InvalidValue("a merge needs at least one web entity to be merged")
    if good_id in wanted:
        raise InvalidValue(f"web entity {good_id} cannot be merged with itself")
    return wanted


def merge(session: Session, olds: Sequence[Row], good: Row, kept: Kept) -> list[str]:
    """Fold entities; the prefixes that changed hands."""
    change_row(session, [(good, _merged_row(olds, good, kept))])
    old_ids = [old[0] for old in olds]
    session.finish_weights()
    _merge_weights(session, old_ids, good[0])
    prefixes = _hand_over_prefixes(session, old_ids, good[0])
    for old in olds:
        hand_over_jobs(session, old, good[0])
        remove_entity_row(session, old[0])
    return prefixes


def _merged_row(olds: Sequence[Row], good: Row, kept: Kept) -> Row:
    pages = [StartPage(*page) for page in json.loads(good[6])]
    tags = set(row_tags(good))
    for old in olds:
        pages += _entry_pages(old, pages) if kept.start_pages else []
        tags.update(row_tags(old) if kept.tags else ())
    name, status = olds[0][1:3] if kept.name_and_status else good[1:3]
    homepage = next((old[5] for old in olds if kept.homepage and old[5]), good[5])
    note = "\n".join(old[8] for old in olds if kept.note and old[8]) or good[8]
    return (good[0], name, status, good[3], now_micros(), homepage, *entity_texts(pages, tags), note)


def _entry_pages(old: Row, known: Sequence[StartPage]) -> list[StartPage]:
    """Start pages of an entity that goes, and its homepage: that one would be shown nowhere any more."""
    pages = [StartPage(*page) for page in json.loads(old[6])]
    urls = {page.url for page in (*known, *pages)}
    return [*pages, StartPage(old[5], "user")] if old[5] and old[5] not in urls else pages


def _merge_weights(session: Session, old_ids: list[int], good_id: int) -> None:
    """Rows fold by id: no link is read."""
    links = touching(session.tx, old_ids)
    session.add_weights(Weights.FORWARD, negated(links))
    session.add_weights(Weights.FORWARD, replaced_ends(links, old_ids, good_id))
    counts = weights_of(session.tx, Weights.COUNTS, old_ids)
    session.add_weights(Weights.COUNTS, negated(counts))
    moved = (counts.keys & 0xFFFFFFFF) | (np.int64(good_id) << 32)
    session.add_weights(Weights.COUNTS, Pairs(moved, counts.weights))


def _hand_over_prefixes(session: Session, old_ids: list[int], good_id: int) -> list[str]:
    prefixes = [prefix for old_id in old_ids for prefix in entity_prefixes(session.tx, old_id)]
    version = session.note_prefix_change()
    session.tx.put(PREFIXES, [(prefix, good_id, version) for prefix in prefixes])
    for prefix in prefixes:
        session.territory.prefixes[prefix] = good_id
    ids = np.flatnonzero(np.isin(session.owners.values, old_ids)).astype(np.int32)
    if len(ids):
        session.paint(Labels.OWNER, ids, np.full(len(ids), good_id, np.int32))
    return prefixes
