"""Asking a web server what it answers, by the crawler's rules."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.contract.hyphe_api import result_faults
from tests.service.conftest import EMPTY, FULL
from tests.service.service_process import Client, ServiceProcess


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what is tested."""


class Site(BaseHTTPRequestHandler):
    seen: list[tuple[str, str, str]] = []

    def do_GET(self) -> None:
        self.seen.append((self.command, self.path, self.headers["User-Agent"]))
        name = self.path.strip("/")
        if name == "no-head" and self.command == "HEAD":
            name = "405"
        if name == "slow":
            time.sleep(5)
        self.send_response(int(name) if name.isdecimal() else 200)
        if name in ("301", "302"):
            self.send_header("Location", "/next page?x=é".encode().decode("latin-1"))
        self.send_header("Content-Length", "1000000000" if name == "endless" else "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = QuietServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def ask(client: Client, url: str, timeout: float = 10, corpus: str = FULL) -> Any:
    return client.envelope("lookup_httpstatus", url, timeout, corpus)


@pytest.mark.parametrize("status", [200, 204, 403, 404, 410, 500, 503])
def test_the_status_is_the_result(client: Client, site: str, status: int) -> None:
    answer = ask(client, f"{site}/{status}")
    assert answer == {"code": "success", "result": status}
    assert result_faults("lookup_httpstatus", answer["result"]) == []
    assert client.call("lookup", f"{site}/{status}", 10, FULL) is (status == 200)


def test_the_target_of_a_redirect_stands_beside_the_result(client: Client, site: str) -> None:
    answer = ask(client, f"{site}/301")
    assert answer["result"] == 301
    assert answer["location"].startswith(f"{site}/next")
    assert client.call("lookup", f"{site}/302", 10, FULL) is True


def test_a_server_that_dislikes_head_is_asked_by_get(client: Client, site: str) -> None:
    Site.seen.clear()
    assert ask(client, f"{site}/no-head")["result"] == 200
    assert [verb for verb, path, _ in Site.seen if path == "/no-head"] == ["HEAD", "GET"]


def test_the_agent_is_the_crawlers(client: Client, site: str) -> None:
    Site.seen.clear()
    ask(client, f"{site}/200")
    assert Site.seen[0][2].startswith("hyphe-crawler/")


def test_a_body_is_not_waited_for(client: Client, site: str) -> None:
    assert ask(client, f"{site}/endless")["result"] == 200


def test_a_server_that_keeps_silent_is_given_up(client: Client, site: str) -> None:
    answer = ask(client, f"{site}/slow", 0.3)
    assert answer["result"] == -1
    assert answer["message"]


def test_nobody_there_is_minus_one(client: Client) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        assert ask(client, f"http://127.0.0.1:{unused.getsockname()[1]}/")["result"] == -1
    assert ask(client, "http://no-such-host.invalid/")["result"] == -1
    assert client.call("lookup", "http://no-such-host.invalid/", 5, FULL) is False


def test_a_proxy_that_does_not_answer_is_minus_two(client: Client) -> None:
    options = {"proxy": {"host": "no-such-host.invalid", "port": 9}}
    corpus = client.call("create_corpus", "Behind", "", options)["corpus_id"]
    assert ask(client, "http://example.org/", corpus=corpus)["result"] == -2
    client.call("destroy_corpus", corpus)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/200", "http://localhost:{port}/200", "http://[::1]:{port}/"]
)
def test_private_addresses_are_not_asked(client: Client, site: str, url: str) -> None:
    Site.seen.clear()
    answer = ask(client, url.format(port=site.rpartition(":")[2]), corpus=EMPTY)
    assert answer["result"] == -1
    assert "private" in answer["message"]
    assert Site.seen == []


@pytest.mark.parametrize("url", ["two words", "ftp://a.org/", "", "http://"])
def test_what_is_no_address_is_told(client: Client, url: str) -> None:
    assert ask(client, url)["code"] == "fail"


def test_a_client_that_leaves_during_a_lookup_is_no_error(
    client: Client, service: ServiceProcess, site: str
) -> None:
    before = service.log_path.read_text()
    body = b'{"method":"lookup_httpstatus","params":["%s/slow",30,"full"]}' % site.encode()
    with socket.create_connection(("127.0.0.1", client.port), 20) as wire:
        wire.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        time.sleep(0.3)
    client.call("get_corpus_tlds", FULL)
    assert client.call("ping") == "pong"
    assert service.log_path.read_text() == before
