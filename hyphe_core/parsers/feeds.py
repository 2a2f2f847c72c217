"""What a stylesheet cannot do for a feed: read the markup inside its entries, its dates, its addresses.

An entry becomes a parse of its own under its link; the parse of the feed keeps the description as text, and
the links of the entries. An entry without a link to http or ftp is left out; of two with one link the last
counts. The text of an entry is its description, else its contents. Where there are both, what the contents
say is the field `contents`, and links count in both; strict reading passes over them, as Nutch does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Final

from hyphe_core.parsers.base import Document, Metadatum
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.markup import Content
from hyphe_core.parsers.parse_out import Outlink
from hyphe_core.parsers.parse_out_cleaning import NEW_LINE, RawParse, clean_url, with_low_scheme
from hyphe_core.parsers.profiles import NUTCH
from memory_structure.records import LinkKind
from memory_structure.urls import join_url

ENTRY: Final = "entry"
"""Name of the element of an outlink from a feed to one of its entries."""
# Names that a stylesheet gives to what only this module reads.
_TEXT_TYPE: Final = "feed.text-type"
_CONTENTS: Final = "feed.contents"
_CONTENTS_TYPE: Final = "feed.contents-type"
_SITE: Final = "feed.link"
_PASSED: Final = frozenset({_TEXT_TYPE, _CONTENTS, _CONTENTS_TYPE, _SITE})
_DAY: Final = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_TAGS: Final = re.compile(r"<[^<>]*>")
_YEAR_MONTH: Final = re.compile(r"(\d{4})(?:-(\d\d))?")
_MARKUP: Final = re.compile(r"[<&]")
_HTML: Final = "text/html; charset=utf-8"
_parser: Final = HtmlParser()
_strict_parser: Final = HtmlParser(NUTCH)


def finish(parses: list[RawParse], content: Content) -> list[RawParse]:
    """The parse of the feed, then those of its entries."""
    feed, *entries = parses
    url = content.document.url
    feed.link, feed.content_type = url, feed.content_type or content.media_type
    site = _followable(feed.base, feed.meta_value(_SITE))
    _read_title(feed)
    _read_texts(feed, url, strict=content.strict)
    _read_dates(feed)
    _drop_passed(feed)
    kept: dict[str, RawParse] = {}
    for entry in entries:
        link = _followable(feed.base, entry.link if entry.link != url else "")
        if link and link != url:
            kept[link] = _finish_entry(entry, link, site, feed, strict=content.strict)
    if content.strict:  # in Nutch's eyes a feed has entries, no links
        feed.outlinks = []
    else:
        feed.outlinks += [Outlink(link, entry.title, ENTRY) for link, entry in kept.items()]
    return [feed, *kept.values()]


def finish_dates(parses: list[RawParse], content: Content) -> list[RawParse]:
    """The parses of what is no feed with its dates as ISO dates."""
    for parse in parses:
        _read_dates(parse)
    return parses


def _finish_entry(entry: RawParse, link: str, site: str, feed: RawParse, *, strict: bool) -> RawParse:
    entry.link = link
    entry.content_type = feed.content_type
    _read_title(entry)
    _read_texts(entry, link, strict=strict)
    published, updated = _read_dates(entry)
    _drop_passed(entry)
    facts = [
        *(("author", name) for name in entry.fields.get("creator", ())),
        *(("tag", name) for name in entry.fields.get("subject", ())),
        ("published", published),
        ("updated", updated),
        ("feed", site),
    ]
    entry.meta[:0] = [Metadatum(name, value) for name, value in facts if value.strip()]
    return entry


def _read_texts(parse: RawParse, url: str, *, strict: bool) -> None:
    """The text of a parse, from its description or its contents, and links that stand in these."""
    contents, contents_type = parse.meta_value(_CONTENTS), parse.meta_value(_CONTENTS_TYPE)
    parse.text, links = _read_text(parse.text, parse.meta_value(_TEXT_TYPE), url, strict=strict)
    is_described = bool(parse.text.strip())
    if is_described:
        parse.add("description", parse.text)
    if contents.strip() and not (is_described and strict):
        text, more_links = _read_text(contents, contents_type, url, strict=strict)
        links += more_links
        if is_described:
            parse.meta.append(Metadatum("contents", text))
        else:
            parse.text = text
    parse.outlinks += links
    parse.is_legal = False


def _read_text(text: str, kind: str, url: str, *, strict: bool) -> tuple[str, list[Outlink]]:
    """(text, links): markup within the text gives its visible text, and links; by Nutch's rules for HTML when
    read strictly."""
    if kind not in ("html", "text/html") or not _MARKUP.search(text):
        return text, []
    parser = _strict_parser if strict else _parser
    result = parser.parse(Document(url, text.encode("utf-8", "replace"), _HTML))
    links = [link for link in result.links if strict or link.kind is LinkKind.HYPERLINK]
    return result.text.replace("\n", NEW_LINE), [
        Outlink(link.url, link.anchor, "a" if link.kind is LinkKind.HYPERLINK else "", link.rel)
        for link in links
    ]


def _read_dates(parse: RawParse) -> tuple[str, str]:
    """(published, updated) in milliseconds since 1970, "" when unknown; the fields become ISO dates, as exact
    as they are given."""
    moments = []
    for name in ("date", "modified"):
        found = [(value, find_moment(value)) for value in parse.fields.get(name, ())]
        if found:
            parse.fields[name] = [_told(value, moment) for value, moment in found]
        first = next((moment for _, moment in found if moment is not None), None)
        moments.append(str(int(first.timestamp() * 1000)) if first is not None else "")
    return moments[0], moments[1]


def _told(value: str, moment: datetime | None) -> str:
    if moment is None or _DAY.fullmatch(value.strip()):
        return value
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def find_moment(value: str) -> datetime | None:
    """The moment that a date of a feed tells, in the form of RFC 822 or ISO 8601; without zone it is UTC."""
    value = value.strip()
    found = _YEAR_MONTH.fullmatch(value)
    try:
        if found:
            return datetime(int(found[1]), int(found[2] or 1), 1, tzinfo=UTC)
        moment = (datetime.fromisoformat if value[:4].isdigit() else parsedate_to_datetime)(value)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        moment.astimezone(UTC)  # the first and the last day of all may not exist there
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment


def _read_title(parse: RawParse) -> None:
    if _MARKUP.search(parse.title):
        parse.title, parse.is_legal = unescape(_TAGS.sub("", parse.title)), False


def _followable(base: str, address: str) -> str:
    address = address.strip()
    url = with_low_scheme(clean_url(join_url(base, address))) if address else ""
    return url if url.startswith(("http://", "https://", "ftp://")) else ""


def _drop_passed(parse: RawParse) -> None:
    parse.meta = [pair for pair in parse.meta if pair.name not in _PASSED]


def accepted_links(links: Iterable[str], accept: Callable[[str], str | None]) -> dict[str, str]:
    """Link of an entry -> the link it is kept under, for those that a chain of rules accepts."""
    return {link: kept for link in links if (kept := accept(link)) is not None}
