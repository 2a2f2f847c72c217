"""Start pages are asked before a crawl: whether they answer, where they lead, and whose pages those are."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.service.conftest import FULL
from tests.service.service_process import Client, Failed

_MOVED = {
    "/a/inside": "/a/home",
    "/a/out": "/b/home",
    "/a/far": "/c/home",
    "/a/to-closed": "/a/closed/1",
    "/a/loop": "/a/loop2",
    "/a/loop2": "/a/loop",
}


_ROBOTS = b"User-agent: *\nDisallow: /a/closed/\n"


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self.send_response(200)
            self.send_header("Content-Length", str(len(_ROBOTS)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(_ROBOTS)
            return
        target = _MOVED.get(self.path)
        status = 302 if target else 404 if self.path == "/a/gone" else 200
        self.send_response(status)
        if target:
            self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def entities(client: Client, site: str) -> tuple[int, int]:
    """Entities of the folders a and b."""
    return declared(client, f"{site}/a"), declared(client, f"{site}/b")


def declared(client: Client, url: str) -> int:
    """The entity of that prefix, made when it is not there yet."""
    try:
        found = client.call("store.get_webentity_by_lruprefix_as_url", url, FULL)
    except Failed:
        found = client.call("store.declare_webentity_by_lruprefix_as_url", url=url, corpus=FULL)
    return int(found["id"])


def test_each_start_page_is_proved(client: Client, site: str, entities: tuple[int, int]) -> None:
    one, two = entities
    urls = [f"{site}/a/{name}" for name in ("home", "inside", "out", "far", "gone", "loop")] + [
        f"{site}/b/home"
    ]
    found = client.call("startpages.check", webentity_id=one, urls=urls, corpus=FULL)
    assert [each["url"] for each in found] == urls
    home, inside, out, far, gone, loop, foreign = found
    assert (home["verdict"], home["good"], home["warning"], home["use"]) == ("answers", True, None, urls[0])
    assert (inside["verdict"], inside["warning"], inside["status"]) == ("redirects inside", None, 302)
    assert (inside["location"], inside["final_status"], inside["owner_id"]) == (f"{site}/a/home", 200, one)
    assert (out["verdict"], out["good"], out["owner_id"]) == ("leaves the entity", False, two)
    assert f"web entity {two}" in out["warning"]
    assert (far["verdict"], far["final_url"]) == ("leaves the entity", f"{site}/c/home")
    assert (gone["verdict"], gone["final_status"]) == ("fails", 404)
    assert (loop["verdict"], loop["good"]) == ("fails", False)
    assert "without end" in loop["warning"]
    assert (foreign["verdict"], foreign["owner_id"]) == ("belongs to another entity", two)


def test_addresses_as_people_write_them_are_proved(
    client: Client, site: str, entities: tuple[int, int]
) -> None:
    one, _ = entities
    urls = [f"{site}/a/home".removeprefix("http://"), f"{site}/free", "bad address", "mailto:a@b.org"]
    found = client.call("startpages.check", webentity_id=one, urls=urls, corpus=FULL)
    verdicts = [(each["verdict"], each["owner_id"]) for each in found]
    assert verdicts == [("answers", one), ("belongs to no entity", None), ("fails", None), ("fails", None)]
    assert ["usable web address" in (each["warning"] or "") for each in found] == [False, False, True, True]


def test_what_robots_txt_closes_is_no_start_page(
    client: Client, site: str, entities: tuple[int, int]
) -> None:
    urls = [f"{site}/a/closed/1", f"{site}/a/to-closed", f"{site}/a/home"]
    ask = {"webentity_id": entities[0], "urls": urls, "corpus": FULL}
    closed, leading, home = client.call("startpages.check", **ask)
    assert [each["verdict"] for each in (closed, leading, home)] == ["fails", "fails", "answers"]
    assert "robots.txt forbids it" in closed["warning"]
    assert f"{site}/a/closed/1: robots.txt forbids it" in leading["warning"]
    client.call("set_corpus_options", FULL, {"obey_robots": False})
    try:
        assert [each["good"] for each in client.call("startpages.check", **ask)] == [True] * 3
    finally:
        client.call("set_corpus_options", FULL, {"obey_robots": True})


def test_what_the_modes_propose_is_proved_when_no_url_is_given(
    client: Client, site: str, entities: tuple[int, int]
) -> None:
    (found,) = client.call("startpages.check", webentity_id=entities[0], startmode="prefixes", corpus=FULL)
    assert (found["url"], found["good"]) == (f"{site}/a", True)


def test_an_unreachable_server_is_told(client: Client, entities: tuple[int, int]) -> None:
    dead = declared(client, "http://127.0.0.1:9/")
    (found,) = client.call("startpages.check", webentity_id=dead, urls="http://127.0.0.1:9/", corpus=FULL)
    assert (found["verdict"], found["status"], found["use"]) == ("fails", -1, None)


def test_too_many_and_unknown_ones_are_refused(client: Client, entities: tuple[int, int]) -> None:
    for params in ((entities[0], [f"http://x.com/{n}" for n in range(101)]), (99_999, None)):
        with pytest.raises(Failed):
            client.call("startpages.check", webentity_id=params[0], urls=params[1], corpus=FULL)
