"""What a policy keeps of a page's links, and why it drops the others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hyphe_core.parsers.base import Link
from hyphe_core.parsers.outlink_policy import DropCount, DropReason, OutlinkPolicy, Place, nutch_policy
from hyphe_core.parsers.url_rules.basic_normalizer import BasicNormalizer
from hyphe_core.parsers.url_rules.chains import FilterChain, NormalizerChain
from hyphe_core.parsers.url_rules.regex_filter import RegexFilter, read_regex_rules
from memory_structure.records import Area, LinkKind

PAGE = "http://a.com/p"
POLICY = OutlinkPolicy(normalizers=NormalizerChain((BasicNormalizer(),)))


def link(url: str, anchor: str = "") -> Link:
    return Link(url, LinkKind.HYPERLINK, anchor, "", Area.MAIN)


def test_every_dropped_link_is_counted_with_its_reason() -> None:
    policy = replace(
        POLICY,
        max_characters=30,
        max_links=2,
        ignores_external=True,
        filters=FilterChain((RegexFilter(read_regex_rules("-skip\n+.")),)),
    )
    urls = [
        "http://a.com/" + "x" * 30,
        PAGE,
        "http://b.com/",
        "http://A.com/p#top",
        "http://a.com/skip",
        "http://a.com/1",
        "http://a.com/./1",
        "tel:1",
        "http://a.com/2",
        "http://a.com/3",
        "http://a.com/4",
    ]
    kept = policy.apply(PAGE, [link(url) for url in urls])
    assert [one.url for one in kept.links] == ["http://a.com/1", "http://a.com/2"]
    assert kept.dropped == (
        DropCount(DropReason.TOO_LONG, 1),
        DropCount(DropReason.SELF, 2),
        DropCount(DropReason.EXTERNAL, 1),
        DropCount(DropReason.MALFORMED, 1),
        DropCount(DropReason.FILTERED, 1),
        DropCount(DropReason.DUPLICATE, 1),
        DropCount(DropReason.OVER_LIMIT, 2),
    )
    assert kept.n_examined == 9
    assert len(kept.links) + sum(count.n_links for count in kept.dropped) == len(urls)


def test_the_first_of_equal_links_keeps_its_place_and_takes_an_anchor() -> None:
    found = [link("http://a.com/1"), link("http://a.com/2", "two"), link("http://a.com/1", "one")]
    kept = POLICY.apply(PAGE, found)
    assert [(one.url, one.anchor) for one in kept.links] == [
        ("http://a.com/1", "one"),
        ("http://a.com/2", "two"),
    ]
    all_kept = replace(POLICY, drops_duplicates=False).apply(PAGE, found)
    assert [one.anchor for one in all_kept.links] == ["", "two", "one"]


def test_anchors_are_cut_where_the_policy_says() -> None:
    found = [link("http://a.com/1", "x" * 250)]
    assert len(POLICY.apply(PAGE, found).links[0].anchor) == 250
    assert len(replace(POLICY, max_anchor_characters=100).apply(PAGE, found).links[0].anchor) == 100


@pytest.mark.parametrize(
    ("change", "url", "verdict"),
    [
        ({}, "http://a.com/p#top", DropReason.SELF),
        ({"drops_self": False}, "http://a.com/p#top", PAGE),
        ({"ignores_internal": True}, "http://A.com/q", DropReason.INTERNAL),
        ({"ignores_internal": True}, "http://www.a.com/q", "http://www.a.com/q"),
        ({"ignores_internal": True, "place": Place.DOMAIN}, "http://www.a.com/q", DropReason.INTERNAL),
        ({"ignores_external": True, "place": Place.DOMAIN}, "http://b.com/", DropReason.EXTERNAL),
        ({"ignores_external": True}, "http://no:port/", DropReason.MALFORMED),
        ({"max_characters": None}, "http://a.com/" + "x" * 5000, "http://a.com/" + "x" * 5000),
        ({}, "mailto:x@a.com", "mailto:x@a.com"),
    ],
)
def test_one_link(change: dict[str, object], url: str, verdict: str | DropReason) -> None:
    assert replace(POLICY, **change).judge(PAGE, url) == verdict  # type: ignore[arg-type]


def test_exemptions_hold_in_both_modes() -> None:
    exempt = RegexFilter(read_regex_rules("+(?i)\\.png$"))
    for place in Place:
        policy = replace(POLICY, ignores_external=True, place=place, exemptions=exempt)
        assert policy.judge(PAGE, "http://b.com/x.PNG") == "http://b.com/x.PNG"
        assert policy.judge(PAGE, "http://b.com/x") is DropReason.EXTERNAL


def test_a_redirect_obeys_the_rules_for_links() -> None:
    policy = replace(POLICY, ignores_external=True)
    assert policy.find_redirect(PAGE, "http://A.com/q") == "http://a.com/q"
    assert policy.find_redirect(PAGE, PAGE) is None
    assert policy.find_redirect(PAGE, "http://b.com/") is None


def test_the_shipped_policy_keeps_a_hundred_links_without_queries() -> None:
    found = [link(f"http://b.com/{i}") for i in range(150)] + [link("http://b.com/?q=1")]
    kept = nutch_policy().apply(PAGE, [found[-1], *found])
    assert len(kept.links) == 100
    assert kept.dropped[0] == DropCount(DropReason.FILTERED, 1)


def test_a_policy_without_limits_loses_nothing() -> None:
    found = [link(f"http://b.com/{i}") for i in range(150)]
    policy = OutlinkPolicy(max_characters=None, max_links=None)
    assert policy.apply(PAGE, found).links == tuple(found)
