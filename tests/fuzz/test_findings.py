"""What the fuzzer found once is never found again, and a short run finds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz import targets
from tests.fuzz.corpus import FINDINGS
from tests.fuzz.inputs import Input, read_finding
from tests.fuzz.running import Report, run, try_input
from tests.fuzz.targets import TARGETS, Target

# The same inputs on every machine. What is slow is a matter of the command; here only what hangs counts.
N_FEW, N_MANY = 20, 150
LONGEST_SECONDS = 150.0
HANGING_SECONDS = 15.0


@pytest.fixture(autouse=True)
def _children() -> Iterator[None]:
    yield
    targets.close()


@pytest.mark.parametrize("path", sorted(FINDINGS.glob("*.json")), ids=lambda path: path.stem)
def test_a_finding_of_the_past_does_no_harm(path: Path) -> None:
    finding = read_finding(path)
    assert try_input(TARGETS[finding.target], finding.given, max_cpu_seconds=HANGING_SECONDS) is None


@pytest.mark.parametrize("name", TARGETS)
def test_a_short_run_finds_nothing(name: str) -> None:
    _check(run(TARGETS[name], 20, LONGEST_SECONDS, max_cpu_seconds=HANGING_SECONDS, max_inputs=N_FEW))


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", TARGETS)
def test_a_long_run_finds_nothing(name: str) -> None:
    _check(run(TARGETS[name], 300, LONGEST_SECONDS, max_cpu_seconds=HANGING_SECONDS, max_inputs=N_MANY))


def _check(report: Report) -> None:
    assert report.n_inputs > 0
    assert [(finding.what, finding.given.to_text()[:2000]) for finding in report.findings] == []


def test_a_fault_is_found_and_the_same_inputs_are_made_again() -> None:
    seen: list[list[bytes]] = [[], []]

    def check(given: Input) -> None:
        seen[-1].append(given.body)
        if b"<" in given.body:
            raise ValueError("a tag")

    for _ in range(2):
        report = run(Target("html", TARGETS["html"].make, check), 1, 0.2)
        assert [finding.what.partition(" ")[0] for finding in report.findings] == ["ValueError"]
        seen.append([])
    n_common = min(map(len, seen[1:3]))
    assert n_common > 0
    assert seen[1][:n_common] == seen[2][:n_common]
