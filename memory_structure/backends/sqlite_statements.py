"""SQL for tables declared as `memory_structure.storage.Table`. Names come from declarations, values are
always bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from memory_structure.storage import ColumnKind, Span, Table

# ruff: noqa: S608  # every statement is made of declared names


def create_statements(table: Table) -> list[str]:
    """What makes a table and its indexes when they are absent.

    A single integer key is the row id. Other keys make the table its own index, unless it holds blobs: those
    would bloat the inner pages of the tree."""
    columns = [f'"{c.name}" {c.kind.value}' for c in table.columns]
    if _is_row_id(table):
        columns = [f"{c} PRIMARY KEY" if c.startswith(f'"{table.key[0]}"') else c for c in columns]
        ending = ""
    else:
        columns.append(f"PRIMARY KEY ({_names(table.key)})")
        ending = "" if any(c.kind is ColumnKind.BLOB for c in table.columns) else " WITHOUT ROWID"
    statements = [f'CREATE TABLE IF NOT EXISTS "{table.name}" ({", ".join(columns)}){ending}']
    for index in table.indexes:
        unique = "UNIQUE " if index.unique else ""
        name = f"{table.name}_{index.name}"
        statements.append(
            f'CREATE {unique}INDEX IF NOT EXISTS "{name}" ON "{table.name}" ({_names(index.columns)})'
        )
    return statements


@cache
def insert_statement(table: Table, *, replace: bool) -> str:
    """Adds a row, or puts it in the place of the one with the same key."""
    marks = ", ".join("?" * len(table.columns))
    names = [c.name for c in table.columns]
    statement = f'INSERT INTO "{table.name}" ({_names(names)}) VALUES ({marks})'
    if not replace:
        return statement
    rest = [n for n in names if n not in table.key]
    action = "UPDATE SET " + ", ".join(f'"{n}" = excluded."{n}"' for n in rest) if rest else "NOTHING"
    return f"{statement} ON CONFLICT ({_names(table.key)}) DO {action}"


@cache
def update_statement(table: Table, columns: tuple[str, ...]) -> str:
    """Sets columns of the row of one key; values first, then the key."""
    setting = ", ".join(f'"{c}" = ?' for c in columns)
    return f'UPDATE "{table.name}" SET {setting} WHERE ' + " AND ".join(f'"{c}" = ?' for c in table.key)


@cache
def lookup_statement(
    table: Table, by: tuple[str, ...], columns: tuple[str, ...] | None, n_values: int
) -> str:
    """Rows whose last column of `by` is among n values; each of the others equals one value."""
    conditions = [f'"{c}" = ?' for c in by[:-1]]
    conditions.append(f'"{by[-1]}" IN ({", ".join("?" * n_values)})')
    return f'SELECT {_selected(table, columns)} FROM "{table.name}" WHERE {" AND ".join(conditions)}'


def span_statement(table: Table, span: Span, columns: tuple[str, ...] | None) -> tuple[str, list[Any]]:
    """(statement, values) that read a span in its order."""
    order = table.order(span.index)
    rest = order[len(span.equal) :]
    conditions = [f'"{c}" = ?' for c in order[: len(span.equal)]]
    values: list[Any] = list(span.equal)
    if span.lower is not None:
        conditions.append(f'"{rest[0]}" >= ?')
        values.append(span.lower)
    if span.upper is not None:
        conditions.append(f'"{rest[0]}" < ?')
        values.append(span.upper)
    if span.after is not None:
        sign = "<" if span.reverse else ">"
        conditions.append(f"({_names(rest)}) {sign} ({', '.join('?' * len(rest))})")
        values += span.after[len(span.equal) :]
    statement = f'SELECT {_selected(table, columns)} FROM "{table.name}"'
    if conditions:
        statement += " WHERE " + " AND ".join(conditions)
    if columns == ("count(*)",):
        return statement, values
    direction = " DESC" if span.reverse else ""
    statement += " ORDER BY " + ", ".join(f'"{c}"{direction}' for c in order)
    if span.limit is not None:
        statement += " LIMIT ?"
        values.append(span.limit)
    return statement, values


def narrowed(span: Span, after: tuple[Any, ...] | None, limit: int) -> Span:
    """The part of a span behind a row, of at most so many rows."""
    return replace(span, after=after, limit=limit)


def _is_row_id(table: Table) -> bool:
    kinds = {c.name: c.kind for c in table.columns}
    return len(table.key) == 1 and kinds[table.key[0]] is ColumnKind.INTEGER


def _selected(table: Table, columns: tuple[str, ...] | None) -> str:
    if columns == ("count(*)",):
        return "count(*)"
    return _names([c.name for c in table.columns] if columns is None else columns)


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f'"{c}"' for c in columns)
