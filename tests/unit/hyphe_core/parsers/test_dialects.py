"""Types told by bytes: dialects of XML, and what header and URL add."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyphe_core.parsers.dialects import N_PROBED_BYTES, probe_root, recognise
from hyphe_core.parsers.media_types import detect_media_type, find_type_of_name, is_kind_of

DECLARATION = '<?xml version="1.0"?>'
XML = "application/xml"


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        ("<article dtd-version='1.3'/>", "application/jats+xml"),
        ("<!DOCTYPE article PUBLIC '-//NLM//DTD JATS v1.2//EN' 'x.dtd'><article/>", "application/jats+xml"),
        ('<!DOCTYPE article [<!ENTITY a "]>">]><article><front/></article>', "application/jats+xml"),
        ("<article xmlns:j='https://jats.nlm.nih.gov/ns/archiving/1.3/'/>", "application/jats+xml"),
        (DECLARATION + "<article><title>t</title></article>", XML),
        (DECLARATION + "<article>" + "<p/>" * 60 + "<front/></article>", XML),
        (
            "<!DOCTYPE article PUBLIC '-//OASIS//DTD DocBook XML V4.5//EN' 'x'><article/>",
            "application/docbook+xml",
        ),
        ("<d:book xmlns:d='http://docbook.org/ns/docbook'/>", "application/docbook+xml"),
        ("<TEI xmlns='http://www.tei-c.org/ns/1.0'/>", "application/tei+xml"),
        ("<t:teiCorpus xmlns:t='http://www.tei-c.org/ns/1.0'/>", "application/tei+xml"),
        (DECLARATION + "<TEI/>", XML),
        ("<a:entry xmlns:a='http://www.w3.org/2005/Atom'/>", "application/atom+xml"),
        ("<feed xmlns='http://purl.org/atom/ns#'/>", "application/atom+xml"),
        (DECLARATION + "<feed/>", XML),
        ("<feed/>", XML),
        ("<article/>", XML),
        ("<article><title/></article>", XML),
        ("<article><h1>x</h1></article>", "text/html"),
        (
            "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
            " xmlns='http://my.netscape.com/rdf/simple/0.9/'/>",
            "application/rss+xml",
        ),
        ("<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>", "application/rdf+xml"),
        ("<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
        ("<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/>", XML),
        ("<pmc-articleset><article article-type='x'/></pmc-articleset>", XML),
        ("<h:HTML xmlns:h='http://www.w3.org/1999/xhtml'/>", "application/xhtml+xml"),
        (DECLARATION + "<html><body/></html>", "text/html"),
        ("<!doctype HTML><title>t</title>", "text/html"),
        ("<body>x", "text/html"),
        ("<p>x", "text/html"),
        ("<root><a/></root>", XML),
        ("<!-- c --><?pi x?><rss/>", "application/rss+xml"),
        ("<!-- never closed <rss/>", "text/html"),
        ("< rss", "text/plain"),
        ("junk %PDF-1.4", "application/pdf"),
        ("{}", "application/json"),
        (r"{\rtf1\ansi}", "application/rtf"),
        ("BZh91AY&SY", "application/x-bzip2"),
    ],
)
def test_dialects(text: str, media_type: str) -> None:
    assert recognise(text.encode("utf-8")) == media_type


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_encodings_of_the_probe(encoding: str) -> None:
    assert recognise(f"{DECLARATION}<rss é='1'/>".encode(encoding)) == "application/rss+xml"


def test_what_a_probe_tells() -> None:
    probe = probe_root(b" \n<!DOCTYPE a PUBLIC 'p' 's'><x:a xmlns:x='u' xmlns='v' y='1>2'><b><c/></b></x:a>")
    assert probe is not None
    assert (probe.name, probe.namespace, probe.public_id, probe.doctype) == ("a", "u", "p", "a")
    assert probe.namespaces == {"u", "v"}
    assert probe.attributes == {"y"}
    assert probe.first_names == {"b", "c"}
    assert not probe.is_declared
    assert probe_root(b"text") is None


def test_what_stands_far_in_is_not_looked_at() -> None:
    body = DECLARATION.encode() + b"<!--" + b"x" * N_PROBED_BYTES + b"--><rss/>"
    assert recognise(body) != "application/rss+xml"


@given(st.text(alphabet="<>!-?[]\"'= abx:/DOCTYPE&;\n", max_size=200))
def test_any_bytes_are_of_some_type(text: str) -> None:
    assert "/" in recognise(text.encode("utf-8"))
    assert "/" in recognise(text.encode("utf-16"))


@pytest.mark.parametrize(
    ("content_type", "url", "body", "media_type"),
    [
        ("application/xhtml+xml", "http://e.org/", DECLARATION + "<a/>", "application/xhtml+xml"),
        ("application/msword", "http://e.org/", "plain", "text/plain"),
        ("text/css", "http://e.org/", "plain", "text/css"),
        ("text/xml; charset=x", "http://e.org/", DECLARATION + "<rss/>", "application/rss+xml"),
        ("text/plain", "http://e.org/", "<html><body>", "text/html"),
        (None, "http://e.org/a.css?b.html", "x", "text/css"),
        ("bad type", "http://e.org/a.png", "\0\1", "image/png"),
        ("application/octet-stream", "http://e.org/", "\0\1", "application/octet-stream"),
    ],
)
def test_header_url_and_bytes(content_type: str | None, url: str, body: str, media_type: str) -> None:
    assert detect_media_type(content_type, url, body.encode()) == media_type


def test_bytes_may_be_left_out() -> None:
    assert detect_media_type("text/html", "http://e.org/", b"%PDF-", uses_bytes=False) == "text/html"
    assert detect_media_type(None, "http://e.org/", b"%PDF-", uses_bytes=False) == "application/octet-stream"


def test_kinds_and_names() -> None:
    assert is_kind_of("text/xml", "application/xml")
    assert not is_kind_of("image/png", "text/plain")
    assert find_type_of_name("http://[bad") is None
    assert find_type_of_name("http://e.org/css") is None
