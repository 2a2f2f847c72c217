"""Framings, batches, notifications and errors, byte for byte where clients depend on it."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.service.conftest import FULL, MISSING
from tests.service.service_process import Client, wait_until

PONG = {"code": "success", "result": "pong"}


def test_before_1_0_the_answer_is_a_list_of_one(client: Client) -> None:
    assert client.post({"method": "ping", "params": []}) == [PONG]


def test_1_0_answers_an_object_with_a_null_error(client: Client) -> None:
    assert client.post({"method": "ping", "params": [], "id": "x"}) == {
        "result": PONG,
        "error": None,
        "id": "x",
    }
    assert client.post({"method": "ping", "id": 0})["id"] == 0


def test_2_0_answers_with_its_version(client: Client) -> None:
    call = {"jsonrpc": "2.0", "method": "ping", "id": 1.5}
    assert client.post(call) == {"jsonrpc": "2.0", "result": PONG, "id": 1.5}
    assert client.post(call | {"id": None}) == {"jsonrpc": "2.0", "result": PONG, "id": None}


@pytest.mark.parametrize(
    "params", [[None, 3], {"timeout": 3}, {"corpus": None, "timeout": None}, None, [], {}]
)
def test_parameters_go_by_position_by_name_and_not_at_all(client: Client, params: Any) -> None:
    assert client.post({"jsonrpc": "2.0", "method": "ping", "params": params, "id": 1})["result"] == PONG


def test_a_notification_has_no_answer_and_is_carried_out(client: Client) -> None:
    answer = client.send(
        json.dumps({"jsonrpc": "2.0", "method": "rename_corpus", "params": ["Renamed", "empty"]})
    )
    assert (answer.status, answer.body) == (204, b"")
    wait_until(lambda: client.call("list_corpus")["empty"]["name"] == "Renamed")


def test_a_batch_answers_in_order_without_notifications(client: Client) -> None:
    batch = [
        {"jsonrpc": "2.0", "method": "get_status", "params": [FULL], "id": 1},
        {"jsonrpc": "2.0", "method": "ping"},
        {"jsonrpc": "2.0", "method": "nothing", "id": 2},
        7,
        {"method": "ping", "id": 3},
    ]
    answers = client.post(batch)
    assert [answer.get("id") for answer in answers] == [1, 2, None, 3]
    assert answers[1]["error"]["code"] == -32601
    assert answers[2]["error"]["code"] == -32600
    assert answers[3] == {"result": PONG, "error": None, "id": 3}


def test_a_batch_of_notifications_alone_has_no_answer(client: Client) -> None:
    answer = client.send(json.dumps([{"jsonrpc": "2.0", "method": "ping"}] * 2))
    assert (answer.status, answer.body) == (204, b"")


@pytest.mark.parametrize("body", [[], [{"jsonrpc": "2.0", "method": "ping", "id": 1}] * 101])
def test_an_empty_or_overlong_batch_is_refused_as_a_whole(client: Client, body: Any) -> None:
    answer = client.post(body)
    assert (answer["error"]["code"], answer["id"]) == (-32600, None)


@pytest.mark.parametrize("body", [b"", b"  \n", b"{}", b'{"params": [1]}'])
def test_nothing_asked_answers_a_list_of_an_empty_object(client: Client, body: bytes) -> None:
    assert client.send(body).body == b"[{}]"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[1,",
        b'{"method": NaN}',
        b"\xff\xfe",
        b'{"method":"ping","id":1e999}',
        b'{"method":"\\ud800"}',
        b"'x'",
    ],
)
def test_what_is_not_json_in_utf8_is_a_parse_error(client: Client, body: bytes) -> None:
    answer = client.send(body)
    assert answer.status == 200
    assert answer.json == {
        "jsonrpc": "2.0",
        "error": {"code": -32700, "message": answer.json["error"]["message"]},
        "id": None,
    }


@pytest.mark.parametrize(
    "call",
    [
        5,
        None,
        "ping",
        {"jsonrpc": "3.0", "method": "ping", "id": 1},
        {"jsonrpc": 2, "method": "ping", "id": 1},
        {"jsonrpc": "2.0", "method": 5, "id": 1},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "method": "ping", "id": {}},
        {"jsonrpc": "2.0", "method": "ping", "id": True},
    ],
)
def test_what_is_no_call_is_an_invalid_request(client: Client, call: Any) -> None:
    assert client.post(call)["error"]["code"] == -32600


def test_an_unknown_method_is_told_with_the_nearest(client: Client) -> None:
    words = client.post({"method": "store.get_webentit"})["faultString"]
    assert words == "function store.get_webentit not found; did you mean store.get_webentity?"


def test_unknown_methods_have_the_shape_of_each_framing(client: Client) -> None:
    old = {"fault": "NoSuchFunction", "faultCode": -32601, "faultString": "function x not found"}
    assert client.post({"method": "x"}) == old
    both = {**old, "code": -32601, "message": "function x not found"}
    assert client.post({"method": "x", "id": 1}) == {"result": None, "error": both, "id": 1}
    answer = client.post({"jsonrpc": "2.0", "method": "x", "id": 1})
    assert answer["error"] == {"code": -32601, "message": "function x not found"}


@pytest.mark.parametrize(
    "method", ["__dir__", "system.__class__", "store", "store.", ".ping", "_admit", "rpc"]
)
def test_nothing_but_declared_methods_can_be_called(client: Client, method: str) -> None:
    assert client.post({"method": method})["faultCode"] == -32601


@pytest.mark.parametrize(
    "params",
    [[1, 2, 3], {"nothing": 1}, {"timeout": "soon"}, [{}], {"_msg": None}, [None, True]],
)
def test_wrong_parameters_have_the_code_of_each_framing(client: Client, params: Any) -> None:
    assert (
        client.post({"jsonrpc": "2.0", "method": "ping", "params": params, "id": 1})["error"]["code"]
        == -32602
    )
    old = client.post({"method": "ping", "params": params})
    assert (old["fault"], old["faultCode"]) == ("Fault", 8002)


def test_params_must_be_a_list_or_an_object(client: Client) -> None:
    assert client.post({"jsonrpc": "2.0", "method": "ping", "params": 5, "id": 1})["error"]["code"] == -32602


def test_private_parameters_are_not_accepted_from_outside(client: Client) -> None:
    answer = client.post({"method": "create_corpus", "params": {"name": "x", "_noloop": True}})
    assert answer["faultCode"] == 8002
    assert "x" not in client.call("list_corpus")


def test_failures_are_http_200(client: Client) -> None:
    answer = client.send(json.dumps({"method": "store.get_webentity", "params": [1, MISSING]}))
    assert (answer.status, answer.json[0]["code"]) == (200, "fail")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "text/xml", "multipart/form-data"]
)
def test_the_content_type_means_nothing_and_any_path_is_the_api(client: Client, kind: str) -> None:
    answer = client.send('{"method":"ping"}', path="/api/deep/er?x=1", Content_Type=kind)
    assert answer.json == [PONG]
    assert answer.headers["content-type"] == "application/json"


def test_introspection_answers_bare_values(client: Client) -> None:
    names = client.post({"method": "system.listMethods"})[0]
    assert "store.get_webentity" in names
    for name in names:
        assert name in client.post({"method": "system.methodHelp", "params": [name]})[0]
        signature = client.post({"method": "system.methodSignature", "params": [name]})[0]
        assert all(isinstance(kind, str) for kind in signature[0])
    answer = client.post({"jsonrpc": "2.0", "method": "system.methodHelp", "params": ["zz"], "id": 1})
    assert answer["error"]["code"] == -32601


def test_large_answers_are_compressed_when_the_client_can(client: Client) -> None:
    body = json.dumps({"method": "get_corpus_tlds", "params": [FULL]})
    packed, plain = client.send(body, Accept_Encoding="gzip, br"), client.send(body)
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(packed.body) == plain.body
    assert "content-encoding" not in client.send('{"method":"ping"}', Accept_Encoding="gzip").headers


def test_texts_of_any_script_come_back_as_sent(client: Client) -> None:
    url = "http://exämple.com/ü–日本?q=😀"
    assert list(client.call("store.simulate_creationrules_for_urls", [url], FULL)) == [url]


def test_many_clients_get_their_own_answers(client: Client) -> None:
    """200 callers at once, each with an answer only it can have."""

    def ask(number: int) -> bool:
        url = f"http://site{number}.org/page"
        answer = client.post(
            {
                "jsonrpc": "2.0",
                "method": "store.simulate_creationrules_for_urls",
                "params": [[url], FULL],
                "id": number,
            }
        )
        expected = {url: f"s:http|h:org|h:site{number}|"}
        return bool(answer["id"] == number and answer["result"]["result"] == expected)

    with ThreadPoolExecutor(200) as pool:
        assert all(pool.map(ask, range(1000)))
