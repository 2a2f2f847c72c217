"""Methods on access: who one is, access tokens for programs, passwords of a corpus.

Passwords are for people and open sessions; tokens are for programs, work until they expire or are revoked,
and have a name by which history tells who did what.
"""

from __future__ import annotations

import unicodedata
from datetime import timedelta

from hyphe_core.api.call import Call
from hyphe_core.api.corpus_states import missing_state
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Needs, Role
from hyphe_core.api.opening import grant_role
from hyphe_core.api.parameters import Choice, CorpusName, Integer, Parameter, Text
from hyphe_core.api.passwords import hash_password
from hyphe_core.api.rights import ANONYMOUS, ROLES, new_token
from hyphe_core.api.schemas import INTEGER, MESSAGE, TEXT, list_of, one_of_texts, or_null, record
from hyphe_core.api.wire import milliseconds
from hyphe_core.clock import now
from memory_structure.registry import CorpusEntry
from memory_structure.tokens import AccessRole, AccessToken

methods = MethodGroup("access")

_OF = Parameter("corpus", CorpusName(), "--hyphe--", "id of the corpus; null is the service as a whole")
_NAME = Parameter("name", Text(max_chars=100), doc="name that history shows")
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

_ROLE = one_of_texts(*(role.word for role in Role))
_TOKEN = {
    "id": TEXT,
    "name": TEXT,
    "corpus_id": or_null(TEXT),
    "role": one_of_texts(*AccessRole),
    "made_by": TEXT,
    "created_at": INTEGER,
    "expires_at": INTEGER,
}


# -- who one is -------------------------------------------------------------------------------------------


@methods.method(
    _OF,
    result=record(
        {
            "name": TEXT,
            "role": _ROLE,
            "by": one_of_texts("nothing", "session", "token"),
            "corpus_id": or_null(TEXT),
            "expires_at": or_null(INTEGER),
        }
    ),
    returns="name, role on the corpus (or on the service), what the caller showed, when a token expires",
    needs=Needs.NONE,
    role=Role.ANYONE,
)
def whoami(call: Call) -> JsonObject:
    """Tell who the service takes the caller for, and what they may do on a corpus."""
    entry = _find(call)
    rights, caller = call.service.rights, call.caller
    token = rights.find_token(caller)
    has_session = call.service.sessions.find(caller.token) is not None
    return {
        "name": rights.name_of(caller, entry),
        "role": rights.role_of(caller, entry).word,
        "by": "token" if token is not None else "session" if has_session else "nothing",
        "corpus_id": None if entry is None else entry.corpus_id,
        "expires_at": None if token is None else milliseconds(token.expires_at),
    }


def _find(call: Call) -> CorpusEntry | None:
    """The corpus named, None for the service as a whole."""
    if call.corpus_id is None:
        return None
    entry = call.service.find_corpus(call.corpus_id)
    if entry is None:
        raise Refusal(missing_state(call.corpus_id))
    return entry


@methods.method(_NAME, result=MESSAGE, returns="a confirmation", needs=Needs.NONE, role=Role.ANYONE)
def sign_as(call: Call, name: str) -> str:
    """Say who one is: history shows that name for what is done in this session. It proves nothing and opens
    nothing. A token keeps the name it was made with."""
    if call.service.rights.find_token(call.caller) is not None:
        raise Refusal("a token has its name already")
    shown = _checked_name(name)
    token = call.service.sessions.rename(call.caller.token, shown)
    if token is not None:
        call.granted_token = token
    return f"What you do is signed {shown}"


@methods.method(result=MESSAGE, returns="a confirmation", needs=Needs.NONE, role=Role.ANYONE)
def log_out(call: Call) -> str:
    """End the session: what its passwords opened is closed to it. Tokens are ended by access.revoke_token."""
    call.service.sessions.end(call.caller.token)
    call.granted_token = ""
    return "The session has ended"


def _checked_name(name: str) -> str:
    """A name on one line that nobody takes for a role."""
    shown = unicodedata.normalize("NFC", " ".join(name.split()))
    if not shown or any(unicodedata.category(character) in _UNSHOWN for character in shown):
        raise Refusal("a name must have letters, and none that cannot be shown")
    if shown.casefold() in ANONYMOUS.values():
        raise Refusal(f"{shown} is the word for a role: take a name of your own")
    return shown


# -- tokens -----------------------------------------------------------------------------------------------


@methods.method(
    _NAME,
    Parameter("role", Choice(AccessRole), AccessRole.READER, "what the token lets its owner do"),
    Parameter("expires_days", Integer(1, 3650), 90, "days until it ends"),
    _OF,
    result=record({**_TOKEN, "token": TEXT}),
    returns="the token, in `token` for the only time, with what access.list_tokens tells of it",
    needs=Needs.ANY_OR_SERVICE,
    role=Role.CURATOR,
)
def create_token(call: Call, name: str, role: AccessRole, expires_days: int) -> JsonObject:
    """Make an access token of a corpus, or of the service, for programs: sent as `Authorization: Bearer`.
    Nobody can make one that may do more than they may themselves. For curators."""
    call.service.require(ROLES[role], call.caller, call.entry)
    token, digest = new_token()
    expires_at = now() + timedelta(days=expires_days)
    kept = call.registry.add_token(
        digest, _checked_name(name), _corpus_id(call), role, call.actor, expires_at
    )
    call.service.rights.forget_tokens()
    return {**_shown(kept), "token": token}


@methods.method(
    _OF,
    result=list_of(record(_TOKEN)),
    returns="a list of tokens without their secret, oldest first",
    needs=Needs.ANY_OR_SERVICE,
    role=Role.CURATOR,
)
def list_tokens(call: Call) -> list[JsonObject]:
    """List the access tokens of a corpus, or of the service. For curators."""
    return [_shown(token) for token in call.registry.list_tokens(_corpus_id(call))]


@methods.method(
    Parameter("token_id", Text(max_chars=100), doc="id of a token, as access.list_tokens tells it"),
    _OF,
    result=MESSAGE,
    returns="a confirmation",
    needs=Needs.ANY_OR_SERVICE,
    role=Role.CURATOR,
)
def revoke_token(call: Call, token_id: str) -> str:
    """End an access token at once. For curators; those of administrators for administrators."""
    for token in call.registry.list_tokens(_corpus_id(call)):
        if token.token_id == token_id:
            call.service.require(ROLES[token.role], call.caller, call.entry)
    call.registry.revoke_token(_corpus_id(call), token_id)
    call.service.rights.forget_tokens()
    return f"Token {token_id} is revoked"


def _corpus_id(call: Call) -> str:
    """Whose tokens are meant; those of the service ("") are the administrator's alone."""
    if call.entry is None:
        call.service.require(Role.ADMIN, call.caller, None)
        return ""
    return call.entry.corpus_id


def _shown(token: AccessToken) -> JsonObject:
    return {
        "id": token.token_id,
        "name": token.name,
        "corpus_id": token.corpus_id or None,
        "role": token.role.value,
        "made_by": token.made_by,
        "created_at": milliseconds(token.created_at),
        "expires_at": milliseconds(token.expires_at),
    }


# -- passwords --------------------------------------------------------------------------------------------


@methods.method(
    Parameter("password", Text(max_chars=1000), doc="the new password; empty for none"),
    Parameter("role", Choice(AccessRole), AccessRole.CURATOR, "whose password: reader or curator"),
    CORPUS,
    result=MESSAGE,
    returns="a confirmation",
    needs=Needs.ANY,
    role=Role.ADMIN,
)
def set_password(call: Call, password: str, role: AccessRole) -> str:
    """Change the password of a corpus' curators, or of its readers. Sessions opened by the old one end;
    tokens stay, but for those made while everyone could make them."""
    if role is AccessRole.ADMIN:
        raise Refusal("the administrator's password is set in the configuration of the service")
    if role is AccessRole.READER:
        return _set_reader_password(call, password)
    entry = call.corpus
    if not entry.password_hash:
        _revoke_all(call, entry)
    call.registry.set_password(entry.corpus_id, hash_password(password))
    if not password:
        call.registry.set_reader_password(entry.corpus_id, "")
        return f"Corpus {entry.corpus_id} is open to everyone who reaches the service"
    grant_role(call, call.registry.get_corpus(entry.corpus_id), Role.CURATOR)
    return f"Corpus {entry.corpus_id} has a new password"


def _set_reader_password(call: Call, password: str) -> str:
    entry = call.corpus
    if not entry.password_hash:
        raise Refusal(f"corpus {entry.corpus_id} is open to everyone: give it a password for curators first")
    call.registry.set_reader_password(entry.corpus_id, hash_password(password))
    return f"Corpus {entry.corpus_id} has {'a new' if password else 'no'} password for readers"


def _revoke_all(call: Call, entry: CorpusEntry) -> None:
    for token in call.registry.list_tokens(entry.corpus_id):
        call.registry.revoke_token(entry.corpus_id, token.token_id)
    call.service.rights.forget_tokens()
