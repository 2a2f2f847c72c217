"""Weights of links between entities or nodes, and counters of entities: rows by source, and changes not
folded into them yet.

A batch appends its changes as one row of pairs; when many are pending they are folded into the rows of their
sources. What holds at any moment is rows plus pending changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from memory_structure.storage import Reader, Span, Transaction
from memory_structure.stored.codec import (
    Pairs,
    changed,
    decode_pairs,
    decode_rows,
    encode_pairs,
    encode_rows,
    joined,
    summed,
    swapped,
)
from memory_structure.stored.schema import DELTAS, N_FETCHED, N_PAGES, WEIGHTS, Weights
from memory_structure.stored.state import State

_FOLD_AT: Final = 1 << 16  # pending pairs that are folded into rows at once
# Arriving links touch the rows of nearly all entities: they wait until a fold is worth it.
_FOLD_BACKWARD_AT: Final = 1 << 19


def _pending(reader: Reader, kind: Weights) -> list[Pairs]:
    rows = reader.scan(DELTAS, Span("by_kind", equal=(int(kind),)))
    return [decode_pairs(row[2]) for row in rows]


def _pending_backward(reader: Reader) -> list[Pairs]:
    """Changes of arriving links: those kept as such, and those of leaving links that are pending."""
    forward = _pending(reader, Weights.FORWARD)
    return [*_pending(reader, Weights.BACKWARD), *(Pairs(swapped(p.keys), p.weights) for p in forward)]


def store_changes(transaction: Transaction, state: State, changes: dict[Weights, list[Pairs]]) -> None:
    """Keep changes of weights as pending, and fold what has become much."""
    for kind in sorted(changes):
        _append(transaction, state, kind, summed(changes[kind]))
    if state.n_delta_links >= _FOLD_AT:
        fold(transaction, state)
    if state.n_delta_backward >= _FOLD_BACKWARD_AT:
        _fold_kind(transaction, Weights.BACKWARD)
        state.n_delta_backward = 0


def _append(transaction: Transaction, state: State, kind: Weights, pairs: Pairs) -> None:
    if not len(pairs.keys):
        return
    transaction.insert(DELTAS, [(state.next_delta, int(kind), encode_pairs(pairs))])
    state.next_delta += 1
    if kind is Weights.BACKWARD:
        state.n_delta_backward += len(pairs.keys)
    else:
        state.n_delta_links += len(pairs.keys)


def fold(transaction: Transaction, state: State) -> None:
    """Bring rows up to date but for arriving links, whose changes go on waiting."""
    for kind in (Weights.FORWARD, Weights.NODES, Weights.COUNTS):
        pairs = _fold_kind(transaction, kind)
        if kind is Weights.FORWARD:
            _append(transaction, state, Weights.BACKWARD, summed([Pairs(swapped(pairs.keys), pairs.weights)]))
    state.n_delta_links = 0


def _fold_kind(transaction: Transaction, kind: Weights) -> Pairs:
    """Put the pending changes of a kind into its rows; the changes."""
    changes = summed(_pending(transaction, kind))
    sources = np.unique(changes.keys >> 32).tolist()
    old = read_rows(transaction, kind, sources)
    kept, blobs = encode_rows(summed([old, changes]))
    gone = sorted(set(sources).difference(kept))
    transaction.put(WEIGHTS, [(int(kind), source, blob) for source, blob in zip(kept, blobs, strict=True)])
    transaction.delete(WEIGHTS, [(int(kind), source) for source in gone])
    span = Span("by_kind", equal=(int(kind),))
    transaction.delete(DELTAS, [row[0] for row in list(transaction.scan(DELTAS, span, ("id",)))])
    return changes


def read_rows(reader: Reader, kind: Weights, sources: Iterable[int]) -> Pairs:
    """Folded weights of some sources."""
    rows = reader.get(WEIGHTS, [(int(kind), source) for source in sources])
    return decode_rows([key[1] for key in rows], [row[2] for row in rows.values()])


def weights_of(reader: Reader, kind: Weights, sources: Sequence[int]) -> Pairs:
    """Weights of some sources as they hold now."""
    pending = _pending_backward(reader) if kind is Weights.BACKWARD else _pending(reader, kind)
    changes = joined(pending)
    kept = np.isin(changes.keys >> 32, np.array(sources, np.int64))
    return summed([read_rows(reader, kind, sources), Pairs(changes.keys[kept], changes.weights[kept])])


def all_weights(reader: Reader, kind: Weights) -> Pairs:
    """All weights of a kind as they hold now, by source then target."""
    rows = list(reader.scan(WEIGHTS, Span(equal=(int(kind),)), ("source", "targets")))
    folded = decode_rows([row[0] for row in rows], [row[1] for row in rows])
    pending = _pending_backward(reader) if kind is Weights.BACKWARD else _pending(reader, kind)
    return changed(folded, summed(pending))


def entity_counts(reader: Reader, entity_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Entity id -> (pages, fetched pages); entities without pages are absent."""
    pairs = weights_of(reader, Weights.COUNTS, entity_ids)
    counts: dict[int, list[int]] = {}
    for key, weight in zip(pairs.keys.tolist(), pairs.weights.tolist(), strict=True):
        counts.setdefault(key >> 32, [0, 0])[key & 0xFFFFFFFF] = weight
    assert (N_PAGES, N_FETCHED) == (0, 1)
    return {entity: (n_pages, n_fetched) for entity, (n_pages, n_fetched) in counts.items()}


def replaced_ends(pairs: Pairs, olds: Sequence[int], new: int) -> Pairs:
    """The pairs with one id in the place of some others, at both ends."""
    sources, targets = pairs.keys >> 32, pairs.keys & 0xFFFFFFFF
    sources = np.where(np.isin(sources, olds), new, sources)
    targets = np.where(np.isin(targets, olds), new, targets)
    return Pairs((sources << 32) | targets, pairs.weights)


def touching(reader: Reader, entity_ids: Sequence[int]) -> Pairs:
    """Every weight of a link that leaves or reaches one of these entities, each once."""
    forward = weights_of(reader, Weights.FORWARD, entity_ids)
    backward = weights_of(reader, Weights.BACKWARD, entity_ids)
    others = ~np.isin(backward.keys & 0xFFFFFFFF, entity_ids)
    return Pairs(
        np.concatenate((forward.keys, swapped(backward.keys[others]))),
        np.concatenate((forward.weights, backward.weights[others])),
    )
