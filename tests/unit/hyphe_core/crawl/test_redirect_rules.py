"""Where redirectors lead, by rules alone: each form, every row of the list, and nothing that is not in it."""

from __future__ import annotations

import pytest

from hyphe_core.crawl.link_targets import LinkTargets
from hyphe_core.crawl.redirect_rules import (
    RedirectorKind,
    built_in_redirectors,
    parse_redirector,
    redirect_rules,
)
from hyphe_core.errors import UsageFault
from memory_structure.records import FoundLink, LinkKind
from memory_structure.url_cutter import UrlCutter, url_to_lru
from tests.corpus_cases import link

PAGE = url_to_lru("http://a.com/page")
TARGET = url_to_lru("http://b.org/x?y=1")
FACEBOOK = "https://l.facebook.com/l.php?u=http%3A%2F%2Fb.org%2Fx%3Fy%3D1&h=AT0"


@pytest.mark.parametrize(
    ("url", "target"),
    [
        (FACEBOOK, "http://b.org/x?y=1"),
        ("http://l.facebook.com/l.php/?u=http%3A%2F%2Fb.org%2F", "http://b.org/"),
        ("https://www.google.com/url?sa=t&url=https%3A%2F%2Fb.org%2Fa&q=", "https://b.org/a"),
        ("https://www.google.co.uk/url?q=https://b.org/&sa=D", "https://b.org/"),
        ("https://www.youtube.com/redirect?event=x&q=https%3A%2F%2Fb.org", "https://b.org"),
        ("https://web.archive.org/web/20120701000000/http://b.org/a?b=c", "http://b.org/a?b=c"),
        ("https://web.archive.org/web/2012id_/http:/b.org/", "http://b.org/"),
        ("https://web.archive.org/web/2012/b.org/a", "http://b.org/a"),
        ("https://www.google.com/amp/s/b.org/a", "https://b.org/a"),
        (
            "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fb.org%2F&data=05",
            "https://b.org/",
        ),
        (
            "https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.google.com%2Furl%3Fq%3Dhttp%253A%252F%252Fb.org%252F",
            "http://b.org/",
        ),
    ],
)
def test_targets_are_read_from_the_address(url: str, target: str) -> None:
    assert redirect_rules().decode(url) == target


@pytest.mark.parametrize(
    "url",
    [
        "https://b.org/login?next=http://c.org/",
        "https://b.org/share?url=http%3A%2F%2Fc.org",
        "https://twitter.com/intent/tweet?url=http://c.org",
        "https://www.facebook.com/sharer/sharer.php?u=http://c.org",
        "https://l.facebook.com/other?u=http://c.org",
        "https://l.facebook.com/l.php?u=/relative",
        "https://l.facebook.com/l.php?u=javascript:alert(1)",
        "https://l.facebook.com/l.php?u=https://localhost",
        "https://l.facebook.com/l.php",
        "https://evil-l.facebook.com.example/l.php?u=http://c.org",
        "https://www.google.com/search?q=http://c.org",
        "https://web.archive.org/about/",
        "https://web.archive.org/web/2012/",
        "https://bit.ly/abc",
        "http://[broken",
        "not an address",
    ],
)
def test_nothing_else_is_rewritten(url: str) -> None:
    assert redirect_rules().decode(url) is None


def test_a_loop_of_redirectors_ends() -> None:
    rules = redirect_rules(("+a.com/go?u", "+b.com/go?u"))
    assert rules.decode("http://a.com/go?u=http://a.com/go%3Fu%3Dhttp://a.com/go") == "http://a.com/go"
    assert rules.decode("http://a.com/go?u=http%3A//a.com/go") == "http://a.com/go"


def test_every_row_of_the_list_can_be_read_once() -> None:
    rows = built_in_redirectors()
    assert len({row.text for row in rows}) == len(rows) > 100
    assert {row.kind for row in rows} == set(RedirectorKind)
    for row in rows:
        assert parse_redirector(row.text) == row


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "localhost",
        "a b.com",
        "a.com/go",
        "a.com/go?",
        "a.com/go?=",
        "a.com/>ftp",
        "a" * 301,
        "a.com/go?u=%s",
        "a.com/go?u=1&v=2",
        "a.com/go?u v",
        "a.com/go?u#v",
    ],
)
def test_a_bad_rule_is_refused_with_words(text: str) -> None:
    with pytest.raises(UsageFault):
        parse_redirector(text)


def test_a_parameter_may_be_written_with_its_equals_sign() -> None:
    assert parse_redirector("https://a.com/go?u=, v=") == parse_redirector("a.com/go?u,v")


def test_shorteners_are_told_from_their_home_pages() -> None:
    rules = redirect_rules(("+go.example.org", "-bit.ly"))
    assert rules.is_shortener("http://go.example.org/a")
    assert not rules.is_shortener("http://go.example.org/")
    assert not rules.is_shortener("http://bit.ly/a")
    assert rules.is_shortener("https://t.co/a")
    assert not rules.is_shortener("https://www.t.co/a")
    assert "go.example.org" in rules.list_shorteners()
    assert "bit.ly" not in rules.list_shorteners()


def test_changes_apply_list_after_list() -> None:
    url = "https://go.example.org/?to=http://b.org/"
    assert redirect_rules(("+go.example.org/?to",)).decode(url) == "http://b.org/"
    assert redirect_rules(("+go.example.org/?to",), ("-go.example.org/?to",)).decode(url) is None
    assert redirect_rules(("-l.facebook.com/l.php?u",)).decode(FACEBOOK) is None
    assert redirect_rules(("+what is this",)).decode(FACEBOOK) is not None


# -- links


def found(*links: FoundLink, resolved: dict[str, str] | None = None) -> list[FoundLink]:
    targets = LinkTargets(redirect_rules(), UrlCutter().lru, resolved or {})
    return list(targets.with_targets(PAGE, links))


def test_the_link_as_found_stays_and_its_target_becomes_a_link() -> None:
    through = link(url_to_lru(FACEBOOK), anchor="B", rel="nofollow", count=2, raw=FACEBOOK + "#x")
    first, second = found(through)
    assert first == through
    assert second == through._replace(target_lru=TARGET, rel="nofollow via:l.facebook.com", raw=None)


def test_links_without_redirector_are_the_same_object() -> None:
    links = (link(TARGET), link(url_to_lru("http://a.com/login?next=http://c.org")))
    assert LinkTargets(redirect_rules(), UrlCutter().lru).with_targets(PAGE, links) is links


def test_targets_that_are_linked_already_or_the_page_itself_are_not_added() -> None:
    through = link(url_to_lru(FACEBOOK))
    assert len(found(through, link(TARGET))) == 2
    assert len(found(through, link(TARGET, LinkKind.FRAME))) == 3
    back = link(url_to_lru("https://l.facebook.com/l.php?u=http%3A%2F%2Fa.com%2Fpage"))
    assert found(back) == [back]
    assert len(found(link(url_to_lru(FACEBOOK), LinkKind.REDIRECT))) == 1
    twice = found(through, link(url_to_lru("https://lm.facebook.com/l.php?u=http%3A%2F%2Fb.org%2Fx%3Fy%3D1")))
    assert (twice[2].count, twice[2].rel) == (2, "via:l.facebook.com via:lm.facebook.com")


def test_shorteners_lead_where_they_were_found_to_lead() -> None:
    resolved = {"http://bit.ly/1": "http://b.org/x?y=1", "http://bit.ly/2": "mailto:x@y.org"}
    short = link(url_to_lru("http://bit.ly/1"))
    assert [each.target_lru for each in found(short, resolved=resolved)] == [short.target_lru, TARGET]
    assert len(found(link(url_to_lru("http://bit.ly/2")), resolved=resolved)) == 1
    assert len(found(link(url_to_lru("http://bit.ly/3")), resolved=resolved)) == 1
    both = link(url_to_lru("https://l.facebook.com/l.php?u=http%3A%2F%2Fbit.ly%2F1"))
    assert [each.target_lru for each in found(both, resolved=resolved)] == [both.target_lru, TARGET]
