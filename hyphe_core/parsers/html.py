"""HTML and XHTML pages: one parse, one walk over the tree, then addresses are resolved."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TypeAlias
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from hyphe_core.parsers import tree
from hyphe_core.parsers.base import (
    MAX_ANCHOR_CHARACTERS,
    MAX_BASE_CHARACTERS,
    MAX_LINKS,
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    Alternate,
    Document,
    Link,
    Metadatum,
    Parser,
    ParseResult,
    Refresh,
    SchemeCount,
)
from hyphe_core.parsers.defusing import defuse
from hyphe_core.parsers.encoding import UTF_8, Encoding, decode, detect_encoding, encode
from hyphe_core.parsers.nutch_encoding import decode_as, detect_by_clues
from hyphe_core.parsers.profiles import RESEARCH, ParseProfile
from hyphe_core.parsers.refresh import read_refresh
from hyphe_core.parsers.robots_directives import merge_robots
from hyphe_core.parsers.rule_pages import read_by_rules
from hyphe_core.parsers.telling_metas import MAX_METADATA, metadatum_of, title_of
from memory_structure.records import Area, LinkKind
from memory_structure.urls import join_url

# Relations of `link` elements that lead to something like a page; style sheets and icons are not links.
PAGE_RELATIONS = frozenset(
    "alternate amphtml author bookmark first help hub last license me next prev previous search"
    " shortlink up".split()
)
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json"})
_WEB = ("http://", "https://")
# Elements that browsers take to go on behind such a tag, to the end of the page; Nutch does not.
_CLOSED_AT_ONCE = re.compile(rb"<(iframe|title|textarea)(\s[^<>]*[\s\"'])?/>", re.IGNORECASE)
_FRAME = re.compile(rb"<frame(?=[\s/>])", re.IGNORECASE)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_MAX_SCHEME_CHARACTERS = 32
_MAX_LANGUAGE_CHARACTERS = 35
_N_REMEMBERED = 8192  # addresses; some 3 MB
_LONG = 1000  # addresses from this length on are not remembered
# Nodes of a link that are read for its anchor: links can be nested thousands deep by way of `object`.
_MAX_ANCHOR_NODES = 500


class HtmlParser(Parser):
    """Reads HTML by a profile; XHTML goes the same way, since real XHTML is seldom well-formed."""

    media_types = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")

    name = "html"
    url_suffixes = (".html", ".htm", ".xhtml")
    roots = ("html", "{http://www.w3.org/1999/xhtml}html")

    def __init__(self, profile: ParseProfile = RESEARCH) -> None:
        self._profile = profile

    def for_profile(self, profile: ParseProfile) -> HtmlParser:
        """A parser of the profile."""
        return self if profile is self._profile else HtmlParser(profile)

    def parse(self, document: Document) -> ParseResult:
        """Links in document order with those of `link` elements and of `noscript` among them."""
        encoding = self._encoding_of(document)
        if encoding.name == UTF_8:
            markup = document.body.removeprefix(codecs.BOM_UTF8)
        else:
            decoded = (decode_as if self._profile.by_rules else decode)(document.body, encoding.name)
            markup = decoded.encode("utf-8", "replace")
        if self._profile.by_rules:
            markup = _CLOSED_AT_ONCE.sub(rb"<\1\2></\1>", markup)
        markup, warning = defuse(markup)
        warnings = tuple(filter(None, (encoding.warning, warning)))
        try:
            root = LexborHTMLParser(markup).root
        except (SelectolaxError, RuntimeError) as error:
            return _empty_result(document, encoding, (*warnings, f"unreadable HTML: {error}"))
        if root is None:
            return _empty_result(document, encoding, warnings)
        if self._profile.by_rules:
            root = _with_lost_frames(root, markup)
            return read_by_rules(root, document, self._profile, encoding, warnings)
        reader = _PageReader(document, with_roles=b"role" in markup.lower())
        reader.read(root)
        return reader.result(encoding, warnings)

    def _encoding_of(self, document: Document) -> Encoding:
        if self._profile.by_rules:
            return detect_by_clues(document.body, document.content_type, self._profile.min_confidence)
        return detect_encoding(document.body, document.content_type)


def _with_lost_frames(root: LexborNode, markup: bytes) -> LexborNode:
    """The tree, or one in which frames outside of a frameset, which the parser leaves out, are `source`
    elements: resources that no browser shows."""
    if not _FRAME.search(markup) or root.css_first("frame") is not None:
        return root
    return LexborHTMLParser(_FRAME.sub(b"<source", markup)).root or root


def _empty_result(document: Document, encoding: Encoding, warnings: tuple[str, ...]) -> ParseResult:
    return ParseResult(
        base_url=document.url,
        robots=merge_robots([], document),
        encoding=encoding.name,
        encoding_source=encoding.source,
        warnings=warnings,
    )


# A link before its address is resolved: href, kind, anchor, rel, area. A plain tuple: it is made often.
_Found: TypeAlias = tuple[str, LinkKind, str, str, Area]


class _PageReader:
    """What one walk over a page's tree finds. Addresses stay as written until the base is known."""

    __slots__ = (
        "_agent_token",
        "_alternates",
        "_areas",
        "_base_href",
        "_canonical",
        "_document",
        "_found",
        "_language",
        "_language_meta",
        "_metadata",
        "_n_cut",
        "_refresh",
        "_robots",
        "_text",
        "_title",
    )

    def __init__(self, document: Document, with_roles: bool) -> None:
        self._document = document
        self._agent_token = document.agent_token.lower()
        self._areas = tree.AreaFinder(with_roles)
        self._found: list[_Found] = []
        self._n_cut = 0
        self._base_href: str | None = None
        self._title: str | None = None
        self._canonical: str | None = None
        self._refresh: tuple[str, float] | None = None
        self._robots: list[str] = []
        self._alternates: list[tuple[str, str]] = []
        self._language = ""
        self._language_meta = ""
        self._metadata: list[Metadatum] = []
        self._text = ""

    # -- the walk -------------------------------------------------------
    def read(self, root: LexborNode) -> None:
        """Walk the whole tree once. It must not change meanwhile: areas are remembered by node."""
        self._language = _tag_of_language(_first_of(root.attributes, "lang", "xml:lang"))
        handlers = {
            tree.A: self._on_a,
            tree.AREA: self._on_area,
            tree.IFRAME: self._on_frame,
            tree.FRAME: self._on_frame,
            tree.LINK: self._on_link,
            tree.META: self._on_meta,
            tree.BASE: self._on_base,
            tree.TITLE: self._on_title,
            tree.NOSCRIPT: self._on_noscript,
        }
        self._text = tree.gather_text(tree.walk(root), handlers)[:MAX_TEXT_CHARACTERS]

    def _on_a(self, node: LexborNode) -> None:
        attributes = node.attributes
        if "href" not in attributes:
            return
        found = self._found
        if len(found) >= MAX_LINKS:
            self._n_cut += 1
            return
        rel = attributes.get("rel")
        anchor = tree.gather_anchor(node, _MAX_ANCHOR_NODES)[:MAX_ANCHOR_CHARACTERS]
        rel = fold_rel(rel) if rel else ""
        area = self._areas.area_of(node)
        found.append((attributes["href"] or "", LinkKind.HYPERLINK, anchor, rel, area))

    def _on_area(self, node: LexborNode) -> None:
        attributes = node.attributes
        if "href" in attributes:
            rel = fold_rel(attributes.get("rel") or "")
            self._add(node, attributes["href"] or "", LinkKind.HYPERLINK, attributes.get("alt"), rel)

    def _on_frame(self, node: LexborNode) -> None:
        attributes = node.attributes
        src = attributes.get("src")
        if src and not src.isspace():  # an empty frame shows about:blank
            self._add(node, src, LinkKind.FRAME, attributes.get("title"), "")

    def _on_link(self, node: LexborNode) -> None:
        attributes = node.attributes
        href = attributes.get("href")
        if not href or href.isspace():
            return
        rel = fold_rel(attributes.get("rel") or "")
        relations = rel.split()
        if "canonical" in relations and self._canonical is None:
            self._canonical = href
        if "stylesheet" in relations or PAGE_RELATIONS.isdisjoint(relations):
            return
        if "alternate" in relations and attributes.get("hreflang"):
            self._alternates.append((_tag_of_language(attributes["hreflang"]), href))
        media_type = (attributes.get("type") or "").partition(";")[0].strip().lower()
        is_feed = "alternate" in relations and media_type in _FEED_TYPES
        self._add(node, href, LinkKind.FEED if is_feed else LinkKind.HEAD, attributes.get("title"), rel)

    def _on_meta(self, node: LexborNode) -> None:
        attributes = node.attributes
        content = attributes.get("content")
        if not content:
            return
        name = (attributes.get("name") or "").strip().lower()
        if name and (name == "robots" or name == self._agent_token):
            self._robots.append(content)
        elif len(self._metadata) < MAX_METADATA:
            found = metadatum_of(name or (attributes.get("property") or "").strip().lower(), content)
            if found is not None:
                self._metadata.append(found)
        pragma = (attributes.get("http-equiv") or "").strip().lower()
        if pragma == "refresh" and self._refresh is None:
            self._refresh = read_refresh(content)
        elif pragma == "content-language" and not self._language_meta:
            self._language_meta = _tag_of_language(content)

    def _on_base(self, node: LexborNode) -> None:
        attributes = node.attributes
        if self._base_href is None and "href" in attributes:
            self._base_href = attributes["href"] or ""

    def _on_title(self, node: LexborNode) -> None:
        if self._title is None:
            parent = node.parent
            if parent is None or parent.tag_id != tree.SVG:
                self._title = tree.fold(node.text())[:MAX_TITLE_CHARACTERS]

    def _on_noscript(self, node: LexborNode) -> None:
        """Content for readers without scripts: its links count, its directives and text do not."""
        handlers = {tree.A: self._on_a, tree.AREA: self._on_area, tree.IFRAME: self._on_frame}
        for inner in islice(node.traverse(), 1, None):
            handler = handlers.get(inner.tag_id)
            if handler is not None:
                handler(inner)

    def _add(self, node: LexborNode, href: str, kind: LinkKind, label: str | None, rel: str) -> None:
        if len(self._found) >= MAX_LINKS:
            self._n_cut += 1
            return
        anchor = tree.fold(label)[:MAX_ANCHOR_CHARACTERS] if label else ""
        self._found.append((href, kind, anchor, rel, self._areas.area_of(node)))

    # -- the result -----------------------------------------------------
    def result(self, encoding: Encoding, warnings: tuple[str, ...]) -> ParseResult:
        """Resolve what was found against the base."""
        base, base_warning = self._base_url()
        if encoding.name != UTF_8:
            name = encoding.name
            self._found = [(encode_query(found[0], name), *found[1:]) for found in self._found]
        links, schemes = _resolve(self._found, base)
        return ParseResult(
            base_url=base,
            title=self._title or title_of(self._metadata),
            text=self._text,
            links=links,
            canonical=_find_web_url(base, self._canonical),
            robots=merge_robots(self._robots, self._document),
            refresh=self._resolved_refresh(base),
            language=self._language or self._header_language() or self._language_meta,
            alternates=self._resolved_alternates(base),
            encoding=encoding.name,
            encoding_source=encoding.source,
            n_links_cut=self._n_cut,
            n_links_by_scheme=schemes,
            warnings=(*warnings, base_warning) if base_warning else warnings,
            metadata=tuple(self._metadata),
        )

    def _base_url(self) -> tuple[str, str]:
        """(base of the page's addresses, warning): the first base element's if of the web, else the page."""
        url = self._document.url
        if self._base_href is None:
            return url, ""
        base = join_url(url, self._base_href)
        is_believed = base.startswith(_WEB) and len(base) <= MAX_BASE_CHARACTERS
        return (base, "") if is_believed else (url, "base href ignored")

    def _resolved_refresh(self, base: str) -> Refresh | None:
        if self._refresh is None:
            return None
        url = _find_web_url(base, self._refresh[0])
        return None if url is None else Refresh(url, self._refresh[1])

    def _resolved_alternates(self, base: str) -> tuple[Alternate, ...]:
        if not self._alternates:
            return ()
        resolved = ((language, _find_web_url(base, href)) for language, href in self._alternates)
        return tuple(Alternate(language, url) for language, url in resolved if url is not None and language)

    def _header_language(self) -> str:
        for value in self._document.list_header_values("content-language"):
            if language := _tag_of_language(value):
                return language
        return ""


def _resolve(found: list[_Found], base: str) -> tuple[tuple[Link, ...], tuple[SchemeCount, ...]]:
    """Links of the web with absolute addresses, and counts of the others by scheme."""
    links: list[Link] = []
    schemes: Counter[str] = Counter()
    root = join_url(base, "/")
    joined, new_link = _remembered_join, tuple.__new__  # tuple.__new__ is half the cost of Link(...)
    for href, kind, anchor, rel, area in found:
        # What a site's pages share are the addresses that do not depend on the page.
        if (href[:1] == "/" or href.startswith(_WEB)) and len(href) < _LONG:
            url, scheme = joined(root, href)
        else:
            url, scheme = _join(base, href)
        if scheme is None:
            links.append(new_link(Link, (url, kind, anchor, rel, area)))
        else:
            schemes[scheme[:_MAX_SCHEME_CHARACTERS]] += 1
    counts = tuple(SchemeCount(scheme, n) for scheme, n in sorted(schemes.items())) if schemes else ()
    return tuple(links), counts


def _join(base: str, href: str) -> tuple[str, str | None]:
    """(absolute address, its scheme when that is not of the web)."""
    url = join_url(base, href)
    if url.startswith(_WEB):
        return url, None
    match = _SCHEME.match(url)
    scheme = match[1].lower() if match else ""
    # Malformed addresses of the web are refused later, with a reason.
    return url, None if scheme in ("http", "https") else scheme


_remembered_join = lru_cache(maxsize=_N_REMEMBERED)(_join)


@lru_cache(maxsize=512)
def fold_rel(rel: str) -> str:
    """The distinct tokens of a rel attribute in lower case, sorted, joined by a space."""
    return " ".join(sorted(set(rel.lower().split())))


def encode_query(href: str, encoding: str) -> str:
    """The address with non-ASCII characters of its query percent-encoded in the page's encoding ."""
    if href.isascii() or "?" not in href or encoding.startswith("utf-16"):
        return href
    before, mark, rest = href.partition("?")
    query, hash_mark, fragment = rest.partition("#")
    encoded = _NON_ASCII.sub(lambda match: quote(encode(match[0], encoding), safe=""), query)
    return before + mark + encoded + hash_mark + fragment


def _first_of(attributes: dict[str, str | None], *names: str) -> str:
    return next((value for name in names if (value := attributes.get(name))), "")


def _tag_of_language(value: str | None) -> str:
    """The first language tag of a value, in lower case."""
    return (value or "").partition(",")[0].strip().lower()[:_MAX_LANGUAGE_CHARACTERS]


def _find_web_url(base: str, href: str | None) -> str | None:
    """The absolute address, None when there is none or it leads to another scheme."""
    if href is None:
        return None
    url = join_url(base, href)
    return url if url.startswith(_WEB) else None
