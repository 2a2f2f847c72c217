"""Faults in the handling of addresses that crawlers of this kind are known to have: none may occur here."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import memory_structure
from memory_structure.creation_rules import CreationRule, Preset, RuleSet
from memory_structure.lru import canonical_lru, lru_to_url
from memory_structure.prefixes import variations
from memory_structure.suffixes import suffix_list_version
from memory_structure.url_cutter import url_to_lru
from memory_structure.urls import BadUrl, UrlPolicy, clean_user_url, request_url

_TRACKING = Path(memory_structure.__file__).parent / "data" / "tracking_parameters.toml"


def cleaned(text: str) -> str:
    return url_to_lru(clean_user_url(text, UrlPolicy()))


class TestInternationalHosts:
    def test_a_host_in_another_script_is_accepted_and_equals_its_ascii_form(self) -> None:
        assert url_to_lru("http://пример.рф/x") == url_to_lru("http://xn--e1afmkfd.xn--p1ai/x")

    def test_a_suffix_in_another_script_is_one_stem_in_both_spellings(self) -> None:
        assert url_to_lru("http://例子.公司.cn/").startswith("s:http|h:xn--55qx5d.cn|h:")


class TestUnusualHosts:
    @pytest.mark.parametrize(
        ("url", "lru"),
        [
            ("http://[2001:db8::1]/a", "s:http|h:[2001:db8::1]|p:a|"),
            ("http://[2001:DB8:0:0:0:0:0:1]:8080/a", "s:http|t:8080|h:[2001:db8::1]|p:a|"),
            ("http://my_site.example.com/", "s:http|h:com|h:example|h:my_site|"),
            ("http://github.io/x", "s:http|h:io|h:github|p:x|"),
            ("http://s3.amazonaws.com/bucket", "s:http|h:com|h:amazonaws|h:s3|p:bucket|"),
            ("http://localhost.com/", "s:http|h:com|h:localhost|"),
            ("http://1.2.3.4.example.com/", "s:http|h:com|h:example|h:4|h:3|h:2|h:1|"),
        ],
    )
    def test_is_accepted(self, url: str, lru: str) -> None:
        assert url_to_lru(url) == lru

    def test_a_host_of_one_label_is_accepted_where_private_networks_are(self) -> None:
        assert url_to_lru("http://intranet/x", UrlPolicy(allow_single_label_hosts=True)) == (
            "s:http|h:intranet|p:x|"
        )

    @pytest.mark.parametrize("url", ["http://localhost.com/a", "http://1.2.3.4.example.com/a"])
    def test_a_host_that_only_begins_like_a_special_one_falls_under_the_default_rule(self, url: str) -> None:
        rules = RuleSet((CreationRule("", Preset.parse("domain")),))
        assert rules.decide(url_to_lru(url), None).creates


class TestQueries:
    @pytest.mark.parametrize("query", ["a=1&b=2&c", "a=1&a=&b=2", "q=a+b", "a=1;b=2", "a", "a=%zz"])
    def test_no_parameter_is_lost_or_changes_its_meaning_when_sent(self, query: str) -> None:
        sent = request_url(f"http://www.example.com/x?{query}")
        assert sent.partition("?")[2].replace("%25zz", "%zz") == query

    def test_a_plus_stays_a_plus_in_the_key(self) -> None:
        assert url_to_lru("http://example.com/?q=a+b").endswith("q:q=a+b|")

    def test_an_empty_value_and_no_value_are_kept_in_the_key(self) -> None:
        assert url_to_lru("http://example.com/?a=1&b=&c").endswith("q:a=1&b=&c|")


class TestPaths:
    def test_an_encoded_slash_splits_no_segment(self) -> None:
        assert url_to_lru("http://example.com/a%2fb") == "s:http|h:com|h:example|p:a%2Fb|"

    @pytest.mark.parametrize(
        "path", ["/~bob", "/a!", "/it's", "/(x)", "/a*b", "/a,b", "/a;b", "/@me", "/a:b"]
    )
    def test_legal_characters_are_shown_and_sent_as_they_are(self, path: str) -> None:
        url = f"http://example.com{path}"
        assert lru_to_url(url_to_lru(url)) == url
        assert request_url(url) == url

    def test_a_colon_has_one_canonical_form(self) -> None:
        lrus = {url_to_lru("http://example.com/a:b"), url_to_lru("http://example.com/a%3Ab")}
        assert lrus == {canonical_lru("s:http|h:com|h:example|p:a%3Ab|", UrlPolicy())}


class TestWhatPeopleType:
    @pytest.mark.parametrize(
        ("typed", "lru"),
        [
            ("HTTP://WWW.Example.COM/x", "s:http|h:com|h:example|h:www|p:x|"),
            ("  http://example.com/x ", "s:http|h:com|h:example|p:x|"),
            ("httpbin.org/get", "s:http|h:org|h:httpbin|p:get|"),
            ("//example.com/x", "s:http|h:com|h:example|p:x|"),
        ],
    )
    def test_is_understood(self, typed: str, lru: str) -> None:
        assert cleaned(typed) == lru

    @pytest.mark.parametrize("typed", ["mailto:a@b.c", "httpx://x.com/a", "javascript:void(0)", "", "   "])
    def test_is_refused_with_its_text_and_a_reason(self, typed: str) -> None:
        with pytest.raises(BadUrl) as caught:
            cleaned(typed)
        assert caught.value.reason


class TestForms:
    def test_twins_by_scheme_and_www_belong_to_one_prefix_set(self) -> None:
        lru = url_to_lru("http://www.example.com/")
        assert set(variations(lru)) == {
            url_to_lru(f"{scheme}://{www}example.com/")
            for scheme in ("http", "https")
            for www in ("", "www.")
        }

    def test_fragments_and_tracking_parameters_make_no_distinct_page(self) -> None:
        assert url_to_lru("http://example.com/a?utm_source=x&id=1#top") == url_to_lru(
            "http://example.com/a?id=1"
        )


class TestShippedLists:
    def test_the_suffix_list_needs_no_network_and_its_private_part_is_a_choice(self) -> None:
        private = url_to_lru("http://a.github.io/", UrlPolicy(private_suffixes=True))
        public = url_to_lru("http://a.github.io/", UrlPolicy(private_suffixes=False))
        assert (private, public) == ("s:http|h:github.io|h:a|", "s:http|h:io|h:github|h:a|")
        assert suffix_list_version()

    def test_no_item_of_a_data_file_is_malformed(self) -> None:
        items = list(_texts(tomllib.loads(_TRACKING.read_text("utf-8"))))
        assert items
        assert [item for item in items if not item or item != item.strip(" ,.\t")] == []


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
