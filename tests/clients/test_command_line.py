"""The command-line client and the script that makes entities of a table, in their own framings."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from tests.clients.wire import CommandLine, Script
from tests.service.service_process import ServiceProcess, wait_until

TABLE = """name,url,status,kind
La Gazette,http://www.gazette-valmer.fr/,IN,press
Mairie,http://www.mairie-valmer.fr/,UNDECIDED,"town, hall"
Crêtes,http://vent-des-cretes.org/,IN,association
"""


@pytest.fixture(scope="module")
def client(service: ServiceProcess) -> CommandLine:
    return CommandLine(service.port)


@pytest.fixture(scope="module")
def corpus(client: CommandLine) -> str:
    made = client.call("create_corpus", "commands")
    assert client.call("test_corpus", made["corpus_id"])["status"] == "ready"
    return str(made["corpus_id"])


def test_what_the_service_offers(client: CommandLine) -> None:
    _, names = client.post({"method": "system.listMethods", "params": []})
    assert "store.get_webentities" in str(names)
    _, words = client.post({"method": "system.methodHelp", "params": ["ping"]})
    assert "ping" in str(words)


def test_a_session_at_the_terminal(client: CommandLine, corpus: str) -> None:
    assert client.call("ping", corpus)
    entity = client.call(
        "store.declare_webentity_by_lrus_as_urls",
        ["http://forum.debat-eolien.fr/"],
        "Forum",
        "IN",
        [],
        True,
        {},
        corpus,
    )
    job = client.call("crawl_webentity", entity["id"], 1, False, "IN", None, None, None, {}, {}, corpus)
    wait_until(
        lambda: client.call("listjobs", [job], None, None, False, corpus)[0]["crawling_status"] == "FINISHED",
        60,
    )
    assert (
        client.call("store.get_webentity_for_url", "http://forum.debat-eolien.fr/x", corpus)["id"]
        == entity["id"]
    )
    (crawled,) = client.call("store.get_webentity", entity["id"], corpus)
    assert crawled["startpages"] == ["http://forum.debat-eolien.fr/index.php"]
    client.call("store.set_webentity_status", entity["id"], "OUT", corpus)
    client.call("store.delete_webentity", entity["id"], corpus)
    assert (
        client.call("store.get_webentities", [entity["id"]], None, 100, 0, False, False, False, corpus) == []
    )


def test_a_fault_is_an_object_and_no_list(client: CommandLine) -> None:
    _, answer = client.post({"method": "store.no_such_method", "params": []})
    assert answer["fault"] == "NoSuchFunction"
    assert answer["faultCode"] == -32601
    _, answer = client.post({"method": "ping", "params": [1, 2, 3, 4]})
    assert (answer["fault"], answer["faultCode"]) == ("Fault", 8002)


def test_entities_of_a_table(service: ServiceProcess) -> None:
    script = Script(service.port)
    corpus = script.call("create_corpus", "table")["corpus_id"]
    made: list[Any] = []
    for row in csv.DictReader(io.StringIO(TABLE)):
        tags = {"USER": {"kind": row["kind"]}}
        entity = script.call(
            "store.declare_webentity_by_lrus_as_urls",
            [row["url"]],
            row["name"],
            row["status"],
            [row["url"]],
            True,
            tags,
            corpus,
        )
        made.append(entity)
    assert [entity["status"] for entity in made] == ["IN", "UNDECIDED", "IN"]
    assert script.call("store.get_tags", "USER", corpus)["kind"] == {
        "press": 1,
        "town, hall": 1,
        "association": 1,
    }
    jobs = [
        script.call("crawl_webentity", one["id"], 0, False, one["status"], None, None, None, {}, {}, corpus)
        for one in made
    ]
    wait_until(
        lambda: all(
            job["crawling_status"] == "FINISHED"
            for job in script.call("listjobs", jobs, None, None, True, corpus)
        ),
        60,
    )
    assert (
        script.call("store.get_webentities_by_status", "UNDECIDED", None, -1, 0, True, False, corpus)[0][
            "name"
        ]
        == "Mairie"
    )


def test_the_corpus_is_put_away(client: CommandLine, corpus: str) -> None:
    client.call("backup_corpus", corpus)
    client.call("stop_corpus", corpus)
    client.call("start_corpus", corpus)
    client.call("destroy_corpus", corpus)
    assert corpus not in client.call("list_corpus", True)
