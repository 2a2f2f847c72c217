"""The contract of curation, on every backend: edits of many, prefixes, merges, splits, previews."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import InvalidValue, NotFound, PrefixTaken
from memory_structure.previews import MovedPage, OwnerChange
from memory_structure.records import JobSpec, StartPage, WebEntityStatus
from memory_structure.storage import Reader
from memory_structure.stored import merging
from memory_structure.stored.codec import Pairs
from memory_structure.stored.structure import StoredMemoryStructure
from memory_structure.stored.weights import touching
from tests.corpus_cases import SPEC, batch, fetch, lru, page

A, B, C = lru("a.com"), lru("b.com"), lru("c.com")
P, PQ, S = lru("a.com", "p"), lru("a.com", "p", "q"), lru("a.com", "s")
RED, BLUE = ("USER", "colour", "red"), ("USER", "colour", "blue")


@pytest.fixture
def corpus(structure: StoredMemoryStructure) -> StoredMemoryStructure:
    """Web entities 1 (a.com, four pages) and 2 (b.com, one page)."""
    structure.create_job(SPEC)
    structure.write_batch(batch(page(A, P, PQ, S, B), page(P, PQ), page(B, PQ)))
    return structure


def owners(corpus: StoredMemoryStructure) -> dict[str, int]:
    return {record.lru: record.web_entity_id for record in corpus.iter_pages()}


def n_acts(corpus: StoredMemoryStructure) -> int:
    return len(corpus.list_acts())


# -- tags, start pages, statuses


def test_tags_are_added_and_removed_in_one_act(corpus: StoredMemoryStructure) -> None:
    assert corpus.edit_tags([1, 2], add=[RED]) == 2
    assert corpus.edit_tags([1, 2], add=[RED, BLUE], remove=[RED]) == 2
    assert corpus.get_web_entity(1).tags == (BLUE, RED)
    assert corpus.edit_tags([2], remove=[RED]) == 1
    assert corpus.edit_tags([2], remove=[RED]) == 0
    assert corpus.get_web_entity(2).tags == (BLUE,)
    assert n_acts(corpus) == 3


def test_tags_of_unknown_entities_change_nothing(corpus: StoredMemoryStructure) -> None:
    with pytest.raises(NotFound, match="web entity 9"):
        corpus.edit_tags([1, 9], add=[RED])
    with pytest.raises(InvalidValue, match="none of them empty"):
        corpus.edit_tags([1], add=[("USER", " ", "x")])
    assert corpus.get_web_entity(1).tags == ()
    assert n_acts(corpus) == 0


@pytest.mark.parametrize("status", WebEntityStatus)
def test_tags_have_one_spelling_at_any_status(corpus: StoredMemoryStructure, status: WebEntityStatus) -> None:
    corpus.set_statuses([1], status)
    decomposed = ("USER", "langue ", " fran\u0063\u0327ais")
    assert corpus.edit_tags([1], add=[decomposed, ("USER", "langue", "français ")]) == 1
    assert corpus.get_web_entity(1).tags == (("USER", "langue", "français"),)
    assert corpus.edit_tags([1], remove=[decomposed]) == 1
    made = corpus.declare_web_entity([C], tags=[decomposed, ("language", "language", "x")])
    assert made.tags == (("USER", "langue", "français"), ("language", "language", "x"))


def test_value_of_a_tag_is_replaced_everywhere_or_where_asked(corpus: StoredMemoryStructure) -> None:
    corpus.edit_tags([1, 2], add=[RED])
    assert corpus.replace_tag_value([1], "USER", "colour", "red", "blue") == 1
    assert [e.tags for e in corpus.list_web_entities()] == [(BLUE,), (RED,)]
    assert corpus.replace_tag_value(None, "USER", "colour", "red", "blue") == 1
    assert corpus.get_web_entity(2).tags == (BLUE,)
    assert corpus.replace_tag_value(None, "USER", "colour", "red", "green") == 0


def test_many_entities_get_the_same_edit(corpus: StoredMemoryStructure) -> None:
    n = corpus.edit_web_entities([1, 2], status=WebEntityStatus.IN, note="seen", add_tags=[RED])
    found = corpus.list_web_entities()
    assert n == 2
    assert {(e.status, e.note, e.tags) for e in found} == {(WebEntityStatus.IN, "seen", (RED,))}
    assert corpus.edit_web_entities([1, 2], note="seen") == 0
    assert (corpus.counters().n_in, n_acts(corpus)) == (2, 1)
    assert corpus.check() == []


def test_start_pages_go_in_any_spelling_of_the_same_page(corpus: StoredMemoryStructure) -> None:
    user = [StartPage("http://a.com/p?b=1", "user"), StartPage("http://a.com/s", "user")]
    assert corpus.edit_start_pages(1, add=user).start_pages == tuple(user)
    again = corpus.edit_start_pages(1, add=[StartPage("HTTP://A.com:80/s", "auto")])
    assert again.start_pages == tuple(user)
    left = corpus.edit_start_pages(1, remove=["http://A.COM:80/x/../p?b=1#top"])
    assert left.start_pages == (user[1],)
    with pytest.raises(NotFound, match="no start page"):
        corpus.edit_start_pages(1, remove=["http://a.com/other"])
    with pytest.raises(InvalidValue, match="does not belong"):
        corpus.edit_start_pages(1, add=[StartPage("http://b.com/", "user")])
    assert n_acts(corpus) == 2


# -- prefixes


@pytest.mark.parametrize(
    "prefix", ["s:http|h:com|", "s:https|h:co.uk|", "s:http|t:81|h:org|", "s:http|h:github.io|p:x|"]
)
def test_no_prefix_is_a_bare_public_suffix(corpus: StoredMemoryStructure, prefix: str) -> None:
    with pytest.raises(InvalidValue, match="public suffix"):
        corpus.declare_web_entity([C, prefix])
    with pytest.raises(InvalidValue, match="public suffix"):
        corpus.add_prefixes(1, [prefix])
    with pytest.raises(InvalidValue, match="public suffix"):
        corpus.preview_add_prefixes(1, [prefix])
    assert (n_acts(corpus), corpus.counters().n_web_entities) == (0, 2)


@pytest.mark.parametrize("prefix", ["s:http|h:127.0.0.1|", "s:http|h:localhost|", "s:http|h:io|h:github|"])
def test_hosts_without_suffix_may_be_owned(corpus: StoredMemoryStructure, prefix: str) -> None:
    assert corpus.declare_web_entity([prefix]).prefixes == (prefix,)


def test_prefixes_that_say_nothing_are_not_kept(corpus: StoredMemoryStructure) -> None:
    assert corpus.declare_web_entity([C, lru("c.com", "x"), lru("www.c.com")]).prefixes == (
        C,
        lru("www.c.com"),
    )
    before = corpus.get_web_entity(1)
    assert corpus.add_prefixes(1, [P, PQ]).prefixes == before.prefixes


def test_split_and_merged_again_leaves_the_prefixes_of_before(corpus: StoredMemoryStructure) -> None:
    before = corpus.get_web_entity(1).prefixes
    split = corpus.split_web_entity(1, "path-1")
    assert len(split.created_web_entity_ids) == 2
    assert corpus.merge_web_entities(split.created_web_entity_ids, 1).prefixes == before
    assert corpus.check() == []


def test_prefix_between_two_of_another_goes(corpus: StoredMemoryStructure) -> None:
    middle = corpus.declare_web_entity([P]).web_entity_id
    assert PQ in corpus.add_prefixes(1, [PQ]).prefixes
    assert owners(corpus) == {A: 1, P: middle, PQ: 1, S: 1, B: 2}
    corpus.delete_web_entity(middle)
    assert PQ not in corpus.get_web_entity(1).prefixes
    assert set(owners(corpus).values()) == {1, 2}
    assert corpus.check() == []


def test_prefix_that_a_rule_would_give_away_is_kept(corpus: StoredMemoryStructure) -> None:
    corpus.add_rule(CreationRule(A, Preset.parse("path-1")))
    created = corpus.apply_rules().created_web_entity_ids
    assert len(created) == 2
    merged = corpus.merge_web_entities(created[0], 1)
    assert P in merged.prefixes
    assert corpus.apply_rules().created_web_entity_ids == ()


def test_homepage_that_falls_to_another_owner_is_cleared(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(1, homepage="http://a.com/p/q")
    corpus.edit_web_entity(2, homepage="http://b.com/")
    corpus.declare_web_entity([P])
    assert corpus.get_web_entity(1).homepage is None
    assert corpus.get_web_entity(2).homepage == "http://b.com/"


def test_homepage_lost_to_what_a_rule_makes_is_cleared(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(1, homepage="http://a.com/p/q")
    corpus.add_rule(CreationRule(A, Preset.parse("path-1")))
    assert corpus.get_web_entity(1).homepage is not None
    corpus.apply_rules()
    assert corpus.get_web_entity(1).homepage is None


# -- merging and splitting


def test_many_are_merged_with_a_choice_of_what_wins(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(1, name="One", status=WebEntityStatus.OUT, note="1", homepage="http://a.com/s")
    made = corpus.declare_web_entity([C], name="Three", tags=[RED]).web_entity_id
    corpus.edit_web_entity(made, note="3", start_pages=[StartPage("http://c.com/", "user")])
    corpus.edit_tags([2], add=[BLUE])
    job = corpus.create_job(JobSpec(made, ("http://c.com/",), (C,))).job_id
    merged = corpus.merge_web_entities(
        [1, made], 2, keep_start_pages=False, take_name_and_status=True, take_homepage=True, take_note=True
    )
    assert (merged.name, merged.status, merged.note) == ("One", WebEntityStatus.OUT, "1\n3")
    assert (merged.homepage, merged.start_pages) == ("http://a.com/s", ())
    assert merged.tags == (BLUE, RED)
    assert merged.n_pages == 5
    assert len(merged.prefixes) == 9
    assert corpus.get_job(job).spec.web_entity_id == 2
    assert [e.web_entity_id for e in corpus.list_web_entities()] == [2]
    assert corpus.counters().n_out == 1
    assert corpus.check() == []


def test_weights_of_all_that_are_merged_are_read_at_once(
    corpus: StoredMemoryStructure, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites = [lru(f"site{i}.com") for i in range(20)]
    corpus.write_batch(batch(*(page(site, *sites, B, attempts=[fetch(1, attempt=7)]) for site in sites)))
    read: list[int] = []

    def counting(reader: Reader, entity_ids: Sequence[int]) -> Pairs:
        read.append(len(entity_ids))
        return touching(reader, entity_ids)

    monkeypatch.setattr(merging, "touching", counting)
    ids = [e.web_entity_id for e in corpus.list_web_entities() if e.web_entity_id > 2]
    corpus.merge_web_entities(ids[1:], ids[0])
    assert read == [19]
    assert corpus.check() == []


def test_merge_leaves_what_the_good_one_has(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(1, name="One", status=WebEntityStatus.OUT, note="1", homepage="http://a.com/s")
    before = corpus.edit_web_entity(2, note="2", homepage="http://b.com/")
    merged = corpus.merge_web_entities(1, 2)
    assert (merged.name, merged.status, merged.note, merged.homepage) == (
        before.name,
        before.status,
        "2",
        "http://b.com/",
    )


@pytest.mark.parametrize("old_ids", [2, [2], [1, 2]])
def test_merge_with_itself_is_refused(corpus: StoredMemoryStructure, old_ids: int | list[int]) -> None:
    with pytest.raises(InvalidValue, match="itself"):
        corpus.merge_web_entities(old_ids, 2)
    with pytest.raises(InvalidValue, match="itself"):
        corpus.preview_merge(old_ids, 2)
    with pytest.raises(InvalidValue, match="at least one"):
        corpus.merge_web_entities([], 2)
    assert n_acts(corpus) == 0


def test_split_can_be_seen_before(corpus: StoredMemoryStructure) -> None:
    corpus.edit_web_entity(1, homepage="http://a.com/p/q")
    seen = corpus.split_web_entity(1, Preset.parse("path-1"), dry_run=True)
    assert (seen.dry_run, seen.created_web_entity_ids, seen.n_pages_moved) == (True, (), 3)
    assert set(owners(corpus).values()) == {1, 2}
    done = corpus.split_web_entity(1, "path-1")
    assert (done.prefixes, done.n_pages_moved) == (seen.prefixes, 3)
    first, second = done.created_web_entity_ids
    assert owners(corpus) == {A: 1, P: first, PQ: first, S: second, B: 2}
    assert corpus.get_web_entity(1).homepage is None
    assert [rule.prefix for rule in corpus.rules().rules] == [""]
    assert corpus.check() == []


# -- what would happen


def test_previews_tell_owners_before_and_after(corpus: StoredMemoryStructure) -> None:
    seen = corpus.preview_add_prefixes(2, [P])
    assert seen.n_pages_moved == 2
    assert seen.changes == (OwnerChange(1, 2, 2),)
    assert seen.samples == (MovedPage(P, 1, 2, P), MovedPage(PQ, 1, 2, P))
    corpus.add_prefixes(2, [P])
    assert [key for key, owner in owners(corpus).items() if owner == 2] == [P, PQ, B]
    back = corpus.preview_remove_prefix(2, P)
    assert back.changes == (OwnerChange(2, 1, 2),)
    taken = corpus.preview_add_prefixes(1, [P, B], take=True)
    assert taken.changes == (OwnerChange(2, 1, 3),)
    assert (taken.removed_web_entity_ids, taken.dropped_prefixes) == ((), (P,))
    with pytest.raises(PrefixTaken):
        corpus.preview_add_prefixes(1, [P])
    with pytest.raises(NotFound):
        corpus.preview_remove_prefix(1, P)


def test_preview_of_deleting_tells_what_the_rules_would_make(corpus: StoredMemoryStructure) -> None:
    version = corpus.version()
    seen = corpus.preview_delete(1)
    assert seen.changes == (OwnerChange(1, None, 4),)
    assert [len(prefixes) for prefixes in seen.created_prefixes] == [4]
    assert (seen.removed_web_entity_ids, seen.samples[0].after_prefix) == ((1,), A)
    merging = corpus.preview_merge([1], 2)
    assert (merging.changes, merging.removed_web_entity_ids) == ((OwnerChange(1, 2, 4),), (1,))
    assert corpus.version() == version
    created = corpus.delete_web_entity(1)
    assert [corpus.get_web_entity(i).prefixes for i in created] == [
        tuple(sorted(prefixes)) for prefixes in seen.created_prefixes
    ]


def test_samples_of_previews_are_few(corpus: StoredMemoryStructure) -> None:
    corpus.write_batch(batch(page(C, *(lru("c.com", f"{i:02}") for i in range(30)))))
    made = corpus.find_owner(C)
    assert made is not None
    seen = corpus.preview_merge(made.web_entity_id, 1)
    assert (seen.n_pages_moved, len(seen.samples)) == (31, 20)
    assert [moved.lru for moved in seen.samples] == sorted(moved.lru for moved in seen.samples)
