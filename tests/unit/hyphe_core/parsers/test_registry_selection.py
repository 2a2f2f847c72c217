"""Who reads a document and why: media type, root, public identifier, suffix; priorities, ties, failures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hyphe_core.parsers.base import Document, ParseMinor, Parser, ParseResult, failed
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.profiles import NUTCH, RESEARCH
from hyphe_core.parsers.registry import ParserRegistry, default_registry
from hyphe_core.parsers.xml_root import XmlRoot, find_root

URL = "http://e.org/d/x"
XHTML = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><a href="y">z</a></html>'


class Fixed(Parser):
    """Gives the same result for everything."""

    def __init__(
        self,
        name: str,
        *,
        priority: int = 0,
        result: ParseResult | Exception | None = None,
        **told: tuple[str, ...],
    ) -> None:
        self.name, self.priority = name, priority
        self._result = result or ParseResult(base_url=URL, title=name)
        self.media_types = told.get("media_types", ())
        self.url_suffixes = told.get("url_suffixes", ())
        self.roots = told.get("roots", ())
        self.public_ids = told.get("public_ids", ())

    def parse(self, document: Document) -> ParseResult:
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


@pytest.fixture
def registry() -> Iterator[ParserRegistry]:
    registry = default_registry(isolated=False)
    yield registry
    registry.close()


@pytest.mark.parametrize(
    ("url", "body", "content_type", "read_by", "why"),
    [
        (URL, b"<a href=y>", "text/html", "html", "media type text/html"),
        (URL, XHTML, "application/xhtml+xml", "html", "root element html"),
        (URL, XHTML, "text/xml", "html", "root element html"),
        (URL, XHTML, None, "html", "root element html"),
        (URL, b"<rss/>", "text/xml", "rss", "media type text/xml; root element rss"),
        (
            URL,
            b"<x/>",
            "application/foo+xml",
            "generic",
            "media type application/foo+xml; no format knows it",
        ),
        (URL, b"\xff\xfe" + "<rss/>".encode("utf-16-le"), "application/xml", "rss", "root element rss"),
        ("http://e.org/x.html", b"<p>", "application/x-unknown-thing", "html", "suffix of x.html"),
        (URL, b"%PDF-", "application/pdf", "opaque", "no parser reads it"),
        (URL, b"<p>", "text/plain", "text", "media type text/plain"),
    ],
)
def test_who_reads_what_and_why(
    registry: ParserRegistry, url: str, body: bytes, content_type: str | None, read_by: str, why: str
) -> None:
    document = Document(url, body, content_type)
    explained = registry.explain(document)
    assert explained.read_by == read_by
    assert why in explained.why
    assert explained.result == registry.parse(document)
    assert [candidate.parser.name for candidate in explained.candidates][-1] == "opaque"


def test_an_explanation_tells_the_types(registry: ParserRegistry) -> None:
    explained = registry.explain(Document(URL, b"<rss/>", "Text/XML; charset=utf-8"))
    assert (explained.declared_type, explained.media_type) == ("text/xml", "application/rss+xml")


def test_priorities_decide_and_ties_are_warned_about() -> None:
    low, high = Fixed("low", media_types=("text/x",)), Fixed("high", media_types=("text/x",), priority=2)
    registry = ParserRegistry((high, low))
    assert registry.parse(Document(URL, b"x", "text/x")).title == "high"
    assert registry.warnings == []
    registry.register(Fixed("late", media_types=("text/x",), priority=2))
    assert registry.parse(Document(URL, b"x", "text/x")).title == "late"
    assert registry.warnings == [
        "late and high read text/x with the same priority: late, registered later, comes first"
    ]
    assert registry.warnings[0] in registry.explain(Document(URL, b"x", "text/x")).warnings


def test_wildcards_from_narrow_to_wide() -> None:
    registry = ParserRegistry(
        (
            Fixed("family", media_types=("text/*",)),
            Fixed("plus", media_types=("text/*+x",)),
            Fixed("exact", media_types=("text/a+x",)),
        )
    )
    names = {
        media_type: registry.parser_for(media_type).name
        for media_type in ("text/a+x", "text/b+x", "TEXT/c", "a/b")
    }
    assert list(names.values()) == ["exact", "plus", "family", "opaque"]


@pytest.mark.parametrize(
    ("told", "body"),
    [
        ({"roots": ("{urn:x}doc",)}, b'<p:doc xmlns:p="urn:x"/>'),
        ({"roots": ("doc",)}, b"<doc/>"),
        ({"public_ids": ("-//X//",)}, b'<!DOCTYPE doc PUBLIC "-//X//DTD Y" "y"><doc/>'),
    ],
)
def test_a_third_party_claims_xml_by_its_root(
    registry: ParserRegistry, told: dict[str, tuple[str, ...]], body: bytes
) -> None:
    registry.register(Fixed("third", **told))
    assert registry.parse(Document(URL, body, "application/xml")).title == "third"
    assert registry.parse(Document(URL, b"<other/>", "application/xml")).title == ""


def test_the_next_one_is_asked_after_a_failure() -> None:
    failure = ParseResult(base_url=URL, status=failed(ParseMinor.MISSING_PARTS, "no head"))
    first = Fixed("first", media_types=("text/x",), priority=3, result=failure)
    second = Fixed("second", media_types=("text/x",), priority=2, result=ValueError("/secret/path"))
    document = Document(URL, b"x", "text/x")
    registry = ParserRegistry((first, second, Fixed("third", media_types=("text/*",))))
    assert registry.parse(document).title == "third"
    registry = ParserRegistry((first, second))
    assert registry.parse(document).status == failure.status
    registry = ParserRegistry((second,))
    assert registry.parse(document).status == failed(ParseMinor.EXCEPTION, "ValueError in parser second")


def test_profiles_reach_the_parsers(registry: ParserRegistry) -> None:
    broken = Document(URL, b"<rss><channel><title>a & b", "application/rss+xml")
    assert registry.parse(broken, RESEARCH).title == "a & b"
    assert registry.parse(broken, NUTCH).status.minor is ParseMinor.EXCEPTION
    nofollow = Document(URL, b"<a href=y rel=nofollow>z</a>", "text/html")
    assert len(registry.parse(nofollow, RESEARCH).links) == 1
    assert registry.parse(nofollow, NUTCH).links == ()


def test_html_is_read_without_a_child() -> None:
    registry = default_registry()
    registry.parse(Document(URL, b"<p>x", "text/html"))
    (xml,) = (parser for parser in registry.list_parsers() if parser.name == "xml")
    assert xml.runner.list_pids() == []
    assert (
        registry.parse(Document(URL, b"<rss><channel><title>x</title></channel></rss>", "text/xml")).title
        == "x"
    )
    assert len(xml.runner.list_pids()) == 1
    registry.close()
    assert xml.runner.list_pids() == []


def test_a_parser_of_an_entry_point_can_replace_the_html_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(HtmlParser):
        name = "other"

    class Point:
        name = "theirs"

        def load(self) -> type[Parser]:
            return Other

    monkeypatch.setattr("hyphe_core.parsers.registry.entry_points", lambda group: [Point()])
    registry = default_registry(isolated=False)
    registry.load_entry_points()
    assert registry.parser_for("text/html").name == "other"
    assert "other and html read text/html" in registry.warnings[0]


@pytest.mark.parametrize(
    ("body", "root"),
    [
        (b"<a/>", XmlRoot("a", "", "")),
        (
            b" \n<?xml version='1.0'?><!-- <b> --><?p <c>?><a:b xmlns='u' xmlns:a=\"v\">",
            XmlRoot("b", "v", ""),
        ),
        (b"\xef\xbb\xbf<a xmlns='u'>", XmlRoot("a", "u", "")),
        (b"<!DOCTYPE a PUBLIC '-//X\n Y' 'z' [<!ENTITY b '<c>'>]><a>", XmlRoot("a", "", "-//X Y")),
        (b"<!doctype html><html lang=x>", XmlRoot("html", "", "")),
        ("<é:a xmlns:é='ü'/>".encode(), XmlRoot("a", "ü", "")),
        ("<a/>".encode("utf-16"), XmlRoot("a", "", "")),
        (b"<!--" + b"x" * 5000 + b"--><a>", XmlRoot("a", "", "")),
        (b"text <a>", None),
        (b"", None),
        (b"<!--" + b"x" * 70_000 + b"--><a>", None),
    ],
)
def test_roots_by_the_first_bytes(body: bytes, root: XmlRoot | None) -> None:
    assert find_root(body) == root


@pytest.mark.parametrize("piece", [b"<!--", b"<?", b"<!DOCTYPE a [", b"<a ", b"   ", b"<!DOCTYPE a PUBLIC '"])
def test_no_start_of_a_document_takes_long(piece: bytes) -> None:
    assert find_root((piece * 70_000)[:65_536]) is None or piece == b"<a "
