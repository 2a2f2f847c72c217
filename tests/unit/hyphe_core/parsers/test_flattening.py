"""The model by which hostile pages are found and flattened: never less deep than the tree of the parser."""

from __future__ import annotations

from random import Random

import pytest
from selectolax.lexbor import LexborHTMLParser

from hyphe_core.parsers.base import Document
from hyphe_core.parsers.defusing import MAX_ATTRIBUTES, defuse
from hyphe_core.parsers.flattening import (
    _NESTING,
    MAX_DEPTH,
    _Examiner,
    count_attribute_names,
    examine,
    flatten,
)
from hyphe_core.parsers.html import HtmlParser
from tests.fuzz import grammars

LINK = b"<a href=/last>end</a>"


def depth_of(markup: bytes) -> int:
    """Deepest element of the tree that the parser makes."""
    deepest = 0
    depths = {}
    root = LexborHTMLParser(markup).root
    assert root is not None
    for node in root.traverse():
        parent = node.parent
        depth = depths.get(parent.mem_id, 0) + 1 if parent is not None else 0
        depths[node.mem_id] = depth
        deepest = max(deepest, depth)
    return deepest


@pytest.mark.parametrize(
    "unit",
    [
        b"<div></span>",
        b"<x><div></x></div>",
        b"<div><!--</div>-->",
        b"<div><p title='</div>'>",
        b"<div><select></div></select>",
        b"<div><table><td></div></td></table>",
        b"<div><textarea></div></textarea>",
        b"<x><p></x></p>",
        b"<div><script><!--<script></script></div>--></script>",
        b"<optgroup>",
        b"<svg><p></svg><div><x/></p>",
        b"<button><x></button></x><div>",
    ],
)
def test_pages_that_hide_how_deep_they_are_get_flat(unit: bytes) -> None:
    markup = unit * 3000
    flat = flatten(markup + LINK)
    assert depth_of(markup) > 1000
    assert examine(markup).is_deep
    assert depth_of(flat) <= MAX_DEPTH + 10
    assert b"<a href=/last>end</a>" in flat


def test_no_chain_of_tags_is_deeper_than_it_is_found_or_left() -> None:
    tags = [tag for tag in grammars.HTML if tag[:1] == b"<" and tag[-1:] == b">" and b"%d" not in tag]
    for seed in range(150):
        rng = Random(seed)
        markup = b"".join(rng.choices(tags, k=rng.randint(1, 7))) * 1500
        if depth_of(markup) > 4 * MAX_DEPTH:
            assert examine(markup).is_deep, markup[:200]
        # A cell in a table makes the parser add the row and the group of rows.
        assert depth_of(flatten(markup)) <= 2 * MAX_DEPTH + 10, markup[:200]


def test_tags_that_do_not_nest_are_passed_over_and_no_others() -> None:
    tags = [tag for tag in grammars.HTML if b"%d" not in tag]
    odd = [
        b"<",
        b"</",
        b"< a>",
        b"</!a>",
        b"<!a",
        b"<a<b>",
        b"<A HREF='<div>'>",
        b"<area",
        b"<abbr>",
        b"<br/>",
        b"-->",
    ]
    for seed in range(400):
        rng = Random(seed)
        markup = b"".join(rng.choices(tags + odd * 3, k=rng.randint(1, 60))) * rng.choice([1, 30])
        slow, fast = _Examiner(), _Examiner()
        slow.read(markup.lower())
        fast.read(markup.lower(), _NESTING)
        assert vars(fast) == vars(slow), markup[:300]


def test_leaves_passed_over_make_no_page_less_deep() -> None:
    leaves = [
        b"<p>x</p>",
        b"<P a='</p>' >x</p >",
        b"<li>x<li>",
        b"<b>x</b>",
        b"<div>x</div>",
        b"<p>x</P><p>",
        b"<dd><dd/>",
    ]
    tags = [tag for tag in grammars.HTML if tag[:1] == b"<" and tag[-1:] == b">" and b"%d" not in tag]
    n_deep = 0
    for seed in range(200):
        rng = Random(seed)
        markup = b"".join(rng.choices(tags + leaves * 10, k=rng.randint(1, 9))) * 800
        slow = _Examiner()
        slow.read(markup.lower())
        is_deep = depth_of(markup) > 2 * MAX_DEPTH
        n_deep += is_deep
        found = examine(markup)
        assert found.is_deep or not (is_deep or slow.is_over), markup[:300]
        assert found.is_deep or found.n_formatting >= slow.n_most_formatting
    assert n_deep > 10


def test_ordinary_nesting_is_no_fault() -> None:
    ordinary = [
        b"<ul><li>a<li>b<p>c<ul><li>d</ul></ul>",
        b"<table><tr><td>a<td>b<tr><td><div>c</div></table>",
        b"<dl><dt>a<dd>b<dt>c<dd><p>d</dl>",
        b"<p>a<div>b</div><p><b>c</b><br><img src=i>",
        b"<select><option>a<option>b</select>",
        b"<svg><g><path d=x /><title>t</title></g></svg><span>x</span>",
        b"<script>if (a < b) document.write('<div>')</script>",
        b"<!-- <div> --><my-card><p>x</p></my-card>",
    ]
    found = examine(b"".join(ordinary) * 3000)
    assert not found.is_deep
    assert found.n_formatting <= 2


def test_a_flat_page_keeps_links_text_and_facts() -> None:
    head = b"<html lang=fr><title>T</title><base href=http://f.org/><meta name=robots content=nofollow>"
    body = b"<nav><div><b>one</b></div><a class=c href='/1' rel=next>1</a></nav><iframe src=/f><p></iframe>"
    result = HtmlParser().parse(
        Document("http://e.org/", flatten(head + body + b"<p>1 < 2<div>x"), "text/html")
    )
    assert [(link.url, link.anchor, link.rel) for link in result.links] == [
        ("http://f.org/1", "1", "next"),
        ("http://f.org/f", "", ""),
    ]
    assert result.text == "one 1 1 < 2 x"
    assert (result.title, result.language, result.robots.follow) == ("T", "fr", False)


def test_names_of_attributes_are_counted_and_dropped() -> None:
    many = b"".join(b"<p a%d>" % n for n in range(20_000)) + LINK
    assert count_attribute_names(many) == 20_001
    assert count_attribute_names(b"<p a=1 b='c d' e=\"f g\" h=i j><p A>text k=l") == 6
    flat, warning = defuse(many)
    assert b"a19999" not in flat
    assert LINK in flat
    assert "names" in warning


def test_each_tag_of_thousands_of_attributes_is_cut() -> None:
    tag = b"<p " + b" ".join(b"%x" % n for n in range(4000)) + b">"
    markup, _ = defuse(tag * 5)
    assert [one.count(b" ") for one in markup.split(b"<p")[1:]] == [MAX_ATTRIBUTES] * 5


def test_what_is_left_of_dropped_tags_makes_no_new_ones() -> None:
    hidden = b"<p>" + b"".join(b"<<b>b id=%d>" % n for n in range(3000)) + b"</p>" + b"<p>x" * 3000
    markup, warning = defuse(hidden)
    assert b"<b" not in markup
    assert warning
