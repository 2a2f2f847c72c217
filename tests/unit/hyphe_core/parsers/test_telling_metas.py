"""Meta elements that tell of a page's content: kept, and made fields of its parse-out document."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.base import Document, ParseResult
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.parse_out_results import parse_outs_of
from hyphe_core.parsers.telling_metas import MAX_METADATA


def document(markup: str) -> Document:
    return Document("http://e.org/", markup.encode(), "text/html; charset=utf-8")


def parse(markup: str) -> ParseResult:
    return HtmlParser().parse(document(markup))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<meta name="DC.Creator" content=" A.\n B. ">', [("metatag.dc.creator", "A. B.")]),
        ('<meta property="og:type" content="book">', [("metatag.og:type", "book")]),
        ('<meta name="keywords" content="a, b">', [("metatag.keywords", "a, b")]),
        ('<meta name="viewport" content="x"><meta name="robots" content="all"><meta content="x">', []),
        ('<meta name="author"><meta name="author" content="">', []),
        (
            '<meta name="citation_author" content="A"><meta name="citation_author" content="B">',
            [("metatag.citation_author", "A"), ("metatag.citation_author", "B")],
        ),
    ],
    ids=range(6),
)
def test_what_tells_of_the_content_is_kept(markup: str, expected: list[tuple[str, str]]) -> None:
    assert list(parse(markup).metadata) == expected


def test_metadata_are_limited() -> None:
    assert len(parse('<meta name="author" content="x">' * 1000).metadata) == MAX_METADATA
    assert len(parse(f'<meta name="author" content="{"x" * 9000}">').metadata[0].value) == 4096


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ('<title>T</title><meta name="DC.title" content="D">', "T"),
        ('<meta name="citation_title" content="C">', "C"),
        ("", ""),
    ],
)
def test_a_page_without_title_has_that_of_its_metadata(markup: str, title: str) -> None:
    assert parse(markup).title == title


def test_they_are_fields_of_parse_out() -> None:
    page = document(
        '<meta name="author" content="A"><meta name="dcterms.issued" content="2020">'
        '<meta property="og:description" content="D"><meta property="article:tag" content="t">'
    )
    (record,) = parse_outs_of(HtmlParser().parse(page), page)
    assert (record.creator, record.date, record.description, record.subject) == (
        ("A",),
        ("2020",),
        ("D",),
        ("t",),
    )
