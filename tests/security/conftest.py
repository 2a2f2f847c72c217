"""A service with an administrator and corpora of every kind; over a socket, and without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hyphe_core.api.call import Caller
from hyphe_core.api.failures import Fault
from hyphe_core.api.json_values import encode
from hyphe_core.api.passwords import hash_password
from hyphe_core.api.service import Reply, Service
from hyphe_core.config import Config
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.registry import Registry
from tests.service.service_process import Client, ServiceProcess

ADMIN_PASSWORD = "marker-of-administrator"
PASSWORD = "marker-of-curators"
READER_PASSWORD = "marker-of-readers"
OPEN, PROTECTED, OTHER = "open", "protected", "other"


@cache
def hash_once(password: str, _corpus_id: str) -> str:
    """A hash of its own for each corpus; hashing is slow on purpose."""
    return hash_password(password)


def make_corpora(registry: Registry) -> None:
    """One corpus without password and two with; one of them lets readers in. All are started."""
    for corpus_id in (OPEN, PROTECTED, OTHER):
        hashed = "" if corpus_id == OPEN else hash_once(PASSWORD, corpus_id)
        registry.create_corpus(corpus_id, CorpusOptions(), hashed)
        registry.set_started(corpus_id, True)
        structure = registry.open_structure(corpus_id)
        structure.declare_web_entity(["s:http|h:com|h:a|"], name="A")
    registry.set_reader_password(PROTECTED, hash_once(READER_PASSWORD, PROTECTED))


@dataclass(frozen=True)
class Inside:
    """A service without a socket: calls go in as the transport hands them over."""

    service: Service
    registry: Registry

    def reply(self, method: str, *params: Any, token: str | None = None, address: str = "127.0.0.1") -> Reply:
        bound = self.service.table.get(method).bind(list(params))
        return self.service.answer_blocking(bound, Caller(token, address))

    def answer(self, method: str, *params: Any, token: str | None = None, address: str = "127.0.0.1") -> Any:
        """The envelope as a client reads it."""
        try:
            return json.loads(encode(self.reply(method, *params, token=token, address=address).value))
        except Fault as fault:
            return {"code": "fault", "message": fault.words}

    def session(self, corpus: str | None, password: str, **more: Any) -> str:
        """The token of a session that a password opens."""
        token = self.reply("start_corpus", corpus, password, **more).token
        assert token is not None, (corpus, password)
        return token

    def token(self, role: str, corpus: str | None = PROTECTED) -> str:
        """An access token that the administrator makes."""
        admin = self.session(None, ADMIN_PASSWORD)
        answer = self.answer("access.create_token", f"a {role}", role, 1, corpus, token=admin)
        return str(answer["result"]["token"])


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[Inside]:
    registry = open_registry(tmp_path)
    make_corpora(registry)
    yield Inside(Service(Config(data_dir=tmp_path, admin_password=ADMIN_PASSWORD), registry), registry)
    registry.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inside]:
    """One for tests that only knock on doors."""
    folder = tmp_path_factory.mktemp("inside")
    registry = open_registry(folder)
    make_corpora(registry)
    yield Inside(Service(Config(data_dir=folder, admin_password=ADMIN_PASSWORD), registry), registry)
    registry.close()


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    folder = tmp_path_factory.mktemp("security")
    registry = open_registry(folder)
    make_corpora(registry)
    registry.close()
    started = ServiceProcess(
        folder,
        admin_password=ADMIN_PASSWORD,
        max_request_bytes=200_000,
        allowed_origins="https://maps.example,null,*",
    )
    yield started
    started.stop()


@pytest.fixture
def client(process: ServiceProcess) -> Client:
    return process.client()


def log_in(client: Client, corpus: str | None, password: str, **headers: str) -> dict[str, str]:
    """The headers of the answer to a right password."""
    body = json.dumps({"method": "start_corpus", "params": [corpus, password]})
    answer = client.send(body, **headers)
    assert answer.json[0]["code"] == "success", answer.json
    return answer.headers


def with_token(client: Client, token: str) -> Client:
    return Client(client.port, {"Authorization": f"Bearer {token}"})
