"""`GET /health` and `GET /metrics`, and how many corpora there may be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.service.conftest import make_corpora
from tests.service.service_process import Client, Failed, ServiceProcess

_LINE = re.compile(r'hyphe_[a-z_]+(\{[a-z]+="[^"]*"\})? [0-9.]+')


def test_health_tells_that_it_works_and_no_more(client: Client) -> None:
    answer = client.send(method="GET", path="/health")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json.keys() == {"ok", "version", "workers", "corpora", "queue", "running"}
    found = answer.json
    assert (found["ok"], found["workers"], found["running"]) == (True, 0, 0)
    assert found["corpora"] == len(client.call("list_corpus"))


def test_health_is_asked_by_get_under_names_of_the_service(client: Client) -> None:
    assert client.send(method="GET", path="/health?x=1").status == 200
    for path in ("/healthy", "/health/", "/", "/metrics/x"):
        assert client.send(method="GET", path=path).status == 405
    for verb in ("HEAD", "PUT", "DELETE"):
        assert client.send(method=verb, path="/health").status == 405
    assert client.send(method="GET", path="/health", Host="evil.example").status == 403
    assert client.send(method="GET", path="/health", Origin="https://evil.example").status == 403


def test_a_job_that_waits_is_counted(tmp_path: Path) -> None:
    make_corpora(tmp_path)
    service = ServiceProcess(tmp_path)
    client = service.client()
    client.call("crawl_webentity", webentity_id=1, depth=0, corpus="full")
    assert client.send(method="GET", path="/health").json["queue"] == 1
    assert "\nhyphe_jobs_waiting 1\n" in client.send(method="GET", path="/metrics").body.decode()
    service.stop()


def test_metrics_are_lines_of_prometheus(client: Client) -> None:
    answer = client.send(method="GET", path="/metrics")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.body.decode().splitlines()
    assert [line for line in lines if not line.startswith("# ") and not _LINE.fullmatch(line)] == []
    first = _value(lines, "requests_total")
    client.call("ping")
    again = client.send(method="GET", path="/metrics").body.decode().splitlines()
    assert _value(again, "requests_total") == first + 1


def _value(lines: list[str], name: str) -> int:
    (line,) = [line for line in lines if line.startswith(f"hyphe_{name} ")]
    return int(line.partition(" ")[2])


def test_metrics_are_for_this_machine_and_the_administrator(tmp_path: Path) -> None:
    """Whom a proxy passes on is not at this machine."""
    service = ServiceProcess(tmp_path, admin_password="sesame")
    client = service.client()
    elsewhere = {"X_Forwarded_For": "203.0.113.7"}
    refused = client.send(method="GET", path="/metrics", **elsewhere)
    assert refused.status == 403
    assert b"hyphe_" not in refused.body
    assert client.send(method="GET", path="/health", **elsewhere).status == 200
    opened = client.send(b'{"method": "start_corpus", "params": [null, "sesame"]}')
    token = opened.headers["auth-token"]
    assert client.send(method="GET", path="/metrics", Auth_Token=token, **elsewhere).status == 200
    service.stop()


def test_no_more_corpora_are_made_than_allowed(tmp_path: Path) -> None:
    service = ServiceProcess(tmp_path, max_corpora=1)
    client = service.client()
    corpus = client.call("create_corpus", "One")["corpus_id"]
    client.call("corpus.backup", "one.hyphe.zip", corpus)
    words = "no further corpus is allowed: there are 1, and the setting max_corpora is 1"
    files = {"list.csv": "name,prefixes\nA,http://a.com\n"}
    for method, values in (
        ("create_corpus", {"name": "Two"}),
        ("corpus.restore", {"file": "one.hyphe.zip", "name": "Two"}),
        ("corpus.import", {"files": files, "name": "Two"}),
    ):
        with pytest.raises(Failed, match=words):
            client.call(method, **values)
    client.call("destroy_corpus", corpus)
    assert client.call("corpus.restore", file="one.hyphe.zip", name="Two")["ready"] is True
    (gone,) = client.call("corpus.list_destroyed")
    with pytest.raises(Failed, match=words):
        client.call("corpus.undestroy", gone["destroyed_id"])
    service.stop()
