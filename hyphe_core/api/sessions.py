"""Sessions: what a caller who gave a password may do, kept in memory under a random token.

A token is sent back by cookie or by header. Sessions end with the process, after a week without use, and
thirty days after the last password. Each password given opens a session of its own with what the former one
allowed: a token that somebody planted in a browser before (session fixation) is worth nothing afterwards.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import NamedTuple

from hyphe_core.api.methods import Role
from hyphe_core.clock import monotonic

LIFETIME_SECONDS = 7 * 24 * 3600.0
LONGEST_SECONDS = 30 * 24 * 3600.0
GRACE_SECONDS = 30.0  # for calls under way while a session is replaced
_MAX_SESSIONS = 10_000


class Grant(NamedTuple):
    """A role on a corpus. `proof` is the stored hash of the password that was given: another password, or
    another corpus of the same id, has another one, and the grant is then worth nothing."""

    role: Role
    proof: str


@dataclass(frozen=True, slots=True)
class Session:
    """What a session allows. `name` is how its owner signs; empty when they did not say."""

    name: str = ""
    is_admin: bool = False
    grants: dict[str, Grant] = field(default_factory=dict)


@dataclass(slots=True)
class _Kept:
    session: Session
    used_at_seconds: float
    ends_at_seconds: float


class Sessions:
    """All sessions of the service. Safe to use from several threads; the least recently used go first when
    full."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()

    def grant(
        self,
        token: str | None,
        *,
        corpus_id: str | None = None,
        role: Role = Role.CURATOR,
        proof: str = "",
        admin: bool = False,
    ) -> str:
        """A new session that allows what the one of `token` does, and a role on a corpus or everything. Its
        token."""
        with self._lock:
            session = self._retire(token)
            if corpus_id is not None:
                grants = session.grants | {corpus_id: Grant(role, proof)}
                session = replace(session, grants=grants)
            return self._open(replace(session, is_admin=session.is_admin or admin))

    def rename(self, token: str | None, name: str) -> str | None:
        """Give a session the name that its owner signs with; the token of a new one when there was none."""
        with self._lock:
            kept = self._live(token)
            if kept is None:
                return self._open(Session(name))
            kept.session = replace(kept.session, name=name)
            return None

    def find(self, token: str | None) -> Session | None:
        """The session of a token."""
        with self._lock:
            kept = self._live(token)
            return None if kept is None else kept.session

    def is_admin(self, token: str | None) -> bool:
        """Whether the session gave the administrator's password."""
        session = self.find(token)
        return session is not None and session.is_admin

    def end(self, token: str | None) -> None:
        """Forget a session."""
        with self._lock:
            if token:
                self._kept.pop(_key(token), None)

    def forget_corpus(self, corpus_id: str) -> None:
        """Take a corpus from every session: it was destroyed, and its id may be used again."""
        with self._lock:
            for kept in self._kept.values():
                if corpus_id in kept.session.grants:
                    grants = {c: g for c, g in kept.session.grants.items() if c != corpus_id}
                    kept.session = replace(kept.session, grants=grants)

    def _open(self, session: Session) -> str:
        token = secrets.token_urlsafe(32)
        self._kept[_key(token)] = _Kept(session, monotonic(), monotonic() + LONGEST_SECONDS)
        while len(self._kept) > _MAX_SESSIONS:
            self._kept.popitem(last=False)
        return token

    def _retire(self, token: str | None) -> Session:
        """What the session allowed that is about to be replaced; calls under way may still use it."""
        kept = self._live(token)
        if kept is None:
            return Session()
        kept.ends_at_seconds = min(kept.ends_at_seconds, monotonic() + GRACE_SECONDS)
        return kept.session

    def _live(self, token: str | None) -> _Kept | None:
        if not token:
            return None
        key, moment = _key(token), monotonic()
        kept = self._kept.get(key)
        if kept is None:
            return None
        if moment > kept.ends_at_seconds or moment - kept.used_at_seconds > LIFETIME_SECONDS:
            del self._kept[key]
            return None
        kept.used_at_seconds = moment
        self._kept.move_to_end(key)
        return kept


def _key(token: str) -> bytes:
    """Tokens are looked up by digest: the time a look-up takes says nothing about the tokens there are."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
