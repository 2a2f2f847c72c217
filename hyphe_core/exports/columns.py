"""Tables and networks as exporters see them: named, typed columns and streams of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import NamedTuple

Value = str | int | float | bool | None | tuple[str, ...]
Row = tuple[Value, ...]


class ColumnType(Enum):
    """Types of values, named as GEXF names them. A LIST holds several texts."""

    TEXT = "string"
    INTEGER = "long"
    REAL = "double"
    BOOLEAN = "boolean"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `separator` joins the texts of a LIST where a format has no lists."""

    name: str
    type: ColumnType = ColumnType.TEXT
    separator: str = " "


@dataclass(frozen=True, slots=True)
class Table:
    """Rows in the order of the columns; the stream can be read once."""

    columns: tuple[Column, ...]
    rows: Iterator[Row]


class Node(NamedTuple):
    """A node: its id, the name people read, its attributes in the order of the network's columns."""

    node_id: str
    label: str
    values: Row


class Edge(NamedTuple):
    """A directed edge between the ids of two nodes."""

    source_id: str
    target_id: str
    weight: int


@dataclass(frozen=True, slots=True)
class Network:
    """A directed network as two streams, each read once, `nodes` wholly before `edges`: edges to nodes that
    were not read (they appeared or went while the export ran) are left out."""

    columns: tuple[Column, ...]
    nodes: Iterator[Node]
    edges: Iterator[Edge]


def integer(name: str) -> Column:
    """A column of whole numbers."""
    return Column(name, ColumnType.INTEGER)


def boolean(name: str) -> Column:
    """A column of true and false."""
    return Column(name, ColumnType.BOOLEAN)


def value_text(value: Value, column: Column) -> str:
    """A value where everything is text; nothing known = empty."""
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, tuple):
        return column.separator.join(value)
    return str(value)


def moment_text(moment: datetime | None) -> str | None:
    """A moment in UTC with milliseconds: 2026-01-31T12:00:00.000Z."""
    if moment is None:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


_FORBIDDEN_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text with each character that XML cannot hold replaced by U+FFFD."""
    return _FORBIDDEN_IN_XML.sub("\ufffd", text)
