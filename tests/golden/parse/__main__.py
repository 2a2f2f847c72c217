"""Shows what golden cases give now, and writes it when told to; see the package."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence

import tests.golden.parse as package
from tests.golden.parse.cases import list_names, read_case


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.golden.parse",
        description=package.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="+", help="FORMAT/CASE")
    parser.add_argument("--regenerate", action="store_true")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - set(list_names())
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    n_different = 0
    for name in options.names:
        case = read_case(name)
        path = case.expected_path
        before, now = path.read_text("utf-8") if path.exists() else "", case.run().decode("utf-8")
        lines = difflib.unified_diff(
            before.splitlines(True), now.splitlines(True), f"{name} before", f"{name} now"
        )
        shown = "".join(lines)
        sys.stdout.write(shown)
        n_different += bool(shown)
        if options.regenerate and shown:
            path.write_text(now, "utf-8")
    return int(n_different > 0 and not options.regenerate)


if __name__ == "__main__":
    raise SystemExit(main())
