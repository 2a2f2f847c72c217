"""Backups, restores, imports and the end of corpora, over a real socket."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hyphe_core.exports import ExportRequest
from memory_structure.opening import open_registry
from tests.contract.hyphe_api import result_faults
from tests.export_cases import ALL_REQUESTS, exported
from tests.service.conftest import EMPTY, FULL, PASSWORD, PROTECTED, make_corpora
from tests.service.service_process import Client, Failed, ServiceProcess, wait_until


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceProcess]:
    """One a test: they destroy what others would read."""
    make_corpora(tmp_path)
    process = ServiceProcess(tmp_path)
    yield process
    process.stop()


@pytest.fixture
def client(service: ServiceProcess) -> Client:
    return service.client()


def denied(client: Client, method: str, *params: Any, **named: Any) -> Any:
    with pytest.raises(Failed) as caught:
        client.call(method, *params, **named)
    return caught.value.message


def checked(client: Client, method: str, *params: Any) -> Any:
    result = client.call(method, *params)
    assert result_faults(method, result) == []
    return result


def everything(service: ServiceProcess, corpus_id: str) -> list[bytes]:
    registry = open_registry(service.data_dir)
    try:
        return [exported(registry, corpus_id, ExportRequest(*request)) for request in ALL_REQUESTS]
    finally:
        registry.close()


# -- backup and restore


def test_a_corpus_backed_up_destroyed_and_restored_is_the_same(
    service: ServiceProcess, client: Client
) -> None:
    expected = everything(service, FULL)
    told = client.call("corpus.backup", "full.hyphe.zip", FULL)
    path = service.data_dir / "backups" / "full.hyphe.zip"
    assert (told["file"], told["size_bytes"]) == ("full.hyphe.zip", path.stat().st_size)
    assert (told["n_bodies"], told["n_lost_bodies"]) == (1, 0)
    assert [each["file"] for each in client.call("corpus.list_backups")] == ["full.hyphe.zip"]
    checked(client, "destroy_corpus", FULL)
    assert client.call("test_corpus", FULL)["status"] == "missing"
    assert client.call("corpus.restore", "full.hyphe.zip")["status"] == "ready"
    assert everything(service, FULL) == expected
    (entity,) = client.call("store.get_webentities", list_ids=[1], corpus=FULL)
    assert entity["tags"]["USER"] == {"kind": ["press"]}
    assert "full" in denied(client, "corpus.restore", "full.hyphe.zip")
    assert client.call("corpus.restore", "full.hyphe.zip", "Second")["corpus_id"] == "second"


def test_the_backup_of_older_clients_is_a_new_file_only_when_something_changed(
    service: ServiceProcess, client: Client
) -> None:
    # Jobs are reconciled after the start, which is written into the log of the corpus.
    wait_until(lambda: "corpus full: " in service.log_path.read_text())
    folder = service.data_dir / "backups"
    first = checked(client, "backup_corpus", FULL)
    assert checked(client, "backup_corpus", FULL) == first
    assert [f"Corpus full stored in backups/{file.name}" for file in folder.iterdir()] == [first]
    client.call("store.set_webentity_status", 2, "IN", FULL)
    second = checked(client, "backup_corpus", FULL)
    assert second != first
    for file in folder.iterdir():
        file.unlink()
    assert checked(client, "backup_corpus", FULL) not in (first, second)
    assert len(list(folder.iterdir())) == 1
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "name",
    ["../registry.sqlite", "/etc/passwd", "a/b", "..", ".", ".hidden", "a\\b", "x" * 201, "a b", "a\nb", "é"],
)
def test_file_names_lead_nowhere_else(service: ServiceProcess, client: Client, name: str) -> None:
    calls = {"corpus.backup": [name, FULL], "corpus.restore": [name], "corpus.import": [{}, name]}
    for method, params in calls.items():
        answer = client.post({"method": method, "params": params})
        refused = answer["fault"] if isinstance(answer, dict) else answer[0]["code"]
        assert refused in ("fail", "Fault"), (method, answer)
    assert not list((service.data_dir / "backups").glob("*"))


def test_links_and_files_that_are_there_are_left_alone(service: ServiceProcess, client: Client) -> None:
    client.call("corpus.backup", "one.zip", FULL)
    assert "already" in denied(client, "corpus.backup", "one.zip", FULL)
    (service.data_dir / "backups" / "link.zip").symlink_to(service.data_dir / "backups" / "one.zip")
    assert denied(client, "corpus.restore", "link.zip", "x")
    assert "no file" in denied(client, "corpus.restore", "absent.zip")
    (service.data_dir / "backups" / "odd.zip").write_bytes(b"nothing of ours")
    assert "no backup of a corpus" in denied(client, "corpus.restore", "odd.zip", "x")
    assert client.call("test_corpus", "x")["status"] == "missing"


def test_what_a_password_guarded_is_not_opened_by_a_detour(service: ServiceProcess, client: Client) -> None:
    owner = service.client()
    answer = owner.send(json.dumps({"method": "start_corpus", "params": [PROTECTED, PASSWORD]}))
    owner.headers["Auth-Token"] = answer.headers["auth-token"]
    owner.call("corpus.backup", "locked.zip", PROTECTED)
    assert denied(client, "corpus.backup", "mine.zip", PROTECTED)
    assert "password" in denied(client, "corpus.restore", "locked.zip", "copy")
    assert denied(client, "destroy_corpus", PROTECTED)
    assert PROTECTED in client.call("clear_all", [FULL])
    assert set(client.call("list_corpus")) == {FULL, PROTECTED}


def test_a_restored_corpus_may_get_a_password(service: ServiceProcess, client: Client) -> None:
    client.call("corpus.backup", "full.zip", FULL)
    answer = client.send('{"method": "corpus.restore", "params": ["full.zip", "Copy", "rosebud"]}')
    assert answer.json[0]["result"]["ready"] is True
    assert client.call("list_corpus")["copy"]["password"] is True
    assert denied(client, "get_corpus_options", "copy")["status"] == "stopped"
    client.headers["Auth-Token"] = answer.headers["auth-token"]
    assert client.call("get_corpus_options", "copy")


# -- the end


def test_destroyed_corpora_are_listed_and_come_back(service: ServiceProcess, client: Client) -> None:
    expected = everything(service, FULL)
    assert "corpus.undestroy" in checked(client, "destroy_corpus", FULL)
    assert client.call("create_corpus", FULL)["corpus_id"] == FULL
    (listed,) = client.call("corpus.list_destroyed")
    assert (listed["corpus_id"], listed["name"]) == (FULL, FULL)
    assert listed["removed_at"] - listed["destroyed_at"] == 30 * 24 * 3600 * 1000
    assert abs(listed["destroyed_at"] / 1000 - time.time()) < 600
    assert "already" in denied(client, "corpus.undestroy", listed["destroyed_id"])
    state = client.call("corpus.undestroy", listed["destroyed_id"], "Full again")
    assert (state["corpus_id"], state["status"]) == ("full-again", "stopped")
    assert client.call("start_corpus", "full-again")["ready"] is True
    assert everything(service, "full-again") == expected
    assert client.call("corpus.list_destroyed") == []
    assert "no destroyed corpus" in denied(client, "corpus.undestroy", "other")


def test_a_reset_corpus_is_empty_with_the_same_settings(service: ServiceProcess, client: Client) -> None:
    client.call("set_corpus_options", FULL, {"max_depth": 1, "defaultCreationRule": "path-1"})
    client.call("store.add_webentity_creationrule", "s:http|h:com|h:x|", "path-2", FULL)
    options = client.call("get_corpus_options", FULL)
    rules = client.call("store.get_webentity_creationrules", corpus=FULL)
    expected = everything(service, FULL)
    assert "corpus.undestroy" in checked(client, "reinitialize", FULL)
    status = checked(client, "get_status", FULL)["corpus"]
    assert (status["ready"], status["name"]) == (True, FULL)
    assert status["traph"]["webentities"]["total"] == status["crawler"]["pages_found"] == 0
    assert client.call("listjobs", corpus=FULL) == []
    assert client.call("get_corpus_options", FULL) == options
    assert client.call("store.get_webentity_creationrules", corpus=FULL) == rules
    assert client.call("declare_page", "http://x.com/a/b/c", FULL)["created"] is True
    client.call("corpus.undestroy", FULL, "Before")
    assert everything(service, "before") == expected


def test_everything_goes_but_what_is_to_stay(client: Client) -> None:
    assert "no corpus 'oops'" in denied(client, "clear_all", ["oops"])
    assert "2 corpora destroyed" in checked(client, "clear_all", [FULL])
    assert set(client.call("list_corpus")) == {FULL, PROTECTED}
    assert {each["name"] for each in client.call("corpus.list_destroyed")} == {EMPTY, "stopped"}
    assert checked(client, "force_destroy_corpus", FULL)
    assert denied(client, "force_destroy_corpus", FULL)["status"] == "missing"


def test_crawlers_need_no_deploying(client: Client) -> None:
    assert "workers crawl for all" in checked(client, "crawl.deploy_crawler", FULL)
    assert checked(client, "crawl.delete_crawler", FULL) is None


def test_what_is_kept_no_longer_goes_by_itself(tmp_path: Path) -> None:
    make_corpora(tmp_path)
    registry = open_registry(tmp_path)
    registry.trash_corpus(FULL)
    registry.close()
    process = ServiceProcess(tmp_path, restore_days=0)
    try:
        wait_until(lambda: not (tmp_path / "corpora" / FULL).exists())
        client = process.client()
        assert client.call("corpus.list_destroyed") == []
        assert "nothing of it" in client.call("destroy_corpus", EMPTY)
        assert client.call("corpus.list_destroyed") == []
    finally:
        process.stop()


# -- import


def test_files_sent_along_make_a_corpus(client: Client) -> None:
    files = {
        "options.json": {
            "name": "Old one",
            "password": "0a1b",
            "options": {
                "max_depth": 2,
                "webarchives_option": "web.archive.org",
                "strange": 1,
                "defaultCreationRule": "subdomain",
            },
        },
        "webentities.json": [
            {"id": 4, "name": "A", "status": "UNDECIDED", "prefixes": ["s:http|h:org|h:a|"]},
            {"id": 5, "name": "Bad", "status": "IN", "prefixes": ["nothing"]},
        ],
    }
    told = client.call("corpus.import", files)
    assert (told["corpus_id"], told["created"], told["refused"]) == ("old-one", 1, 3)
    assert {line["where"] for line in told["lines"]} == {"options.json", "webentities.json, entity 2"}
    (entity,) = client.call("store.get_webentities_by_status", status="UNDECIDED", count=-1, corpus="old-one")
    assert (entity["name"], entity["prefixes"]) == ("A", ["s:http|h:org|h:a|"])
    options = client.call("get_corpus_options", "old-one")
    assert (options["max_depth"], options["defaultCreationRule"]) == (2, "subdomain")
    assert client.call("list_corpus")["old-one"]["password"] is False


def test_a_list_goes_into_a_corpus(client: Client) -> None:
    named = {"files": {"list.csv": "url,name\nnew.example,New\n"}, "corpus": EMPTY}
    assert client.call("corpus.import_into", **named)["created"] == 1
    assert client.call("corpus.import_into", **named)["known"] == 1
    assert client.call("get_status", EMPTY)["corpus"]["traph"]["webentities"]["IN"] == 1
    for corpus, status in [("absent", "missing"), (PROTECTED, "stopped")]:
        refused = denied(client, "corpus.import_into", files=named["files"], corpus=corpus)
        assert refused["status"] == status
    assert "give a name" in denied(client, "corpus.import", named["files"])
    assert "give files" in denied(client, "corpus.import")
    assert "no column" in denied(client, "corpus.import", {"list.csv": "a,b\n"}, None, "x")
    assert client.call("test_corpus", "x")["status"] == "missing"


def test_curators_import_into_their_corpus_and_the_administrator_from_files(tmp_path: Path) -> None:
    make_corpora(tmp_path)
    process = ServiceProcess(tmp_path, admin_password="open sesame")
    try:
        client = process.client()
        files = {"list.csv": "url,name\nnew.example,New\n"}
        assert "administrator" in denied(client, "corpus.import_into", {}, "list.csv", True, EMPTY)
        assert client.call("corpus.import_into", files, None, True, EMPTY)["created"] == 1
        assert denied(client, "corpus.import", files, None, "new")
        answer = client.send('{"method": "start_corpus", "params": [null, "open sesame"]}')
        client.headers["Auth-Token"] = answer.headers["auth-token"]
        assert client.call("corpus.import", files, None, "new")["created"] == 1
        client.call("corpus.backup", "a.zip", EMPTY)
        (tmp_path / "backups" / "list.csv").write_text("url,name\nother.example,Other\n")
        assert client.call("corpus.import_into", {}, "list.csv", True, EMPTY)["created"] == 1
    finally:
        process.stop()


# -- options


def test_options_hold_from_the_creation_on(client: Client) -> None:
    options = {
        "max_depth": 1,
        "obey_robots": False,
        "precision_limit": 2,
        "phantom": {"timeout": 5},
        "follow_redirects": ["bit.ly"],
        "delay_seconds": 0.5,
    }
    client.call("create_corpus", "Chosen", "", options)
    shown = client.call("get_corpus_options", "chosen")
    assert {name: shown[name] for name in options if name != "phantom"} == {
        name: value for name, value in options.items() if name != "phantom"
    }
    assert (shown["phantom"]["timeout"], shown["phantom"]["idle_timeout"]) == (5, 20)
    assert "did you mean max_depth" in denied(client, "create_corpus", "Wrong", "", {"max_dept": 1})
    assert "at most 3" in denied(client, "create_corpus", "Wrong", "", {"max_depth": 9})
    assert client.call("test_corpus", "wrong")["status"] == "missing"


def test_a_stopped_corpus_loses_nothing(service: ServiceProcess, client: Client) -> None:
    expected = everything(service, FULL)
    assert checked(client, "stop_corpus", FULL)["status"] == "stopped"
    assert everything(service, FULL) == expected
    assert checked(client, "start_corpus", FULL)["ready"] is True
    (entity,) = client.call("store.get_webentities", list_ids=[1], corpus=FULL)
    assert entity["status"] == "IN"
