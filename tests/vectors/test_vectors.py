"""Every vector gives what it expects, save those that a decision record shows to be wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.vectors.__main__ import main
from tests.vectors.cases import PARSE, Case, iter_outcomes, read_cases, same
from tests.vectors.groups import ADAPTERS

# docs/decisions/0017: a query alone keeps the last segment of the base (RFC 3986 5.4.1).
WRONG = {("meta_refresh", 3): {"refresh": True, "delay": 0, "refresh_url": "http://a.com/d/p.html?q=1"}}
CASES = [case for case in read_cases(PARSE) if case.group in ADAPTERS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.group}-{case.index}")
def test_case(case: Case) -> None:
    (outcome,) = iter_outcomes([case], ADAPTERS)
    expected = WRONG.get((case.group, case.index), case.expected)
    assert same(outcome.actual, expected), case.why


def test_the_runner_tells_misses_and_writes_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [
        {"in": {"code": 200}, "expect": "success", "why": "right"},
        {"in": {"code": 404}, "expect": "gone", "why": "wrong on purpose"},
        {"in": {"code": 302}, "why": "open"},
    ]
    groups = [
        {"group": "http_status_map", "note": "", "cases": cases},
        {"group": "blob_key", "note": "", "cases": [{"in": 1, "expect": 1, "why": ""}]},
    ]
    source, out = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps(groups), "utf-8")
    assert main([str(source), "--json", str(out)]) == 1
    told = capsys.readouterr().out
    assert "http_status_map 2/3" in told
    assert "miss 1: wrong on purpose" in told
    assert "blob_key: not part of this build (1 cases)" in told
    assert json.loads(out.read_text("utf-8")) == [
        {"group": "http_status_map", "index": index, "actual": actual}
        for index, actual in enumerate(["success", "notfound", "temp_moved"])
    ]


@pytest.mark.parametrize(
    ("actual", "expected", "equal"),
    [
        (True, 1, False),
        (1.0, 1, True),
        ([1, True], [1, True], True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        (None, {}, False),
    ],
)
def test_comparison(actual: object, expected: object, equal: bool) -> None:
    assert same(actual, expected) is equal
