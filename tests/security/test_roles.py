"""What each role may do, over the whole table of methods."""

from __future__ import annotations

from contextlib import suppress

import pytest

from hyphe_core.api.call import Caller
from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.failures import Fault
from hyphe_core.api.methods import Bound, Method, Needs, Role
from hyphe_core.api.parameters import CorpusName
from hyphe_core.api.rights import ANONYMOUS
from memory_structure.records import JobSpec
from tests.security.arguments import sample
from tests.security.conftest import ADMIN_PASSWORD, OPEN, OTHER, PASSWORD, PROTECTED, READER_PASSWORD, Inside

ALL = all_methods().list_methods()
ON_A_CORPUS = [m.name for m in ALL if m.needs is not Needs.NONE]
# What works without any role: names are public, passwords are given here, and introspection tells no data.
FOR_ANYONE = {
    "test_corpus", "list_corpus", "get_status", "ping", "start_corpus",
    "access.whoami", "access.sign_as", "access.log_out",
    "system.listMethods", "system.methodHelp", "system.methodSignature", "rpc.discover",
}  # fmt: skip


def admitted(inside: Inside, method: Method, caller: Caller, corpus: str | None) -> bool:
    """Whether a caller gets as far as the function of a method. Arguments do not matter for that."""
    reached: list[object] = []
    watched = Method(
        method.name, method.parameters, method.returns, method.needs, method.role,
        lambda *arguments: reached.append(arguments), method.doc, {},
    )  # fmt: skip
    inside.service.answer_blocking(Bound(watched, corpus, ()), caller)
    return bool(reached)


Shown = dict[Role, list[str | None]]


@pytest.fixture(scope="module")
def shown(shared: Inside) -> Shown:
    """What callers may show, by the role it gives on the protected corpus."""
    return {
        Role.ANYONE: [None, "", "invented", shared.token("curator", OPEN)],
        Role.READER: [
            shared.session(PROTECTED, READER_PASSWORD),
            shared.token("reader"),
            shared.token("reader", None),
        ],
        Role.CURATOR: [
            shared.session(PROTECTED, PASSWORD),
            shared.token("curator"),
            shared.token("curator", None),
        ],
        Role.ADMIN: [
            shared.session(PROTECTED, ADMIN_PASSWORD),
            shared.session(None, ADMIN_PASSWORD),
            shared.token("admin"),
            shared.token("admin", None),
        ],
    }


def test_nothing_but_this_is_open_to_everyone() -> None:
    assert {m.name for m in ALL if m.role is Role.ANYONE} <= FOR_ANYONE


@pytest.mark.parametrize("name", ON_A_CORPUS)
def test_on_a_protected_corpus_each_caller_does_what_their_role_allows(
    shared: Inside, shown: Shown, name: str
) -> None:
    method = shared.service.table.get(name)
    for role, tokens in shown.items():
        for token in tokens:
            got_in = admitted(shared, method, Caller(token), PROTECTED)
            assert got_in is (role >= method.role), (role, token)


@pytest.mark.parametrize(
    "name", [m.name for m in ALL if m.role >= Role.CURATOR and m.needs is not Needs.NONE]
)
def test_a_reader_is_told_what_would_be_needed(shared: Inside, shown: Shown, name: str) -> None:
    """In words: clients that are told of a stopped corpus would try to start it again and again."""
    method = shared.service.table.get(name)
    for token in shown[Role.READER]:
        reply = shared.service.answer_blocking(Bound(method, PROTECTED, ()), Caller(token))
        message = reply.value["message"]  # type: ignore[index]
        assert message.startswith("Wrong auth: this needs the role " + method.role.word)
        assert ("administrator" in message, "its curators" in message) == (
            method.role is Role.ADMIN,
            method.role is Role.CURATOR,
        )


@pytest.mark.parametrize(
    "name", [m.name for m in ALL if m.needs in (Needs.NONE, Needs.ANY_OR_SERVICE) and m.role > Role.ANYONE]
)
def test_methods_of_the_service_are_for_those_the_administrator_chose(
    shared: Inside, shown: Shown, name: str
) -> None:
    method = shared.service.table.get(name)
    of_the_corpus = [
        *shown[Role.READER][:2],
        *shown[Role.CURATOR][:2],
        shown[Role.ADMIN][0],
        shown[Role.ADMIN][2],
    ]
    for token in [*shown[Role.ANYONE], *of_the_corpus]:
        assert not admitted(shared, method, Caller(token), None), token
    for role, i in ((Role.READER, 2), (Role.CURATOR, 2), (Role.ADMIN, 1), (Role.ADMIN, 3)):
        assert admitted(shared, method, Caller(shown[role][i]), None) is (role >= method.role)


def test_methods_that_only_read_need_no_more_than_a_reader() -> None:
    """By name, so that a new one is thought of."""
    reading = ("get_", "list", "search", "simulate", "find", "preview")
    for method in ALL:
        last = method.name.rpartition(".")[2]
        if last.startswith(reading) and method.needs in (Needs.ANY, Needs.READY):
            assert method.role <= Role.READER, method.name


@pytest.mark.parametrize(
    "name", [m.name for m in ALL if m.role <= Role.READER and m.needs is not Needs.NONE and not m.is_async]
)
def test_what_readers_may_call_writes_nothing(inside: Inside, name: str) -> None:
    method = inside.service.table.get(name)
    structure = inside.registry.open_structure(PROTECTED)
    structure.create_job(JobSpec(1, ("http://a.com/",), ("s:http|h:com|h:a|",)))
    reader = Caller(inside.token("reader"))
    before = structure.version(), structure.counters(), inside.registry.list_corpora()
    values = {
        p.name: PROTECTED if isinstance(p.kind, CorpusName) else sample(p.kind, "http://a.com/")
        for p in method.parameters
    }
    for given in (values, {n: v for n, v in values.items() if n == "corpus"}):
        with suppress(Fault):
            bound = method.bind(given)
            inside.service.answer_blocking(bound, reader)
    assert (structure.version(), structure.counters(), inside.registry.list_corpora()) == before


# -- tokens -------------------------------------------------------------------------------------------------


def test_a_token_is_shown_once_and_kept_as_a_digest(inside: Inside) -> None:
    admin = inside.session(None, ADMIN_PASSWORD)
    made = inside.answer("access.create_token", "Nightly script", "reader", 7, PROTECTED, token=admin)[
        "result"
    ]
    (listed,) = inside.answer("access.list_tokens", PROTECTED, token=admin)["result"]
    assert listed == {name: value for name, value in made.items() if name != "token"}
    assert (listed["name"], listed["role"], listed["made_by"]) == ("Nightly script", "reader", "admin")
    assert listed["expires_at"] - listed["created_at"] == pytest.approx(7 * 24 * 3600 * 1000, abs=10_000)
    for useless in (listed["id"], made["token"][:-1], made["token"].upper(), "hyt_"):
        assert inside.answer("access.whoami", PROTECTED, token=useless)["result"]["role"] == "anyone"


def test_a_token_ends_when_revoked(inside: Inside) -> None:
    token, curator = inside.token("reader"), inside.session(PROTECTED, PASSWORD)
    assert inside.answer("store.get_webentity", 1, PROTECTED, token=token)["code"] == "success"
    (listed,) = inside.answer("access.list_tokens", PROTECTED, token=curator)["result"]
    assert inside.answer("access.revoke_token", listed["id"], OTHER, token=curator)["code"] == "fail"
    assert inside.answer("access.revoke_token", listed["id"], PROTECTED, token=curator)["code"] == "success"
    assert inside.answer("store.get_webentity", 1, PROTECTED, token=token)["code"] == "fail"


def test_nobody_makes_or_ends_a_token_that_may_do_more_than_they(inside: Inside) -> None:
    curator, reader = inside.token("curator"), inside.token("reader")
    inside.token("admin")
    assert inside.answer("access.create_token", "x", "reader", 1, PROTECTED, token=reader)["code"] == "fail"
    assert (
        inside.answer("access.create_token", "x", "curator", 1, PROTECTED, token=curator)["code"] == "success"
    )
    for role, corpus in (("admin", PROTECTED), ("reader", None), ("reader", OTHER)):
        assert inside.answer("access.create_token", "x", role, 1, corpus, token=curator)["code"] == "fail"
    listed = inside.answer("access.list_tokens", PROTECTED, token=curator)["result"]
    (admins,) = [token["id"] for token in listed if token["role"] == "admin"]
    assert inside.answer("access.revoke_token", admins, PROTECTED, token=curator)["code"] == "fail"


@pytest.mark.parametrize("name", ["", "  ", "Admin", "ANYONE", "curator", "a\u202eb", "a\x00b", "x" * 101])
def test_names_are_names(inside: Inside, name: str) -> None:
    """Nobody signs as a role, or so that others cannot read it."""
    curator = inside.session(PROTECTED, PASSWORD)
    for method, params in (
        ("access.create_token", [name, "reader", 1, PROTECTED]),
        ("access.sign_as", [name]),
    ):
        assert inside.answer(method, *params, token=curator)["code"] != "success"


def test_history_says_who(inside: Inside) -> None:
    token, session = inside.token("curator"), inside.session(PROTECTED, PASSWORD)
    named = inside.session(PROTECTED, PASSWORD)
    inside.answer("access.sign_as", "  Ada   Lovelace ", token=named)
    admin = inside.session(None, ADMIN_PASSWORD)
    for i, shown in enumerate((token, session, named, admin)):
        declared = inside.answer("declare_page", f"http://site{i}.org/", PROTECTED, token=shown)
        assert declared["code"] == "success"
    acts = inside.registry.open_structure(PROTECTED).list_acts(limit=4)
    assert [act.actor for act in reversed(acts)] == ["a curator", "curator", "Ada Lovelace", "admin"]
    inside.answer("declare_page", "http://site.org/", OPEN)
    assert inside.registry.open_structure(OPEN).list_acts(limit=1)[0].actor == "anyone"


def test_a_name_opens_nothing(inside: Inside) -> None:
    token = inside.reply("access.sign_as", "Ada").token
    assert token is not None
    answer = inside.answer("access.whoami", PROTECTED, token=token)["result"]
    assert (answer["name"], answer["role"]) == ("Ada", "anyone")
    assert not set(ANONYMOUS.values()) & {"Ada"}


def test_logging_out_ends_the_session(inside: Inside) -> None:
    token = inside.session(PROTECTED, PASSWORD)
    assert inside.reply("access.log_out", token=token).token == ""
    assert inside.answer("store.get_webentity", 1, PROTECTED, token=token)["code"] == "fail"
