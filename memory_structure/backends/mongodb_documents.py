"""How rows become documents of a collection and back.

A document holds the row's columns under their own names (None is left out), `_id` (the bare key, or one text
made of the columns of a compound key) and `_v`, the number of the transaction that wrote it. MongoDB orders
binary values by length first, so a binary column that takes part in an order is doubled by a hexadecimal
text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from memory_structure.errors import InvalidValue
from memory_structure.storage import ColumnKind, Key, Row, Table

Document = dict[str, Any]

KEY_INDEX = "_key"
SMALLEST: dict[ColumnKind, Any] = {
    ColumnKind.INTEGER: -(2**63),
    ColumnKind.TEXT: "",
    ColumnKind.BLOB: "",
    ColumnKind.REAL: -math.inf,
}
LARGEST_INTEGER = 2**63 - 1


def _adapted(kind: ColumnKind, value: Any) -> Any:
    """The value as the database gives it back: no booleans, whole floats, plain bytes."""
    if kind is ColumnKind.REAL:
        return float(value)
    if kind is ColumnKind.BLOB:
        return bytes(value)
    if value is True or value is False:
        return int(value)
    return value


def _key_text(kind: ColumnKind, value: Any) -> str:
    """Part of a compound key's `_id`: distinct values give distinct texts, whatever they hold."""
    text = value.hex() if kind is ColumnKind.BLOB else str(value)
    return text.replace("%", "%25").replace("/", "%2F")


@dataclass(frozen=True, slots=True)
class Unique:
    """A unique index: its name and where its columns are in a row."""

    name: str
    positions: tuple[int, ...]

    def value(self, row: Row) -> Row | None:
        """A row's value, None when a column is None: such rows clash with nothing."""
        value = tuple(row[p] for p in self.positions)
        return None if None in value else value


class TableCodec:
    """Translation between the rows of one table and its documents."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.names = tuple(c.name for c in table.columns)
        self.kinds = {c.name: c.kind for c in table.columns}
        self._columns = tuple((c.name, c.kind) for c in table.columns)
        self._key_positions = tuple(table.position(name) for name in table.key)
        self._key_kinds = tuple(self.kinds[name] for name in table.key)
        ordered = set(table.key).union(*(i.columns for i in table.indexes))
        self.uniques = tuple(
            Unique(i.name, tuple(table.position(name) for name in i.columns))
            for i in table.indexes
            if i.unique
        )
        self._hex = tuple(c.name for c in table.columns if c.kind is ColumnKind.BLOB and c.name in ordered)

    def key(self, row: Row) -> Key:
        """The key of a row: bare for one column, else a tuple."""
        if len(self._key_positions) == 1:
            return row[self._key_positions[0]]
        return tuple(row[p] for p in self._key_positions)

    def document_id(self, key: Key) -> Any:
        """The `_id` of a key."""
        if len(self._key_kinds) == 1:
            return _adapted(self._key_kinds[0], key)
        return "/".join(_key_text(kind, value) for kind, value in zip(self._key_kinds, key, strict=True))

    def row_in(self, row: Row) -> Row:
        """A caller's row with its values as they will be read back. Raises InvalidValue."""
        if len(row) != len(self._columns):
            raise InvalidValue(f"{self.table.name}: {len(row)} values given, {len(self._columns)} expected")
        try:
            return tuple(
                None if value is None else _adapted(kind, value)
                for value, (_, kind) in zip(row, self._columns, strict=True)
            )
        except (TypeError, ValueError) as error:
            raise InvalidValue(f"{self.table.name}: {error}") from error

    def document(self, row: Row, version: int) -> Document:
        """The document of a row written by transaction `version`."""
        document: Document = {"_id": self.document_id(self.key(row)), "_v": version}
        for name, value in zip(self.names, row, strict=True):
            if value is not None:
                document[name] = value
        for name in self._hex:
            if name in document:
                document[self.field(name)] = document[name].hex()
        return document

    def row(self, document: Document, names: tuple[str, ...] | None = None) -> Row:
        """The row of a document, or those columns of it."""
        read = document.get
        return tuple(_plain(read(name)) for name in names or self.names)

    def projection(self, names: tuple[str, ...] | None) -> dict[str, int] | None:
        """What to ask the server for: None is everything."""
        if names is None:
            return None
        return dict.fromkeys(names, 1) | ({} if "_id" in names else {"_id": 0})

    def field(self, name: str) -> str:
        """The field that orders like the column."""
        return f"_h_{name}" if self.kinds[name] is ColumnKind.BLOB else name

    def operand(self, name: str, value: Any) -> Any:
        """A value of the column as it is compared in `field`."""
        kind = self.kinds[name]
        if value is None:
            return None
        return bytes(value).hex() if kind is ColumnKind.BLOB else _adapted(kind, value)

    def order(self, index: str | None) -> tuple[str, ...]:
        """Columns of an order, each once."""
        return tuple(dict.fromkeys(self.table.order(index)))

    def order_values(self, index: str | None, values: Row) -> Row:
        """Values given for `Table.order`, which may name a column twice, as values of `order`."""
        first: dict[str, Any] = {}
        for name, value in zip(self.table.order(index), values, strict=False):
            first.setdefault(name, value)
        return tuple(first.values())

    def full_order(self, index: str | None, values: Row) -> Row:
        """Values of `order` as `Table.order` wants them."""
        known = dict(zip(self.order(index), values, strict=True))
        return tuple(known[name] for name in self.table.order(index))

    def index_fields(self, index: str | None) -> list[tuple[str, int]]:
        """Fields of the server's index that serves an order."""
        return [(self.field(name), 1) for name in self.order(index)]


def _plain(value: Any) -> Any:
    """64-bit integers come from the driver as a subclass of int."""
    return int(value) if isinstance(value, int) and type(value) is not int else value
