"""Parses of pages as rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import zstandard

from memory_structure.batch import Page
from memory_structure.parses import EntryLink, PageParse, ParsedEntry
from memory_structure.storage import Row, Transaction
from memory_structure.stored.moments import from_micros, optional_moment, to_micros
from memory_structure.stored.schema import PARSES
from memory_structure.urls import without_userinfo

_MAJOR: Final = 1000
_COMPRESSOR: Final = zstandard.ZstdCompressor(level=1)
_DECOMPRESSOR: Final = zstandard.ZstdDecompressor()
# Columns by position.
_SIGNATURE, _PARSED_AT, _UNCHANGED_SINCE = 6, 2, 3


def store_parses(
    transaction: Transaction, pages: Iterable[Page], fetched_before: Iterable[int], scores: dict[int, float]
) -> None:
    """Keep the parse of the last attempt of each page that was parsed; the others keep what they have.

    `fetched_before` are the ids of pages fetched earlier: theirs are compared with what was known. `scores`
    by page id, where there are some.
    """
    parsed = {page.page_id: page for page in pages if page.fetched.parse is not None}
    old = transaction.get(PARSES, [i for i in fetched_before if i in parsed])
    rows = [_row(page, old.get(i), scores.get(i)) for i, page in parsed.items()]
    if rows:
        transaction.put(PARSES, rows)


def _row(page: Page, old: Row | None, score: float | None) -> Row:
    parse = page.fetched.parse
    assert parse is not None
    signature = bytes.fromhex(parse.signature) or None
    unchanged = None
    if old is not None and signature is not None and old[_SIGNATURE] == signature:
        unchanged = old[_PARSED_AT] if old[_UNCHANGED_SINCE] is None else old[_UNCHANGED_SINCE]
    return (
        page.page_id,
        page.fetch_id,
        to_micros(page.fetch.fetched_at),
        unchanged,
        parse.major * _MAJOR + parse.minor,
        parse.parser,
        signature,
        bytes.fromhex(parse.text_profile) or None,
        score,
        _details(parse),
    )


def _details(parse: PageParse) -> bytes | None:
    """What most pages have nothing of, as JSON in a zstd frame; None when there is nothing."""
    # Most pages: one look instead of a dictionary.
    if not (
        parse.message
        or parse.metadata
        or parse.representative
        or parse.refresh
        or parse.dropped
        or parse.warnings
        or parse.entries
        or parse.media_type
    ):
        return None
    values = {
        "message": parse.message,
        "media_type": parse.media_type,
        "representative": without_userinfo(parse.representative),
        "refresh": None if parse.refresh is None else (without_userinfo(parse.refresh[0]), parse.refresh[1]),
        "metadata": parse.metadata,
        "dropped": parse.dropped,
        "warnings": parse.warnings,
        "entries": [_without_secrets(entry) for entry in parse.entries],
    }
    text = json.dumps({key: value for key, value in values.items() if value}, separators=(",", ":"))
    return _COMPRESSOR.compress(text.encode("ascii"))


def _without_secrets(entry: ParsedEntry) -> ParsedEntry:
    """The entry with no name and password in an address."""
    links = tuple(link._replace(url=without_userinfo(link.url)) for link in entry.links)
    return entry._replace(url=without_userinfo(entry.url), links=links)


def parse_of(row: Row) -> PageParse:
    """A parse as shown."""
    _, _, parsed_at, unchanged, status, parser, signature, profile, score, details = row
    found: dict[str, Any] = {} if details is None else json.loads(_DECOMPRESSOR.decompress(details))
    refresh = found.get("refresh")
    return PageParse(
        status // _MAJOR,
        status % _MAJOR,
        found.get("message", ""),
        parser,
        found.get("media_type", ""),
        "" if signature is None else signature.hex(),
        "" if profile is None else profile.hex(),
        found.get("representative", ""),
        None if refresh is None else (refresh[0], refresh[1]),
        _pairs(found.get("metadata", ())),
        tuple((reason, n) for reason, n in found.get("dropped", ())),
        tuple(found.get("warnings", ())),
        tuple(_entry(*values) for values in found.get("entries", ())),
        score,
        from_micros(parsed_at),
        optional_moment(unchanged),
    )


def _entry(url: str, title: str, text: str, language: str, metadata: Any, links: Any) -> ParsedEntry:
    return ParsedEntry(
        url, title, text, language, _pairs(metadata), tuple(EntryLink(*values) for values in links)
    )


def _pairs(values: Iterable[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in values)
