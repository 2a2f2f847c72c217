"""Introspection: the names, help texts and signatures of the methods. Answers are bare values, as clients
expect."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import MethodGroup, Needs, Role
from hyphe_core.api.openrpc import openrpc_document
from hyphe_core.api.parameters import Parameter, Text
from hyphe_core.api.schemas import OBJECT, TEXT, TEXTS, list_of

methods = MethodGroup("system")
rpc_methods = MethodGroup("rpc")

_METHOD = Parameter("method", Text(max_chars=200), doc="full name of a method")


@methods.method(
    name="listMethods",
    result=TEXTS,
    returns="a list of names",
    needs=Needs.NONE,
    role=Role.ANYONE,
    inline=True,
    bare=True,
)
def list_methods(call: Call) -> list[str]:
    """List the names of all methods."""
    return [method.name for method in call.service.table.list_methods()]


@methods.method(
    _METHOD,
    name="methodHelp",
    result=TEXT,
    returns="a text",
    needs=Needs.NONE,
    role=Role.ANYONE,
    inline=True,
    bare=True,
)
def method_help(call: Call, method: str) -> str:
    """Say what a method does, takes and gives."""
    return call.service.table.get(method).help


@methods.method(
    _METHOD,
    name="methodSignature",
    result=list_of(TEXTS),
    returns="a list of one signature: type of the result, then of each parameter",
    needs=Needs.NONE,
    role=Role.ANYONE,
    inline=True,
    bare=True,
)
def method_signature(call: Call, method: str) -> list[list[str]]:
    """Give the types of a method's result and parameters, in order."""
    return call.service.table.get(method).signature


@rpc_methods.method(
    result=OBJECT,
    returns="an OpenRPC document",
    needs=Needs.NONE,
    role=Role.ANYONE,
    bare=True,
)
def discover(call: Call) -> JsonObject:
    """Describe all methods, their parameters and results, as an OpenRPC document."""
    return openrpc_document(call.service.table)
