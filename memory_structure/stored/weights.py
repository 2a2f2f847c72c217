"""Weights of links between entities or nodes, and counters of entities: rows by source, and changes not folded into them yet.

A batch appends its changes as one row of pairs; when many are pending they are folded into the rows of their sources.
What holds at any moment is rows plus pending changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from memory_structure.storage import Reader, Span, Transaction
from memory_structure.stored.codec import (
    Ints,
    Pairs,
    decode_pairs,
    decode_rows,
    encode_rows,
    no_pairs,
    summed,
    swapped,
)
from memory_structure.stored.schema import DELTAS, N_FETCHED, N_PAGES, WEIGHTS, Weights

_STORED = {Weights.BACKWARD: Weights.FORWARD}  # what the pending changes of a kind are written as


def _pending(reader: Reader) -> dict[Weights, list[Pairs]]:
    found: dict[Weights, list[Pairs]] = {}
    for _, kind, blob in reader.scan(DELTAS, Span()):
        found.setdefault(Weights(kind), []).append(decode_pairs(blob))
    return found


def _backward(pairs: Pairs) -> Pairs:
    return summed([Pairs(swapped(pairs.keys), pairs.weights)])


def fold_deltas(transaction: Transaction, fresh: dict[Weights, list[Pairs]]) -> None:
    """Put pending changes, stored and fresh, into the rows of weights."""
    changes = _pending(transaction)
    for kind, parts in fresh.items():
        changes.setdefault(kind, []).extend(parts)
    for kind in sorted(changes):
        pairs = summed(changes[kind])
        _fold(transaction, kind, pairs)
        if kind is Weights.FORWARD:
            _fold(transaction, Weights.BACKWARD, _backward(pairs))
    transaction.delete(DELTAS, [row[0] for row in transaction.scan(DELTAS, columns=("id",))])


def _fold(transaction: Transaction, kind: Weights, changes: Pairs) -> None:
    sources = np.unique(changes.keys >> 32).tolist()
    old = read_rows(transaction, kind, sources)
    kept, blobs = encode_rows(summed([old, changes]))
    gone = sorted(set(sources).difference(kept))
    transaction.put(WEIGHTS, [(int(kind), source, blob) for source, blob in zip(kept, blobs, strict=True)])
    transaction.delete(WEIGHTS, [(int(kind), source) for source in gone])


def read_rows(reader: Reader, kind: Weights, sources: Iterable[int]) -> Pairs:
    """Folded weights of some sources."""
    rows = reader.get(WEIGHTS, [(int(kind), source) for source in sources])
    return decode_rows([key[1] for key in rows], [row[2] for row in rows.values()])


def weights_of(reader: Reader, kind: Weights, sources: Sequence[int]) -> Pairs:
    """Weights of some sources as they hold now."""
    wanted = np.array(sources, np.int64)
    parts = [read_rows(reader, kind, sources)]
    for pairs in _pending(reader).get(_STORED.get(kind, kind), []):
        keys = swapped(pairs.keys) if kind is Weights.BACKWARD else pairs.keys
        kept = np.isin(keys >> 32, wanted)
        parts.append(Pairs(keys[kept], pairs.weights[kept]))
    return summed(parts)


def all_weights(reader: Reader, kind: Weights) -> Pairs:
    """All weights of a kind as they hold now, by source then target."""
    sources: list[int] = []
    blobs: list[bytes] = []
    for _, source, blob in reader.scan(WEIGHTS, Span(equal=(int(kind),))):
        sources.append(source)
        blobs.append(blob)
    return summed([decode_rows(sources, blobs), *_pending(reader).get(kind, [])])


def backward_weights(reader: Reader) -> Pairs:
    """All weights as the rows of arriving links tell them: keys are target << 32 | source."""
    rows = list(reader.scan(WEIGHTS, Span(equal=(int(Weights.BACKWARD),))))
    pending = [_backward(pairs) for pairs in _pending(reader).get(Weights.FORWARD, [])]
    return summed([decode_rows([row[1] for row in rows], [row[2] for row in rows]), *pending])


def entity_counts(reader: Reader, entity_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Entity id -> (pages, fetched pages); entities without pages are absent."""
    pairs = weights_of(reader, Weights.COUNTS, entity_ids)
    counts: dict[int, list[int]] = {}
    for key, weight in zip(pairs.keys.tolist(), pairs.weights.tolist(), strict=True):
        counts.setdefault(key >> 32, [0, 0])[key & 0xFFFFFFFF] = weight
    assert (N_PAGES, N_FETCHED) == (0, 1)
    return {entity: (n_pages, n_fetched) for entity, (n_pages, n_fetched) in counts.items()}


def replaced_end(pairs: Pairs, old: int, new: int) -> Pairs:
    """The pairs with one id in the place of another, at both ends."""
    sources, targets = pairs.keys >> 32, pairs.keys & 0xFFFFFFFF
    sources = np.where(sources == old, new, sources)
    targets = np.where(targets == old, new, targets)
    return Pairs((sources << 32) | targets, pairs.weights)


def touching(reader: Reader, entity_id: int) -> Pairs:
    """Every weight of a link that leaves or reaches an entity, each once."""
    forward = weights_of(reader, Weights.FORWARD, [entity_id])
    backward = weights_of(reader, Weights.BACKWARD, [entity_id])
    others = (backward.keys & 0xFFFFFFFF) != entity_id
    return Pairs(
        np.concatenate((forward.keys, swapped(backward.keys[others]))),
        np.concatenate((forward.weights, backward.weights[others])),
    )


def scaled(entity_ids: Ints, n: int) -> Ints:
    """The amount n once for each entity."""
    return np.full(len(entity_ids), n, np.int32)


__all__ = [
    "all_weights",
    "entity_counts",
    "fold_deltas",
    "no_pairs",
    "read_rows",
    "replaced_end",
    "scaled",
    "touching",
    "weights_of",
]
