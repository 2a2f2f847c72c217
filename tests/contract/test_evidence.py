"""The contract of page links behind entity links, of entry pages and of depths, on every backend."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from memory_structure.errors import NotFound
from memory_structure.link_evidence import EvidenceLink
from memory_structure.lru import lru_to_url
from memory_structure.records import NETWORK_KINDS, Area, LinkKind, StartPage
from memory_structure.stored import link_columns
from memory_structure.stored.structure import StoredMemoryStructure
from tests.corpus_cases import MOMENT, SPEC, batch, fetch, link, lru, page

A, B = lru("a.com"), lru("b.com")


def key(link: EvidenceLink) -> tuple[str, str, LinkKind]:
    return link.link.source_lru, link.link.target_lru, link.link.kind


@pytest.fixture
def corpus(structure: StoredMemoryStructure) -> StoredMemoryStructure:
    """Entities a.com (1) and b.com (2), with links between their pages."""
    structure.create_job(SPEC)
    structure.write_batch(
        batch(
            page(
                A,
                link(B, anchor="The other site", rel="nofollow", area=Area.NAV, count=3),
                link(B, LinkKind.FRAME),
                link(lru("b.com", "x"), LinkKind.HEAD),
                lru("a.com", "p"),
                attempts=[fetch(title="Home of A")],
            ),
            page(lru("a.com", "p"), lru("b.com", "y"), lru("c.org")),
            page(B, A, lru("b.com", "y")),
        )
    )
    return structure


def test_evidence_shows_every_link_of_each_pair(corpus: StoredMemoryStructure) -> None:
    found = corpus.list_evidence(1, 2)
    assert (found.n_pairs, found.last) == (2, None)
    first, second, third = found.links
    assert key(first) == (A, B, LinkKind.HYPERLINK)
    assert (first.source_title, first.read_at) == ("Home of A", MOMENT)
    evidence = first.link
    assert (evidence.count, evidence.anchor) == (3, "The other site")
    assert (evidence.rel, evidence.area, evidence.raw) == ("nofollow", Area.NAV, None)
    assert key(second) == (A, B, LinkKind.FRAME)
    assert key(third) == (lru("a.com", "p"), lru("b.com", "y"), LinkKind.HYPERLINK)
    assert [key(each) for each in corpus.list_evidence(2, 1).links] == [(B, A, LinkKind.HYPERLINK)]


def test_evidence_of_an_entity_with_itself_are_its_inner_links(corpus: StoredMemoryStructure) -> None:
    assert [key(each) for each in corpus.list_evidence(1, 1).links] == [
        (A, lru("a.com", "p"), LinkKind.HYPERLINK)
    ]


def test_evidence_comes_in_pages_of_whole_pairs(corpus: StoredMemoryStructure) -> None:
    first = corpus.list_evidence(1, 2, limit=1)
    assert (len(first.links), first.n_pairs) == (2, 2)
    assert first.last == (first.links[0].link.source_page_id, first.links[0].link.target_page_id)
    second = corpus.list_evidence(1, 2, after=first.last, limit=1)
    assert (len(second.links), second.last) == (1, None)
    assert corpus.list_evidence(1, 2, after=(99, 99)).links == ()


def test_evidence_follows_a_new_fetch_and_new_limits(corpus: StoredMemoryStructure) -> None:
    assert corpus.list_evidence(1, 2).n_pairs == 2
    corpus.write_batch(batch(page(A, attempts=[fetch(attempt=2)])))
    assert corpus.list_evidence(1, 2).n_pairs == 1
    made = corpus.declare_web_entity([lru("b.com", "y")])
    assert corpus.list_evidence(1, 2).n_pairs == 0
    assert corpus.list_evidence(1, made.web_entity_id).n_pairs == 1


def test_unknown_entities_have_no_evidence(corpus: StoredMemoryStructure) -> None:
    with pytest.raises(NotFound, match="web entity 99"):
        corpus.list_evidence(1, 99)
    with pytest.raises(NotFound):
        corpus.list_entry_pages(99)
    with pytest.raises(NotFound):
        corpus.page_depths(99)


def test_entry_pages_are_those_that_others_link_to(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(lru("d.net"), B, lru("a.com", "p"))))
    assert [(each.lru, n) for each, n in corpus.list_entry_pages(2)] == [(B, 2), (lru("b.com", "y"), 1)]
    assert [(each.lru, n) for each, n in corpus.list_entry_pages(1)] == [(A, 1), (lru("a.com", "p"), 1)]
    assert [each.lru for each, _ in corpus.list_entry_pages(2, limit=1)] == [B]


@pytest.mark.parametrize("way", ["source", "target", "all", "stream"])
def test_each_way_of_gathering_finds_the_same(
    structure: StoredMemoryStructure, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the linking pages are read, those linked to, or all links."""
    costs = {
        "source": (0.0, 1.0, 2.0),
        "target": (1.0, 0.0, 2.0),
        "all": (2.0, 1.0, 0.0),
        "stream": (1e9, 1e9, 1e9),
    }[way]
    monkeypatch.setattr(link_columns, "_PAGES_TO_STREAM", 2)
    monkeypatch.setattr(link_columns, "_costs", lambda *_: costs)
    monkeypatch.setattr(StoredMemoryStructure, "_recall", lambda *_: None)
    chance = random.Random(7)
    hosts = ["a.com", "b.com", "c.com"]
    pages = [lru(host, f"p{n}") for host in hosts for n in range(12)]
    kinds = list(LinkKind)
    structure.create_job(SPEC)
    links = {
        source: {(chance.choice(pages), chance.choice(kinds)) for _ in range(6)} for source in pages[::2]
    }
    for source, found in links.items():
        structure.write_batch(batch(page(source, *(link(target, kind) for target, kind in sorted(found)))))
    owner = {each.lru: each.web_entity_id for each in structure.iter_pages()}
    for source_id, target_id in product(sorted(set(owner.values())), repeat=2):
        expected = {
            (source, target, kind)
            for source, found in links.items()
            for target, kind in found
            if kind in NETWORK_KINDS and source != target
            if (owner[source], owner[target]) == (source_id, target_id)
        }
        answer = structure.list_evidence(source_id, target_id)
        assert {key(each) for each in answer.links} == expected
        pieces, place = [], None
        while True:
            piece = structure.list_evidence(source_id, target_id, after=place, limit=2)
            pieces += piece.links
            place = piece.last
            if place is None:
                break
        assert tuple(pieces) == answer.links
        assert answer.n_pairs == len({(source, target) for source, target, _ in expected})
    for entity in sorted(set(owner.values())):
        for list_pages, inner in (
            (structure.list_most_linked_pages, True),
            (structure.list_entry_pages, False),
        ):
            linking = {
                (source, target)
                for source, found in links.items()
                for target, kind in found
                if kind in NETWORK_KINDS and source != target and owner[target] == entity
                if inner or owner[source] != entity
            }
            counts = Counter(target for _, target in linking)
            assert {each.lru: n for each, n in list_pages(entity, 99)} == counts


# -- depths


def depths(corpus: StoredMemoryStructure, entity: int) -> dict[str, int | None]:
    return {each.lru: n for each, n in corpus.list_page_depths(entity)}


def test_depth_is_the_fewest_clicks_and_redirects_are_free(structure: StoredMemoryStructure) -> None:
    one, two, three, four, five = (lru("a.com", str(n)) for n in range(1, 6))
    structure.create_job(SPEC)
    structure.write_batch(
        batch(
            page(A, one, two),
            page(one, three),
            page(two, link(three, LinkKind.REDIRECT), attempts=[fetch(status=301, redirect_lru=three)]),
            page(three, link(four, LinkKind.REFRESH), B, attempts=[fetch(redirect_lru=four)]),
            page(four, link(five, LinkKind.REFRESH), link(lru("a.com", "css"), LinkKind.HEAD)),
            page(B, lru("a.com", "behind")),
        )
    )
    found = depths(structure, 1)
    unreached = dict.fromkeys([lru("a.com", "css"), lru("a.com", "behind")])
    assert found == {A: 0, one: 1, two: 1, three: 1, four: 1, five: 2, **unreached}
    summary = structure.page_depths(1)
    assert (summary.start_lrus, summary.n_by_depth, summary.n_unreached) == (
        (A,),
        ((0, 1), (1, 4), (2, 1)),
        2,
    )
    assert [n for _, n in structure.list_page_depths(1, after=one, limit=2)] == [1, 1]


def test_depth_counts_from_the_start_pages_of_the_entity(structure: StoredMemoryStructure) -> None:
    one, two = lru("a.com", "1"), lru("a.com", "2")
    structure.create_job(SPEC)
    structure.write_batch(batch(page(A, one), page(one, two), page(two, A)))
    assert depths(structure, 1) == {A: 0, one: 1, two: 2}
    structure.edit_web_entity(1, homepage=lru_to_url(one))
    assert depths(structure, 1) == {A: 2, one: 0, two: 1}
    structure.edit_web_entity(
        1, start_pages=[StartPage(lru_to_url(two), "user"), StartPage(lru_to_url(A), "user")]
    )
    assert depths(structure, 1) == {A: 0, one: 1, two: 0}


def test_without_a_known_start_page_nothing_is_reached(structure: StoredMemoryStructure) -> None:
    structure.declare_pages([lru("a.com", "deep")])
    summary = structure.page_depths(1)
    assert (summary.start_lrus, summary.n_by_depth, summary.n_unreached) == ((), (), 1)


# -- links found out later


def test_links_are_added_as_if_they_had_been_found(corpus: StoredMemoryStructure) -> None:
    new, known = link(lru("n.net", "x"), anchor="N", rel="via:s.ly"), link(B)
    frame = link(lru("a.com", "p"), LinkKind.FRAME)
    before = corpus.list_outlinks(A)
    assert (
        corpus.add_links(
            {A: [new, known, frame, link(A), new], lru("c.org"): [link(A)], lru("absent.com"): [new]}
        )
        == 2
    )
    after = corpus.list_outlinks(A)
    assert len(after) == len(before) + 2
    assert set(before) <= set(after)
    (made,) = [each for each in after if each.target_lru == new.target_lru]
    assert (made.anchor, made.rel) == ("N", "via:s.ly")
    owner = corpus.find_owner(new.target_lru)
    assert owner is not None
    assert corpus.list_evidence(1, owner.web_entity_id).n_pairs == 1
    assert [each.source_lru for each in corpus.list_inlinks(new.target_lru)] == [A]
    assert corpus.check() == []
    version = corpus.version()
    assert corpus.add_links({A: [new]}) == 0
    assert corpus.version() == version


def test_a_new_fetch_takes_the_place_of_added_links(corpus: StoredMemoryStructure) -> None:
    corpus.add_links({A: [link(lru("n.net"))]})
    corpus.write_batch(batch(page(A, B, attempts=[fetch(attempt=2)])))
    assert [each.target_lru for each in corpus.list_outlinks(A)] == [B]
    assert corpus.check() == []


def test_pages_under_a_prefix_come_in_order(corpus: StoredMemoryStructure) -> None:
    corpus.declare_pages([lru("a.com.example", "x"), lru("sub.a.com")])
    found = [each.lru for each in corpus.iter_pages_under(lru("a.com"))]
    assert found == sorted([A, lru("a.com", "p"), lru("sub.a.com")])
    assert list(corpus.iter_pages_under(lru("absent.com"))) == []
