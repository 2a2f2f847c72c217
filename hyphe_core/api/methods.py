"""The table of methods: one declaration each, from which dispatch, checks, introspection and the reference
come."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hyphe_core.api.failures import Fault, FaultCode
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.older_orders import is_surely_older, iter_older_readings
from hyphe_core.api.parameters import DEFAULT_CORPUS, CorpusName, Parameter
from hyphe_core.api.schemas import ANYTHING, Schema, type_name

if TYPE_CHECKING:
    from hyphe_core.api.call import Call

CORPUS = Parameter("corpus", CorpusName(), DEFAULT_CORPUS, "id of the corpus")


class Needs(Enum):
    """What a method needs of its corpus: nothing (it has none, or looks itself), that it exists or none is
    named (the service as a whole is meant), that it exists, that it is started."""

    NONE = "none"
    ANY_OR_SERVICE = "any, or null"
    ANY = "any"
    READY = "ready"


class Role(IntEnum):
    """What a caller must be allowed to do, from least to most."""

    ANYONE = 0
    READER = 1
    CURATOR = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """The role as clients write it."""
        return self.name.lower()


Function = Callable[..., "object | Awaitable[object]"]
F = TypeVar("F", bound=Function)


class Declare(Protocol):
    """What declares the function below it as a method, and leaves it as it is."""

    def __call__(self, function: F, /) -> F:
        """The function itself."""
        ...


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the service. Its function gets the call and the parameters in order, `corpus` left out.

    `returns` says in words what `result` says as a schema.
    `is_async` functions run on the reactor and must not block; the others run in a thread. `is_inline` ones
    run on the
    reactor too: they only look at memory. `is_bare` results are not wrapped in `code` and `result`.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: str
    needs: Needs
    role: Role
    function: Function
    doc: str
    result: Schema
    is_async: bool = False
    is_inline: bool = False
    is_bare: bool = False

    def bind(self, params: list[object] | JsonObject | None) -> Bound:
        """The arguments for given parameters. Raises Fault for wrong number, name or type."""
        try:
            values = self._wire_values(params)
            return self._read(values)
        except ValueError as error:
            raise Fault(FaultCode.INVALID_PARAMS, f"{self.name}: {error}") from None

    def _wire_values(self, params: list[object] | JsonObject | None) -> JsonObject:
        names = [p.name for p in self.parameters]
        if isinstance(params, dict):
            for name in params:
                if name not in names:
                    raise ValueError(
                        f"has no parameter {name[:100]!r}; it takes {', '.join(names) or 'none'}"
                    )
            return params
        given = params or []
        if len(given) > len(names):
            raise ValueError(f"takes at most {len(names)} parameters, {len(given)} were given")
        return dict(zip(names, given, strict=False))

    def _read(self, values: JsonObject) -> Bound:
        corpus_id: str | None = None
        arguments: list[object] = []
        for parameter in self.parameters:
            if isinstance(parameter.kind, CorpusName):
                corpus_id = _corpus_id(parameter, values)
            else:
                arguments.append(parameter.read(values.get(parameter.name)))
        return Bound(self, corpus_id, tuple(arguments))

    @property
    def namespace(self) -> str:
        """What stands before the last dot of the name; empty for the root."""
        return self.name.rpartition(".")[0]

    @property
    def signature(self) -> list[list[str]]:
        """[[type of the result, types of the parameters...]], as introspection says it."""
        return [[type_name(self.result), *(p.kind.json_type for p in self.parameters)]]

    @property
    def help(self) -> str:
        """The call as one writes it, what it does, what it takes and gives."""
        call = f"{self.name}({', '.join(_shown(p) for p in self.parameters)})"
        takes = [f"  {p.name}: {p.kind.label}. {p.doc}".rstrip(". ") for p in self.parameters]
        return "\n".join([call, "", self.doc, "", *takes, f"Returns {self.returns}."])


def _corpus_id(parameter: Parameter, values: JsonObject) -> str | None:
    """The corpus asked for. Left out, it is the parameter's default; null is no corpus at all."""
    if parameter.name not in values:
        return None if parameter.default is None else str(parameter.default)
    try:
        found = parameter.kind.read(values[parameter.name])
    except ValueError as error:
        raise ValueError(f"{parameter.name} {error}") from None
    return None if found is None else str(found)


def _shown(parameter: Parameter) -> str:
    return parameter.name if parameter.is_required else f"{parameter.name}={parameter.shown_default}"


@dataclass(frozen=True, slots=True)
class Bound:
    """A method with its arguments, ready to run."""

    method: Method
    corpus_id: str | None
    arguments: tuple[object, ...]

    def invoke(self, call: Call) -> object:
        """Run the function; an awaitable when it is async."""
        return self.method.function(call, *self.arguments)


class MethodGroup:
    """The methods of one namespace ("" for the root), filled by its decorator."""

    def __init__(self, namespace: str = "") -> None:
        self._start = f"{namespace}." if namespace else ""
        self._methods: list[Method] = []

    def __iter__(self) -> Iterator[Method]:
        return iter(self._methods)

    def method(
        self,
        *parameters: Parameter,
        returns: str,
        result: Schema = ANYTHING,
        needs: Needs = Needs.READY,
        role: Role = Role.READER,
        name: str = "",
        inline: bool = False,
        bare: bool = False,
    ) -> Declare:
        """Declare the function below as a method; its name and docstring are the method's unless a name is
        given."""

        def declare(function: F) -> F:
            method = Method(
                name=self._start + (name or function.__name__),
                parameters=parameters,
                returns=returns,
                needs=needs,
                role=role,
                function=function,
                doc=inspect.getdoc(function) or "",
                result=result,
                is_async=inspect.iscoroutinefunction(function),
                is_inline=inline,
                is_bare=bare,
            )
            _refuse_mismatch(method)
            self._methods.append(method)
            return function

        return declare


def _refuse_mismatch(method: Method) -> None:
    """A declaration that its function cannot serve is a mistake of ours: better at import than at a call."""
    n_arguments = 1 + sum(1 for p in method.parameters if not isinstance(p.kind, CorpusName))
    takes: Any = inspect.signature(method.function).parameters
    takes_any = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in takes.values())
    if len(takes) != n_arguments and not (takes_any and len(takes) <= n_arguments):
        raise TypeError(
            f"{method.name} declares {n_arguments - 1} parameters, its function takes {len(takes) - 1}"
        )


class MethodTable:
    """All methods by name."""

    def __init__(self, groups: Iterable[MethodGroup]) -> None:
        self._methods: dict[str, Method] = {}
        for method in (m for group in groups for m in group):
            if method.name in self._methods:
                raise ValueError(f"two methods are called {method.name}")
            self._methods[method.name] = method

    def get(self, name: str) -> Method:
        """The method of that name. Raises Fault when there is none."""
        method = self._methods.get(name)
        if method is None:
            near = get_close_matches(name[:100], self._methods, n=1, cutoff=0.7)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise Fault(FaultCode.METHOD_NOT_FOUND, f"function {name[:200]} not found{hint}")
        return method

    def bind(self, name: str, params: list[object] | JsonObject | None) -> Bound:
        """The method of that name with its arguments, in today's order or in an older one. Raises Fault when
        there is no such method, or when nothing fits: then with what today's order says."""
        method = self.get(name)
        try:
            today = method.bind(params)
        except Fault:
            older = self._find_older(name, params)
            if older is None:
                raise
            return older
        return (self._find_older(name, params) or today) if is_surely_older(name, params) else today

    def _find_older(self, name: str, params: list[object] | JsonObject | None) -> Bound | None:
        for older, named in iter_older_readings(name, params):
            try:
                return self.get(older).bind(named)
            except Fault:
                continue
        return None

    def list_methods(self) -> list[Method]:
        """Methods by name."""
        return [self._methods[name] for name in sorted(self._methods)]
