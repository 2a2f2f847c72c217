from __future__ import annotations

import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from hyphe_core.crawl.seen import ABSENT, PageState, SeenTable

LRUS = st.integers(0, 300).map(lambda i: f"s:http|h:fr|h:site|p:{i}|")


@given(st.lists(st.tuples(LRUS, st.integers(0, 16_000), st.sampled_from(PageState)), max_size=600))
@settings(max_examples=60, deadline=None)
def test_it_keeps_what_a_dictionary_keeps(entries: list[tuple[str, int, PageState]]) -> None:
    table, model = SeenTable(), {}
    for lru, depth, state in entries:
        table.put(lru, depth, state)
        model[lru] = depth << 2 | state
    assert len(table) == len(model)
    assert {lru: table.get(lru) for lru in model} == model
    assert table.get("s:http|h:fr|h:other|") == ABSENT


def test_growth_keeps_every_entry() -> None:
    table = SeenTable()
    lrus = [f"s:http|h:fr|h:site|p:{i}|" for i in range(50_000)]
    for i, lru in enumerate(lrus):
        table.put(lru, i % 100, PageState.QUEUED)
    assert all(table.get(lru) == (i % 100) << 2 for i, lru in enumerate(lrus))


def test_an_entry_takes_less_than_32_bytes() -> None:
    lrus = [f"s:http|h:fr|h:site|p:{i}|" for i in range(30_000)]
    tracemalloc.start()
    table = SeenTable()
    for lru in lrus:
        table.put(lru, 1, PageState.QUEUED)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / len(lrus) < 32
