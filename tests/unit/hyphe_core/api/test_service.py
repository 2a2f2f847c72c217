"""The service without a transport: outcomes become answers, and what a caller changed is seen at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hyphe_core.api import views
from hyphe_core.api.call import Caller
from hyphe_core.api.failures import Fault, FaultCode, Refusal
from hyphe_core.api.methods import MethodGroup, MethodTable, Needs, Role
from hyphe_core.api.service import Service
from hyphe_core.config import Config
from hyphe_core.errors import UsageFault
from memory_structure.errors import (
    CorruptCorpus,
    NotFound,
    SchemaMismatch,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreUnreachable,
)
from memory_structure.opening import open_registry
from memory_structure.registry import Registry


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    registry = open_registry(tmp_path)
    yield registry
    registry.close()


@pytest.fixture
def service(registry: Registry, tmp_path: Path) -> Service:
    return Service(Config(data_dir=tmp_path), registry)


def call(service: Service, name: str, *params: Any, token: str | None = None) -> Any:
    return service.answer_blocking(service.table.get(name).bind(list(params)), Caller(token)).value


def test_what_a_client_changed_is_seen_however_dear_the_summary(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_DEAR_SECONDS", -1.0)
    monkeypatch.setattr(views, "_PATIENCE", 1e9)
    call(service, "create_corpus", "C")
    listing = ("store.get_webentities", [], None, 100, 0, False, False, False, "c")
    assert call(service, *listing)["result"]["total_results"] == 0
    call(service, "declare_page", "http://x.com/", "c")
    assert call(service, *listing)["result"]["total_results"] == 1


def failing(registry: Registry, error: Exception) -> Service:
    group = MethodGroup()

    @group.method(returns="nothing", needs=Needs.NONE, role=Role.ANYONE)
    def fail(call: object) -> None:
        """Fail."""
        raise error

    return Service(Config(), registry, MethodTable((group,)))


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (Refusal("no"), "no"),
        (Refusal({"status": "stopped"}), {"status": "stopped"}),
        (NotFound("there is no page"), "there is no page"),
        (UsageFault("bad option"), "bad option"),
    ],
)
def test_what_callers_got_wrong_is_told_to_them(registry: Registry, error: Exception, message: Any) -> None:
    assert call(failing(registry, error), "fail") == {"code": "fail", "message": message}


@pytest.mark.parametrize(
    "kind", [StoreError, StoreLocked, StoreUnreachable, StoreFull, SchemaMismatch, CorruptCorpus]
)
def test_a_store_that_fails_is_told_without_its_place(registry: Registry, kind: type[StoreError]) -> None:
    answer = call(failing(registry, kind("/secret/place/corpus.sqlite")), "fail")
    assert answer["code"] == "fail"
    assert answer["message"]
    assert "secret" not in answer["message"]


@pytest.mark.parametrize(
    ("kind", "level", "words"),
    [(StoreLocked, "WARNING", "the store is busy"), (StoreFull, "ERROR", "the store failed")],
)
def test_a_busy_store_is_no_error_of_the_service(
    registry: Registry, caplog: pytest.LogCaptureFixture, kind: type[StoreError], level: str, words: str
) -> None:
    call(failing(registry, kind("turn")), "fail")
    (line,) = [r for r in caplog.records if "method fail" in r.getMessage()]
    assert (line.levelname, words in line.getMessage()) == (level, True)


def test_anything_unforeseen_tells_its_type_alone(registry: Registry) -> None:
    with pytest.raises(Fault) as caught:
        call(failing(registry, ZeroDivisionError("secret")), "fail")
    assert (caught.value.code, caught.value.words) == (
        FaultCode.INTERNAL,
        "internal error: ZeroDivisionError",
    )


@pytest.mark.parametrize(
    ("settings", "is_admin"),
    [
        ({}, True),
        ({"host": "localhost"}, True),
        ({"host": "0.0.0.0"}, False),
        ({"admin_password": "x"}, False),
        ({"host": "0.0.0.0", "admin_password": "x"}, False),
    ],
)
def test_everyone_is_administrator_of_a_machine_of_their_own(
    registry: Registry, settings: Any, is_admin: bool
) -> None:
    service = Service(Config(**settings), registry)
    assert service.may(Role.ADMIN, Caller(), None) is is_admin
    token = service.sessions.grant(None, admin=True)
    assert service.may(Role.ADMIN, Caller(token), None)
