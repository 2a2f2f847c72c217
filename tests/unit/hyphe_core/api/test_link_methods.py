"""The page links behind the network, as clients read them."""

from __future__ import annotations

from typing import Any

import pytest

from memory_structure.records import Area
from memory_structure.url_cutter import url_to_lru
from tests.corpus_cases import SPEC, batch, fetch, link, page
from tests.unit.hyphe_core.api.conftest import Curator


@pytest.fixture
def linked(curator: Curator) -> Curator:
    """x.com (1) links to y.org (2) and z.net (3); y.org to z.net."""
    structure = curator.structure
    for host in ("x.com", "y.org", "z.net"):
        curator.declare(f"http://{host}/")
    structure.create_job(SPEC)
    x, y, z = (url_to_lru(f"http://{host}/") for host in ("x.com", "y.org", "z.net"))
    a, b = url_to_lru("http://x.com/a"), url_to_lru("http://y.org/b")
    structure.write_batch(
        batch(
            page(x, a, link(y, anchor="Why?", area=Area.FOOTER, count=2), attempts=[fetch(title="X")]),
            page(a, x, b, z),
            page(y, b, z),
        )
    )
    return curator


def test_evidence_names_pages_anchor_area_and_date(linked: Curator) -> None:
    found = linked.call("links.evidence", 1, 2)
    assert (found["weight"], found["token"]) == (2, None)
    first = found["links"][0]
    assert (first["source_url"], first["target_url"]) == ("http://x.com", "http://y.org")
    assert (first["source_title"], first["anchor"], first["area"], first["kind"], first["count"]) == (
        "X", "Why?", "footer", "hyperlink", 2,
    )  # fmt: skip
    assert first["read_at"] == 1772368205123
    weights = {(s, t): w for s, t, w in linked.call("store.get_webentities_network", True, True)}
    assert weights[(1, 2)] == found["weight"]


def pieces(curator: Curator, method: str, *params: Any, **named: Any) -> list[Any]:
    """Everything a method gives, piece by piece."""
    rows: list[Any] = []
    token = None
    while True:
        found = curator.call(method, *params, token=token, **named)
        rows += found["links"]
        token = found["token"]
        if token is None:
            return rows


def test_pieces_make_the_whole(linked: Curator) -> None:
    whole = linked.call("links.evidence", 1, 2)["links"]
    assert pieces(linked, "links.evidence", 1, 2, count=1) == whole
    whole = linked.call("links.page_network", [1, 2, 3])["links"]
    assert len(whole) == 7
    for count in (1, 2, 3):
        assert pieces(linked, "links.page_network", [3, 2, 1], count=count) == whole


def test_the_page_network_of_a_selection_has_the_links_inside_it(linked: Curator) -> None:
    one = [(s, t) for s, t, _ in linked.call("links.page_network", 1)["links"]]
    x, a, y, b = (url_to_lru(f"http://{u}") for u in ("x.com/", "x.com/a", "y.org/", "y.org/b"))
    assert one == [(x, a), (a, x)]
    two = linked.call("links.page_network", [1, 2])["links"]
    assert two == [[x, a, 1], [x, y, 2], [a, x, 1], [a, b, 1], [y, b, 1]]


def test_depths_are_counted_from_the_start_pages(linked: Curator) -> None:
    found = linked.call("links.page_depths", 1)
    assert found["startpages"] == ["http://x.com"]
    assert (found["pages_by_depth"], found["unreached"], found["token"]) == ({"0": 1, "1": 1}, 0, None)
    assert [(each["url"], each["depth"]) for each in found["pages"]] == [
        ("http://x.com", 0),
        ("http://x.com/a", 1),
    ]
    first = linked.call("links.page_depths", 1, 1)
    assert [each["url"] for each in linked.call("links.page_depths", 1, 1, first["token"])["pages"]] == [
        "http://x.com/a"
    ]


@pytest.mark.parametrize("token", ["x", "eA==", "MQoyCjM=", "LTEKMg=="])
def test_tokens_of_others_are_refused_or_begin_somewhere(linked: Curator, token: str) -> None:
    for method, params in (("links.evidence", (1, 2, 10)), ("links.page_network", (1, 10))):
        assert "token" in linked.refusal(method, *params, token)["message"]


def test_unknown_entities_are_told(linked: Curator) -> None:
    assert "web entity 9" in linked.refusal("links.evidence", 1, 9)["message"]
    assert "web entity 9" in linked.refusal("links.page_network", [1, 9])["message"]
    assert "web entity 9" in linked.refusal("links.page_depths", 9)["message"]
