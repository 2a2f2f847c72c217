"""How a call fails: a fault of the protocol (`Fault`), or an answer that says no (`Refusal`)."""

from __future__ import annotations

from enum import IntEnum

from hyphe_core.api.json_values import JsonObject


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


class Refusal(Exception):
    """The call was understood and its answer is no: `code: fail` with a message (a text, or a corpus state).

    `beside` holds further keys of the answer, such as `errors` and `results` when a part succeeded.
    """

    def __init__(self, message: str | JsonObject, beside: JsonObject | None = None) -> None:
        super().__init__(str(message))
        self.message = message
        self.beside = beside or {}
