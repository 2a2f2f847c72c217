"""Pages in the profile `nutch`, beyond the vectors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyphe_core.parsers.base import Document, ParseMajor, ParseMinor, ParseResult
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.profiles import (
    NUTCH,
    PROFILES,
    RESEARCH,
    CachingPolicy,
    ParseProfile,
    ProfileName,
    with_link_elements,
)
from hyphe_core.parsers.statuses import describe, is_temporary_refresh, list_arguments, redirected
from memory_structure.records import Area, LinkKind

PAGE = "http://e.org/d/p.html"


def parse(
    markup: str, profile: ParseProfile = NUTCH, headers: tuple[tuple[str, str], ...] = ()
) -> ParseResult:
    document = Document(PAGE, markup.encode("utf-8"), "text/html; charset=utf-8", headers, "hyphe")
    return HtmlParser(profile).parse(document)


def found(markup: str, profile: ParseProfile = NUTCH) -> list[tuple[str, str]]:
    return [(link.url.removeprefix("http://e.org/d/"), link.anchor) for link in parse(markup, profile).links]


@pytest.mark.parametrize(
    ("markup", "links"),
    [
        ("<frameset><frame src=t><frameset><frame src=l></frameset></frameset>", [("t", ""), ("l", "")]),
        ("<a href=x><p>a</p><p>b</p></a>", [("x", "a\nb")]),
        ("<body><frame src=t><FRAME SRC=u /><a href=x>x</a></body>", [("t", ""), ("u", ""), ("x", "x")]),
        ("<body><frameset><frame\nsrc=t></frameset><!--<frame src=c>-->", [("t", "")]),
        ("<frameset><frame src=t></frameset><body><frame src=u>", [("t", "")]),
        ('<a href=x> <img alt="one"> <img alt=" two "></a>', [("x", "one    two")]),
        ('<a href=x><img alt="one\n1"><img alt="two"></a>', [("x", "one\n1 two")]),
        ("<a href=x>&nbsp;<img alt=one></a><a href=y>&nbsp;y </a>", [("x", "\xa0"), ("y", "\xa0y")]),
        ("<ul><li> <a href=x>x<li> <a href=y>y<li> <a href=z>z</ul>", [("x", "x"), ("y", "y"), ("z", "z")]),
        ("<a href=x>x</a> <a href=x> </a>", [("x", "x"), ("x", "")]),
        ("<iframe src='i'/><a href=x>x</a>", [("i", ""), ("x", "x")]),
        (
            "<iframe src=i>no <a href=f>frames</a><img src=g alt=h></iframe><a href=x>x</a>",
            [("i", "no frames"), ("f", "frames"), ("g", "h"), ("x", "x")],
        ),
        ("<IFRAME src=i /><textarea/><title/><a href=x>x</a>", [("i", ""), ("x", "x")]),
        ("<iframe src=i/><a href=x>x</a>", [("i/", "x"), ("x", "x")]),
        ("<a href=x>x</a><a href=y> </a><a href=z>z</a>", [("x", "x"), ("y", ""), ("z", "z")]),
        ("<a href=x><script>var x</script></a>", [("x", "")]),
        ("<iframe src=i><p>q</p></iframe>", [("i", "q")]),
        ("<template><p>in <a href=t>t</a></p></template>", [("t", "t")]),
        ("<noscript><a href=n>n</a></noscript>", [("n", "n")]),
        ("<a href=x rel='external NOFOLLOW'>x</a><img src=i rel=nofollow>", []),
        ("<a href=x rel='nofollow-ish'>x</a>", [("x", "x")]),
        ("<a href>x</a>", [("http://e.org/d/p.html"[15:], "x")]),
        ("<a href='mailto:me@e.org'>m</a>", [("mailto:me@e.org", "m")]),
        ("<a href='http://[bad'>m</a><a href=y>y</a>", [("y", "y")]),
        ("<form action=f><a href=a>a</a> b</form>", [("a", "a")]),
        ("<a href=same>1</a><a href=same>2</a>", [("same", "1"), ("same", "2")]),
    ],
)
def test_links(markup: str, links: list[tuple[str, str]]) -> None:
    assert found(markup) == links


def test_forms_and_ignored_elements() -> None:
    markup = "<form action=f><a href=a>a</a> b <a href=c>c</a></form><img src=i>"
    assert found(markup, with_link_elements(NUTCH, form_action=True)) == [
        ("f", "a b"),
        ("a", "a"),
        ("c", "c"),
        ("i", ""),
    ]
    ignoring = with_link_elements(NUTCH, form_action=True, ignored=("form", "img", "a"))
    assert found(markup, ignoring) == [("f", "a b")]
    assert found(markup, with_link_elements(ignoring, form_action=False)) == []


def test_kinds_and_areas() -> None:
    links = parse("<link href=l><nav><a href=a>a</a></nav><iframe src=i></iframe><img src=g>").links
    assert [(link.kind, link.area) for link in links] == [
        (LinkKind.HEAD, Area.MAIN),
        (LinkKind.HYPERLINK, Area.NAV),
        (LinkKind.FRAME, Area.MAIN),
        (LinkKind.HEAD, Area.MAIN),
    ]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a<br>b", "a b"),
        ("<b>x</b>y", "x y"),
        ("<div>a</div> <div>b</div>", "a\nb"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1 2"),
        ("<textarea> t </textarea><select><option>o</select>", "t o"),
        ("x<script>var a</script>y<style>p</style>z", "x y z"),
        ("<pre>a\n  b</pre>", "a b"),
        ("a&nbsp;b", "a\xa0b"),
        ("<template>in</template><iframe>f<i>g</i></iframe>", "in f g"),
        ("<noscript>n</noscript>", "n"),
        ("<p></p>", ""),
    ],
)
def test_text(markup: str, text: str) -> None:
    assert parse(f"<body>{markup}").text == text


def test_line_separators_are_the_profile_s() -> None:
    profile = replace(NUTCH, line_separators=frozenset({"br"}))
    assert parse("<body>a<br>b<p>c</p>", profile).text == "a\nb c"


@pytest.mark.parametrize("depth", [4_000, 10_000])
@pytest.mark.parametrize("name", ["div", "b", "template", "object", "span"])
def test_links_of_pages_nested_deep(name: str, depth: int) -> None:
    markup = f"<{name}>" * depth + "<a href=deep>d</a>" + f"</{name}>" * depth + "<a href=after>a</a>"
    assert [url for url, _ in found(markup)] == ["deep", "after"]


def test_noindex_empties_text_and_title_not_links() -> None:
    result = parse("<title>t</title><meta name=robots content=noindex><body>x <a href=a>a</a>")
    assert (result.title, result.text) == ("", "")
    assert len(result.links) == 1


def test_headers_and_names_of_robots() -> None:
    markup = "<meta name=Hyphe content='noarchive'><body><a href=a>a</a>"
    result = parse(markup, headers=(("x-robots-tag", "other: noindex"), ("x-robots-tag", "hyphe: nofollow")))
    assert (result.robots.index, result.robots.follow, result.robots.archive) == (True, False, False)
    assert result.links == ()


def test_metadata_of_the_head() -> None:
    markup = "<meta name=Keywords content=a><meta name=keywords content=b><body><meta name=late content=c>"
    assert [tuple(one) for one in parse(markup).metadata] == [
        ("metatag.keywords", "a"),
        ("metatag.keywords", "b"),
    ]
    forbidding = replace(NUTCH, caching_policy=CachingPolicy.ALL)
    result = parse("<meta http-equiv=Pragma content='No-Cache'>", forbidding)
    assert [tuple(one) for one in result.metadata] == [("caching.forbidden", "all")]


def test_directives_in_noscript_are_not_ours() -> None:
    result = parse(
        "<noscript><meta name=robots content=none><meta http-equiv=refresh content='0;x'></noscript>"
    )
    assert result.robots.index
    assert result.refresh is None


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ("0; URL='/x'", ["http://e.org/x", "0"]),
        ("300", [PAGE, "300"]),
        ("4.9;", [PAGE, "4"]),
        ("0; url=", [PAGE, "0"]),
        ("-1; url=/x", []),
        ("soon", []),
        ("٣; url=/x", []),
        ("0; url=mailto:x", []),
        ("0; url=?q=1", [f"{PAGE}?q=1", "0"]),
    ],
)
def test_refresh(content: str, arguments: list[str]) -> None:
    result = parse(f'<meta http-equiv="refresh" content="{content}">')
    assert list_arguments(result) == arguments
    minor = ParseMinor.REDIRECT if arguments else ParseMinor.NONE
    assert result.status[:2] == (ParseMajor.SUCCESS, minor)


def test_the_first_refresh_counts() -> None:
    markup = "<meta http-equiv=refresh content='bad'><meta http-equiv=refresh content='1;url=a'>"
    result = parse(markup + "<meta http-equiv=refresh content='2;url=b'>")
    assert list_arguments(result) == ["http://e.org/d/a", "1"]


@pytest.mark.parametrize(
    ("bases", "base"),
    [
        ("<base href=/q/><base href=/z/>", "http://e.org/q/"),
        ("<base target=_top><base href=//o.org/>", "http://o.org/"),
        ("<base href='javascript:x'>", PAGE),
        ("<base href='mailto:x'>", PAGE),
        ("<body><base href=/q/>", PAGE),
        ("<base href=''>", PAGE),
    ],
)
def test_bases(bases: str, base: str) -> None:
    assert parse(bases).base_url == base


def test_canonical_and_language() -> None:
    result = parse("<html lang=FR><link rel='x Canonical' href=/c><link rel=canonical href=/d>")
    assert (result.canonical, result.language) == ("http://e.org/c", "fr")
    assert parse("<link rel=canonical href='tel:1'>").canonical is None


def test_the_research_profile_is_the_default_and_loses_nothing() -> None:
    markup = "<meta name=robots content=none><body>x<a href=a rel=nofollow></a>"
    default = HtmlParser().parse(Document(PAGE, markup.encode(), "text/html; charset=utf-8"))
    assert default == HtmlParser(PROFILES[ProfileName.RESEARCH]).parse(
        Document(PAGE, markup.encode(), "text/html; charset=utf-8")
    )
    assert len(default.links) == 1
    assert default.text == "x"
    assert not RESEARCH.by_rules


def test_statuses_in_words() -> None:
    assert describe(redirected("http://e.org/")) == "success/100: http://e.org/"
    assert describe(parse("x").status) == "success/0"
    assert is_temporary_refresh(4.9)
    assert not is_temporary_refresh(5)


@given(st.binary(max_size=300))
def test_any_bytes_give_a_result(body: bytes) -> None:
    for content_type in (None, "text/html; charset=utf-16", "text/html; charset=nonsense"):
        assert HtmlParser(NUTCH).parse(Document(PAGE, body, content_type)).base_url


_MARKUP = (
    "<a href=x>|</a>|<form action=f>|</form>|<template>|</template>|<iframe src=i>|<table>|<td>|<p>|</p>|"
    "<svg>|<object>|</object>|<title>|<base href=//b>|<noscript>|<select>|<option>|<!--|-->|text|&amp;|\0| "
)
_PIECES = st.sampled_from(_MARKUP.split("|"))


@given(st.lists(_PIECES, max_size=60))
def test_any_markup_gives_absolute_links(pieces: list[str]) -> None:
    result = parse("".join(pieces), with_link_elements(NUTCH, form_action=True))
    assert all("://" in link.url for link in result.links)
    assert "\n\n" not in result.text
    assert result.text == result.text.lstrip()
