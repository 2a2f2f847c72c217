"""Networks around one web entity."""

from __future__ import annotations

from datetime import UTC, datetime

from memory_structure.records import Area, Batch, Fetch, FetchedPage, FoundLink, JobSpec, LinkKind
from memory_structure.url_cutter import url_to_lru
from tests.unit.hyphe_core.api.conftest import Curator


def link_sites(curator: Curator, *arrows: str) -> None:
    """Pages of a.org, b.org, ... that link as "ab" says: a links to b."""
    job = curator.structure.create_job(JobSpec(None, ("http://a.org/",), ()))
    pages = []
    for source in sorted({arrow[0] for arrow in arrows}):
        targets = sorted(arrow[1] for arrow in arrows if arrow[0] == source)
        links = tuple(
            FoundLink(url_to_lru(f"http://{t}.org/"), LinkKind.HYPERLINK, 1, "", "", Area.MAIN, None)
            for t in targets
        )
        fetch = Fetch(job.job_id, datetime(2026, 3, 1, tzinfo=UTC), status=200, n_links=len(links))
        pages.append(FetchedPage(url_to_lru(f"http://{source}.org/"), (fetch,), links))
    curator.structure.write_batch(Batch(tuple(pages)))


def test_an_ego_network_is_that_among_neighbours(curator: Curator) -> None:
    ids = {letter: curator.declare(f"http://{letter}.org") for letter in "abcdef"}
    link_sites(curator, "ab", "ca", "bc", "bd", "de", "cc", "fd")
    names = {web_entity_id: letter for letter, web_entity_id in ids.items()}

    def ego(letter: str) -> list[str]:
        links = curator.call("store.get_webentity_ego_network", ids[letter])
        assert all(weight == 1 for _, _, weight in links)
        return [names[source] + names[target] for source, target, _ in links]

    assert ego("a") == ["ab", "bc", "ca"]
    assert ego("d") == ["bd", "de", "fd"]
    assert ego("e") == ["de"]
    assert "99" in curator.refusal("store.get_webentity_ego_network", 99)["message"]


def test_an_entity_without_links_has_an_empty_network(curator: Curator) -> None:
    assert curator.call("store.get_webentity_ego_network", curator.declare("http://a.org")) == []


def test_neighbours_come_by_falling_weight(curator: Curator) -> None:
    ids = {letter: curator.declare(f"http://{letter}.org") for letter in "abc"}
    link_sites(curator, "ca", "ba", "ac")
    found = curator.call("store.get_webentity_referrers", ids["a"], -1, 0, True, False)
    assert [(e["id"], e["weight"]) for e in found] == [(ids["b"], 1), (ids["c"], 1)]
    page = curator.call("store.get_webentity_referrals", ids["a"])
    assert [e["id"] for e in page["webentities"]] == [ids["c"]]
