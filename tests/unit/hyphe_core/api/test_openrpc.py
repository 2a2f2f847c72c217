"""The OpenRPC document: its structure, and that it says what the table of methods says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.failures import FaultCode
from hyphe_core.api.json_values import encode
from hyphe_core.api.openrpc import openrpc_document

DOCUMENT: dict[str, Any] = json.loads(encode(openrpc_document(all_methods())))
METHODS: list[dict[str, Any]] = DOCUMENT["methods"]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_the_document_has_the_required_members() -> None:
    assert DOCUMENT["openrpc"].split(".")[0] == "1"
    assert {"title", "version"} <= set(DOCUMENT["info"])
    assert set(DOCUMENT) <= {"openrpc", "info", "servers", "methods", "components", "externalDocs"}


def test_it_names_every_method_once() -> None:
    assert [m["name"] for m in METHODS] == [m.name for m in all_methods().list_methods()]
    assert "rpc.discover" in {m["name"] for m in METHODS}


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m["name"])
def test_a_method_is_described_as_the_standard_wants(method: dict[str, Any]) -> None:
    assert method["summary"].endswith(".")
    assert "\n" not in method["summary"]
    names = [p["name"] for p in method["params"]]
    assert len(set(names)) == len(names)
    assert all(p["description"] for p in method["params"])
    required = [p["required"] for p in method["params"]]
    assert required == sorted(required, reverse=True), "required parameters come first"
    for parameter in method["params"]:
        assert parameter["required"] == ("default" not in parameter["schema"])
    assert set(method["result"]) == {"name", "description", "schema"}
    assert all(name.startswith("x-") for name in set(method) - _OF_THE_STANDARD)


_OF_THE_STANDARD = {
    "name", "summary", "description", "tags", "paramStructure", "params", "result", "errors", "deprecated",
}  # fmt: skip


def test_references_lead_somewhere() -> None:
    found = set(references(DOCUMENT))
    assert found
    for reference in found:
        start, *path = reference.split("/")
        assert start == "#"
        where: Any = DOCUMENT
        for part in path:
            where = where[part]


def test_results_stand_inside_the_answer_except_bare_ones() -> None:
    by_name = {m["name"]: m["result"]["schema"] for m in METHODS}
    success, failure = by_name["ping"]["anyOf"]
    assert success["properties"] == {"code": {"const": "success"}, "result": {"const": "pong"}}
    assert failure == {"$ref": "#/components/schemas/Failure"}
    assert by_name["system.methodHelp"] == {"type": "string"}


def test_schemas_of_parameters_say_kind_bounds_and_default() -> None:
    params = {m["name"]: {p["name"]: p["schema"] for p in m["params"]} for m in METHODS}
    assert params["store.get_webentity"]["webentity_id"] == {"type": "integer", "minimum": 1}
    assert params["ping"]["corpus"] == {"type": ["string", "null"], "default": None}
    assert params["lookup"]["timeout"] == {"type": "number", "minimum": 0.1, "maximum": 120, "default": 30.0}
    ids = params["store.get_webentities"]["list_ids"]
    assert ids["anyOf"] == [
        {"type": "array", "items": {"type": "integer", "minimum": 1}},
        {"type": "integer", "minimum": 1},
    ]
    assert "DISCOVERED" in params["store.get_webentities_by_status"]["status"]["enum"]


def test_errors_are_those_of_the_protocol() -> None:
    codes = {error["code"] for error in DOCUMENT["components"]["errors"].values()}
    assert codes <= {int(code) for code in FaultCode}
