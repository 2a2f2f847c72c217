"""Formats as data: chosen by what a document is, added without code."""

from __future__ import annotations

from pathlib import Path

import pytest

from hyphe_core.errors import ConfigError
from hyphe_core.parsers.base import Document, Metadatum, ParseMinor, ParseResult
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.markup import MarkupEngine, MarkupParser, Match, Probe, Rank
from hyphe_core.parsers.markup_formats import load_formats, shipped_formats
from hyphe_core.parsers.parse_out import validate, write_parse_out
from hyphe_core.parsers.registered import list_registered
from hyphe_core.parsers.xml_parser import InProcess, XmlOptions, XmlParser, make_engine
from memory_structure.records import LinkKind

RECIPE = b"""<recipe xmlns="urn:food"><name>Soup</name><cook>A. Cook</cook><serves>4</serves>
<step>Boil <tool see="/pot">a pot</tool>.</step><step>Serve.</step></recipe>"""
SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse" xmlns:f="urn:food" exclude-result-prefixes="f">{embedded}
  <xsl:import href="parts.xsl"/>
  <xsl:template match="/f:recipe">
    <n:parse status="success">
      <n:title><xsl:value-of select="f:name"/></n:title>
      <n:creator><xsl:value-of select="f:cook"/></n:creator>
      <xsl:call-template name="facts"/>
      <n:text><xsl:for-each select="f:step"><xsl:value-of select="concat(., $line)"/></xsl:for-each></n:text>
      <xsl:for-each select="//@see">
        <n:outlink url="{{.}}" element="tool"><xsl:value-of select=".."/></n:outlink>
      </xsl:for-each>
      <n:meta name="food.serves"><xsl:value-of select="f:serves"/></n:meta>
    </n:parse>
  </xsl:template>
</xsl:stylesheet>"""
TOML = 'title = "Recipes"\nroots = ["{urn:food}recipe"]\ncontent_type = "application/x-recipe+xml"\n'
EMBEDDED = (
    '<h:format xmlns:h="urn:hyphe:format" roots="{urn:food}recipe" content_type="application/x-recipe+xml"/>'
)
URL = "http://e.org/d/soup"


def write_format(
    folder: Path, name: str = "recipe", toml: str | None = TOML, sheet: str | None = None
) -> None:
    (folder / f"{name}.xsl").write_text(sheet if sheet is not None else SHEET.format(embedded=""))
    if toml is not None:
        (folder / f"{name}.toml").write_text(toml)


def parse(
    body: bytes, folder: Path | str = "", media_type: str = "text/xml", **options: object
) -> ParseResult:
    parser = XmlParser(InProcess(), XmlOptions(folder=str(folder), **options))
    return parser.parse(Document(URL, body, media_type))


def check_recipe(result: ParseResult) -> None:
    assert (result.parser, result.content_type) == ("recipe", "application/x-recipe+xml")
    assert (result.title, result.text) == ("Soup", "Boil a pot.\nServe.")
    assert [(link.url, link.anchor) for link in result.links] == [("http://e.org/pot", "a pot")]
    assert Metadatum("dc.creator", "A. Cook") in result.metadata
    assert Metadatum("food.serves", "4") in result.metadata


def test_a_new_format_is_a_stylesheet_and_toml(tmp_path: Path) -> None:
    assert parse(RECIPE).parser == "generic"
    write_format(tmp_path)
    check_recipe(parse(RECIPE, tmp_path))


def test_a_new_format_is_a_stylesheet_alone(tmp_path: Path) -> None:
    (tmp_path / "recipe.xsl").write_text(
        SHEET.format(embedded="").replace(
            '<xsl:import href="parts.xsl"/>', '<xsl:import href="parts.xsl"/>' + EMBEDDED
        )
    )
    check_recipe(parse(RECIPE, tmp_path))


def test_a_result_without_media_type_has_that_of_the_document(tmp_path: Path) -> None:
    write_format(
        tmp_path,
        toml='roots = ["*"]\n',
        sheet="""<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
            xmlns:n="http://nutch.org/1.0/parse"><xsl:template match="/"><n:parse status="success"/>
            </xsl:template></xsl:stylesheet>""",
    )
    result = parse(RECIPE, tmp_path, "application/x-soup+xml", format="recipe")
    assert (result.parser, result.content_type) == ("recipe", "application/x-soup+xml")


def test_of_formats_that_match_equally_well_the_operators_is_used(tmp_path: Path) -> None:
    sheet = SHEET.format(embedded="").replace("/f:recipe", "/*")
    write_format(tmp_path, "zines", 'roots = ["opml"]', sheet)
    found = parse(b"<opml/>", tmp_path)
    assert (found.parser, found.warnings) == ("zines", ())
    assert [tie for tie in list_registered(str(tmp_path)).ties if "zines" in tie] == []


def test_a_stylesheet_without_description_is_only_there_to_be_imported(tmp_path: Path) -> None:
    write_format(tmp_path, toml=None)
    assert load_formats(tmp_path) == []


def test_a_format_is_asked_for_by_name(tmp_path: Path) -> None:
    write_format(tmp_path, toml="")
    assert parse(RECIPE, tmp_path).parser == "generic"
    assert parse(RECIPE, tmp_path, format="recipe").title == "Soup"
    with pytest.raises(LookupError):
        parse(RECIPE, tmp_path, format="receipt")


def test_a_format_of_the_operator_replaces_the_shipped_one_of_its_name(tmp_path: Path) -> None:
    write_format(tmp_path, "svg", 'roots = ["{urn:food}*"]')
    engine = make_engine(str(tmp_path))
    assert sum(parser.name == "svg" for parser in engine.parsers) == 1
    assert parse(RECIPE, tmp_path).parser == "svg"


@pytest.mark.parametrize(
    ("toml", "fault"),
    [
        ('root = ["x"]', "unknown key root; did you mean roots?"),
        ('roots = "x"', "roots is 'x', not a list"),
        ('preprocessor = "htm"', "preprocessor is 'htm'; did you mean html?"),
        ('link_kind = "feeds"', "link_kind is 'feeds'; did you mean feed?"),
        ("malformed = 7", "malformed is 7"),
        ('condition = "]"', "condition ']'"),
        ('stylesheet = "absent.xsl"', "absent.xsl is not there"),
        ('stylesheet = "../recipe.xsl"', "is not there"),
        ("roots = [", "its TOML cannot be read"),
        ('preprocessor = "fields"', "no table of fields"),
        ('preprocessor = "fields"\n[fields]\ntitle = "]"', "field title, ']'"),
        ('roots = ["{x"]', "'{x' is no name"),
    ],
)
def test_faults_are_told_when_formats_are_loaded(tmp_path: Path, toml: str, fault: str) -> None:
    write_format(tmp_path, toml=toml)
    with pytest.raises(ConfigError, match="format recipe: ") as raised:
        load_formats(tmp_path)
    assert fault in str(raised.value)


def test_faults_of_all_formats_are_told_at_once(tmp_path: Path) -> None:
    write_format(tmp_path, "a", "x = 1")
    write_format(tmp_path, "b", "", sheet="<a>")
    with pytest.raises(ConfigError) as raised:
        load_formats(tmp_path)
    assert [fault.partition(":")[0] for fault in raised.value.faults] == ["format a", "format b"]
    with pytest.raises(ConfigError):
        load_formats(tmp_path / "absent")


# -- which format ------------------------------------------------------------------


JATS = '<article article-type="x"><front/></article>'
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'


@pytest.mark.parametrize(
    ("body", "media_type", "url", "name", "why"),
    [
        (JATS, "text/xml", URL, "jats", "root element article"),
        (JATS, "application/rss+xml", URL, "jats", "root element article"),
        ("<article><front/></article>", "", URL, "jats", "root element article"),
        ("<article><p/></article>", "", URL, "generic", "no format knows it"),
        (
            '<!DOCTYPE article PUBLIC "-//NLM//DTD X" "x"><article/>',
            "",
            URL,
            "jats",
            "public identifier -//NLM//DTD X",
        ),
        ("<article/>", "application/jats+xml", URL, "jats", "media type application/jats+xml"),
        ("<article/>", "text/xml", URL + ".nxml?x=.svg", "jats", "suffix .nxml"),
        ('<article specific-use="sps-1.9"><front/></article>', "", URL, "scielo", "root element article"),
        (
            "<article><front><article-meta><numero>2</numero></article-meta></front></article>",
            "",
            URL,
            "scielo",
            "",
        ),
        ('<article xmlns="http://docbook.org/ns/docbook"/>', "", URL, "docbook", "root element article"),
        (
            '<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x"><article/>',
            "",
            URL,
            "docbook",
            "",
        ),
        ("<book><title/></book>", "", URL, "docbook", ""),
        ("<book><isbn/></book>", "", URL, "generic", ""),
        ('<TEI xmlns="http://www.tei-c.org/ns/1.0"/>', "", URL, "tei", ""),
        ("<TEI.2/>", "", URL, "tei", ""),
        ('<rss version="2.0"/>', "", URL, "rss", ""),
        (f'<rdf:RDF {RDF} xmlns="http://purl.org/rss/1.0/"/>', "", URL, "rss", ""),
        (
            f'<r:RDF xmlns:r="{RDF[11:-1]}" xmlns:x="http://my.netscape.com/rdf/simple/0.9/"/>',
            "",
            URL,
            "rss",
            "",
        ),
        (f"<rdf:RDF {RDF}/>", "text/xml", URL, "generic", ""),
        ('<feed xmlns="http://www.w3.org/2005/Atom"/>', "", URL, "atom", ""),
        ('<entry xmlns="http://purl.org/atom/ns#"/>', "", URL, "atom", ""),
        ("<feed/>", "application/atom+xml", URL, "atom", "media type application/atom+xml"),
        ('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>', "", URL, "sitemap", ""),
        ("<sitemapindex/>", "", URL, "sitemap", ""),
        ('<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"/>', "", URL, "oai", ""),
        ("<pmc-articleset><article/></pmc-articleset>", "", URL, "articleset", ""),
        ("<opml/>", "", URL, "opml", ""),
        ('<svg xmlns="http://www.w3.org/2000/svg"/>', "", URL, "svg", ""),
        ('<html xmlns="http://www.w3.org/1999/xhtml"/>', "", URL, "xhtml", ""),
        ("<broken", "application/atom+xml", URL, "atom", "media type application/atom+xml"),
    ],
)
def test_the_format_of_a_document(body: str, media_type: str, url: str, name: str, why: str) -> None:
    outcome = XmlParser(InProcess()).run(Document(url, body.encode(), media_type))
    assert outcome.parser == name
    assert why in outcome.why


class Named(MarkupParser):
    def __init__(self, name: str, priority: int, rank: Rank) -> None:
        self.name, self.priority, self._rank = name, priority, rank

    def matches(self, probe: Probe) -> Match | None:
        return Match(self._rank, "always")

    def get_transformer(self, content: object) -> object:
        raise AssertionError


def test_rank_then_priority_then_name_decide_and_ties_are_told() -> None:
    parsers = [
        Named("c", 9, Rank.SUFFIX),
        Named("b", 1, Rank.ROOT),
        Named("a", 1, Rank.ROOT),
        Named("d", 0, Rank.ROOT),
    ]
    choice = MarkupEngine(parsers).choose(Probe("x", "", "", "", ""))
    assert (choice.parser.name, choice.passed_over) == ("a", ("b",))


def test_formats_are_asked_again_when_they_look_at_the_tree() -> None:
    class Asked(Named):
        n_times, is_curious = 0, True

        def looks_at_tree(self, probe: Probe) -> bool:
            return self.is_curious

        def matches(self, probe: Probe) -> Match | None:
            self.n_times += 1
            return super().matches(probe)

    always, once = Asked("a", 1, Rank.ROOT), Asked("b", 1, Rank.SUFFIX)
    once.is_curious = False
    engine = MarkupEngine([always, once])
    long = Probe("x" * 1000, "", "", "", "")
    for probe in (Probe("x", "", "", "", ""), Probe("x", "", "", "", ""), long, long):
        assert engine.choose(probe).parser.name == "a"
    assert (always.n_times, once.n_times) == (4, 3)
    always.is_curious = False
    engine = MarkupEngine([always, once])
    assert {engine.choose(Probe("x", "", "", "", "")).parser.name for _ in range(3)} == {"a"}
    assert always.n_times == 5


# -- outlinks as one text ---------------------------------------------------------------

MANY = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:n="http://nutch.org/1.0/parse"><xsl:import href="parts.xsl"/>
  <xsl:template match="/"><n:parse status="success">
    <n:text space="folded">{text}</n:text>{links}
  </n:parse></xsl:template>
</xsl:stylesheet>"""


def parse_with(folder: Path, links: str, text: str = "") -> ParseResult:
    write_format(folder, sheet=MANY.format(links=links, text=text))
    return parse(RECIPE, folder, format="recipe")


def test_outlinks_as_one_text_are_read_like_elements(tmp_path: Path) -> None:
    one_by_one = '<n:outlink url="/pot" element="tool">a pot</n:outlink><n:outlink url="c" element="i"/>'
    together = '<n:outlinks n="2">/pot\ufdd0tool\ufdd0a pot\ufdd0c\ufdd0i\ufdd0\ufdd0</n:outlinks>'
    links = parse_with(tmp_path, together).links
    assert [(link.url, link.anchor) for link in links] == [
        ("http://e.org/pot", "a pot"),
        ("http://e.org/d/c", ""),
    ]
    other = tmp_path / "other"
    other.mkdir()
    assert parse_with(other, one_by_one).links == links


@pytest.mark.parametrize("n", ["1", "3", "", "x", "9" * 5000])
def test_outlinks_that_are_not_as_many_as_said_are_a_fault(tmp_path: Path, n: str) -> None:
    links = f'<n:outlinks n="{n}">/pot\ufdd0tool\ufdd0a\ufdd0c\ufdd0i\ufdd0\ufdd0</n:outlinks>'
    result = parse_with(tmp_path, links)
    assert result.status.minor is ParseMinor.INVALID_FORMAT
    assert result.status.message == "outlinks cannot be told apart"


def test_a_document_with_the_mark_in_it_keeps_its_links_apart() -> None:
    mark = "\ufdd0"
    links = f"<a href='x{mark}y{mark}'>one{mark}</a>{mark}<b>t<a href='z'>two</a></b>"
    body = f"<r><!--{mark}--><?i {mark}?>{links}</r>"
    result = parse(body.encode())
    assert [(link.url, link.anchor) for link in result.links] == [
        ("http://e.org/d/xy", "one"),
        ("http://e.org/d/z", "two"),
    ]
    assert result.text == "one t two"


@pytest.mark.parametrize("blank", ["\xa0", "\u2009", "\u3000", "\u2003", "\u2029"])
@pytest.mark.parametrize("n_words", [1, 500])
def test_folded_text_is_still_folded_where_xslt_does_not(tmp_path: Path, blank: str, n_words: int) -> None:
    result = parse_with(tmp_path, "", text="w" * n_words + f"{blank}{blank}a\u65e5")
    between = {"\u2029": "\n", "\u2003": blank * 2 if n_words > 1 else " "}  # the latter in short texts only
    assert result.text == "w" * n_words + between.get(blank, " ") + "a\u65e5"


def test_texts_of_a_parse_are_joined(tmp_path: Path) -> None:
    links = '<n:text space="folded">b\xa0 c</n:text><n:text space="folded">d</n:text>'
    assert parse_with(tmp_path, links, text="a").text == "a b c d"


# -- what a stylesheet does wrong -------------------------------------------------------


def test_a_format_that_fails_falls_back_to_the_generic_one(tmp_path: Path) -> None:
    sheet = SHEET.format(embedded="").replace("n:title", "n:headline")
    write_format(tmp_path, sheet=sheet)
    result = parse(RECIPE, tmp_path)
    assert result.parser == "generic"
    assert result.text.startswith("Soup A. Cook 4 Boil a pot")
    assert result.warnings == ("recipe failed: unexpected element headline",)
    named = parse(RECIPE, tmp_path, format="recipe")
    assert (named.status.minor, named.text) == (ParseMinor.INVALID_FORMAT, "")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('<n:parse xmlns:n="http://nutch.org/1.0/parse"/>', "the status of a parse is missing"),
        (
            '<n:parse xmlns:n="http://nutch.org/1.0/parse" status="success"><n:outlink/></n:parse>',
            "outlink without url",
        ),
        (
            '<n:parse xmlns:n="http://nutch.org/1.0/parse" status="success"><n:meta/></n:parse>',
            "meta without name",
        ),
        ("<other/>", "the result is other, not a parse"),
        ('<n:parses xmlns:n="http://nutch.org/1.0/parse"/>', "holds no parse"),
        ("<xsl:message terminate='yes'>stop</xsl:message>", "stylesheet recipe"),
        ("", "no element in the result"),
    ],
)
def test_an_invalid_result_is_the_failure_of_the_parse(tmp_path: Path, body: str, message: str) -> None:
    sheet = (
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        f'<xsl:template match="/">{body}</xsl:template></xsl:stylesheet>'
    )
    write_format(tmp_path, sheet=sheet)
    status = parse(RECIPE, tmp_path, format="recipe").status
    assert status.minor is ParseMinor.INVALID_FORMAT
    assert message in status.message


def test_a_result_that_grows_without_measure_is_refused(tmp_path: Path) -> None:
    line = '<xsl:value-of select="concat($x, $x, $x, $x)"/>'
    variables = "".join(
        f'<xsl:variable name="x{n}" select="concat($x{n - 1}, $x{n - 1}, $x{n - 1}, $x{n - 1})"/>'
        for n in range(1, 11)
    )
    sheet = SHEET.format(embedded="").replace(
        "<n:text>", f"<n:text><xsl:variable name='x0' select='/*'/>{variables}{line.replace('$x', '$x10')}"
    )
    write_format(tmp_path, sheet=sheet)
    status = parse(RECIPE, tmp_path, format="recipe").status
    assert status == (2, ParseMinor.EXCEPTION, "limit: size of the output")


# -- the XPath pre-processor --------------------------------------------------------------

PAGE = b"""<html><head><title>Not this</title></head><body><h1>Report <i>2020</i></h1>
<div class=by>Ann <span>and</span> Bob</div><article><p>First.<p>Second.</article>
<a class=see href=/more>more</a><a href=/other>other</a><b id=n>12</b></body></html>"""
FIELDS = """preprocessor = "fields"
source = "html"
media_types = ["text/html"]
[fields]
title = "//h:h1"
creator = "//h:div[@class='by']"
text = "//h:article/h:p"
outlink = ["//h:a[@class='see']", "//h:a[2]/@href"]
"site.number" = "number(//h:b[@id='n'])"
"site.links" = "count(//h:a)"
"site.absent" = "//h:nothing"
"site.broken" = "string(sum('a'))"
"""


def test_fields_of_a_page_by_xpath_need_no_stylesheet(tmp_path: Path) -> None:
    (tmp_path / "report.toml").write_text(FIELDS)
    result = parse(PAGE, tmp_path, "text/html", format="report")
    assert result.status.is_success
    assert (result.title, result.text) == ("Report 2020", "First.\nSecond.")
    assert [(link.url, link.anchor) for link in result.links] == [
        ("http://e.org/more", "more"),
        ("http://e.org/other", ""),
    ]
    assert {name: value for name, value in result.metadata if "." in name and not name.startswith("xml")} == {
        "dc.creator": "Ann and Bob",
        "site.number": "12",
        "site.links": "2",
    }
    assert parse(PAGE, tmp_path, "text/html").parser in ("html", "report")


def test_fields_of_xml_with_a_stylesheet_of_their_own(tmp_path: Path) -> None:
    sheet = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
      xmlns:n="http://nutch.org/1.0/parse"><xsl:template match="/fields"><n:parse status="success">
      <n:text><xsl:for-each select="field">
        <xsl:value-of select="concat(@name, '=', ., ' ')"/>
      </xsl:for-each></n:text>
      </n:parse></xsl:template></xsl:stylesheet>"""
    toml = (
        'preprocessor = "fields"\nroots = ["{urn:food}recipe"]\n[namespaces]\nf = "urn:food"\n'
        '[fields]\nn = "//f:name"\ns = "//f:step"\n'
    )
    write_format(tmp_path, toml=toml, sheet=sheet)
    assert parse(RECIPE, tmp_path).text == "n=Soup s=Boil a pot . s=Serve."


# -- HTML through a stylesheet ---------------------------------------------------------------


def test_html_through_its_stylesheet_finds_what_the_parser_of_crawls_finds() -> None:
    page = b"""<!doctype html><html lang=fr><title>T &amp; t</title><meta name=author content="A">
    <base href=/b/>
    <body><p>One<p>Two <a href=x rel=nofollow>three</a><script>no()</script><table><tr><td>1<td>2</table>
    <iframe src=f></iframe><a href="mailto:x@y.z">m</a>"""
    document = Document(URL, page, "text/html")
    ours, sheet = HtmlParser().parse(document), parse(page, media_type="text/html", format="html")
    assert (sheet.title, sheet.language) == (ours.title, ours.language) == ("T & t", "fr")
    assert sheet.text.split() == ours.text.split()
    of_pages = {LinkKind.HYPERLINK, LinkKind.FRAME}
    assert {
        (link.url, link.kind, link.anchor, link.rel) for link in sheet.links if link.kind in of_pages
    } == {(link.url, link.kind, link.anchor, link.rel) for link in ours.links}
    assert Metadatum("dc.creator", "A") in sheet.metadata


def test_a_recovered_root_may_have_a_name_that_is_none() -> None:
    result = parse(b'<x:doc xmlns:x/</guid><b href="y">z</b>')
    assert result.status.is_success
    assert Metadatum("xml.root", "x:doc") in result.metadata


def test_every_shipped_format_gives_a_valid_document_for_an_empty_root() -> None:
    for shipped in shipped_formats():
        if shipped.spec.preprocessor != "xml":
            continue
        namespace, name = shipped._roots[0] if shipped._roots else ("", "x")
        tag = f'{name} xmlns="{namespace}"' if namespace not in ("", "*") else name
        body = f"<{tag.replace('*', 'x')}/>".encode()
        parser = XmlParser(InProcess(), XmlOptions(format=shipped.name))
        assert validate(write_parse_out(parser.parse_out(Document(URL, body, "text/xml")))) == [], (
            shipped.name
        )
