"""URLs as text: joining, the fetch form, what people type."""

import pytest
from w3lib.url import safe_url_string

from memory_structure.urls import (
    BadUrl,
    UrlPolicy,
    clean_user_url,
    join_url,
    request_url,
    split_url,
    without_userinfo,
)

RFC_BASE = "http://a/b/c/d;p?q"

RFC_3986_EXAMPLES = {
    "g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g",
    "//g": "http://g", "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s",
    "g#s": "http://a/b/c/g#s", "g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y#s", "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/",
    "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/",
    "../../g": "http://a/g",
    "../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g",
    "g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
    "g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y",
    "g?y/./x": "http://a/b/c/g?y/./x", "g?y/../x": "http://a/b/c/g?y/../x",
    "g#s/./x": "http://a/b/c/g#s/./x", "g#s/../x": "http://a/b/c/g#s/../x", "http:g": "http:g",
}  # fmt: skip


@pytest.mark.parametrize("reference", RFC_3986_EXAMPLES)
def test_references_of_rfc_3986_section_5_4(reference):
    assert join_url(RFC_BASE, reference) == RFC_3986_EXAMPLES[reference]


@pytest.mark.parametrize(
    ("base", "href", "joined"),
    [
        ("http://e.org", "x", "http://e.org/x"),
        ("http://e.org", "?x", "http://e.org?x"),
        ("http://e.org?q", "x", "http://e.org/x"),
        ("http://e.org/a?q=/b/c", "x", "http://e.org/x"),
        ("http://e.org/a#f/g", "x", "http://e.org/x"),
        ("http://e.org/a#f", "", "http://e.org/a"),
        ("http://e.org/a?q#f", "#g", "http://e.org/a?q#g"),
        ("http://e.org/AC%2FDC/", "?page=2", "http://e.org/AC%2FDC/?page=2"),
        ("http://e.org/AC%2FDC/", "x", "http://e.org/AC%2FDC/x"),
        ("https://e.org/a/", "//x.org/b", "https://x.org/b"),
        ("https://e.org/a/", "\\\\x.org\\b?c\\d", "https://x.org/b?c\\d"),
        ("https://e.org/a/", "b\\c", "https://e.org/a/b/c"),
        ("http://e.org/a/", "  b\n/c\t ", "http://e.org/a/b/c"),
        ("http://e.org/a/", "\n", "http://e.org/a/"),
        ("http://e.org/a/", " HTTP://x.org/b/../c", "HTTP://x.org/c"),
        ("http://e.org/a/", "http://x.org?a/../b", "http://x.org?a/../b"),
        ("http://e.org/a/", "//x.org/b/./c", "http://x.org/b/c"),
        ("http://e.org/a/", "mailto:a@e.org", "mailto:a@e.org"),
        ("http://e.org/a/", "javascript:a/../b", "javascript:a/../b"),
        ("http://e.org/a/", "b.html;jsessionid=dead:beef?x=this:value", "http://e.org/a/b.html;jsessionid=dead:beef?x=this:value"),
        ("http://e.org/a/", "b c/é", "http://e.org/a/b c/é"),
        ("http://e.org:8080/a", "/b", "http://e.org:8080/b"),
        ("http://e.org/a", "/b?u=/../c", "http://e.org/b?u=/../c"),
        ("http://e.org/a//b/", "..", "http://e.org/a//"),
        (" http://e.org/a\n", "b", "http://e.org/b"),
        ("http://e.org/a/../b/./c?d/../e", "f", "http://e.org/b/f"),
        ("http://e.org/a/../b/./c?d/../e", "", "http://e.org/b/c?d/../e"),
    ],
)  # fmt: skip
def test_links_are_joined_as_browsers_do(base, href, joined):
    assert join_url(base, href) == joined


FETCH_FORMS = [
    ("http://e.org", "http://e.org/"),
    ("http://e.org?a", "http://e.org/?a"),
    ("http://e.org/b?", "http://e.org/b"),
    ("http://e.org/b?#f", "http://e.org/b"),
    ("HTTP://E.org:80/A", "http://e.org/A"),
    ("https://e.org:8443/a", "https://e.org:8443/a"),
    ("http://user:pw@e.org/a", "http://e.org/a"),
    ("http://e.org/a#f", "http://e.org/a"),
    ("http://e.org/a?b#f?g", "http://e.org/a?b"),
    ("http://e.org/a b?c d", "http://e.org/a%20b?c%20d"),
    ("http://e.org/%7euser/%c3%a9/a%2fb", "http://e.org/%7euser/%c3%a9/a%2fb"),
    ("http://e.org/100%", "http://e.org/100%"),
    ("http://e.org/été?é", "http://e.org/%C3%A9t%C3%A9?%C3%A9"),
    ("http://e.org/a/../b/./c", "http://e.org/b/c"),
    ("http://e.org/a/%2e%2E/b", "http://e.org/b"),
    ("http://e.org/a/.%2e/%2E./x/%2e", "http://e.org/x/"),
    ("http://e.org/a.%2fb%2e/%2e%2e%2e", "http://e.org/a.%2fb%2e/%2e%2e%2e"),
    ("http://e.org/?u=a/../b", "http://e.org/?u=a/../b"),
    ("http://e.org\\a?b\\c", "http://e.org/a?b%5Cc"),
    ('http://e.org/"<>`{}^?"<>\'', "http://e.org/%22%3C%3E%60%7B%7D%5E?%22%3C%3E%27"),
    ("http://e.org/x[1]|y?a[]=1", "http://e.org/x%5B1%5D%7Cy?a%5B%5D=1"),
    ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ("http://e.org./", "http://e.org/"),
    ("http://e.org/?utm_source=x", "http://e.org/?utm_source=x"),
    ("http://intranet/a", "http://intranet/a"),
    ("http://127.0.0.1:8000/a", "http://127.0.0.1:8000/a"),
    ("  http://e.org/a\n", "http://e.org/a"),
    ("http://e.org/\ud800", "http://e.org/%EF%BF%BD"),
]


@pytest.mark.parametrize(("raw", "sent"), FETCH_FORMS)
def test_the_fetch_form_is_safe_and_means_the_same(raw, sent):
    assert request_url(raw) == sent


@pytest.mark.parametrize("sent", [sent for _, sent in FETCH_FORMS])
def test_the_fetch_form_is_left_alone_by_itself_and_by_scrapy(sent):
    assert request_url(sent) == sent
    assert safe_url_string(sent) == sent


def test_the_query_goes_in_the_encoding_of_the_page_and_the_path_in_utf_8():
    assert request_url("http://e.org/to£?unit=µ", "latin-1") == "http://e.org/to%C2%A3?unit=%B5"
    assert request_url("http://e.org/?q=ш", "latin-1") == "http://e.org/?q=%26%231096%3B"
    assert request_url("http://e.org/?q=ソ", "shift_jis") == "http://e.org/?q=%83%5C"
    assert request_url("http://e.org/?q=ア", "shift_jis") == "http://e.org/?q=%83A"


@pytest.mark.parametrize(
    "raw",
    [
        "http://1.2.3/",
        "http://e.org:x/",
        "ftp://e.org/",
        "http://e..org/x",
        "http://xn--a.org/",
        "http://" + "a" * 64 + ".org/x",
    ],
)
def test_what_cannot_be_fetched_is_refused(raw):
    with pytest.raises(BadUrl):
        request_url(raw)


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("lemonde.fr", "http://lemonde.fr"),
        ("  www.lemonde.fr/politique/ \n", "http://www.lemonde.fr/politique/"),
        ("\ufeffhttps://e.org\u200b", "https://e.org"),
        ("HTTP://WWW.Google.COM/x", "HTTP://WWW.Google.COM/x"),
        ("httpbin.org/get", "http://httpbin.org/get"),
        ("//google.com/x", "http://google.com/x"),
        ("e.org:8080/x", "http://e.org:8080/x"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("Lemonde.fr", "http://Lemonde.fr"),
        ("www.Lemonde.Fr", "http://www.Lemonde.Fr"),
        ("LEMONDE.FR", "http://LEMONDE.FR"),
        ("bücher.example", "http://bücher.example"),
        ("e.org/a?u=http://x.org", "http://e.org/a?u=http://x.org"),
        ("http://end.Then", "http://end.Then"),
        ("http://e.org/a b", "http://e.org/a b"),
    ],
)
def test_what_people_type_becomes_a_url(typed, url):
    assert clean_user_url(typed) == url


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "empty"),
        (" \u200b ", "empty"),
        ("end.Then", "two sentences"),
        ("site.Com", "two sentences"),
        ("le monde", "spaces"),
        ("voir lemonde.fr", "spaces"),
        ("http://a.org http://b.org", "more than one"),
        ("http://a.org\nhttps://b.org", "more than one"),
        ("a@b.org", "e-mail"),
        ("mailto:a@b.org", "mailto"),
        ("ftp://e.org", "ftp"),
        ("http:www.e.org", "slashes"),
        ("http//e.org", "scheme stands"),
        ("http://http://e.org", "scheme stands"),
        ("://e.org", "not a scheme"),
        ("1x://e.org", "not a scheme"),
        ("httpx://x.com/a", "httpx"),
        ("com", "top-level"),
        ("word", "single label"),
        ("e..org", "empty label"),
    ],
)
def test_mistakes_of_typing_are_refused_with_a_reason(typed, reason):
    with pytest.raises(BadUrl) as refusal:
        clean_user_url(typed)
    assert reason in refusal.value.reason


def test_a_single_label_may_be_typed_on_a_private_network():
    assert clean_user_url("intra/x", UrlPolicy(allow_single_label_hosts=True)) == "http://intra/x"


def test_a_refusal_quotes_a_long_url_shortly():
    with pytest.raises(BadUrl) as refusal:
        split_url("http://e.org/" + "a" * 5000)
    assert len(str(refusal.value)) < 350
    assert len(refusal.value.url) == 5013


def test_parts_of_a_url():
    parts = split_url("https://u:p@E.org:8443/a/../b?c#d")
    assert parts == ("https", "e.org", 8443, "/a/../b", "c", "d")
    assert parts.origin == "https://e.org:8443"
    assert split_url("http://e.org:80").origin == "http://e.org"


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ("http://user:pw@e.org/a@b", "http://e.org/a@b"),
        ("https://u@e.org", "https://e.org"),
        ("HTTP://a:b@c:d@e.org:81/", "HTTP://e.org:81/"),
        ("//u:p@e.org/", "//e.org/"),
        ("http:\\\\u:p@e.org\\x", "http:\\\\e.org\\x"),
        ("http://e.org/@me", "http://e.org/@me"),
        ("http://e.org?x=a@b", "http://e.org?x=a@b"),
        ("http://e.org#a@b", "http://e.org#a@b"),
        ("mailto:a@b.org", "mailto:a@b.org"),
        ("", ""),
    ],
)
def test_user_and_password_go_and_nothing_else(found, kept):
    assert without_userinfo(found) == kept


def test_what_a_person_types_is_kept_without_password():
    assert clean_user_url("//user:pw@e.org/x") == clean_user_url("e.org/x") == "http://e.org/x"
    assert clean_user_url("https://user:pw@e.org/x") == "https://e.org/x"
