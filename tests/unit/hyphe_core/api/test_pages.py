"""Page links some at a time: each pair of pages once, whatever the size of the parts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyphe_core.api.pages import _link_position, _summed, _whole_pairs, page_token
from memory_structure.records import Area, LinkKind, LinkRecord
from tests.unit.hyphe_core.api.conftest import Curator

PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
    st.just(set(LinkKind)) | st.sets(st.sampled_from(LinkKind), min_size=1),
    max_size=10,
)
ROWS = PAIRS.map(lambda pairs: [_row(*pair, kind) for pair in sorted(pairs) for kind in sorted(pairs[pair])])


def _row(source: int, target: int, kind: LinkKind) -> LinkRecord:
    return LinkRecord(
        source, target, f"s:{source}|", f"s:{target}|", 1, 1, kind, 1 + kind, "", "", Area.MAIN, None
    )


def _key(row: LinkRecord) -> tuple[str, str, int]:
    return row.source_lru, row.target_lru, int(row.kind)


@given(ROWS, st.integers(1, 5))
def test_parts_give_the_whole(rows: list[LinkRecord], count: int) -> None:
    links: list[Any] = []
    after: tuple[str, str, int] | None = None
    for _ in range(len(rows) + 1):
        limit = count + len(LinkKind)
        part = [row for row in rows if after is None or _key(row) > after][:limit]
        kept, more = _whole_pairs(part, count, ended=len(part) < limit)
        assert len(_summed(kept)) <= count
        links += _summed(kept)
        if not (kept and more):
            break
        after = _link_position(page_token(*map(str, _key(kept[-1]))))
    assert links == _summed(rows)


def test_pages_declared_together_are_one_act(curator: Curator) -> None:
    shown = curator.call("declare_pages", ["http://a.com/x", "http://b.com/", "http://a.com/y"])
    assert [(each["name"], each["created"]) for each in shown] == [
        ("A.com", True),
        ("B.com", True),
        ("A.com", False),
    ]
    assert [act["kind"] for act in curator.call("history.list")] == ["declare"]


def test_pages_declared_in_several_parts_are_told_in_order(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hyphe_core.api.pages._DECLARED_AT_ONCE", 2)
    shown = curator.call("declare_pages", [f"http://{host}.com/" for host in "cabac"])
    assert [each["name"] for each in shown] == ["C.com", "A.com", "B.com", "A.com", "C.com"]
    assert [each["created"] for each in shown] == [True, True, True, False, False]
