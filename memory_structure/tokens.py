"""The contract of access tokens and passwords: who may come in without being asked again, kept beside the
corpora.

A token is a long random text that its owner alone knows: only its digest is stored. It belongs to one
corpus, or to the service as a whole ("" for the corpus). Moments are aware UTC."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class AccessRole(StrEnum):
    """What a token lets its owner do."""

    READER = "reader"
    CURATOR = "curator"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token as the registry knows it. `token_id` names it in lists and is no secret. `corpus_id` is empty
    for one of the service as a whole; `corpus_created_at` is then None. `made_by` is who made it."""

    token_id: str
    name: str
    corpus_id: str
    corpus_created_at: datetime | None
    role: AccessRole
    made_by: str
    created_at: datetime
    expires_at: datetime


class TokenKeeping(ABC):
    """Tokens and the passwords of readers. A corpus that took the id of a destroyed one has none of it."""

    @abstractmethod
    def add_token(
        self, digest: str, name: str, corpus_id: str, role: AccessRole, made_by: str, expires_at: datetime
    ) -> AccessToken:
        """Keep a token by the SHA-256 of its text, in hexadecimal. Forgets tokens that expired. Raises
        NotFound for an unknown corpus, InvalidValue when the corpus has 1,000 already."""

    @abstractmethod
    def find_token(self, digest: str) -> AccessToken | None:
        """The token of that digest, None when unknown or expired; or when its corpus is gone, or is another
        of that id."""

    @abstractmethod
    def list_tokens(self, corpus_id: str) -> list[AccessToken]:
        """Living tokens of a corpus, or ("") of the service, oldest first."""

    @abstractmethod
    def revoke_token(self, corpus_id: str, token_id: str) -> None:
        """Forget a token. Raises NotFound when the corpus has none of that id."""

    @abstractmethod
    def set_password(self, corpus_id: str, password_hash: str) -> object:
        """Change the hash of the curators' password; an empty one opens the corpus."""

    @abstractmethod
    def set_reader_password(self, corpus_id: str, password_hash: str) -> None:
        """Change the hash of the readers' password; an empty one takes it away."""

    @abstractmethod
    def find_reader_password(self, corpus_id: str) -> str:
        """The hash of the readers' password; empty for none."""
