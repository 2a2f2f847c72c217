"""What a database must offer to carry a memory structure: keyed tables, ordered scans, one writer at a time.

All knowledge of pages, links and entities lives above this contract, so that every backend behaves alike: the
same batches give the same rows. A row is a tuple in the column order of its table. A key is the bare value of
a one-column key and a tuple otherwise.

Guarantees asked of a backend 1. A transaction is all or nothing, also when the process is killed at any
moment; when `transaction()` has returned without an error its writes survive a kill. 2. Transactions on one
database run one after the other, in whatever process or machine. 3. Inside a transaction reads see its own
writes. Outside, a read sees whole transactions only where the database can (SQLite); MongoDB may show a
transaction half applied for the moment it takes to apply it. 4. Text is compared by code point (binary
collation) everywhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

from memory_structure.word_index import WordIndex

Row = tuple[Any, ...]
Key = Any


class ColumnKind(Enum):
    """Types of values: 64-bit integers, text, bytes, floats. All but key columns may be None."""

    INTEGER = "INTEGER"
    TEXT = "TEXT"
    BLOB = "BLOB"
    REAL = "REAL"


@dataclass(frozen=True, slots=True)
class Column:
    """A named, typed column."""

    name: str
    kind: ColumnKind


@dataclass(frozen=True, slots=True)
class Index:
    """An ordered index over columns of a table; `unique` is enforced by the database."""

    name: str
    columns: tuple[str, ...]
    unique: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table: its columns, the columns of its primary key, its secondary indexes. Equal only to itself: one
    is declared once, and looked up by identity on hot paths."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    indexes: tuple[Index, ...] = ()

    def position(self, column: str) -> int:
        """Index of a column in a row."""
        return [c.name for c in self.columns].index(column)

    def index(self, name: str) -> Index:
        """The secondary index of that name."""
        return next(i for i in self.indexes if i.name == name)

    def order(self, index: str | None) -> tuple[str, ...]:
        """Columns that put rows in a total order: the key, a unique index, or another index followed by the
        key."""
        if index is None:
            return self.key
        found = self.index(index)
        return found.columns if found.unique else found.columns + self.key


@dataclass(frozen=True, slots=True)
class Span:
    """A range over an order: the key (`index` None) or a secondary index.

    `equal` fixes the first columns of the order; the next column then lies in `lower` <= x < `upper` (either
    None is open). `after` (a full value of the order's columns, as a tuple) starts strictly behind it, in the
    direction of travel: keyset pagination. Rows of a non-unique index with equal values come in key order:
    there the order's columns are those of the index, then those of the key (see `Table.order`)."""

    index: str | None = None
    equal: tuple[Any, ...] = ()
    lower: Any = None
    upper: Any = None
    after: tuple[Any, ...] | None = None
    reverse: bool = False
    limit: int | None = None


class Reader(ABC):
    """Reads of a database."""

    @abstractmethod
    def get(self, table: Table, keys: Iterable[Key]) -> dict[Key, Row]:
        """Rows of those primary keys; absent keys are absent from the answer. Any number of keys."""

    @abstractmethod
    def find(
        self, table: Table, index: str, values: Iterable[Any], columns: tuple[str, ...] | None = None
    ) -> list[Row]:
        """Rows whose one-column index equals one of the values, in no order; `columns` narrows the rows."""

    @abstractmethod
    def scan(
        self, table: Table, span: Span = Span(), columns: tuple[str, ...] | None = None
    ) -> Iterator[Row]:
        """Rows of a range in its order, streamed: memory stays flat whatever the length.

        Writing to the same table while the iterator is open is not allowed.
        """

    @abstractmethod
    def count(self, table: Table, span: Span = Span()) -> int:
        """Number of rows of a range; may cost as much as reading it."""


class Transaction(Reader):
    """Writes, all applied when the context ends well, none otherwise."""

    @abstractmethod
    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """Add rows whose keys and unique values are new. Raises AlreadyExists (nothing is then kept of the
        transaction)."""

    @abstractmethod
    def put(self, table: Table, rows: Sequence[Row]) -> None:
        """Add rows, or replace those that have the same key."""

    @abstractmethod
    def update(self, table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Key, Row]]) -> None:
        """Set those columns of existing rows: pairs of (key, values). Absent keys are passed over."""

    @abstractmethod
    def delete(self, table: Table, keys: Sequence[Key]) -> None:
        """Remove rows by key; absent ones are passed over."""


class Storage(Reader):
    """A database. Instances may be used by several threads of one process, one transaction at a time."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Transaction]:
        """An exclusive write transaction.

        Raises StoreLocked after the busy time-out, StoreFull, StoreUnreachable. An error inside the block
        rolls back."""

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        """Reads that belong together, to be kept open briefly. They see one moment where the database can do
        that; elsewhere (this default) each sees its own, and callers compare a version number before and
        after."""
        yield self

    @abstractmethod
    def frozen(self) -> AbstractContextManager[Reader]:
        """Reads of one moment, for as long as one likes. Where the database cannot show one moment while
        others write (MongoDB), writers wait meanwhile."""

    def word_index(self) -> WordIndex | None:
        """The index of words that stands beside the tables, made when absent; None where the database offers
        none (this default)."""
        return None

    @abstractmethod
    def ensure_tables(self, tables: Sequence[Table]) -> None:
        """Create what is absent of those tables and indexes."""

    @abstractmethod
    def size_bytes(self) -> int:
        """Space taken, as the database tells it."""

    @abstractmethod
    def close(self) -> None:
        """Release files and connections. Closing twice is allowed."""

    @abstractmethod
    def destroy(self) -> None:
        """Remove the database for good."""
