"""The methods as an OpenRPC document: what `rpc.discover` answers, made from the table of methods alone.

A method's schema of its result stands inside the answer that goes over the wire: success with that result, or
failure. Members beginning with `x-` are ours.
"""

from __future__ import annotations

from functools import cache

from hyphe_core.api.failures import FaultCode
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import Method, MethodTable, Needs
from hyphe_core.api.parameters import Parameter
from hyphe_core.api.schemas import COMPONENTS, FAILURE, either, success_of
from hyphe_core.config.fields import program_version

OPENRPC_VERSION = "1.3.2"

_ERRORS: dict[str, tuple[FaultCode, str]] = {
    "InvalidParams": (FaultCode.INVALID_PARAMS, "wrong number, name or type of parameters"),
    "Internal": (FaultCode.INTERNAL, "an internal error; only its type is told"),
    "Busy": (FaultCode.BUSY, "too many calls are waiting"),
}


@cache
def openrpc_document(table: MethodTable) -> JsonObject:
    """The document of a table. Made once; callers must not change it."""
    return {
        "openrpc": OPENRPC_VERSION,
        "info": {
            "title": "Hyphe crawler",
            "description": "Corpora of web entities: crawling them, curating them, reading their network.",
            "version": program_version(),
            "license": {"name": "Apache-2.0"},
        },
        "methods": [_method(method) for method in table.list_methods()],
        "components": {
            "schemas": COMPONENTS,
            "errors": {
                name: {"code": int(code), "message": words} for name, (code, words) in _ERRORS.items()
            },
        },
    }


def _method(method: Method) -> JsonObject:
    summary, _, more = method.doc.partition("\n\n")
    return {
        "name": method.name,
        "summary": " ".join(summary.split()),
        **({"description": more} if more else {}),
        "tags": [{"name": method.namespace or "corpora"}],
        "paramStructure": "either",
        "params": [_parameter(parameter) for parameter in method.parameters],
        "result": {
            "name": "result",
            "description": method.returns,
            "schema": method.result if method.is_bare else either(success_of(method.result), FAILURE),
        },
        "errors": [{"$ref": f"#/components/errors/{name}"} for name in _ERRORS],
        "x-role": method.role.name.lower(),
        **({} if method.needs is Needs.NONE else {"x-corpus": method.needs.value}),
    }


def _parameter(parameter: Parameter) -> JsonObject:
    return {
        "name": parameter.name,
        "description": parameter.doc,
        "required": parameter.is_required,
        "schema": parameter.schema,
    }
