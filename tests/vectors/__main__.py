"""Run a file of vectors against the parse stage.

    python -m tests.vectors FILE.json [--json OUT]

Prints `group passed/total` for each group and every miss; `--json` writes `[{"group", "index", "actual"}]`.
Exit code 1 when a case missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.vectors.cases import Outcome, iter_outcomes, read_cases
from tests.vectors.groups import ADAPTERS

_SHOWN_CHARACTERS = 600


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.vectors", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", type=Path, dest="out")
    options = parser.parse_args(arguments)
    outcomes = list(iter_outcomes(read_cases(options.file), ADAPTERS))
    for group in dict.fromkeys(outcome.case.group for outcome in outcomes):
        _report([outcome for outcome in outcomes if outcome.case.group == group])
    if options.out is not None:
        answers = [
            {"group": outcome.case.group, "index": outcome.case.index, "actual": outcome.actual}
            for outcome in outcomes
            if outcome.is_part
        ]
        options.out.write_text(json.dumps(answers, ensure_ascii=False, indent=1), "utf-8")
    return int(any(outcome.is_part and not outcome.has_passed for outcome in outcomes))


def _report(outcomes: list[Outcome]) -> None:
    group = outcomes[0].case.group
    if not outcomes[0].is_part:
        _say(f"{group}: not part of this build ({len(outcomes)} cases)")
        return
    _say(f"{group} {sum(outcome.has_passed for outcome in outcomes)}/{len(outcomes)}")
    for outcome in outcomes:
        if not outcome.has_passed:
            _say(f"  miss {outcome.case.index}: {outcome.case.why}")
            for what, value in (
                ("in", outcome.case.given),
                ("expected", outcome.case.expected),
                ("actual", outcome.actual),
            ):
                _say(f"    {what:9} {json.dumps(value, ensure_ascii=False)[:_SHOWN_CHARACTERS]}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
