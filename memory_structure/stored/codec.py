"""Blobs of the store: outlinks of a page, segments of links, label blocks, rows of weights. All
little-endian."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_structure.records import NETWORK_KINDS, Area, FoundLink, LinkKind
from memory_structure.urls import without_userinfo

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_INT: Final = np.dtype("<i4")
_HEAD: Final = struct.Struct("<BI")
_HAS_COUNTS: Final = 1
_HAS_RELS: Final = 2
_HAS_RAWS: Final = 4
_SEPARATOR: Final = "\0"
NETWORK_MASK: Final = sum(1 << kind for kind in NETWORK_KINDS)
_KINDS: Final = tuple(LinkKind)
_AREAS: Final = tuple(Area)


def clean_text(text: str) -> str:
    """The text without what no database keeps: lone surrogates become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# -- outlinks: the evidence of a page


class Outlinks(NamedTuple):
    """Ids of targets and the links, in the order found; `FoundLink.target_lru` is empty: ids say it."""

    target_ids: list[int]
    links: list[FoundLink]


def encode_outlinks(target_ids: Sequence[int], links: Sequence[FoundLink]) -> bytes:
    """A page's links as one value: ids, kinds and areas, counts where one is above 1, then the texts."""
    n = len(links)
    _, kinds, counts, anchors, rels, areas, raws = zip(*links, strict=True)
    flags = 0
    texts: list[str] = list(anchors)
    count_bytes = b""
    if counts.count(1) != n:
        flags |= _HAS_COUNTS
        count_bytes = np.array(counts, _INT).tobytes()
    if any(rels):
        flags |= _HAS_RELS
        texts += rels
    if raws.count(None) != n:
        flags |= _HAS_RAWS
        texts += [without_userinfo(raw) if raw else "" for raw in raws]
    ids = struct.pack(f"<{n}i", *target_ids)
    marks = bytes(kinds) + bytes(areas)
    return b"".join((_HEAD.pack(flags, n), ids, marks, count_bytes, _joined(texts)))


def _joined(texts: list[str]) -> bytes:
    joined = _SEPARATOR.join(texts)
    if joined.count(_SEPARATOR) != len(texts) - 1:
        joined = _SEPARATOR.join([text.replace(_SEPARATOR, "\ufffd") for text in texts])
    return joined.encode("utf-8", "replace")


def decode_outlinks(blob: bytes) -> Outlinks:
    """The inverse of `encode_outlinks`."""
    flags, n = _HEAD.unpack_from(blob)
    start = _HEAD.size
    ids = list(struct.unpack_from(f"<{n}i", blob, start))
    start += 4 * n
    kinds, areas = blob[start : start + n], blob[start + n : start + 2 * n]
    start += 2 * n
    counts: Sequence[int] = (1,) * n
    if flags & _HAS_COUNTS:
        counts = struct.unpack_from(f"<{n}i", blob, start)
        start += 4 * n
    texts = blob[start:].decode("utf-8").split(_SEPARATOR)
    rels = texts[n : 2 * n] if flags & _HAS_RELS else [""] * n
    raws = texts[-n:] if flags & _HAS_RAWS else [""] * n
    links = [
        FoundLink("", _KINDS[kinds[i]], counts[i], texts[i], rels[i], _AREAS[areas[i]], raws[i] or None)
        for i in range(n)
    ]
    return Outlinks(ids, links)


def decode_targets(blob: bytes) -> tuple[Ints, Bytes]:
    """(target ids, kinds) of a page's links, without the texts."""
    _, n = _HEAD.unpack_from(blob)
    start = _HEAD.size
    return np.frombuffer(blob, _INT, n, start), np.frombuffer(blob, np.uint8, n, start + 4 * n)


# -- links as columns


class LinkColumns(NamedTuple):
    """Distinct (source, target) pairs of page ids, with the kinds between them as a bit mask."""

    sources: Ints
    targets: Ints
    masks: Bytes

    def only(self, kept: NDArray[np.bool_]) -> LinkColumns:
        """The links for which `kept` is true."""
        return LinkColumns(self.sources[kept], self.targets[kept], self.masks[kept])

    def of_networks(self) -> LinkColumns:
        """The links that count in networks."""
        kept = (self.masks & NETWORK_MASK) != 0
        return self if kept.all() else self.only(kept)


def joined_columns(parts: Sequence[LinkColumns]) -> LinkColumns:
    """The links of all parts, in order."""
    return LinkColumns(
        np.concatenate([p.sources for p in parts]) if parts else np.empty(0, _INT),
        np.concatenate([p.targets for p in parts]) if parts else np.empty(0, _INT),
        np.concatenate([p.masks for p in parts]) if parts else np.empty(0, np.uint8),
    )


def distinct_columns(sources: Ints, targets: Ints, kinds: Bytes) -> LinkColumns:
    """Columns of typed links, in source then target order."""
    keys = packed(sources, targets)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    masks = np.left_shift(np.uint8(1), kinds[order], dtype=np.uint8)
    if not len(keys):
        return LinkColumns(sources, targets, masks)
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    masks = np.bitwise_or.reduceat(masks, firsts)
    keys = keys[firsts]
    return LinkColumns((keys >> 32).astype(_INT), (keys & 0xFFFFFFFF).astype(_INT), masks)


def encode_segment(columns: LinkColumns) -> bytes:
    """Sources, targets, masks, one after the other."""
    return columns.sources.tobytes() + columns.targets.tobytes() + columns.masks.tobytes()


def decode_segment(blob: bytes, n: int) -> LinkColumns:
    """The inverse of `encode_segment`."""
    return LinkColumns(
        np.frombuffer(blob, _INT, n, 0),
        np.frombuffer(blob, _INT, n, 4 * n),
        np.frombuffer(blob, np.uint8, n, 8 * n),
    )


# -- weights


class Pairs(NamedTuple):
    """Weights of pairs of ids: keys are source << 32 | target, rising and distinct once summed."""

    keys: Longs
    weights: Ints


def packed_ids(ids: Sequence[int]) -> bytes:
    """Ids as stored in lists of them, four bytes each."""
    return np.array(ids, np.dtype("<i4")).tobytes()


def unpacked_ids(blob: bytes) -> Ints:
    """The ids of `packed_ids`."""
    return np.frombuffer(blob, np.dtype("<i4"))


def packed(sources: Ints, targets: Ints) -> Longs:
    """Pairs of ids as one number each."""
    return (sources.astype(np.int64) << 32) | targets


def swapped(keys: Longs) -> Longs:
    """The keys of the opposite direction."""
    return ((keys & 0xFFFFFFFF) << 32) | (keys >> 32)


def no_pairs() -> Pairs:
    """No weights at all."""
    return Pairs(np.empty(0, np.int64), np.empty(0, _INT))


def counted(keys: Longs) -> Pairs:
    """Each distinct key with the number of times it comes."""
    distinct, counts = np.unique(keys, return_counts=True)
    return Pairs(distinct, counts.astype(_INT))


def negated(pairs: Pairs) -> Pairs:
    """The same pairs taken away."""
    return Pairs(pairs.keys, -pairs.weights)


def joined(parts: Sequence[Pairs]) -> Pairs:
    """The pairs of all parts, in order, not summed."""
    if not parts:
        return no_pairs()
    return Pairs(np.concatenate([p.keys for p in parts]), np.concatenate([p.weights for p in parts]))


def summed(parts: Sequence[Pairs]) -> Pairs:
    """One weight for each key: the sum; pairs whose weights cancel out are dropped."""
    keys, weights = joined(parts)
    if not len(keys):
        return no_pairs()
    order = np.argsort(keys, kind="stable")
    keys, weights = keys[order], weights[order]
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    sums = np.add.reduceat(weights, firsts)
    kept = sums != 0
    return Pairs(keys[firsts][kept], sums[kept].astype(_INT))


def changed(base: Pairs, changes: Pairs) -> Pairs:
    """The base with a few changes added to it; both are summed. Costs copies of the base, not a sort."""
    if not len(changes.keys):
        return base
    places = np.searchsorted(base.keys, changes.keys)
    known = np.zeros(len(places), np.bool_)
    inside = places < len(base.keys)
    known[inside] = base.keys[places[inside]] == changes.keys[inside]
    weights = base.weights.copy()
    weights[places[known]] += changes.weights[known]
    fresh = ~known
    keys = np.insert(base.keys, places[fresh], changes.keys[fresh])
    weights = np.insert(weights, places[fresh], changes.weights[fresh])
    kept = weights != 0
    return Pairs(keys, weights) if kept.all() else Pairs(keys[kept], weights[kept])


def encode_pairs(pairs: Pairs) -> bytes:
    """Keys then weights."""
    return pairs.keys.tobytes() + pairs.weights.tobytes()


def decode_pairs(blob: bytes) -> Pairs:
    """The inverse of `encode_pairs`."""
    n = len(blob) // 12
    return Pairs(np.frombuffer(blob, np.dtype("<i8"), n), np.frombuffer(blob, _INT, n, 8 * n))


def encode_rows(pairs: Pairs) -> tuple[list[int], list[bytes]]:
    """(sources, for each its (target, weight) pairs by target) of summed pairs."""
    sources = (pairs.keys >> 32).astype(_INT)
    cells = np.empty((len(sources), 2), _INT)
    cells[:, 0] = pairs.keys & 0xFFFFFFFF
    cells[:, 1] = pairs.weights
    if not len(sources):
        return [], []
    starts = np.flatnonzero(np.concatenate(([True], sources[1:] != sources[:-1])))
    data = cells.tobytes()
    borders = [*(starts * 8).tolist(), len(data)]
    return sources[starts].tolist(), [data[a:b] for a, b in pairwise(borders)]


def decode_rows(sources: Sequence[int], blobs: Sequence[bytes]) -> Pairs:
    """The inverse of `encode_rows`, for sources in any order: keys come in that order."""
    if not sources:
        return no_pairs()
    cells = np.frombuffer(b"".join(blobs), _INT).reshape(-1, 2)
    repeated = np.repeat(np.array(sources, np.int64), [len(blob) // 8 for blob in blobs])
    return Pairs((repeated << 32) | cells[:, 0], cells[:, 1])
