"""Web entities, pages, links and rules as clients see them: what is in the answers, not only their shape."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from memory_structure.creation_rules import HYPHE_DEFAULT_RULES
from tests.contract.hyphe_api import result_faults
from tests.service.conftest import BODY, FULL
from tests.service.service_process import Client, Failed

ONE, TWO, THREE = 1, 2, 3
HOME = "s:http|h:com|h:example|h:one|"


def denied(client: Client, method: str, *params: Any, **named: Any) -> Any:
    with pytest.raises(Failed) as caught:
        client.call(method, *params, **named)
    return caught.value.message


@pytest.fixture(scope="module")
def entities(service: Any) -> Iterator[tuple[Client, str, list[int]]]:
    """A corpus of 25 entities: Site 00 to Site 24."""
    client = service.client()
    corpus = client.call("create_corpus", "Listing")["corpus_id"]
    ids = []
    for n in range(25):
        lru = f"s:http|h:org|h:site{n}|"
        status = ["IN", "OUT", "UNDECIDED"][n % 3]
        declared = client.call(
            "store.declare_webentity_by_lrus",
            list_lrus=[lru], name=f"Site {n:02}", status=status, startpages=[f"http://site{n}.org/start{n}"],
            corpus=corpus,
        )  # fmt: skip
        ids.append(declared["id"])
    yield client, corpus, ids
    client.call("destroy_corpus", corpus)


# -- listings -----------------------------------------------------------------------------------------------


def test_a_page_of_a_listing_leads_to_the_others(entities: tuple[Client, str, list[int]]) -> None:
    client, corpus, ids = entities
    first = client.call("store.get_webentities", sort="name", count=10, light=True, corpus=corpus)
    assert result_faults("store.get_webentities", first) == []
    assert (first["total_results"], first["page"], first["last_page"]) == (25, 0, 2)
    assert (first["previous_page"], first["next_page"]) == (None, 1)
    assert all(e["crawling_status"] == "UNCRAWLED" for e in first["webentities"])
    found = [e["id"] for e in first["webentities"]]
    for n in (1, 2):
        page = client.call(
            "store.get_webentities_page", pagination_token=first["token"], n_page=n, corpus=corpus
        )
        assert result_faults("store.get_webentities_page", page) == []
        assert page["previous_page"] == n - 1
        found += [e["id"] for e in page["webentities"]]
    assert page["next_page"] is None
    assert found == ids
    names = client.call("store.get_webentities_page", first["token"], 2, True, corpus)
    assert names == [[i, f"Site {n:02}"] for n, i in list(enumerate(ids))[20:]]
    assert client.call("store.get_webentities_ranking_stats", first["token"], corpus) == {"0": 25}


def test_a_listing_is_frozen_and_gone_entities_are_left_out(entities: tuple[Client, str, list[int]]) -> None:
    client, corpus, _ids = entities
    first = client.call(
        "store.get_webentities_by_status", status="UNDECIDED", count=3, sort="name", corpus=corpus
    )
    moved = first["webentities"][0]["id"]
    client.call("store.set_webentity_status", moved, "OUT", corpus)
    again = client.call("store.get_webentities_page", first["token"], 0, False, corpus)
    assert [e["id"] for e in again["webentities"]] == [e["id"] for e in first["webentities"]]
    assert again["webentities"][0]["status"] == "OUT"
    client.call("store.set_webentity_status", moved, "UNDECIDED", corpus)


def test_what_fits_on_one_page_has_no_token(entities: tuple[Client, str, list[int]]) -> None:
    client, corpus, _ = entities
    page = client.call("store.get_webentities_by_status", status="IN", count=100, corpus=corpus)
    assert (page["token"], page["next_page"], page["total_results"]) == (None, None, 9)


def test_count_minus_one_and_ids_give_plain_lists(entities: tuple[Client, str, list[int]]) -> None:
    client, corpus, ids = entities
    everything = client.call("store.get_webentities", count=-1, sort="-name", corpus=corpus)
    assert [e["id"] for e in everything] == ids[::-1]
    some = client.call("store.get_webentities", list_ids=[ids[7], ids[2], 99999], corpus=corpus)
    assert [e["id"] for e in some] == [ids[7], ids[2]]
    in_order = client.call(
        "store.get_webentities", list_ids=[ids[7], ids[2]], sort=["-status", "name"], corpus=corpus
    )
    assert [e["id"] for e in in_order] == [ids[2], ids[7]]


@pytest.mark.parametrize(
    ("words", "fields", "expected"),
    [
        ("SITE 07", [], [7]),
        (["site", "start12"], [], [12]),
        ("h:site3|", [], [3]),
        ("http://site4.org", [], [4]),
        ("nowhere", [], []),
        ([], [["status", "IN UNDECIDED"], ["name", "00 01 02"]], [0, 2]),
        ("", [["name", "24"]], [24]),
        ([], ["prefixes", "site9|"], [9]),
        ([], [["indegree", [1, 5]]], []),
        ([".*"], [], []),
    ],
)
def test_search_needs_every_word_and_every_field(
    entities: tuple[Client, str, list[int]], words: Any, fields: Any, expected: list[int]
) -> None:
    client, corpus, ids = entities
    found = client.call(
        "store.search_webentities",
        allFieldsKeywords=words,
        fieldKeywords=fields,
        sort="name",
        count=-1,
        corpus=corpus,
    )
    assert [e["id"] for e in found] == [ids[n] for n in expected]


@pytest.mark.parametrize(
    "named",
    [
        {"sort": "colour"},
        {"sort": 5},
        {"count": 0},
        {"fieldKeywords": [["colour", "red"]]},
        {"fieldKeywords": "status"},
        {"fieldKeywords": [["indegree", "many"]]},
    ],
)
def test_bad_filters_and_orders_are_told(entities: tuple[Client, str, list[int]], named: Any) -> None:
    client, corpus, _ = entities
    assert isinstance(denied(client, "store.search_webentities", **named, corpus=corpus), str)


@pytest.mark.parametrize("token", ["", "0" * 24, "zz"])
def test_an_unknown_token_is_told(client: Client, token: str) -> None:
    assert "token" in denied(client, "store.get_webentities_page", token, 1, False, FULL)
    assert "token" in denied(client, "store.get_webentities_ranking_stats", token, FULL)


def test_a_token_belongs_to_its_corpus(entities: tuple[Client, str, list[int]]) -> None:
    client, corpus, _ = entities
    token = client.call("store.get_webentities", count=1, corpus=corpus)["token"]
    assert "token" in denied(client, "store.get_webentities_page", token, 0, False, FULL)


def test_levels_show_more_and_more(client: Client) -> None:
    light, semilight, full, csv = (
        client.call(
            "store.get_webentities", list_ids=[ONE], light=a, semilight=b, light_for_csv=c, corpus=FULL
        )[0]
        for a, b, c in [
            (True, False, False),
            (False, True, False),
            (False, False, False),
            (False, False, True),
        ]
    )
    assert set(light) < set(semilight) < set(full)
    assert full["startpages"] == ["http://one.example.com/a"]
    assert semilight["tags"] == {"USER": {"kind": ["press"]}}
    assert full["tags"]["CORE-STARTPAGES"] == {"user": ["http://one.example.com/a"]}
    assert csv["prefixes"].count("|") == len(full["prefixes"]) - 1
    assert csv["tags"] == "http://one.example.com/a"
    assert (full["id"], full["_id"], full["pages_total"], full["pages_crawled"]) == (1, 1, 5, 4)


def test_an_entity_shows_its_latest_crawl(client: Client) -> None:
    (entity,) = client.call("store.get_webentity", ONE, FULL)
    assert (entity["crawling_status"], entity["indexing_status"], entity["crawled"]) == (
        "FINISHED",
        "FINISHED",
        True,
    )
    by_prefix = client.call("store.get_webentity_by_lruprefix", "s:http|h:com|h:example|", FULL)
    assert by_prefix == entity


def test_an_unknown_entity_is_an_empty_list_or_told(client: Client) -> None:
    assert client.call("store.get_webentity", 999, FULL) == []
    for method in ("get_webentity_pages", "get_webentity_ego_network", "get_webentity_referrers"):
        assert "999" in denied(client, f"store.{method}", webentity_id=999, corpus=FULL)


# -- declaring ----------------------------------------------------------------------------------------------


@pytest.fixture
def corpus(client: Client) -> Iterator[str]:
    name = client.call("create_corpus", "Declaring")["corpus_id"]
    yield name
    client.call("destroy_corpus", name)


@pytest.mark.parametrize(
    ("lru", "canonical"),
    [
        ("s:http|t:80|h:com|h:xyz|", "s:http|h:com|h:xyz|"),
        ("s:https|t:443|h:com|h:xyz|", "s:https|h:com|h:xyz|"),
        ("s:http|h:uk|h:co|h:x|p:|", "s:http|h:co.uk|h:x|"),
        ("s:http|h:COM|h:XYZ|p:a%41|f:top|", "s:http|h:com|h:xyz|p:aA|"),
        ("s:http|t:8000|h:com|h:xyz|p:a|p:|", "s:http|t:8000|h:com|h:xyz|p:a|"),
    ],
)
def test_lrus_cut_by_clients_become_canonical(client: Client, corpus: str, lru: str, canonical: str) -> None:
    entity = client.call("store.declare_webentity_by_lru", lru, None, None, None, False, None, corpus)
    assert entity["prefixes"] == [canonical]
    assert client.call("store.get_webentity_by_lruprefix", lru, corpus)["id"] == entity["id"]
    assert client.call("store.simulate_creationrules_for_lrus", [lru], corpus) == {lru: canonical}


def test_variations_are_owned_where_nobody_owns_them(client: Client, corpus: str) -> None:
    client.call(
        "store.declare_webentity_by_lru", "s:https|h:com|h:xyz|", None, None, None, False, None, corpus
    )
    entity = client.call("store.declare_webentity_by_lruprefix_as_url", url="http://xyz.com/", corpus=corpus)
    assert set(entity["prefixes"]) == {
        "s:http|h:com|h:xyz|",
        "s:http|h:com|h:xyz|h:www|",
        "s:https|h:com|h:xyz|h:www|",
    }
    assert entity["created"] is True
    assert entity["status"] == "DISCOVERED"
    assert entity["homepage"] == "http://www.xyz.com"


def test_a_prefix_has_one_owner(client: Client, corpus: str) -> None:
    client.call("store.declare_webentity_by_lruprefix_as_url", url="http://xyz.com/", corpus=corpus)
    assert "already" in denied(
        client, "store.declare_webentity_by_lruprefix_as_url", url="http://xyz.com/", corpus=corpus
    )
    assert len(client.call("store.get_webentities", count=-1, corpus=corpus)) == 1


@pytest.mark.parametrize(
    "named",
    [
        {"list_lrus": []},
        {"list_lrus": ["nonsense"]},
        {"list_lrus": ["s:http|h:com|h:xyz|"], "status": "MAYBE"},
        {"list_lrus": ["s:http|h:com|h:xyz|"], "startpages": ["http://elsewhere.com/"]},
        {"list_lrus": ["s:http|h:com|h:xyz|"], "startpages": ["mailto:a@b.c"]},
        {"list_lrus": ["s:http|h:com|h:xyz|"], "tags": {"USER": "press"}},
        {"list_lrus": ["s:http|h:com|h:xyz|"], "tags": {"USER": {"a": [True]}}},
    ],
)
def test_a_declaration_that_fails_leaves_nothing(client: Client, corpus: str, named: Any) -> None:
    assert isinstance(denied(client, "store.declare_webentity_by_lrus", **named, corpus=corpus), str)
    assert client.call("store.get_webentities", count=-1, corpus=corpus) == []


def test_tags_and_start_pages_are_declared_along(client: Client, corpus: str) -> None:
    entity = client.call(
        "store.declare_webentity_by_lrus",
        list_lrus=["s:http|h:com|h:xyz|"],
        startpages=["", None, "xyz.com/", "http://www.xyz.com/a"],
        tags={"USER": {"a": "1", "b": ["2", "3", ""]}},
        corpus=corpus,
    )
    assert entity["startpages"] == ["http://xyz.com", "http://www.xyz.com/a"]
    assert entity["tags"]["USER"] == {"a": ["1"], "b": ["2", "3"]}


def test_a_declared_page_belongs_to_an_entity(client: Client, corpus: str) -> None:
    first = client.call("declare_page", "http://www.xyz.com/a?b=c", corpus)
    again = client.call("declare_page", "http://xyz.com/other", corpus)
    assert (first["created"], again["created"], first["id"]) == (True, False, again["id"])
    pages = client.call("store.get_webentity_pages", first["id"], False, corpus)
    assert [p["url"] for p in pages] == ["http://www.xyz.com/a?b=c", "http://xyz.com/other"]
    assert client.call("store.get_webentity_pages", first["id"], True, corpus) == []


def test_bad_urls_are_told_and_the_others_declared(client: Client, corpus: str) -> None:
    with pytest.raises(Failed) as caught:
        client.call("declare_pages", ["http://a.com/", "two words", "http://b.org/", "ftp://c.net/"], corpus)
    answer = caught.value.answer
    assert len(answer["errors"]) == 2
    assert [e["name"] for e in answer["results"]] == ["A.com", "B.org"]
    assert len(client.call("store.get_webentities", count=-1, corpus=corpus)) == 2


@pytest.mark.parametrize(
    "url", ["", "http://", "two words", "mailto:a@b.c", "http://com/", "\u202e", "http://[::1"]
)
def test_what_is_no_address_is_told_in_words(client: Client, url: str) -> None:
    for method in ("declare_page", "store.get_webentity_for_url", "store.get_webentity_by_lruprefix_as_url"):
        assert isinstance(denied(client, method, url, FULL), str)


def test_statuses_are_set_one_by_one_and_many_at_once(client: Client, corpus: str) -> None:
    ids = [client.call("declare_page", f"http://s{n}.org/", corpus)["id"] for n in range(3)]
    client.call("store.set_webentity_status", ids[0], "in", corpus)
    assert len(client.call("store.set_webentities_status", ids[1:], "OUT", corpus)) == 2
    with pytest.raises(Failed) as caught:
        client.call("store.set_webentities_status", [ids[0], 99], "UNDECIDED", corpus)
    assert len(caught.value.answer["results"]) == 1
    statuses = [
        e["status"]
        for e in client.call("store.get_webentities", ids, None, -1, 0, True, False, False, corpus)
    ]
    assert statuses == ["UNDECIDED", "OUT", "OUT"]
    assert "DISCOVERED" in denied(client, "store.set_webentity_status", ids[0], "GONE", corpus)
    assert denied(client, "store.set_webentity_status", 99, "IN", corpus)


# -- pages and links ----------------------------------------------------------------------------------------


def test_pages_come_some_at_a_time_until_the_token_is_null(client: Client) -> None:
    token, urls, n_calls = None, [], 0
    while True:
        part = client.call(
            "store.paginate_webentity_pages", webentity_id=ONE, count=2, pagination_token=token, corpus=FULL
        )
        urls += [page["url"] for page in part["pages"]]
        token, n_calls = part["token"], n_calls + 1
        if token is None:
            break
    assert n_calls == 3
    assert urls == [p["url"] for p in client.call("store.get_webentity_pages", ONE, False, FULL)]
    assert len(urls) == 5


def test_metas_tell_what_the_last_fetch_said(client: Client) -> None:
    answer = client.call(
        "store.paginate_webentity_pages",
        webentity_id=ONE,
        onlyCrawled=True,
        include_page_metas=True,
        corpus=FULL,
    )
    pages = {page["url"]: page for page in answer["pages"]}
    assert len(pages) == 4
    home = pages["http://one.example.com"]
    assert (home["status"], home["depth"], home["content_type"], home["size"]) == (
        200,
        0,
        "text/html",
        len(BODY),
    )
    assert home["crawl_timestamp"] == "1772366400000"
    slow = pages["http://one.example.com/slow"]
    assert (slow["status"], slow["error"]) == (0, "timeout")


def test_bodies_are_packed_or_plain(client: Client) -> None:
    for plain in (False, True):
        answer = client.call(
            "store.paginate_webentity_pages",
            webentity_id=ONE, include_page_body=True, body_as_plain_text=plain, corpus=FULL,
        )  # fmt: skip
        (body,) = [page["body"] for page in answer["pages"] if "body" in page]
        assert (body if plain else zlib.decompress(base64.b64decode(body)).decode()) == BODY.decode()


@pytest.mark.parametrize("token", ["x", "%%%", "AAAA", "\u00e9"])
def test_a_token_that_was_not_given_is_told_or_begins_somewhere(client: Client, token: str) -> None:
    assert "token" in denied(
        client,
        "store.paginate_webentity_pagelinks_network",
        webentity_id=ONE,
        pagination_token=token,
        corpus=FULL,
    )


def test_page_links_are_summed_by_pair_and_leave_out_head_links(client: Client) -> None:
    inside = client.call("store.get_webentity_pagelinks_network", ONE, False, FULL)
    assert inside == [[HOME, HOME + "p:a|", 3]]
    both = client.call("store.get_webentity_pagelinks_network", ONE, True, FULL)
    two = "s:http|h:org|h:two|h:www|"
    assert sorted(both) == sorted(
        [
            [HOME, HOME + "p:a|", 3],
            [HOME, two + "p:x|", 1],
            [HOME, two + "p:y|", 1],
            [HOME + "p:a|", two + "p:x|", 1],
            [HOME + "p:a|", "s:http|h:net|h:three|", 1],
            [two + "p:x|", HOME, 1],
        ]
    )


@pytest.mark.parametrize("count", [1, 2, 3, 100])
def test_page_links_come_some_at_a_time(client: Client, count: int) -> None:
    links: list[Any] = []
    token = None
    while True:
        part = client.call(
            "store.paginate_webentity_pagelinks_network",
            webentity_id=ONE,
            count=count,
            pagination_token=token,
            include_external_outlinks=True,
            corpus=FULL,
        )
        assert len(part["links"]) <= count
        links += part["links"]
        token = part["token"]
        if token is None:
            break
    leaving = client.call("store.get_webentity_pagelinks_network", ONE, True, FULL)
    assert links == [link for link in leaving if link[0].startswith(HOME)]


def test_the_most_linked_pages_come_first(client: Client) -> None:
    pages = client.call("store.get_webentity_mostlinked_pages", webentity_id=TWO, corpus=FULL)
    assert [(p["url"], p["linked"]) for p in pages] == [
        ("http://www.two.org/x", 2),
        ("http://www.two.org/y", 1),
    ]
    assert client.call("store.get_webentity_mostlinked_pages", TWO, 1, None, FULL) == pages[:1]
    assert client.call("store.get_webentity_mostlinked_pages", TWO, 5, 0, FULL) == []


# -- networks -----------------------------------------------------------------------------------------------


def test_the_network_weighs_distinct_pairs_and_minds_statuses(client: Client) -> None:
    from_one = [[ONE, TWO, 3], [ONE, THREE, 1]]
    assert client.call("store.get_webentities_network", corpus=FULL) == from_one
    assert client.call("store.get_webentities_network", True, False, FULL) == [*from_one, [TWO, ONE, 1]]
    assert client.call("store.get_webentity_ego_network", THREE, FULL) == [[ONE, THREE, 1]]
    assert client.call("store.get_webentity_ego_network", TWO, FULL) == [[ONE, TWO, 3], [TWO, ONE, 1]]


def test_the_network_follows_a_change_at_once(client: Client) -> None:
    client.call("store.set_webentity_status", ONE, "OUT", FULL)
    assert client.call("store.get_webentities_network", corpus=FULL) == []
    client.call("store.set_webentity_status", ONE, "IN", FULL)
    assert len(client.call("store.get_webentities_network", corpus=FULL)) == 2


def test_neighbours_come_by_falling_weight(client: Client) -> None:
    referrals = client.call("store.get_webentity_referrals", webentity_id=ONE, count=-1, corpus=FULL)
    assert [(e["id"], e["weight"]) for e in referrals] == [(TWO, 3), (THREE, 1)]
    page = client.call("store.get_webentity_referrals", webentity_id=ONE, count=1, corpus=FULL)
    assert (page["total_results"], page["webentities"][0]["weight"]) == (2, 3)
    assert client.call("store.get_webentities_page", page["token"], 1, True, FULL) == [
        [THREE, "Three.net", 1]
    ]
    referrers = client.call("store.get_webentity_referrers", webentity_id=THREE, count=-1, corpus=FULL)
    assert [(e["id"], e["weight"]) for e in referrers] == [(ONE, 1)]


# -- rules --------------------------------------------------------------------------------------------------


def test_a_rule_counts_for_its_variations_until_it_is_deleted(client: Client, corpus: str) -> None:
    prefix = "s:http|h:com|h:xyz|"
    client.call("store.add_webentity_creationrule", prefix, "Path-1", corpus)
    rules = client.call("store.get_webentity_creationrules", None, corpus)
    assert result_faults("store.get_webentity_creationrules", rules) == []
    by_prefix = {rule["prefix"]: rule["name"] for rule in rules}
    assert (rules[0]["name"], by_prefix[prefix]) == ("domain", "path-1")
    urls = ["http://xyz.com/a/b", "https://www.xyz.com/a/b", "http://y.com/a/b"]
    simulated = client.call("store.simulate_creationrules_for_urls", urls, corpus)
    assert list(simulated.values()) == [
        "s:http|h:com|h:xyz|p:a|",
        "s:https|h:com|h:xyz|h:www|p:a|",
        "s:http|h:com|h:y|",
    ]
    for url, simulated_prefix in simulated.items():
        assert simulated_prefix in client.call("declare_page", url, corpus)["prefixes"]
    assert (
        client.call("store.get_webentity_creationrules", "s:https|h:com|h:xyz|", corpus)["name"] == "path-1"
    )
    client.call("store.delete_webentity_creationrule", "s:https|h:com|h:xyz|h:www|", corpus)
    assert client.call("store.get_webentity_creationrules", prefix, corpus) is None
    assert denied(client, "store.delete_webentity_creationrule", prefix, corpus)


def test_a_new_corpus_makes_an_entity_of_each_account_of_a_large_platform(
    client: Client, corpus: str
) -> None:
    urls = ["https://twitter.com/bob/status/1", "https://www.facebook.com/groups/bob/x", "http://y.com/a"]
    simulated = client.call("store.simulate_creationrules_for_urls", urls, corpus)
    assert list(simulated.values()) == [
        "s:https|h:com|h:twitter|p:bob|",
        "s:https|h:com|h:facebook|h:www|p:groups|p:bob|",
        "s:http|h:com|h:y|",
    ]
    prefix = client.call("declare_page", urls[0], corpus)["prefixes"]
    assert "s:https|h:com|h:twitter|p:bob|" in prefix
    client.call("store.delete_webentity_creationrule", "s:http|h:com|h:twitter|", corpus)
    assert client.call("store.get_webentity_creationrules", "s:https|h:com|h:twitter|", corpus) is None
    client.call("reinitialize", corpus)
    rules = client.call("store.get_webentity_creationrules", None, corpus)
    assert "s:http|h:com|h:twitter|" not in {rule["prefix"] for rule in rules}
    assert len(rules) == len(HYPHE_DEFAULT_RULES)  # with the default rule, without the one deleted


@pytest.mark.parametrize("regexp", ["everything", "(s:[a-zA-Z]+", "path-0", ""])
def test_a_rule_that_is_no_preset_is_told(client: Client, regexp: str) -> None:
    assert denied(client, "store.add_webentity_creationrule", "s:http|h:com|h:xyz|", regexp, FULL)


def test_the_default_rule_can_be_replaced_and_not_removed(client: Client, corpus: str) -> None:
    client.call("store.add_webentity_creationrule", "DEFAULT_WEBENTITY_CREATION_RULE", "subdomain", corpus)
    assert client.call("store.get_default_webentity_creationrule", corpus)["name"] == "subdomain"
    assert client.call("get_corpus_options", corpus)["defaultCreationRule"] == "subdomain"
    assert denied(client, "store.delete_webentity_creationrule", "DEFAULT_WEBENTITY_CREATION_RULE", corpus)


def test_a_simulation_stores_nothing_and_answers_false_for_nonsense(client: Client, corpus: str) -> None:
    answer = client.call("store.simulate_creationrules_for_urls", ["http://xyz.com/", "two words"], corpus)
    assert answer == {"http://xyz.com/": "s:http|h:com|h:xyz|", "two words": False}
    assert client.call("store.get_webentities", count=-1, corpus=corpus) == []


def test_a_simulation_tells_the_owner_where_a_precision_exception_lies(client: Client) -> None:
    corpus = client.call("create_corpus", "Precise", "", {"precision_limit": 0})["corpus_id"]
    client.call("declare_page", "http://xyz.com/", corpus)
    client.call("declare_page", "http://xyz.com/a/b", corpus)
    answer = client.call("store.simulate_creationrules_for_urls", ["http://xyz.com/a/b/c"], corpus)
    assert answer == {"http://xyz.com/a/b/c": "s:http|h:com|h:xyz|"}
    client.call("destroy_corpus", corpus)


def test_a_homepage_is_shown_and_never_stored_by_a_read(client: Client) -> None:
    (entity,) = client.call("store.get_webentity", THREE, FULL)
    assert entity["homepage"] == "http://three.net"
    (semilight,) = client.call("store.get_webentities", list_ids=[THREE], semilight=True, corpus=FULL)
    assert semilight["homepage"] is None
    corpus = client.call("create_corpus", "Homes")["corpus_id"]
    named = {"list_lrus": ["s:https|h:com|h:xyz|p:a|", "s:http|h:com|h:xyz|p:b|"], "lruVariations": False}
    declared = client.call("store.declare_webentity_by_lrus", **named, corpus=corpus)
    assert declared["homepage"] == "http://xyz.com/b"
    client.call("destroy_corpus", corpus)
