"""Corpora that nobody uses are closed, those that somebody needs stay open."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from hyphe_core import clock
from hyphe_core.api.keepalive import close_idle
from memory_structure.registry import Command
from tests.unit.hyphe_core.api.conftest import Curator

_KEEPALIVE = 600


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    return Later(monkeypatch)


class Later:
    """Lets the clock of the service go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now = clock.now()
        monkeypatch.setattr(clock, "now", self._read)

    def _read(self) -> datetime:
        return self._now

    def wait(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


@pytest.fixture
def kept(curator: Curator, later: Later) -> Curator:
    curator.call("set_corpus_options", options={"keepalive": _KEEPALIVE})
    return curator


def test_an_idle_corpus_is_closed_and_opens_again_with_all_it_held(kept: Curator, later: Later) -> None:
    one = kept.declare("http://x.com/")
    later.wait(_KEEPALIVE - 1)
    assert close_idle(kept.service) == []
    later.wait(2)
    assert close_idle(kept.service) == [kept.corpus]
    assert close_idle(kept.service) == []
    state = kept.refusal("store.get_webentity", one)["message"]
    assert (state["status"], state["ready"]) == ("stopped", False)
    assert "start_corpus" in state["message"]
    kept.call("start_corpus")
    assert close_idle(kept.service) == []
    assert kept.entity(one)["prefixes"]


@pytest.mark.parametrize("method", ["get_status", "ping", "store.get_webentities", "get_corpus_options"])
def test_who_looks_at_a_corpus_keeps_it_open(kept: Curator, later: Later, method: str) -> None:
    later.wait(_KEEPALIVE - 1)
    kept.call(method)
    later.wait(_KEEPALIVE - 1)
    assert close_idle(kept.service) == []
    later.wait(2)
    assert close_idle(kept.service) == [kept.corpus]


def test_a_corpus_stays_open_while_a_crawl_waits_or_runs(kept: Curator, later: Later) -> None:
    one = kept.declare("http://x.com/")
    job_id = int(kept.call("crawl_webentity", one))
    later.wait(10 * _KEEPALIVE)
    assert close_idle(kept.service) == []
    kept.service.registry.command_job(kept.corpus, job_id, Command.PAUSE)
    later.wait(_KEEPALIVE + 1)
    assert close_idle(kept.service) == [kept.corpus]
    assert kept.structure.get_job(job_id).spec.web_entity_id == one


def test_zero_keeps_a_corpus_open(curator: Curator, later: Later) -> None:
    curator.call("set_corpus_options", options={"keepalive": 0})
    later.wait(10**8)
    assert close_idle(curator.service) == []


def test_uses_are_told_to_other_services_now_and_then(
    kept: Curator, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(kept.service.registry, "touch_corpus", told.append)
    later.wait(_KEEPALIVE / 10)
    kept.call("store.get_webentities")
    close_idle(kept.service)
    assert told == []
    later.wait(_KEEPALIVE / 5)
    kept.call("store.get_webentities")
    close_idle(kept.service)
    assert told == [kept.corpus]


def test_a_corpus_is_in_use_before_it_is_open(
    kept: Curator, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = kept.service.registry
    later.wait(_KEEPALIVE + 1)
    close_idle(kept.service)
    open_at_touch: list[bool] = []
    monkeypatch.setattr(
        registry, "touch_corpus", lambda corpus: open_at_touch.append(registry.get_corpus(corpus).started)
    )
    kept.call("start_corpus")
    assert open_at_touch == [False]
    assert registry.get_corpus(kept.corpus).started
