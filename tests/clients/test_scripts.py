"""Scripts for administrators, in the order of parameters that they still send: entities of a table, a corpus
made again from an archive or an export, crawls of many entities, a backup of every corpus."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients.wire import CommandLine, Refused, Script
from tests.service.service_process import ServiceProcess, wait_until

PAPER, TOWN = "http://www.gazette-valmer.fr", "http://www.mairie-valmer.fr"
OPTIONS = {
    "keepalive": 1800,
    "max_depth": 3,
    "obey_robots": False,
    "ignore_internal_links": False,
    "defaultStartpagesMode": ["homepage", "prefixes", "pages-5"],
    "defaultCreationRule": "domain",
    "follow_redirects": ["fb.me", "t.co", "l.facebook.com"],
    "proxy": {"host": "", "port": 0},
    "phantom": {"timeout": 600, "idle_timeout": 20, "ajax_timeout": 15, "whitelist_domains": []},
    "webarchives_option": "",
    "webarchives_date": "2012-07-01",
    "webarchives_days_range": 28,
    "depthHypheBro": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def script(service: ServiceProcess) -> Script:
    return Script(service.port)


@pytest.fixture(scope="module")
def corpus(script: Script) -> str:
    """Two entities, as the script makes them of a table."""
    made = str(script.call("create_corpus", "of a table")["corpus_id"])
    assert made in script.call("list_corpus")
    script.call("start_corpus", made, "")
    assert script.call("test_corpus", made)["status"] == "ready"
    for url, name in ((PAPER, "Gazette (de Valmer)"), (TOWN, "Mairie")):
        entity = script.call("store.declare_webentity_by_lrus_as_urls", [url], name, "IN", [url], True, made)
        script.call("store.set_webentity_homepage", entity["id"], url, made)
        script.call("store.add_webentity_tag_value", entity["id"], "USER", "année", "2012", made)
    return made


def _entities(script: Script, corpus: str) -> list[Any]:
    listed = script.call("store.get_webentities_by_status", "IN", None, 1, 0, False, False, corpus)
    found = listed["webentities"]
    while listed["next_page"]:
        listed = script.call(
            "store.get_webentities_page", listed["token"], listed["next_page"], False, corpus
        )
        found += listed["webentities"]
    return sorted(found, key=lambda entity: entity["_id"])


def _ended(script: Script, corpus: str) -> Any:
    jobs = script.call("listjobs", None, None, None, False, corpus)
    return jobs if jobs and all(job["indexing_status"] == "FINISHED" for job in jobs) else None


def test_crawls_of_entities_by_number(script: Script, corpus: str) -> None:
    for web_entity_id in (1, 2):
        params = [web_entity_id, 0, False, "IN", "startpages", None, {}, corpus]
        script.call("crawl_webentity_with_startmode", *params)
    script.call("crawl_webentity", "1", 0, False, "IN", "prefixes", {}, corpus)
    jobs = wait_until(lambda: _ended(script, corpus), 60)
    assert [job["webentity_id"] for job in jobs] == [1, 2, 1]
    pages = script.call("store.get_webentity_pages", 1, True, corpus)
    assert {page["url"] for page in pages} >= {PAPER}
    owner = script.call("store.get_webentity_for_url_as_lru", pages[0]["lru"], corpus)
    assert owner["id"] == 1


def test_a_corpus_made_again_from_an_archive(script: Script, corpus: str) -> None:
    entities, jobs = _entities(script, corpus), wait_until(lambda: _ended(script, corpus), 60)
    again = script.call("create_corpus", "of an archive", "", OPTIONS)["corpus_id"]
    for entity in entities:
        known = [entity[key] for key in ("prefixes", "name", "status", "startpages")]
        made = script.call("store.declare_webentity_by_lrus", *known, False, again)
        script.call("store.set_webentity_homepage", made["id"], entity["homepage"], again)
        assert made["id"] == entity["_id"]
    for job in jobs:
        asked = job["crawl_arguments"]
        names = (
            "start_urls",
            "follow_prefixes",
            "nofollow_prefixes",
            "discover_prefixes",
            "max_depth",
            "phantom",
        )
        known = [asked[name] for name in names]
        script.call("crawl.start", job["webentity_id"], *known, {}, 1, asked["cookies"], again)
    found = wait_until(lambda: _ended(script, again), 60)
    assert [one["crawl_arguments"]["start_urls"] for one in found] == [
        one["crawl_arguments"]["start_urls"] for one in jobs
    ]
    assert [one["prefixes"] for one in _entities(script, again)] == [one["prefixes"] for one in entities]


def test_what_a_corpus_lacks_is_told_and_not_guessed(script: Script) -> None:
    with pytest.raises(Refused) as caught:
        script.call("store.declare_webentity_by_lrus_as_urls", [PAPER], "X", "IN", [PAPER], True, "nowhere")
    assert caught.value.message["status"] == "missing"


def test_errors_are_read_under_both_pairs_of_names(script: Script) -> None:
    for method, params in (("store.nothing", []), ("ping", [1, 2, 3, 4])):
        _, answer = script.post({"method": method, "params": params, "id": "a"})
        error = answer["error"]
        assert (error["code"], error["message"]) == (error["faultCode"], error["faultString"])


def test_a_backup_of_every_corpus(service: ServiceProcess, corpus: str) -> None:
    client = CommandLine(service.port)
    for one in client.call("list_corpus"):
        client.call("start_corpus", one, "")
        assert client.envelope("backup_corpus", [one])["code"] == "success"
        client.call("stop_corpus", one)
    client.call("start_corpus", corpus, "")


def test_a_command_line_writes_no_null_and_no_text_of_digits(service: ServiceProcess) -> None:
    client = CommandLine(service.port)
    assert client.call("create_corpus")["corpus_id"] == "--hyphe--"
    entity = client.call("declare_page", PAPER)
    client.call("store.rename_webentity", entity["id"], 2012)
    client.call("store.add_webentity_tag_value", entity["id"], "USER", "year", 2012)
    for params in (["", False, False, "name", 100000, 0, True], [[], False, False, False, "", "", "true"]):
        (row,) = client.call("store.get_webentities", *params)["webentities"]
        assert row["name"] == "2012"
    assert client.call("store.get_tags", "USER") == {"year": {"2012": 1}}
    job = client.call("crawl_webentity", entity["id"], 0, False, True)
    assert [one["_id"] for one in client.call("listjobs", "", "", False, True)] == [job]
    assert [one["_id"] for one in client.call("listjobs", [job])] == [job]
    client.call("crawl.cancel_all")
