"""Introspection over the wire: bare values in every framing."""

from __future__ import annotations

from hyphe_core.api.catalogue import all_methods
from tests.service.service_process import Client

NAMES = [method.name for method in all_methods().list_methods()]


def test_the_methods_are_listed_in_every_framing(client: Client) -> None:
    call = {"method": "system.listMethods", "params": []}
    assert client.post(call) == [NAMES]
    assert client.post(call | {"id": 1}) == {"result": NAMES, "error": None, "id": 1}
    assert client.post(call | {"jsonrpc": "2.0", "id": 1})["result"] == NAMES


def test_a_method_tells_its_use_and_types(client: Client) -> None:
    text = client.post({"jsonrpc": "2.0", "method": "system.methodHelp", "params": ["lookup"], "id": 1})[
        "result"
    ]
    assert text.startswith('lookup(url, timeout=30.0, corpus="--hyphe--")\n')
    call = {"jsonrpc": "2.0", "method": "system.methodSignature", "params": {"method": "lookup"}, "id": 1}
    assert client.post(call)["result"] == [["boolean", "string", "number", "string"]]
    answer = client.post(call | {"params": ["nothing"]})
    assert answer["error"]["code"] == -32601


def test_the_openrpc_document_names_every_method(client: Client) -> None:
    document = client.post({"jsonrpc": "2.0", "method": "rpc.discover", "id": 1})["result"]
    assert [method["name"] for method in document["methods"]] == NAMES
    assert document["openrpc"].startswith("1.")
