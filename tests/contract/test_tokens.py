"""The contract of access tokens and readers' passwords, over each backend."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from memory_structure.corpus_records import CorpusOptions
from memory_structure.errors import InvalidValue, NotFound
from memory_structure.opening import open_registry
from memory_structure.stored import tokens as stored_tokens
from memory_structure.stored.registry import StoredRegistry
from memory_structure.tokens import AccessRole
from tests.mongodb_server import MongoServer

SOON = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
PAST = datetime(2020, 1, 1, tzinfo=UTC)
DIGEST, OTHER = sha256(b"one").hexdigest(), sha256(b"two").hexdigest()


@pytest.fixture
def registry(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoredRegistry]:
    uri = None
    if backend == "mongodb":
        server: MongoServer = request.getfixturevalue("mongodb_server")
        uri = server.uri
    opened = open_registry(tmp_path / "data", uri)
    assert isinstance(opened, StoredRegistry)
    opened.create_corpus("c", CorpusOptions(), "hash")
    yield opened
    for entry in opened.list_corpora():
        opened.destroy_corpus(entry.corpus_id)
    opened._storage.destroy()


def test_a_token_is_found_by_its_digest_alone(registry: StoredRegistry) -> None:
    made = registry.add_token(DIGEST, "script", "c", AccessRole.READER, "admin", SOON)
    assert (made.name, made.corpus_id, made.role, made.made_by) == ("script", "c", "reader", "admin")
    assert made.expires_at == SOON
    assert made.corpus_created_at == registry.get_corpus("c").created_at
    assert registry.find_token(DIGEST) == made
    assert registry.list_tokens("c") == [made]
    assert registry.find_token(OTHER) is None
    # Nothing that is shown or stored lets its reader in.
    assert registry.find_token(made.token_id) is None
    assert registry.find_token(made.token_id + "0" * 48) is None


def test_tokens_of_the_service_are_apart(registry: StoredRegistry) -> None:
    made = registry.add_token(DIGEST, "backup", "", AccessRole.ADMIN, "admin", SOON)
    assert made.corpus_created_at is None
    assert registry.find_token(DIGEST) == made
    assert registry.list_tokens("") == [made]
    assert registry.list_tokens("c") == []
    with pytest.raises(NotFound):
        registry.revoke_token("c", made.token_id)


def test_a_token_ends_when_revoked_or_expired(registry: StoredRegistry) -> None:
    made = registry.add_token(DIGEST, "script", "c", AccessRole.READER, "admin", SOON)
    registry.add_token(OTHER, "old", "c", AccessRole.READER, "admin", PAST)
    assert registry.find_token(OTHER) is None
    assert registry.list_tokens("c") == [made]
    registry.revoke_token("c", made.token_id)
    assert registry.find_token(DIGEST) is None
    with pytest.raises(NotFound):
        registry.revoke_token("c", made.token_id)


def test_expired_tokens_make_room(registry: StoredRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_tokens, "_MAX_TOKENS", 2)
    for i, moment in enumerate((PAST, SOON, PAST, SOON)):
        registry.add_token(sha256(bytes([i])).hexdigest(), f"t{i}", "c", AccessRole.READER, "", moment)
    with pytest.raises(InvalidValue):
        registry.add_token(DIGEST, "t", "c", AccessRole.READER, "", SOON)
    registry.add_token(DIGEST, "t", "", AccessRole.READER, "", SOON)


def test_a_token_needs_a_corpus_that_exists(registry: StoredRegistry) -> None:
    with pytest.raises(NotFound):
        registry.add_token(DIGEST, "script", "missing", AccessRole.READER, "admin", SOON)


def test_a_later_corpus_of_the_same_id_inherits_nothing(registry: StoredRegistry) -> None:
    registry.add_token(DIGEST, "script", "c", AccessRole.READER, "admin", SOON)
    registry.set_reader_password("c", "readers")
    registry.destroy_corpus("c")
    assert registry.find_token(DIGEST) is None
    registry.create_corpus("c", CorpusOptions())
    assert registry.find_token(DIGEST) is None
    assert registry.list_tokens("c") == []
    assert registry.find_reader_password("c") == ""


def test_readers_have_a_password_of_their_own(registry: StoredRegistry) -> None:
    assert registry.find_reader_password("c") == ""
    registry.set_reader_password("c", "readers")
    assert registry.find_reader_password("c") == "readers"
    registry.set_reader_password("c", "")
    assert registry.find_reader_password("c") == ""
    assert registry.get_corpus("c").password_hash == "hash"
    with pytest.raises(NotFound):
        registry.set_reader_password("missing", "x")


def test_tokens_survive_the_process(tmp_path: Path) -> None:
    first = open_registry(tmp_path)
    first.create_corpus("c", CorpusOptions())
    made = first.add_token(DIGEST, "script", "c", AccessRole.CURATOR, "ada", SOON)
    first.close()
    again = open_registry(tmp_path)
    assert again.find_token(DIGEST) == made
    again.close()
    assert b"one" not in (tmp_path / "registry.sqlite").read_bytes()
