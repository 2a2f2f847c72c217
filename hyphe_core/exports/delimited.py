"""CSV: UTF-8 without mark, commas, quotes only where needed, lines ended by a line feed, a header line.

Control characters that XML forbids are replaced here too, and a carriage return in a cell is a line feed:
some readers end a cell or a row there.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import BinaryIO, cast

from hyphe_core.exports.columns import (
    Column,
    ColumnType,
    Network,
    Row,
    Table,
    Value,
    integer,
    value_text,
    xml_text,
)

EDGE_COLUMNS = (Column("Source"), Column("Target"), integer("Weight"))

# What spreadsheets take for the start of a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n")
_TEXTUAL = (ColumnType.TEXT, ColumnType.LIST)


def guarded(text: str) -> str:
    """The text so that a spreadsheet reads it as text: an apostrophe before what would start a formula."""
    return "'" + text if text.startswith(_FORMULA_STARTS) else text


def write_csv(table: Table, stream: BinaryIO, *, guard_formulas: bool = False) -> int:
    """Write a table; the number of rows without the header."""
    text = io.TextIOWrapper(stream, "utf-8", errors="replace", newline="", write_through=False)
    try:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.name for column in table.columns])
        n_rows = 0
        for n_rows, cells in enumerate(_cells(table.columns, table.rows, guard_formulas), 1):  # noqa: B007
            writer.writerow(cells)
        text.flush()
    finally:
        text.detach()
    return n_rows


def edge_table(network: Network) -> Table:
    """The edges of a network as a table: Source, Target, Weight."""

    def rows() -> Iterator[Row]:
        for _ in network.nodes:  # tells the edges which nodes there are
            pass
        yield from network.edges

    return Table(EDGE_COLUMNS, rows())


def _cell(value: Value, column: Column) -> str | int | None:
    """A value as the CSV writer takes it; most are taken as they are."""
    kind = type(value)
    if kind is str:
        text = cast("str", value)
        return text if text.isprintable() else _clean(text)
    if value is None or kind is int:
        return cast("int | None", value)
    return _clean(value_text(value, column))


def _clean(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return xml_text(text)


def _cells(columns: tuple[Column, ...], rows: Iterable[Row], guard: bool) -> Iterator[list[str | int | None]]:
    for row in rows:
        cells = list(map(_cell, row, columns))
        if guard:
            pairs = zip(cells, columns, strict=True)
            cells = [
                guarded(cell) if isinstance(cell, str) and column.type in _TEXTUAL else cell
                for cell, column in pairs
            ]
        yield cells
