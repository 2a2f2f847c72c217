"""Crawls by real workers of a small web with XML of many kinds, some hostile, and what is stored of it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hyphe_core.parsers.parse_out import ParseOut, read_parse_out, validate
from memory_structure.lru import url_to_lru
from memory_structure.opening import open_registry
from memory_structure.parse_options import ParseOptions
from memory_structure.parses import PageParse

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
RECIPE_TOML = """
title = "Recipes"
roots = ["recipe"]
content_type = "application/x-recipe+xml"
"""
RECIPE_XSL = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse">
  <xsl:param name="content-type"/>
  <xsl:template match="/recipe">
    <n:parse status="success">
      <n:title><xsl:value-of select="name"/></n:title>
      <n:creator><xsl:value-of select="cook"/></n:creator>
      <n:content-type><xsl:value-of select="$content-type"/></n:content-type>
      <n:text><xsl:value-of select="steps"/></n:text>
      <xsl:for-each select="see"><n:outlink url="{@at}"><xsl:value-of select="."/></n:outlink></xsl:for-each>
      <n:meta name="recipe.minutes"><xsl:value-of select="@minutes"/></n:meta>
    </n:parse>
  </xsl:template>
</xsl:stylesheet>"""
LOLS = "".join(f"<!ENTITY l{i} '{''.join(f'&l{i - 1};' for _ in range(10))}'>" for i in range(1, 12))
PAGES = {
    "/": (
        "text/html",
        "<title>home</title>"
        + "".join(
            f"<a href='{p}'>{p}</a>"
            for p in ("/cake.xml", "/feed.rss", "/bomb.xml", "/broken.xml", "/sitemap.xml", "/other.html")
        ),
    ),
    "/cake.xml": (
        "application/xml",
        "<recipe minutes='40'><name>Cake</name><cook>Ann</cook><steps>Stir. Bake.</steps>"
        "<see at='/other.html'>more</see><see at='/never.html'>never</see></recipe>",
    ),
    "/feed.rss": (
        "application/rss+xml",
        "<rss version='2.0'><channel><title>News</title><link>/</link><description>All of it</description>"
        "<item><title>First</title><link>/entry.html</link><description>words</description></item>"
        "</channel></rss>",
    ),
    "/sitemap.xml": (
        "application/xml",
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{home}mapped.html</loc></url>"
        "</urlset>",
    ),
    "/bomb.xml": ("application/xml", f"<!DOCTYPE a [<!ENTITY l0 'ha'>{LOLS}]><a>&l11;</a>"),
    "/broken.xml": ("application/xml", "<a><b>half</a>"),
    "/other.html": ("text/html", "<title>other</title><meta http-equiv=refresh content='9;url=/'>"),
    "/entry.html": ("text/html", "<title>entry</title>"),
    "/mapped.html": ("text/html", "<title>mapped</title>"),
}


@pytest.fixture
def home() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            media_type, text = PAGES.get(self.path, ("", ""))
            octets = text.replace("{home}", home_of(server)).encode()
            self.send_response(200 if media_type else 404)
            self.send_header("Content-Type", media_type or "text/plain")
            self.send_header("Content-Length", str(len(octets)))
            self.end_headers()
            self.wfile.write(octets)

        def log_message(self, *_: object) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield home_of(server)
    server.shutdown()
    server.server_close()


def home_of(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}/"


def hyphe(data: Path, *arguments: str) -> bytes:
    """Run a command to its end; its output."""
    command = [sys.executable, "-m", "hyphe_core.cli", *arguments, "--data-dir", str(data)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HYPHE_")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


class Crawled:
    """What a crawl of depth 1 stored."""

    def __init__(self, data: Path, home: str) -> None:
        hyphe(
            data, "crawl", home, "--corpus", "c", "--depth", "1", "--allow-private-networks", "--delay", "0"
        )
        self.home = home
        self.exported = hyphe(data, "export", "c", "--what", "parses")
        with closing(open_registry(data)) as registry:
            structure = registry.open_structure("c")
            self.status = {
                page.url[len(home) :]: page.fetch.status
                for page in structure.iter_pages(only_fetched=True)
                if page.fetch is not None
            }
            self.parses = {path: structure.find_parse(url_to_lru(home + path)) for path in self.status}
            blobs = registry.open_blobs("c")
            self.bodies = {lru: blobs.get(fetch.digest or "") for lru, fetch in structure.iter_digests()}
            self.faults = structure.check()

    def parse(self, path: str) -> PageParse:
        found = self.parses[path]
        assert found is not None
        return found

    def out(self, path: str) -> ParseOut:
        return next(out for out in read_parse_out(self.exported) if out.link == self.home + path)


def test_a_new_format_is_crawled_stored_and_exported_by_a_stylesheet_alone(tmp_path: Path, home: str) -> None:
    folder = tmp_path / "stylesheets"
    folder.mkdir()
    (folder / "recipe.toml").write_text(RECIPE_TOML)
    (folder / "recipe.xsl").write_text(RECIPE_XSL)
    crawled = Crawled(tmp_path, home)
    assert validate(crawled.exported) == []
    cake = crawled.out("cake.xml")
    assert (cake.title, cake.creator, cake.text) == ("Cake", ("Ann",), "Stir. Bake.")
    assert cake.content_type == "application/x-recipe+xml"
    assert [(link.url, link.anchor) for link in cake.outlinks] == [
        (home + "never.html", "never"),
        (home + "other.html", "more"),
    ]
    assert ("recipe.minutes", "40") in cake.meta
    assert crawled.parse("cake.xml").parser == "recipe"
    assert "never.html" not in crawled.status


def test_xml_of_all_kinds_is_parsed_and_what_is_followed_stays_the_same(tmp_path: Path, home: str) -> None:
    crawled = Crawled(tmp_path, home)
    names = ("", "cake.xml", "feed.rss", "bomb.xml", "broken.xml", "sitemap.xml", "other.html")
    assert set(crawled.status) == set(names)
    assert set(crawled.status.values()) == {200}
    assert [entry.title for entry in crawled.parse("feed.rss").entries] == ["First"]
    assert crawled.out("entry.html").title == "First"
    bomb = crawled.parse("bomb.xml")
    assert (bomb.major, bomb.message != "") == (2, True)
    assert crawled.bodies[url_to_lru(home + "bomb.xml")] == PAGES["/bomb.xml"][1].encode()
    assert crawled.parse("broken.xml").major == 1
    assert crawled.parse("other.html").refresh == (home, 9.0)
    assert len({crawled.parse(path).signature for path in ("cake.xml", "feed.rss", "bomb.xml")}) == 3
    assert crawled.faults == []


def test_feeds_and_sitemaps_are_followed_where_asked(tmp_path: Path, home: str) -> None:
    options = tmp_path / "parsing.json"
    options.write_text('{"follow_feeds": true, "order": "opic", "scoring": "opic"}')
    data = tmp_path / "data"
    hyphe(
        data, "corpus", "create", "c", "--parsing", str(options), "--delay", "0", "--allow-private-networks"
    )
    hyphe(data, "crawl", home, "--corpus", "c", "--depth", "2", "--allow-private-networks", "--delay", "0")
    with closing(open_registry(data)) as registry:
        structure = registry.open_structure("c")
        assert structure.options().parsing != ParseOptions()
        depths = {
            page.url[len(home) :]: page.fetch.depth
            for page in structure.iter_pages(only_fetched=True)
            if page.fetch is not None
        }
        scores = structure.scores()
        entry = structure.find_page(url_to_lru(home + "entry.html"))
        assert entry is not None
        assert scores[entry.page_id] > 0
    assert (depths["feed.rss"], depths["entry.html"], depths["mapped.html"]) == (1, 2, 2)
