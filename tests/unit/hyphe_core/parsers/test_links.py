"""Merging: one stored link for each (target, kind), with the evidence folded together."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.base import Link
from hyphe_core.parsers.links import MAX_EXAMPLES, merge_links
from memory_structure.records import Area, FoundLink, LinkKind
from memory_structure.url_cutter import UrlCutter

CUTTER = UrlCutter()
PAGE = CUTTER.lru("http://e.org/page")
X = "s:http|h:org|h:e|p:x|"


def link(
    url: str, kind: LinkKind = LinkKind.HYPERLINK, anchor: str = "", rel: str = "", area: Area = Area.MAIN
) -> Link:
    return Link(url, kind, anchor, rel, area)


def test_links_to_one_key_are_one_link() -> None:
    merged = merge_links(
        PAGE,
        [
            link("http://e.org/x#a", area=Area.NAV),
            link("http://e.org/x", anchor="first", rel="nofollow ugc"),
            link("http://E.org/x", anchor="second", rel="external nofollow", area=Area.FOOTER),
        ],
        CUTTER,
    )
    assert merged.links == (
        FoundLink(X, LinkKind.HYPERLINK, 3, "first", "external nofollow ugc", Area.NAV, None),
    )


def test_kinds_stay_apart_and_order_is_of_first_appearance() -> None:
    merged = merge_links(
        PAGE, [link("http://e.org/y"), link("http://e.org/x", LinkKind.FRAME), link("http://e.org/x")], CUTTER
    )
    assert [(found.target_lru[-4:], found.kind) for found in merged.links] == [
        ("p:y|", LinkKind.HYPERLINK),
        ("p:x|", LinkKind.FRAME),
        ("p:x|", LinkKind.HYPERLINK),
    ]


@pytest.mark.parametrize(
    ("url", "raw"),
    [
        ("http://e.org/x", None),
        ("http://e.org/x#fragment", None),
        ("http://h.org/", None),
        ("http://h.org", None),
        ("http://E.org/x", "http://E.org/x"),
        ("http://e.org/x?utm_source=y#z", "http://e.org/x?utm_source=y"),
        ("http://e.org/é", "http://e.org/é"),
    ],
)
def test_raw_form_is_kept_when_it_is_not_the_readable_key(url: str, raw: str | None) -> None:
    (found,) = merge_links(PAGE, [link(url)], CUTTER).links
    assert found.raw == raw


def test_links_to_the_page_itself_are_counted_not_stored() -> None:
    merged = merge_links(
        PAGE, [link("http://e.org/page#top"), link("http://e.org/page"), link("http://e.org/x")], CUTTER
    )
    assert merged.n_self_links == 2
    assert [found.target_lru for found in merged.links] == [X]


def test_bad_addresses_are_counted_by_reason_with_examples() -> None:
    urls = [f"ftp://e.org/{n}" for n in range(MAX_EXAMPLES + 2)] + [
        "ftp://e.org/0",
        "http://e.org:port/",
        "http:e.org",
    ]
    merged = merge_links(PAGE, [link(url) for url in urls], CUTTER)
    assert merged.links == ()
    assert merged.n_bad_links == len(urls)
    assert sorted(bad.n_links for bad in merged.bad) == [1, 1, MAX_EXAMPLES + 3]
    by_count = max(merged.bad, key=lambda bad: bad.n_links)
    assert "ftp" in by_count.reason
    assert by_count.examples == tuple(urls[:MAX_EXAMPLES])


def test_one_bad_link_does_not_lose_the_others() -> None:
    merged = merge_links(
        PAGE, [link("http://[e.org/"), link("http://e.org/" + "x" * 5000), link("http://e.org/x")], CUTTER
    )
    assert [found.target_lru for found in merged.links] == [X]
    assert merged.n_bad_links == 2


def test_no_links() -> None:
    assert merge_links(PAGE, (), CUTTER) == ((), 0, ())
