"""Parse-out records made into results of a crawl, and results into parse-out records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hyphe_core.parsers.base import (
    Document,
    Link,
    Metadatum,
    ParseMinor,
    ParseResult,
    Refresh,
    RobotsDirectives,
)
from hyphe_core.parsers.markup import MarkupOutcome
from hyphe_core.parsers.parse_out import FIELDS, FIELDS_AFTER, FIELDS_BEFORE, Outlink, ParseOut, Redirection
from hyphe_core.parsers.parse_out_cleaning import CANONICAL, NEW_LINE, Cleaned, RawParse, clean
from hyphe_core.parsers.sniff import media_type_of
from memory_structure.records import Area, LinkKind

_DC: Final = "dc."
# HTML meta elements that say what a parse-out field says, in order of preference.
_HTML_FIELDS: Final = {
    "creator": ("dc.creator", "dcterms.creator", "citation_author", "author", "creator"),
    "subject": ("dc.subject", "dcterms.subject", "keywords", "news_keywords", "article:tag"),
    "description": ("dc.description", "dcterms.description", "description", "og:description"),
    "publisher": ("dc.publisher", "dcterms.publisher", "citation_publisher"),
    "contributor": ("dc.contributor", "dcterms.contributor"),
    "date": (
        "dc.date",
        "dcterms.date",
        "citation_publication_date",
        "dcterms.issued",
        "dcterms.created",
        "article:published_time",
        "date",
    ),
    "modified": ("dcterms.modified", "last-modified", "article:modified_time"),
    "type": ("dc.type", "dcterms.type", "og:type"),
    "source": ("dc.source", "dcterms.source"),
    "relation": ("dc.relation", "dcterms.relation"),
    "coverage": ("dc.coverage", "dcterms.coverage"),
    "rights": ("dc.rights", "dcterms.rights", "rights", "copyright"),
}
_METATAG: Final = "metatag."
_ELEMENTS: Final = {
    LinkKind.HYPERLINK: "a",
    LinkKind.FRAME: "iframe",
    LinkKind.HEAD: "link",
    LinkKind.FEED: "link",
}


def result_of(outcome: MarkupOutcome, document: Document, robots: RobotsDirectives) -> ParseResult:
    """The result of a document that the markup engine ran."""
    entries = tuple(
        _result(cleaned, kinds, outcome, RobotsDirectives())
        for cleaned, kinds in zip(outcome.parses[1:], outcome.kinds[1:], strict=True)
    )
    return _result(outcome.parses[0], outcome.kinds[0], outcome, robots, entries, document.url)


def _result(
    cleaned: Cleaned,
    kinds: Sequence[LinkKind | None],
    outcome: MarkupOutcome,
    robots: RobotsDirectives,
    entries: tuple[ParseResult, ...] = (),
    document_url: str = "",
) -> ParseResult:
    parse, new_link = cleaned.parse, tuple.__new__
    links = tuple(
        new_link(Link, (url, kind, anchor, rel, Area.MAIN))
        for (url, anchor, _, rel), kind in zip(parse.outlinks, kinds, strict=True)
        if kind is not None
    )
    redirect = parse.redirect
    return ParseResult(
        base_url=document_url or parse.link,
        title=parse.title,
        text=parse.text,
        links=links,
        canonical=next((value for name, value in parse.meta if name == CANONICAL), None),
        robots=robots,
        refresh=Refresh(redirect.url, float(redirect.delay_seconds)) if redirect is not None else None,
        language=parse.language[0].lower() if parse.language else "",
        encoding=outcome.encoding,
        encoding_source=outcome.encoding_source,
        n_links_cut=cleaned.n_links_cut,
        n_links_by_scheme=cleaned.n_links_by_scheme,
        warnings=outcome.warnings if document_url else (),
        status=parse.status,
        metadata=(*_dublin_core(parse), *parse.meta),
        parses=entries,
        url="" if document_url else parse.link,
        content_type=parse.content_type,
        parser=outcome.parser,
    )


def _dublin_core(parse: ParseOut) -> Iterator[Metadatum]:
    for name in (*FIELDS_BEFORE, *FIELDS_AFTER):
        values: tuple[str, ...] = getattr(parse, name)
        for value in values:
            yield Metadatum(_DC + name, value)


def parse_outs_of(result: ParseResult, document: Document) -> tuple[ParseOut, ...]:
    """The parse-out records of any result, that of the document first: one, and one for each entry."""
    content_type = result.content_type or media_type_of(document.content_type, document.body)
    return (
        _parse_out(result, document.url, content_type),
        *(_parse_out(entry, entry.url, entry.content_type or content_type) for entry in result.parses),
    )


def _parse_out(result: ParseResult, link: str, content_type: str) -> ParseOut:
    raw = RawParse(link, content_type, result.status, result.title, result.text.replace("\n", NEW_LINE))
    raw.base = result.base_url
    for name, value in result.metadata:
        field = name.removeprefix(_DC)
        if field in FIELDS and name.startswith(_DC):
            raw.add(field, value)
        else:
            raw.meta.append(Metadatum(name, value))
    _add_html_fields(raw)
    if result.language and "language" not in raw.fields:
        raw.add("language", result.language)
    if result.canonical:
        raw.meta.append(Metadatum(CANONICAL, result.canonical))
    if result.refresh is not None:
        raw.redirect = Redirection(result.refresh.url, int(result.refresh.delay_seconds))
        raw.status = raw.status._replace(minor=ParseMinor.REDIRECT)
    raw.outlinks = [
        Outlink(link.url, link.anchor, _ELEMENTS.get(link.kind, ""), link.rel) for link in result.links
    ]
    return clean(raw).parse


def _add_html_fields(raw: RawParse) -> None:
    """Fields from the meta elements of a page, where the parser did not give them."""
    named: dict[str, list[str]] = {}
    for name, value in raw.meta:
        if name.startswith(_METATAG):
            named.setdefault(name.removeprefix(_METATAG).lower(), []).append(value)
    if not named:
        return
    for field, names in _HTML_FIELDS.items():
        if field not in raw.fields:
            found = next((named[name] for name in names if name in named), None)
            if found:
                raw.add(field, *found)
