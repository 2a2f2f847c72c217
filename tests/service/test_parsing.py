"""`parse.check` and `parse.get`: documents sent, fetched and stored, and what is said of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hyphe_core.api.catalogue import all_methods
from hyphe_core.parsers.parse_out import read_parse_out, validate
from tests.contract.hyphe_api import faults
from tests.golden.parse.cases import list_names, read_case
from tests.service.conftest import EMPTY, FULL
from tests.service.service_process import Client, Failed

PAGE = '<title>Un</title><meta charset="iso-8859-1"><a href="/a">premier</a> <a href="?q=1">é</a>'


class Site(BaseHTTPRequestHandler):
    seen: list[str] = []

    def do_GET(self) -> None:
        self.seen.append(self.path)
        body = {
            "/robots.txt": b"User-agent: *\nDisallow: /private\n",
            "/big": b"x" * 3_000_000,
            "/feed": b"<rss version='2.0'><channel><title>F</title></channel></rss>",
        }.get(self.path, PAGE.encode())
        self.send_response(302 if self.path == "/moved" else 200)
        if self.path == "/moved":
            self.send_header("Location", "/feed")
        self.send_header(
            "Content-Type", "application/xml" if self.path == "/feed" else "text/html; charset=utf-8"
        )
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def check(client: Client, corpus: str = FULL, **given: Any) -> Any:
    """The result, which is of the shape that the method declares."""
    found = client.call("parse.check", corpus=corpus, **given)
    assert faults(found, all_methods().get("parse.check").result) == []
    return found


def test_a_document_that_is_sent(client: Client) -> None:
    found = check(client, document=PAGE, url="http://e.org/d/")
    explanation, parse = found["explanation"], found["parse"]
    assert (explanation["parser"], explanation["why"]) == ("html", "media type text/html")
    assert (explanation["encoding"], explanation["encoding_source"]) == ("utf-8", "bom")
    assert parse["text"] == "premier é"
    assert [link["url"] for link in parse["links"]] == ["http://e.org/a", "http://e.org/d/?q=1"]


@pytest.mark.parametrize("form", sorted({name.partition("/")[0] for name in list_names()} - {"html"}))
def test_documents_of_every_format(client: Client, form: str) -> None:
    cases = [read_case(name) for name in list_names() if name.startswith(f"{form}/")]
    texts = [case.document.body.decode() for case in cases if case.document.body.isascii()]
    assert texts
    for text in texts:
        found = check(client, document=text, type="application/xml", format="parse-out", url="http://e.org/x")
        assert validate(found["parse_out"].encode()) == []
        (first, *_) = read_parse_out(found["parse_out"].encode())
        assert first.status.major.name.lower() == found["explanation"]["status"]["major"]


def test_the_type_and_the_profile_are_those_given(client: Client) -> None:
    found = check(client, document="<a>b</a>", type="text/xml")["explanation"]
    assert (found["parser"], found["type_source"]) == ("generic", "as given")
    found = check(client, document=PAGE, url="http://e.org/", profile="nutch", format="links")
    assert [link["url"] for link in found["links"]] == ["http://e.org/a"]
    assert found["explanation"]["dropped"] == [{"reason": "filtered", "count": 1}]
    assert check(client, document=PAGE, format="text")["text"] == "premier é"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "give a document"),
        ({"document": "x", "type": "nonsense"}, "no media type"),
        ({"document": "x", "url": "d/page"}, "no whole address"),
        ({"url": "two words"}, "not a usable web address"),
        ({"url": "ftp://e.org/"}, "not a usable web address"),
        ({"url": "http://never.example/", "stored": True}, "is no page of this corpus"),
        ({"url": "http://one.example.com/gone", "stored": True}, "no body is stored"),
    ],
    ids=range(7),
)
def test_what_cannot_be_checked_is_told(client: Client, given: dict[str, Any], words: str) -> None:
    with pytest.raises(Failed, match=words):
        check(client, **given)


@pytest.mark.parametrize(
    "document",
    ["", "\x01\x1b", "<a>" * 50_000, "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"],
)
@pytest.mark.parametrize("media_type", ["text/html", "application/xml", "application/rss+xml"])
def test_hostile_documents_are_answered(client: Client, document: str, media_type: str) -> None:
    found = check(client, document=document, type=media_type)
    assert found["explanation"]["status"]["major"] in ("success", "failed")
    assert "root:" not in str(found)


def test_an_address_is_fetched_as_crawls_do_it(client: Client, site: str) -> None:
    Site.seen.clear()
    found = check(client, url=f"{site}/moved")
    assert Site.seen == ["/robots.txt", "/moved", "/feed"]
    assert (found["explanation"]["url"], found["explanation"]["parser"]) == (f"{site}/feed", "rss")
    assert found["explanation"]["type_source"] == "by the header"
    with pytest.raises(Failed, match=r"robots\.txt forbids it"):
        check(client, url=f"{site}/private")
    with pytest.raises(Failed, match="allowed"):
        check(client, url=f"{site}/big")


def test_private_addresses_are_refused(client: Client, site: str) -> None:
    Site.seen.clear()
    with pytest.raises(Failed, match="not a public address"):
        check(client, EMPTY, url=site)
    assert Site.seen == []


def test_a_stored_page_is_parsed_again(client: Client) -> None:
    found = check(client, url="http://one.example.com/", stored=True)
    assert (found["parse"]["title"], found["parse"]["text"]) == ("Un", "é")
    assert found["explanation"]["type_source"] == "by the header, as stored"


def test_a_parse_that_is_not_stored_is_told(client: Client) -> None:
    with pytest.raises(Failed, match="no parse is stored"):
        client.call("parse.get", "http://one.example.com/", FULL)
