"""Options of a corpus: what each accepts, and what becomes of objects given in part."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hyphe_core.api.failures import Refusal
from hyphe_core.api.options import changed_options, shown_options
from memory_structure.corpus_records import CorpusOptions

PLAIN = CorpusOptions()


def shown_after(name: str, value: Any, options: CorpusOptions = PLAIN) -> Any:
    return shown_options(changed_options(options, {name: value}))[name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("keepalive", 60),
        ("max_depth", 2),
        ("obey_robots", False),
        ("ignore_internal_links", True),
        ("defaultStartpagesMode", ["startpages", "homepage", "prefixes", "pages-7"]),
        ("defaultCreationRule", "subdomain-2"),
        ("follow_redirects", ["bit.ly", "t.co", "https://lnkd.in/x"]),
        ("proxy", {"host": "proxy.example", "port": 3128}),
        ("proxy", {"host": "::1", "port": 1}),
        (
            "phantom",
            {
                "timeout": 1,
                "idle_timeout": 2,
                "ajax_timeout": 3,
                "whitelist_domains": ["a.org"],
                "autoretry": True,
            },
        ),
        ("webarchives_option", ""),
        ("webarchives_date", "2020-02-29"),
        ("webarchives_days_range", 9125),
        ("depthHypheBro", 1),
        ("precision_limit", None),
        ("precision_limit", 0),
        ("delay_seconds", 0.5),
        ("user_agent", "my crawler (me@example.org)"),
        ("full_durability", True),
        ("keep_bodies", False),
        ("keep_text", False),
        ("private_suffixes", False),
        ("drop_tracking", False),
        ("allow_private_networks", True),
    ],
)
def test_what_fits_is_kept(name: str, value: Any) -> None:
    assert shown_after(name, value) == value


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("keepalive", -1, "between 0"),
        ("keepalive", True, "keepalive"),
        ("keepalive", "soon", "keepalive"),
        ("max_depth", 1.5, "max_depth"),
        ("obey_robots", "perhaps", "obey_robots"),
        ("obey_robots", None, "obey_robots"),
        ("ignore_internal_links", 7, "ignore_internal_links"),
        ("defaultStartpagesMode", "homepages", "did you mean homepage"),
        ("defaultStartpagesMode", ["pages-x"], "pages-x"),
        ("defaultStartpagesMode", [], "one start mode or more"),
        ("defaultStartpagesMode", ["default"], "cannot name it"),
        ("defaultCreationRule", "domains", "domains"),
        ("follow_redirects", "bit.ly", "must be a list"),
        ("follow_redirects", ["bit"], "not 'bit'"),
        ("follow_redirects", ["bit.nosuchsuffix"], "bit.nosuchsuffix"),
        ("follow_redirects", ["127.0.0.1"], "127.0.0.1"),
        ("proxy", "http://p:1", "must be an object"),
        ("proxy", {"host": "p"}, "port from 1"),
        ("proxy", {"host": "p", "port": 0}, "port from 1"),
        ("proxy", {"host": "p", "port": 70000}, "65535"),
        ("proxy", {"host": "user:pw@p", "port": 1}, "host alone"),
        ("proxy", {"host": "p/x", "port": 1}, "host alone"),
        ("proxy", {"hots": "p"}, "did you mean host"),
        ("phantom", {"time_out": 1}, "did you mean timeout"),
        ("phantom", {"timeout": -1}, "timeout must be between"),
        ("phantom", {"autoretry": "x"}, "autoretry"),
        ("phantom", {"whitelist_domains": "a"}, "whitelist_domains must be a list"),
        ("phantom", 5, "must be an object"),
        ("webarchives_option", "web.archive.org", "the live web alone"),
        ("webarchives_date", "yesterday", "2012-07-01"),
        ("webarchives_date", "2021-02-29", "2012-07-01"),
        ("webarchives_days_range", "many", "webarchives_days_range"),
        ("delay_seconds", float("nan"), "delay_seconds"),
        ("user_agent", "a\r\nX-Injected: 1", "one line"),
        ("precision_limit", 101, "100"),
        ("suffix_list", "x", "unknown"),
        ("extra", {}, "unknown"),
        ("defautStartpagesMode", ["homepage"], "did you mean defaultStartpagesMode"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(name: str, value: Any, words: str) -> None:
    with pytest.raises(Refusal) as caught:
        changed_options(PLAIN, {name: value})
    assert str(caught.value.message).startswith(f"option {name} ")
    assert words in str(caught.value.message)


def test_objects_given_in_part_keep_the_rest() -> None:
    options = changed_options(PLAIN, {"phantom": {"timeout": 5}, "proxy": {"host": "p", "port": 1}})
    options = changed_options(options, {"phantom": {"autoretry": True}, "proxy": {"port": 2}})
    assert shown_options(options)["phantom"] == {
        "timeout": 5,
        "idle_timeout": 20,
        "ajax_timeout": 15,
        "whitelist_domains": [],
        "autoretry": True,
    }
    assert options.proxy == "http://p:2"
    assert changed_options(options, {"proxy": {"host": None}}).proxy is None


def test_what_is_shown_is_shared_with_nobody() -> None:
    shown = shown_options(PLAIN)
    expected = json.dumps(shown)
    shown["phantom"]["timeout"] = 1
    shown["phantom"]["whitelist_domains"].append("x")
    shown["follow_redirects"].append("x")
    shown["defaultStartpagesMode"].clear()
    assert json.dumps(shown_options(PLAIN)) == expected


def test_given_objects_are_not_kept_by_reference() -> None:
    domains = ["a.org"]
    options = changed_options(PLAIN, {"phantom": {"whitelist_domains": domains}})
    domains.append("b.org")
    assert shown_options(options)["phantom"]["whitelist_domains"] == ["a.org"]
