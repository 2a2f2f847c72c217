"""Blobs and arrays of the store."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory_structure.records import Area, FoundLink, LinkKind
from memory_structure.stored.codec import (
    Pairs,
    changed,
    counted,
    decode_outlinks,
    decode_pairs,
    decode_rows,
    decode_segment,
    decode_targets,
    distinct_columns,
    encode_outlinks,
    encode_pairs,
    encode_rows,
    encode_segment,
    summed,
    swapped,
)

ids = st.integers(1, 2**31 - 1)
small = st.integers(1, 6)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
links = st.builds(
    FoundLink,
    st.just(""),
    st.sampled_from(LinkKind),
    st.integers(1, 2**31 - 1),
    texts,
    texts,
    st.sampled_from(Area),
    st.one_of(st.none(), texts.filter(bool)),
)
weighted = st.lists(st.tuples(small, small, st.integers(-2, 2)), max_size=30)


def pairs_of(entries: list[tuple[int, int, int]]) -> Pairs:
    keys = np.array([s << 32 | t for s, t, _ in entries], np.int64)
    return Pairs(keys, np.array([w for _, _, w in entries], np.int32))


def as_counter(pairs: Pairs) -> dict[int, int]:
    return dict(zip(pairs.keys.tolist(), pairs.weights.tolist(), strict=True))


@given(st.lists(st.tuples(ids, links), min_size=1, max_size=10))
def test_outlinks_come_back(entries: list[tuple[int, FoundLink]]) -> None:
    target_ids, found = [e[0] for e in entries], [e[1] for e in entries]
    blob = encode_outlinks(target_ids, found)
    assert decode_outlinks(blob) == (target_ids, found)
    targets, kinds = decode_targets(blob)
    assert (targets.tolist(), kinds.tolist()) == (target_ids, [link.kind for link in found])


def test_separator_inside_a_text_is_replaced() -> None:
    blob = encode_outlinks([1], [FoundLink("", LinkKind.FEED, 1, "a\0b", "", Area.MAIN, None)])
    assert decode_outlinks(blob).links[0].anchor == "a\ufffdb"


@given(st.lists(st.tuples(small, small, st.sampled_from(LinkKind)), max_size=30))
def test_columns_are_distinct_with_their_kinds(entries: list[tuple[int, int, LinkKind]]) -> None:
    columns = distinct_columns(
        np.array([e[0] for e in entries], np.int32),
        np.array([e[1] for e in entries], np.int32),
        np.array([e[2] for e in entries], np.uint8),
    )
    expected: dict[tuple[int, int], int] = {}
    for source, target, kind in entries:
        expected[source, target] = expected.get((source, target), 0) | 1 << kind
    got = list(zip(columns.sources.tolist(), columns.targets.tolist(), columns.masks.tolist(), strict=True))
    assert got == sorted((s, t, mask) for (s, t), mask in expected.items())
    again = decode_segment(encode_segment(columns), len(got))
    assert all((a == b).all() for a, b in zip(columns, again, strict=True))


@given(st.lists(weighted, max_size=4))
def test_sums_drop_what_cancels_out(parts: list[list[tuple[int, int, int]]]) -> None:
    expected: Counter[int] = Counter()
    for source, target, weight in (entry for part in parts for entry in part):
        expected[source << 32 | target] += weight
    total = summed([pairs_of(part) for part in parts])
    assert as_counter(total) == {key: n for key, n in expected.items() if n}
    assert total.keys.tolist() == sorted(total.keys.tolist())


@given(weighted, weighted)
def test_changes_equal_a_sum(base: list[tuple[int, int, int]], changes: list[tuple[int, int, int]]) -> None:
    one, other = summed([pairs_of(base)]), summed([pairs_of(changes)])
    got, expected = changed(one, other), summed([one, other])
    assert got.keys.tolist() == expected.keys.tolist()
    assert got.weights.tolist() == expected.weights.tolist()


@given(weighted)
def test_rows_and_pairs_come_back(entries: list[tuple[int, int, int]]) -> None:
    pairs = summed([pairs_of(entries)])
    assert as_counter(decode_pairs(encode_pairs(pairs))) == as_counter(pairs)
    sources, blobs = encode_rows(pairs)
    assert as_counter(decode_rows(sources, blobs)) == as_counter(pairs)
    assert sources == sorted(set(sources))
    assert swapped(swapped(pairs.keys)).tolist() == pairs.keys.tolist()


@given(st.lists(small))
def test_counted(values: list[int]) -> None:
    assert as_counter(counted(np.array(values, np.int64))) == dict(Counter(values))
