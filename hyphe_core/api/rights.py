"""Who a caller is and what they may do: the one place that decides it.

A caller shows nothing, the token of a session (they gave a password), or an access token (somebody made
it for them).
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from threading import Lock
from typing import TYPE_CHECKING

from hyphe_core.api.browser_access import is_loopback_name
from hyphe_core.api.methods import Role
from hyphe_core.api.sessions import Session, Sessions
from hyphe_core.clock import monotonic
from hyphe_core.config import Config
from memory_structure.registry import CorpusEntry, Registry
from memory_structure.tokens import AccessRole, AccessToken

if TYPE_CHECKING:
    from hyphe_core.api.call import Caller

_PREFIX = (
    "hyt_"  # tells access tokens from those of sessions, and scanners for leaked secrets what they found
)
_KEEP_SECONDS = 2.0
_MAX_KEPT = 1_000

ROLES = {AccessRole.READER: Role.READER, AccessRole.CURATOR: Role.CURATOR, AccessRole.ADMIN: Role.ADMIN}
# What acts are signed with when nobody gave a name: no name may be one of them.
ANONYMOUS = {Role.ANYONE: "anyone", Role.READER: "reader", Role.CURATOR: "curator", Role.ADMIN: "admin"}


def new_token() -> tuple[str, str]:
    """A new access token, and the digest to keep of it."""
    token = _PREFIX + secrets.token_urlsafe(32)
    return token, _digest(token)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Rights:
    """What callers may do, by configuration, registry and sessions. Safe to use from several threads."""

    def __init__(self, config: Config, registry: Registry, sessions: Sessions) -> None:
        self._config = config
        self._registry = registry
        self._sessions = sessions
        self._lock = Lock()
        self._tokens: dict[str, tuple[float, AccessToken | None]] = {}

    def role_of(self, caller: Caller, entry: CorpusEntry | None) -> Role:
        """What a caller may do on a corpus, or (None) on the service, where a curator makes corpora."""
        return max(self.shown_role(caller, entry), *self._open_to_all(caller, entry))

    def shown_role(self, caller: Caller, entry: CorpusEntry | None) -> Role:
        """The role that comes with the caller's token, whatever is open to everyone."""
        session, token = self._sessions.find(caller.token), self.find_token(caller)
        if session is not None and session.is_admin:
            return Role.ADMIN
        if token is not None:
            return ROLES[token.role] if not token.corpus_id or _is_for(token, entry) else Role.ANYONE
        return Role.ANYONE if session is None or entry is None else self._granted(session, entry)

    def _open_to_all(self, caller: Caller, entry: CorpusEntry | None) -> Iterator[Role]:
        yield Role.ANYONE
        is_open = entry is None or not entry.password_hash
        if is_open and self._is_at_home(caller):
            yield Role.ADMIN
        if is_open and entry is not None:
            yield Role.CURATOR
        if self._config.hyphe_compatible_access:
            yield from _compatible(entry)

    def _is_at_home(self, caller: Caller) -> bool:
        """Whether a service without administrator is this machine's own, and its caller at this machine: not
        one that a proxy passed on."""
        is_own = not self._config.admin_password and is_loopback_name(self._config.host)
        return is_own and (not caller.address or is_loopback_name(caller.address))

    def _granted(self, session: Session, entry: CorpusEntry) -> Role:
        """The role that a password gave. Where nobody is administrator, the curators of a protected corpus
        are: nobody else could remove it."""
        grant = session.grants.get(entry.corpus_id)
        if grant is None or grant.proof != self.proof(grant.role, entry):
            return Role.ANYONE
        if grant.role is Role.CURATOR and not self._config.admin_password:
            return Role.ADMIN
        return grant.role

    def proof(self, role: Role, entry: CorpusEntry) -> str:
        """The stored hash that stands for a role on a corpus: a grant lasts as long as it stays."""
        if role is Role.READER:
            return self._registry.find_reader_password(entry.corpus_id)
        return entry.password_hash

    def name_of(self, caller: Caller, entry: CorpusEntry | None) -> str:
        """How the acts of a caller are signed: by the name of token or session, else by role."""
        token, session = self.find_token(caller), self._sessions.find(caller.token)
        if token is not None:
            return token.name
        if session is not None and session.name:
            return session.name
        if session is not None and session.is_admin:
            return ANONYMOUS[Role.ADMIN]
        grant = session.grants.get(entry.corpus_id) if session is not None and entry is not None else None
        return ANONYMOUS[Role.ANYONE if grant is None else grant.role]

    # -- access tokens -------------------------------------------------------------------------------------

    def find_token(self, caller: Caller) -> AccessToken | None:
        """The living access token a caller showed; one revoked by another process may live two seconds
        longer."""
        if caller.token is None or not caller.token.startswith(_PREFIX):
            return None
        digest = _digest(caller.token)
        with self._lock:
            until, token = self._tokens.get(digest, (0.0, None))
        if until < monotonic():
            token = self._registry.find_token(digest)
            with self._lock:
                if len(self._tokens) >= _MAX_KEPT:
                    self._tokens.clear()
                self._tokens[digest] = (monotonic() + _KEEP_SECONDS, token)
        return token

    def forget_tokens(self) -> None:
        """Ask the registry again: a token was made or revoked."""
        with self._lock:
            self._tokens.clear()


def _is_for(token: AccessToken, entry: CorpusEntry | None) -> bool:
    """Whether a token is for this very corpus, not for an earlier one of its id."""
    return (
        entry is not None
        and token.corpus_id == entry.corpus_id
        and token.corpus_created_at == entry.created_at
    )


def _compatible(entry: CorpusEntry | None) -> Iterator[Role]:
    """The older program's ways: anyone makes corpora, and whatever is started is open to everyone."""
    if entry is None:
        yield Role.CURATOR
    elif entry.started or not entry.password_hash:
        yield Role.ADMIN
