"""A writer in its own process, for tests of crashes: `python -m tests.mongodb_writer URI DATABASE TASK ...`.

Tasks: `die STEP SIZE NUMBER` commits rows and kills itself at the step's NUMBER-th time; `count N` increments
a counter N times and prints what it acknowledged.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from memory_structure.backends.mongodb import MongoStorage
from memory_structure.backends.mongodb_commit import CommitStep
from memory_structure.storage import Column, ColumnKind, Index, Row, Span, Table

Open = Callable[..., MongoStorage]

ROWS = Table(
    "rows",
    (Column("id", ColumnKind.INTEGER), Column("text", ColumnKind.TEXT), Column("data", ColumnKind.BLOB)),
    ("id",),
    (Index("by_text", ("text",), unique=True),),
)
N_ROWS = 30


def old_rows() -> list[Row]:
    """What is stored before."""
    return [(n, f"old {n}", b"") for n in range(N_ROWS)]


def new_rows(size_bytes: int) -> list[Row]:
    """What the transaction leaves: a third is gone, a third changed, a third as it was; and new ones."""
    third = N_ROWS // 3
    changed = [(n, f"new {n}", bytes(size_bytes)) for n in range(third, 2 * third)]
    return [
        *changed,
        *old_rows()[2 * third :],
        *((100 + n, f"added {n}", bytes(size_bytes)) for n in range(third)),
    ]


def change(storage: MongoStorage, size_bytes: int) -> None:
    """From the old rows to the new ones, in one transaction."""
    third = N_ROWS // 3
    rows = new_rows(size_bytes)
    with storage.transaction() as transaction:
        transaction.delete(ROWS, list(range(third)))
        transaction.put(ROWS, [row for row in rows if row[0] < 100])
        transaction.insert(ROWS, [row for row in rows if row[0] >= 100])


def increment(storage: MongoStorage) -> int:
    """Add one to the counter; returns its value."""
    with storage.transaction() as transaction:
        found = transaction.get(ROWS, [0])
        number = int(found[0][1]) + 1 if found else 1
        transaction.put(ROWS, [(0, str(number), None)])
    return number


def rows_of(storage: MongoStorage) -> list[Row]:
    """All rows, in order."""
    return list(storage.scan(ROWS))


def increment_row(storage: MongoStorage) -> int:
    """Write one row more; returns how often it is there."""
    with storage.transaction() as transaction:
        transaction.put(ROWS, [(7777, "one more", None)])
        return int(transaction.count(ROWS, Span(lower=7777)))


def _die(uri: str, database: str, step: CommitStep, size_bytes: int, number: int) -> None:
    left = [step] * number

    def on_step(here: CommitStep) -> None:
        if here is step:
            left.pop()
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    change(MongoStorage(uri, database, on_step=on_step), size_bytes)


def main() -> None:
    """Carry out the task."""
    uri, database, task, *arguments = sys.argv[1:]
    if task == "die":
        _die(uri, database, CommitStep[arguments[0]], int(arguments[1]), int(arguments[2]))
    else:
        storage = MongoStorage(uri, database)
        for _ in range(int(arguments[0])):
            sys.stdout.write(f"{increment(storage)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
