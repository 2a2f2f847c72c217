"""Stored pages as parse-out documents and as texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from hyphe_core.exports.columns import Column, Row, Table, integer, moment_text
from hyphe_core.exports.request import ExportReport
from hyphe_core.exports.web_entities import WebEntityIndex
from hyphe_core.parsers.base import (
    Document,
    Link,
    Metadatum,
    ParseMajor,
    ParseMinor,
    ParseResult,
    ParseStatus,
    Refresh,
)
from hyphe_core.parsers.parse_out import ParseOut, Redirection, write_parse_outs
from hyphe_core.parsers.parse_out_cleaning import CANONICAL, clean_url
from hyphe_core.parsers.parse_out_results import parse_outs_of
from memory_structure.lru import BadUrl, UrlCutter, lru_to_url
from memory_structure.parses import PageParse, ParsedEntry
from memory_structure.records import Area, Fetch, LinkKind, LinkRecord, PageRecord
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for

TEXT_COLUMNS = (
    Column("url"),
    integer("web_entity_id"),
    Column("web_entity"),
    integer("status"),
    Column("content_type"),
    Column("language"),
    Column("fetched_at"),
    Column("title"),
    Column("text"),
)
_NO_OUTLINKS = frozenset({LinkKind.REDIRECT, LinkKind.REFRESH})


def text_table(index: WebEntityIndex, structure: MemoryStructure) -> Table:
    """One row for each page whose text is stored, in LRU order."""

    def rows() -> Iterator[Row]:
        for page in index.iter_pages():
            text = structure.find_text(page.lru) if page.fetch is not None else None
            if page.fetch is not None and text is not None:
                yield _text_row(page, page.fetch, index.name(page.web_entity_id), text)

    return Table(TEXT_COLUMNS, rows())


def _text_row(page: PageRecord, fetch: Fetch, web_entity: str, text: str) -> Row:
    return (
        page.url,
        page.web_entity_id,
        web_entity,
        fetch.status,
        fetch.content_type or None,
        fetch.language or None,
        moment_text(fetch.fetched_at),
        fetch.title or None,
        text,
    )


def write_parses(index: WebEntityIndex, structure: MemoryStructure, stream: BinaryIO) -> ExportReport:
    """Write the stored parses of pages, each followed by those of its entries, as one parse-out document."""
    return ExportReport(n_rows=write_parse_outs(_iter_parses(index, structure), stream))


def _iter_parses(index: WebEntityIndex, structure: MemoryStructure) -> Iterator[ParseOut]:
    """Parses, each link once: a page that was parsed itself counts more than an entry that names it."""
    cutter = cutter_for(structure.options().url_policy)
    seen: set[int] = set()  # hashes of the links of entries
    for page in index.iter_pages():
        parse = structure.find_parse(page.lru) if page.fetch is not None else None
        if page.fetch is None or parse is None:
            continue
        first, *entries = stored_parse_outs(page, page.fetch, parse, structure)
        yield first
        for entry in entries:
            if hash(entry.link) not in seen and not _is_parsed(entry.link, cutter, structure):
                seen.add(hash(entry.link))
                yield entry


def _is_parsed(url: str, cutter: UrlCutter, structure: MemoryStructure) -> bool:
    """Whether a page with this very address was parsed."""
    try:
        lru = cutter.lru(url)
    except BadUrl:
        return False
    return lru_to_url(lru) == url and structure.find_parse(lru) is not None


def stored_parse_outs(
    page: PageRecord, fetch: Fetch, parse: PageParse, structure: MemoryStructure
) -> tuple[ParseOut, ...]:
    """The parse-out records of a stored page, its own first, made of what is stored."""
    links = structure.list_outlinks(page.lru)
    result = ParseResult(
        base_url=page.url,
        title=fetch.title,
        text=structure.find_text(page.lru) or "",
        links=tuple(_link(link) for link in links if link.kind not in _NO_OUTLINKS),
        canonical=_canonical(fetch, parse),
        refresh=None if parse.refresh is None else Refresh(*parse.refresh),
        language=fetch.language,
        status=ParseStatus(ParseMajor(parse.major), ParseMinor(parse.minor), parse.message),
        metadata=tuple(Metadatum(*pair) for pair in parse.metadata),
        parses=tuple(map(_entry, parse.entries)),
        content_type=parse.media_type,
    )
    first, *entries = parse_outs_of(result, Document(page.url, b"", fetch.content_type or None))
    return (replace(first, redirect=_redirection(fetch, first)), *entries)


def _link(link: LinkRecord) -> Link:
    return Link(link.raw or lru_to_url(link.target_lru), link.kind, link.anchor, link.rel, link.area)


def _canonical(fetch: Fetch, parse: PageParse) -> str | None:
    """The canonical address, unless the metadata tell it already."""
    is_told = any(name == CANONICAL for name, _ in parse.metadata)
    return None if is_told or not fetch.canonical else fetch.canonical


def _redirection(fetch: Fetch, parse: ParseOut) -> Redirection | None:
    """That of the document, else that of the answer, which nothing was parsed of."""
    if parse.redirect is not None or fetch.redirect_lru is None:
        return parse.redirect
    url = clean_url(lru_to_url(fetch.redirect_lru))
    return Redirection(url, 0) if url else None


def _entry(entry: ParsedEntry) -> ParseResult:
    return ParseResult(
        base_url=entry.url,
        url=entry.url,
        title=entry.title,
        text=entry.text,
        language=entry.language,
        metadata=tuple(Metadatum(*pair) for pair in entry.metadata),
        links=tuple(
            Link(link.url, LinkKind.HYPERLINK, link.anchor, link.rel, Area.MAIN) for link in entry.links
        ),
    )
