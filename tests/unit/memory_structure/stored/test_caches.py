"""What a process remembers of pages."""

from __future__ import annotations

import random

import numpy as np
import pytest

from memory_structure.stored.caches import PageIds


@pytest.mark.parametrize("max_slots", [1 << 6, 1 << 20])
def test_ids_are_right_or_unknown(max_slots: int) -> None:
    cache, truth, chance = PageIds(max_slots), {}, random.Random(1)
    for page_id in range(1, 20_001, 50):
        fresh = {f"s:http|h:com|h:{i}|": i for i in range(page_id, page_id + 50)}
        truth.update(fresh)
        cache.remember(PageIds.hashes(list(fresh)), np.array(list(fresh.values()), np.int32))
        asked = [f"s:http|h:com|h:{chance.randrange(1, 30_000)}|" for _ in range(50)]
        for lru, got in zip(asked, cache.look_up(PageIds.hashes(asked)).tolist(), strict=True):
            assert got in (0, truth.get(lru, 0))
    known = list(truth)
    n_remembered = int((cache.look_up(PageIds.hashes(known)) != 0).sum())
    assert n_remembered <= max_slots
    assert n_remembered > 0.9 * min(max_slots, len(known))


def test_memory_is_bounded() -> None:
    cache = PageIds(1 << 10)
    for start in range(0, 100_000, 1000):
        lrus = [f"{i}" for i in range(start, start + 1000)]
        cache.remember(PageIds.hashes(lrus), np.arange(1, 1001, dtype=np.int32))
    assert len(cache._ids) == 1 << 10
