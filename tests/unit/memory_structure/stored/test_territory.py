"""Cuts of a subtree by owner."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory_structure.lru import range_end
from memory_structure.stored.territory import Territory
from tests.corpus_cases import lru

PATHS = [(), ("a",), ("a", "b"), ("a", "b", "c"), ("a-",), ("b",), ("b", "}")]
PREFIXES = [lru(host, *path) for host in ("x.com", "xx.com", "sub.x.com") for path in PATHS]


@given(st.dictionaries(st.sampled_from(PREFIXES), st.integers(1, 3)), st.sampled_from(["", *PREFIXES]))
def test_intervals_are_a_partition_with_the_right_owners(owned: dict[str, int], top: str) -> None:
    territory = Territory()
    for prefix, owner in owned.items():
        territory.prefixes[prefix] = owner
    cuts = list(territory.intervals(top))
    assert cuts[0][0] == top
    assert cuts[-1][1] == range_end(top)
    assert all(before[1] == after[0] for before, after in pairwise(cuts))
    assert all(lower < upper for lower, upper, _ in cuts)
    for page in (p + tail for p in PREFIXES for tail in ("", "p:zz|", "q:1|")):
        if page.startswith(top):
            inside = [owner for lower, upper, owner in cuts if lower <= page < upper]
            above = [p for p in owned if page.startswith(p)]
            assert inside == [owned[max(above, key=len)] if above else None]
