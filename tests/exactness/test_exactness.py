"""A crawl of a web whose link graph is known must store exactly that graph, politely."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.exactness.crawling import asked, crawl_arguments, exported, hyphe, served_web
from tests.exactness.truth import Expected, expected, key_url
from tests.testweb import Web

NETWORK_KINDS = {"hyperlink", "frame", "redirect", "refresh"}


def compare_pages(web: Web, rows: list[dict[str, str]], truth: Expected) -> None:
    """Attempted pages with their outcomes, depths and redirect targets."""
    attempted = {row["url"]: row for row in rows if row["status"] or row["error"]}
    wanted = {key_url(web.url(page)): page for page in truth.outcome}
    assert attempted.keys() == wanted.keys()
    for url, page in wanted.items():
        row = attempted[url]
        assert (row["status"], row["error"]) == truth.outcome[page], (url, web.kind[page])
        assert int(row["depth"]) == truth.depth[page], (url, web.kind[page])
        if web.kind[page] != "refresh":
            assert row["redirect_url"] == truth.redirect.get(page, ""), (url, web.kind[page])


def compare_links(rows: list[dict[str, str]], truth: Expected) -> None:
    """Page links of the kinds that enter networks."""
    stored = {(row["source_url"], row["target_url"]) for row in rows if row["kind"] in NETWORK_KINDS}
    assert stored == truth.links


def site_key(web: Web, url: str) -> str:
    """The site a URL belongs to, or the host of a page outside this web."""
    pages = [web.index.get(key) for key in (url[7:].encode(), url[7:].encode() + b"/")]
    sites = [web.site_of[page] for page in pages if page is not None]
    return f"site {sites[0]}" if sites else url.split("/")[2]


def compare_network(web: Web, data_dir: Path, truth: Expected) -> None:
    """Links between web entities are the distinct page pairs folded by site."""
    pages = exported(data_dir, "pages")
    entity_of = {row["url"]: row["web_entity_id"] for row in pages}
    folded: Counter[tuple[str, str]] = Counter()
    for source, target in truth.links:
        if entity_of[source] != entity_of[target]:
            folded[entity_of[source], entity_of[target]] += 1
    stored = {(row["Source"], row["Target"]): int(row["Weight"]) for row in exported(data_dir, "network")}
    assert stored == dict(folded)
    by_site: dict[str, set[str]] = {}
    for url in {url for link in truth.links for url in link}:
        by_site.setdefault(site_key(web, url), set()).add(entity_of[url])
    assert all(len(entities) == 1 for entities in by_site.values()), "a site is cut into several web entities"
    assert len({next(iter(e)) for e in by_site.values()}) == len(by_site), "two sites share a web entity"


def compare_politeness(web: Web, proxy: str, truth: Expected) -> None:
    """No page asked for more often than documented retries, none that robots.txt forbids."""
    assert asked(proxy, "stats")["robots_violations"] == 0
    hits = asked(proxy, "hits")
    assert hits == {web.url(page): n for page, n in truth.attempts.items() if n}


def run_and_compare(
    tmp_path: Path, sites: int, pages: int, seed: int, profile: str, depth: int, stall: bool, workers: int = 1
) -> None:
    """One crawl against its truth."""
    web = Web(sites, pages, seed, profile, 4, stall)
    options = ("--kb", "4") if stall else ("--kb", "4", "--no-stall")
    with served_web(sites, pages, seed, profile, *options) as proxy:
        arguments = crawl_arguments(
            web,
            proxy,
            depth,
            tmp_path / "homes.txt",
            "--per-host",
            "2",
            "--ignore-crawl-delay",
            "--workers",
            str(workers),
        )
        hyphe(*arguments, data_dir=tmp_path, HYPHE_TIMEOUT_SECONDS="6")
        truth = expected(web, depth)
        compare_pages(web, exported(tmp_path, "pages"), truth)
        compare_links(exported(tmp_path, "links"), truth)
        compare_network(web, tmp_path, truth)
        compare_politeness(web, proxy, truth)
        hyphe("maintain", "check", "truth", data_dir=tmp_path)


@pytest.mark.parametrize("profile", ["clean", "normal", "wild"])
def test_small_web(tmp_path: Path, profile: str) -> None:
    """Thirty sites to depth 2."""
    run_and_compare(tmp_path, 30, 600, 1, profile, 2, stall=False)


def test_two_workers(tmp_path: Path) -> None:
    """Two worker processes share the sites and store the same."""
    run_and_compare(tmp_path, 30, 600, 4, "normal", 2, stall=False, workers=2)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("profile", ["clean", "normal", "wild"])
def test_whole_web(tmp_path: Path, profile: str, seed: int, depth: int) -> None:
    """A hundred sites, five thousand pages, three seeds; the wild ones stall, hang and cut."""
    run_and_compare(tmp_path, 100, 5000, seed, profile, depth, stall=profile == "wild")


@pytest.mark.parametrize("per_host", [1, 2])
def test_never_more_in_flight_than_asked(tmp_path: Path, per_host: int) -> None:
    """The server, made slow, counts what each host has in flight at once."""
    web = Web(6, 120, 5, "clean", 2)
    with served_web(6, 120, 5, "clean", "--kb", "2", "--latency-ms", "60") as proxy:
        hyphe(
            *crawl_arguments(web, proxy, 1, tmp_path / "homes.txt", "--per-host", str(per_host)),
            data_dir=tmp_path,
        )
        peaks = asked(proxy, "stats")["peak_in_flight"]
    assert max(peaks.values()) == per_host


def test_crawl_delay_of_robots_is_obeyed(tmp_path: Path) -> None:
    """A host that asks for a second between requests gets it, although the job asks for none."""
    web = next(w for w in (Web(12, 90, seed, "normal", 2, False) for seed in range(100)) if delayed_hosts(w))
    with served_web(12, 90, web.seed, "normal", "--kb", "2", "--no-stall") as proxy:
        hyphe(*crawl_arguments(web, proxy, 1, tmp_path / "homes.txt"), data_dir=tmp_path)
        gaps = asked(proxy, "stats")["shortest_gap_s"]
    assert all(gaps.get(host, 9.0) >= 1.0 for host in delayed_hosts(web))


def delayed_hosts(web: Web) -> list[str]:
    """Hosts whose robots.txt has a Crawl-delay and that hold more than one page."""
    return [
        s.host for s in web.sites if s.robots == 2 and web.sites[web.hosts[s.host]] is s and 3 < s.count < 30
    ]
