"""Sessions: what a caller who gave a password may open, kept in memory under a random token.

A token is sent back by cookie or by header. Sessions end with the process, or after a week without use.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from hyphe_core.clock import monotonic

LIFETIME_SECONDS = 7 * 24 * 3600.0
_MAX_SESSIONS = 10_000


@dataclass(slots=True)
class _Session:
    corpus_ids: set[str] = field(default_factory=set)
    is_admin: bool = False
    used_at_seconds: float = 0.0


class Sessions:
    """All sessions of the service. Safe to use from several threads; the least recently used go first when
    full."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def grant(self, token: str | None, *, corpus_id: str | None = None, admin: bool = False) -> str:
        """Let a session open a corpus, or everything; a new session when the token is none. Answers its
        token."""
        with self._lock:
            session = self._live(token)
            if session is None or token is None:
                token, session = secrets.token_urlsafe(32), _Session(used_at_seconds=monotonic())
                self._sessions[token] = session
            if corpus_id is not None:
                session.corpus_ids.add(corpus_id)
            session.is_admin = session.is_admin or admin
            while len(self._sessions) > _MAX_SESSIONS:
                self._sessions.popitem(last=False)
            return token

    def may_open(self, token: str | None, corpus_id: str) -> bool:
        """Whether the session gave the corpus' password, or the administrator's."""
        with self._lock:
            session = self._live(token)
            return session is not None and (session.is_admin or corpus_id in session.corpus_ids)

    def is_admin(self, token: str | None) -> bool:
        """Whether the session gave the administrator's password."""
        with self._lock:
            session = self._live(token)
            return session is not None and session.is_admin

    def forget_corpus(self, corpus_id: str) -> None:
        """Take a corpus from every session: it was destroyed, and its id may be used again."""
        with self._lock:
            for session in self._sessions.values():
                session.corpus_ids.discard(corpus_id)

    def _live(self, token: str | None) -> _Session | None:
        session = self._sessions.get(token) if token else None
        if session is None or token is None:
            return None
        if monotonic() - session.used_at_seconds > LIFETIME_SECONDS:
            del self._sessions[token]
            return None
        session.used_at_seconds = monotonic()
        self._sessions.move_to_end(token)
        return session
