"""Secrets are in no answer, no log and no backup: each is a marked text, looked for in everything that comes
out."""

from __future__ import annotations

import base64
import json
import threading
import zipfile
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import zstandard

from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.methods import Method, Needs, Role
from hyphe_core.api.parameters import CorpusName
from memory_structure.opening import open_registry
from tests.security.arguments import sample
from tests.security.conftest import (
    ADMIN_PASSWORD,
    PASSWORD,
    PROTECTED,
    READER_PASSWORD,
    log_in,
    make_corpora,
)
from tests.service.service_process import Client, ServiceProcess, wait_until

COOKIE, PROXY_PASSWORD, GUESS = "marker-of-cookie", "marker-of-proxy", "marker-of-a-guess"
CREDENTIALS = base64.b64encode(f"robot:{PROXY_PASSWORD}".encode()).decode()
MARKERS = [ADMIN_PASSWORD, PASSWORD, READER_PASSWORD, COOKIE, PROXY_PASSWORD, CREDENTIALS, GUESS, "scrypt$"]


@dataclass
class Everything:
    """What came out of a service in whose every corner secrets were put."""

    answers: dict[str, bytes] = field(default_factory=dict)
    log: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    cookies_sent: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)


class Proxy(BaseHTTPRequestHandler):
    """Answers for every site itself."""

    cookies: list[str] = []

    def do_GET(self) -> None:
        self.cookies.append(f"{self.headers.get('Cookie', '')} {self.headers.get('Proxy-Authorization', '')}")
        body = b"<a href=/next>next</a>" if "robots" not in self.path else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Everything:
    folder = tmp_path_factory.mktemp("secrets")
    registry = open_registry(folder)
    make_corpora(registry)
    registry.close()
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    process = ServiceProcess(
        folder,
        admin_password=ADMIN_PASSWORD,
        proxy=f"http://robot:{PROXY_PASSWORD}@127.0.0.1:{proxy.server_port}",
        n_workers=1,
        delay_seconds=0,
        log_level="DEBUG",
    )
    found = Everything()
    _use(process.client(), found)
    process.stop()
    proxy.shutdown()
    proxy.server_close()
    found.cookies_sent = Proxy.cookies
    found.log = process.log_path.read_bytes()
    _open_backups(folder / "backups", found)
    return found


def _use(client: Client, found: Everything) -> None:
    """Log in rightly and wrongly, crawl with a cookie through the proxy, then call every method."""
    for corpus in (PROTECTED, None):
        client.envelope("start_corpus", corpus, GUESS)
    log_in(client, PROTECTED, READER_PASSWORD)
    log_in(client, PROTECTED, PASSWORD)
    session = log_in(client, None, ADMIN_PASSWORD)["auth-token"]
    admin = Client(client.port, {"Auth-Token": session})
    made = admin.call("access.create_token", "script", "curator", 1, PROTECTED)
    found.tokens = [session, made["token"]]
    admin.call("declare_page", "http://site.example/", PROTECTED)
    crawl = {"webentity_id": 2, "depth": 1, "cookies_string": f"sid={COOKIE}", "corpus": PROTECTED}
    admin.call("crawl_webentity", **crawl)
    wait_until(lambda: admin.call("listjobs", corpus=PROTECTED)[0]["crawling_status"] == "FINISHED", 60)
    admin.call("crawl_webentity", **crawl | {"user_agent": "second"})
    admin.call("corpus.backup", "of-everything.hyphe.zip", PROTECTED)
    for method in _in_good_order(all_methods().list_methods()):
        body = {"method": method.name, "params": _arguments(method)}
        for shown in (admin, client, Client(client.port, {"Authorization": f"Bearer {made['token']}"})):
            found.answers.setdefault(method.name, b"")
            found.answers[method.name] += shown.send(json.dumps(body)).body


def _in_good_order(methods: list[Method]) -> list[Method]:
    """Those that change or end things last."""
    return sorted(
        methods, key=lambda m: (m.role is Role.ADMIN, m.role >= Role.CURATOR, m.needs is Needs.NONE)
    )


def _arguments(method: Method) -> dict[str, Any]:
    known = {"password": PASSWORD, "token_id": "x", "light": False, "cookies_string": f"sid={COOKIE}"}
    return {
        p.name: PROTECTED
        if isinstance(p.kind, CorpusName)
        else known.get(p.name, sample(p.kind, "http://site.example/", flag=False))
        for p in method.parameters
        if p.is_required or p.name in known or isinstance(p.kind, CorpusName)
    }


def _open_backups(folder: Path, found: Everything) -> None:
    for path in folder.rglob("*.zip"):
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                found.files[f"{path.name}/{name}"] = _unpacked(packed.read(name))


def _unpacked(octets: bytes) -> bytes:
    if octets.startswith(b"\x28\xb5\x2f\xfd"):
        return zstandard.ZstdDecompressor().decompressobj().decompress(octets)
    return octets


def test_the_secrets_were_used(everything: Everything) -> None:
    """Else nothing could be found."""
    assert f"sid={COOKIE} Basic {CREDENTIALS}" in everything.cookies_sent
    assert len(everything.answers) == len(all_methods().list_methods())
    assert b"[hidden]" in everything.answers["listjobs"]
    assert b"hyphe_core.api" in everything.log or b"hyphe_core.app" in everything.log
    assert b"WorkerSpider" in everything.log
    assert len(everything.files) > 3
    assert any(b"site.example" in octets for octets in everything.files.values())


@pytest.mark.parametrize("marker", MARKERS)
def test_no_answer_tells_a_secret(everything: Everything, marker: str) -> None:
    found = {name for name, answer in everything.answers.items() if marker.encode() in answer}
    assert found == set()


def test_no_answer_tells_a_token_that_was_made_before(everything: Everything) -> None:
    for token in everything.tokens:
        assert not [name for name, answer in everything.answers.items() if token.encode() in answer]
        assert token.encode() not in everything.log


@pytest.mark.parametrize("marker", MARKERS)
def test_no_log_tells_a_secret(everything: Everything, marker: str) -> None:
    lines = [line for line in everything.log.splitlines() if marker.encode() in line]
    assert lines == []


@pytest.mark.parametrize("marker", MARKERS)
def test_no_backup_holds_a_secret(everything: Everything, marker: str) -> None:
    found = {name for name, octets in everything.files.items() if marker.encode() in octets}
    assert found == set()
