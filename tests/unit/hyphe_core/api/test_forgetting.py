"""What crawling an entity brought in is taken out, after it was told."""

from __future__ import annotations

from tests.unit.hyphe_core.api.conftest import Curator
from tests.unit.hyphe_core.api.test_networks import link_sites


def test_forgetting_takes_out_what_was_told(curator: Curator) -> None:
    big, kept = curator.declare("http://a.org", name="Big"), curator.declare("http://b.org", status="IN")
    link_sites(curator, "ab", "ac", "ad", "bd")
    told = curator.call("store.preview_forget", big)
    assert (told["nb_pages"], told["nb_pages_crawled"], told["nb_pages_brought"]) == (1, 1, 1)
    assert told["nb_links"] == 3
    names = {e["name"] for e in told["removed_webentities"]}
    assert names == {"Big", "C.org"}
    assert len(curator.call("store.get_webentities", count=-1)) == 4

    act = curator.call("store.forget_webentity", big)
    assert act["kind"] == "forget"
    left = {e["name"] for e in curator.call("store.get_webentities", count=-1)}
    assert left == {"B.org", "D.org"}
    assert curator.call("store.get_webentities_network", True, True) == [
        link for link in curator.call("store.get_webentity_ego_network", kept) if link[0] == kept
    ]
    assert curator.structure.check() == []

    curator.call("history.undo", act["id"])
    assert curator.entity(big)["pages_crawled"] == 1
    assert curator.structure.check() == []


def test_an_unknown_entity_is_told(curator: Curator) -> None:
    for name in ("store.preview_forget", "store.forget_webentity"):
        assert "99" in curator.refusal(name, 99)["message"]
