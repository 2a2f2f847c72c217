"""Opening a corpus: where passwords are given, and wrong ones are counted."""

from __future__ import annotations

import math

from hyphe_core.api.call import Call
from hyphe_core.api.corpus_states import missing_state, ready_state
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Needs, Role
from hyphe_core.api.parameters import Anything, Parameter
from hyphe_core.api.passwords import matches_hash, matches_secret
from hyphe_core.api.schemas import CORPUS_STATE, constant, either
from memory_structure.registry import CorpusEntry

methods = MethodGroup()

_ADMINISTRATOR = ""  # what wrong passwords of the administrator are counted under


@methods.method(
    CORPUS,
    Parameter("password", Anything(), "", "password of curators, readers or the administrator"),
    result=either(CORPUS_STATE, constant(True)),
    returns="the state of the corpus; true for no corpus and the right administrator's password",
    needs=Needs.NONE,
    role=Role.ANYONE,
)
def start_corpus(call: Call, password: object) -> JsonObject | bool:
    """Open a corpus. With a password set, the answer carries a session (cookie and Auth-Token header) for
    later calls, whose role is that of the password. Wrong passwords make one wait."""
    if call.corpus_id is None:
        return _admit_administrator(call, password)
    entry = call.service.find_corpus(call.corpus_id)
    if entry is None:
        raise Refusal(missing_state(call.corpus_id))
    if entry.password_hash:
        _admit(call, entry, password)
    call.service.uses.note(entry.corpus_id)
    if entry.started:
        return ready_state(entry, "Corpus already ready")
    call.service.view(entry.corpus_id)
    call.registry.touch_corpus(entry.corpus_id)  # before it is open: other services close what was idle
    call.registry.set_started(entry.corpus_id, True)
    return ready_state(entry)


def _admit_administrator(call: Call, password: object) -> bool:
    words = "Wrong password"
    if not is_attempt(password):
        raise Refusal(words)
    wait_seconds = call.service.attempts.begin(call.caller.address, _ADMINISTRATOR)
    if wait_seconds or not matches_secret(password, call.config.admin_password):
        raise Refusal(words + _advice(wait_seconds))
    call.service.attempts.succeeded(call.caller.address, _ADMINISTRATOR)
    call.granted_token = call.service.sessions.grant(call.caller.token, admin=True)
    return True


def _admit(call: Call, entry: CorpusEntry, password: object) -> None:
    """Open a session with the role of the password. Who is in already needs none, and is not put out by a
    wrong one."""
    attempts, target = call.service.attempts, entry.corpus_id
    wait_seconds, role = 0.0, Role.ANYONE
    if is_attempt(password):
        wait_seconds = attempts.begin(call.caller.address, target)
        role = Role.ANYONE if wait_seconds else _role_of(call, entry, password)
    if role is not Role.ANYONE:
        attempts.succeeded(call.caller.address, target)
        grant_role(call, entry, role)
    elif call.service.rights.shown_role(call.caller, entry) is Role.ANYONE:
        raise Refusal(f"Wrong auth for password-protected corpus {target}" + _advice(wait_seconds))


def is_attempt(password: object) -> bool:
    """Whether somebody gave a password at all: clients ask with an empty one whether there is any."""
    return isinstance(password, str) and bool(password)


def _role_of(call: Call, entry: CorpusEntry, password: object) -> Role:
    """The role whose password this is; ANYONE when it is no one's."""
    if matches_secret(password, call.config.admin_password):
        return Role.ADMIN
    if matches_hash(password, entry.password_hash):
        return Role.CURATOR
    readers = call.registry.find_reader_password(entry.corpus_id)
    return Role.READER if matches_hash(password, readers) else Role.ANYONE


def grant_role(call: Call, entry: CorpusEntry, role: Role) -> None:
    """Let the caller's session have a role on a corpus, as long as today's password of that role holds."""
    proof = call.service.rights.proof(role, entry)
    call.granted_token = call.service.sessions.grant(
        call.caller.token, corpus_id=entry.corpus_id, role=role, proof=proof
    )


def _advice(wait_seconds: float) -> str:
    """What to do after too many wrong passwords."""
    if not wait_seconds:
        return ""
    return f": too many wrong passwords, try again in {math.ceil(wait_seconds)} seconds"
