"""Plain texts keep their words and lines."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.base import Document, ParseResult
from hyphe_core.parsers.parse_out import validate, write_parse_out
from hyphe_core.parsers.parse_out_results import parse_outs_of
from hyphe_core.parsers.profiles import NUTCH
from hyphe_core.parsers.registry import default_registry

URL = "http://e.org/notes.txt"


def read(body: bytes, content_type: str = "text/plain") -> ParseResult:
    return default_registry(isolated=False).parse(Document(URL, body, content_type))


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b"one\n  two < 3\n\n", "text/plain", "one\n  two < 3"),
        ("d\u00e9j\u00e0 vu".encode("latin-1"), "text/plain; charset=iso-8859-1", "d\u00e9j\u00e0 vu"),
        (b"\xef\xbb\xbfmarked", "text/plain", "marked"),
        ("caf\u00e9".encode("utf-16"), "text/plain", "caf\u00e9"),
        (b"<p>not a page</p>", "text/plain", "<p>not a page</p>"),
        (b"# Title\n\n[link](http://f.org/)", "text/markdown", "# Title\n\n[link](http://f.org/)"),
        (b"a,b\r\n1,2\r\n", "text/csv", "a,b\r\n1,2"),
        (b"no header says it", "application/octet-stream", "no header says it"),
        (b"", "text/plain", ""),
    ],
)
def test_the_text_is_read_as_it_stands(body: bytes, content_type: str, text: str) -> None:
    result = read(body, content_type)
    assert (result.text, result.links, result.status.is_success) == (text, (), True)
    assert result.parser == "text"


def test_another_kind_of_file_sent_as_text_gives_none() -> None:
    result = read(b"\x7fELF\x02\x01\x01\x00\x00 http://f.org/")
    assert (result.text, result.status.is_success) == ("", True)
    assert result.warnings == ("no text: it holds control characters",)


def test_what_xml_does_not_allow_does_not_harm_the_parse_out() -> None:
    document = Document(URL, b"page\x0cbreak \x1b[1mbold", "text/plain")
    result = default_registry(isolated=False).parse(document)
    assert result.text == "page\x0cbreak \x1b[1mbold"
    assert validate(write_parse_out(parse_outs_of(result, document))) == []


def test_the_robots_header_counts() -> None:
    document = Document(URL, b"words", "text/plain", (("x-robots-tag", "noindex"),))
    registry = default_registry(isolated=False)
    assert (registry.parse(document).text, registry.parse(document).robots.index) == ("words", False)
    assert registry.parse(document, NUTCH).text == ""
