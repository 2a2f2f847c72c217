"""Framing without a socket: what a body means, and that no body can make the reader fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyphe_core.api.failures import Fault, FaultCode
from hyphe_core.api.framing import MAX_DEPTH, Framing, Message, frame_fault, frame_result, read_body
from hyphe_core.api.json_values import encode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


@given(st.binary(max_size=200))
def test_any_octets_are_read_as_calls_or_faults(body: bytes) -> None:
    assert read_body(body, 10).messages


@given(JSON)
def test_any_json_is_read_as_calls_or_faults(value: Any) -> None:
    body = read_body(json.dumps(value).encode("utf-8", "surrogatepass"), 10)
    assert body.is_batch == (isinstance(value, list) and 0 < len(value) <= 10)
    assert all(m.fault is not None or m.method or m.empty for m in body.messages)


@pytest.mark.parametrize(
    ("call", "framing", "expects_answer"),
    [
        ({"method": "m"}, Framing.PRE_1, True),
        ({"method": "m", "id": None}, Framing.PRE_1, True),
        ({"method": "m", "id": 0}, Framing.V1, True),
        ({"method": "m", "jsonrpc": "2.0"}, Framing.V2, False),
        ({"method": "m", "jsonrpc": "2.0", "id": None}, Framing.V2, True),
    ],
)
def test_the_keys_of_a_call_tell_its_framing(call: Any, framing: Framing, expects_answer: bool) -> None:
    (message,) = read_body(json.dumps(call).encode(), 10).messages
    assert (message.framing, message.method, message.fault) == (framing, "m", None)
    assert message.expects_answer is expects_answer


@pytest.mark.parametrize(("depth", "accepted"), [(MAX_DEPTH - 1, True), (MAX_DEPTH + 1, False)])
def test_nesting_is_bounded(depth: int, accepted: bool) -> None:
    (message,) = read_body(b"[" * depth + b"]" * depth, 10).messages
    deep = message.fault is not None and "deeper" in message.fault.words
    assert deep is not accepted


def test_a_byte_order_mark_is_passed_over() -> None:
    (message,) = read_body(b'\xef\xbb\xbf{"method":"m"}', 10).messages
    assert message.method == "m"


@given(JSON, st.sampled_from(Framing), st.integers() | st.text())
def test_a_result_comes_back_through_any_framing(value: Any, framing: Framing, message_id: Any) -> None:
    answer = json.loads(frame_result(Message(framing, message_id), value))
    if framing is Framing.PRE_1:
        assert answer == [value]
    else:
        assert (answer["result"], answer["id"]) == (value, message_id)
        assert ("jsonrpc" in answer) == (framing is Framing.V2)


@pytest.mark.parametrize("code", list(FaultCode))
def test_a_fault_keeps_its_code_but_for_wrong_arguments_of_the_oldest_clients(code: FaultCode) -> None:
    fault = Fault(code, "words")
    assert json.loads(frame_fault(Message(Framing.V2, 1), fault))["error"]["code"] == code
    error = json.loads(frame_fault(Message(Framing.V1, 1), fault))["error"]
    assert (error["faultCode"], error["faultString"]) == (error["code"], error["message"]) == (code, "words")
    oldest = json.loads(frame_fault(Message(Framing.PRE_1, None), fault))["faultCode"]
    assert oldest == (8002 if code is FaultCode.INVALID_PARAMS else code)


@given(JSON)
def test_encoding_in_pieces_is_encoding(value: Any) -> None:
    assert json.loads(encode(value)) == value


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 1000])
def test_long_lists_are_encoded_whole(n: int) -> None:
    value = {"links": [[i, i + 1, 1] for i in range(n)], "empty": {}, "inner": {"list": list(range(n))}}
    assert json.loads(encode(value)) == value


def test_half_a_surrogate_pair_is_escaped() -> None:
    assert encode(["\ud800", "é"]) == b'["\\ud800","\\u00e9"]'


def test_what_json_cannot_say_is_an_error() -> None:
    with pytest.raises(ValueError):
        encode([float("nan")])
    with pytest.raises(TypeError):
        encode({"a": object()})
