"""The three framings of JSON-RPC, read from a request body and put around an answer. Pure: bytes in, bytes
out.

Before 1.0 (neither `id` nor `jsonrpc`): the answer stands in a list of one, a fault is a bare object. 1.0
(`id`
alone): an object with result, error, id. 2.0: as its specification says, with batches and notifications. An
element
without `id` is a notification in 2.0 alone; older clients always wait for an answer.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import IntEnum

from hyphe_core.api.failures import Fault, FaultCode
from hyphe_core.api.json_values import JsonObject, encode

MAX_DEPTH = 64


class Framing(IntEnum):
    """The version of the protocol a client speaks."""

    PRE_1 = 0
    V1 = 1
    V2 = 2


@dataclass(frozen=True, slots=True)
class Message:
    """One call as asked for. `fault` is set when it is not a valid request; `expects_answer` is False for a
    notification.

    `empty` marks a body without method, which old clients send to see whether anybody is there.
    """

    framing: Framing
    message_id: object
    method: str = ""
    params: list[object] | JsonObject | None = None
    fault: Fault | None = None
    expects_answer: bool = True
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """The calls of one request, in order. `is_batch` tells whether they came (and their answers go) as a
    list."""

    messages: tuple[Message, ...]
    is_batch: bool


def read_body(body: bytes, max_batch: int) -> Body:
    """The calls in a request body. Never raises: what cannot be read is a message with a fault."""
    try:
        value = _parse(body)
    except Fault as fault:
        return Body((Message(Framing.V2, None, fault=fault),), False)
    if isinstance(value, list):
        return _read_batch(value, max_batch)
    return Body((_read_message(value),), False)


def _read_batch(values: list[object], max_batch: int) -> Body:
    if not values:
        return Body((_invalid(Framing.V2, None, "an empty batch"),), False)
    if len(values) > max_batch:
        words = f"a batch of {len(values)} calls; at most {max_batch} are accepted"
        return Body((_invalid(Framing.V2, None, words),), False)
    return Body(tuple(_read_message(value) for value in values), True)


def _parse(body: bytes) -> object:
    if not body.strip():
        return {}
    try:
        value = json.loads(body.decode("utf-8-sig"), parse_constant=_refuse_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise Fault(FaultCode.PARSE, f"the body is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise Fault(FaultCode.PARSE, f"the body is not JSON: {error}") from None
    _check_strings_and_depth(value)
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is out of range")
    return number


def _too_deep() -> Fault:
    return Fault(FaultCode.INVALID_REQUEST, f"the body is nested deeper than {MAX_DEPTH} levels")


def _check_strings_and_depth(value: object) -> None:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _members(outer)]
        if not level:
            return
    raise _too_deep()


def _members(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, str) and not value.isascii():
        _check_text(value)
    return []


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Fault(FaultCode.PARSE, "a text holds half a surrogate pair") from None


def _invalid(framing: Framing, message_id: object, words: str) -> Message:
    return Message(framing, message_id, fault=Fault(FaultCode.INVALID_REQUEST, f"invalid request: {words}"))


def _read_message(value: object) -> Message:
    if not isinstance(value, dict):
        return _invalid(Framing.V2, None, "a call is a JSON object")
    framing = _framing_of(value)
    message_id = value.get("id")
    if isinstance(message_id, (dict, list, bool)):
        return _invalid(framing, None, "an id is a text, a number or null")
    if framing is Framing.V2 and value["jsonrpc"] != "2.0":
        return _invalid(framing, message_id, 'jsonrpc must be "2.0"')
    if "method" not in value and framing is Framing.PRE_1:
        return Message(framing, None, empty=True)
    return _read_call(framing, message_id, value)


def _framing_of(value: JsonObject) -> Framing:
    if "jsonrpc" in value:
        return Framing.V2
    return Framing.PRE_1 if value.get("id") is None else Framing.V1


def _read_call(framing: Framing, message_id: object, value: JsonObject) -> Message:
    method = value.get("method")
    if not isinstance(method, str):
        return _invalid(framing, message_id, "the method is missing or not a text")
    expects_answer = framing is not Framing.V2 or "id" in value
    params = value.get("params")
    if params is not None and not isinstance(params, (list, dict)):
        fault = Fault(FaultCode.INVALID_PARAMS, "params is neither a list nor an object")
        return Message(framing, message_id, method, fault=fault, expects_answer=expects_answer)
    return Message(framing, message_id, method, params, expects_answer=expects_answer)


def frame_result(message: Message, result: object) -> bytes:
    """The answer to a call that was carried out."""
    value = encode(result)
    if message.framing is Framing.PRE_1:
        return b"[" + value + b"]"
    message_id = encode(message.message_id)
    if message.framing is Framing.V1:
        return b'{"result":' + value + b',"error":null,"id":' + message_id + b"}"
    return b'{"jsonrpc":"2.0","result":' + value + b',"id":' + message_id + b"}"


def frame_fault(message: Message, fault: Fault) -> bytes:
    """The answer to a call that was not. Before 1.0 wrong arguments have their old code and an unknown
    method its own name. In 1.0 the words stand twice: clients look for them under either pair of names."""
    if message.framing is Framing.V2:
        error: JsonObject = {"code": int(fault.code), "message": fault.words}
        return encode({"jsonrpc": "2.0", "error": error, "id": message.message_id})
    old = _old_fault(message.framing, fault)
    if message.framing is Framing.PRE_1:
        return encode(old)
    error = {**old, "code": old["faultCode"], "message": old["faultString"]}
    return encode({"result": None, "error": error, "id": message.message_id})


def _old_fault(framing: Framing, fault: Fault) -> JsonObject:
    unknown = fault.code is FaultCode.METHOD_NOT_FOUND
    code = fault.code
    if framing is Framing.PRE_1 and code is FaultCode.INVALID_PARAMS:
        code = FaultCode.OLD_WRONG_ARGUMENTS
    name = "NoSuchFunction" if unknown else "Fault"
    return {"fault": name, "faultCode": int(code), "faultString": fault.words}


def frame_batch(answers: list[bytes]) -> bytes:
    """Several answers in one list."""
    return b"[" + b",".join(answers) + b"]"
