"""Options of a corpus made into parsers and rules."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyphe_core.crawl.parse_work import ParserShelf, parse_work, policy_of
from hyphe_core.parsers.base import Document
from hyphe_core.parsers.registry import default_registry
from hyphe_core.parsers.xml_parser import XmlParser
from memory_structure.parse_options import ChainStep, LinkPlaces, ParseOptions

SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
  xmlns:n="http://nutch.org/1.0/parse">
  <xsl:template match="/*"><n:parse status="success"><n:title>{title}</n:title></n:parse></xsl:template>
</xsl:stylesheet>"""
NOTE = Document("http://a.com/x", b"<note/>", "text/x-note")


def add_format(folder: Path, title: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "note.toml").write_text('roots = ["note"]\nmedia_types = ["text/x-note"]\n')
    (folder / "note.xsl").write_text(SHEET.format(title=title))


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[ParserShelf]:
    shelf = ParserShelf(tmp_path / "stylesheets")
    yield shelf
    shelf.close()


def test_crawls_have_the_parsers_that_others_have(shelf: ParserShelf) -> None:
    names = [parser.name for parser in shelf.get().list_parsers()]
    assert names == [parser.name for parser in default_registry().list_parsers()]


def test_a_folder_adds_formats_under_types_of_their_own(shelf: ParserShelf, tmp_path: Path) -> None:
    add_format(tmp_path / "stylesheets", "all")
    add_format(tmp_path / "stylesheets" / "own", "own")
    assert shelf.get().parse(NOTE).title == "all"
    assert shelf.get("own").parse(NOTE).title == "own"
    assert shelf.get("own") is shelf.get("own")


def test_an_absent_folder_is_no_fault_unless_it_was_named(
    shelf: ParserShelf, caplog: pytest.LogCaptureFixture
) -> None:
    assert shelf.get().parse(NOTE).title == ""
    assert caplog.records == []
    assert isinstance(shelf.get("nosuch").parser_for("application/xml"), XmlParser)
    assert "nosuch" in caplog.text


def test_a_folder_with_faults_is_told_and_left_out(
    shelf: ParserShelf, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    add_format(tmp_path / "stylesheets", "all")
    (tmp_path / "stylesheets" / "bad.toml").write_text('rots = ["x"]')
    with caplog.at_level(logging.ERROR):
        found = shelf.get().parse(Document("http://a.com/x", b"<a>text</a>", "application/xml"))
    assert found.status.is_success
    assert "rots" in caplog.text


def test_nothing_is_judged_unless_asked() -> None:
    assert policy_of(ParseOptions()) is None
    assert policy_of(ParseOptions(profile="nutch")) is not None


def test_rules_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(ValueError, match="nosuch"):
        parse_work(ParseOptions(filters=(ChainStep("nosuch"),)))
    with pytest.raises(ValueError, match="odd"):
        parse_work(ParseOptions(profile="odd"))


def test_places_and_limits_become_a_policy() -> None:
    policy = policy_of(ParseOptions(links=LinkPlaces.EXTERNAL, by_domain=True, max_links=3))
    assert policy is not None
    assert (policy.ignores_internal, policy.ignores_external, policy.max_links) == (True, False, 3)
    assert (policy.drops_self, policy.drops_duplicates) == (False, False)
