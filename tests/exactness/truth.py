"""What a right crawl of the test web must have stored, derived from the web and the rules of following.

The rules: depth is the fewest clicks from the site's home; redirects and immediate refreshes keep the depth;
links are followed from whole 200 (X)HTML answers, unless the page says nofollow; a target outside the site is
never fetched; a page robots.txt forbids is a record with the error `robots`; an unreadable answer is a record
with its error.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from tests.testweb import ERRORS, FILES, KINDS, REDIRECTS, TRACK, Web

NOFOLLOW = {"nofollow", "xrobots"}


@dataclass
class Expected:
    """Records by page id of the test web; links as URL pairs; folded weights by site (or outside host)."""

    outcome: dict[int, tuple[str, str]] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=dict)
    redirect: dict[int, str] = field(default_factory=dict)
    links: set[tuple[str, str]] = field(default_factory=set)
    attempts: dict[int, int] = field(default_factory=dict)


def key_url(url: str) -> str:
    """The URL as the product shows a page's key: no tracking parameters, no lone slash behind the host."""
    url = url.removesuffix(TRACK)
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    if slash and not path:
        return f"{scheme}://{host}"
    if slash and path.startswith("?"):
        return f"{scheme}://{host}{path}"
    return url


def outcome(web: Web, page: int) -> tuple[str, str]:
    """(status, error) as the pages export writes them."""
    if not web.allowed(page):
        return "", "robots"
    kind = web.kind[page]
    if web.stall and kind == "hang":
        return "", "timeout"
    if web.stall and kind == "cut":
        return "200", "truncated"
    return str(KINDS[kind][1]), ""


def n_attempts(web: Web, page: int, n_retries: int) -> int:
    """How often the page is asked for: server errors, time-outs and cut bodies are retried."""
    if not web.allowed(page):
        return 0
    kind = web.kind[page]
    retried = kind in ("crash", "busy") or (web.stall and kind in ("hang", "cut"))
    return 1 + n_retries if retried else 1


def stored_links(web: Web, page: int) -> list[tuple[str, int | None]]:
    """Links the page's answer yields, as (key URL, page id or None), without links to itself."""
    kind = web.kind[page]
    _, error = outcome(web, page)
    if error or kind in FILES:
        return []
    found: dict[str, int | None] = {}
    if kind in REDIRECTS:
        found[key_url(web.url(web.target[page]))] = web.target[page]
    else:
        for url, target in web.page_links(page):
            found[key_url(url)] = (
                web.index.get(url.removesuffix(TRACK)[7:].encode()) if target is None else target
            )
        if kind == "refresh":
            found[key_url(web.url(web.target[page]))] = web.target[page]
    found.pop(key_url(web.url(page)), None)
    return list(found.items())


def steps(web: Web, page: int, site: int) -> list[tuple[int, int]]:
    """(target page, cost in clicks) of what is followed from a page, inside its site."""
    kind = web.kind[page]
    _, error = outcome(web, page)
    if error:
        return []
    moves: list[tuple[int, int]] = []
    if kind in REDIRECTS or kind == "refresh":
        moves.append((web.target[page], 0))
    if kind not in FILES and kind not in REDIRECTS and kind not in ERRORS and kind not in NOFOLLOW:
        moves += [(t, 1) for _, t in stored_links(web, page) if t is not None]
    return [(t, cost) for t, cost in moves if web.site_of[t] == site]


def expected(web: Web, max_depth: int, n_retries: int = 2) -> Expected:
    """The right result of crawling every site from its home."""
    result = Expected()
    for index, site in enumerate(web.sites):
        depth = {site.first: 0}
        wave = deque([site.first])
        while wave:
            page = wave.popleft()
            for target, cost in steps(web, page, index):
                reached = depth[page] + cost
                if reached <= max_depth and reached < depth.get(target, max_depth + 1):
                    depth[target] = reached
                    (wave.append if cost else wave.appendleft)(target)
        result.depth.update(depth)
        for page in depth:
            _record(web, page, n_retries, result)
    return result


def _record(web: Web, page: int, n_retries: int, result: Expected) -> None:
    result.outcome[page] = outcome(web, page)
    result.attempts[page] = n_attempts(web, page, n_retries)
    _, error = result.outcome[page]
    if web.kind[page] in REDIRECTS and not error:
        result.redirect[page] = key_url(web.url(web.target[page]))
    source = key_url(web.url(page))
    result.links.update((source, target) for target, _ in stored_links(web, page))
