"""Links of the test web's pages, against the truth that the test web tells about itself."""

from __future__ import annotations

from collections import Counter

from hyphe_core.parsers.base import Document, ParseResult
from hyphe_core.parsers.links import merge_links
from hyphe_core.parsers.registry import ParserRegistry, default_registry
from memory_structure.records import LinkKind
from memory_structure.url_cutter import UrlCutter
from tests.testweb import FILES, KINDS, REDIRECTS, Web

N_PAGES = 300
FOLLOWED = (LinkKind.HYPERLINK, LinkKind.FRAME)


def sample(web: Web) -> list[int]:
    """Every page of a rare kind, and home pages and others up to `N_PAGES`."""
    readable = [page for page in range(web.total) if web.kind[page] not in FILES | REDIRECTS]
    rare = [page for page in readable if web.kind[page] not in ("html", "big")]
    return (rare + [page for page in readable if web.kind[page] == "html"])[:N_PAGES]


def parse(registry: ParserRegistry, web: Web, page: int) -> ParseResult:
    content_type = KINDS[web.kind[page]][2] or None
    headers = (("x-robots-tag", "noindex, nofollow"),) if web.kind[page] == "xrobots" else ()
    return registry.parse(Document(web.url(page), web.body(page), content_type, headers))


def test_links_of_the_wild_test_web_are_exact() -> None:
    web = Web(sites=40, pages=1500, seed=3, profile="wild", kb=4, stall=False)
    registry = default_registry()
    kinds: Counter[str] = Counter()
    for page in sample(web):
        links = parse(registry, web, page).links
        found = {link.url.partition("#")[0] for link in links if link.kind in FOLLOWED}
        assert found == {url for url, _ in web.page_links(page)}, (web.kind[page], web.url(page))
        kinds[web.kind[page]] += 1
    assert kinds.total() == N_PAGES
    assert {"latin1", "latin1meta", "cp1252", "mislabeled", "broken", "basehref", "xhtml", "notype"} <= set(
        kinds
    )


def test_facts_of_the_wild_test_web() -> None:
    web = Web(sites=40, pages=1500, seed=3, profile="wild", kb=4, stall=False)
    registry = default_registry()
    for page in sample(web):
        kind = web.kind[page]
        if kind in ("missing", "gone", "forbidden", "crash", "busy"):
            continue
        result = parse(registry, web, page)
        assert result.language == "fr"
        assert result.robots.follow is (kind not in ("nofollow", "xrobots"))
        assert result.robots.index is (kind not in ("noindex", "xrobots"))
        assert (result.refresh is not None) is (kind == "refresh")
        assert result.canonical == web.url(web.parent[page] if kind == "canonical" else page)
        assert bool(result.title) is (kind != "notitle")
        assert "Lire aussi" in result.text
        assert "faux" not in result.text
        assert dict(result.n_links_by_scheme) == {"javascript": 1, "mailto": 1, "tel": 1}


def test_titles_and_text_are_right_in_every_encoding() -> None:
    web = Web(sites=40, pages=1500, seed=3, profile="wild", kb=4, stall=False)
    registry = default_registry()
    for page in sample(web):
        if web.kind[page] not in ("latin1", "latin1meta", "cp1252", "xhtml", "html"):
            continue
        markup, _ = web.html(page)
        title = markup.partition("<title>")[2].partition("</title>")[0]
        assert parse(registry, web, page).title == title


def test_merged_links_count_every_link_once() -> None:
    web = Web(sites=20, pages=400, seed=5, profile="clean", kb=2)
    cutter = UrlCutter()
    registry = default_registry()
    for page in range(0, web.total, 7):
        result = parse(registry, web, page)
        merged = merge_links(cutter.lru(web.url(page)), result.links, cutter)
        assert sum(link.count for link in merged.links) + merged.n_self_links == len(result.links)
        assert merged.n_bad_links == 0
        assert len({(link.target_lru, link.kind) for link in merged.links}) == len(merged.links)
