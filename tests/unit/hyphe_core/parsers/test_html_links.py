"""Links of HTML pages: which elements count, how addresses are joined, anchors, rel, areas."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.base import MAX_ANCHOR_CHARACTERS, MAX_LINKS, Document, Link, ParseResult
from hyphe_core.parsers.html import HtmlParser
from memory_structure.records import Area, LinkKind

PAGE = "http://e.org/dir/page.html?x=1"


def parse(
    markup: str | bytes, url: str = PAGE, content_type: str = "text/html; charset=utf-8"
) -> ParseResult:
    body = markup.encode() if isinstance(markup, str) else markup
    return HtmlParser().parse(Document(url, body, content_type))


def urls(markup: str | bytes) -> list[str]:
    return [link.url for link in parse(markup).links]


def only(markup: str) -> Link:
    (link,) = parse(markup).links
    return link


@pytest.mark.parametrize(
    "markup",
    [
        "<a href=x>",
        "<a href='x'>",
        '<a\nhref="x">',
        "<A HREF = x >",
        '<a class="y"href="x">',
        "<a href=x href=second>",
        "<a/href=x>",
        "<p><b><a title='>' href=x>",
        "<a href=' x\n'>",
        "<a href='\x01x'>",
        "<a href=&#120;>",
        "<map><area href=x></map>",
        "<noscript><a href=x></noscript>",
        "<svg><a href=x></svg>",
        "<table><a href=x><tr></table>",
        "<textarea></textarea><a href=x>",
        "<title>t</title><a href=x>",
        "<a href=x",  # cut inside the tag: see below
    ],
)
def test_attribute_forms_and_places_of_links(markup: str) -> None:
    expected = [] if markup == "<a href=x" else ["http://e.org/dir/x"]
    assert urls(markup) == expected


@pytest.mark.parametrize(
    "markup",
    [
        "<script>document.write('<a href=x>y</a>')</script>",
        "<style><a href=x></style>",
        "<textarea><a href=x></textarea>",
        "<!-- <a href=x> -->",
        "<!--[if IE]><a href=x><![endif]-->",
        "<template><a href=x></template>",
        "<title><a href=x></title>",
        "<iframe><a href=x></iframe>",
        "<a name=x>",
        "<form action=x></form>",
        "<img src=x srcset='x 1x, y 2x'>",
        "<iframe></iframe><iframe src=''></iframe><iframe src='  '></iframe>",
        "<link rel=stylesheet href=x><link rel=icon href=x><link rel=preload href=x><link href=x>",
        "<link rel='alternate stylesheet' href=x>",
        "<link rel=next href=''>",
    ],
)
def test_what_is_no_link(markup: str) -> None:
    assert urls(markup) == []


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("", PAGE),
        ("#top", PAGE + "#top"),
        ("?y=2", "http://e.org/dir/page.html?y=2"),
        ("/a/../b", "http://e.org/b"),
        ("/a/./b?c=/../d", "http://e.org/a/b?c=/../d"),
        ("../../../g", "http://e.org/g"),
        ("//h.org/x", "http://h.org/x"),
        ("https://h.org", "https://h.org"),
        ("/plain", "http://e.org/plain"),
        ("/with\\back", "http://e.org/with/back"),
        (
            "example.html;jsessionid=dead:beef?x=this:value",
            "http://e.org/dir/example.html;jsessionid=dead:beef?x=this:value",
        ),
        ("/details/1/news/page:1", "http://e.org/details/1/news/page:1"),
        ("HTTP://H.org/", "HTTP://H.org/"),
        ("http:broken", "http:broken"),
        ("httpd.html", "http://e.org/dir/httpd.html"),
        ("http://[e.org/x", "http://[e.org/x"),
        ("http://e.org:non-port/", "http://e.org:non-port/"),
    ],
)
def test_addresses_are_joined_and_kept_as_found(href: str, url: str) -> None:
    assert urls(f'<a href="{href}">') == [url]


def test_href_without_a_value_leads_to_the_page() -> None:
    assert urls("<a href>x</a>") == [PAGE]


def test_links_to_other_schemes_are_counted_not_returned() -> None:
    result = parse(
        "<a href='mailto:x@e.org'><a href=' JavaScript:void(0)'><a href='java\nscript:x'><a href='tel:+33'>"
        "<a href='data:text/html,x'><a href='ftp://e.org/'><a href=ok>"
    )
    assert [link.url for link in result.links] == ["http://e.org/dir/ok"]
    assert result.n_links_by_scheme == (("data", 1), ("ftp", 1), ("javascript", 2), ("mailto", 1), ("tel", 1))


@pytest.mark.parametrize(
    ("markup", "url", "base"),
    [
        ("<base href='/forum/'><a href=x>", "http://e.org/forum/x", "http://e.org/forum/"),
        ("<base href='sub/'><a href=x>", "http://e.org/dir/sub/x", "http://e.org/dir/sub/"),
        ("<base href='https://h.org/y/z'><a href=x>", "https://h.org/y/x", "https://h.org/y/z"),
        (
            "<base target=_top><base href='/one/'><base href='/two/'><a href=x>",
            "http://e.org/one/x",
            "http://e.org/one/",
        ),
        ("<a href=x></a><base href='/late/'>", "http://e.org/late/x", "http://e.org/late/"),
        ("<BASE HREF='/upper/'><a href=x>", "http://e.org/upper/x", "http://e.org/upper/"),
        ("<base href='mailto:x'><a href=x>", "http://e.org/dir/x", PAGE),
        ("<!-- <base href='/no/'> --><a href=x>", "http://e.org/dir/x", PAGE),
    ],
)
def test_first_base_counts_for_all_links(markup: str, url: str, base: str) -> None:
    result = parse(markup)
    assert [link.url for link in result.links] == [url]
    assert result.base_url == base


def test_base_that_is_not_of_the_web_is_reported() -> None:
    assert parse("<base href='data:,x'>").warnings == ("base href ignored",)


def test_kinds_and_document_order() -> None:
    result = parse(
        "<link rel=next href=1><link rel=alternate type='application/rss+xml; x' title=News href=2>"
        "<a href=3>a</a><iframe src=4 title='A  film'></iframe><map><area href=5 alt=Map></map>"
        "<a href=3>b</a>"
    )
    assert [(link.url[-1], link.kind, link.anchor) for link in result.links] == [
        ("1", LinkKind.HEAD, ""),
        ("2", LinkKind.FEED, "News"),
        ("3", LinkKind.HYPERLINK, "a"),
        ("4", LinkKind.FRAME, "A film"),
        ("5", LinkKind.HYPERLINK, "Map"),
        ("3", LinkKind.HYPERLINK, "b"),
    ]


def test_framesets() -> None:
    result = parse('<frameset><frame name="main"src="x"><frameset><frame src=y></frameset></frameset>')
    assert [(link.url, link.kind) for link in result.links] == [
        ("http://e.org/dir/x", LinkKind.FRAME),
        ("http://e.org/dir/y", LinkKind.FRAME),
    ]


@pytest.mark.parametrize(
    ("inside", "anchor"),
    [
        ("  some \n\t text ", "some text"),
        ("<b>bold</b>", "bold"),
        ("J<b>oh</b>n", "John"),
        ("<h3>Title</h3><p>Summary</p>", "Title Summary"),
        ("<img src=i alt=' A  picture '>", "A picture"),
        ("<img src=i alt=''><img src=j alt=second>", "second"),
        ("<img src=i alt=picture> text", "text"),
        ("<img src=i>", ""),
        ("<span><img src=i alt=deep></span>", "deep"),
        ("x<script>var y</script><style>z</style>", "x"),
        ("<script>var y</script>", ""),
        ("<b>x</b> <svg> <style> s <g> t </g> </style> </svg><b>y</b>", "x y"),
        ("<!-- hidden -->", ""),
        ("", ""),
        ("&eacute;t&eacute;&nbsp;2024", "été 2024"),
    ],
)
def test_anchors(inside: str, anchor: str) -> None:
    assert only(f"<a href=x>{inside}</a>").anchor == anchor


def test_anchor_is_cut_at_its_limit() -> None:
    assert only(f"<a href=x>{'é' * 5000}</a>").anchor == "é" * MAX_ANCHOR_CHARACTERS


@pytest.mark.parametrize(
    ("attribute", "rel"),
    [
        ("", ""),
        ("rel", ""),
        ("rel=''", ""),
        ("rel=NoFollow", "nofollow"),
        ("rel='ugc\n nofollow  external ugc'", "external nofollow ugc"),
    ],
)
def test_rel_tokens_are_distinct_lower_case_and_sorted(attribute: str, rel: str) -> None:
    assert only(f"<a {attribute} href=x>").rel == rel


@pytest.mark.parametrize(
    ("markup", "area"),
    [
        ("<a href=x>", Area.MAIN),
        ("<div><p><a href=x>", Area.MAIN),
        ("<nav><ul><li><a href=x>", Area.NAV),
        ("<header><a href=x>", Area.HEADER),
        ("<footer><p><a href=x>", Area.FOOTER),
        ("<aside><a href=x>", Area.ASIDE),
        ("<header><nav><a href=x>", Area.NAV),
        ("<aside><main><a href=x>", Area.MAIN),
        ("<nav></nav><a href=x>", Area.MAIN),
        ("<div role=navigation><a href=x>", Area.NAV),
        ("<div ROLE=Banner><a href=x>", Area.HEADER),
        ("<div role=contentinfo><p><a href=x>", Area.FOOTER),
        ("<div role=complementary><a href=x>", Area.ASIDE),
        ("<nav><div role=main><a href=x>", Area.MAIN),
        ("<nav role=presentation><a href=x>", Area.NAV),
        ("<nav role='search complementary'><a href=x>", Area.ASIDE),
        ("<footer><noscript><a href=x></noscript></footer>", Area.FOOTER),
        ("<nav><iframe src=x></iframe></nav>", Area.NAV),
    ],
)
def test_area_is_that_of_the_nearest_landmark(markup: str, area: Area) -> None:
    assert only(markup).area is area


def test_areas_of_neighbours_do_not_mix() -> None:
    result = parse(
        "<nav><p><a href=1></p></nav><p><a href=2></p><footer><p><a href=3></p></footer><p><a href=4>"
    )
    assert [link.area for link in result.links] == [Area.NAV, Area.MAIN, Area.FOOTER, Area.MAIN]


def test_links_over_the_limit_are_counted() -> None:
    result = parse("<a href=x></a>" * (MAX_LINKS + 7))
    assert len(result.links) == MAX_LINKS
    assert result.n_links_cut == 7


def test_query_of_a_link_takes_the_encoding_of_the_page_its_path_does_not() -> None:
    markup = "<a href='/to£?unit=µ&x=€#µ'>".encode("windows-1252")
    (link,) = parse(markup, content_type="text/html; charset=iso-8859-1").links
    assert link.url == "http://e.org/to£?unit=%B5&x=%80#µ"


def test_characters_missing_in_the_encoding_of_the_page_become_references() -> None:
    (link,) = parse(b"<a href='/?q=&#x4e2d;'>", content_type="text/html; charset=windows-1252").links
    assert link.url == "http://e.org/?q=%26%2320013%3B"


@pytest.mark.parametrize("n_levels", [10_000, 200_000])
def test_deep_pages_keep_their_links(n_levels: int) -> None:
    markup = b"<a href=first>1</a>" + b"<div>" * n_levels + b"<a href=deep>y</a>"
    assert urls(markup) == ["http://e.org/dir/first", "http://e.org/dir/deep"]
