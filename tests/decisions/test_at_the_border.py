"""Decisions about what comes in and goes out: browsers, proxies, private addresses, the wire. One test for
each, by its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hyphe_core.api.call import Caller
from hyphe_core.api.methods import Role
from hyphe_core.api.passwords import hash_password
from hyphe_core.api.service import Service
from hyphe_core.clock import to_milliseconds
from hyphe_core.config import Config
from memory_structure.corpus_records import CorpusOptions
from memory_structure.lru import url_to_lru
from memory_structure.opening import open_registry
from memory_structure.records import (
    Fetch,
    FetchError,
    JobSpec,
)
from tests.mock_web.running import ROOT, crawl_environment, running_mock_web, scrapy_crawl
from tests.service.conftest import FULL, MOMENT, PASSWORD, PROTECTED
from tests.service.service_process import Client, Failed, ServiceProcess

PING = '{"method": "ping"}'
THREE = 3


def test_browser_access(service: ServiceProcess, client: Client) -> None:
    """Pages of the service's own and of loopback origins may call, under a bound name; a protected corpus
    works same-origin by cookie or with a token."""
    own = f"http://127.0.0.1:{service.port}"
    statuses = {
        origin: client.send(PING, Origin=origin).status
        for origin in (own, "http://localhost:3000", "http://evil.example", "null")
    }
    assert statuses == {own: 200, "http://localhost:3000": 200, "http://evil.example": 403, "null": 403}
    rebound = client.send(PING, Host="evil.example", Origin="http://evil.example")
    assert rebound.status == 403
    with pytest.raises(Failed):
        client.call("get_corpus_options", PROTECTED)
    opened = client.send(json.dumps({"method": "start_corpus", "params": [PROTECTED, PASSWORD]}), Origin=own)
    cookie, token = opened.headers["set-cookie"].split(";")[0], opened.headers["auth-token"]
    for headers in ({"Cookie": cookie, "Origin": own}, {"Auth-Token": token}):
        assert Client(client.port, headers).call("get_corpus_options", PROTECTED)


def test_browser_access_of_any_origin_only_when_asked_for(tmp_path: Path) -> None:
    compatible = ServiceProcess(tmp_path, hyphe_compatible_access="true")
    for origin in ("http://evil.example", "null"):
        answer = compatible.client().send(PING, Origin=origin)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "*")
    compatible.stop()
    assert Config().hyphe_compatible_access is False
    assert Config().host == "127.0.0.1"


@pytest.mark.parametrize(
    ("settings", "is_admin"),
    [({}, True), ({"admin_password": "x"}, False), ({"host": "0.0.0.0", "admin_password": "x"}, False)],
)
def test_browser_access_without_passwords_makes_everyone_here_admin(
    tmp_path: Path, settings: dict[str, str], is_admin: bool
) -> None:
    registry = open_registry(tmp_path)
    service = Service(Config(data_dir=tmp_path, **settings), registry)  # type: ignore[arg-type]
    stranger = Caller(None)
    opened = registry.create_corpus("open", CorpusOptions())
    protected = registry.create_corpus("protected", CorpusOptions(), hash_password("pw"))
    assert service.may(Role.ADMIN, stranger, None) is is_admin
    assert service.may(Role.CURATOR, stranger, opened)
    assert not service.may(Role.READER, stranger, protected)
    registry.close()


def crawled(folder: Path, environment: dict[str, str], *urls: str) -> dict[str, Fetch]:
    """Crawl these pages alone in a process; what was stored of each page tried."""
    done = scrapy_crawl(environment, "web_entity", f"url={' '.join(urls)}", "depth=0", "corpus=c")
    assert done.returncode == 0, done.stderr
    registry = open_registry(folder)
    pages = {page.url: page.fetch for page in registry.open_structure("c").iter_pages() if page.fetch}
    registry.close()
    return pages


def test_proxies_and_private_addresses(tmp_path: Path) -> None:
    """The operator's proxy may be private; through it only addresses written out are refused, as the
    documentation says. Without it every private address is, whatever its name."""
    with running_mock_web() as web:
        literal, through = "http://127.0.0.1:9/other", "http://site.example/chain1"
        local = f"http://localhost:{web.port}/chain1"
        proxied = crawled(tmp_path / "a", crawl_environment(tmp_path / "a", web.proxy), literal, through)
        direct = crawled(tmp_path / "b", crawl_environment(tmp_path / "b", None), local)
        assert web.paths("127.0.0.1:9") == []
        assert web.paths(f"localhost:{web.port}") == []
    outcomes = [(fetch.status, fetch.error) for fetch in (proxied[through], proxied[literal], direct[local])]
    refused = (None, FetchError.PRIVATE_ADDRESS)
    assert outcomes == [(200, None), refused, refused]
    told = " ".join((ROOT / "docs" / "operations.md").read_text().split())
    assert "Through a proxy only literal addresses can be checked" in told


def test_wire_units(service: ServiceProcess, client: Client) -> None:
    """Moments are whole milliseconds, durations seconds; an empty body answers [{}], what is no JSON -32700;
    a homepage is computed in full answers and not stored by them."""
    assert client.send(b"").body == b"[{}]"
    assert client.send(b"{").json["error"]["code"] == -32700
    registry = open_registry(service.data_dir)
    structure = registry.open_structure(FULL)
    made = structure.create_job(JobSpec(1, ("http://one.example.com/",), (), time_limit_seconds=90.0))
    (job,) = client.call("listjobs", [str(made.job_id)], None, None, False, FULL)
    assert job["created_at"] == to_milliseconds(made.created_at) > 1_000_000_000_000
    assert isinstance(job["created_at"], int)
    assert job["crawl_arguments"]["time_limit_seconds"] == 90
    named = {"webentity_id": 1, "onlyCrawled": True, "include_page_metas": True, "corpus": FULL}
    pages = client.call("store.paginate_webentity_pages", **named)["pages"]
    assert {page["crawl_timestamp"] for page in pages} == {str(to_milliseconds(MOMENT))}
    (entity,) = client.call("store.get_webentity", THREE, FULL)
    assert "three.net" in entity["homepage"]
    stored = structure.get_web_entity(THREE)
    registry.close()
    assert url_to_lru("http://three.net/") in stored.prefixes
    assert stored.homepage is None
