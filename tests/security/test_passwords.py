"""Passwords: nothing but the password opens a corpus, and once it does, nothing stays open to others."""

from __future__ import annotations

from typing import Any

import pytest

from hyphe_core.api.service import Service
from hyphe_core.config import Config
from memory_structure.corpus_records import CorpusOptions
from tests.security.conftest import (
    ADMIN_PASSWORD,
    OPEN,
    OTHER,
    PASSWORD,
    PROTECTED,
    READER_PASSWORD,
    Inside,
)

NOT_PASSWORDS = [None, "", " ", 0, False, True, [], {}, [PASSWORD], {"a": PASSWORD}, PASSWORD.upper()]
NOT_PASSWORDS += [f" {PASSWORD}", f"{PASSWORD}\n", PASSWORD[:-1], f"{PASSWORD}x", "null", "None"]


@pytest.mark.parametrize("password", NOT_PASSWORDS)
def test_only_the_password_opens_a_corpus(inside: Inside, password: Any) -> None:
    reply = inside.reply("start_corpus", PROTECTED, password)
    assert reply.token is None
    assert str(reply.value["message"]).startswith("Wrong auth")  # type: ignore[index]


@pytest.mark.parametrize("password", [None, "", 0, False, [], "null"])
def test_an_administrator_password_that_is_not_set_matches_nothing(inside: Inside, password: Any) -> None:
    """Not even null, or an empty text where the variable is set and empty."""
    unset = Service(Config(admin_password=""), inside.registry)
    unlocked = Inside(unset, inside.registry)
    for corpus in (PROTECTED, None):
        reply = unlocked.reply("start_corpus", corpus, password)
        assert reply.token is None
        assert reply.value["code"] == "fail"  # type: ignore[index]


def test_the_stored_hash_opens_nothing(inside: Inside) -> None:
    for stored in (
        inside.registry.get_corpus(PROTECTED).password_hash,
        inside.registry.find_reader_password(PROTECTED),
    ):
        assert stored.startswith("scrypt$")
        for corpus in (PROTECTED, None):
            assert inside.reply("start_corpus", corpus, stored).token is None


def test_one_password_is_never_stored_alike_twice(inside: Inside) -> None:
    assert (
        inside.registry.get_corpus(PROTECTED).password_hash != inside.registry.get_corpus(OTHER).password_hash
    )


def test_a_started_corpus_is_open_to_those_who_gave_its_password_alone(inside: Inside) -> None:
    """Every method asks again, whatever others have opened before."""
    known = inside.session(PROTECTED, PASSWORD)
    assert inside.answer("store.get_webentity", 1, PROTECTED, token=known)["code"] == "success"
    stranger = inside.answer("store.get_webentity", 1, PROTECTED)
    assert stranger["message"]["status"] == "stopped"
    elsewhere = inside.answer("store.get_webentity", 1, OTHER, token=known)
    assert elsewhere["message"]["corpus_id"] == OTHER


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("create_corpus", ["New"]),
        ("clear_all", []),
        ("destroy_corpus", [OPEN]),
        ("force_destroy_corpus", [OPEN]),
        ("reinitialize", [OPEN]),
        ("destroy_corpus", [PROTECTED]),
        ("access.set_password", ["mine now", "curator", OPEN]),
        ("access.create_token", ["me", "admin", 1, None]),
        ("access.list_tokens", [None]),
        ("corpus.undestroy", ["x"]),
        ("corpus.list_destroyed", []),
    ],
)
def test_making_and_destroying_is_for_the_administrator(
    inside: Inside, method: str, params: list[Any]
) -> None:
    curator = inside.session(PROTECTED, PASSWORD)
    for token in (None, curator, inside.token("curator"), inside.token("admin", OTHER)):
        answer = inside.answer(method, *params, token=token)
        assert answer["code"] == "fail", answer
        assert "Wrong" in str(answer["message"])
    assert {entry.corpus_id for entry in inside.registry.list_corpora()} == {OPEN, PROTECTED, OTHER}
    assert not inside.registry.get_corpus(OPEN).password_hash
    admin = inside.session(None, ADMIN_PASSWORD)
    answer = inside.answer(method, *params, token=admin)
    assert "Wrong" not in str(answer.get("message", ""))


def test_on_a_machine_of_ones_own_everyone_is_administrator_but_of_what_has_a_password(
    inside: Inside,
) -> None:
    own = Inside(Service(Config(), inside.registry), inside.registry)
    assert own.answer("destroy_corpus", PROTECTED)["code"] == "fail"
    assert own.answer("clear_all", [])["code"] == "success"
    assert {entry.corpus_id for entry in inside.registry.list_corpora()} == {PROTECTED, OTHER}
    reader = own.session(PROTECTED, READER_PASSWORD)
    assert own.answer("destroy_corpus", PROTECTED, token=reader)["code"] == "fail"
    curator = own.session(PROTECTED, PASSWORD)
    assert own.answer("destroy_corpus", OTHER, token=curator)["code"] == "fail"
    assert own.answer("destroy_corpus", PROTECTED, token=curator)["code"] == "success"


def test_who_comes_through_a_proxy_is_not_at_home(inside: Inside) -> None:
    """A proxy on this machine makes everyone come from loopback: what it says of them counts."""
    own = Inside(Service(Config(), inside.registry), inside.registry)
    assert own.answer("create_corpus", "New", address="203.0.113.1")["code"] == "fail"
    assert own.answer("destroy_corpus", OPEN, address="2001:db8::1")["code"] == "fail"
    assert own.answer("create_corpus", "New", address="::1")["code"] == "success"


def test_an_address_that_others_reach_makes_nobody_administrator(inside: Inside) -> None:
    public = Inside(Service(Config(host="0.0.0.0"), inside.registry), inside.registry)
    assert public.answer("create_corpus", "New")["code"] == "fail"
    assert public.answer("destroy_corpus", OPEN)["code"] == "fail"
    assert public.answer("declare_page", "http://b.org/", OPEN)["code"] == "success"


def test_a_corpus_without_password_is_open(inside: Inside) -> None:
    assert inside.answer("declare_page", "http://b.org/", OPEN)["code"] == "success"
    assert inside.answer("start_corpus", OPEN, "whatever")["code"] == "success"
    assert inside.reply("start_corpus", OPEN, "whatever").token is None


# -- roles of passwords -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("password", "role"), [(READER_PASSWORD, "reader"), (PASSWORD, "curator"), (ADMIN_PASSWORD, "admin")]
)
def test_each_password_gives_its_role(inside: Inside, password: str, role: str) -> None:
    token = inside.session(PROTECTED, password)
    answer = inside.answer("access.whoami", PROTECTED, token=token)["result"]
    assert (answer["role"], answer["by"], answer["name"]) == (role, "session", role)
    assert inside.answer("access.whoami", OTHER, token=token)["result"]["role"] == "anyone"
    assert inside.answer("access.whoami", None, token=token)["result"]["role"] == "anyone"


def test_another_password_ends_the_sessions_of_the_old_one(inside: Inside) -> None:
    readers, curators = inside.session(PROTECTED, READER_PASSWORD), inside.session(PROTECTED, PASSWORD)
    admin = inside.session(None, ADMIN_PASSWORD)
    assert inside.answer("access.set_password", "new", "curator", PROTECTED, token=admin)["code"] == "success"
    assert inside.answer("access.whoami", PROTECTED, token=curators)["result"]["role"] == "anyone"
    assert inside.answer("access.whoami", PROTECTED, token=readers)["result"]["role"] == "reader"
    inside.answer("access.set_password", "newer", "reader", PROTECTED, token=admin)
    assert inside.answer("access.whoami", PROTECTED, token=readers)["result"]["role"] == "anyone"
    assert inside.reply("start_corpus", PROTECTED, PASSWORD).token is None
    assert inside.session(PROTECTED, "new")


def test_a_password_taken_away_opens_the_corpus(inside: Inside) -> None:
    admin = inside.session(None, ADMIN_PASSWORD)
    inside.answer("access.set_password", "", "curator", PROTECTED, token=admin)
    assert inside.answer("store.get_webentity", 1, PROTECTED)["code"] == "success"
    assert inside.registry.find_reader_password(PROTECTED) == ""
    answer = inside.answer("access.set_password", "x", "reader", PROTECTED, token=admin)
    assert "first" in answer["message"]


def test_tokens_made_while_everyone_could_make_them_end_with_the_first_password(inside: Inside) -> None:
    made = inside.answer("access.create_token", "planted", "curator", 90, OPEN)["result"]["token"]
    admin = inside.session(None, ADMIN_PASSWORD)
    inside.answer("access.set_password", "now closed", "curator", OPEN, token=admin)
    assert inside.answer("store.get_webentity", 1, OPEN, token=made)["code"] == "fail"


def test_a_later_corpus_of_the_same_id_is_closed_to_earlier_sessions_and_tokens(inside: Inside) -> None:
    session, token = inside.session(PROTECTED, PASSWORD), inside.token("curator")
    inside.registry.destroy_corpus(PROTECTED)  # by another process: nothing here is told of it
    inside.registry.create_corpus(PROTECTED, CorpusOptions(), inside.registry.get_corpus(OTHER).password_hash)
    inside.registry.set_started(PROTECTED, True)
    inside.service.rights.forget_tokens()
    for shown in (session, token):
        assert inside.answer("store.get_webentity", 1, PROTECTED, token=shown)["code"] == "fail"
