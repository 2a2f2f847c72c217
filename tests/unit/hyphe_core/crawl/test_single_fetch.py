"""Single documents are fetched with the manners of a crawl."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hyphe_core.config import Config
from hyphe_core.crawl.corpus_options import new_corpus_options
from hyphe_core.crawl.single_fetch import DocumentFetcher, FetchedDocument, spec_of_visit
from hyphe_core.errors import AddressRefused, BodyTooLarge, FetchFailed
from memory_structure.records import JobSpec
from memory_structure.urls import BadUrl

CONFIG = Config(allow_private_networks=True, delay_seconds=0.0, max_body_bytes=2048)
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/loop": (302, {"Location": "/loop2"}, b""),
    "/loop2": (302, {"Location": "/loop"}, b""),
    "/chain": (301, {"Location": "/page#part"}, b""),
    "/nowhere": (302, {"Location": "mailto:a@b.c"}, b"moved"),
    "/bomb": (200, {"Content-Encoding": "gzip"}, gzip.compress(b"x" * 100_000)),
    "/odd": (200, {"Content-Encoding": "gzip"}, b"no gzip"),
    "/packed": (200, {"Content-Encoding": "gzip", "X-Robots-Tag": "noindex"}, gzip.compress(b"<p>all</p>")),
    "/page": (200, {"Content-Type": "text/html"}, b"page"),
}


class Site(BaseHTTPRequestHandler):
    seen: list[str] = []
    robots: tuple[int, bytes] = (404, b"")

    def do_GET(self) -> None:
        self.seen.append(self.path)
        status, headers, body = ANSWERS.get(self.path, (200, {}, b""))
        if self.path == "/robots.txt":
            status, body = Site.robots
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    Site.seen.clear()
    Site.robots = (404, b"")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def fetch(url: str, spec: JobSpec | None = None) -> FetchedDocument:
    async def run() -> FetchedDocument:
        async with DocumentFetcher(spec or spec_of_visit(CONFIG)) as fetcher:
            return await fetcher.fetch(url)

    return asyncio.run(run())


def test_redirects_are_followed_and_told(site: str) -> None:
    found = fetch(f"{site}/chain")
    assert (found.url, found.trail, found.body) == (f"{site}/page", (f"{site}/chain",), b"page")
    assert Site.seen == ["/robots.txt", "/chain", "/page"]
    assert fetch(f"{site}/nowhere").status == 302


def test_bodies_are_unpacked_and_headers_kept(site: str) -> None:
    found = fetch(f"{site}/packed")
    assert (found.body, found.headers) == (b"<p>all</p>", (("x-robots-tag", "noindex"),))


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("/loop", FetchFailed, "redirects without end"),
        ("/bomb", BodyTooLarge, "more than 2048 bytes once decompressed"),
        ("/odd", FetchFailed, "not gzip"),
    ],
)
def test_what_is_no_document_is_told(site: str, path: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        fetch(f"{site}{path}")


@pytest.mark.parametrize(
    ("robots", "words"),
    [
        ((200, b"User-agent: *\nDisallow: /page"), r"robots\.txt forbids it"),
        ((503, b""), "could not be had: status 503"),
    ],
)
def test_robots_are_obeyed_unless_the_operator_says_otherwise(
    site: str, robots: tuple[int, bytes], words: str
) -> None:
    Site.robots = robots
    with pytest.raises(FetchFailed, match=words):
        fetch(f"{site}/page")
    with pytest.raises(FetchFailed, match=words):
        fetch(f"{site}/chain")  # the target of a redirect is asked for too
    assert "/page" not in Site.seen
    assert fetch(f"{site}/page", replace(spec_of_visit(CONFIG), obey_robots=False)).body == b"page"


def test_private_addresses_are_refused_also_behind_names(site: str) -> None:
    guarded = replace(spec_of_visit(CONFIG), allow_private_networks=False)
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]"):
        with pytest.raises(AddressRefused):
            fetch(f"http://{host}:{site.rpartition(':')[2]}/page", guarded)
    assert Site.seen == []


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(BadUrl):
        fetch("mailto:a@b.c")


def test_a_corpus_has_its_own_manners() -> None:
    options = replace(
        new_corpus_options(CONFIG),
        proxy="http://p.example:1",
        obey_robots=False,
        allow_private_networks=False,
    )
    spec = spec_of_visit(Config(), options)
    assert (spec.proxy, spec.guards_proxy, spec.obey_robots) == ("http://p.example:1", True, False)
    assert spec.allow_private_networks is False
    assert spec_of_visit(Config(proxy="http://p.example:1"), options).guards_proxy is False
