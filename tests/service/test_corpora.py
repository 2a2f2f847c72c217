"""The life of corpora: created, stopped, started, renamed, destroyed; options; status."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.contract.hyphe_api import result_faults
from tests.service.conftest import FULL, MISSING, STOPPED
from tests.service.service_process import Client, Failed


def denied(client: Client, method: str, *params: Any, **named: Any) -> Any:
    with pytest.raises(Failed) as caught:
        client.call(method, *params, **named)
    return caught.value.message


def checked(client: Client, method: str, *params: Any) -> Any:
    result = client.call(method, *params)
    assert result_faults(method, result) == []
    return result


def test_a_corpus_lives_and_ends(client: Client) -> None:
    assert checked(client, "create_corpus", "Ünder Water!", "", {})["corpus_id"]
    corpus = next(k for k, v in checked(client, "list_corpus").items() if v["name"] == "Ünder Water!")
    assert checked(client, "test_corpus", corpus)["status"] == "ready"
    assert checked(client, "ping", corpus) == "pong"
    assert checked(client, "start_corpus", corpus)["message"] == "Corpus already ready"
    assert checked(client, "stop_corpus", corpus)["status"] == "stopped"
    assert denied(client, "ping", corpus)["status"] == "stopped"
    assert checked(client, "test_corpus", corpus)["status"] == "stopped"
    assert denied(client, "get_corpus_options", corpus)["status"] == "stopped"
    assert checked(client, "start_corpus", corpus, "")["ready"] is True
    checked(client, "rename_corpus", "New name", corpus)
    assert checked(client, "list_corpus", False)[corpus]["name"] == "New name"
    checked(client, "destroy_corpus", corpus)
    assert checked(client, "test_corpus", corpus)["status"] == "missing"
    assert denied(client, "destroy_corpus", corpus)["status"] == "missing"


def test_names_are_unique_and_never_empty(client: Client) -> None:
    client.call("create_corpus", "Twice")
    assert "Twice" in denied(client, "create_corpus", "Twice")
    assert denied(client, "create_corpus", "")
    assert denied(client, "rename_corpus", "Twice", "empty")


def test_without_name_the_default_corpus_is_meant(client: Client) -> None:
    assert client.call("create_corpus")["corpus_id"] == "--hyphe--"
    assert client.call("test_corpus") == {"corpus_id": "--hyphe--", "ready": True, "status": "ready"}
    assert client.call("get_status")["corpus"]["corpus_id"] == "--hyphe--"
    client.call("destroy_corpus")


def test_a_creation_that_fails_leaves_nothing(client: Client) -> None:
    assert "max_dept" in denied(client, "create_corpus", "Faulty", "", {"max_dept": 1})
    assert "Faulty" not in {v["name"] for v in client.call("list_corpus").values()}


def test_status_without_a_corpus_has_a_null_id(client: Client) -> None:
    for params in ([None], [""]):
        status = client.call("get_status", *params)
        assert (status["corpus"]["corpus_id"], status["corpus"]["status"]) == (None, "missing")


@pytest.mark.parametrize(("corpus", "status"), [(STOPPED, "stopped"), (MISSING, "missing")])
def test_status_of_a_corpus_that_is_not_open(client: Client, corpus: str, status: str) -> None:
    answer = checked(client, "get_status", corpus)["corpus"]
    assert (answer["corpus_id"], answer["status"], answer["ready"]) == (corpus, status, False)


def test_status_has_what_pages_of_clients_read_without_a_guard(client: Client) -> None:
    status = checked(client, "get_status", FULL)
    options = status["corpus"]["options"]
    archives = [a for a in status["hyphe"]["available_archives"] if a["id"] == options["webarchives_option"]]
    assert isinstance(archives[0]["permalinks_prefix"], str)
    assert options["webarchives_date"].replace("-", "").isdecimal()
    assert status["hyphe"]["max_depth"] == 3


def test_status_counts_what_is_stored(client: Client) -> None:
    corpus = client.call("get_status", FULL)["corpus"]
    assert corpus["crawler"] == {
        "jobs_finished": 1,
        "jobs_pending": 0,
        "jobs_running": 0,
        "pages_crawled": 5,
        "pages_found": 8,
        "links_found": 8,
    }
    assert corpus["traph"]["webentities"] == {
        "total": 3,
        "IN": 1,
        "IN_UNTAGGED": 0,
        "IN_UNCRAWLED": 0,
        "OUT": 1,
        "UNDECIDED": 0,
        "DISCOVERED": 1,
    }


def test_moments_are_milliseconds(client: Client) -> None:
    corpora = client.call("list_corpus")
    assert abs(corpora[FULL]["created_at"] / 1000 - time.time()) < 600
    (job,) = client.call("listjobs", corpus=FULL)
    assert abs(job["finished_at"] / 1000 - time.time()) < 600


def test_the_suffix_tree_is_what_clients_cut_hosts_with(client: Client) -> None:
    tree = client.call("get_corpus_tlds", FULL)
    assert "co" in tree["uk"]
    assert "*" in tree["ck"]
    assert "!www" in tree["ck"]


# -- options ------------------------------------------------------------------------------------------------


@pytest.fixture
def corpus(client: Client) -> Any:
    name = client.call(
        "create_corpus", "Options", "", {"defaultCreationRule": "subdomain", "depthHypheBro": 2}
    )
    yield name["corpus_id"]
    client.call("destroy_corpus", name["corpus_id"])


def test_options_of_clients_and_ours_are_kept(client: Client, corpus: str) -> None:
    changes = {
        "max_depth": 1,
        "obey_robots": False,
        "defaultStartpagesMode": "homepage",
        "defaultCreationRule": "path-1",
        "proxy": {"host": "proxy.example", "port": 3128},
        "keepalive": 60,
        "phantom": {"timeout": 5},
        "webarchives_date": "2020-01-01",
        "delay_seconds": 0.5,
        "user_agent": "tester",
        "precision_limit": 2,
        "follow_redirects": ["bit.ly"],
    }
    assert client.call("get_corpus_options", corpus)["defaultCreationRule"] == "subdomain"
    answered = checked(client, "set_corpus_options", corpus, changes)
    assert answered == client.call("get_corpus_options", corpus)
    expected = changes | {"defaultStartpagesMode": ["homepage"], "depthHypheBro": 2}
    del expected["phantom"]
    assert answered.items() >= expected.items()
    assert (answered["phantom"]["timeout"], answered["phantom"]["idle_timeout"]) == (5, 20)
    rule = client.call("store.get_default_webentity_creationrule", corpus)
    assert rule["name"] == "path-1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_depth", 99),
        ("max_depth", "deep"),
        ("obey_robots", "perhaps"),
        ("defaultCreationRule", "everything"),
        ("defaultStartpagesMode", []),
        ("proxy", {"host": "a b", "port": 1}),
        ("proxy", {"host": "a", "port": 99999}),
        ("webarchives_days_range", "long"),
        ("delay_seconds", -1),
        ("allow_private_networks", True),
        ("extra", {}),
        ("suffix_list", "x"),
    ],
)
def test_unfit_options_change_nothing(client: Client, corpus: str, name: str, value: Any) -> None:
    before = client.call("get_corpus_options", corpus)
    assert name in denied(client, "set_corpus_options", corpus, {"keepalive": 7, name: value})
    assert client.call("get_corpus_options", corpus) == before


def test_a_proxy_can_be_taken_away(client: Client, corpus: str) -> None:
    client.call("set_corpus_options", corpus, {"proxy": {"host": "p", "port": 8080}})
    answered = client.call("set_corpus_options", corpus, {"proxy": {"host": "", "port": 0}})
    assert answered["proxy"] == {"host": "", "port": 0}


def test_what_cuts_addresses_is_fixed_once_there_is_a_page(client: Client, corpus: str) -> None:
    client.call("set_corpus_options", corpus, {"precision_limit": 1})
    client.call("declare_page", "http://a.org/b", corpus)
    assert denied(client, "set_corpus_options", corpus, {"precision_limit": 2})
    assert client.call("get_corpus_options", corpus)["precision_limit"] == 1
