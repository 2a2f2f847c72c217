"""Bodies made to exhaust the service: refused, and the next caller is served."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
from typing import Any

import pytest

from tests.service.service_process import Client

LIMIT = 200_000  # of the service under test


def nested(n: int, opening: str, closing: str, inner: str = "1") -> str:
    return opening * n + inner + closing * n


DEEP = [
    nested(100_000 // 2, "[", "]"),
    nested(20_000, '{"a":', "}"),
    nested(15_000, '[{"a":', "}]"),
    "[" * 190_000,
    '{"a":' * 30_000,
    '{"method":"ping","params":[' + nested(50_000, "[", "]") + "]}",
    '{"method":"ping","params":{"timeout":' + nested(20_000, '{"a":', "}") + "}}",
    '{"jsonrpc":"2.0","id":' + nested(50_000, "[", "]") + ',"method":"ping"}',
]
ODD = [
    '{"method":"ping","params":[' + "9" * 100_000 + "]}",
    '{"method":"ping","params":[1e999999]}',
    '{"method":"ping","params":[-1e-999999999]}',
    '{"method":"ping","params":[NaN]}',
    '{"method":"ping","params":["\\ud800"]}',
    '{"method":"' + "a." * 50_000 + '"}',
    '{"method":"__class__"}',
    '{"method":"system.__init__"}',
    '{"method":"ping","params":{"__proto__":{"x":1}}}',
    '{"method":["ping"]}',
    json.dumps({"method": "ping", "params": {f"k{i}": i for i in range(10_000)}}),
    json.dumps({"method": "ping", "params": list(range(30_000))}),
    json.dumps({"method": "store.get_webentities", "params": [list(range(25_000)), None, -1]}),
    "\ufeff[]",
    "\x00" * 1000,
]


def is_well(client: Client) -> bool:
    return bool(client.call("ping") == "pong")


@pytest.mark.parametrize("body", DEEP, ids=range(len(DEEP)))
def test_deeply_nested_json_is_an_error_of_the_protocol(client: Client, body: str) -> None:
    answer = client.send(body)
    assert answer.status == 200
    assert _code(answer.json) in (-32600, -32700, 8002, -32602)
    assert is_well(client)


@pytest.mark.parametrize("body", ODD, ids=range(len(ODD)))
def test_odd_values_are_answered_and_never_a_fault_of_ours(client: Client, body: str) -> None:
    answer = client.send(body)
    assert answer.status == 200
    assert _code(answer.json) != -32603
    assert is_well(client)


def _code(answer: Any) -> Any:
    if isinstance(answer, list):
        return "answered"
    return answer.get("faultCode") or answer["error"]["code"]


@pytest.mark.parametrize("n", [LIMIT + 1, 4 * LIMIT])
def test_a_body_over_the_limit_is_refused_whatever_it_says(client: Client, n: int) -> None:
    for body in (b" " * n, b'{"method":"ping"}' + b" " * n, b"[" * n):
        answer = client.send(body)
        assert (answer.status, answer.json["error"]["code"]) == (413, -32600)
    assert is_well(client)


def test_a_sender_that_does_not_stop_is_cut_off(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            connection.sendall(b"x" * 100 * LIMIT)
    assert is_well(client)


def test_chunks_do_not_go_around_the_limit(client: Client) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    body = (b" " * 50_000 for _ in range(6))
    connection.request("POST", "/", body, encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
    assert connection.getresponse().status == 413
    connection.close()
    assert is_well(client)


def test_a_packed_body_is_not_unpacked(client: Client) -> None:
    """A small body that grows when it is unpacked does not grow here."""
    body = gzip.compress(b" " * 50_000_000)
    assert len(body) < LIMIT
    answer = client.send(body, Content_Encoding="gzip")
    assert _code(answer.json) == -32700
    assert is_well(client)


def test_a_batch_has_a_limit(client: Client) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert len(client.post([call] * 100)) == 100
    assert client.post([call] * 101)["error"]["code"] == -32600
    assert is_well(client)


def test_many_headers_and_long_ones_end_the_connection_alone(client: Client) -> None:
    for headers in ({f"X-{i}": "y" for i in range(2_000)}, {"X": "y" * 1_000_000}):
        try:
            assert client.send('{"method":"ping"}', **headers).status >= 400
        except (http.client.HTTPException, OSError):
            continue  # cut off
    assert is_well(client)
