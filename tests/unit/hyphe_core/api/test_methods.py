"""Declarations of methods: binding of arguments, kinds of parameters, the table."""

from __future__ import annotations

from typing import Any

import pytest

from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.failures import Fault, FaultCode
from hyphe_core.api.methods import CORPUS, MethodGroup, MethodTable
from hyphe_core.api.parameters import (
    Anything,
    Choice,
    Flag,
    Integer,
    Kind,
    ListOf,
    Mapping,
    Number,
    Parameter,
    Text,
)
from memory_structure.records import WebEntityStatus

group = MethodGroup("space")


@group.method(
    Parameter("first", Integer(1)), CORPUS, Parameter("wireName", Text(), "default"), returns="nothing"
)
def example(call: object, first: int, wire_name: str) -> None:
    """An example."""


METHOD = next(iter(group))


@pytest.mark.parametrize(
    ("params", "corpus", "arguments"),
    [
        ([1], "--hyphe--", (1, "default")),
        ([1, "c"], "c", (1, "default")),
        ([1, None], None, (1, "default")),
        ([1, "", "x"], None, (1, "x")),
        ([1, "c", None], "c", (1, "default")),
        ([1, "c", False], "c", (1, "default")),
        ([1, 5, 2012], "5", (1, "2012")),
        ({"first": "7"}, "--hyphe--", (7, "default")),
        ({"wireName": "x", "corpus": "c", "first": 2}, "c", (2, "x")),
    ],
)
def test_arguments_are_bound_by_position_and_name(params: Any, corpus: Any, arguments: Any) -> None:
    bound = METHOD.bind(params)
    assert (bound.corpus_id, bound.arguments) == (corpus, arguments)


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        [None],
        [0],
        ["x"],
        [1, "c", "d", 5],
        [1, True],
        [1, ["c"]],
        {"first": 1, "wire_name": "x"},
        {"first": 1, "c": 1},
    ],
)
def test_wrong_arguments_are_a_fault_that_names_the_method(params: Any) -> None:
    with pytest.raises(Fault, match=r"space\.example") as caught:
        METHOD.bind(params)
    assert caught.value.code is FaultCode.INVALID_PARAMS


def test_a_declaration_that_its_function_cannot_serve_is_refused() -> None:
    with pytest.raises(TypeError, match="declares 1 parameters"):
        group.method(Parameter("one"), returns="nothing")(lambda call: None)


def test_a_name_is_given_once() -> None:
    with pytest.raises(ValueError, match=r"space\.example"):
        MethodTable((group, group))


def test_introspection_of_a_method() -> None:
    assert METHOD.help.startswith('space.example(first, corpus="--hyphe--", wireName="default")')
    assert METHOD.signature == [["any", "integer", "string", "string"]]


def test_every_method_says_what_it_does_takes_and_gives() -> None:
    for method in all_methods().list_methods():
        assert method.doc, method.name
        assert method.returns, method.name
        for parameter in method.parameters:
            assert parameter.doc, f"{method.name} {parameter.name}"
            assert parameter.shown_default if not parameter.is_required else True


ACCEPTED: list[tuple[Kind, Any, Any]] = [
    (Text(), "x", "x"),
    (Text(), 2012, "2012"),
    (Integer(), 3, 3),
    (Integer(), 3.0, 3),
    (Integer(), " -3 ", -3),
    (Number(), 3, 3.0),
    (Flag(), True, True),
    (Flag(), "False", False),
    (Flag(), 1, True),
    (Choice(WebEntityStatus), "in", WebEntityStatus.IN),
    (ListOf(Integer()), ["1", 2], [1, 2]),
    (ListOf(Text(), or_one=True), "x", ["x"]),
    (ListOf(Text(), skip_empty=True), ["", None, "x"], ["x"]),
    (Mapping(), {"a": 1}, {"a": 1}),
    (Mapping(), "", {}),
    (Anything(), [1], [1]),
]
REFUSED: list[tuple[Kind, Any]] = [
    (Text(), True),
    (Text(), 1.5),
    (Text(), "a\0b"),
    (Text(max_chars=3), "long"),
    (Integer(), True),
    (Integer(), 1.5),
    (Integer(), "1e3"),
    (Integer(), 2**60),
    (Integer(1), 0),
    (Integer(), "9" * 30),
    (Number(0, 1), 2),
    (Number(), "1"),
    (Number(), False),
    (Flag(), "perhaps"),
    (Flag(), 2),
    (Flag(), []),
    (Choice(WebEntityStatus), "MAYBE"),
    (Choice(WebEntityStatus), 1),
    (ListOf(Integer()), 1),
    (ListOf(Integer()), [1, "x"]),
    (ListOf(Integer(), max_length=1), [1, 2]),
    (Mapping(), [1]),
]


@pytest.mark.parametrize(("kind", "given", "read"), ACCEPTED)
def test_kinds_read_what_fits(kind: Kind, given: Any, read: Any) -> None:
    found = kind.read(given)
    assert (found, type(found)) == (read, type(read))


@pytest.mark.parametrize(("kind", "given"), REFUSED)
def test_kinds_refuse_what_does_not(kind: Kind, given: Any) -> None:
    with pytest.raises(ValueError):
        kind.read(given)


BLANK: list[tuple[Kind, Any, Any]] = [
    (Integer(), "", "the default"),
    (Integer(), False, "the default"),
    (Number(), "", "the default"),
    (ListOf(Text(), or_one=True), "", "the default"),
    (ListOf(Integer()), False, "the default"),
    (Choice(WebEntityStatus), "", "the default"),
    (Mapping(), False, "the default"),
    (Text(), False, "the default"),
    (Text(), "", ""),
    (Flag(), "", False),
    (Flag(), False, False),
    (Anything(), "", ""),
    (Anything(), False, False),
]


@pytest.mark.parametrize(("kind", "given", "read"), BLANK)
def test_what_a_command_line_writes_for_null_is_the_default(kind: Kind, given: Any, read: Any) -> None:
    assert Parameter("one", kind, "the default").read(given) == read


def test_blanks_are_no_value_of_a_required_number() -> None:
    with pytest.raises(ValueError, match="whole number"):
        Parameter("one", Integer()).read("")
