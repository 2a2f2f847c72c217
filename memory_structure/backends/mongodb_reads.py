"""Reads of a database on a MongoDB server: keys and values by lists, spans by ranges of an index."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from memory_structure.backends.mongodb_access import Access, Document, LostConnection
from memory_structure.backends.mongodb_documents import LARGEST_INTEGER, TableCodec
from memory_structure.backends.mongodb_overlay import BaseReader
from memory_structure.backends.mongodb_ranges import Piece, RangeQueries
from memory_structure.storage import ColumnKind, Key, Row, Span, Table

KEYS_PER_QUERY = 50
ROWS_PER_STEP = 1000
DENSE = 1.25
WHOLE = Span()


class DocumentReader(BaseReader):
    """Reads of what is stored; a lost connection is taken up again where it broke."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._codecs: dict[Table, TableCodec] = {}

    def codec(self, table: Table) -> TableCodec:
        """The translation of a table."""
        codec = self._codecs.get(table)
        if codec is None:
            codec = self._codecs[table] = TableCodec(table)
        return codec

    def get(self, table: Table, keys: Iterable[Key]) -> dict[Key, Row]:
        """See `Reader`."""
        codec = self.codec(table)
        ids = list(dict.fromkeys(codec.document_id(key) for key in keys))
        if (
            len(ids) > KEYS_PER_QUERY
            and codec.kinds[table.key[0]] is ColumnKind.INTEGER
            and len(table.key) == 1
        ):
            rows = self._among(table, ids)
        else:
            rows = self._matching(codec, "_id", ids, {}, None)
        return {codec.key(row): row for row in rows}

    def _among(self, table: Table, keys: list[int]) -> Iterator[Row]:
        """Rows of integer keys; runs with few gaps are read as ranges, which is several times faster."""
        codec, position = self.codec(table), table.position(table.key[0])
        ordered = sorted(keys)
        for start in range(0, len(ordered), ROWS_PER_STEP):
            some = ordered[start : start + ROWS_PER_STEP]
            if some[-1] - some[0] < len(some) * DENSE and some[-1] < LARGEST_INTEGER:
                wanted = set(some)
                rows = self.scan(table, Span(lower=some[0], upper=some[-1] + 1))
                yield from (row for row in rows if row[position] in wanted)
            else:
                yield from self._matching(codec, "_id", some, {}, None)

    def find(
        self, table: Table, index: str, values: Iterable[Any], columns: tuple[str, ...] | None = None
    ) -> list[Row]:
        """See `Reader`."""
        codec, name = self.codec(table), table.index(index).columns[0]
        wanted = [codec.operand(name, value) for value in dict.fromkeys(values) if value is not None]
        return list(self._matching(codec, codec.field(name), wanted, {}, columns))

    def find_values(self, table: Table, index: str, values: Sequence[Row]) -> list[Row]:
        """One query for every distinct beginning of the values, as long as there are few of them."""
        codec, columns = self.codec(table), table.index(index).columns
        width = 0
        while width + 1 < len(columns) and len({v[: width + 1] for v in values}) <= 1 + len(values) // 10:
            width += 1
        groups: dict[Row, list[Any]] = {}
        for value in values:
            groups.setdefault(value[:width], []).append(codec.operand(columns[width], value[width]))
        found: list[Row] = []
        for start, last in groups.items():
            equal = {codec.field(n): codec.operand(n, v) for n, v in zip(columns, start, strict=False)}
            found += self._matching(
                codec, codec.field(columns[width]), list(dict.fromkeys(last)), equal, None
            )
        wanted, positions = set(values), [table.position(name) for name in columns]
        return [row for row in found if tuple(row[p] for p in positions) in wanted]

    def _matching(
        self,
        codec: TableCodec,
        field: str,
        values: list[Any],
        equal: Document,
        columns: tuple[str, ...] | None,
    ) -> Iterator[Row]:
        """Rows whose field is among the values."""
        for start in range(0, len(values), KEYS_PER_QUERY):
            some = values[start : start + KEYS_PER_QUERY]
            query = {**equal, field: {"$in": some} if len(some) > 1 else some[0]}
            for document in self._access.list_all(codec.table.name, query, codec.projection(columns)):
                yield codec.row(document, columns)

    def count(self, table: Table, span: Span = WHOLE) -> int:
        """See `Reader`."""
        pieces = RangeQueries(self.codec(table), span).pieces()
        return sum(self._access.count(table.name, piece.filter()) for piece in pieces)

    def scan(self, table: Table, span: Span = WHOLE, columns: tuple[str, ...] | None = None) -> Iterator[Row]:
        """See `Reader`. After a lost connection it goes on behind the last row that came."""
        codec = self.codec(table)
        order = codec.order(span.index)
        names = codec.names if columns is None else tuple(dict.fromkeys(columns + order))
        positions = [names.index(name) for name in order]
        shown = None if columns is None else [names.index(name) for name in columns]
        row, left = None, span.limit
        deadline: float | None = None
        while True:
            try:
                for row in self._rows(codec, replace(span, limit=left), None if columns is None else names):
                    left = None if left is None else left - 1
                    deadline = None
                    yield row if shown is None else tuple(row[p] for p in shown)
                return
            except LostConnection as fault:
                deadline = self._access.pause(fault, deadline)
            if row is not None:
                last = codec.full_order(span.index, tuple(row[p] for p in positions))
                span = replace(span, after=last)

    def _rows(self, codec: TableCodec, span: Span, names: tuple[str, ...] | None) -> Iterator[Row]:
        """Rows of a span; a lost connection shows."""
        queries, left = RangeQueries(codec, span), span.limit
        if left is not None and left <= 0:
            return
        for piece in queries.pieces():
            for document in self._documents(codec, queries, piece, names, left):
                yield codec.row(document, names)
                if left is not None:
                    left -= 1
                    if left == 0:
                        return

    def _documents(
        self,
        codec: TableCodec,
        queries: RangeQueries,
        piece: Piece,
        names: tuple[str, ...] | None,
        limit: int | None,
    ) -> Iterator[Document]:
        """Documents of a piece, at most `limit` a query. Integer ranges are read step by step while they are
        dense.

        Some servers fetch all matches of a query before they cut it to a limit or send the first: steps keep
        that small.
        """
        sort, fields = queries.sort_of(piece), codec.projection(names)

        def matches(some: Piece) -> Iterator[Document]:
            return self._access.stream(codec.table.name, some.filter(), fields, sort, limit or 0)

        if not piece.stepped:
            yield from matches(piece)
            return
        size = ROWS_PER_STEP if limit is None else min(ROWS_PER_STEP, max(limit, 50))
        lower, end = piece.lowest(), piece.end()
        n_found = size
        while n_found >= size / 4 and (lower or 0) + size < end:
            upper = (lower or 0) + size
            n_found = yield from _counted(matches(piece.within(lower, upper)))
            lower, piece = upper, piece.from_lower(upper)
        yield from matches(piece)


def _counted(documents: Iterator[Document]) -> Generator[Document, None, int]:
    """Pass documents on; the value of the whole is their number."""
    number = 0
    for number, document in enumerate(documents, 1):  # noqa: B007  # the last one is the number
        yield document
    return number
