"""Feeds: a parse for each entry, with its text, links, dates and people; links from the feed to them."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest

from hyphe_core.parsers.base import Document, ParseResult
from hyphe_core.parsers.feeds import find_moment
from hyphe_core.parsers.profiles import NUTCH
from hyphe_core.parsers.xml_parser import InProcess, XmlParser
from memory_structure.records import LinkKind

URL = "http://f.org/d/feed"
PARSER = XmlParser(InProcess())


def parse(body: str, media_type: str = "application/rss+xml") -> ParseResult:
    result = PARSER.parse(Document(URL, body.encode(), media_type))
    assert result.status.is_success
    return result


def rss(*items: str, channel: str = "") -> str:
    return f'<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>{channel}{"".join(items)}</channel></rss>'


def facts(result: ParseResult, *names: str) -> list[tuple[str, str]]:
    return [(name, value) for name, value in result.metadata if name in names]


def test_entries_are_links_of_kind_feed() -> None:
    result = parse(rss("<item><title>A</title><link>/a</link></item>", channel="<link>http://f.org/</link>"))
    assert [(link.url, link.kind, link.anchor) for link in result.links] == [
        ("http://f.org/", LinkKind.HEAD, ""),
        ("http://f.org/a", LinkKind.FEED, "A"),
    ]
    assert [entry.url for entry in result.parses] == ["http://f.org/a"]
    assert result.url == ""


def test_a_feed_has_no_links_in_the_profile_of_nutch() -> None:
    body = rss("<item><link>http://f.org/a</link></item>", channel="<link>http://f.org/</link>").encode()
    result = PARSER.for_profile(NUTCH).parse(Document(URL, body, "application/rss+xml"))
    assert result.links == ()
    assert [entry.url for entry in result.parses] == ["http://f.org/a"]


def test_markup_in_a_description_gives_text_and_links_of_the_entry() -> None:
    description = escape('<p>Some <a href="../x">text</a></p><p>more &amp; more&#1;</p>')
    (entry,) = parse(
        rss(f"<item><link>http://f.org/a/b</link><description>{description}</description></item>")
    ).parses
    assert entry.text.split() == ["Some", "text", "more", "&", "more"]
    assert [(link.url, link.kind, link.anchor) for link in entry.links] == [
        ("http://f.org/x", LinkKind.HYPERLINK, "text")
    ]


@pytest.mark.parametrize(
    ("item", "links"),
    [
        ("<guid>http://f.org/g</guid>", ["http://f.org/g"]),
        ('<guid isPermaLink="false">http://f.org/g</guid>', []),
        ("<guid>tag:f.org,2020:1</guid>", []),
        ("<link> </link><guid>http://f.org/g</guid>", ["http://f.org/g"]),
        ("<link>mailto:a@f.org</link>", []),
        ("<link>HTTP://f.org/1</link>", ["http://f.org/1"]),
        ("<title>no link</title>", []),
        (f"<link>{URL}</link>", []),
    ],
)
def test_the_link_of_an_entry(item: str, links: list[str]) -> None:
    assert [entry.url for entry in parse(rss(f"<item>{item}</item>")).parses] == links


def test_of_two_entries_with_one_link_the_last_counts() -> None:
    items = [
        f"<item><title>{title}</title><link>http://f.org/{n}</link></item>" for title, n in ("a1", "b2", "c1")
    ]
    result = parse(rss(*items))
    assert [(entry.url, entry.title) for entry in result.parses] == [
        ("http://f.org/1", "c"),
        ("http://f.org/2", "b"),
    ]


def test_titles_lose_their_tags() -> None:
    result = parse(
        rss(
            "<item><title>&lt;i&gt;A&lt;/i&gt; &amp;amp; B</title><link>/a</link></item>",
            channel="<title>C</title>",
        )
    )
    assert (result.title, result.parses[0].title) == ("C", "A & B")


def test_people_tags_and_dates() -> None:
    item = (
        "<item><link>/a</link><dc:creator>P</dc:creator><category>k</category><dc:subject>l</dc:subject>"
        "<pubDate>Mon, 07 Sep 2020 12:00:00 +0200</pubDate></item>"
    )
    (entry,) = parse(rss(item, channel="<link>http://f.org/</link>")).parses
    assert facts(entry, "author", "tag", "published", "updated", "feed", "dc.date") == [
        ("dc.date", "2020-09-07T10:00:00Z"),
        ("author", "P"),
        ("tag", "k"),
        ("tag", "l"),
        ("published", "1599472800000"),
        ("feed", "http://f.org/"),
    ]


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("Mon, 07 Sep 2020 10:00:00 GMT", 1599472800000),
        ("07 Sep 2020 10:00:00", 1599472800000),
        ("Mon, 07 Sep 2020 06:00:00 EDT", 1599472800000),
        ("2020-09-07T10:00:00Z", 1599472800000),
        ("2020-09-07T12:00:00.5+02:00", 1599472800500),
        ("2020-09-07", 1599436800000),
        ("2020-09", 1598918400000),
        ("2020", 1577836800000),
        ("yesterday", None),
        ("", None),
        ("Mon, 99 Sep 2020 10:00:00 GMT", None),
        ("0000", None),
    ],
)
def test_dates_of_feeds(text: str, milliseconds: int | None) -> None:
    moment = find_moment(text)
    assert (moment and int(moment.timestamp() * 1000)) == milliseconds


def test_rss_1_has_its_items_beside_the_channel() -> None:
    body = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
    <channel><title>C</title></channel><item rdf:about="http://f.org/1"><title>T</title></item></rdf:RDF>"""
    result = parse(body, "text/xml")
    assert (result.title, [(entry.url, entry.title) for entry in result.parses]) == (
        "C",
        [("http://f.org/1", "T")],
    )


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en" xml:base="http://o.org/">
<title type="html">A &amp;lt;b&amp;gt;</title>
<subtitle>S</subtitle><link rel="self" href="/self"/><link href="/"/><author><name>N</name></author>
<entry xml:lang="fr"><title>E</title><link rel="alternate" href="1"/><link rel="related" href="r"/>
<published>2020-01-01T00:00:00Z</published><updated>2020-01-02T00:00:00Z</updated><category term="k"/>
<content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml">Some <a href="x">text</a></div></content></entry>
<entry><title>F</title><link href="2"/><summary>plain &lt;b&gt;</summary></entry></feed>"""


def test_atom() -> None:
    result = parse(ATOM, "application/atom+xml")
    assert (result.text, result.language, result.metadata[0]) == ("S", "en", ("dc.creator", "N"))
    first, second = result.parses
    assert (first.url, first.title, first.text, first.language) == ("http://o.org/1", "E", "Some text", "fr")
    assert {(link.url, link.kind) for link in first.links} == {
        ("http://o.org/x", LinkKind.HYPERLINK),
        ("http://o.org/r", LinkKind.HEAD),
    }
    assert facts(first, "tag", "published", "updated", "feed") == [
        ("tag", "k"),
        ("published", "1577836800000"),
        ("updated", "1577923200000"),
        ("feed", "http://o.org/"),
    ]
    assert (second.url, second.text) == ("http://o.org/2", "plain <b>")


def test_words_of_blocks_of_xhtml_stay_apart() -> None:
    content = "<p>one <b>t</b>wo</p><p>three</p>four<br/>five<script>no</script>"
    entry = parse(
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/1"/><content type="xhtml">'
        f'<div xmlns="http://www.w3.org/1999/xhtml">{content}</div></content></entry></feed>',
        "application/atom+xml",
    ).parses[0]
    assert entry.text == "one two three four five"


def test_the_encoding_is_that_of_xml() -> None:
    body = '<?xml version="1.0" encoding="iso-8859-1"?><rss><channel><title>é</title></channel></rss>'
    result = PARSER.parse(Document(URL, body.encode("latin-1"), "application/rss+xml"))
    assert (result.title, result.encoding) == ("é", "iso-8859-1")


def test_a_broken_feed_is_read_as_far_as_it_goes() -> None:
    result = parse(
        '<rss version="2.0"><channel><title>a & b</title><item><link>/1</link></item><item><link>/2'
    )
    assert result.title == "a & b"
    assert [entry.url for entry in result.parses] == ["http://f.org/1", "http://f.org/2"]
    assert ("xml.recovered", "true") in result.metadata


BOTH = (
    '<item><link>http://f.org/a</link><description>Short &lt;a href="/s"&gt;s&lt;/a&gt;</description>'
    '<content:encoded xmlns:content="http://purl.org/rss/1.0/modules/content/">'
    'Long &lt;a href="/l"&gt;l&lt;/a&gt;</content:encoded></item>'
)


def test_nothing_of_the_contents_beside_a_description_is_lost() -> None:
    (entry,) = parse(rss(BOTH)).parses
    assert entry.text == "Short s"
    assert facts(entry, "dc.description", "contents") == [
        ("dc.description", "Short s"),
        ("contents", "Long l"),
    ]
    assert [link.url for link in entry.links] == ["http://f.org/s", "http://f.org/l"]


def test_in_the_profile_of_nutch_a_description_stands_alone() -> None:
    strict = PARSER.for_profile(NUTCH)
    (entry,) = strict.parse(Document(URL, rss(BOTH).encode(), "application/rss+xml")).parses
    assert facts(entry, "contents") == []
    assert [link.url for link in entry.links] == ["http://f.org/s"]


def test_in_the_profile_of_nutch_markup_of_entries_is_read_by_its_rules() -> None:
    markup = "<p>a</p><p>b</p><a href='/x'></a><a href='/y' rel=nofollow>y</a><img src='/i' alt=z>"
    body = rss(f"<item><link>http://f.org/a</link><description>{escape(markup)}</description></item>")
    (entry,) = PARSER.for_profile(NUTCH).parse(Document(URL, body.encode(), "application/rss+xml")).parses
    assert entry.text == "a\nb\ny"
    assert [(link.url, link.anchor) for link in entry.links] == [("http://f.org/i", "z")]


def test_elements_of_modules_are_not_those_of_rss() -> None:
    module = 'xmlns:m="http://search.yahoo.com/mrss/"'
    photo = f"<m:title {module}>Photo</m:title><m:description {module}>Of it</m:description>"
    item = (
        f"<item>{photo}<title>Story</title><description>Told</description><link>/a</link></item>"
        f"<item>{photo}<link>/b</link></item>"
    )
    assert [(entry.title, entry.text) for entry in parse(rss(item)).parses] == [
        ("Story", "Told"),
        ("Photo", "Of it"),
    ]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("2020", "2020"),
        ("2020-09", "2020-09"),
        ("2020-09-07", "2020-09-07"),
        ("Mon, 07 Sep 2020 12:00:00 +0200", "2020-09-07T10:00:00Z"),
        ("yesterday", "yesterday"),
    ],
)
def test_dates_stay_as_exact_as_they_are(given: str, told: str) -> None:
    (entry,) = parse(rss(f"<item><link>/a</link><pubDate>{given}</pubDate></item>")).parses
    assert facts(entry, "dc.date") == [("dc.date", told)]
