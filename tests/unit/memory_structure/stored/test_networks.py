"""A network patched with changes is the network made anew."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory_structure.stored.codec import Pairs
from memory_structure.stored.column_reads import KnownWeights
from memory_structure.stored.networks import _network, _patched, _weighted

networks = st.dictionaries(st.integers(1, 60), st.integers(1, 3), max_size=50)


def pairs_of(network: dict[int, int]) -> Pairs:
    keys = sorted(network)
    packed = np.array([(1 + key // 8) << 32 | (100 + key) for key in keys], np.int64)
    return Pairs(packed, np.array([network[key] for key in keys], np.int32))


@given(networks, st.dictionaries(st.integers(1, 60), st.integers(0, 3), max_size=5))
def test_patched_network(before: dict[int, int], changes: dict[int, int]) -> None:
    after = {key: weight for key, weight in {**before, **changes}.items() if weight}
    known = _network(None, KnownWeights(1, pairs_of(before)))
    assert _patched(known, pairs_of(after)) == _weighted(pairs_of(after))
