"""Which parser reads an answer: by declared type, by its bytes, by registration."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.base import Document, Parser, ParseResult, RobotsDirectives
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.registry import OpaqueParser, ParserRegistry, default_registry, name_of
from hyphe_core.parsers.sniff import media_type_of, sniff


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (b"<!DOCTYPE html><p>", "text/html"),
        (b"\xef\xbb\xbf \n<HTML>", "text/html"),
        (b"<!-- x --><p>", "text/html"),
        (b"<a href=x>", "text/html"),
        (b"warning: php <html><body>", "text/html"),
        (b"\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", "text/html"),
        (b"<?xml version='1.0'?><html xmlns='x'>", "application/xhtml+xml"),
        (b"<?xml version='1.0'?><doc/>", "application/xml"),
        (b"<rss version='2.0'>", "application/rss+xml"),
        (b"<?xml version='1.0'?><feed xmlns='x'>", "application/atom+xml"),
        (b"<svg xmlns='x'>", "image/svg+xml"),
        (b"<?xml version='1.0'?><doc><![CDATA[<html><svg>]]></doc>", "application/xml"),
        (b"<?xml version='1.0'?><rss><a><html></a></rss>", "application/rss+xml"),
        (b"<?xml version='1.0'?>\nWarning: x in y <html>", "application/xhtml+xml"),
        (b"<urlset><url/></urlset>", "application/xml"),
        (b'<TEI\n xmlns="http://www.tei-c.org/ns/1.0">', "application/xml"),
        (b'<a:feed xmlns:a="http://www.w3.org/2005/Atom"/>', "application/atom+xml"),
        (b'<!DOCTYPE rss PUBLIC "-//X//Y" "z"><rss/>', "application/rss+xml"),
        (b'<!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">', "text/html"),
        (b"<foo>bar", "text/plain"),
        (b"%PDF-1.4\n", "application/pdf"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8", "image/webp"),
        (b"\x1f\x8b\x08\0", "application/gzip"),
        (b"PK\x03\x04", "application/zip"),
        (b'{"a": 1}', "application/json"),
        (b'<article article-type="letter"><front/><body></body></article>', "application/xml"),
        (b'<article class="x"><p>y</p></article>', "text/html"),
        (b"hello", "text/plain"),
        (b"", "text/plain"),
        (b"\x00\x01\x02", "application/octet-stream"),
    ],
)
def test_sniffing(body: bytes, media_type: str) -> None:
    assert sniff(body) == media_type


@pytest.mark.parametrize(
    ("content_type", "media_type"),
    [
        ("Text/HTML; charset=utf-8", "text/html"),
        (" application/pdf ", "application/pdf"),
        ("text/plain", "text/plain"),
        (None, "text/html"),
        ("", "text/html"),
        ("html", "text/html"),
        ("application/octet-stream", "text/html"),
        ("text/html, text/html", "text/html"),
        ("*/*", "text/html"),
    ],
)
def test_declared_type_is_believed_when_it_says_something(content_type: str | None, media_type: str) -> None:
    assert media_type_of(content_type, b"<html>") == media_type


class ImageParser(Parser):
    media_types = ("image/*", "IMAGE/svg+xml")

    def parse(self, document: Document) -> ParseResult:
        return ParseResult(base_url=document.url, title="an image")


def test_exact_type_wins_over_family_over_opaque() -> None:
    registry = ParserRegistry((ImageParser(), HtmlParser()))
    assert isinstance(registry.parser_for("TEXT/html"), HtmlParser)
    assert isinstance(registry.parser_for("image/png"), ImageParser)
    assert isinstance(registry.parser_for("image/svg+xml"), ImageParser)
    assert isinstance(registry.parser_for("text/plain"), OpaqueParser)
    assert isinstance(registry.parser_for(""), OpaqueParser)


def test_later_registration_replaces_earlier() -> None:
    class Other(HtmlParser):
        pass

    registry = default_registry()
    registry.register(Other())
    assert isinstance(registry.parser_for("text/html"), Other)


def test_entry_points_are_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "theirs"

        def load(self) -> type[Parser]:
            return ImageParser

    monkeypatch.setattr(
        "hyphe_core.parsers.registry.entry_points",
        lambda group: [Point()] if group == "hyphe.parsers" else [],
    )
    registry = default_registry()
    registry.load_entry_points()
    assert isinstance(registry.parser_for("image/png"), ImageParser)


def test_opaque_types_give_no_links_but_their_robots_header() -> None:
    document = Document(
        "http://e.org/x.pdf", b"%PDF <a href=x>", "application/pdf", (("x-robots-tag", "noindex"),)
    )
    result = default_registry().parse(document)
    assert result == ParseResult("http://e.org/x.pdf", robots=RobotsDirectives(index=False), parser="opaque")


def test_html_sent_as_plain_text_has_no_links() -> None:
    assert default_registry().parse(Document("http://e.org/", b"<a href=x>", "text/plain")).links == ()


@pytest.mark.parametrize("content_type", ["application/xhtml+xml", None])
def test_xhtml_is_read_as_html(content_type: str | None) -> None:
    body = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><a href="x">y</a><br/></html>'
    result = default_registry().parse(Document("http://e.org/", body, content_type))
    assert [link.url for link in result.links] == ["http://e.org/x"]


def test_the_origin_of_a_parser_is_known() -> None:
    class Mine(OpaqueParser):
        name = "mine"
        media_types = ("image/gif",)

    registry, mine = default_registry(isolated=False), Mine()
    registry.register(mine, "entry point gifs")
    origins = {name_of(parser): registry.origin_of(parser) for parser in registry.list_parsers()}
    assert origins == {
        "mine": "entry point gifs",
        "xml": "built in",
        "html": "built in",
        "text": "built in",
        "packed-xml": "built in",
        "opaque": "built in",
    }
