"""Passwords, sessions and the rules on browsers, without a socket."""

from __future__ import annotations

from typing import Any

import pytest

from hyphe_core.api import sessions as sessions_module
from hyphe_core.api.browser_access import BrowserAccess, is_loopback_name
from hyphe_core.api.methods import Role
from hyphe_core.api.passwords import hash_password, matches_hash, matches_secret
from hyphe_core.api.sessions import GRACE_SECONDS, LIFETIME_SECONDS, Sessions
from hyphe_core.config import Config


def test_a_password_matches_its_own_hash_alone() -> None:
    first, second = hash_password("rosebud"), hash_password("rosebud")
    assert first != second
    assert matches_hash("rosebud", first)
    assert matches_hash("rosebud", second)
    assert not matches_hash("Rosebud", first)
    assert not matches_hash(first, first)


def test_one_password_in_two_compositions_is_the_same() -> None:
    assert matches_hash("e\u0301t\u00e9", hash_password("\u00e9te\u0301"))


@pytest.mark.parametrize("password", ["", None, 0, False, [], {}])
@pytest.mark.parametrize("stored", ["", "scrypt$", "sha256$1$2$3$4$5", "plain"])
def test_unset_and_broken_hashes_match_nothing(password: Any, stored: str) -> None:
    assert not matches_hash(password, stored)
    assert not matches_hash("x", stored)
    assert hash_password("") == ""


@pytest.mark.parametrize(
    ("given", "secret", "matches"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("", "", False),
        (None, "", False),
        (None, None, False),
        ("", "a", False),
    ],
)
def test_a_secret_that_is_not_set_matches_nothing(given: Any, secret: Any, matches: bool) -> None:
    assert matches_secret(given, secret) is matches


def grants(sessions: Sessions, token: str | None) -> set[str]:
    session = sessions.find(token)
    return set() if session is None else set(session.grants)


def test_sessions_open_what_was_granted() -> None:
    sessions = Sessions()
    token = sessions.grant(None, corpus_id="a")
    token = sessions.grant(token, corpus_id="b", role=Role.READER, proof="hash")
    assert grants(sessions, token) == {"a", "b"}
    session = sessions.find(token)
    assert session is not None
    assert session.grants["b"] == (Role.READER, "hash")
    assert not sessions.is_admin(token)
    assert sessions.find(None) is None
    assert sessions.find("") is None
    sessions.forget_corpus("a")
    assert grants(sessions, token) == {"b"}
    assert sessions.is_admin(sessions.grant(token, admin=True))
    sessions.end(token)
    assert sessions.find(token) is None


def test_an_invented_token_gets_a_new_one() -> None:
    sessions = Sessions()
    assert sessions.grant("chosen by the caller", corpus_id="a") != "chosen by the caller"
    assert sessions.find("chosen by the caller") is None


def test_a_password_opens_a_session_that_no_earlier_token_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(sessions_module, "monotonic", lambda: now[0])
    sessions = Sessions()
    planted = sessions.grant(None, corpus_id="a")
    assert sessions.grant(planted, corpus_id="b") != planted
    assert grants(sessions, planted) == {"a"}
    now[0] += GRACE_SECONDS + 1
    assert sessions.find(planted) is None


def test_a_session_ends_after_a_week_without_use(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(sessions_module, "monotonic", lambda: now[0])
    sessions = Sessions()
    token = sessions.grant(None, corpus_id="a")
    for _ in range(3):
        now[0] += LIFETIME_SECONDS - 1
        assert sessions.find(token)
    now[0] += LIFETIME_SECONDS + 1
    assert sessions.find(token) is None


def test_a_session_ends_thirty_days_after_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(sessions_module, "monotonic", lambda: now[0])
    sessions = Sessions()
    token = sessions.grant(None, corpus_id="a")
    for _ in range(5):
        now[0] += LIFETIME_SECONDS - 1
        found = sessions.find(token)
    assert found is None


def test_sessions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "_MAX_SESSIONS", 3)
    sessions = Sessions()
    tokens = [sessions.grant(None, corpus_id="a") for _ in range(5)]
    assert [bool(sessions.find(token)) for token in tokens] == [False, False, True, True, True]


def test_a_session_signs_with_the_name_given() -> None:
    sessions = Sessions()
    token = sessions.rename(None, "Ada")
    assert token is not None
    assert sessions.rename(token, "Grace") is None
    session = sessions.find(sessions.grant(token, corpus_id="a"))
    assert session is not None
    assert session.name == "Grace"


def access(**settings: Any) -> BrowserAccess:
    return BrowserAccess.of(Config(**settings))


@pytest.mark.parametrize(
    ("origin", "host", "allowed"),
    [
        (None, "x", True),
        ("http://hyphe.example:6978", "hyphe.example:6978", True),
        ("http://hyphe.example", "hyphe.example:80", True),
        ("https://hyphe.example", "hyphe.example:6978", False),
        ("http://hyphe.example:81", "hyphe.example", False),
        ("null", "localhost", False),
        ("", "localhost", False),
        ("http://localhost:99999", "localhost", False),
        ("chrome-extension://abc", "localhost", False),
        ("http://LOCALHOST", "localhost", True),
    ],
)
def test_origins(origin: str | None, host: str, allowed: bool) -> None:
    assert access().allows_origin(origin, host) is allowed
    assert (access().cors_origin(origin, host) is not None) == (allowed and origin is not None)
    assert access(hyphe_compatible_access=True).allows_origin(origin, host)


def test_names_of_the_service() -> None:
    rules = access(
        host="hyphe.lab", allowed_hosts=("Proxy.example",), allowed_origins=("https://maps.example/",)
    )
    for host in (
        "hyphe.lab",
        "hyphe.lab:1",
        "proxy.example",
        "maps.example",
        "10.1.2.3:5",
        "[2001:db8::1]:80",
    ):
        assert rules.allows_host(host), host
    for host in ("other.lab", "hyphe.lab.evil", "", ":80", "a b", "hyphe.lab:x"):
        assert not rules.allows_host(host), host
    assert rules.allows_origin("https://maps.example", "hyphe.lab")
    assert not rules.allows_origin("http://maps.example", "hyphe.lab")


@pytest.mark.parametrize("name", ["localhost", "a.localhost", "localhost.", "127.0.0.1", "127.9.9.9", "::1"])
def test_loopback_names(name: str) -> None:
    assert is_loopback_name(name)


@pytest.mark.parametrize(
    "name", ["localhost.evil.example", "notlocalhost", "10.0.0.1", "127.0.0.1.nip.io", ""]
)
def test_other_names(name: str) -> None:
    assert not is_loopback_name(name)
