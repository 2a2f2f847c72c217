"""What a transaction will write, cut into pieces a server accepts as documents.

A small transaction travels inside the lock document; a larger one is written to the journal before, in parts.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from memory_structure.errors import InvalidValue

Document = dict[str, Any]

INLINE_BYTES = 256 << 10
PART_BYTES = 8 << 20
DOCUMENT_BYTES = 15 << 20


class OperationKind(Enum):
    """Add documents whose ids are new, write documents over others, remove ids."""

    ADD = "add"
    WRITE = "write"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Operation:
    """Encoded documents for one collection: whole ones, or `{_id}` alone to remove."""

    table: str
    kind: OperationKind
    documents: list[bytes]

    def stored(self) -> Document:
        """As part of a journal document."""
        return {"t": self.table, "k": self.kind.value, "d": b"".join(self.documents)}


def journal_parts(operations: list[Operation]) -> tuple[list[Document], list[list[Document]]]:
    """(what goes into the lock document, journal parts), one of them empty. InvalidValue for a huge row."""
    n_bytes = sum(len(d) for o in operations for d in o.documents)
    if n_bytes <= INLINE_BYTES:
        return [o.stored() for o in operations], []
    parts: list[list[Document]] = []
    room = 0
    for operation in operations:
        for piece, size in _pieces(operation):
            if size > room:
                parts.append([])
                room = PART_BYTES
            parts[-1].append(piece.stored())
            room -= size
    return [], parts


def _pieces(operation: Operation) -> Iterator[tuple[Operation, int]]:
    """The operation in pieces of at most PART_BYTES, or of one document."""
    some: list[bytes] = []
    size = 0
    for document in operation.documents:
        if len(document) > DOCUMENT_BYTES:
            raise InvalidValue(
                f"{operation.table}: a row of {len(document)} bytes, {DOCUMENT_BYTES} are accepted"
            )
        if some and size + len(document) > PART_BYTES:
            yield Operation(operation.table, operation.kind, some), size
            some, size = [], 0
        some.append(document)
        size += len(document)
    if some:
        yield Operation(operation.table, operation.kind, some), size


def operations_of(stored: list[Document]) -> list[Operation]:
    """Operations as read back from the journal."""
    return [Operation(s["t"], OperationKind(s["k"]), list(_split(s["d"]))) for s in stored]


def _split(data: bytes) -> Iterator[bytes]:
    """Encoded documents written one behind the other; each begins with its length."""
    start = 0
    while start < len(data):
        (length,) = struct.unpack_from("<i", data, start)
        yield data[start : start + length]
        start += length
