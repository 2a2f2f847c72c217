"""The result of a page read by rules (see `rule_walk`): addresses resolved, bans of the page applied."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from selectolax.lexbor import LexborNode

from hyphe_core.parsers import tree
from hyphe_core.parsers.base import (
    MAX_BASE_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    SUCCESS,
    Document,
    Link,
    Metadatum,
    ParseResult,
    ParseStatus,
    Refresh,
    RobotsDirectives,
)
from hyphe_core.parsers.encoding import Encoding
from hyphe_core.parsers.profiles import ParseProfile
from hyphe_core.parsers.robots_directives import merge_robots
from hyphe_core.parsers.rule_walk import FoundLink, RuleReader
from hyphe_core.parsers.statuses import redirected
from hyphe_core.parsers.url_rules.addresses import MalformedUrl, resolve

CACHING_FORBIDDEN = "caching.forbidden"
_WEB = ("http://", "https://")
_N_REMEMBERED = 8192
_LONG = 1000  # addresses from this length on are not remembered
_BASES = (*_WEB, "ftp://", "file:")


def read_by_rules(
    root: LexborNode, document: Document, profile: ParseProfile, encoding: Encoding, warnings: tuple[str, ...]
) -> ParseResult:
    """Result of a page whose tree is `root`.

    Links are absolute and not normalised; those of unknown schemes are dropped. A refresh, also of the page
    by itself, makes the status a redirect. Anchors keep the line breaks of blocks.
    """
    reader = RuleReader(profile, document.agent_token)
    reader.read(root)
    robots = merge_robots(reader.robots, document)
    if reader.forbids_caching:
        robots = replace(robots, archive=False)
    base = _base_url(document.url, reader.base_hrefs)
    refresh = _resolved_refresh(document.url, base, reader)
    shows_text = robots.index or not profile.empties_text_of_noindex_pages
    shows_links = robots.follow or not profile.drops_links_of_nofollow_pages
    return ParseResult(
        base_url=base,
        title=(reader.title or "")[:MAX_TITLE_CHARACTERS] if shows_text else "",
        text=reader.text if shows_text else "",
        links=_resolved_links(base, reader.found) if shows_links else (),
        canonical=_find_web_url(base, reader.canonical),
        robots=robots,
        refresh=refresh,
        language=(root.attributes.get("lang") or "").strip().lower(),
        encoding=encoding.name,
        encoding_source=encoding.source,
        n_links_cut=reader.n_links_cut,
        warnings=warnings,
        status=_status_of(refresh),
        metadata=_metadata(reader, robots, profile),
    )


def _status_of(refresh: Refresh | None) -> ParseStatus:
    return SUCCESS if refresh is None else redirected(refresh.url)


def _metadata(reader: RuleReader, robots: RobotsDirectives, profile: ParseProfile) -> tuple[Metadatum, ...]:
    if robots.archive:
        return tuple(reader.metadata)
    return (*reader.metadata, Metadatum(CACHING_FORBIDDEN, profile.caching_policy))


def _base_url(page_url: str, hrefs: list[str]) -> str:
    """Base of the page's addresses: the first base element of its head; a broken one does not count."""
    if not hrefs:
        return page_url
    base = _find_url(page_url, hrefs[0])
    is_believed = base is not None and base.startswith(_BASES) and len(base) <= MAX_BASE_CHARACTERS
    return base if base is not None and is_believed else page_url


def _resolved_links(base: str, found: list[FoundLink]) -> tuple[Link, ...]:
    areas = tree.AreaFinder(with_roles=False)
    links: list[Link] = []
    root = _find_url(base, "/") or base
    for href, anchor, rel, element, node in found:
        # What a site's pages share are the addresses that do not depend on the page.
        if (href[:1] == "/" or href.startswith(_WEB)) and len(href) < _LONG:
            url = _remembered_url(root, href)
        else:
            url = _find_url(base, href)
        if url is None:
            continue
        links.append(
            Link(url, element.kind, anchor, " ".join(sorted(set(rel.lower().split()))), areas.area_of(node))
        )
    return tuple(links)


def _find_url(base: str, href: str) -> str | None:
    try:
        return resolve(base, href)
    except MalformedUrl:
        return None


_remembered_url = lru_cache(maxsize=_N_REMEMBERED)(_find_url)


def _resolved_refresh(page_url: str, base: str, reader: RuleReader) -> Refresh | None:
    if reader.delay_seconds is None:
        return None
    if not reader.refresh_href:
        return Refresh(page_url, reader.delay_seconds)
    url = _find_web_url(base, reader.refresh_href)
    return None if url is None else Refresh(url, reader.delay_seconds)


def _find_web_url(base: str, href: str | None) -> str | None:
    url = None if href is None else _find_url(base, href)
    return url if url is not None and url.startswith(_WEB) else None
