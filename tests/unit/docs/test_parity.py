"""The page on wishes and known faults: every row is answered, every test it names is there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_PAGE = (ROOT / "docs" / "parity.md").read_text("utf-8")
_NAMED = sorted(set(re.findall(r"`([a-z_/]+/test_\w+\.py)::(test_\w+)`", _PAGE)))


@cache
def names_in(file: str) -> frozenset[str]:
    return frozenset(re.findall(r"def (test_\w+)\(", (ROOT / "tests" / file).read_text("utf-8")))


@pytest.mark.parametrize(("file", "test"), _NAMED)
def test_a_test_that_is_named_is_there(file: str, test: str) -> None:
    assert test in names_in(file)


def test_every_wish_has_a_state_with_a_proof_or_a_reason() -> None:
    rows = re.findall(r"^\| (\d+) \| .+? \| (done|done in the API|not) \| (.+) \|$", _PAGE, re.MULTILINE)
    assert [int(number) for number, _, _ in rows] == list(range(1, 80))
    assert [number for number, state, proof in rows if state != "not" and "::" not in proof] == ["19"]


def test_every_known_fault_has_a_test() -> None:
    rows = re.findall(r"^\| ([ABCF]\d+) \| .+ \| (.+) \|$", _PAGE, re.MULTILINE)
    sizes = {"A": 10, "B": 11, "C": 15, "F": 9}
    assert [name for name, _ in rows] == [f"{k}{n}" for k, last in sizes.items() for n in range(1, last + 1)]
    assert all("::" in proof for _, proof in rows)
