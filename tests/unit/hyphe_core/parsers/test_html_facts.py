"""Facts of HTML pages other than links: title, text, canonical, robots, refresh, languages."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.base import (
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    Alternate,
    Document,
    ParseResult,
    Refresh,
    RobotsDirectives,
)
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.refresh import read_refresh
from memory_structure.records import LinkKind

PAGE = "http://e.org/dir/page.html"


def parse(markup: str, *headers: tuple[str, str], agent_token: str = "") -> ParseResult:
    document = Document(PAGE, markup.encode(), "text/html; charset=utf-8", headers, agent_token)
    return HtmlParser().parse(document)


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<title> A \n title </title>", "A title"),
        ("<title>One</title><title>Two</title>", "One"),
        ("<body><title>In the body</title>", "In the body"),
        ("<svg><title>Icon</title></svg><title>Page</title>", "Page"),
        ("<title></title>", ""),
        ("<title>a &amp; <b>b</b></title>", "a & <b>b</b>"),
        ("<p>none", ""),
        ("<!-- <title>x</title> -->", ""),
        ("<title>" + "t" * 5000 + "</title>", "t" * MAX_TITLE_CHARACTERS),
    ],
)
def test_title(markup: str, title: str) -> None:
    assert parse(markup).title == title


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<title>T</title><p>one</p><p>two</p>", "one two"),
        ("<li>a</li><li>b</li>", "a b"),
        ("<div>a<div>b</div>c</div>", "a b c"),
        ("<h1>T</h1>text", "T text"),
        ("<b>L</b>e <i>monde</i>.", "Le monde."),
        ("a<!-- x -->b", "ab"),
        ("a<br>b", "a b"),
        ("<td>a<td>b", "ab"),  # cells outside a table are dropped by the tree builder
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("<a href=1>Home</a><a href=2>About</a>", "Home About"),
        ("<a href=1>citizen</a>s", "citizens"),
        ("<span>x </span><span>y</span>", "x y"),
        ("<b>x</b> <b>y</b>", "x y"),
        ("<b>x</b>\n<a href=1></a><b>y</b>", "x y"),
        ("<b><i>x</i></b><u><i>y</i></u>", "xy"),
        ("<p><b>x</b></p><b>y</b>", "x y"),
        ("<b>x</b><wbr><!-- c --><b></b>y", "xy"),
        ("<b>x</b><script> s </script> <noscript> <p> n </p> </noscript><b>y</b>", "x y"),
        ("a \n\t b&nbsp;c", "a b c"),
        ("a  b", "a b"),
        ("x<script>1</script><style>2</style><noscript>3</noscript><template>4</template>y", "x y"),
        ("x<iframe>fallback</iframe>y", "x y"),
        ("<textarea>typed</textarea>", "typed"),
        ("<script></script>kept", "kept"),
        ("<noscript></noscript>kept", "kept"),
        ("", ""),
    ],
)
def test_text_is_visible_and_folded(markup: str, text: str) -> None:
    assert parse(markup).text == text


def test_text_is_cut_at_its_limit() -> None:
    assert len(parse("x" * (MAX_TEXT_CHARACTERS + 5)).text) == MAX_TEXT_CHARACTERS


@pytest.mark.parametrize(
    ("markup", "canonical"),
    [
        ("<link rel=canonical href=/c>", "http://e.org/c"),
        ("<link rel='CANONICAL' href='https://h.org/'>", "https://h.org/"),
        ("<link rel=canonical href=1><link rel=canonical href=2>", "http://e.org/dir/1"),
        ("<base href=/b/><link rel=canonical href=x>", "http://e.org/b/x"),
        ("<link rel=canonical href=''>", None),
        ("<link rel=canonical>", None),
        ("<link rel=canonical href='javascript:x'>", None),
        ("<a rel=canonical href=x>", None),
        ("<noscript><img src=i></noscript><link rel=canonical href=/c>", "http://e.org/c"),
    ],
)
def test_canonical(markup: str, canonical: str | None) -> None:
    result = parse(markup)
    assert result.canonical == canonical
    assert all(link.kind is not LinkKind.HEAD for link in result.links)


ALL = RobotsDirectives()


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("", ALL),
        ("<meta name=robots content='index, follow'>", ALL),
        ("<meta name=ROBOTS content='NoIndex'>", RobotsDirectives(index=False)),
        ("<meta name=robots content='noindex,nofollow'>", RobotsDirectives(index=False, follow=False)),
        ("<meta name=robots content='nofollow noarchive'>", RobotsDirectives(follow=False, archive=False)),
        ("<meta name=robots content=none>", RobotsDirectives(index=False, follow=False)),
        ("<meta name=robots content=nonexistent>", ALL),
        ("<meta name=robots content=nosnippet>", RobotsDirectives(snippet=False)),
        ("<meta name=robots content=noindex><meta name=robots content=index>", RobotsDirectives(index=False)),
        ("<meta name=otherbot content=none>", ALL),
        ("<meta name=hyphebot content=nofollow>", RobotsDirectives(follow=False)),
        ("<meta property=robots content=none>", ALL),
        ("<!-- <meta name=robots content=none> -->", ALL),
        ("<noscript><meta name=robots content=none></noscript>", ALL),
    ],
)
def test_meta_robots(markup: str, expected: RobotsDirectives) -> None:
    assert parse(markup, agent_token="HypheBot").robots == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["noindex, nofollow"], RobotsDirectives(index=False, follow=False)),
        (["NOINDEX", "nofollow"], RobotsDirectives(index=False, follow=False)),
        (["otherbot: none"], ALL),
        (["hyphebot: nofollow"], RobotsDirectives(follow=False)),
        (["noindex, otherbot: nofollow"], RobotsDirectives(index=False)),
        (["otherbot: noindex, hyphebot: noarchive"], RobotsDirectives(archive=False)),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], RobotsDirectives(follow=False)),
        (["unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, nofollow"], RobotsDirectives(follow=False)),
        (["max-snippet:0"], ALL),
        ([""], ALL),
    ],
)
def test_x_robots_tag(values: list[str], expected: RobotsDirectives) -> None:
    headers = [("x-robots-tag", value) for value in values]
    assert parse("<p>", *headers, agent_token="HypheBot").robots == expected


def test_meta_and_header_are_merged() -> None:
    result = parse("<meta name=robots content=noindex>", ("x-robots-tag", "nofollow"))
    assert result.robots == RobotsDirectives(index=False, follow=False)


@pytest.mark.parametrize(
    ("content", "href", "delay_seconds"),
    [
        ("0;url=x", "x", 0),
        ("5; URL='next.html'", "next.html", 5),
        ('1;url="a b" tail', "a b", 1),
        ("  3  ,  uRl  =  y  ", "y", 3),
        ("0.5;url=x", "x", 0.5),
        (".5;url=x", "x", 0.5),
        ("1.2.3;url=x", "x", 1.2),
        ("0; x.html", "x.html", 0),
        ("0 url=x", "x", 0),
        ("1;\nURL=http://h.org/\n", "http://h.org/", 1),
        ("0;url=urls/page", "urls/page", 0),
        ("0;urls/page", "urls/page", 0),
        ("9" * 400 + ";url=x", "x", 1e9),
        (".;url=x", "x", 0),
    ],
)
def test_refresh_values(content: str, href: str, delay_seconds: float) -> None:
    assert read_refresh(content) == (href, delay_seconds)


@pytest.mark.parametrize(
    "content",
    ["", "5", "5;", "5; ", ";url=x", "url=x", "-1;url=x", "٥;url=x", "0url=x", "0;url=''", "x5;url=y"],
)
def test_what_is_no_refresh(content: str) -> None:
    assert read_refresh(content) is None


@pytest.mark.parametrize(
    ("markup", "refresh"),
    [
        ("<meta http-equiv=refresh content='0;url=x'>", Refresh("http://e.org/dir/x", 0)),
        ("<META CONTENT='7;url=/y' HTTP-EQUIV=Refresh>", Refresh("http://e.org/y", 7)),
        ("<body><meta http-equiv=refresh content='0;url=x'>", Refresh("http://e.org/dir/x", 0)),
        ("<base href=/b/><meta http-equiv=refresh content='0;url=x'>", Refresh("http://e.org/b/x", 0)),
        (
            "<meta http-equiv=refresh content='5'><meta http-equiv=refresh content='0;url=x'>",
            Refresh("http://e.org/dir/x", 0),
        ),
        ("<meta http-equiv=refresh content='0;url=javascript:x'>", None),
        ("<meta http-equiv=refresh>", None),
        ("<meta name=refresh content='0;url=x'>", None),
        ("<metafoo http-equiv=refresh content='0;url=x'>", None),
        ("<!-- <meta http-equiv=refresh content='0;url=x'> -->", None),
        ("<script>'<meta http-equiv=refresh content=\"0;url=x\">'</script>", None),
        ("<noscript><meta http-equiv=refresh content='0;url=x'></noscript>", None),
        ("<body><noscript><p><meta http-equiv=refresh content='0;url=x'></noscript>", None),
        ("<template><meta http-equiv=refresh content='0;url=x'></template>", None),
    ],
)
def test_refresh_of_a_page(markup: str, refresh: Refresh | None) -> None:
    assert parse(markup).refresh == refresh


@pytest.mark.parametrize(
    ("markup", "headers", "language"),
    [
        ("<html lang=fr-FR>", [], "fr-fr"),
        ("<html xml:lang=de>", [], "de"),
        ("<html lang=fr>", [("content-language", "en")], "fr"),
        ("<html>", [("content-language", "EN, fr")], "en"),
        ("<meta http-equiv=content-language content=it>", [], "it"),
        ("<meta http-equiv=content-language content=it>", [("content-language", "en")], "en"),
        ("<p lang=fr>", [], ""),
    ],
)
def test_language(markup: str, headers: list[tuple[str, str]], language: str) -> None:
    assert parse(markup, *headers).language == language


def test_alternates_in_other_languages() -> None:
    result = parse(
        "<link rel=alternate hreflang=EN href=/en><link rel=alternate hreflang=x-default href=/>"
        "<link rel=alternate hreflang='' href=/no><link rel=alternate href=/neither>"
    )
    assert result.alternates == (Alternate("en", "http://e.org/en"), Alternate("x-default", "http://e.org/"))
    assert [link.kind for link in result.links] == [LinkKind.HEAD] * 4
