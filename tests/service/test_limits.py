"""Bodies that are too large, too deep or cut off, and clients that leave."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

import pytest

from tests.service.conftest import FULL
from tests.service.service_process import Client, wait_until


def test_a_body_over_the_limit_is_refused(client: Client) -> None:
    answer = client.send(json.dumps({"method": "ping", "params": ["x" * 200_000]}))
    assert (answer.status, answer.json["error"]["code"]) == (413, -32600)
    assert client.call("ping") == "pong"


def test_a_body_at_the_limit_is_read(client: Client) -> None:
    body = json.dumps({"method": "ping"})
    assert client.send(body + " " * (200_000 - len(body))).json == [{"code": "success", "result": "pong"}]


def test_a_chunked_body_cannot_pass_the_limit(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port), 20) as wire:
        wire.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        try:
            for _ in range(60):
                wire.sendall(chunk)
            wire.sendall(b"0\r\n\r\n")
            answer = wire.recv(1000)
        except OSError:
            answer = b""
    assert b"HTTP/1.1 200" not in answer
    assert client.call("ping") == "pong"


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":['])
@pytest.mark.parametrize("times", [70, 900, 10_000])
def test_deep_nesting_is_refused(client: Client, opening: str, times: int) -> None:
    closing = {"[": "]", '{"a":': "}", '[{"a":[': "]}]"}[opening]
    inner: Any = opening * times + "1" + closing * times
    assert client.send(inner).json["error"]["code"] == -32600
    assert client.call("ping") == "pong"


def test_nesting_within_the_limit_is_read(client: Client) -> None:
    inner = "[" * 40 + "]" * 40
    answer = client.send('{"method":"create_corpus","params":["deep","",' + inner + "]}").json
    assert answer["faultCode"] == 8002


def test_a_client_that_leaves_is_no_error(client: Client, service: Any) -> None:
    before = service.log_path.read_text()
    body = json.dumps({"method": "get_corpus_tlds", "params": [FULL]}).encode()
    head = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    for _ in range(30):
        wire = socket.create_connection(("127.0.0.1", client.port), 20)
        wire.sendall(head + body)
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wire.close()
    wait_until(lambda: client.call("ping") == "pong")
    client.call("get_corpus_tlds", FULL)
    assert service.log_path.read_text() == before


@pytest.mark.parametrize("verb", ["GET", "PUT", "DELETE", "HEAD", "PATCH"])
def test_calls_are_sent_by_post(client: Client, verb: str) -> None:
    answer = client.send("", method=verb, path="/?request={}&callback=f")
    assert answer.status == 405
    assert answer.headers["allow"] == "POST, OPTIONS"


@pytest.mark.parametrize(
    "name", [b"Host", b"Origin", b"Auth-Token", b"Cookie", b"Authorization", b"Accept-Encoding"]
)
def test_headers_of_any_octets_break_nothing(client: Client, name: bytes) -> None:
    host = b"" if name == b"Host" else b"Host: localhost\r\n"
    body = b'{"method":"ping"}'
    with socket.create_connection(("127.0.0.1", client.port), 20) as wire:
        head = b"POST / HTTP/1.1\r\n" + host + name + b": \xff\xfe=\xe9;\r\nConnection: close\r\n"
        wire.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answer = b"".join(iter(lambda: wire.recv(65536), b""))
    refused = name in (b"Host", b"Origin")
    assert answer.startswith(b"HTTP/1.1 403" if refused else b"HTTP/1.1 200")
    assert b"application/json" in answer
