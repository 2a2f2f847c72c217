"""How a span over an order becomes queries that an index of the server answers.

Behind a full value (a, b) of the order (x, y) lie first the rows with x = a and y > b, then those with x > a:
one query each, all of the form "equal, equal, ..., one range", which every MongoDB server answers from a
compound index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from memory_structure.backends.mongodb_documents import SMALLEST, TableCodec
from memory_structure.storage import ColumnKind, Row, Span


@dataclass(frozen=True, slots=True)
class Piece:
    """One query of a span: fields fixed to a value, then one field in a range (operators), in that order.

    `stepped` is true when the range may be cut into ascending steps of integers.
    """

    equal: tuple[tuple[str, Any], ...]
    field: str | None
    bounds: tuple[tuple[str, Any], ...]
    stepped: bool

    def filter(self) -> dict[str, Any]:
        """The query document."""
        found: dict[str, Any] = dict(self.equal)
        if self.field is not None and self.bounds:
            found[self.field] = dict(self.bounds)
        return found

    def within(self, lower: int | None, upper: int) -> Piece:
        """The part in lower <= field < upper, which lie inside the bounds."""
        piece = self if lower is None else self.from_lower(lower)
        bounds = {name: value for name, value in piece.bounds if name != "$lt"}
        return replace(piece, bounds=(*bounds.items(), ("$lt", upper)))

    def from_lower(self, lower: int) -> Piece:
        """The part in lower <= field."""
        bounds = {name: value for name, value in self.bounds if name not in ("$gt", "$gte")}
        return replace(self, bounds=(("$gte", lower), *bounds.items()))

    def lowest(self) -> int | None:
        """Smallest integer of the range, None when it is open."""
        bounds = dict(self.bounds)
        if "$gte" in bounds:
            return int(bounds["$gte"])
        return int(bounds["$gt"]) + 1 if "$gt" in bounds else None

    def end(self) -> int:
        """First integer behind the range."""
        return int(dict(self.bounds).get("$lt", 2**63))


class RangeQueries:
    """Queries of one span over one table, in the span's direction of travel."""

    def __init__(self, codec: TableCodec, span: Span) -> None:
        self._codec = codec
        self._span, self._empty = _single_columns(codec, span)
        self._order = codec.order(span.index)
        self._fixed = len(self._span.equal)
        self._after = self._span.after
        self._keys = frozenset(codec.table.key)

    def sort_of(self, piece: Piece) -> list[tuple[str, int]]:
        """Sort of a piece: the columns that it does not fix."""
        direction = -1 if self._span.reverse else 1
        rest = self._order[len(piece.equal) :] or self._order[-1:]
        return [(self._codec.field(name), direction) for name in rest]

    def pieces(self) -> Iterator[Piece]:
        """Queries whose answers, one behind the other, are the span."""
        if self._empty:
            return
        after = self._after
        side = 0 if after is None else _side(after[: self._fixed], self._span)
        if after is None or side < 0:
            yield from self._ranges(self._fixed, (), None, False)
        if after is None or side != 0 or len(after) <= self._fixed:
            return
        first = after[self._fixed]
        if self._in_range(first):
            for position in range(len(after) - 1, self._fixed, -1):
                yield from self._ranges(position, after[self._fixed : position], after[position], True)
            yield from self._ranges(self._fixed, (), first, True)
        elif self._before_range(first):
            yield from self._ranges(self._fixed, (), None, False)

    def _in_range(self, value: Any) -> bool:
        span = self._span
        if value is None:
            return span.lower is None and span.upper is None
        return (span.lower is None or value >= span.lower) and (span.upper is None or value < span.upper)

    def _before_range(self, value: Any) -> bool:
        """Whether the whole range still lies ahead of that value."""
        span = self._span
        if span.reverse:
            return value is not None and span.upper is not None and bool(value >= span.upper)
        return value is None or (span.lower is not None and bool(value < span.lower))

    def _ranges(self, position: int, equal: Row, after: Any, behind: bool) -> Iterator[Piece]:
        """Rows with those values in front of `position` and, when `behind`, strictly behind `after` in it."""
        values = self._span.equal + equal
        fixed = tuple(self._equal(name, value) for name, value in zip(self._order, values, strict=False))
        if position >= len(self._order):
            yield Piece(fixed, None, (), False)
            return
        name = self._order[position]
        ranged = position == self._fixed and (self._span.lower, self._span.upper) != (None, None)
        nulls = name not in self._keys and not ranged
        empty = Piece((*fixed, (self._codec.field(name), None)), None, (), False)
        if self._span.reverse:
            if not (behind and after is None):
                yield self._values(position, fixed, after, nulls)
            if nulls and not (behind and after is None):
                yield empty
        else:
            if nulls and not behind:
                yield empty
            yield self._values(position, fixed, after, nulls)

    def _equal(self, name: str, value: Any) -> tuple[str, Any]:
        return self._codec.field(name), self._codec.operand(name, value)

    def _values(self, position: int, fixed: tuple[tuple[str, Any], ...], after: Any, nulls: bool) -> Piece:
        """The rows of a range that have a value in the column."""
        name, span = self._order[position], self._span
        bounds: dict[str, Any] = {}
        if position == self._fixed:
            if span.lower is not None:
                bounds["$gte"] = self._codec.operand(name, span.lower)
            if span.upper is not None:
                bounds["$lt"] = self._codec.operand(name, span.upper)
        if after is not None:
            for operator in ("$lt", "$lte") if span.reverse else ("$gt", "$gte"):
                bounds.pop(operator, None)
            bounds["$lt" if span.reverse else "$gt"] = self._codec.operand(name, after)
        kind = self._codec.kinds[name]
        if nulls and not bounds:
            bounds["$gte"] = SMALLEST[kind]
        stepped = kind is ColumnKind.INTEGER and not span.reverse
        return Piece(fixed, self._codec.field(name), tuple(bounds.items()), stepped)


def _single_columns(codec: TableCodec, span: Span) -> tuple[Span, bool]:
    """The span over an order that names each column once, and whether it is surely empty.

    The key follows the columns of an index, so a column may come twice; its first value decides.
    """
    names = codec.table.order(span.index)
    fixed = codec.order_values(span.index, span.equal)
    known = dict(zip(dict.fromkeys(names), fixed, strict=False))
    empty = any(value is None or known[n] != value for n, value in zip(names, span.equal, strict=False))
    after = None if span.after is None else codec.order_values(span.index, span.after)
    single = replace(span, equal=fixed, after=after)
    ranged = names[len(span.equal)] if len(span.equal) < len(names) else None
    if ranged not in known or empty:
        return single, empty
    value = known[ranged]
    outside = (span.lower is not None and value < span.lower) or (
        span.upper is not None and value >= span.upper
    )
    return replace(single, lower=None, upper=None), outside


def _side(after: Row, span: Span) -> int:
    """Whether values lie before (-1), at (0) or behind (1) the fixed ones, in the direction of travel."""
    fixed = span.equal[: len(after)]
    if after == fixed:
        return 0
    given, wanted = (tuple((v is not None, v) for v in values) for values in (after, fixed))
    return -1 if (given > wanted if span.reverse else given < wanted) else 1


def order_key(row: Row, positions: tuple[int, ...]) -> tuple[Any, ...]:
    """What rows of an order are compared by; a None comes before every value."""
    return tuple((row[p] is not None, row[p]) if row[p] is not None else (False, 0) for p in positions)


class SpanTest:
    """Whether a row lies in a span; for rows that are not in the database yet."""

    def __init__(self, codec: TableCodec, span: Span) -> None:
        self._span, self._empty = _single_columns(codec, span)
        order = codec.order(span.index)
        self.positions = tuple(codec.table.position(name) for name in order)
        after = self._span.after
        self._after = None if after is None else tuple((v is not None, 0 if v is None else v) for v in after)

    def holds(self, row: Row) -> bool:
        """True when the row belongs to the span (its limit left aside)."""
        span = self._span
        fixed = len(span.equal)
        if self._empty or any(row[p] != v for p, v in zip(self.positions, span.equal, strict=False)):
            return False
        if fixed < len(self.positions):
            value = row[self.positions[fixed]]
            if span.lower is not None and (value is None or value < span.lower):
                return False
            if span.upper is not None and (value is None or value >= span.upper):
                return False
        if self._after is None:
            return True
        here = order_key(row, self.positions[: len(self._after)])
        return here < self._after if span.reverse else here > self._after
