"""Who may call: origins and hosts of browsers, passwords, sessions, the administrator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.service.conftest import FULL, PASSWORD, PROTECTED, make_corpora
from tests.service.service_process import Client, Failed, ServiceProcess

PING = '{"method":"ping"}'
LOOPBACK_ORIGINS = ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:8080", "http://app.localhost"]
FOREIGN_ORIGINS = [
    "http://evil.example",
    "null",
    "https://localhost.evil.example",
    "file://",
    "http://10.0.0.1",
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """A service with an administrator, unlike that of the other tests."""
    data_dir = tmp_path_factory.mktemp("service")
    make_corpora(data_dir)
    process = ServiceProcess(data_dir, max_request_bytes=200_000, admin_password="open sesame")
    yield process
    process.stop()


@pytest.fixture(scope="module")
def compatible(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    data_dir = tmp_path_factory.mktemp("compatible")
    make_corpora(data_dir)
    process = ServiceProcess(
        data_dir, hyphe_compatible_access="true", allowed_origins="https://maps.example, http://b.example:81"
    )
    yield process
    process.stop()


@pytest.mark.parametrize("origin", LOOPBACK_ORIGINS)
def test_pages_of_this_machine_may_call(client: Client, origin: str) -> None:
    answer = client.send(PING, Origin=origin)
    assert answer.json == [{"code": "success", "result": "pong"}]
    assert answer.headers["access-control-allow-origin"] == origin
    before = client.send(method="OPTIONS", Origin=origin, Access_Control_Request_Method="POST")
    assert (before.status, before.body) == (204, b"")
    assert before.headers["access-control-allow-origin"] == origin
    assert "POST" in before.headers["access-control-allow-methods"]
    assert "Content-Type" in before.headers["access-control-allow-headers"]


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_pages_of_other_sites_may_not_call(client: Client, origin: str) -> None:
    body = json.dumps({"method": "create_corpus", "params": [f"by {origin}"]})
    answer = client.send(body, Origin=origin, Content_Type="text/plain")
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
    assert not [c for c in client.call("list_corpus").values() if c["name"].startswith("by ")]
    before = client.send(method="OPTIONS", Origin=origin)
    assert before.status == 204
    assert "access-control-allow-origin" not in before.headers


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:6978", "localhost.evil.example", "127.0.0.1.nip.io"]
)
def test_a_name_that_was_pointed_here_is_refused(client: Client, host: str) -> None:
    """DNS rebinding: the page's origin and its Host agree, and are both the attacker's."""
    answer = client.send(PING, Host=host, Origin=f"http://{host}")
    assert (answer.status, answer.json["error"]["code"]) == (403, -32001)
    assert client.send(PING, Host=host).status == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:99", "[::1]", "192.168.1.7:80", "LOCALHOST"])
def test_addresses_and_loopback_names_are_accepted(client: Client, host: str) -> None:
    assert client.send(PING, Host=host).status == 200


def test_programs_send_no_origin_and_are_served(client: Client) -> None:
    assert "access-control-allow-origin" not in client.send(PING).headers


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None])
def test_compatible_access_lets_any_page_call(compatible: ServiceProcess, origin: str | None) -> None:
    headers = {"Origin": origin} if origin else {}
    answer = compatible.client().send(PING, **headers)
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "*")
    assert "access-control-allow-credentials" not in answer.headers


def test_allowed_origins_are_named_in_the_answer(compatible: ServiceProcess) -> None:
    answer = compatible.client().send(PING, Origin="https://maps.example", Host="b.example")
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "https://maps.example")


# -- passwords ----------------------------------------------------------------------------------------------


def denied(client: Client, method: str, *params: Any) -> Any:
    with pytest.raises(Failed) as caught:
        client.call(method, *params)
    return caught.value.message


def start(client: Client, corpus: str | None, password: Any) -> tuple[Any, dict[str, str]]:
    answer = client.send(json.dumps({"method": "start_corpus", "params": [corpus, password]}))
    return answer.json[0], answer.headers


@pytest.mark.parametrize("password", ["", "wrong", None, 0, True, ["rosebud"], "Rosebud", " rosebud"])
def test_a_wrong_password_opens_nothing(client: Client, password: Any) -> None:
    answer, headers = start(client, PROTECTED, password)
    assert answer["code"] == "fail"
    assert answer["message"].startswith("Wrong auth")
    assert "set-cookie" not in headers
    assert denied(client, "get_corpus_options", PROTECTED)["status"] == "stopped"


def test_the_stored_hash_is_not_a_password(service: ServiceProcess, client: Client) -> None:
    from memory_structure.opening import open_registry

    registry = open_registry(service.data_dir)
    stored = registry.get_corpus(PROTECTED).password_hash
    registry.close()
    assert stored.startswith("scrypt$")
    assert start(client, PROTECTED, stored)[0]["code"] == "fail"


def test_each_request_shows_that_the_password_was_given(client: Client) -> None:
    answer, headers = start(client, PROTECTED, PASSWORD)
    assert answer["result"]["ready"] is True
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    token = headers["auth-token"]
    for name, value in [
        ("Auth-Token", token),
        ("Authorization", f"Bearer {token}"),
        ("Cookie", cookie.split(";")[0]),
    ]:
        known = Client(client.port, {name: value})
        assert known.call("store.get_webentity", 1, PROTECTED) == []
        assert known.call("get_status", PROTECTED)["corpus"]["ready"] is True
        assert known.call("start_corpus", PROTECTED, "")["ready"] is True
        assert "options" in known.call("list_corpus", False)[PROTECTED]
    assert denied(client, "store.get_webentity", 1, PROTECTED)["ready"] is False


@pytest.mark.parametrize("token", ["", "x", "../..", "0" * 43, "\xe9"])
def test_a_token_that_was_not_given_opens_nothing(client: Client, token: str) -> None:
    guesser = Client(client.port, {"Auth-Token": token})
    assert denied(guesser, "store.get_webentity", 1, PROTECTED)["message"].startswith("Wrong auth")


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("destroy_corpus", [PROTECTED]),
        ("stop_corpus", [PROTECTED]),
        ("rename_corpus", ["Mine", PROTECTED]),
        ("set_corpus_options", [PROTECTED, {"max_depth": 1}]),
        ("declare_page", ["http://a.org", PROTECTED]),
        ("ping", [PROTECTED]),
    ],
)
def test_without_password_a_protected_corpus_cannot_be_touched(
    client: Client, method: str, params: Any
) -> None:
    assert denied(client, method, *params)["corpus_id"] == PROTECTED


def test_strangers_see_that_a_protected_corpus_exists_and_no_more(client: Client) -> None:
    summary = client.call("list_corpus", False)[PROTECTED]
    assert summary["password"] is True
    assert "options" not in summary
    corpus = client.call("get_status", PROTECTED)["corpus"]
    assert (corpus["corpus_id"], corpus["ready"], corpus["status"]) == (PROTECTED, False, "stopped")
    assert set(corpus) == {"corpus_id", "ready", "status", "message"}


def test_a_session_for_one_corpus_opens_no_other(client: Client) -> None:
    administrator(client).call("create_corpus", "Second", "other")
    token = start(client, PROTECTED, PASSWORD)[1]["auth-token"]
    known = Client(client.port, {"Auth-Token": token})
    assert denied(known, "get_corpus_options", "second")["ready"] is False
    known.headers["Auth-Token"] = start(known, "second", "other")[1]["auth-token"]
    assert known.call("get_corpus_options", "second")
    assert known.call("get_corpus_options", PROTECTED)


def test_who_makes_a_protected_corpus_may_use_it(client: Client) -> None:
    admin = administrator(client)
    answer = admin.send(json.dumps({"method": "create_corpus", "params": ["Third", "pw"]}))
    known = Client(client.port, {"Auth-Token": answer.headers["auth-token"]})
    assert known.call("get_corpus_options", "third")
    assert denied(client, "get_corpus_options", "third")["ready"] is False


def administrator(client: Client) -> Client:
    return Client(client.port, {"Auth-Token": start(client, None, "open sesame")[1]["auth-token"]})


def test_a_destroyed_corpus_takes_its_sessions_along(client: Client) -> None:
    admin = administrator(client)
    admin.call("create_corpus", "Fourth", "pw")
    known = Client(client.port, {"Auth-Token": start(client, "fourth", "pw")[1]["auth-token"]})
    assert known.call("get_corpus_options", "fourth")
    admin.call("destroy_corpus", "fourth")
    admin.call("create_corpus", "Fourth", "new")
    assert denied(known, "get_corpus_options", "fourth")["ready"] is False


def test_the_administrator_opens_everything(client: Client) -> None:
    assert start(client, None, "open sesame")[0] == {"code": "success", "result": True}
    assert start(client, "", "open sesame")[0] == {"code": "success", "result": True}
    assert administrator(client).call("get_corpus_options", PROTECTED)
    assert start(client, PROTECTED, "open sesame")[0]["code"] == "success"


@pytest.mark.parametrize("password", ["", None, "wrong", PASSWORD])
def test_a_wrong_administrator_password_fails(client: Client, password: Any) -> None:
    assert start(client, None, password)[0] == {"code": "fail", "message": "Wrong password"}


@pytest.mark.parametrize("password", ["", None, "open sesame"])
def test_an_unset_administrator_password_matches_nothing(compatible: ServiceProcess, password: Any) -> None:
    client = compatible.client()
    assert start(client, None, password)[0]["code"] == "fail"
    assert start(client, PROTECTED, password)[0]["code"] == "fail"


def test_compatible_access_leaves_a_started_corpus_open(compatible: ServiceProcess) -> None:
    assert compatible.client().call("get_corpus_options", PROTECTED)


def test_cookies_of_crawls_are_never_shown(client: Client) -> None:
    for light in (True, False):
        (job,) = client.call("listjobs", None, None, None, light, FULL)
        assert job["crawl_arguments"]["cookies"] == "[hidden]"
        assert "secret" not in json.dumps(job)
