"""`hyphe parse` and `hyphe parsers` as typed: documents of every format, hostile ones, servers, corpora."""

from __future__ import annotations

import io
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hyphe_core.api.parse_shapes import OUTPUTS
from hyphe_core.cli.application import run
from hyphe_core.parsers.parse_out import read_parse_out, validate
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.parses import PageParse
from memory_structure.records import Area, Batch, Fetch, FetchedPage, FoundLink, JobSpec, LinkKind
from memory_structure.url_cutter import url_to_lru
from tests.contract.hyphe_api import faults
from tests.golden.parse.cases import FOLDER, list_names, read_case

Run = Callable[..., tuple[int, str, str]]
PAGE = (
    '<html><head><title>One</title><meta charset="iso-8859-1"></head><body><a href="/a">first</a>'
    '<a href="mailto:x@y.z">mail</a><a href="?q=1" rel="nofollow">query</a> caf\xe9</body></html>'
).encode("latin-1")
SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse">
  <xsl:import href="parts.xsl"/>
  <xsl:template match="/">
    <n:parse status="success">
      <n:title><xsl:value-of select="/*/name"/></n:title>
      <xsl:call-template name="facts"/>
    </n:parse>
  </xsl:template>
</xsl:stylesheet>"""


@pytest.fixture
def hyphe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    for name in ("HYPHE_CONFIG", "HYPHE_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run([*map(str, arguments), "--data-dir", str(tmp_path / "data")])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_bytes(PAGE)
    return path


# -- formats ----------------------------------------------------------------------------------------------

FORMATS = sorted({name.partition("/")[0] for name in list_names()})


@pytest.mark.parametrize("form", FORMATS)
def test_documents_of_every_format_give_valid_parse_out(hyphe: Run, tmp_path: Path, form: str) -> None:
    """All cases of a format at once, hostile ones too: what is printed is one valid document."""
    names = [name for name in list_names() if name.startswith(f"{form}/")]
    assert len(names) >= 8
    given = []
    for name in names:
        (path,) = (FOLDER / name).glob("input.*")
        given.append(tmp_path / f"{name.partition('/')[2]}{path.suffix}")
        given[-1].write_bytes(path.read_bytes())
    code, out, err = hyphe("parse", *given)
    parses = {parse.link: parse for parse in read_parse_out(out.encode())}
    failed = [path.name for path in given if not parses[f"file:///{path.name}"].status.is_success]
    assert validate(out.encode()) == []
    assert "Traceback" not in err
    assert code == (4 if failed else 0)
    assert all(f"{name}: failed/" in err for name in failed)


def test_the_format_is_recognised_without_being_told(hyphe: Run, tmp_path: Path) -> None:
    wanted = ["jats", "tei", "rss", "atom", "sitemap", "svg", "opml", "oai", "docbook"]
    for form in wanted:
        cases = [read_case(name) for name in list_names() if name.startswith(f"{form}/")]
        good = [each for each in cases if b'parse" status="success"' in each.expected_path.read_bytes()]
        (tmp_path / f"{form}.xml").write_bytes(next(each for each in good if not each.format).document.body)
    code, out, _ = hyphe("parse", *(f"{form}.xml" for form in wanted), "--explain")
    found = [line.split()[1] for line in out.splitlines() if line.startswith("parser: ")]
    assert (code, found) == (0, wanted)


def test_several_documents_are_one_parse_out(hyphe: Run, page: Path, tmp_path: Path) -> None:
    (tmp_path / "b.html").write_bytes(PAGE)
    code, out, _ = hyphe("parse", page, tmp_path / "b.html")
    parses = read_parse_out(out.encode())
    assert code == 0
    assert [parse.link for parse in parses] == ["file:///page.html", "file:///b.html"]


def test_links_are_lines_of_address_kind_and_anchor(hyphe: Run, page: Path) -> None:
    code, out, err = hyphe("parse", page, "--format", "links", "--url", "http://e.org/d/")
    assert (code, err) == (0, "")
    assert out == "http://e.org/a\thyperlink\tfirst\nhttp://e.org/d/?q=1\thyperlink\tquery\n"


def test_the_text_is_in_utf_8(hyphe: Run, page: Path) -> None:
    assert hyphe("parse", page, "--format", "text")[1] == "first mail query café\n"


def test_json_is_a_record_a_line_for_several(hyphe: Run, page: Path) -> None:
    one = json.loads(hyphe("parse", page, "--format", "json", "--url", "http://e.org/")[1])
    assert (one["title"], one["url"], one["links"][1]["rel"]) == ("One", "http://e.org/", "nofollow")
    assert "explanation" not in one
    lines = hyphe("parse", page, page, "--format", "json")[1].splitlines()
    assert [json.loads(line)["title"] for line in lines] == ["One", "One"]


def test_standard_input_is_read(hyphe: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"<rss version='2.0'><channel/></rss>"))
    )
    code, out, _ = hyphe("parse", "-", "--explain")
    assert code == 0
    assert "document: file:///stdin" in out
    assert "parser: rss (" in out


# -- explanations -----------------------------------------------------------------------------------------


def test_the_explanation_says_who_why_and_what_was_left_out(hyphe: Run, page: Path) -> None:
    out = hyphe("parse", page, "--explain", "--url", "http://e.org/")[1]
    assert "parser: html (media type text/html)" in out
    assert "encoding: windows-1252, by meta" in out
    assert "links left out: scheme mailto: 1" in out
    assert "limits: none met" in out
    record = json.loads(hyphe("parse", page, "--explain", "--format", "json", "--url", "http://e.org/")[1])[
        "explanation"
    ]
    assert record["dropped"] == [{"reason": "scheme mailto", "count": 1}]
    assert record["asked"][0] == {"parser": "html", "why": "media type text/html"}


def test_the_profile_of_nutch_drops_and_says_so(hyphe: Run, page: Path) -> None:
    page.write_bytes(PAGE.replace(b' rel="nofollow"', b""))
    out = hyphe("parse", page, "--explain", "--url", "http://e.org/", "--profile", "nutch")[1]
    assert "links left out: filtered: 2" in out  # its filter takes neither queries nor mailto


def test_with_a_format_the_explanation_goes_to_standard_error(hyphe: Run, page: Path) -> None:
    _, out, err = hyphe("parse", page, "--explain", "--format", "text")
    assert out == "first mail query café\n"
    assert "parser: html" in err


def test_the_type_given_wins(hyphe: Run, page: Path) -> None:
    out = hyphe("parse", page, "--explain", "--type", "text/html; charset=utf-8")[1]
    assert "encoding: utf-8, by header" in out
    assert "type: text/html, as given" in out
    code, _, err = hyphe("parse", page, "--type", "nonsense")
    assert (code, "--type 'nonsense' is no media type" in err) == (2, True)


# -- a stylesheet of one's own ----------------------------------------------------------------------------


def test_a_stylesheet_reads_a_document(hyphe: Run, tmp_path: Path) -> None:
    (tmp_path / "recipe.xsl").write_text(SHEET)
    (tmp_path / "soup.xml").write_text("<recipe><name>Soup</name></recipe>")
    code, out, _ = hyphe("parse", "soup.xml", "--stylesheet", "recipe.xsl")
    assert code == 0
    assert read_parse_out(out.encode())[0].title == "Soup"
    assert (
        "parser: recipe (asked for by name)"
        in hyphe("parse", "soup.xml", "--stylesheet", "recipe.xsl", "--explain")[1]
    )


def test_the_format_of_the_documentation_does_what_it_says(hyphe: Run, tmp_path: Path) -> None:
    """By hand first, then found by itself in the operator's folder."""
    text = (Path(__file__).parents[4] / "docs" / "parse.md").read_text("utf-8")
    blocks = dict(re.findall(r"```[a-z]+ ([a-z.]+)\n(.*?)```", text, re.DOTALL))
    for name in ("soup.xml", "recipe.xsl", "recipe.toml"):
        (tmp_path / name).write_text(blocks[name], "utf-8")
    given = ("parse", "soup.xml", "--url", "http://e.org/soups/leek.xml")
    assert hyphe(*given, "--stylesheet", "recipe.xsl") == (0, blocks["expected"], "")
    folder = tmp_path / "data" / "stylesheets"
    folder.mkdir(parents=True)
    for name in ("recipe.xsl", "recipe.toml"):
        (folder / name).write_text(blocks[name], "utf-8")
    assert hyphe(*given) == (0, blocks["expected"], "")
    assert "recipe" in hyphe("parsers")[1]


@pytest.mark.parametrize(
    ("sheet", "words"),
    [
        (SHEET.replace("<n:title>", '<xsl:document href="x"/><n:title>'), "writing documents is denied"),
        (SHEET.replace("parts.xsl", "../../etc/x.xsl"), "outside of its folder"),
        (SHEET[:-5], "not well-formed"),
        (SHEET.replace("/*/name", "document('/etc/passwd')"), "status: failed"),
    ],
    ids=["writes", "includes", "broken", "reads"],
)
def test_a_stylesheet_that_may_not_be_is_told(hyphe: Run, tmp_path: Path, sheet: str, words: str) -> None:
    (tmp_path / "bad.xsl").write_text(sheet)
    (tmp_path / "soup.xml").write_text("<recipe><name>Soup</name></recipe>")
    code, out, err = hyphe("parse", "soup.xml", "--stylesheet", "bad.xsl", "--explain")
    assert code in (2, 4)
    assert words in out + err
    assert "Traceback" not in err
    assert not (tmp_path / "x").exists()


# -- what cannot be read ----------------------------------------------------------------------------------


def test_files_that_cannot_be_read_are_told(hyphe: Run, page: Path, tmp_path: Path) -> None:
    code, out, err = hyphe("parse", "absent.html")
    assert (code, out) == (2, "")
    assert "'absent.html' cannot be read: no such file" in err
    assert hyphe("parse", tmp_path)[0] == 2
    assert hyphe("parse", "a\0b")[0] == 2
    assert hyphe("parse")[0] == 3
    code, out, err = hyphe("parse", "absent.html", page, "--format", "text")
    assert (code, "café" in out, "absent.html" in err) == (4, True, True)


def test_no_more_is_read_than_a_crawl_reads(hyphe: Run, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPHE_MAX_BODY_BYTES", "1024")
    code, out, err = hyphe("parse", "/dev/zero", "--explain")
    assert code == 4
    assert "failed/202: longer than 1024 bytes" in err
    assert "(1024 bytes)" in out


HOSTILE = [
    b"<a>" * 100_000,
    b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
    b"<?xml version='1.0' encoding='klingon'?><a/>",
    b"\xff\xfe\x00\x00\x00",
    b"",
    b"\x00" * 5000,
    b"<?xml version='1.0'?><a \x1b[2J>\x07</a>",
    b"<title>\x1b]0;owned\x07</title>",
]


@pytest.mark.parametrize("form", ["parse-out", "text", "links"])
def test_hostile_documents_never_show_a_traceback(hyphe: Run, tmp_path: Path, form: str) -> None:
    names = [f"{n}{suffix}" for n in range(len(HOSTILE)) for suffix in (".xml", ".html", "")]
    for name in names:
        (tmp_path / name).write_bytes(HOSTILE[int(name.partition(".")[0])])
    code, out, err = hyphe("parse", *names, "--format", form, "--explain")
    assert code == 4
    assert [line for line in err.splitlines() if line.startswith("document: ")] == [
        f"document: file:///{name} ({len(HOSTILE[int(name[0])])} bytes)" for name in names
    ]
    assert "Traceback" not in err
    assert "internal fault" not in err
    assert "root:" not in out
    assert not set("\x1b\x07\x00") & set(out + err)


# -- the web ----------------------------------------------------------------------------------------------


class Site(BaseHTTPRequestHandler):
    seen: list[tuple[str, str]]

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers["User-Agent"]))
        body = {"/robots.txt": b"User-agent: *\nDisallow: /private\n", "/big": b"x" * 5000}.get(
            self.path, PAGE
        )
        self.send_response(302 if self.path == "/moved" else 404 if self.path == "/gone" else 200)
        if self.path == "/moved":
            self.send_header("Location", "/page")
        self.send_header("Content-Type", "text/html; charset=iso-8859-1")
        self.send_header("X-Robots-Tag", "noindex")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    Site.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HYPHE_ALLOW_PRIVATE_NETWORKS", "true")
    monkeypatch.setenv("HYPHE_DELAY_SECONDS", "0")
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_page_is_fetched_with_the_manners_of_a_crawl(hyphe: Run, site: str) -> None:
    code, out, _ = hyphe("parse", f"{site}/moved", "--explain")
    assert code == 0
    assert f"document: {site}/page" in out
    assert f"fetched: redirected from {site}/moved" in out
    assert "encoding: windows-1252, by header" in out
    assert [path for path, _ in Site.seen] == ["/robots.txt", "/moved", "/page"]
    assert all(agent.startswith("hyphe-crawler/") for _, agent in Site.seen)
    record = json.loads(hyphe("parse", f"{site}/page", "--format", "json")[1])
    assert record["robots"]["index"] is False  # said by a header


def test_what_a_server_does_not_give_is_told_and_the_others_go_on(
    hyphe: Run, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYPHE_MAX_BODY_BYTES", "1024")
    code, out, err = hyphe("parse", f"{site}/private/x", f"{site}/big", f"{site}/gone", "--format", "links")
    assert code == 4
    assert "robots.txt forbids it" in err
    assert "1024 allowed" in err
    assert f"{site}/a\thyperlink\tfirst" in out
    assert ("/private/x", Site.seen[0][1]) not in Site.seen


def test_private_addresses_are_refused_unless_configured(
    hyphe: Run, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HYPHE_ALLOW_PRIVATE_NETWORKS")
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]"):
        code, out, err = hyphe("parse", f"http://{host}:{site.rpartition(':')[2]}/")
        assert (code, out) == (4, "")
        assert "not a public address" in err
    assert Site.seen == []


def test_addresses_that_are_none_are_told(hyphe: Run) -> None:
    for address in ("http://", "http://a b/", "https://[::"):
        code, _, err = hyphe("parse", address)
        assert code == 2
        assert "not a usable web address" in err


# -- corpora ----------------------------------------------------------------------------------------------


def test_a_stored_page_is_parsed_again(hyphe: Run, tmp_path: Path) -> None:
    registry = open_registry(tmp_path / "data")
    entry = registry.create_corpus("mine", CorpusOptions())
    digest = sha256(PAGE).hexdigest()
    registry.open_blobs(entry.corpus_id).put(digest, PAGE)
    fetch = Fetch(
        1,
        datetime(2026, 3, 1, tzinfo=UTC),
        status=200,
        content_type="text/html",
        digest=digest,
        size_bytes=len(PAGE),
    )
    unread = Fetch(1, datetime(2026, 3, 1, tzinfo=UTC), status=404, content_type="text/html")
    pages = [("http://e.org/d/", fetch), ("http://e.org/gone", unread)]
    structure = registry.open_structure(entry.corpus_id)
    structure.create_job(JobSpec(None, (), ()))
    structure.write_batch(Batch(tuple(FetchedPage(url_to_lru(url), (each,), ()) for url, each in pages)))
    registry.close()
    code, out, _ = hyphe("parse", "--corpus", "mine", "http://e.org/d/", "--format", "links")
    assert (code, out.splitlines()[0]) == (0, "http://e.org/a\thyperlink\tfirst")
    for url, words in (
        ("http://e.org/gone", "no body is stored"),
        ("http://e.org/new", "is no page of this corpus"),
    ):
        code, _, err = hyphe("parse", "--corpus", "mine", url)
        assert code == 2
        assert words in err
    assert hyphe("parse", "--corpus", "none", "http://e.org/")[0] == 2


def test_the_three_outputs_of_a_stored_parse_are_printed(hyphe: Run, tmp_path: Path) -> None:
    registry = open_registry(tmp_path / "data")
    structure = registry.open_structure(registry.create_corpus("mine", CorpusOptions()).corpus_id)
    structure.create_job(JobSpec(None, (), ()))
    fetch = Fetch(1, datetime(2026, 3, 1, tzinfo=UTC), status=200, content_type="text/html", title="One")
    link = FoundLink(url_to_lru("http://e.org/a"), LinkKind.HYPERLINK, 1, "first", "", Area.NAV, None)
    parse = PageParse(
        parser="html", signature="ab" * 16, metadata=(("metatag.a", "b"),), dropped=(("filtered", 2),)
    )
    page = FetchedPage(url_to_lru("http://e.org/"), (fetch,), (link,), text="all of it", parse=parse)
    moved = FetchedPage(
        url_to_lru("http://e.org/old"),
        (replace(fetch, status=301, title=""),),
        (link._replace(kind=LinkKind.REDIRECT, anchor=""),),
        parse=PageParse(0, 100, representative="http://e.org/a"),
    )
    structure.write_batch(Batch((page, moved)))
    registry.close()
    code, out, _ = hyphe("parse", "--corpus", "mine", "--stored", "http://e.org/old")
    redirect = {"url": "http://e.org/a", "delay": 0.0, "representative": "http://e.org/a"}
    assert json.loads(out)["crawl"]["redirect"] == redirect
    code, out, _ = hyphe("parse", "--corpus", "mine", "--stored", "http://e.org/")
    stored = json.loads(out)
    assert code == 0
    assert stored["text"] == {"url": "http://e.org", "text": "all of it"}
    assert stored["data"]["status"]["words"] == "success/0"
    assert stored["data"]["metadata"] == [{"name": "metatag.a", "value": "b"}]
    assert stored["data"]["dropped"] == [{"reason": "filtered", "count": 2}]
    assert [link["anchor"] for link in stored["data"]["links"]] == ["first"]
    assert stored["crawl"]["signature"] == "ab" * 16
    assert faults(stored, OUTPUTS) == []
    assert hyphe("parse", "--corpus", "mine", "--stored", "http://e.org/a")[0] == 2
    assert hyphe("parse", "--stored", "http://e.org/a")[0] == 2


# -- parsers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["notaurl", "/d/page", "e.org/page", "http:// e.org"])
def test_what_is_no_whole_address_is_refused(hyphe: Run, page: Path, url: str) -> None:
    code, out, err = hyphe("parse", page, "--url", url)
    assert (code, out, "is no whole address" in err) == (2, "", True)


def test_one_address_is_not_that_of_several_documents(hyphe: Run, page: Path) -> None:
    code, out, err = hyphe("parse", page, page, "--url", "http://e.org/")
    assert (code, out, "address of one document" in err) == (2, "", True)


def test_files_of_one_name_are_all_told(hyphe: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.xml").write_text(f"<doc><title>{name}</title></doc>")
    out = hyphe("parse", tmp_path / "a" / "x.xml", tmp_path / "b" / "x.xml")[1]
    found = [(parse.link, parse.title) for parse in read_parse_out(out.encode())]
    assert found == [("file:///x.xml", "a"), ("file:///2/x.xml", "b")]


def test_a_stylesheet_may_have_any_name(hyphe: Run, page: Path, tmp_path: Path) -> None:
    (tmp_path / "own.xslt").write_text(SHEET)
    own, none = tmp_path / "own.xslt", tmp_path / "none.xml"
    none.write_text("<a/>")
    code, out, _ = hyphe("parse", page, "--type", "text/xml", "--explain", "--stylesheet", own)
    assert (code, "parser: own" in out) == (0, True)
    code, _, err = hyphe("parse", page, "--stylesheet", none)
    assert (code, "stylesheet none" in err, str(tmp_path) in err) == (2, True, False)


def test_parsers_are_listed_with_their_claims(hyphe: Run) -> None:
    code, out, err = hyphe("parsers", "--json")
    entries = {(each["name"], each["is_format"]): each for each in json.loads(out)}
    assert (code, err) == (0, "")
    names = [name for name, is_format in entries if not is_format]
    assert names == ["html", "xml", "text", "packed-xml", "opaque"]
    assert entries["jats", True]["origin"] == "built in"
    assert "-//NLM//DTD" in entries["jats", True]["public_ids"]
    assert "what no other reads" in hyphe("parsers")[1]


def test_formats_of_a_folder_are_listed_and_ties_told(hyphe: Run, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    for name in ("recipe", "salad"):
        (folder / f"{name}.xsl").write_text(SHEET)
        (folder / f"{name}.toml").write_text('roots = ["opml"]\nsuffixes = [".soup"]\n')
    code, out, err = hyphe("parsers", "--json", "--stylesheets", folder)
    (own,) = [each for each in json.loads(out) if each["name"] == "recipe"]
    assert code == 0
    assert own["origin"] == f"folder {folder}"
    assert "recipe and salad claim root opml with the same priority: recipe wins" in err
    assert "opml and" not in err  # those of the folder come before those of the package
    (folder / "recipe.toml").write_text('rots = ["opml"]\n')
    code, _, err = hyphe("parsers", "--stylesheets", folder)
    assert (code, "did you mean roots?" in err) == (2, True)
