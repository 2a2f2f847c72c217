"""What pages of other sites can do in the browser of somebody who is logged in: nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_structure.opening import open_registry
from tests.security.conftest import OPEN, PASSWORD, PROTECTED, log_in, make_corpora
from tests.service.service_process import Client, ServiceProcess

FOREIGN = [
    "https://evil.example",
    "http://evil.example:6978",
    "null",
    "file://",
    "*",
    "https://maps.example.evil",
]
OWN = ["https://maps.example", "http://localhost:3000"]
# What a form, an image, a script or a beacon of another page may send without asking first.
SIMPLE_TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]


@pytest.fixture(scope="module")
def compatible(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    folder: Path = tmp_path_factory.mktemp("compatible")
    registry = open_registry(folder)
    make_corpora(registry)
    registry.set_started(PROTECTED, False)
    registry.close()
    started = ServiceProcess(folder, hyphe_compatible_access="true")
    yield started
    started.stop()


def cookie_of(headers: dict[str, str]) -> str:
    return headers["set-cookie"].split(";")[0]


def declare(url: str, corpus: str = PROTECTED) -> str:
    return json.dumps({"method": "declare_page", "params": [url, corpus]})


def n_entities(client: Client, cookie: str) -> int:
    body = json.dumps({"method": "get_status", "params": [PROTECTED]})
    return int(client.send(body, Cookie=cookie).json[0]["result"]["corpus"]["traph"]["webentities"]["total"])


# -- cross-site requests ------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize("content_type", SIMPLE_TYPES)
def test_a_page_of_another_site_cannot_act_with_the_visitors_cookie(
    client: Client, origin: str, content_type: str
) -> None:
    cookie = cookie_of(log_in(client, PROTECTED, PASSWORD))
    before = n_entities(client, cookie)
    for corpus in (PROTECTED, OPEN):
        body = declare("http://forged.org/", corpus)
        answer = client.send(body, Origin=origin, Cookie=cookie, Content_Type=content_type)
        assert (answer.status, answer.json["error"]["code"]) == (403, -32001)
        assert "access-control-allow-origin" not in answer.headers
    assert n_entities(client, cookie) == before


@pytest.mark.parametrize(
    "hints",
    [
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Referer": "https://evil.example/page"},
        {"Referer": "about:blank"},
    ],
)
def test_without_origin_what_else_browsers_tell_of_the_page_counts(
    client: Client, hints: dict[str, str]
) -> None:
    cookie = cookie_of(log_in(client, PROTECTED, PASSWORD))
    assert client.send(declare("http://forged.org/"), Cookie=cookie, **hints).status == 403
    assert client.send(declare("http://forged.org/", OPEN), **hints).status == 403


@pytest.mark.parametrize(
    "hints",
    [
        {},
        {"Sec_Fetch_Site": "same-origin"},
        {"Sec_Fetch_Site": "none"},
        {"Referer": "http://127.0.0.1:{port}/app"},
        {"Origin": "http://127.0.0.1:{port}", "Sec_Fetch_Site": "same-origin"},
        {"Origin": "https://maps.example", "Sec_Fetch_Site": "cross-site"},
    ],
)
def test_own_pages_and_programs_are_served(client: Client, hints: dict[str, str]) -> None:
    cookie = cookie_of(log_in(client, PROTECTED, PASSWORD))
    sent = {name: value.format(port=client.port) for name, value in hints.items()}
    answer = client.send(declare("http://own.org/"), Cookie=cookie, **sent)
    assert answer.json[0]["code"] == "success"


def test_a_cookie_is_for_its_own_site_and_out_of_reach_of_scripts(client: Client) -> None:
    attributes = log_in(client, PROTECTED, PASSWORD)["set-cookie"].lower()
    assert "httponly" in attributes
    assert "samesite=strict" in attributes
    assert "domain=" not in attributes
    assert "secure" not in attributes
    behind_tls = log_in(client, PROTECTED, PASSWORD, Origin="https://maps.example")
    assert "secure" in behind_tls["set-cookie"].lower()


def test_calls_are_never_taken_from_an_address(client: Client) -> None:
    """An image or a link can only GET."""
    cookie = cookie_of(log_in(client, PROTECTED, PASSWORD))
    path = "/?request=" + declare("http://forged.org/").replace(" ", "%20").replace('"', "%22")
    for method in ("GET", "HEAD", "PUT", "DELETE"):
        assert client.send(b"", method, path, Cookie=cookie).status == 405


# -- what pages may read ------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_site_may_not_ask_first_either(client: Client, origin: str) -> None:
    """`null` and `*` in the configuration allow nothing: whoever can make a page has these origins."""
    for headers in ({}, {"Access_Control_Request_Headers": "auth-token, content-type"}):
        answer = client.send(method="OPTIONS", Origin=origin, Access_Control_Request_Method="POST", **headers)
        assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("origin", OWN)
def test_an_allowed_page_may_send_credentials_and_is_named(client: Client, origin: str) -> None:
    answer = client.send(method="OPTIONS", Origin=origin, Access_Control_Request_Method="POST")
    assert answer.headers["access-control-allow-origin"] == origin
    assert answer.headers["access-control-allow-credentials"] == "true"
    assert "Authorization" in answer.headers["access-control-allow-headers"]
    assert "Origin" in answer.headers["vary"]


def test_answers_are_not_kept_by_caches_nor_taken_for_pages(client: Client) -> None:
    answer = client.send(declare("http://own.org/", OPEN))
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("passed_on", "is_admin"),
    [
        ("", True),
        ("127.0.0.1", True),
        ("203.0.113.1", False),
        ("127.0.0.1, 203.0.113.1", False),
        ("x", False),
    ],
)
def test_a_proxy_on_this_machine_says_who_comes(tmp_path: Path, passed_on: str, is_admin: bool) -> None:
    started = ServiceProcess(tmp_path)
    body = json.dumps({"method": "access.whoami", "params": [None]})
    headers = {"X_Forwarded_For": passed_on} if passed_on else {}
    role = started.client().send(body, **headers).json[0]["result"]["role"]
    assert role == ("admin" if is_admin else "anyone")
    started.stop()


# -- sessions -----------------------------------------------------------------------------------------------


def test_a_token_planted_before_the_login_opens_nothing_after_it(client: Client) -> None:
    """Session fixation: the attacker knows a token, invented or of a session of their own, and makes the
    victim's browser send it while the victim gives the password."""
    own = log_in(client, "other", PASSWORD)["auth-token"]
    for planted in (own, "known-to-the-attacker", ""):
        headers = log_in(client, PROTECTED, PASSWORD, Cookie=f"hyphe_session={planted}")
        assert headers["auth-token"] not in (planted, "")
        assert cookie_of(headers) == f"hyphe_session={headers['auth-token']}"
        answer = client.send(declare("http://forged.org/"), Cookie=f"hyphe_session={planted}")
        assert answer.json[0]["code"] == "fail"


def test_a_session_keeps_what_it_had_when_another_password_is_given(client: Client) -> None:
    first = log_in(client, "other", PASSWORD)["auth-token"]
    second = log_in(client, PROTECTED, PASSWORD, Auth_Token=first)["auth-token"]
    known = Client(client.port, {"Auth-Token": second})
    for corpus in ("other", PROTECTED):
        assert known.call("get_corpus_options", corpus)


def test_logging_out_takes_the_cookie_away(client: Client) -> None:
    cookie = cookie_of(log_in(client, PROTECTED, PASSWORD))
    answer = client.send('{"method":"access.log_out"}', Cookie=cookie)
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    assert client.send(declare("http://late.org/"), Cookie=cookie).json[0]["code"] == "fail"


def test_a_token_in_a_header_goes_before_a_cookie(client: Client) -> None:
    cookie = cookie_of(log_in(client, PROTECTED, PASSWORD))
    answer = client.send(declare("http://x.org/"), Cookie=cookie, Authorization="Bearer invented")
    assert answer.json[0]["code"] == "fail"


# -- compatible access --------------------------------------------------------------------------------------


def test_compatible_access_opens_what_is_started_to_pages_of_any_origin(compatible: ServiceProcess) -> None:
    """A corpus with a password as soon as somebody has started it with the password: as the older program."""
    client = compatible.client()
    body = declare("http://x.org/")
    assert client.send(body, Origin="null").json[0]["message"]["status"] == "stopped"
    assert client.envelope("start_corpus", PROTECTED, "wrong")["message"].startswith("Wrong auth")
    assert client.envelope("start_corpus", PROTECTED, "")["code"] == "fail"
    assert client.envelope("start_corpus", PROTECTED, PASSWORD)["code"] == "success"
    for origin in ("null", "https://evil.example"):
        answer = client.send(body, Origin=origin)
        assert (answer.json[0]["code"], answer.headers["access-control-allow-origin"]) == ("success", "*")
    assert client.call("create_corpus", "Anyone may")["ready"]
    assert client.envelope("start_corpus", PROTECTED, "wrong")["code"] == "fail"


def test_compatible_access_gives_cookies_no_power_over_pages_of_other_sites(
    compatible: ServiceProcess,
) -> None:
    client = compatible.client()
    client.call("stop_corpus", "other")
    cookie = cookie_of(log_in(client, "other", PASSWORD))
    whoami = json.dumps({"method": "access.whoami", "params": [None]})
    answers = [client.send(whoami, Origin=origin, Cookie=cookie) for origin in ("null", "http://localhost")]
    assert [a.json[0]["result"]["by"] for a in answers] == ["nothing", "session"]
    assert "access-control-allow-credentials" not in answers[0].headers


def test_it_is_off_unless_asked_for(client: Client) -> None:
    """And who asked for it is not left alone with clear_all."""
    assert client.send('{"method":"ping"}', Origin="null").status == 403


def test_compatible_access_makes_nobody_administrator_of_the_service(tmp_path: Path) -> None:
    started = ServiceProcess(tmp_path, hyphe_compatible_access="true", admin_password="set")
    assert started.client().envelope("clear_all", [])["code"] == "fail"
    assert started.client().envelope("access.create_token", "x", "admin", 1, None)["code"] == "fail"
    started.stop()
