"""Calls in the order of parameters of earlier versions of Hyphe."""

from __future__ import annotations

from typing import Any

import pytest

from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.failures import Fault
from hyphe_core.api.methods import Bound

TABLE = all_methods()
URL, LRU = "http://x.com/", "s:http|h:com|h:x|"
DECLARED: tuple[Any, ...] = ("X", "IN", [URL], True, {})


def argument(bound: Bound, name: str) -> Any:
    """What a parameter of that name got."""
    names = [p.name for p in bound.method.parameters if p.name != "corpus"]
    return bound.arguments[names.index(name)]


@pytest.mark.parametrize(
    ("method", "prefix"),
    [
        ("store.declare_webentity_by_lruprefix_as_url", URL),
        ("store.declare_webentity_by_lru", LRU),
        ("store.declare_webentity_by_lrus_as_urls", [URL]),
        ("store.declare_webentity_by_lrus", [LRU]),
    ],
)
def test_declarations_from_before_there_were_tags(method: str, prefix: Any) -> None:
    bound = TABLE.bind(method, [prefix, "X", "IN", [URL], True, "mine"])
    assert (bound.corpus_id, bound.arguments) == ("mine", (prefix, *DECLARED))
    today = TABLE.bind(method, [prefix, "X", "IN", [URL], True, {}, "mine"])
    assert (today.corpus_id, today.arguments) == ("mine", (prefix, *DECLARED))


@pytest.mark.parametrize(
    ("params", "mode", "cookies"),
    [
        ([7, 1, False, "IN", "startpages", None, {}, "mine"], ["startpages"], None),
        ([7, 1, False, "IN", "startpages", "a=b", {}, "mine"], ["startpages"], "a=b"),
        ([7, 1, False, "IN", ["startpages", "prefixes"], {}, "mine"], ["startpages", "prefixes"], None),
    ],
)
def test_crawls_from_before_there_were_proxies(params: list[Any], mode: Any, cookies: str | None) -> None:
    bound = TABLE.bind("crawl_webentity_with_startmode", params)
    assert (bound.corpus_id, argument(bound, "startmode")) == ("mine", mode)
    assert (argument(bound, "proxy"), argument(bound, "cookies_string")) == (None, cookies)


ARCHIVES = {"option": "", "date": "2020-01-01", "days_range": 9125}


@pytest.mark.parametrize("cookies", [None, "a=b"])
def test_crawls_of_the_web_frontend_from_before_it_named_a_user_agent(cookies: str | None) -> None:
    bound = TABLE.bind("crawl_webentity", [7, "1", False, "IN", None, cookies, {}, ARCHIVES, "mine"])
    assert (bound.method.name, bound.corpus_id) == ("crawl_webentity", "mine")
    assert (argument(bound, "cookies_string"), argument(bound, "webarchives")) == (cookies, ARCHIVES)
    today = TABLE.bind("crawl_webentity", [7, "1", False, "IN", None, cookies, "me", {}, ARCHIVES, "mine"])
    assert (today.corpus_id, argument(today, "user_agent")) == ("mine", "me")
    params = [7, 1, False, "IN", "default", None, {}, ARCHIVES, "mine"]
    by_mode = TABLE.bind("crawl_webentity_with_startmode", params)
    assert (by_mode.corpus_id, argument(by_mode, "startmode")) == ("mine", ["default"])
    assert (argument(by_mode, "cookies_string"), argument(by_mode, "webarchives")) == (None, ARCHIVES)


def test_crawls_that_chose_their_start_pages_by_flags_or_mode() -> None:
    bound = TABLE.bind("crawl_webentity", [7, 1, False, "IN", {}, "mine"])
    assert (bound.method.name, bound.corpus_id) == ("crawl_webentity", "mine")
    bound = TABLE.bind("crawl_webentity", [7, 1, False, "IN", "prefixes", {}, "mine"])
    assert (bound.method.name, argument(bound, "startmode")) == (
        "crawl_webentity_with_startmode",
        ["prefixes"],
    )
    bound = TABLE.bind("crawl_webentity", [7, 1, False, True])
    assert (argument(bound, "depth"), argument(bound, "status")) == (1, "IN")


def test_a_crawl_with_given_prefixes_has_its_corpus_where_cookies_are_today() -> None:
    params = [7, [URL], [LRU], [], [], 2, False, {}, 1]
    bound = TABLE.bind("crawl.start", [*params, None, "mine"])
    assert (bound.corpus_id, argument(bound, "cookies_string")) == ("mine", None)
    bound = TABLE.bind("crawl.start", [*params, "a=b", "mine"])
    assert (bound.corpus_id, argument(bound, "cookies_string")) == ("mine", "a=b")
    for cookies in ("a=b", "[hidden]"):
        today = TABLE.bind("crawl.start", [*params, None, cookies])
        assert (today.corpus_id, argument(today, "cookies_string")) == ("--hyphe--", cookies)


def test_a_list_of_entities_with_the_columns_before_the_order() -> None:
    bound = TABLE.bind("store.get_webentities", ["", False, False, "name", 100000, 0, True])
    assert bound.arguments == ((), "name", 100000, 0, False, False, True)
    today = TABLE.bind("store.get_webentities", ["", "name", 5, 1])
    assert today.arguments == ((), "name", 5, 1, False, False, False)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("store.declare_webentity_by_lru", [LRU, "X", "IN", [URL], True, 7]),
        ("store.declare_webentity_by_lru", [LRU, "X", "IN", [URL], 7, "mine"]),
        ("store.declare_webentity_by_lru", {"lru_prefix": LRU, "tags": "mine"}),
        ("crawl_webentity", [7, 1, False, {}]),
        ("ping", ["mine", "x"]),
    ],
)
def test_what_fits_no_order_fails_with_the_words_of_today(method: str, params: Any) -> None:
    with pytest.raises(Fault) as caught:
        TABLE.bind(method, params)
    with pytest.raises(Fault) as today:
        TABLE.get(method).bind(params)
    assert caught.value.words == today.value.words
