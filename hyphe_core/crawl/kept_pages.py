"""What is kept of the parse of a crawled page: its links after the corpus' policy, and the record of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from hyphe_core.crawl.parse_work import ParseWork
from hyphe_core.parsers.base import Document, Link, ParseResult, Refresh
from hyphe_core.parsers.keeping import Redirect, keep
from hyphe_core.parsers.signatures import md5_of_content, text_profile_signature
from hyphe_core.parsers.sniff import find_declared_type
from hyphe_core.parsers.text_links import list_text_links
from memory_structure.parse_options import SignatureChoice
from memory_structure.parses import EntryLink, PageParse, ParsedEntry
from memory_structure.records import Area, LinkKind

# Of a feed or collection; what is more stays in the body alone.
MAX_ENTRIES: Final = 1_000
MAX_ENTRY_CHARACTERS: Final = 4_000_000
MAX_WARNINGS: Final = 20
_HTML: Final = "html"
# The profile of texts without a word that counts: they are not alike for that.
_NO_WORDS: Final = text_profile_signature("")


class KeptPage(NamedTuple):
    """Links to be stored, the refresh that counts, and the record of the parse."""

    links: Sequence[Link]
    refresh: Refresh | None
    record: PageParse


def kept_parse(work: ParseWork, document: Document, result: ParseResult) -> KeptPage:
    """Apply what a corpus asks for to a parse."""
    if work.text_links:
        result = _with_text_links(result)
    links: Sequence[Link] = result.links
    refresh, representative = result.refresh, ""
    dropped: tuple[tuple[str, int], ...] = ()
    if work.rules.policy is not None or refresh is not None:  # most pages have neither
        kept = keep(document, result, work.rules)
        links = kept.result.links
        dropped = tuple((drop.reason.value, drop.n_links) for drop in kept.dropped)
        representative = kept.redirect.representative if kept.redirect is not None else ""
        refresh = _judged(refresh, kept.redirect, has_policy=work.rules.policy is not None)
    status = result.status
    record = PageParse(
        status.major.value,
        status.minor.value,
        status.message,
        result.parser or _HTML,
        _unexpected_type(document, result),
        md5_of_content(document.body, document.url) if work.signatures is not SignatureChoice.NONE else "",
        _text_profile(work, result),
        representative,
        None if result.refresh is None else (result.refresh.url, result.refresh.delay_seconds),
        result.metadata,
        dropped,
        result.warnings[:MAX_WARNINGS],
        _entries(result.parses) if result.parses else (),
    )
    return KeptPage(links, refresh, record)


def _judged(refresh: Refresh | None, redirect: Redirect | None, *, has_policy: bool) -> Refresh | None:
    """The refresh as the policy leaves it; without policy as it is."""
    if refresh is None or not has_policy:
        return refresh
    return None if redirect is None else Refresh(redirect.target, refresh.delay_seconds)


def _with_text_links(result: ParseResult) -> ParseResult:
    known = {link.url for link in result.links}
    found = dict.fromkeys(list_text_links(result.text, trims=True))
    more = [Link(url, LinkKind.HYPERLINK, "", "", Area.MAIN) for url in found if url not in known]
    return replace(result, links=(*result.links, *more)) if more else result


def _unexpected_type(document: Document, result: ParseResult) -> str:
    """The media type as recognised, when the header does not say it."""
    found = result.content_type
    return found if found and found != find_declared_type(document.content_type) else ""


def _text_profile(work: ParseWork, result: ParseResult) -> str:
    if work.signatures is not SignatureChoice.TEXT_PROFILE or not result.text:
        return ""
    profile = text_profile_signature(result.text)
    return "" if profile == _NO_WORDS else profile


def _entries(parses: Sequence[ParseResult]) -> tuple[ParsedEntry, ...]:
    """The first entries, as long as their texts are not too much together."""
    entries: list[ParsedEntry] = []
    n_left = MAX_ENTRY_CHARACTERS
    for parse in parses[:MAX_ENTRIES]:
        n_left -= len(parse.text)
        if n_left < 0:
            break
        links = tuple(EntryLink(link.url, link.anchor, link.rel) for link in parse.links)
        entries.append(ParsedEntry(parse.url, parse.title, parse.text, parse.language, parse.metadata, links))
    return tuple(entries)


def leads_to_entries(links: Sequence[Link]) -> bool:
    """Whether there are links to entries of a feed or pages of a sitemap."""
    return any(link.kind is LinkKind.FEED for link in links)
