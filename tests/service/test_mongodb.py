"""The service over MongoDB: the same answers, and a server that goes away is waited for."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.mongodb_server import MongoServer, running_server
from tests.service.service_process import ServiceProcess


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MongoServer]:
    with running_server(tmp_path_factory.mktemp("mongodb")) as server:
        yield server


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, database: MongoServer) -> Iterator[ServiceProcess]:
    process = ServiceProcess(tmp_path_factory.mktemp("service"), mongodb_uri=database.uri)
    yield process
    process.stop()


def test_calls_are_served_from_mongodb(service: ServiceProcess) -> None:
    client = service.client()
    assert client.call("create_corpus", "Mongo")["corpus_id"] == "mongo"
    entity = client.call("declare_page", "http://www.xyz.com/a", "mongo")
    assert client.call("store.get_webentity_for_url", "http://xyz.com/b", "mongo")["id"] == entity["id"]
    assert client.call("get_status", "mongo")["corpus"]["crawler"]["pages_found"] == 1
    assert not list(service.data_dir.glob("**/corpus.sqlite"))


def test_a_server_that_is_away_is_waited_for_and_pings_go_on(
    service: ServiceProcess, database: MongoServer
) -> None:
    client = service.client()
    client.call("create_corpus", "Away")
    database.kill()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.envelope, "declare_page", "http://xyz.com/", "away")
        for _ in range(20):
            assert client.call("ping") == "pong"
        assert not waiting.done()
        database.restart()
        assert waiting.result(60)["code"] == "success"
    assert client.call("get_status", "away")["corpus"]["crawler"]["pages_found"] == 1
