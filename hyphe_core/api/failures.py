"""How a call fails: a fault of the protocol (`Fault`), or an answer that says no (`Refusal`)."""

from __future__ import annotations

from enum import IntEnum

from hyphe_core.api.json_values import JsonObject
from memory_structure.errors import (
    CorruptCorpus,
    SchemaMismatch,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreUnreachable,
)

# What clients may know of a store that fails: never where it lies.
_STORE_WORDS: tuple[tuple[type[StoreError], str], ...] = (
    (StoreLocked, "the store is busy with another program's writing; try again"),
    (StoreUnreachable, "the database server does not answer; try again later"),
    (StoreFull, "the disk or quota of the store is full; nothing was changed"),
    (SchemaMismatch, "the corpus was written by a newer version of this program"),
    (CorruptCorpus, "the stored data contradict each other; ask the operator to check the corpus"),
    (StoreError, "the store of the corpus cannot be used; the log of the service says why"),
)


def words_of_store_error(error: StoreError) -> str:
    """What clients are told of a store that fails."""
    return next(words for kind, words in _STORE_WORDS if isinstance(error, kind))


class FaultCode(IntEnum):
    """Error codes of JSON-RPC 2.0, one for an overloaded service, and the code old clients know for bad
    arguments."""

    PARSE = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL = -32603
    BUSY = -32000
    REFUSED = -32001
    OLD_WRONG_ARGUMENTS = 8002


class Fault(Exception):
    """The call could not be understood or carried out at all; answered as an error of the protocol."""

    def __init__(self, code: FaultCode, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


def internal_fault(error: BaseException) -> Fault:
    """The fault for a mistake of ours: its type, nothing more."""
    return Fault(FaultCode.INTERNAL, f"internal error: {type(error).__name__}")


class Refusal(Exception):
    """The call was understood and its answer is no: `code: fail` with a message (a text, or a corpus state).

    `beside` holds further keys of the answer, such as `errors` and `results` when a part succeeded.
    """

    def __init__(self, message: str | JsonObject, beside: JsonObject | None = None) -> None:
        super().__init__(str(message))
        self.message = message
        self.beside = beside or {}


def refuse_partial(errors: list[str], results: list[object] | list[str] | list[JsonObject]) -> None:
    """Fail when there are errors, with what succeeded beside them: `errors` and `results`."""
    if errors:
        raise Refusal("; ".join(errors[:20]), {"errors": errors, "results": results})
