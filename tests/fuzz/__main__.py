"""Fuzz the parse stage.

    python -m tests.fuzz [--minutes N] [--target NAME|all] [--seed S] [--out FOLDER]

Each target runs in a process of its own, one after the other, for its share of the minutes. Inputs of
findings are written to the folder, made smaller. Exit code 1 when there was one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import targets
from tests.fuzz.inputs import Input
from tests.fuzz.running import Finding, minimised, name_of, run
from tests.fuzz.targets import TARGETS

_PROJECT = Path(__file__).parents[2]
_SPARE_SECONDS = 300.0  # the last input, and making findings smaller


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--target", choices=[*TARGETS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "hyphe-fuzz")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.here:
        return _run_here(options.target, options.seed, options.minutes * 60, options.out)
    names = list(TARGETS) if options.target == "all" else [options.target]
    minutes = options.minutes / len(names)
    return max(_run_child(name, options.seed, minutes, options.out) for name in names)


def _run_child(name: str, seed: int, minutes: float, out: Path) -> int:
    command = [sys.executable, "-m", "tests.fuzz", "--here", "--target", name, "--seed", str(seed)]
    command += ["--minutes", str(minutes), "--out", str(out)]
    try:
        code = subprocess.run(
            command, cwd=_PROJECT, timeout=minutes * 60 + _SPARE_SECONDS, check=False
        ).returncode
    except subprocess.TimeoutExpired:
        code = -9
    if code in (0, 1):
        return code
    what = "hang" if code == -9 else f"crash: the process ended with {code}"
    given = Input.from_text(_current(out, name).read_text())
    _write(Finding(name, what, given), out)
    return 1


def _current(out: Path, name: str) -> Path:
    return out / f"current-{name}"


def _run_here(name: str, seed: int, seconds: float, out: Path) -> int:
    report = run(TARGETS[name], seed, seconds, _current(out, name))
    _say(str(report))
    for finding in report.findings:
        _write(minimised(TARGETS[name], finding) if finding.given.body else finding, out)
    targets.close()
    return int(bool(report.findings))


def _write(finding: Finding, out: Path) -> None:
    path = out / name_of(finding)
    path.write_text(finding.given.to_text(), "ascii")
    _say(f"  {finding.what} ({len(finding.given.body)} bytes in {path})")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
