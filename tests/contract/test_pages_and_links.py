"""The contract of indexing and of reads of pages and links, on every backend."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import Flag
from memory_structure.errors import InvalidValue, NotFound
from memory_structure.records import (
    Area,
    Batch,
    DepthChange,
    FetchError,
    LinkKind,
    WriteReport,
)
from memory_structure.stored.structure import StoredMemoryStructure
from tests.contract.conftest import OpenStructure
from tests.corpus_cases import MOMENT, SPEC, batch, fetch, link, lru, page

A, B, C = lru("a.com"), lru("b.com"), lru("c.com")


@pytest.fixture
def corpus(structure: StoredMemoryStructure) -> StoredMemoryStructure:
    """A corpus with two jobs."""
    structure.create_job(SPEC)
    structure.create_job(SPEC)
    return structure


def pairs(corpus: StoredMemoryStructure) -> list[tuple[int, ...]]:
    return [tuple(found) for found in corpus.web_entity_links()]


# -- write_batch


def test_batch_stores_pages_links_entities_and_counts(corpus: StoredMemoryStructure) -> None:
    report = corpus.write_batch(batch(page(A, B, lru("a.com", "x")), page(B, A)))
    assert report == WriteReport(2, 0, 3, 3, (1, 2))
    assert pairs(corpus) == [(1, 2, 1), (2, 1, 1)]
    assert corpus.internal_weights() == {1: 1}
    counters = corpus.counters()
    assert (counters.n_pages, counters.n_pages_fetched, counters.n_links) == (3, 2, 3)
    assert (counters.n_discovered, counters.n_web_entities) == (2, 2)


def test_replayed_batch_changes_nothing(corpus: StoredMemoryStructure) -> None:
    written = batch(page(A, B), page(B, A, text="words"))
    corpus.write_batch(written)
    version = corpus.version()
    assert corpus.write_batch(written) == WriteReport(0, 2, 0, 0, ())
    assert corpus.version() == version


def test_empty_batch_changes_nothing(corpus: StoredMemoryStructure) -> None:
    version = corpus.version()
    assert corpus.write_batch(batch()) == WriteReport(0, 0, 0, 0, ())
    assert corpus.version() == version


def test_fetch_again_replaces_links(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, B, C)))
    corpus.write_batch(batch(page(A, C, attempts=[fetch(2)])))
    assert [found.target_lru for found in corpus.list_outlinks(A)] == [C]
    assert pairs(corpus) == [(1, 3, 1)]
    assert corpus.counters().n_links == 1
    assert corpus.counters().n_pages_fetched == 1
    assert corpus.check() == []


def test_failed_fetch_keeps_links_and_becomes_the_last_fetch(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, B, text="old words")))
    corpus.write_batch(batch(page(A, C, attempts=[fetch(2, status=None, error="timeout")])))
    assert [found.target_lru for found in corpus.list_outlinks(A)] == [B]
    assert corpus.find_page(C) is None
    found = corpus.find_page(A)
    assert found is not None
    assert found.fetch is not None
    assert found.fetch.error is FetchError.TIMEOUT
    assert corpus.find_text(A) == "old words"


def test_page_twice_in_a_batch_keeps_the_later_links(corpus: StoredMemoryStructure) -> None:
    report = corpus.write_batch(batch(page(A, B), page(A, C, attempts=[fetch(2)])))
    assert (report.n_pages_stored, report.n_links) == (2, 1)
    assert [found.target_lru for found in corpus.list_outlinks(A)] == [C]
    assert len(corpus.list_fetches(A)) == 2
    assert corpus.check() == []


def test_same_attempt_twice_in_a_batch_is_stored_once(corpus: StoredMemoryStructure) -> None:
    report = corpus.write_batch(batch(page(A, B), page(A, B)))
    assert (report.n_pages_stored, report.n_pages_known) == (1, 1)
    assert len(corpus.list_fetches(A)) == 1


def test_two_kinds_between_two_pages_weigh_one(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, link(B), link(B, LinkKind.FRAME), link(C, LinkKind.HEAD))))
    assert pairs(corpus) == [(1, 2, 1)]
    assert corpus.counters().n_links == 3


def test_head_and_feed_links_stay_out_of_networks(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, link(B, LinkKind.HEAD), link(C, LinkKind.FEED))))
    assert pairs(corpus) == []
    assert [found.kind for found in corpus.list_outlinks(A)] == [LinkKind.HEAD, LinkKind.FEED]


def test_link_to_the_page_itself_is_not_stored(corpus: StoredMemoryStructure) -> None:
    assert corpus.write_batch(batch(page(A, A, B))).n_links == 1


def test_doubled_link_is_merged(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, link(B, count=2), link(B, count=3))))
    assert [found.count for found in corpus.list_outlinks(A)] == [5]


def test_unknown_job_refuses_the_whole_batch(corpus: StoredMemoryStructure) -> None:
    version = corpus.version()
    with pytest.raises(NotFound, match="crawl job 7"):
        corpus.write_batch(batch(page(A, B), page(B, attempts=[fetch(7)])))
    assert corpus.version() == version
    assert corpus.find_page(A) is None
    corpus.write_batch(batch(page(A, B)))
    assert corpus.check() == []


def test_lru_without_host_refuses_the_batch(corpus: StoredMemoryStructure) -> None:
    with pytest.raises(InvalidValue, match="not the LRU of a page"):
        corpus.write_batch(batch(page("s:http|")))
    assert corpus.list_web_entities() == []


def test_depth_changes_only_lower(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, attempts=[fetch(depth=2)])))
    corpus.write_batch(Batch((), (DepthChange(1, A, 3), DepthChange(2, A, 0), DepthChange(1, B, 0))))
    assert corpus.list_fetches(A)[0].depth == 2
    corpus.write_batch(Batch((), (DepthChange(1, A, 1),)))
    assert corpus.list_fetches(A)[0].depth == 1


def test_earlier_attempts_are_kept(corpus: StoredMemoryStructure) -> None:
    tried = [
        fetch(attempt=1, final=False, status=503),
        fetch(attempt=2, digest="ab" * 32, title="Titre é", redirect_lru=B, follow=False, size_bytes=7),
    ]
    corpus.write_batch(batch(page(A, attempts=tried, raw_url="http://A.com/#x")))
    assert corpus.list_fetches(A) == tried
    found = corpus.find_page(A)
    assert found is not None
    assert (found.fetch, found.raw_url, found.url) == (tried[1], "http://A.com/#x", "http://a.com")
    assert list(corpus.iter_digests()) == [(A, tried[1])]
    assert list(corpus.redirect_targets()) == [(A, B)]


def test_job_counters_follow_the_batch(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(
        batch(
            page(A, B, attempts=[fetch(size_bytes=5, n_links=1, depth=1)]),
            page(B, attempts=[fetch(status=302)]),
            page(C, attempts=[fetch(status=None, error="robots")]),
            page(lru("d.com"), attempts=[fetch(status=404, size_bytes=2)]),
        )
    )
    found = corpus.get_job(1).counters
    assert (found.n_pages, found.n_answers, found.n_200, found.n_3xx) == (4, 3, 1, 1)
    assert (found.n_errors, found.n_robots, found.n_links, found.n_bytes) == (2, 1, 1, 7)
    assert (found.n_new_pages, found.max_depth_reached) == (4, 1)
    assert corpus.job_quality(1) == {"200": 1, "302": 1, "404": 1, "robots": 1}
    assert corpus.get_job(2).counters.n_pages == 0


def test_odd_characters_come_back_whole(corpus: StoredMemoryStructure) -> None:
    odd = link(B, anchor="naïf \0 \U0001f600", rel="nofollow me", area=Area.NAV, raw="http://b.com/#frag")
    corpus.write_batch(batch(page(A, odd, C, text="\ud800 text", attempts=[fetch(title="t \ud800")])))
    found = corpus.list_outlinks(A)[0]
    assert (found.anchor, found.rel, found.area, found.raw) == (
        "naïf \ufffd \U0001f600",
        "nofollow me",
        Area.NAV,
        "http://b.com/#frag",
    )
    assert corpus.find_text(A) == "? text"
    assert corpus.list_fetches(A)[0].title == "t ?"


def test_text_is_not_kept_when_the_corpus_says_so(open_structure: OpenStructure) -> None:
    corpus = open_structure(CorpusOptions(keep_text=False))
    corpus.create_job(SPEC)
    corpus.write_batch(batch(page(A, text="words")))
    assert corpus.find_text(A) is None


# -- declare_pages and flags


def test_declared_pages_come_in_order_with_new_owners_marked(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A)))
    declared = corpus.declare_pages([B, A, lru("b.com", "x")], ["http://B.com", None, None])
    assert [(record.lru, new) for record, new in declared] == [
        (B, True),
        (A, False),
        (lru("b.com", "x"), True),
    ]
    assert declared[0][0].raw_url == "http://B.com"
    assert [record.web_entity_id for record, _ in declared] == [2, 1, 2]
    assert not corpus.declare_pages([B])[0][1]
    assert corpus.check() == []


def test_flags_tell_what_would_happen_and_store_nothing(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A)))
    version = corpus.version()
    owned, fresh = corpus.store_and_retrieve_flags([lru("a.com", "x"), lru("www.b.com", "x")])
    assert (owned.flag, owned.prefix) == (Flag.WEB_ENTITY, A)
    assert (fresh.flag, fresh.prefix, fresh.creates) == (Flag.CREATION_RULE, B, True)
    assert corpus.version() == version


# -- reads


def test_pages_come_in_lru_order_and_by_page_after_page(corpus: StoredMemoryStructure) -> None:
    keys = [lru("a.com", f"{i:03}") for i in range(25)]
    corpus.write_batch(batch(page(keys[3], *keys), page(B, *keys[:2])))
    assert [record.lru for record in corpus.iter_pages()] == sorted([*keys, B])
    assert [record.lru for record in corpus.iter_pages(1)] == keys
    assert [record.lru for record in corpus.iter_pages(only_fetched=True)] == [keys[3], B]
    seen: list[str] = []
    while chunk := corpus.list_pages(1, after=seen[-1] if seen else None, limit=7):
        seen += [record.lru for record in chunk]
    assert seen == keys
    assert [r.lru for r in corpus.list_pages(1, only_fetched=True)] == [keys[3]]


def test_pages_of_an_entity_leave_out_those_of_entities_below(corpus: StoredMemoryStructure) -> None:
    keys = [A, lru("a.com", "p"), lru("a.com", "p", "q"), lru("a.com", "z")]
    corpus.write_batch(batch(page(A, *keys[1:])))
    below = corpus.declare_web_entity([lru("a.com", "p")])
    assert [r.lru for r in corpus.iter_pages(1)] == [A, keys[3]]
    assert [r.lru for r in corpus.iter_pages(below.web_entity_id)] == keys[1:3]
    assert list(corpus.lru_tree(below.web_entity_id)) == keys[1:3]


def test_unknown_keys_raise_or_give_none(corpus: StoredMemoryStructure) -> None:
    assert corpus.find_page(A) is None
    assert corpus.find_text(A) is None
    assert corpus.find_owner(A) is None
    assert corpus.find_web_entity_by_prefix(A) is None
    assert corpus.outlink_targets([A]) == {A: []}
    for call in (corpus.list_fetches, corpus.list_outlinks, corpus.list_inlinks):
        with pytest.raises(NotFound, match="no page"):
            call(A)
    for by_id in (
        corpus.get_web_entity,
        corpus.list_pages,
        corpus.lru_tree,
        corpus.list_referrers,
        corpus.list_referrals,
        corpus.list_sub_web_entities,
        corpus.list_parent_web_entities,
        corpus.delete_web_entity,
        corpus.list_most_linked_pages,
        corpus.list_links,
    ):
        with pytest.raises(NotFound, match="web entity 9"):
            by_id(9)


def test_links_come_by_source_target_kind(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(B, C, A), page(A, link(C, LinkKind.FRAME), link(C), link(B))))
    order = [(found.source_lru, found.target_lru, found.kind) for found in corpus.iter_links()]
    assert order == sorted(order)
    assert len(order) == 5
    mine = corpus.find_owner(A)
    assert mine is not None
    assert {found.source_lru for found in corpus.iter_links(mine.web_entity_id)} == {A}


def test_links_of_an_entity_are_paged(corpus: StoredMemoryStructure) -> None:
    inside = [lru("a.com", f"{i}") for i in range(4)]
    corpus.write_batch(batch(page(A, B, *inside), page(inside[0], A, C)))
    everything = corpus.list_links(1, include_external=True)
    assert everything == list(corpus.iter_links(1))
    assert [f.target_lru for f in corpus.list_links(1)] == [*inside, A]
    seen = []
    after = None
    while chunk := corpus.list_links(1, after=after, limit=2, include_external=True):
        seen += chunk
        last = chunk[-1]
        after = (last.source_lru, last.target_lru, int(last.kind))
    assert seen == everything


def test_inlinks_come_by_source(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(C, link(A), link(A, LinkKind.HEAD)), page(B, A), page(A, B)))
    found = corpus.list_inlinks(A)
    assert [(f.source_lru, f.kind) for f in found] == [(B, 0), (C, 0), (C, LinkKind.HEAD)]
    assert len(corpus.list_inlinks(A, limit=2)) == 2
    corpus.write_batch(batch(page(C, B, attempts=[fetch(2)])))
    assert [f.source_lru for f in corpus.list_inlinks(A)] == [B]


def test_most_linked_pages(corpus: StoredMemoryStructure) -> None:
    x, y = lru("a.com", "x"), lru("a.com", "y")
    corpus.write_batch(batch(page(A, x, y), page(B, y, link(x, LinkKind.HEAD)), page(C, A)))
    ranked = [(record.lru, n) for record, n in corpus.list_most_linked_pages(1)]
    assert ranked == [(y, 2), (A, 1), (x, 1)]
    assert [r.lru for r, _ in corpus.list_most_linked_pages(1, limit=2)] == [y, A]


def test_most_linked_pages_of_many_are_those_of_each(corpus: StoredMemoryStructure) -> None:
    x, y = lru("a.com", "x"), lru("a.com", "y")
    assert corpus.most_linked_pages_of([1, 2]) == {}
    corpus.write_batch(batch(page(A, x, y), page(B, y, link(x, LinkKind.HEAD)), page(C, A, B)))
    corpus.write_batch(batch(page(C, x, B, attempts=[fetch(2)])))
    ids = [entity.web_entity_id for entity in corpus.list_web_entities()]
    for limit in (1, 2, 20):
        alone = {i: corpus.list_most_linked_pages(i, limit) for i in ids}
        assert corpus.most_linked_pages_of(ids, limit) == {i: found for i, found in alone.items() if found}
    assert list(corpus.most_linked_pages_of([2, 99])) == [2]
    assert corpus.most_linked_pages_of([]) == {}


def test_outlink_targets_keep_the_order_found(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, link(C, raw="http://c.com/#y"), link(B, LinkKind.REDIRECT))))
    expected = [(C, LinkKind.HYPERLINK, "http://c.com/#y"), (B, LinkKind.REDIRECT, None)]
    assert corpus.outlink_targets([A, B]) == {A: expected, B: []}


# -- networks


def test_degrees_count_neighbours_of_chosen_sources(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, B, C), page(B, A), page(C, lru("c.com", "x"))))
    assert corpus.degrees() == {}
    corpus.set_statuses([1], corpus.get_web_entity(1).status.IN)
    assert {i: tuple(d) for i, d in corpus.degrees().items()} == {1: (0, 2, 2), 2: (1, 0, 1), 3: (1, 0, 1)}
    everyone = corpus.degrees(list(type(corpus.get_web_entity(1).status)))
    assert {i: tuple(d) for i, d in everyone.items()} == {1: (1, 2, 2), 2: (1, 1, 1), 3: (1, 0, 1)}


def test_referrers_and_referrals_by_falling_weight(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, B, C, lru("c.com", "x")), page(B, C), page(C, lru("c.com", "x"))))
    assert [tuple(w) for w in corpus.list_referrals(1)] == [(1, 3, 2), (1, 2, 1)]
    assert [tuple(w) for w in corpus.list_referrers(3)] == [(1, 3, 2), (2, 3, 1)]


def test_without_a_limit_nodes_are_pages(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A, B, link(C, LinkKind.HEAD), link(B, LinkKind.FRAME))))
    assert [tuple(found) for found in corpus.iter_node_links()] == [(A, B, 1)]
    assert list(corpus.iter_nodes()) == [(A, 1, 1), (B, 2, 1), (C, 3, 1)]


def test_with_a_limit_links_run_between_nodes(open_structure: OpenStructure) -> None:
    corpus = open_structure(CorpusOptions(precision_limit=1))
    corpus.create_job(SPEC)
    deep, other, node = lru("a.com", "p", "q"), lru("a.com", "p", "r"), lru("a.com", "p")
    corpus.write_batch(batch(page(A, deep, other, B), page(deep, other, A)))
    assert [tuple(found) for found in corpus.iter_node_links()] == [(A, node, 2), (A, B, 1), (node, A, 1)]
    assert list(corpus.iter_nodes()) == [(A, 1, 1), (node, 1, 2), (B, 2, 1)]
    found = corpus.find_page(deep)
    assert found is not None
    assert found.node == node
    assert corpus.check() == []


def test_declaring_something_finer_than_the_limit_adds_an_exception(open_structure: OpenStructure) -> None:
    corpus = open_structure(CorpusOptions(precision_limit=1))
    corpus.create_job(SPEC)
    deep = lru("a.com", "p", "q")
    corpus.write_batch(batch(page(A, deep)))
    corpus.declare_web_entity([deep])
    assert corpus.precision().exceptions == (deep,)
    assert [tuple(found) for found in corpus.iter_node_links()] == [(A, deep, 1)]
    corpus.declare_pages([lru("b.com", "x", "y")])
    assert corpus.precision().exceptions == (deep, lru("b.com", "x", "y"))
    covered = corpus.store_and_retrieve_flags([lru("b.com", "x", "y", "z")])[0]
    assert covered.flag is Flag.PRECISION_EXCEPTION
    assert corpus.check() == []


def test_exceptions_are_added_and_undone(open_structure: OpenStructure) -> None:
    corpus = open_structure(CorpusOptions(precision_limit=0))
    corpus.create_job(SPEC)
    deep = lru("a.com", "p")
    corpus.write_batch(batch(page(A, deep)))
    assert list(corpus.iter_nodes()) == [(A, 1, 2)]
    corpus.add_precision_exceptions([deep])
    assert list(corpus.iter_nodes()) == [(A, 1, 1), (deep, 1, 1)]
    corpus.delete_precision_exceptions([deep])
    assert list(corpus.iter_nodes()) == [(A, 1, 2)]
    with pytest.raises(NotFound, match="precision exception"):
        corpus.delete_precision_exceptions([deep])
    assert corpus.check() == []


def test_moments_come_back_exactly(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(A)))
    assert corpus.list_fetches(A)[0].fetched_at == MOMENT


def test_every_field_of_a_fetch_comes_back(corpus: StoredMemoryStructure) -> None:
    full = replace(
        fetch(), duration_seconds=1.5, depth=3, status=301, error_detail="why", content_type="text/html",
        encoding="utf-8", size_bytes=9, digest="cd" * 32, title="t", language="fr", canonical="http://c",
        redirect_lru=B, follow=False, n_links=4, n_self_links=5, n_links_cut=6,
    )  # fmt: skip
    corpus.write_batch(batch(page(A, attempts=[full])))
    assert corpus.list_fetches(A) == [full]
