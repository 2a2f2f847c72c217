"""What commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hyphe_core.clock import monotonic


@dataclass(frozen=True, slots=True)
class Listing:
    """A table for people: headings and cells of text; `right` are the positions of columns of numbers."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    right: frozenset[int] = frozenset()


def error_console() -> Console:
    """The console on standard error: rich when that is a terminal."""
    return Console(stderr=True, highlight=False)


T = TypeVar("T")
_LINE_EVERY_SECONDS: Final = 5.0


def told(
    items: Sequence[T], what: str, tell: Callable[[str], None], clock: Callable[[], float] = monotonic
) -> Iterator[T]:
    """The items, while a line now and then tells how many are done ("2000 of 10000 crawl jobs made"); none
    when all are done sooner than the first line is due."""
    due = clock() + _LINE_EVERY_SECONDS
    for n_done, item in enumerate(items):
        if clock() >= due:
            tell(f"{n_done} of {len(items)} {what}")
            due = clock() + _LINE_EVERY_SECONDS
        yield item


def say(line: str) -> None:
    """A line of what goes on, on standard error."""
    print(line, file=sys.stderr, flush=True)


def complain(line: str) -> None:
    """A line about a fault, on standard error."""
    say(f"hyphe: {line}")


def print_line(line: str = "") -> None:
    """A line of the result, on standard output; what the terminal cannot show is replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    print(line.encode(encoding, "replace").decode(encoding))


def print_json(document: Any) -> None:
    """The result as one JSON document, on standard output."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write(text.encode("utf-8", "replace").decode() + "\n")
    sys.stdout.flush()


def print_listing(listing: Listing) -> None:
    """A table on standard output: drawn on a terminal; elsewhere columns of text that nothing is cut from."""
    if sys.stdout.isatty():
        Console(highlight=False).print(drawn(listing))
        return
    for line in plain_lines(listing):
        print_line(line)


def drawn(listing: Listing) -> Table:
    """The table as rich draws it. Cells are text, never markup."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, heading in enumerate(listing.headings):
        table.add_column(heading, justify="right" if position in listing.right else "left", overflow="fold")
    for row in listing.rows:
        table.add_row(*map(escape, row))
    return table


def plain_lines(listing: Listing) -> list[str]:
    """The table as aligned text."""
    rows = [listing.headings, *listing.rows]
    widths = [max(len(row[position]) for row in rows) for position in range(len(listing.headings))]
    return [
        "  ".join(
            cell.rjust(width) if position in listing.right else cell.ljust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
