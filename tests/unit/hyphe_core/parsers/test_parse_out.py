"""Parse-out records: written, read, validated, and made clean."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from hyphe_core.parsers.base import SUCCESS, Document, Metadatum, ParseMajor, ParseMinor, ParseStatus, failed
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.parse_out import (
    FIELDS,
    BadParseOut,
    Outlink,
    ParseOut,
    Redirection,
    read_parse_out,
    read_schema,
    validate,
    write_parse_out,
)
from hyphe_core.parsers.parse_out_cleaning import NEW_LINE, RawParse, clean
from hyphe_core.parsers.parse_out_results import parse_outs_of

# The sample of the proposal with its end tags and its literal dots put right.
SAMPLE = """<?xml version="1.0"?>
<nutch:parse xmlns:nutch="http://nutch.org/1.0/parse" status='success'>
 <nutch:title>Sample title</nutch:title>
 <nutch:creator>Jérôme Charron</nutch:creator>
 <nutch:content-type>text/xml</nutch:content-type>
 <nutch:link>http://www.nutch.org/sample.xml</nutch:link>
 <nutch:language>fr</nutch:language>
 <nutch:text>Here is the textual content to index</nutch:text>
 <nutch:outlink url="http://www.nutch.org/outlink1">anchor of the outlink 1</nutch:outlink>
 <nutch:outlink url="http://www.nutch.org/outlink2">anchor of the outlink 2</nutch:outlink>
 <nutch:meta name="name.meta.1">meta 1 value</nutch:meta>
 <nutch:meta name="name.meta.2">meta 2 value</nutch:meta>
</nutch:parse>
"""
FULL = ParseOut(
    "http://e.org/",
    "text/xml",
    ParseStatus(ParseMajor.SUCCESS, ParseMinor.REDIRECT, "moved"),
    "A title",
    **{name: (name, f"{name} 2") for name in FIELDS - {"language", "modified"}},
    language=("fr", "en-GB"),
    modified=("2020",),
    redirect=Redirection("http://e.org/new", 5),
    text="one\ntwo",
    outlinks=(Outlink("http://a.org/", "anchor", "a", "me nofollow"), Outlink("https://b.org/")),
    meta=(Metadatum("x.y", "1"), Metadatum("x.y", "2")),
)


def test_the_sample_put_right_is_valid_and_read() -> None:
    assert validate(SAMPLE.encode()) == []
    (parse,) = read_parse_out(SAMPLE.encode())
    assert parse == ParseOut(
        "http://www.nutch.org/sample.xml",
        "text/xml",
        title="Sample title",
        creator=("Jérôme Charron",),
        language=("fr",),
        text="Here is the textual content to index",
        outlinks=tuple(
            Outlink(f"http://www.nutch.org/outlink{n}", f"anchor of the outlink {n}") for n in (1, 2)
        ),
        meta=tuple(Metadatum(f"name.meta.{n}", f"meta {n} value") for n in (1, 2)),
    )


@pytest.mark.parametrize(
    "fault",
    [
        ("</nutch:content-type>", "</nutch:creator>"),
        ("</nutch:link>", "</nutch:url>"),
        ("</nutch:outlink>", "</nutch:outlink>...."),
        ("status='success'", "status='SUCCESS'"),
    ],
)
def test_the_errors_of_the_sample_are_errors(fault: tuple[str, str]) -> None:
    assert validate(SAMPLE.replace(*fault).encode()) != []


def test_a_full_record_survives_writing_and_reading() -> None:
    written = write_parse_out([FULL])
    assert validate(written) == []
    assert read_parse_out(written) == (FULL,)


def test_several_records_make_parses() -> None:
    other = ParseOut("http://e.org/1", status=failed(ParseMinor.INVALID_FORMAT, "bad"))
    written = write_parse_out([FULL, other])
    assert etree.fromstring(written).tag.endswith("parses")
    assert read_parse_out(written) == (FULL, other)
    assert validate(write_parse_out([other, other])) != []


@pytest.mark.parametrize(
    "document", [b"<a/>", b"", b"<a", write_parse_out([FULL]).replace(b"n:link", b"n:lnk")]
)
def test_what_is_no_parse_out_is_refused_with_reasons(document: bytes) -> None:
    with pytest.raises(BadParseOut) as raised:
        read_parse_out(document)
    assert raised.value.faults == tuple(validate(document))


def test_the_schema_is_a_schema_and_says_its_version() -> None:
    assert etree.fromstring(read_schema()).get("version") == "1.0"


def test_entities_of_a_parse_out_document_are_not_expanded() -> None:
    document = b'<!DOCTYPE n [<!ENTITY e SYSTEM "file:///etc/hostname">]>' + write_parse_out([FULL])[39:]
    assert validate(document.replace(b"A title", b"A &e; title")) != []


# -- cleaning -------------------------------------------------------------------


def raw(**changes: object) -> RawParse:
    parse = RawParse("http://e.org/d/x", "text/xml", base="http://e.org/d/x")
    for name, value in changes.items():
        setattr(parse, name, value)
    return parse


def test_only_whole_addresses_are_taken_for_the_same_in_all_documents() -> None:
    for folder in ("a", "b"):
        document = f"http://e.org/{folder}/x"
        cleaned = clean(raw(link=document, base=document, outlinks=[Outlink("httpd.html"), Outlink("tel/x")]))
        assert [link.url for link in cleaned.parse.outlinks] == [
            f"http://e.org/{folder}/httpd.html",
            f"http://e.org/{folder}/tel/x",
        ]


def test_links_are_resolved_distinct_and_of_the_web() -> None:
    links = [
        Outlink(" y ", ""),
        Outlink("/z"),
        Outlink("y", " an\n anchor"),
        Outlink("y", "another"),
        Outlink("#part"),
        Outlink(""),
        Outlink("mailto:a@e.org"),
        Outlink("javascript:x()"),
        Outlink("http://o.org/a b", "", "bad name", "nofollow  \u20ac"),
        Outlink("http://o.org/" + "x" * 4096),
    ]
    cleaned = clean(raw(outlinks=links))
    assert cleaned.parse.outlinks == (
        Outlink("http://e.org/d/y", "an anchor"),
        Outlink("http://e.org/z"),
        Outlink("http://o.org/a%20b", "", "", "nofollow"),
    )
    assert cleaned.n_links_cut == 1
    assert cleaned.n_links_by_scheme == (("javascript", 1), ("mailto", 1))


def test_text_has_the_lines_of_the_stylesheet_only() -> None:
    text = f" a\n b{NEW_LINE}{NEW_LINE}\t{NEW_LINE}c\xa0d "
    assert clean(raw(text=text)).parse.text == "a b\nc d"


def test_fields_are_folded_distinct_and_of_their_form() -> None:
    fields = {
        "creator": [" A\n B ", "", "A B", "C"],
        "language": ["fr_FR", "the french one", "en"],
        "modified": ["2020", "2021"],
        "nonsense": ["x"],
    }
    meta = [Metadatum("a name!", "v"), Metadatum("x", " "), Metadatum("y", "\x01z")]
    parse = clean(raw(fields=fields, meta=meta, content_type="Text/HTML; charset=x")).parse
    assert (parse.creator, parse.language, parse.modified) == (("A B", "C"), ("fr-FR", "en"), ("2020",))
    assert parse.meta == (("a-name-", "v"), ("y", "z"))
    assert parse.content_type == "application/octet-stream"


def test_a_failure_keeps_neither_text_nor_links() -> None:
    parse = clean(raw(status=failed(ParseMinor.EXCEPTION, "x\x00y"), text="t", outlinks=[Outlink("y")])).parse
    assert (parse.text, parse.outlinks, parse.status.message) == ("", (), "xy")


ANYTHING = st.text(max_size=20)
FIELD_VALUES = st.dictionaries(st.sampled_from(sorted(FIELDS)), st.lists(ANYTHING, max_size=3), max_size=4)


@given(
    title=ANYTHING,
    text=ANYTHING,
    content_type=ANYTHING,
    link=ANYTHING.map(lambda end: "http://e.org/" + end),
    fields=FIELD_VALUES,
    outlinks=st.lists(
        st.builds(Outlink, ANYTHING.map(lambda end: "http://a/" + end), ANYTHING, ANYTHING, ANYTHING)
    ),
    meta=st.lists(st.builds(Metadatum, ANYTHING, ANYTHING)),
)
def test_whatever_a_parser_says_the_document_is_valid(**changes: object) -> None:
    parse = clean(raw(status=SUCCESS._replace(message="\x00\ud800"), **changes)).parse
    written = write_parse_out([parse])
    assert validate(written) == []
    (read,) = read_parse_out(written)
    assert replace(read, outlinks=(), text="") == replace(parse, outlinks=(), text="")
    assert [link.url for link in read.outlinks] == [link.url for link in parse.outlinks]


# -- results of HTML -----------------------------------------------------------------


def test_an_html_page_as_parse_out() -> None:
    body = b"""<html lang=fr><title>T</title><link rel=canonical href=/c>
    <meta http-equiv=refresh content="3;/n">
    <p>Some <a href=/a rel=nofollow>text</a><a href=/a>again</a><iframe src=f></iframe>"""
    document = Document("http://e.org/d/x", body, "text/html")
    (parse,) = parse_outs_of(HtmlParser().parse(document), document)
    assert validate(write_parse_out([parse])) == []
    assert (parse.title, parse.language, parse.content_type) == ("T", ("fr",), "text/html")
    assert parse.redirect == Redirection("http://e.org/n", 3)
    assert parse.status.minor is ParseMinor.REDIRECT
    assert parse.outlinks == (
        Outlink("http://e.org/a", "text", "a", "nofollow"),
        Outlink("http://e.org/d/f", "", "iframe"),
    )
    assert parse.meta == (("html.canonical", "http://e.org/c"),)


def test_meta_elements_of_html_fill_fields() -> None:
    document = Document("http://e.org/", b"<p>x", "text/html")
    given = (("author", "A"), ("dc.creator", "B"), ("keywords", "k"))
    result = replace(
        HtmlParser().parse(document),
        metadata=tuple(Metadatum(f"metatag.{name}", value) for name, value in given),
    )
    (parse,) = parse_outs_of(result, document)
    assert (parse.creator, parse.subject) == (("B",), ("k",))
