"""Normalisers beyond the vectors: corners, and that a second round changes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyphe_core.parsers.url_rules.addresses import MalformedUrl
from hyphe_core.parsers.url_rules.basic_normalizer import BasicNormalizer, HostForm, recode
from hyphe_core.parsers.url_rules.host_normalizers import (
    HostNormalizer,
    ProtocolNormalizer,
    SlashNormalizer,
    read_host_table,
)
from hyphe_core.parsers.url_rules.query_normalizers import AjaxNormalizer, QueryNormalizer
from hyphe_core.parsers.url_rules.regex_normalizer import (
    RegexNormalizer,
    Rewriting,
    read_rewritings,
    shipped_regex_normalizer,
)
from hyphe_core.parsers.url_rules.steps import BadRules, Normalizer, Scope

BASIC = BasicNormalizer()


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        (" http://e.org/ ", "http://e.org/"),
        ("http://e.org:/", "http://e.org/"),
        ("http://e.org/{{x}} ", "http://e.org/%7B%7Bx%7D%7D"),
        ("http://b%C3%BCcher.example/", "http://bücher.example/"),
        ("http://e.org/..", "http://e.org/"),
        ("http://e.org/aa/bb/cc/../../foo.html", "http://e.org/aa/foo.html"),
        ("http://e.org/.foo/..foo/...", "http://e.org/.foo/..foo/..."),
        ("http://e.org/a..a/x", "http://e.org/a..a/x"),
        ("http://e.org/a%2", "http://e.org/a%252"),
        ("http://e.org/%zz", "http://e.org/%25zz"),
        ('http://e.org/\\p"^`', "http://e.org/\\p%22%5E%60"),
        ("http://e.org/a?b#c?d", "http://e.org/a?b"),
        ("http://e.org/%2e%2E/x", "http://e.org/x"),
        ("http://e.org/?a=/../b//c", "http://e.org/?a=/../b//c"),
        ("http://e.org/a?%66%3d", "http://e.org/a?f%3D"),
        ("http://e.org/a//../b", "http://e.org/b"),
        ("file:///foo/../bar", "file:/bar"),
        ("file:///foo/bar#x", "file:///foo/bar#x"),
        ("ftp://e.org:21/pub/../x", "ftp://e.org/x"),
        ("http://e.org/\ud800", "http://e.org/%EF%BF%BD"),
        ("\nhttp://e.org/a\tb\nc?d\re\0f#g\n", "http://e.org/a%09b%0Ac?d%0De%00f"),
        ("http:", "http:/"),
        ("http:////", "http:/"),
        ("ftp:/", "ftp:/"),
        ("http:///x/../y?#f", "http:/y?"),
        ("HTTP:foo.html", "http:/foo.html"),
        ("mailto:a b", "mailto:a%20b"),
        ("", ""),
    ],
)
def test_basic(url: str, normal: str) -> None:
    assert BASIC.normalize(url) == normal


@pytest.mark.parametrize(
    "url",
    [
        "http://:80/x",
        "http://u@/x",
        "http://e.org:8a/",
        "http://e%2Forg/",
        "http://e%20org/",
        "http://e%ff.org/",
        "x",
    ],
)
def test_basic_refuses(url: str) -> None:
    with pytest.raises(MalformedUrl):
        BASIC.normalize(url)


@given(
    st.text(alphabet="abAZ01./%2eEfF ?&=#:@é{|}\\~+;", max_size=40).map(lambda rest: "http://e.org/" + rest)
)
def test_basic_is_a_fixed_point_after_one_round(url: str) -> None:
    once = BASIC.normalize(url)
    assert BASIC.normalize(once) == once
    assert once.isascii()


@given(st.text(max_size=30))
def test_recoding_leaves_only_safe_characters(text: str) -> None:
    assert recode(recode(text)) == recode(text)
    assert all("!" <= character <= "~" for character in recode(text))


@pytest.mark.parametrize(
    ("url", "form", "idna2008", "normal"),
    [
        ("https://straße.de/", HostForm.ASCII, False, "https://strasse.de/"),
        ("https://foo_bar.e.org/", HostForm.ASCII, True, "https://foo_bar.e.org/"),
        ("https://bücher。example/", HostForm.ASCII, False, "https://xn--bcher-kva.example/"),
        ("https://XN--BCHER-KVA.example./", HostForm.UNICODE, True, "https://bücher.example./"),
        ("https://xn--a.example/", HostForm.UNICODE, False, "https://xn--a.example/"),
        ("https://e.org/", HostForm.UNICODE, False, "https://e.org/"),
        ("https://xn--strae-oqa.de/", HostForm.UNICODE, False, "https://xn--strae-oqa.de/"),
        ("https://☕.example/", HostForm.ASCII, True, "https://xn--53h.example/"),
        ("https://xn--53h.example/", HostForm.UNICODE, True, "https://☕.example/"),
        ("https://xn--53h.example/", HostForm.UNICODE, False, "https://xn--53h.example/"),
        ("https://ÖBB.at/", HostForm.ASCII, True, "https://xn--bb-eka.at/"),
        ("https://ab..e.org/", HostForm.ASCII, False, "https://ab..e.org/"),
    ],
)
def test_forms_of_hosts(url: str, form: HostForm, idna2008: bool, normal: str) -> None:
    assert BasicNormalizer(form, idna2008).normalize(url) == normal


@pytest.mark.parametrize(
    ("host", "form", "idna2008"),
    [
        ("é" * 64 + ".org", HostForm.ASCII, False),
        ("é" * 64 + ".org", HostForm.ASCII, True),
        ("☕.example", HostForm.ASCII, False),
        ("⒈com", HostForm.ASCII, True),
        ("xn--a-ä.pt", HostForm.ASCII, True),
        ("a..é.org", HostForm.ASCII, False),
        ("xn--0.pt", HostForm.UNICODE, True),
        ("xn--acom-0w1b", HostForm.UNICODE, True),
    ],
)
def test_a_label_outside_of_idna_is_refused(host: str, form: HostForm, idna2008: bool) -> None:
    with pytest.raises(MalformedUrl):
        BasicNormalizer(form, idna2008).normalize(f"http://{host}/")


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://e.org/f?PHPSESSID=cdc", "http://e.org/f"),
        ("http://e.org/f?PHPSESSID=cdc&f=2", "http://e.org/f?f=2"),
        ("http://e.org/f?BV_SessionID=@@@@09.12@@@@&x=1", "http://e.org/f?x=1"),
        ("http://e.org/f?p=1&q=2;jsessionid=1E6", "http://e.org/f?p=1&q=2"),
        ("http://e.org/f?newsId=2&newsLang=en", "http://e.org/f?newsId=2&newsLang=en"),
        ("http:////e.org/path//f", "http://e.org/path/f"),
        ("http://e.org/f#top", "http://e.org/f"),
        ("http://e.org/f.", "http://e.org/f"),
        ("http://e.org/f?&", "http://e.org/f"),
    ],
)
def test_shipped_regular_expressions(url: str, normal: str) -> None:
    assert shipped_regex_normalizer().normalize(url) == normal


def test_a_rule_passes_over_a_url_that_is_too_long_for_it() -> None:
    rules = [Rewriting("a.*b.*c", "X"), Rewriting("z", "y")]
    assert RegexNormalizer(rules).normalize("abc" + "z") == "Xy"
    assert RegexNormalizer(rules).normalize("abc" + "z" * 700) == "abc" + "y" * 700


@pytest.mark.parametrize("text", ["rule = 1", "[[rule]]\nreplacement = 'x'", "[[rule"])
def test_unreadable_rewritings(text: str) -> None:
    with pytest.raises(BadRules):
        read_rewritings(text)


def test_bad_rewritings() -> None:
    with pytest.raises(BadRules):
        RegexNormalizer([Rewriting("(a+)+", "")])


def test_hosts_are_replaced_alone() -> None:
    normalizer = HostNormalizer({"*.e.org": "e.org", "*.deep.e.org": "d.org", "x.org": "www.x.org"})
    assert normalizer.normalize("http://u:p@A.e.org:81/e.org?q#f") == "http://u:p@e.org:81/e.org?q#f"
    assert normalizer.normalize("http://a.deep.e.org/") == "http://e.org/"
    assert (
        HostNormalizer({"*.org": "o.org", "*.e.org": "e.org"}).normalize("http://a.e.org/") == "http://e.org/"
    )
    assert HostNormalizer({"*.org": "o.org"}).normalize("http://e.org/") == "http://o.org/"
    assert normalizer.normalize("http://a.e.org./") == "http://e.org/"
    assert normalizer.normalize("http://e.org/") == "http://e.org/"
    assert normalizer.normalize("http://y.org/") == "http://y.org/"


def test_schemes_are_replaced_unless_a_port_is_named() -> None:
    normalizer = ProtocolNormalizer({"e.org": "https", "*.x.org": "http"})
    assert normalizer.normalize("http://u@e.org:/a?b#c") == "https://e.org/a?b"
    assert normalizer.normalize("https://u@e.org/a?b#c") == "https://u@e.org/a?b#c"
    assert normalizer.normalize("http://e.org:80/") == "http://e.org:80/"
    assert normalizer.normalize("https://a.b.x.org/") == "http://a.b.x.org/"
    assert normalizer.normalize("http://ee.org/") == "http://ee.org/"


@pytest.mark.parametrize(
    ("sign", "url", "normal"),
    [
        ("+", "http://e.org:8080/page#f", "http://e.org/page/"),
        ("+", "http://e.org/a.xhtml", "http://e.org/a.xhtml"),
        ("+", "http://e.org/ab.js", "http://e.org/ab.js"),
        ("+", "http://e.org/a.js", "http://e.org/a.js/"),
        ("+", "http://e.org/", "http://e.org/"),
        ("-", "http://e.org/", "http://e.org/"),
        ("-", "http://e.org/?a", "http://e.org/?a"),
        ("+", "http://e.org/page/", "http://e.org/page/"),
        ("+", "http://e.org", "http://e.org"),
        ("-", "http://e.org/page/?a/", "http://e.org/page?a/"),
        ("-", "http://e.org/page", "http://e.org/page"),
        ("-", "http://www.e.org/page/", "http://www.e.org/page/"),
    ],
)
def test_final_slashes(sign: str, url: str, normal: str) -> None:
    assert SlashNormalizer({"e.org": sign}).normalize(url) == normal


@pytest.mark.parametrize(
    "normalizer",
    [HostNormalizer({}), ProtocolNormalizer({}), SlashNormalizer({}), QueryNormalizer(), AjaxNormalizer()],
)
def test_malformed_urls_are_refused(normalizer: Normalizer) -> None:
    with pytest.raises(MalformedUrl):
        normalizer.normalize("no url#!x")


def test_signs_of_slashes() -> None:
    with pytest.raises(BadRules):
        SlashNormalizer({"e.org": "?"})


def test_tables_of_hosts() -> None:
    assert read_host_table("# c\nE.org  +  # why\n\nx.org -\n") == {"e.org": "+", "x.org": "-"}
    with pytest.raises(BadRules):
        read_host_table("e.org")


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://u@e.org:81/p?b&a#f", "http://e.org:81/p?a&b#f"),
        ("http://e.org/p", "http://e.org/p"),
        ("http://e.org/p?b&&a&&", "http://e.org/p?&a&b"),
        ("mailto:x?b&a", "mailto:x?b&a"),
        ("file:/p?b&a", "file:///p?a&b"),
    ],
)
def test_order_of_parameters(url: str, normal: str) -> None:
    assert QueryNormalizer().normalize(url) == normal


def test_fragments_of_script_sites_go_both_ways() -> None:
    ajax = AjaxNormalizer()
    for shown in ("http://e.org/#!k=v&s=is wrong", "http://e.org/p?q=v#!é+%", "http://e.org/#!"):
        sent = ajax.normalize(shown)
        assert "#" not in sent
        assert sent.isascii()
        assert ajax.normalize(sent, Scope.INDEXER) == shown
    assert ajax.normalize("http://e.org/p?_escaped_fragment_=x&a=b", Scope.INDEXER) == "http://e.org/p?a=b#!x"
    assert ajax.normalize("http://e.org/p?_escaped_fragment_=a+b", Scope.INDEXER) == "http://e.org/p#!a b"
    assert ajax.normalize("http://e.org/p#!x", Scope.INDEXER) == "http://e.org/p?_escaped_fragment_=x"
    assert ajax.normalize("http://e.org/p#x") == "http://e.org/p#x"
