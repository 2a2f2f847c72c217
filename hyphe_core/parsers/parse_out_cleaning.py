"""From what a stylesheet or a parser wrote down to a valid parse-out record.

Addresses are resolved and trimmed, those that are not of the web dropped, outlinks made distinct (first
place, first non-empty anchor), links to the document itself dropped, white space folded, empty fields and
illegal characters removed, everything cut to its limit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote

from hyphe_core.parsers.base import (
    MAX_ANCHOR_CHARACTERS,
    MAX_LINKS,
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    SUCCESS,
    Metadatum,
    ParseStatus,
    SchemeCount,
)
from hyphe_core.parsers.parse_out import FIELDS, Outlink, ParseOut, Redirection
from hyphe_core.parsers.sniff import OCTET_STREAM
from memory_structure.urls import join_url

MAX_FIELD_CHARACTERS: Final = 65_536
MAX_FIELD_VALUES: Final = 1000
MAX_META: Final = 1000
MAX_URL_CHARACTERS: Final = 4096
MAX_MESSAGE_CHARACTERS: Final = 500
# A stylesheet ends a line of the text with this character (PARAGRAPH SEPARATOR): line ends of the source mean
# nothing.
NEW_LINE: Final = "\u2029"

_LONG: Final = 400
_TO_BE_FOLDED: Final = ("\n", "\t", "\r", "\xa0", "\u2009", "\u3000", NEW_LINE, "  ")
CANONICAL: Final = "html.canonical"
"""The domain field that holds an address, relative as found."""

_N_REMEMBERED: Final = 16_384  # links; some 11 MB
_MAX_REMEMBERED_CHARACTERS: Final = 1000  # of one link
_WEB: Final = ("http://", "https://")
# Beginnings of references that give the same address in all documents of a host, as does a slash.
_SHARED: Final = (*_WEB, "mailto:", "javascript:", "tel:")
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WHITE_SPACE: Final = re.compile(r"[\s\x00-\x20\x7f]+")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_MEDIA_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_META_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,254}")
_NOT_IN_META_NAME: Final = re.compile(r"[^A-Za-z0-9_.:-]+")
_NMTOKEN: Final = re.compile(r"[A-Za-z0-9_:.\-]+")
_MAX_SCHEME_CHARACTERS: Final = 32


@dataclass(slots=True)
class RawParse:
    """A parse while it is made: values as found. `fields` by the name of the Dublin Core field.

    `is_legal`: all texts come out of a tree of XML, so no character in them is forbidden there. `is_folded`:
    white space of `text` is folded but for rare kinds, and it has one line.
    """

    link: str
    content_type: str
    status: ParseStatus = SUCCESS
    title: str = ""
    text: str = ""
    base: str = ""
    fields: dict[str, list[str]] = field(default_factory=dict)
    outlinks: list[Outlink] = field(default_factory=list)
    meta: list[Metadatum] = field(default_factory=list)
    redirect: Redirection | None = None
    is_legal: bool = False
    is_folded: bool = False

    def add(self, name: str, *values: str) -> None:
        """Add values to a Dublin Core field."""
        self.fields.setdefault(name, []).extend(values)

    def meta_value(self, name: str) -> str:
        """The first value of a domain field, "" when there is none."""
        return next((value for key, value in self.meta if key == name), "")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A record, with what was left out of it: links over the limit, and links that are not of the web."""

    parse: ParseOut
    n_links_cut: int = 0
    n_links_by_scheme: tuple[SchemeCount, ...] = ()


def clean(raw: RawParse) -> Cleaned:
    """The record of a parse. `raw.base` ("" = `raw.link`) is what relative addresses are joined to."""
    if not raw.is_legal:
        _make_legal(raw)
    link = clean_url(raw.link) or "about:blank"
    status = raw.status
    if status.message:
        status = status._replace(message=fold(status.message)[:MAX_MESSAGE_CHARACTERS])
    content_type = raw.content_type.lower()
    if not _MEDIA_TYPE.fullmatch(content_type):
        content_type = OCTET_STREAM
    # Any: all are tuples of texts, which the types of other fields are not.
    fields: dict[str, Any] = {
        name: _clean_field(name, values) for name, values in raw.fields.items() if name in FIELDS
    }
    meta = _clean_meta(raw.meta, raw.base or link)
    if not status.is_success:
        return Cleaned(replace(ParseOut(link, content_type, status, meta=meta), **fields))
    outlinks, n_cut, schemes = _clean_outlinks(raw, link)
    redirect = _clean_redirect(raw, link)
    parse = ParseOut(
        link,
        content_type,
        status,
        title=fold(raw.title)[:MAX_TITLE_CHARACTERS],
        redirect=redirect,
        text=_clean_text(raw)[:MAX_TEXT_CHARACTERS],
        outlinks=outlinks,
        meta=meta,
        **fields,
    )
    return Cleaned(parse, n_cut, schemes)


def fold(text: str) -> str:
    """The text with each run of white space as one blank, none at the ends."""
    # Of all white space the blank alone is printable: most short texts need no cutting. In long ones it is
    # quicker to look for the white space there is.
    if len(text) < _LONG:
        return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())
    if any(map(text.__contains__, _TO_BE_FOLDED)):
        return " ".join(text.split())
    return text.strip()


def fold_lines(text: str) -> str:
    """A text whose lines end with NEW_LINE: each folded, empty ones dropped, joined by line ends."""
    if NEW_LINE not in text:
        return fold(text)
    return "\n".join(filter(None, map(fold, filter(None, text.split(NEW_LINE)))))


def _clean_text(raw: RawParse) -> str:
    # Of short texts all white space is folded, of long ones what occurs.
    return raw.text.strip() if raw.is_folded and len(raw.text) >= _LONG else fold_lines(raw.text)


def _make_legal(raw: RawParse) -> None:
    """Remove characters that XML forbids; afterwards the parse is legal."""
    raw.title, raw.text = _legal(raw.title), _legal(raw.text)
    raw.status = raw.status._replace(message=_legal(raw.status.message))
    raw.fields = {name: list(map(_legal, values)) for name, values in raw.fields.items()}
    raw.outlinks = [link._replace(anchor=_legal(link.anchor)) for link in raw.outlinks]
    raw.meta = [Metadatum(name, _legal(value)) for name, value in raw.meta]
    raw.is_legal = True


def _legal(text: str) -> str:
    # Printable texts hold nothing that is forbidden; the search is ten times slower.
    return text if text.isprintable() else _ILLEGAL.sub("", text)


def clean_url(url: str) -> str:
    """The address without white space and within the limit; "" when it has no scheme or is too long."""
    if not (url.isascii() and url.isprintable() and " " not in url):
        url = _ILLEGAL.sub("", url.strip())
        if len(url) > MAX_URL_CHARACTERS:
            return ""
        url = _WHITE_SPACE.sub(lambda found: quote(found[0]), url)
    return url if len(url) <= MAX_URL_CHARACTERS and _SCHEME.match(url) else ""


def with_low_scheme(url: str) -> str:
    """The address with its scheme in lower case: HTTP and http are one (RFC 3986 3.1)."""
    match = _SCHEME.match(url)
    return match[0].lower() + url[match.end() :] if match else url


def _clean_field(name: str, values: list[str]) -> tuple[str, ...]:
    cleaned = (fold(value)[:MAX_FIELD_CHARACTERS] for value in values[:MAX_FIELD_VALUES])
    if name == "language":
        return _distinct(tag for value in cleaned if (tag := clean_language(value)))
    if name == "modified":
        return _distinct(cleaned)[:1]
    return _distinct(cleaned)


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    """The non-empty values, each at its first place."""
    return tuple(dict.fromkeys(value for value in values if value))


def clean_language(value: str) -> str:
    """A language tag of the shape of BCP 47, "" when the value is none."""
    tag = value.strip().replace("_", "-")
    return tag if _LANGUAGE.fullmatch(tag) else ""


def _clean_meta(meta: list[Metadatum], base: str) -> tuple[Metadatum, ...]:
    cleaned: list[Metadatum] = []
    for name, value in meta[:MAX_META]:
        if not _META_NAME.fullmatch(name):
            name = _NOT_IN_META_NAME.sub("-", name.strip()).lstrip("-.:")[:255]
        value = fold(value)[:MAX_FIELD_CHARACTERS]
        if name == CANONICAL:
            value = clean_url(join_url(base, value))
        if name and value:
            cleaned.append(Metadatum(name, value))
    return tuple(cleaned)


def _clean_redirect(raw: RawParse, link: str) -> Redirection | None:
    if raw.redirect is None:
        return None
    url = clean_url(join_url(raw.base or link, raw.redirect.url))
    return Redirection(url, max(0, raw.redirect.delay_seconds)) if url else None


def _clean_outlinks(raw: RawParse, link: str) -> tuple[tuple[Outlink, ...], int, tuple[SchemeCount, ...]]:
    base, itself = raw.base or link, link.partition("#")[0]
    found: dict[str, Outlink] = {}
    schemes: Counter[str] = Counter()
    n_cut = 0
    root = join_url(base, "/")
    seen: set[str] = set()  # addresses of links found
    settled: set[str] = set()  # with an anchor
    for href, anchor, element, rel in raw.outlinks:
        if href in settled or (not anchor and href in seen):
            continue
        # What documents of a site share are the addresses that do not depend on the document.
        is_shared = href[:1] == "/" or href.startswith(_SHARED)
        if is_shared and len(href) + len(anchor) + len(rel) < _MAX_REMEMBERED_CHARACTERS:
            outlink, scheme = _remembered_outlink(root, href, anchor, element, rel)
        else:
            outlink, scheme = _clean_outlink(base, href, anchor, element, rel)
        if scheme is not None:
            schemes[scheme] += 1
            continue
        url = outlink[0]
        earlier = found.get(url)
        if earlier is not None:
            if outlink[1] and not earlier[1]:
                found[url] = earlier._replace(anchor=outlink[1])
        elif not url or len(found) >= MAX_LINKS:
            n_cut += 1
            continue
        elif url != itself and not ("#" in url and url.partition("#")[0] == itself):
            found[url] = outlink
        seen.add(href)
        if outlink[1]:
            settled.add(href)
    schemes.pop("", None)
    counts = tuple(SchemeCount(scheme, n) for scheme, n in sorted(schemes.items())) if schemes else ()
    return tuple(found.values()), n_cut, counts


def _clean_outlink(base: str, href: str, anchor: str, element: str, rel: str) -> tuple[Outlink, str | None]:
    """(link, None) for what leads to the web, with an empty address when that is too long; else (an empty
    link, its scheme)."""
    url = join_url(base, href)
    if not url.startswith(_WEB):
        url = with_low_scheme(url)
        if not url.startswith(_WEB):
            return _NO_LINK, _scheme_of(url)
    anchor = fold(anchor)[:MAX_ANCHOR_CHARACTERS] if anchor else ""
    rel = _clean_tokens(rel) if rel else ""
    return Outlink(clean_url(url), anchor, _clean_token(element), rel), None


_NO_LINK: Final = Outlink("")
_remembered_outlink: Final = lru_cache(maxsize=_N_REMEMBERED)(_clean_outlink)


def _scheme_of(url: str) -> str:
    match = _SCHEME.match(url)
    return match[1].lower()[:_MAX_SCHEME_CHARACTERS] if match else ""


@lru_cache(maxsize=256)
def _clean_token(token: str) -> str:
    return token if _NMTOKEN.fullmatch(token) else ""


def _clean_tokens(tokens: str) -> str:
    return " ".join(token for token in tokens.split() if _NMTOKEN.fullmatch(token))
