"""Hostile pages: whatever the bytes, the parser returns, and ordinary parts of the page are still read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyphe_core.parsers import defusing
from hyphe_core.parsers.base import MAX_LINKS, Document
from hyphe_core.parsers.defusing import MAX_ATTRIBUTES, MAX_DEPTH, defuse
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.links import merge_links
from hyphe_core.parsers.registry import default_registry
from memory_structure.url_cutter import UrlCutter

LINK = b"<a href=/last>end</a>"
BOLD = b"".join(b"<b id=%d>" % n for n in range(3000))


def last_url(body: bytes) -> str | None:
    links = HtmlParser().parse(Document("http://e.org/", body, "text/html; charset=utf-8")).links
    return links[-1].url if links else None


@pytest.mark.parametrize(
    "body",
    [
        b"\0" * 100_000 + LINK,
        b"<p>\xed\xa0\x80 \xff\xfe \xc3" + LINK,
        b"<p title='" + b"\xff" * 1000 + b"'>" + LINK,
        b"<" * 1_000_000 + b" " + LINK,
        b"<p><div><ul><li><b><i>" * 2000 + LINK,
        b"<p data-x='" + b"a b=c " * 200_000 + b"'>" + LINK,
        b"<p " + b" ".join(b"a%d=1" % n for n in range(200_000)) + b">" + LINK,
        b"<p>" + BOLD + b"</p>" + b"<p>x</p>" * 20_000 + LINK,
        BOLD + b"<p>x</p>" * 3000 + b"</b>" * 3000 + LINK,
        b"<b>x</b>" * 50_000 + LINK,
        b"<span>x" * 50_000 + LINK,
        b"<nav>" * 200_000 + LINK,
        b"<noscript><p>" * 50_000 + LINK,
        b"<table><tr><td>" * 20_000 + LINK,
        b"<optgroup>" * 100_000 + LINK,
        b"&amp;" * 500_000 + LINK,
        b"&#xffffffffff;&#0;&#xd800;" + LINK,
        b"<meta charset=" + b"x" * 100_000 + b">" + LINK,
        b"<meta http-equiv=refresh content='" + b"9" * 100_000 + b";url=x'>" + LINK,
        b"<html lang=" + b"x" * 100_000 + b">" + LINK,
        b"<p role='" + b"x " * 100_000 + b"'>" + LINK,
        b"<a href='http://[" + b"x" * 100_000 + b"'></a>" + LINK,
        b"<base href='http://[bad'><base href=/>" + b"<a href=/></a><a href=http://e.org/last>",
    ],
    ids=lambda body: str(body[:16]),
)
def test_last_link_survives(body: bytes) -> None:
    assert last_url(body) in ("http://e.org/last", "http://[bad/last")


def test_links_nested_in_links_by_way_of_objects() -> None:
    body = b"".join(b"<a href=/%d><object>" % n for n in range(30_000))
    result = HtmlParser().parse(Document("http://e.org/", body, "text/html"))
    assert len(result.links) == MAX_LINKS
    assert result.n_links_cut == 20_000


def test_truncated_pages_keep_what_was_complete() -> None:
    body = b"<title>T</title><a href=/1>one</a><a href=/2>two</a>"
    for end in range(len(body)):
        result = HtmlParser().parse(Document("http://e.org/", body[:end], "text/html"))
        assert len(result.links) == body[:end].count(b"<a href=/1>") + body[:end].count(b"<a href=/2>")


def test_ordinary_pages_are_not_touched() -> None:
    body = b"<p>" + b"<div><p class='x'>text <b>bold</b><br><img src=i></div><li>x" * 5000
    assert defuse(body) == (body, "")


def test_many_unclosed_items_are_not_deep() -> None:
    body = b"<ul>" + b"<li>item<p>text" * 20_000 + b"</ul>"
    assert defuse(body) == (body, "")


def test_deep_pages_are_cut_where_browsers_cut() -> None:
    markup, warning = defuse(b"<div><a href=x>" * 20_000)
    assert markup.count(b"<div>") == MAX_DEPTH
    assert markup.count(b"<a href=x>") == 20_000
    assert str(MAX_DEPTH) in warning


def test_scripts_in_deep_pages_stay_scripts() -> None:
    body = b"<div>" * 20_000 + b"<script>'<a href=/no>'</script>" + LINK
    result = HtmlParser().parse(Document("http://e.org/", body, "text/html"))
    assert [link.url for link in result.links] == ["http://e.org/last"]


def test_a_tag_with_thousands_of_attributes_keeps_the_first() -> None:
    body = (
        b"<a href=/x " + b" ".join(b"a%d=1" % n for n in range(30_000)) + b">y</a>" + b" " * 40_000 + b"<p>"
    )
    markup, warning = defuse(body)
    assert markup.count(b"=1") == MAX_ATTRIBUTES - 1  # and href
    assert "attributes" in warning
    assert last_url(body) == "http://e.org/x"


FRAGMENTS = st.sampled_from(
    [
        b"<a href=",
        b"<a href='x'>",
        b"</a>",
        b"<base href=",
        b"<meta http-equiv=refresh content=",
        b"<meta name=robots content=",
        b"<meta charset=",
        b"<link rel=alternate hreflang=fr href=",
        b"<svg><title>",
        b"<table><tr><td>",
        b"</table>",
        b"<select><option>",
        b"<template>",
        b"</template>",
        b"<noscript>",
        b"</noscript>",
        b"<script>",
        b"</script>",
        b"<frameset><frame src=x>",
        b"<iframe src=",
        b"<object>",
        b"<div role=navigation>",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"<plaintext>",
        b"&#x",
        b"&amp",
        b"'",
        b'"',
        b">",
        b"\0",
        b"\xff\xfe",
        b"http://[",
        b"//",
        b"javascript:",
        b"0;url=",
        b" ",
        b"\n",
    ]
)
BODIES = st.lists(
    FRAGMENTS
    | st.binary(max_size=12)
    | st.text(max_size=6).map(lambda text: text.encode("utf-8", "replace")),
    max_size=40,
)
CONTENT_TYPES = (
    st.none()
    | st.sampled_from(
        [
            "text/html",
            "text/html; charset=",
            "text/html; charset=utf-16",
            "text/html; charset=big5",
            "application/xhtml+xml",
        ]
    )
    | st.text(max_size=20)
)


@settings(max_examples=300, deadline=None)
@given(
    BODIES,
    CONTENT_TYPES,
    st.lists(
        st.tuples(st.sampled_from(["x-robots-tag", "content-language"]), st.text(max_size=20)), max_size=3
    ),
)
def test_any_bytes_give_a_result(
    parts: list[bytes], content_type: str | None, headers: list[tuple[str, str]]
) -> None:
    document = Document("http://e.org/dir/page?x=1", b"".join(parts), content_type, tuple(headers), "bot")
    result = default_registry().parse(document)
    assert len(result.links) <= MAX_LINKS
    if result.parser != "text":  # plain text is kept as it stands
        assert "  " not in result.text
        assert result.text == result.text.strip()
    merge_links("s:http|h:org|h:e|p:dir|p:page|q:x=1|", result.links, UrlCutter())
    for link in result.links:
        link.url.encode()
        link.anchor.encode()


@pytest.mark.parametrize("before", [0, 1, 4095, 4096, 5000])
@pytest.mark.parametrize("length", [4096, 8191, 8192, 8193, 9000])
def test_long_runs_are_seen_wherever_they_begin(before: int, length: int) -> None:
    markup = b"x" * before + b">" + b"y" * length + b">" + b"z" * 3000
    assert defusing._has_long_tag(markup) is (length > 8192)
