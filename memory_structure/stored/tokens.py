"""Access tokens and readers' passwords, over the registry's database."""

from __future__ import annotations

import hmac
from datetime import datetime
from typing import Final

from memory_structure.errors import InvalidValue, NotFound
from memory_structure.storage import Column, ColumnKind, Reader, Row, Storage, Table
from memory_structure.stored.moments import from_micros, now_micros, to_micros
from memory_structure.stored.schema import CORPORA
from memory_structure.tokens import AccessRole, AccessToken, TokenKeeping

_MAX_TOKENS: Final = 1_000
_ID_CHARACTERS: Final = 16  # of the digest: enough to name a token, far too little to find it
_T, _I = ColumnKind.TEXT, ColumnKind.INTEGER

TOKENS: Final = Table(
    "access_tokens",
    tuple(
        Column(name, kind)
        for name, kind in {
            "id": _T,
            "digest": _T,
            "name": _T,
            "corpus_id": _T,
            "corpus_created_at": _I,
            "role": _T,
            "made_by": _T,
            "created_at": _I,
            "expires_at": _I,
        }.items()
    ),
    ("id",),
)
READERS: Final = Table(
    "reader_passwords",
    (Column("corpus_id", _T), Column("corpus_created_at", _I), Column("password_hash", _T)),
    ("corpus_id",),
)
TOKEN_TABLES: Final = (TOKENS, READERS)
_CREATED_AT: Final = CORPORA.position("created_at")


class StoredTokens(TokenKeeping):
    """Each row holds when its corpus was made, so that a later corpus of the same id does not inherit it."""

    _storage: Storage

    def add_token(
        self, digest: str, name: str, corpus_id: str, role: AccessRole, made_by: str, expires_at: datetime
    ) -> AccessToken:
        """Keep a token by its digest."""
        now = now_micros()
        with self._storage.transaction() as transaction:
            rows = list(transaction.scan(TOKENS))
            transaction.delete(TOKENS, [row[0] for row in rows if row[8] <= now])
            if sum(1 for row in rows if row[3] == corpus_id and row[8] > now) >= _MAX_TOKENS:
                raise InvalidValue(f"there are {_MAX_TOKENS} tokens already: revoke some first")
            made_at = _made_at(transaction, corpus_id) if corpus_id else None
            row = (
                digest[:_ID_CHARACTERS],
                digest,
                name,
                corpus_id,
                made_at,
                role.value,
                made_by,
                now,
                to_micros(expires_at),
            )
            transaction.insert(TOKENS, [row])
        return _token(row)

    def find_token(self, digest: str) -> AccessToken | None:
        """The token of that digest."""
        token_id = digest[:_ID_CHARACTERS]
        row = self._storage.get(TOKENS, (token_id,)).get(token_id)
        if row is None or not hmac.compare_digest(row[1], digest) or not _is_living(self._storage, row):
            return None
        return _token(row)

    def list_tokens(self, corpus_id: str) -> list[AccessToken]:
        """Living tokens, oldest first."""
        rows = [row for row in self._storage.scan(TOKENS) if row[3] == corpus_id]
        rows.sort(key=lambda row: (row[7], row[0]))
        return [_token(row) for row in rows if _is_living(self._storage, row)]

    def revoke_token(self, corpus_id: str, token_id: str) -> None:
        """Forget a token."""
        with self._storage.transaction() as transaction:
            row = transaction.get(TOKENS, (token_id,)).get(token_id)
            if row is None or row[3] != corpus_id:
                raise NotFound(f"there is no token {token_id!r}")
            transaction.delete(TOKENS, [token_id])

    def set_reader_password(self, corpus_id: str, password_hash: str) -> None:
        """Change the hash of the readers' password."""
        with self._storage.transaction() as transaction:
            made_at = _made_at(transaction, corpus_id)
            if password_hash:
                transaction.put(READERS, [(corpus_id, made_at, password_hash)])
            else:
                transaction.delete(READERS, [corpus_id])

    def find_reader_password(self, corpus_id: str) -> str:
        """The hash of the readers' password."""
        row = self._storage.get(READERS, (corpus_id,)).get(corpus_id)
        corpus = self._storage.get(CORPORA, (corpus_id,)).get(corpus_id)
        return str(row[2]) if row is not None and corpus is not None and corpus[_CREATED_AT] == row[1] else ""


def _made_at(reader: Reader, corpus_id: str) -> int:
    row = reader.get(CORPORA, (corpus_id,)).get(corpus_id)
    if row is None:
        raise NotFound(f"there is no corpus {corpus_id!r}")
    return int(row[_CREATED_AT])


def _is_living(reader: Reader, row: Row) -> bool:
    if row[8] <= now_micros():
        return False
    if not row[3]:
        return True
    corpus = reader.get(CORPORA, (row[3],)).get(row[3])
    return corpus is not None and corpus[_CREATED_AT] == row[4]


def _token(row: Row) -> AccessToken:
    made_at = None if row[4] is None else from_micros(row[4])
    return AccessToken(
        token_id=row[0],
        name=row[2],
        corpus_id=row[3],
        corpus_created_at=made_at,
        role=AccessRole(row[5]),
        made_by=row[6],
        created_at=from_micros(row[7]),
        expires_at=from_micros(row[8]),
    )
