"""Every method of Hyphe, by position, by name and with nulls, on full, empty, stopped and missing corpora.

No socket: the service carries out calls as the transport hands them over, and its answers go through JSON.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hyphe_core.api import lookup
from hyphe_core.api.asking import Answer
from hyphe_core.api.call import Call, Caller
from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.json_values import encode
from hyphe_core.api.methods import Bound, Method, Needs, Role
from hyphe_core.api.parameters import Anything, Choice, CorpusName, Flag, Integer, ListOf, Mapping, Number
from hyphe_core.api.schemas import ANYTHING, COMPONENTS
from hyphe_core.api.service import Service
from hyphe_core.config import Config
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.opening import open_registry
from memory_structure.records import JobSpec
from memory_structure.registry import Registry
from memory_structure.url_cutter import url_to_lru
from tests.contract.hyphe_api import METHODS, faults, result_faults
from tests.contract.hyphe_calls import CALLS, HOST, OTHER_DEFAULTS, TOKEN
from tests.service.conftest import EMPTY, FULL, MISSING, STOPPED, make_corpora

STYLES = ("position", "name", "nulls")
HAVE = {method.name: method for method in all_methods().list_methods()}
OF_HYPHE = sorted(METHODS)
OUR_OWN = sorted(set(HAVE) - set(METHODS))


# -- corpora ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpora of the service tests; the full one also has a nested entity, a waiting job and a rule."""
    folder = tmp_path_factory.mktemp("corpora")
    make_corpora(folder)
    registry = open_registry(folder)
    full = registry.open_structure(FULL)
    full.declare_web_entity([HOST + "p:sub|"])
    full.create_job(JobSpec(1, ("http://one.example.com/",), (HOST,)))
    full.add_rule(CreationRule("s:http|h:net|h:three|", Preset.parse("path-1")))
    registry.close()
    return folder


MakeService = Callable[[], Service]


@pytest.fixture(scope="module")
def shared(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """For calls that change nothing."""
    with_copy = _copied(template, tmp_path_factory.mktemp("shared") / "data")
    yield with_copy
    with_copy.registry.close()


@pytest.fixture
def fresh(template: Path, tmp_path: Path) -> Iterator[MakeService]:
    """Makes services over copies of the corpora, one for each call that changes something."""
    opened: list[Registry] = []

    def make() -> Service:
        service = _copied(template, tmp_path / str(len(opened)))
        opened.append(service.registry)
        return service

    yield make
    for registry in opened:
        registry.close()


def _copied(template: Path, folder: Path) -> Service:
    shutil.copytree(template, folder)
    return Service(Config(data_dir=folder), open_registry(folder))


@pytest.fixture(autouse=True)
def _mock_web(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one server there is redirects everything."""

    async def ask(url: str, **_: Any) -> Answer:
        return Answer(301, url + "elsewhere")

    monkeypatch.setattr(lookup, "ask", ask)


# -- calling ----------------------------------------------------------------------------------------------


def parameters(method: Method, values: dict[str, Any], style: str) -> Any:
    """Values by parameter name as one of the styles sends them."""
    if style == "nulls":
        kept = {p.name for p in method.parameters if p.is_required} | {"corpus"}
        values = {name: value if name in kept else None for name, value in values.items()}
    return list(values.values()) if style == "position" else values


def values_of(method: Method, corpus: str, arguments: list[Any]) -> dict[str, Any]:
    """Values by name, the corpus put where the method has it."""
    remaining = iter(arguments)
    values = {
        p.name: corpus if isinstance(p.kind, CorpusName) else next(remaining) for p in method.parameters
    }
    assert list(remaining) == []
    return values


def call(service: Service, name: str, params: Any) -> Any:
    """The answer as a client reads it."""
    answer = _answer(service, service.table.get(name).bind(params))
    return json.loads(encode(answer))


def _answer(service: Service, bound: Bound) -> Any:
    if not bound.method.is_async:
        return service.answer_blocking(bound, Caller()).value
    admitted = service.admit_blocking(bound, Caller())
    if isinstance(admitted, Call):
        return asyncio.run(service.answer_async(bound, admitted)).value
    return admitted.value


def call_on(service: Service, corpus: str, name: str, style: str) -> Any:
    """The answer to the method with the arguments of the table."""
    method = HAVE[name]
    arguments = [_token(service, corpus) if a is TOKEN else a for a in CALLS[name]]
    return call(service, name, parameters(method, values_of(method, corpus, arguments), style))


def _token(service: Service, corpus: str) -> str:
    listing = call(service, "store.get_webentities", {"count": 1, "corpus": corpus})
    return str(listing["result"]["token"]) if listing["code"] == "success" else "0" * 24


def result_of(name: str, answer: Any) -> Any:
    """The result of a successful call, whose shape is what clients expect."""
    if HAVE[name].is_bare:
        result = answer
    else:
        assert answer["code"] == "success", answer
        result = answer["result"]
    assert result_faults(name, result) == []
    assert own_faults(name, result) == []
    return result


def own_faults(name: str, result: Any) -> list[str]:
    """What in a result differs from the schema that its method declares."""
    return faults(result, HAVE[name].result, definitions=COMPONENTS)


def is_state(message: Any, corpus: str, status: str) -> bool:
    return isinstance(message, dict) and (message["corpus_id"], message["ready"], message["status"]) == (
        corpus,
        False,
        status,
    )


# -- the suite --------------------------------------------------------------------------------------------


def test_every_method_of_hyphe_is_there() -> None:
    assert len(METHODS) == 103
    assert set(METHODS) == set(CALLS) == set(METHODS) & set(HAVE)


@pytest.mark.parametrize("name", OF_HYPHE)
def test_parameters_have_the_names_order_and_defaults_of_hyphe(name: str) -> None:
    ours, theirs = HAVE[name].parameters, METHODS[name]["params"]
    assert [p.name for p in ours] == [p["name"] for p in theirs]
    for own, their in zip(ours, theirs, strict=True):
        if (name, own.name) not in OTHER_DEFAULTS:
            shown = "required" if own.is_required else json.loads(own.shown_default)
            assert shown == their.get("default", "required"), own.name


@pytest.mark.parametrize("name", OF_HYPHE)
def test_on_a_full_corpus_each_style_of_call_succeeds(name: str, shared: Service, fresh: MakeService) -> None:
    results = []
    for style in STYLES:
        service = shared if _only_reads(name) else fresh()
        results.append(result_of(name, call_on(service, FULL, name, style)))
    if _only_reads(name) and name not in _OF_THE_MOMENT:
        assert results[0] == results[1]


# These say the time, or hold a token made for the answer.
_OF_THE_MOMENT = {
    "store.get_webentities_stats",
    "store.get_webentities_page",
    "store.get_webentity_referrals",
}


def _only_reads(name: str) -> bool:
    """Methods on the service as a whole may write whatever role they ask for."""
    method = HAVE[name]
    return method.role <= Role.READER and (method.needs is not Needs.NONE or "get" in name or "list" in name)


@pytest.mark.parametrize("name", OF_HYPHE)
def test_on_an_empty_corpus_a_call_succeeds_or_says_why_not(
    name: str, shared: Service, fresh: MakeService
) -> None:
    for style in STYLES:
        answer = call_on(shared if _only_reads(name) else fresh(), EMPTY, name, style)
        if HAVE[name].is_bare or answer["code"] == "success":
            result_of(name, answer)
        else:
            assert isinstance(answer["message"], str)
            assert answer["message"]


ON_A_CORPUS = [n for n in OF_HYPHE if any(isinstance(p.kind, CorpusName) for p in HAVE[n].parameters)]


@pytest.mark.parametrize(("corpus", "status"), [(STOPPED, "stopped"), (MISSING, "missing")])
@pytest.mark.parametrize("name", ON_A_CORPUS)
def test_on_a_corpus_that_is_not_open_its_state_is_the_answer(
    name: str, corpus: str, status: str, fresh: MakeService, shared: Service
) -> None:
    method = HAVE[name]
    for style in STYLES:
        service = shared if method.needs is Needs.READY else fresh()
        answer = call_on(service, corpus, name, style)
        if method.needs is Needs.READY or (method.needs is Needs.ANY and status == "missing"):
            assert answer["code"] == "fail", answer
            assert is_state(answer["message"], corpus, status), answer
            assert answer["message"]["message"]
        elif method.needs is Needs.ANY:
            result_of(name, answer)
        else:
            _check_told_state(name, answer, corpus, status)


def _check_told_state(name: str, answer: Any, corpus: str, status: str) -> None:
    if name == "test_corpus":
        assert is_state(result_of(name, answer), corpus, status)
    elif name == "get_status":
        assert is_state(result_of(name, answer)["corpus"], corpus, status)
    elif name == "start_corpus" and status == "stopped":
        assert result_of(name, answer)["ready"] is True
    else:
        assert answer["code"] == "fail"
        assert is_state(answer["message"], corpus, status)


# -- every method, also those that Hyphe does not have ----------------------------------------------------


@pytest.mark.parametrize("name", sorted(HAVE))
def test_a_method_is_documented(name: str) -> None:
    method = HAVE[name]
    assert method.doc.rstrip().endswith("."), "its function has no docstring that says what it does"
    assert method.returns
    assert method.result is not ANYTHING, "it declares no schema of its result"
    for parameter in method.parameters:
        assert parameter.doc, parameter.name


@pytest.mark.parametrize("name", OUR_OWN)
def test_own_methods_answer_whatever_they_are_given(name: str, fresh: MakeService) -> None:
    """Not a fault of ours, on any corpus: a success, words, or the state of the corpus."""
    method = HAVE[name]
    for corpus, status in ((FULL, ""), (EMPTY, ""), (STOPPED, "stopped"), (MISSING, "missing")):
        if method.is_async and not status:
            continue
        values = {
            p.name: corpus if isinstance(p.kind, CorpusName) else sample(p.kind) for p in method.parameters
        }
        answer = call(fresh(), name, values)
        if method.is_bare:
            continue
        assert answer["code"] in {"success", "fail"}
        if answer["code"] == "success":
            assert own_faults(name, answer["result"]) == []
        if status and (method.needs is Needs.READY or (method.needs is Needs.ANY and status == "missing")):
            assert is_state(answer["message"], corpus, status)


def sample(kind: Any) -> Any:
    """A value that a kind of parameter reads."""
    if isinstance(kind, (Integer, Number)):
        return max(1, int(kind.minimum)) if kind.minimum > -1e300 else 1
    if isinstance(kind, ListOf):
        return [sample(kind.member)]
    if isinstance(kind, Choice):
        return next(iter(kind.choices)).value
    if isinstance(kind, Flag):
        return True
    if isinstance(kind, Mapping):
        return {}
    return None if isinstance(kind, Anything) else "x"


@pytest.mark.parametrize("name", sorted(HAVE))
def test_a_required_parameter_must_be_there(name: str) -> None:
    required = [p.name for p in HAVE[name].parameters if p.is_required]
    if required:
        with pytest.raises(Exception, match="required") as caught:
            HAVE[name].bind({})
        assert caught.value.code == -32602  # type: ignore[attr-defined]  # a Fault


def test_pages_are_keyed_by_their_lru() -> None:
    """The host of the table is the one the corpora know."""
    assert url_to_lru("http://one.example.com/") == HOST
