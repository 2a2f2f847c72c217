"""Files of vectors: read, run, compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PARSE = Path(__file__).with_name("parse.json")


@dataclass(frozen=True)
class Case:
    """One vector. `expected` is None when the file does not say (`is_open`)."""

    group: str
    index: int
    given: Any
    expected: Any = None
    is_open: bool = False
    why: str = ""

    def expects(self, *keys: str) -> bool:
        """Whether the expected answer has one of these keys."""
        return isinstance(self.expected, dict) and any(key in self.expected for key in keys)


Adapter = Callable[[Case], Any]


@dataclass(frozen=True)
class Outcome:
    """What a case gave. `is_part` is False for groups that this build does not have."""

    case: Case
    actual: Any
    is_part: bool = True

    @property
    def has_passed(self) -> bool:
        """Whether the answer is the expected one, to the type."""
        return self.case.is_open or same(self.actual, self.case.expected)


def same(actual: Any, expected: Any) -> bool:
    """Equality that tells True from 1, and takes whole numbers for what they are."""
    if isinstance(actual, bool) or isinstance(expected, bool):
        return actual is expected
    if isinstance(actual, dict) and isinstance(expected, dict):
        return actual.keys() == expected.keys() and all(same(actual[key], expected[key]) for key in expected)
    if isinstance(actual, list) and isinstance(expected, list):
        return len(actual) == len(expected) and all(map(same, actual, expected))
    if isinstance(actual, float) or isinstance(expected, float):
        return (
            isinstance(actual, int | float)
            and isinstance(expected, int | float)
            and abs(actual - expected) < 1e-6
        )
    return bool(actual == expected)


def read_cases(path: Path) -> list[Case]:
    """Cases of a file, in order."""
    return [
        Case(group["group"], index, case["in"], case.get("expect"), "expect" not in case, case.get("why", ""))
        for group in json.loads(path.read_text("utf-8"))
        for index, case in enumerate(group["cases"])
    ]


def iter_outcomes(cases: list[Case], adapters: Mapping[str, Adapter]) -> Iterator[Outcome]:
    """Run cases; what an adapter raises is its answer."""
    for case in cases:
        adapter = adapters.get(case.group)
        if adapter is None:
            yield Outcome(case, None, is_part=False)
            continue
        try:
            yield Outcome(case, adapter(case))
        except Exception as error:
            yield Outcome(case, {"raised": f"{type(error).__name__}: {error}"})
