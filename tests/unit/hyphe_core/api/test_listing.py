"""Listings, searches, facets: what the catalogue answers is what the records say, after every kind of
change."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from hyphe_core.api.entity_catalogue.catalogue import Catalogue
from hyphe_core.api.entity_catalogue.shelf import Shelf
from memory_structure.jobs import NO_JOB, statuses_of
from memory_structure.lru import lru_to_url
from memory_structure.records import JobSpec, JobState, StartPage, WebEntity, WebEntityStatus
from memory_structure.structure import MemoryStructure
from memory_structure.words import folded, words_of
from tests.corpus_cases import batch, link, lru, page
from tests.unit.hyphe_core.api.conftest import Curator

WORDS = ("Élan", "vert", "Presse", "été", "blog", "data")
KINDS = ("press", "blog", "état")


def names(found: Any) -> list[str]:
    return [each["name"] for each in found]


def ids(found: Any) -> list[int]:
    return [each["id"] for each in found]


def search(curator: Curator, filters: Any, sort: Any = "id", **named: Any) -> list[int]:
    return ids(curator.call("store.search", filters, sort, -1, **named))


# -- against the records


class Model:
    """The same questions answered entity by entity."""

    def __init__(self, structure: MemoryStructure) -> None:
        self.structure = structure
        self.entities = {e.web_entity_id: e for e in structure.list_web_entities()}
        self.degrees = structure.degrees()
        self.statuses = {i: e.status for i, e in self.entities.items()}
        self.links = structure.web_entity_links()
        jobs = {j.spec.web_entity_id: j for j in structure.list_jobs()}
        self.latest = {i: statuses_of(job) for i, job in jobs.items()}
        self.crawled = {i for i, job in jobs.items() if job.state is not JobState.CANCELED}

    def citing_in(self, entity_id: int) -> int:
        return sum(
            link.target_id == entity_id and self.statuses[link.source_id] is WebEntityStatus.IN
            for link in self.links
        )

    def keys(self) -> dict[str, Callable[[WebEntity], Any]]:
        def degree(e: WebEntity, position: int) -> int:
            return self.degrees[e.web_entity_id][position] if e.web_entity_id in self.degrees else 0

        return {
            "id": lambda e: e.web_entity_id,
            "name": lambda e: folded(e.name),
            "status": lambda e: e.status.value,
            "homepage": lambda e: folded(e.homepage or ""),
            "creation_date": lambda e: e.created_at,
            "last_modification_date": lambda e: e.modified_at,
            "pages_total": lambda e: e.n_pages,
            "pages_crawled": lambda e: e.n_pages_fetched,
            "crawled": lambda e: e.web_entity_id in self.crawled,
            "crawling_status": lambda e: self.latest.get(e.web_entity_id, NO_JOB).crawling.value,
            "indexing_status": lambda e: self.latest.get(e.web_entity_id, NO_JOB).indexing.value,
            "indegree": lambda e: degree(e, 0),
            "outdegree": lambda e: degree(e, 1),
            "undirected_degree": lambda e: degree(e, 2),
            "citing_in": lambda e: self.citing_in(e.web_entity_id),
        }

    def sorted(self, fields: list[str]) -> list[int]:
        found = sorted(self.entities.values(), key=lambda e: e.web_entity_id)
        for field in reversed(fields):
            found.sort(key=self.keys()[field.lstrip("-")], reverse=field.startswith("-"))
        return [e.web_entity_id for e in found]

    def where(self, test: Callable[[WebEntity], bool]) -> list[int]:
        return [i for i, e in sorted(self.entities.items()) if test(e)]


def address_texts(e: WebEntity) -> str:
    urls = [lru_to_url(p) for p in e.prefixes] + [p.url for p in e.start_pages] + [e.homepage or ""]
    return "\n".join([folded(e.name), *map(folded, urls), *e.prefixes])


def assert_like_the_records(curator: Curator) -> None:
    model = Model(curator.structure)
    for field in list(model.keys()):
        for fields in ([field], ["-" + field], ["status", "-" + field], [field, "-name"]):
            assert search(curator, {}, fields) == model.sorted(fields), fields
    for status in WebEntityStatus:
        assert search(curator, {"status": status}) == model.where(lambda e, s=status: e.status is s)  # type: ignore[misc]
    for word in ("elan", "PRESS", "x1", "x1.com", "http://x2.com/", "s:http|h:com|h:x3|", "nowhere"):
        plain = "x2.com" if "x2" in word else "x3.com" if "x3" in word else folded(word)
        found = ids(curator.call("store.search_webentities", word, [], "id", -1))
        assert found == model.where(lambda e, w=plain: w in address_texts(e)), word  # type: ignore[misc]
    texts = {i: whole_words(e) for i, e in model.entities.items()}
    for word in ("ete", "Blog", "com"):
        expected = model.where(lambda e, w=word: folded(w) in texts[e.web_entity_id])  # type: ignore[misc]
        assert ids(curator.call("store.wordsearch_webentities", word, [], "id", -1)) == expected, word
    assert_tags_like_the_records(curator, model)


def whole_words(e: WebEntity) -> set[str]:
    tags = " ".join(value for _, _, value in e.tags)
    return set(words_of(f"{address_texts(e)} {tags} {e.note}"))


def assert_tags_like_the_records(curator: Curator, model: Model) -> None:
    for kind in KINDS:
        has = model.where(lambda e, k=kind: ("USER", "kind", k) in e.tags)  # type: ignore[misc]
        assert search(curator, {"tags": [{"category": "kind", "value": kind}]}) == has
        assert ids(curator.call("store.get_webentities_by_tag_value", kind, "USER", "kind", "id", -1)) == has
    values = {i: [v for _, c, v in e.tags if c == "kind"] for i, e in model.entities.items()}
    some = model.where(lambda e: bool(values[e.web_entity_id]))
    assert ids(curator.call("store.get_webentities_by_tag_category", "USER", "kind", "id", -1)) == some
    assert search(curator, {"missing": ["kind"]}) == model.where(lambda e: not values[e.web_entity_id])
    assert search(curator, {"conflicting": ["kind"]}) == model.where(
        lambda e: len(values[e.web_entity_id]) > 1
    )
    facets = curator.call("store.facets", {})
    assert facets["total"] == len(model.entities)
    assert facets["status"] == {
        status.value: sum(e.status is status for e in model.entities.values()) for status in WebEntityStatus
    }
    if some:
        kind = facets["tags"]["USER"]["kind"]
        assert kind["without_value"] == len(model.entities) - len(some)
        assert kind["values"] == {
            k: n for k in sorted(KINDS) if (n := sum(k in found for found in values.values()))
        }


def change_something(structure: MemoryStructure, chance: random.Random) -> None:
    found = structure.list_web_entities()
    entity = chance.choice(found)
    what = chance.randrange(7)
    if what == 0:
        structure.set_statuses([entity.web_entity_id], chance.choice(list(WebEntityStatus)))
    elif what == 1:
        tags = [("USER", "kind", kind) for kind in KINDS if chance.random() < 0.4]
        structure.edit_web_entity(entity.web_entity_id, tags=tags, note=chance.choice(WORDS))
    elif what == 2:
        structure.edit_web_entity(entity.web_entity_id, name=" ".join(chance.choices(WORDS, k=2)))
    elif what == 3:
        url = lru_to_url(entity.prefixes[0]) + "/start"
        structure.edit_web_entity(entity.web_entity_id, start_pages=[StartPage(url, "user")], homepage=url)
    elif what == 4 and len(found) > 3:
        structure.merge_web_entities(
            entity.web_entity_id, next(e for e in found if e != entity).web_entity_id
        )
    elif what == 5:
        targets = [link(lru(f"x{chance.randrange(12)}.com", "p")) for _ in range(4)]
        source = lru(f"x{chance.randrange(12)}.com", str(chance.random()))
        structure.write_batch(batch(page(source, *targets)))
    else:
        job = structure.create_job(JobSpec(entity.web_entity_id, (), ()))
        if chance.random() < 0.5:
            structure.move_job(job.job_id, JobState.CANCELED)


@pytest.mark.parametrize("seed", range(4))
def test_listings_say_what_the_records_say_after_each_change(curator: Curator, seed: int) -> None:
    chance = random.Random(seed)
    structure = curator.structure
    structure.create_job(JobSpec(None, (), ()))
    for n in range(6):
        structure.declare_web_entity([lru(f"x{n}.com"), lru(f"www.x{n}.com")], name=chance.choice(WORDS))
    structure.set_statuses([1, 2, 3], WebEntityStatus.IN)
    both_ways = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)]
    structure.write_batch(
        batch(*(page(lru(f"x{a}.com", f"to{b}"), lru(f"x{b}.com", "p")) for a, b in both_ways))
    )
    assert_like_the_records(curator)
    for _ in range(12):
        change_something(structure, chance)
        curator.service.view(curator.corpus).note_change()
        assert_like_the_records(curator)


# -- methods one by one


@pytest.fixture
def three(curator: Curator) -> list[int]:
    return [curator.declare(f"http://x{n}.com", name=f"Site {n}", status="IN") for n in range(3)]


def test_a_name_is_matched_exactly(curator: Curator, three: list[int]) -> None:
    assert ids(curator.call("store.get_webentities_by_name", "Site 1", count=-1)) == [three[1]]
    assert curator.call("store.get_webentities_by_name", "site 1", count=-1) == []


def test_the_prospect_list_counts_entities_in_that_cite(curator: Curator, three: list[int]) -> None:
    structure = curator.structure
    structure.create_job(JobSpec(None, (), ()))
    for n, targets in enumerate([("a", "b"), ("b",), ("b", "a")]):
        links = [link(lru(f"{target}.org", f"p{i}")) for target in targets for i in range(3 - n)]
        structure.write_batch(batch(page(lru(f"x{n}.com", "p"), *links)))
    curator.call("store.set_webentity_status", three[2], "UNDECIDED")
    found = curator.call("store.search", {"status": "DISCOVERED"}, ["-citing_in", "name"])
    shown = [(each["name"], each["citing_in"]) for each in found["webentities"]]
    assert shown == [("B.org", 2), ("A.org", 1)] or shown == [("b.org", 2), ("a.org", 1)]


def test_mistagged_lists_follow_their_flags(curator: Curator, three: list[int]) -> None:
    for category, value in (("kind", "press"), ("kind", "blog"), ("country", "fr")):
        curator.call("store.add_webentity_tag_value", three[0], "USER", category, value)
    curator.call("store.add_webentity_tag_value", three[1], "USER", "kind", "press")
    curator.call("store.add_webentity_tag_value", three[1], "USER", "FREETAGS", "word")

    def mistagged(*flags: bool) -> list[int]:
        return ids(curator.call("store.get_webentities_mistagged", "IN", *flags, "id", -1))

    assert mistagged(False, False) == [three[2]]
    assert mistagged(True, False) == [three[1], three[2]]
    assert mistagged(False, True) == [three[0], three[2]]
    assert ids(curator.call("store.get_webentities_mistagged", "OUT", count=-1)) == []
    gaps = curator.call("store.gaps")
    assert [
        (g["category"], g["without_value"], g["with_one_value"], g["with_several_values"]) for g in gaps
    ] == [
        ("country", 2, 1, 0),
        ("kind", 1, 1, 1),
    ]


def test_uncrawled_are_those_in_without_a_crawl_that_counts(curator: Curator, three: list[int]) -> None:
    curator.call("store.set_webentity_status", three[2], "OUT")
    job = curator.structure.create_job(JobSpec(three[0], (), ()))

    def uncrawled() -> list[int]:
        curator.service.view(curator.corpus).note_change()
        return ids(curator.call("store.get_webentities_uncrawled", "id", -1))

    assert uncrawled() == [three[1]]
    curator.structure.move_job(job.job_id, JobState.CANCELED)
    assert uncrawled() == [three[0], three[1]]


def test_tags_are_completed_without_regard_to_accents_most_used_first(
    curator: Curator, three: list[int]
) -> None:
    for n, value in ((0, "État"), (1, "État"), (2, "étatique"), (0, "Grand état"), (0, "presse")):
        curator.call("store.add_webentity_tag_value", three[n], "USER", "kind", value)
    found = curator.call("store.autocomplete_tags", "ETA")
    assert [(each["value"], each["count"]) for each in found] == [
        ("État", 2),
        ("étatique", 1),
        ("Grand état", 1),
    ]
    assert curator.call("store.autocomplete_tags", "eta", category="other") == []
    assert len(curator.call("store.autocomplete_tags", "", count=2)) == 2


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ({"stauts": "IN"}, "did you mean status?"),
        ({"status": "MAYBE"}, "a status must be one of"),
        ({"indegree": "many"}, "takes a number or [least, most]"),
        ({"missing": [3]}, "objects with namespace and category"),
        ({"tags": [{"category": "kind", "value": 3}]}, "takes a text or a list of texts"),
        ({"crawled": "perhaps"}, "takes true or false"),
        ({"ids": ["1"]}, "takes a list of ids"),
        ({"missing": ["kind"] * 1001}, "at most 1000 members, not 1001"),
        ({"text": "a " * 201}, "at most 200 words, not 201"),
        ({"words": "(%)"}, "no word in '(%)'"),
        ({"words": ["press", '""']}, "no word in"),
        ({"indegree": [5, 2]}, "5 is not at most 2"),
        ({"pages_total": ["nan", None]}, "is not at most"),
        ({"words": " ".join(f"w{i}" for i in range(201))}, "at most 200 words, not 201"),
        ({"fields": {"name": "a " * 200, "note": "a"}}, "at most 200 words, not 201"),
    ],
)
def test_filters_that_say_nothing_are_refused(curator: Curator, filters: Any, words: str) -> None:
    assert words in curator.refusal("store.search", filters)["message"]


def test_the_first_of_equal_orders_counts(curator: Curator, three: list[int]) -> None:
    assert search(curator, {}, ["-id", "id", "-id"] * 5000) == sorted(three, reverse=True)


def test_pairs_of_a_search_are_limited(curator: Curator) -> None:
    refused = curator.refusal("store.search_webentities", fieldKeywords=[["name", "a"]] * 201)
    assert "at most 200 pairs, not 201" in refused["message"]


def test_filters_of_one_record_must_all_hold(curator: Curator, three: list[int]) -> None:
    curator.call("store.add_webentity_tag_value", three[0], "USER", "kind", "press")
    assert search(curator, {"untagged": True, "text": "site"}) == three[1:]
    assert search(curator, {"ids": three[:2], "untagged": True}) == [three[1]]
    assert search(curator, {"fields": {"name": "0 2"}}) == [three[0], three[2]]
    assert search(curator, {"having": [{"category": "kind"}], "words": "press"}) == [three[0]]
    assert search(curator, {"pages_total": [1, None]}) == []
    assert search(curator, {"name": "Site 2", "status": ["OUT", "IN"]}) == [three[2]]
    created = curator.entity(three[1])["creation_date"]
    assert three[1] in search(curator, {"creation_date": created})
    assert search(curator, {"creation_date": [None, 1000]}) == []


def test_facets_come_with_a_search_when_asked_for(curator: Curator, three: list[int]) -> None:
    answer = curator.call("store.search", {"status": "IN"}, "name", 2, facets=True)
    assert (answer["total_results"], answer["facets"]["total"], answer["last_page"]) == (3, 3, 1)
    assert "facets" not in curator.call("store.search", {"status": "IN"}, "name", 2)


def test_pages_of_a_listing_keep_their_ids_and_names_follow(curator: Curator, three: list[int]) -> None:
    first = curator.call("store.get_webentities", [], "name", 2)
    curator.call("store.rename_webentity", three[2], "A new name")
    curator.declare("http://later.com")
    rest = curator.call("store.get_webentities_page", first["token"], 1, True)
    assert rest == [[three[2], "A new name"]]
    assert curator.call("store.get_webentities_ranking_stats", first["token"]) == {"0": 3}
    curator.call("store.delete_webentity", three[2])
    assert curator.call("store.get_webentities_page", first["token"], 1)["webentities"] == []


def test_a_search_of_a_status_for_another_status_finds_nothing(curator: Curator, three: list[int]) -> None:
    fields = [["status", "IN"], ["status", "OUT"]]
    assert curator.call("store.search_webentities", [], fields, count=-1) == []
    assert ids(curator.call("store.search_webentities", [], [["crawled", False]], "id", -1)) == three


# -- memory


class Entities:
    def __init__(self, n_entities: int) -> None:
        self.n_entities = n_entities
        self.is_used = False

    def forget_if_unused(self) -> bool:
        if not self.is_used:
            self.n_entities = 0
        return not self.is_used


def test_the_catalogues_used_first_are_dropped_when_there_are_too_many_entities() -> None:
    shelf = Shelf(100)
    kept = [Entities(40) for _ in range(3)]
    for one in kept[:2]:
        shelf.note_use(one)
    kept[0].is_used = True
    shelf.note_use(kept[2])
    assert [one.n_entities for one in kept] == [40, 0, 40]
    large = Entities(500)
    shelf.note_use(large)
    assert [one.n_entities for one in kept] == [40, 0, 0]
    assert large.n_entities == 500


def test_a_dropped_catalogue_reads_the_corpus_again(curator: Curator, three: list[int]) -> None:
    catalogue = Catalogue(curator.structure)
    with catalogue.now():
        assert catalogue.n_entities == 3
    assert catalogue.forget_if_unused()
    assert catalogue.n_entities == 0
    with catalogue.now():
        assert catalogue.n_entities == 3


def test_entities_of_jobs_are_listed_though_some_are_gone(curator: Curator, three: list[int]) -> None:
    gone = [None, *three[:1], three[-1] + 100]
    assert ids(curator.call("store.get_webentities", gone, ["name"])) == three[:1]
    assert ids(curator.call("store.get_webentities", gone)) == three[:1]
    assert curator.call("store.get_webentities", [None]) == []
