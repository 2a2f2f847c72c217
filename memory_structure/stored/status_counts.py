"""Rows of the history of numbers by status: one for a minute in which a number changed."""

from __future__ import annotations

from typing import Final

from memory_structure.storage import Reader, Row, Span, Transaction
from memory_structure.stored.schema import STATUS_POINTS
from memory_structure.stored.state import State

_MINUTE: Final = 60_000_000  # microseconds
Counts = tuple[int, int, int, int]
Lacks = tuple[int | None, int | None]


def counts_of(state: State) -> Counts:
    """Numbers of entities by status."""
    return state.n_in, state.n_out, state.n_undecided, state.n_discovered


def put_point(transaction: Transaction, moment: int, counts: Counts, lacks: Lacks | None = None) -> None:
    """Set the point of the minute of a moment; without `lacks` those noted in that minute stay."""
    minute = moment // _MINUTE
    if lacks is None:
        known = transaction.get(STATUS_POINTS, (minute,)).get(minute)
        lacks = (None, None) if known is None else (known[6], known[7])
    transaction.put(STATUS_POINTS, [(minute, moment, *counts, *lacks)])


def find_last_point(reader: Reader, *, with_lacks: bool) -> Row | None:
    """The newest point, or the newest at which lacks were noted."""
    rows = reader.scan(STATUS_POINTS, Span(reverse=True))
    return next((row for row in rows if not with_lacks or row[6] is not None), None)
