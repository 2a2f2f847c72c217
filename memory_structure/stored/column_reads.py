"""Whole columns of a stored corpus. What is made of weights is remembered, and brought up to date by the
changes since."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from memory_structure.columns import EntityRow, JobHead, NetworkArrays, PageCounts
from memory_structure.jobs import ENDED
from memory_structure.records import JobState, PageRecord, StartPage
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.codec import Pairs, changed, decode_pairs, summed
from memory_structure.stored.entities import read_prefixes
from memory_structure.stored.link_reads import LinkReads
from memory_structure.stored.schema import (
    DELTAS,
    ENTITIES,
    JOB_COUNTERS,
    JOBS,
    N_FETCHED,
    N_PAGES,
    PAGES,
    Weights,
)
from memory_structure.stored.state import read_state
from memory_structure.stored.weights import all_weights

_ROWS_AT_ONCE: Final = 2000
_LOW: Final = 0xFFFFFFFF


class KnownWeights(NamedTuple):
    """The weights of a kind as of a number of the change after the last one in them."""

    version: int
    pairs: Pairs


def weights_now(reader: Reader, kind: Weights, known: KnownWeights | None) -> KnownWeights:
    """All weights of a kind; from those known before and the changes since, unless changes were folded."""
    version = read_state(reader).next_delta
    if known is not None and known.version <= version:
        rows = list(reader.scan(DELTAS, Span(lower=known.version, upper=version)))
        # Each change takes the next number: where one is missing, others were folded or made anew with it.
        if len(rows) == version - known.version:
            fresh = [decode_pairs(row[2]) for row in rows if row[1] == kind]
            return KnownWeights(version, changed(known.pairs, summed(fresh)) if fresh else known.pairs)
    return KnownWeights(version, all_weights(reader, kind))


class ColumnReads(LinkReads):
    """Columns of entities and jobs, arrays of weights."""

    def __init__(self, *arguments: object, **named: object) -> None:
        super().__init__(*arguments, **named)  # type: ignore[arg-type]  # those of the class below
        self._known_weights: dict[Weights, KnownWeights] = {}

    def weights_now(self, kind: Weights) -> KnownWeights:
        """All weights of a kind as they hold now."""
        known = self._known_weights.get(kind)
        if known is None or known.version != read_state(self._storage).next_delta:
            known = self._at_one_moment(partial(weights_now, kind=kind, known=known))
            self._known_weights[kind] = known
        return known

    def figures_version(self) -> int:
        """Changes with each change of weights."""
        return read_state(self._storage).next_delta

    def network_arrays(self) -> NetworkArrays:
        """All links between two different web entities."""
        pairs = self.weights_now(Weights.FORWARD).pairs
        sources, targets = pairs.keys >> 32, pairs.keys & _LOW
        between = sources != targets
        return NetworkArrays(sources[between], targets[between], pairs.weights[between])

    def page_counts(self) -> PageCounts:
        """Numbers of pages of all entities."""
        pairs = self.weights_now(Weights.COUNTS).pairs
        entities, columns = pairs.keys >> 32, pairs.keys & _LOW
        is_first = np.ones(len(entities), np.bool_)  # keys rise: an entity stands in one run
        is_first[1:] = entities[1:] != entities[:-1]
        ids = entities[is_first]
        counts = {}
        for column in (N_PAGES, N_FETCHED):
            counts[column] = np.zeros(len(ids), np.int64)
            chosen = columns == column
            counts[column][np.searchsorted(ids, entities[chosen])] = pairs.weights[chosen]
        return PageCounts(ids, counts[N_PAGES], counts[N_FETCHED])

    def iter_entity_rows(self, ids: Sequence[int] | None = None) -> Iterator[EntityRow]:
        """All web entities, or those of `ids` that exist, by id."""
        after = 0
        chosen = None if ids is None else sorted(set(ids))
        while True:
            found, more = self._at_one_moment(partial(_entity_rows, chosen=chosen, after=after))
            yield from found
            if not more:
                return
            after = more

    def find_pages(self, lrus: Sequence[str]) -> list[PageRecord]:
        """Those of the pages that are known, by LRU."""

        def read(reader: Reader) -> list[PageRecord]:
            return self._records(reader, sorted(reader.find(PAGES, "by_lru", lrus), key=itemgetter(1)))

        return self._at_one_moment(read)

    def list_job_heads(self) -> list[JobHead]:
        """All crawl jobs by id."""
        return self._at_one_moment(_job_heads)


def _entity_rows(reader: Reader, chosen: list[int] | None, after: int) -> tuple[list[EntityRow], int]:
    """(the next rows behind an id, the last id looked at; 0 at the end)."""
    if chosen is None:
        rows = list(reader.scan(ENTITIES, Span(after=(after,), limit=_ROWS_AT_ONCE)))
        last = rows[-1][0] if len(rows) == _ROWS_AT_ONCE else 0
    else:
        wanted = chosen[np.searchsorted(chosen, after, "right") :][:_ROWS_AT_ONCE]
        found = reader.get(ENTITIES, wanted)
        rows = [found[i] for i in wanted if i in found]
        last = wanted[-1] if len(wanted) == _ROWS_AT_ONCE else 0
    prefixes = read_prefixes(reader, [row[0] for row in rows])
    return [_entity_row(row, prefixes.get(row[0], ())) for row in rows], last


def _entity_row(row: Row, prefixes: tuple[str, ...]) -> EntityRow:
    entity_id, name, status, created_at, modified_at, homepage, start_pages, tags, note = row[:9]
    pages = () if start_pages == "[]" else tuple(StartPage(*page) for page in json.loads(start_pages))
    tagged = () if tags == "[]" else tuple((a, b, c) for a, b, c in json.loads(tags))
    return EntityRow(
        entity_id, name, status, created_at, modified_at, homepage, pages, tagged, note, prefixes
    )


def _job_heads(reader: Reader) -> list[JobHead]:
    rows = list(reader.scan(JOBS, columns=("id", "entity_id", "state")))
    ended = {state.value for state in ENDED}
    going_on = [row[0] for row in rows if row[2] not in ended]
    n_pages = {job_id: row[1] for job_id, row in reader.get(JOB_COUNTERS, going_on).items()}
    states = {state.value: state for state in JobState}
    return [JobHead(i, entity, states[state], n_pages.get(i, 0)) for i, entity, state in rows]
