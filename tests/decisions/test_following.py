"""Decisions about links: which are stored, which are followed, and at what depth. A test for each, by its
name."""

from __future__ import annotations

from itertools import permutations

import pytest

from memory_structure.lru import url_to_lru
from memory_structure.records import NETWORK_KINDS, Area, EndReason, FetchError, LinkKind
from tests.decisions.conftest import MakeCrawl
from tests.decisions.small_crawl import Reply, html, moved, silence

HOME = "http://site.example"


def test_what_is_followed(make_crawl: MakeCrawl) -> None:
    """a, area, frame and iframe of whole 200 (X)HTML answers; never <link>, other types, error answers."""
    frames = "<map><area href=/area></map><iframe src=/iframe></iframe><a rel=nofollow href=/rel>x</a>"
    sorts = {
        "xhtml": Reply(
            b"<html xmlns='http://www.w3.org/1999/xhtml'><body><a href='/from-xhtml'>x</a></body></html>",
            headers={"content-type": "application/xhtml+xml"},
        ),
        "untyped": Reply(html("/from-untyped").body, headers={}),
        "frameset": Reply(
            b"<!doctype html><frameset><frame src=/from-frame></frameset>",
            headers={"content-type": "text/html"},
        ),
        "plain": html("/never-1", content_type="text/plain"),
        "feed": Reply(
            b"<rss version='2.0'><channel><item><link>http://site.example/never-2</link></item></channel></rss>",
            headers={"content-type": "application/rss+xml"},
        ),
        "gone": html("/never-3", status=404),
        "partial": html("/never-4", status=206),
        "meta": html("/never-5", head="<meta name=robots content=nofollow>"),
        "header": html("/never-6", x_robots_tag="nofollow"),
    }
    home = html(
        *(f"/{name}" for name in sorts),
        head="<link rel=alternate href=/never-7><link rel=stylesheet href=/never-8>",
        body=frames,
    )
    crawl = make_crawl({HOME: home} | {f"{HOME}/{name}": reply for name, reply in sorts.items()})
    crawl.crawl(HOME, depth=2)
    followed = {"area", "iframe", "rel", "from-xhtml", "from-untyped", "from-frame"}
    assert crawl.depths().keys() == {HOME} | {f"{HOME}/{name}" for name in followed | sorts.keys()}
    for name, target in [("gone", 3), ("partial", 4), ("meta", 5), ("header", 6)]:
        assert crawl.targets(f"{HOME}/{name}") == [f"{HOME}/never-{target}"], "stored, not followed"
    relations = {link.target_lru: link.rel for link in crawl.links(HOME)}
    assert relations[url_to_lru(f"{HOME}/rel")] == "nofollow"


def test_what_is_followed_when_robots_are_not_obeyed(make_crawl: MakeCrawl) -> None:
    web = {HOME: html("/a", head="<meta name=robots content=nofollow>"), f"{HOME}/a": html()}
    crawl = make_crawl(web)
    crawl.crawl(HOME, obey_robots=False)
    assert crawl.depths() == {HOME: 0, f"{HOME}/a": 1}


@pytest.mark.parametrize("seconds", list(permutations((0.1, 1.0, 10.0))))
def test_depth(make_crawl: MakeCrawl, seconds: tuple[float, float, float]) -> None:
    """Fewest clicks, whatever the order of answers; a shorter way expands stored links, without a fetch."""
    pages = {
        "long": html("/longer", seconds=seconds[0]),
        "longer": html("/end", seconds=seconds[1]),
        "short": html("/end", seconds=seconds[2]),
        "end": html("/behind"),
        "behind": html("/too-far"),
        "too-far": html(),
    }
    web = {HOME: html("/long", "/short")} | {f"{HOME}/{name}": page for name, page in pages.items()}
    crawl = make_crawl(web)
    crawl.crawl(HOME, depth=3, per_host=4)
    expected = {"long": 1, "short": 1, "longer": 2, "end": 2, "behind": 3}
    assert crawl.depths() == {HOME: 0} | {f"{HOME}/{name}": depth for name, depth in expected.items()}
    assert all(crawl.n_asked(url) == 1 for url in crawl.depths())


def test_depth_is_lowered_when_a_shorter_way_appears_late(make_crawl: MakeCrawl) -> None:
    web = {
        HOME: html("/long", "/short"),
        f"{HOME}/long": html("/longer"),
        f"{HOME}/longer": html("/end"),
        f"{HOME}/short": html("/end", seconds=100.0),
        f"{HOME}/end": html("/behind"),
    }
    crawl = make_crawl(web)
    crawl.crawl(HOME, depth=3, per_host=4)
    assert crawl.depths()[f"{HOME}/end"] == 2
    assert crawl.depths()[f"{HOME}/behind"] == 3
    ended = {asked.url: asked.ended for asked in crawl.asked}
    assert ended[f"{HOME}/end"] < ended[f"{HOME}/short"], "it was fetched by the longer way"
    assert crawl.n_asked(f"{HOME}/end") == 1


def test_redirect(make_crawl: MakeCrawl) -> None:
    """A redirecting URL is a page with one link of kind redirect; the depth stays, scope and robots count."""
    web = {
        HOME: html("/one", "/out", "/no", "/refresh"),
        f"{HOME}/one": moved("/two", 302),
        f"{HOME}/two": moved("/three", 308),
        f"{HOME}/three": html(),
        f"{HOME}/out": moved("http://other.example/landing"),
        f"{HOME}/no": moved("/private/x"),
        f"{HOME}/refresh": html("/beside", head="<meta http-equiv=refresh content='0; url=/refreshed'>"),
        f"{HOME}/refreshed": html("/behind"),
    }
    crawl = make_crawl(web, {"site.example": b"User-agent: *\nDisallow: /private/\n"})
    crawl.crawl(HOME, depth=1)
    assert crawl.depths() == {HOME: 0} | {
        f"{HOME}/{name}": 1
        for name in ("one", "two", "three", "out", "no", "private/x", "refresh", "refreshed")
    }
    for source, target in [("one", "two"), ("two", "three")]:
        (link,) = crawl.links(f"{HOME}/{source}")
        assert (link.kind, link.target_lru) == (LinkKind.REDIRECT, url_to_lru(f"{HOME}/{target}"))
        assert crawl.fetch(f"{HOME}/{source}").redirect_lru == link.target_lru
    assert [crawl.fetch(f"{HOME}/{name}").status for name in ("one", "two", "three")] == [302, 308, 200]
    landing = crawl.page("http://other.example/landing")
    assert landing.fetch is None
    assert crawl.page(f"{HOME}/out").web_entity_id != landing.web_entity_id
    assert crawl.n_asked(landing.url) == 0
    assert crawl.fetch(f"{HOME}/private/x").error is FetchError.ROBOTS
    assert crawl.targets(f"{HOME}/refresh") == [f"{HOME}/beside", f"{HOME}/refreshed"]
    assert crawl.structure.web_entity_links() == [(1, landing.web_entity_id, 1)], "by the redirect"


def test_failed_attempts(make_crawl: MakeCrawl) -> None:
    """Each failure is stored for what it is and counts as done."""
    cut = Reply(b"<a href=/never>x</a>", error=FetchError.TRUNCATED)
    web = {
        HOME: html("/late", "/cut", "/no", "/broken", "/twice"),
        f"{HOME}/late": silence(FetchError.TIMEOUT),
        f"{HOME}/cut": cut,
        f"{HOME}/no": html(),
        f"{HOME}/broken": [html(status=500), html(status=502), html(status=503)],
        f"{HOME}/twice": [html(status=503), html("/ok")],
    }
    crawl = make_crawl(web, {"site.example": b"User-agent: *\nDisallow: /no\n"})
    job = crawl.crawl(HOME, depth=2)
    outcomes = {
        name: (crawl.fetch(f"{HOME}/{name}").status, crawl.fetch(f"{HOME}/{name}").error)
        for name in ("late", "cut", "no", "broken", "twice")
    }
    assert outcomes == {
        "late": (None, FetchError.TIMEOUT),
        "cut": (200, FetchError.TRUNCATED),
        "no": (None, FetchError.ROBOTS),
        "broken": (503, None),
        "twice": (200, None),
    }
    n_attempts = {name: len(crawl.structure.list_fetches(url_to_lru(f"{HOME}/{name}"))) for name in outcomes}
    assert n_attempts == {"late": 3, "cut": 3, "no": 1, "broken": 3, "twice": 2}
    fetch = crawl.fetch(f"{HOME}/cut")
    assert fetch.digest is not None
    assert crawl.registry.open_blobs("small").get(fetch.digest) == cut.body
    assert crawl.links(f"{HOME}/cut") == []
    assert (job.end, job.counters.n_pages) == (EndReason.COMPLETE, 7)
    assert (job.spec.timeout_seconds, job.spec.n_retries, job.spec.max_body_bytes) == (30, 2, 10 << 20)


def test_failed_attempts_without_an_answer_keep_the_earlier_links(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl({HOME: html("/a")})
    crawl.crawl(HOME, depth=0)
    crawl.web[url_to_lru(HOME)] = silence(FetchError.TIMEOUT)
    crawl.crawl(HOME, depth=0)
    assert crawl.fetch(HOME).error is FetchError.TIMEOUT
    assert crawl.targets(HOME) == [f"{HOME}/a"]
    crawl.web[url_to_lru(HOME)] = html("/b", status=404)
    crawl.crawl(HOME, depth=0)
    assert crawl.targets(HOME) == [f"{HOME}/b"], "an answer has links of its own, whatever its status"
    assert crawl.structure.check() == []


def test_page_link(make_crawl: MakeCrawl) -> None:
    """Identity (source, target, kind); count, first anchor, union of rel, nearest landmark; self counted."""
    body = (
        "<nav><a href=/a rel=me> </a></nav><aside><p><a href=/a rel='nofollow me'>First</a></aside>"
        "<a href=/a#part>Second</a><iframe src=/a></iframe><a href=/>self</a><a href='#top'>self</a>"
        "<div role=contentinfo><header><a href=/h>h</a></header></div><footer><a href=/f>f</a></footer>"
        "<div role=navigation><a href=/n>n</a></div><div><a href=/m>m</a></div>"
    )
    crawl = make_crawl({HOME: html(body=body, head="<link rel=license href=/a>")})
    crawl.crawl(HOME, depth=0)
    links = {(link.target_lru.split("|")[3], link.kind): link for link in crawl.links(HOME)}
    hyperlink = links["p:a", LinkKind.HYPERLINK]
    assert (hyperlink.count, hyperlink.anchor, hyperlink.rel) == (3, "First", "me nofollow")
    assert hyperlink.area is Area.NAV, "the area of its first appearance"
    assert {kind for name, kind in links if name == "p:a"} == {
        LinkKind.HYPERLINK,
        LinkKind.FRAME,
        LinkKind.HEAD,
    }
    areas = {name: link.area for (name, _), link in links.items() if name != "p:a"}
    assert areas == {"p:h": Area.HEADER, "p:f": Area.FOOTER, "p:n": Area.NAV, "p:m": Area.MAIN}
    assert crawl.fetch(HOME).n_self_links == 2


def test_links_in_networks(make_crawl: MakeCrawl) -> None:
    """Hyperlink, frame, redirect, refresh, rel=nofollow included; head and feed not; twins stay two pages."""
    body = (
        "<a href=http://a.example/x>1</a><a rel=nofollow href=http://b.example/>2</a>"
        "<iframe src=http://c.example/></iframe><a href=http://a.example/x>again</a>"
        "<a href=https://a.example/x>twin</a><a href=http://www.a.example/x>twin</a>"
    )
    head = (
        "<link rel=canonical href=http://canonical.example/><link rel=alternate href=http://d.example/s>"
        "<link rel=alternate type=application/rss+xml href=http://d.example/feed>"
        "<meta http-equiv=refresh content='3;url=http://e.example/'>"
    )
    web = {HOME: html("/moved", body=body, head=head), f"{HOME}/moved": moved("http://f.example/")}
    crawl = make_crawl(web)
    crawl.crawl(HOME, depth=1)
    ids = {name: crawl.page(f"http://{name}.example/{path}").web_entity_id for name, path in PAGES_OUTSIDE}
    network = {target: weight for source, target, weight in crawl.structure.web_entity_links() if source == 1}
    weights = {name: network.get(web_entity_id, 0) for name, web_entity_id in ids.items()}
    assert weights == {"a": 3, "b": 1, "c": 1, "d": 0, "e": 1, "f": 1}
    outside = [link.kind for link in crawl.links(HOME) if link.target_web_entity_id == ids["d"]]
    assert sorted(outside) == [LinkKind.HEAD, LinkKind.FEED]
    kinds = {LinkKind.HYPERLINK, LinkKind.FRAME, LinkKind.REDIRECT, LinkKind.REFRESH}
    assert kinds == NETWORK_KINDS
    assert crawl.fetch(HOME).canonical == "http://canonical.example/"
    assert "http://canonical.example" not in crawl.targets(HOME), "canonical is stored, never merged"
    twins = ("http://a.example/x", "https://a.example/x", "http://www.a.example/x")
    assert len({crawl.page(url).page_id for url in twins}) == 3


PAGES_OUTSIDE = [("a", "x"), ("b", ""), ("c", ""), ("d", "s"), ("e", ""), ("f", "")]


def test_one_fetch_per_key(make_crawl: MakeCrawl) -> None:
    """Spellings of one key are one page, asked for once; its URL is the key's readable form, raws are
    kept."""
    spellings = ["/caf%C3%A9", "/caf\u00e9", "/a/../caf%c3%a9", "/caf%C3%A9#part", "/caf%C3%A9?utm_source=x"]
    web = {HOME: html(*spellings, "http://SITE.example:80/other?fbclid=1"), f"{HOME}/caf%C3%A9": html()}
    crawl = make_crawl(web)
    crawl.crawl(HOME)
    assert sorted(crawl.depths()) == sorted([HOME, f"{HOME}/caf%C3%A9", f"{HOME}/other"])
    paths = [asked.url for asked in crawl.asked if "robots.txt" not in asked.url]
    assert len(paths) == 3
    links = {link.target_lru: link for link in crawl.links(HOME)}
    assert links[url_to_lru(f"{HOME}/caf%C3%A9")].count == len(spellings)
    other = links[url_to_lru(f"{HOME}/other")]
    assert other.raw is not None
    assert other.raw.endswith("/other?fbclid=1")
    assert crawl.page(f"{HOME}/other").url == f"{HOME}/other"


def test_limits(make_crawl: MakeCrawl) -> None:
    """URL 4,096 characters, title and anchor 1,024, 10,000 links a page, traps: what is cut is counted."""
    longest = f"{HOME}/".ljust(4096, "x")
    body = f"<a href='{longest}'>longest</a><a href='{longest}x'>too long</a><a href=/anchor>{'w' * 3000}</a>"
    many = "".join(f"<a href=/p{i}>p</a>" for i in range(10_005))
    deep = "/" + "/".join(f"s{i}" for i in range(26))
    web = {
        HOME: html("/many", "/r/r/r", "/r/r/s/r", deep, head=f"<title>{'t' * 3000}</title>", body=body),
        f"{HOME}/many": html(body=many),
    }
    web[HOME] = Reply(web[HOME].body.replace(b"<title>t</title>", b""), headers=web[HOME].headers)
    crawl = make_crawl(web)
    crawl.crawl(HOME, max_pages=4)
    home, crowded = crawl.fetch(HOME), crawl.fetch(f"{HOME}/many")
    assert (len(home.title), home.n_links_cut) == (1024, 1)
    anchors = {link.target_lru: link.anchor for link in crawl.links(HOME)}
    assert len(anchors[url_to_lru(f"{HOME}/anchor")]) == 1024
    assert (crowded.n_links, crowded.n_links_cut) == (10_000, 5)
    for path in ("/r/r/r", deep):
        assert crawl.fetch(HOME + path).error is FetchError.TRAP
        assert crawl.n_asked(HOME + path) == 0
    assert crawl.fetch(f"{HOME}/r/r/s/r").error is crawl.fetch(longest).error is None


def test_parser_profiles(make_crawl: MakeCrawl) -> None:
    """The crawl's own profile loses nothing: nofollow pages and links keep their links, childless anchors
    count, <link> is kept apart; encodings by mark, header, meta, statistics, UTF-8, windows-1252."""
    nofollow = html(
        body="<a rel=nofollow href=/kept>k</a><a href=/childless></a>",
        head="<meta name=robots content='noindex, nofollow'><link rel=next href=/head>",
    )
    word = "\u00e9t\u00e9 \u2019 "
    texts = {
        "mark": Reply(
            b"\xef\xbb\xbf<title>" + word.encode(), headers={"content-type": "text/html; charset=latin1"}
        ),
        "header": Reply(
            b"<meta charset=utf-8><title>" + word.encode("cp1252"),
            headers={"content-type": "text/html; charset=windows-1252"},
        ),
        "meta": Reply(b"<meta charset=windows-1252><title>" + word.encode("cp1252")),
        "utf8": Reply(b"<title>" + word.encode()),
        "fallback": Reply(b"<title>" + word.encode("cp1252")),
        "too-late": Reply(b"<!--" + b"-" * 8200 + b"--><meta charset=koi8-r><title>" + word.encode()),
    }
    web = {HOME: nofollow} | {f"{HOME}/{name}": reply for name, reply in texts.items()}
    crawl = make_crawl(web)
    crawl.crawl(HOME, *(f"{HOME}/{name}" for name in texts), depth=1)
    kinds = {link.target_lru.split("|")[3]: link.kind for link in crawl.links(HOME)}
    assert kinds == {"p:kept": LinkKind.HYPERLINK, "p:childless": LinkKind.HYPERLINK, "p:head": LinkKind.HEAD}
    assert f"{HOME}/kept" not in crawl.depths()
    titles = {name: crawl.fetch(f"{HOME}/{name}").title for name in texts}
    assert titles == dict.fromkeys(texts, word.strip())
    encodings = {name: crawl.fetch(f"{HOME}/{name}").encoding for name in texts}
    assert encodings == {
        "mark": "utf-8",
        "header": "windows-1252",
        "meta": "windows-1252",
        "utf8": "utf-8",
        "fallback": "windows-1252",
        "too-late": "utf-8",
    }
