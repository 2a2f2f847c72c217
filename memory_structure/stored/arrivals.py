"""Which pages link to a page: sorted runs of (target, source), one for each group of full segments.

A run is written when its last segment is full and never changed: a page fetched again leaves stale pairs
behind, so what is found here is verified by the outlinks of the source. The segments after the last run are
read themselves; they are few."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from memory_structure.storage import Reader, Span, Transaction
from memory_structure.stored.codec import Longs, decode_segment, packed
from memory_structure.stored.schema import ARRIVALS, SEGMENTS
from memory_structure.stored.state import read_state

SEGMENTS_PER_RUN: Final = 64
_CHUNK_PAIRS: Final = 4096
_KEY: Final = np.dtype("<i8")


def make_run_before(transaction: Transaction, segment: int) -> None:
    """Write the run of the segments before this one, if it is the first after a whole group."""
    if segment % SEGMENTS_PER_RUN:
        return
    run = segment // SEGMENTS_PER_RUN - 1
    keys = _segment_keys(transaction, run)
    rows = [(run, int(chunk[0] >> 32), chunk.tobytes()) for chunk in _chunks(keys)]
    transaction.put(ARRIVALS, rows)


def _segment_keys(reader: Reader, run: int) -> Longs:
    """Target << 32 | source of every link in the segments of a run, sorted."""
    span = Span(lower=run * SEGMENTS_PER_RUN, upper=(run + 1) * SEGMENTS_PER_RUN)
    parts = [decode_segment(row[2], row[1]) for row in reader.scan(SEGMENTS, span)]
    keys = [packed(columns.targets, columns.sources) for columns in parts]
    return np.sort(np.concatenate(keys)) if keys else np.empty(0, np.int64)


def _chunks(keys: Longs) -> Iterator[Longs]:
    """Pieces of some thousand pairs; one target is never split."""
    targets = keys >> 32
    starts = np.unique(np.searchsorted(targets, targets[::_CHUNK_PAIRS]))
    for start, end in pairwise([*starts.tolist(), len(keys)]):
        yield keys[start:end]


def candidate_sources(reader: Reader, target: int) -> set[int]:
    """Ids of the pages that link to a page, and of some that no longer do."""
    n_runs = read_state(reader).segment // SEGMENTS_PER_RUN
    found: set[int] = set()
    for run in range(n_runs):
        span = Span(equal=(run,), upper=target + 1, reverse=True, limit=1)
        for row in reader.scan(ARRIVALS, span):
            keys = np.frombuffer(row[2], _KEY)
            start, end = np.searchsorted(keys, [target << 32, (target + 1) << 32])
            found.update((keys[start:end] & 0xFFFFFFFF).tolist())
    for _, n_links, blob in reader.scan(SEGMENTS, Span(lower=n_runs * SEGMENTS_PER_RUN)):
        columns = decode_segment(blob, n_links)
        found.update(columns.sources[columns.targets == target].tolist())
    return found


def candidate_pairs(reader: Reader, targets: Longs) -> Longs:
    """Target << 32 | source of the pages that link to some pages (ids rising), and of some that no longer
    do."""
    n_runs = read_state(reader).segment // SEGMENTS_PER_RUN
    found = [_pairs_in_run(reader, run, targets) for run in range(n_runs)]
    for _, n_links, blob in reader.scan(SEGMENTS, Span(lower=n_runs * SEGMENTS_PER_RUN)):
        columns = decode_segment(blob, n_links)
        kept = np.isin(columns.targets, targets)
        found.append(packed(columns.targets[kept], columns.sources[kept]))
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)


def _pairs_in_run(reader: Reader, run: int, targets: Longs) -> Longs:
    """The pairs of a run whose target is one of these. A chunk is read once for all the targets it holds."""
    found: list[Longs] = []
    place = 0
    while place < len(targets):
        target = int(targets[place])
        span = Span(equal=(run,), upper=target + 1, reverse=True, limit=1)
        keys = next((np.frombuffer(row[2], _KEY) for row in reader.scan(ARRIVALS, span)), None)
        last = target if keys is None else max(target, int(keys[-1] >> 32))
        end = int(np.searchsorted(targets, last, side="right"))
        if keys is not None:
            found.append(keys[np.isin(keys >> 32, targets[place:end])])
        place = end
    return np.concatenate(found) if found else np.empty(0, np.int64)


def iter_missing(reader: Reader) -> Iterator[tuple[int, int]]:
    """(source id, target id) of links in full groups of segments that their run does not hold."""
    for run in range(read_state(reader).segment // SEGMENTS_PER_RUN):
        blobs = [row[2] for row in reader.scan(ARRIVALS, Span(equal=(run,)))]
        held = np.frombuffer(b"".join(blobs), _KEY)
        wanted = _segment_keys(reader, run)
        for key in wanted[~np.isin(wanted, held)].tolist():
            yield key & 0xFFFFFFFF, key >> 32
