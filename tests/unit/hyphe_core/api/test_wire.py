"""Records on the wire: every state and every error has its form, and nothing secret goes out."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from hyphe_core.api.failures import Refusal
from hyphe_core.api.options import changed_options, own_option_names, shown_options, shown_proxy
from hyphe_core.api.wire import (
    DEFAULT_RULE_PREFIX,
    full_entity,
    shown_job,
    shown_log,
    shown_page,
    shown_rule,
)
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.records import (
    Degrees,
    EndReason,
    Fetch,
    FetchError,
    Job,
    JobCounters,
    JobSpec,
    JobState,
    LogEntry,
    PageRecord,
    WebEntity,
    WebEntityStatus,
)
from tests.contract.hyphe_api import DEFINITIONS, faults

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
MOMENT_MS = 1767323045678


def job(state: JobState = JobState.PENDING, **more: Any) -> Job:
    spec = JobSpec(
        7, ("http://x.com",), ("s:http|h:com|h:x|",), cookies="a=secret", proxy="http://u:pw@p:3128"
    )
    return Job(3, spec, state, EndReason.NONE, "words", JobCounters(n_pages=2, n_new_pages=9), MOMENT, **more)


@pytest.mark.parametrize("light", [True, False])
@pytest.mark.parametrize("state", list(JobState))
def test_every_job_has_the_shape_clients_expect(state: JobState, light: bool) -> None:
    shown = shown_job(job(state, started_at=MOMENT, ended_at=None), light)
    assert faults(shown, DEFINITIONS["Job"]) == []
    assert (shown["_id"], shown["created_at"], shown["started_at"], shown["finished_at"]) == (
        "3",
        MOMENT_MS,
        MOMENT_MS,
        None,
    )
    assert shown["nb_pages"] == 9


def test_secrets_of_a_job_stay_here() -> None:
    text = json.dumps(shown_job(job()))
    assert "secret" not in text
    assert "pw" not in text
    assert "p:3128" in text


def test_a_job_of_an_entity_that_is_gone_names_it() -> None:
    shown = shown_job(job(previous_web_entity_id=5, previous_web_entity_name="Old"))
    assert faults(shown, DEFINITIONS["Job"]) == []
    assert (shown["previous_webentity_id"], shown["previous_webentity_name"]) == (5, "Old")


@pytest.mark.parametrize("error", [None, *FetchError])
def test_every_fetch_has_the_shape_clients_expect(error: FetchError | None) -> None:
    fetch = Fetch(1, MOMENT, status=None if error else 200, error=error)
    page = PageRecord(1, "s:http|h:com|h:x|", "http://x.com", 7, "s:http|h:com|h:x|", None, MOMENT, fetch)
    for metas in (True, False):
        assert faults(shown_page(page, metas), DEFINITIONS["Page"]) == []
    assert shown_page(page, True)["crawl_timestamp"] == str(MOMENT_MS)
    assert shown_page(replace(page, fetch=None), True) == {"lru": page.lru, "crawled": False, "url": page.url}


@pytest.mark.parametrize("status", list(WebEntityStatus))
def test_a_full_entity_has_the_shape_clients_expect(status: WebEntityStatus) -> None:
    entity = WebEntity(7, "X", status, ("s:http|h:com|h:x|",), MOMENT, MOMENT, tags=(("USER", "a", "b"),))
    for latest in (None, job(JobState.RUNNING)):
        shown = full_entity(entity, Degrees(1, 2, 3), latest, "http://x.com")
        assert faults(shown, DEFINITIONS["WebEntity"]) == []


@pytest.mark.parametrize("preset", ["domain", "subdomain", "subdomain-2", "path-3", "page", "prefix+1"])
def test_a_rule_has_the_shape_clients_expect(preset: str) -> None:
    shown = shown_rule(CreationRule("", Preset.parse(preset)))
    assert faults(shown, DEFINITIONS["CreationRule"]) == []
    assert (shown["prefix"], shown["name"]) == (DEFAULT_RULE_PREFIX, preset)


def test_a_line_of_the_log() -> None:
    entry = LogEntry(MOMENT, None, "KIND", "")
    assert shown_log(entry) == {"timestamp": MOMENT_MS, "log": "KIND"}
    assert shown_log(entry, with_job=True)["job"] == ""


# -- options


def test_every_option_of_ours_goes_over_the_wire() -> None:
    shown = shown_options(CorpusOptions())
    assert faults(shown, DEFINITIONS["CorpusOptions"]) == []
    others = {"default_rule": "defaultCreationRule", "start_modes": "defaultStartpagesMode"}
    for name in own_option_names():
        assert others.get(name, name) in shown
    assert own_option_names() | {"extra", "suffix_list"} == {f.name for f in fields(CorpusOptions)}


def test_options_read_back_as_shown() -> None:
    options = CorpusOptions(default_rule="path-2", precision_limit=3, proxy="http://p:1", user_agent="a")
    shown = shown_options(options)
    del shown["suffix_list"]
    assert shown_options(changed_options(options, shown)) == shown | {"suffix_list": ""}


def test_a_proxy_written_back_as_shown_keeps_what_is_not_shown() -> None:
    options = CorpusOptions(proxy="https://me:secret@p:1")
    assert changed_options(options, {"proxy": shown_options(options)["proxy"]}) == options
    assert changed_options(options, {"proxy": {"host": "p", "port": 2}}).proxy == "http://p:2"
    assert changed_options(options, {"proxy": {"host": "", "port": 0}}).proxy is None


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(Refusal) as caught:
        changed_options(CorpusOptions(), {"max_dept": 1, "delay_seconds": "x", "keepalive": -1})
    for name in ("max_dept", "max_depth", "delay_seconds", "keepalive"):
        assert name in str(caught.value)


def test_credentials_of_a_proxy_are_not_shown() -> None:
    assert shown_proxy("http://user:secret@p.example:3128") == {"host": "p.example", "port": 3128}
    assert shown_proxy(None) == {"host": "", "port": 0}


def test_options_of_parsing_are_changed_one_by_one() -> None:
    options = changed_options(CorpusOptions(), {"parsing": {"profile": "NUTCH", "max_links": 5}})
    assert (options.parsing.profile, options.parsing.max_links) == ("nutch", 5)
    steps = {"parsing": {"filters": [["prefix", "http://"]], "normalizers": ["basic"]}}
    options = changed_options(options, steps)
    assert (options.parsing.max_links, options.parsing.filters) == (5, (("prefix", "http://"),))
    shown = shown_options(options)["parsing"]
    assert changed_options(CorpusOptions(), {"parsing": shown}) == options


@pytest.mark.parametrize(
    "parsing",
    [
        {"profile": "nuch"},
        {"profil": "nutch"},
        {"filters": [["regex", "+(a+)+b"]]},
        {"filters": ["nosuch"]},
        {"stylesheets": "../etc"},
        {"stylesheets": "/etc"},
        {"max_links": 0},
        {"order": "depth"},
        "nutch",
    ],
    ids=str,
)
def test_bad_options_of_parsing_are_refused(parsing: object) -> None:
    with pytest.raises(Refusal):
        changed_options(CorpusOptions(), {"parsing": parsing})
