"""Addresses taken apart, references resolved (the whole tables of RFC 3986 5.4), hosts and domains."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.url_rules.addresses import (
    MalformedUrl,
    domain_of,
    find_host,
    resolve,
    split_address,
    suffix_of,
)

BASE = "http://a/b/c/d;p?q"
NORMAL = {
    "g": "http://a/b/c/g",
    "./g": "http://a/b/c/g",
    "g/": "http://a/b/c/g/",
    "/g": "http://a/g",
    "//g": "http://g",
    "?y": "http://a/b/c/d;p?y",
    "g?y": "http://a/b/c/g?y",
    "#s": "http://a/b/c/d;p?q#s",
    "g#s": "http://a/b/c/g#s",
    "g?y#s": "http://a/b/c/g?y#s",
    ";x": "http://a/b/c/;x",
    "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y#s",
    "": "http://a/b/c/d;p?q",
    ".": "http://a/b/c/",
    "./": "http://a/b/c/",
    "..": "http://a/b/",
    "../": "http://a/b/",
    "../g": "http://a/b/g",
    "../..": "http://a/",
    "../../": "http://a/",
    "../../g": "http://a/g",
}
ABNORMAL = {
    "../../../g": "http://a/g",
    "../../../../g": "http://a/g",
    "/./g": "http://a/g",
    "/../g": "http://a/g",
    "g.": "http://a/b/c/g.",
    ".g": "http://a/b/c/.g",
    "g..": "http://a/b/c/g..",
    "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g",
    "./g/.": "http://a/b/c/g/",
    "g/./h": "http://a/b/c/g/h",
    "g/../h": "http://a/b/c/h",
    "g;x=1/./y": "http://a/b/c/g;x=1/y",
    "g;x=1/../y": "http://a/b/c/y",
    "g?y/./x": "http://a/b/c/g?y/./x",
    "g#s/../x": "http://a/b/c/g#s/../x",
    "http:g": "http://a/b/c/g",
}


@pytest.mark.parametrize("reference", [*NORMAL, *ABNORMAL])
def test_references_of_the_standard(reference: str) -> None:
    assert resolve(BASE, reference) == {**NORMAL, **ABNORMAL}[reference]


@pytest.mark.parametrize(
    ("base", "reference", "resolved"),
    [
        ("http://e.org", "x", "http://e.org/x"),
        ("http://e.org", "../x", "http://e.org/x"),
        ("http://e.org/AC%2FDC/", "?page=2", "http://e.org/AC%2FDC/?page=2"),
        ("http://e.org/a#old", "", "http://e.org/a"),
        ("http://e.org?x=1", "?y", "http://e.org/?y"),
        ("http://e.org", "?", "http://e.org/?"),
        ("http://e.org?x=1", "#f", "http://e.org?x=1#f"),
        ("http://e.org/a//b/", "..", "http://e.org/a//"),
        ("http://e.org/a//", ".?x", "http://e.org/a//?x"),
        ("http://e.org/a", "http://o.org/../b/./c/..", "http://o.org/b/"),
        ("http://e.org/a", "//o.org/../b", "http://o.org/b"),
        ("http://e.org/a", "https:../b", "https:../b"),
        ("http://e.org/a", " \t/b\n", "http://e.org/b"),
        ("http://e.org/a", "/b\tc", "http://e.org/bc"),
        ("http://e.org/a", "HTTPS://O.org/P", "https://O.org/P"),
        ("http://e.org/a", "mailto:x@e.org", "mailto:x@e.org"),
        (
            "http://e.org/a/",
            "b.html;id=dead:beef?x=this:value",
            "http://e.org/a/b.html;id=dead:beef?x=this:value",
        ),
    ],
)
def test_other_references(base: str, reference: str, resolved: str) -> None:
    assert resolve(base, reference) == resolved


@pytest.mark.parametrize(
    "reference",
    [
        "javascript:void(0)",
        "tel:1",
        "data:,x",
        "g:h",
        "http://e.org:no/",
        "http://[e.org/",
        "//[x",
        "http://e.org:x",
    ],
)
def test_broken_references_are_refused(reference: str) -> None:
    with pytest.raises(MalformedUrl):
        resolve(BASE, reference)


def test_nothing_is_relative_to_an_address_without_hierarchy() -> None:
    with pytest.raises(MalformedUrl):
        resolve("mailto:x@e.org", "y")


def test_parts_of_an_address() -> None:
    address = split_address("FTP://me:pw@E.org:2121/a;b?c#d")
    assert address == ("ftp", "me:pw@E.org:2121", "me:pw", "E.org", 2121, "/a;b", "c", "d")
    assert address.file == "/a;b?c"
    assert address.text == "ftp://me:pw@E.org:2121/a;b?c#d"


def test_a_port_may_be_empty_and_a_host_an_address() -> None:
    assert split_address("http://e.org:/").port is None
    assert split_address("https://u@[2600::1]:443/").host == "[2600::1]"


def test_a_jar_names_its_entry() -> None:
    assert split_address("jar:file:/x.jar!/a").path == "file:/x.jar!/a"
    with pytest.raises(MalformedUrl):
        split_address("jar:file:/x.jar")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://E.org:80/x", "e.org"),
        ("https://e.org?x", "e.org"),
        ("https://u:p@e.org/", "e.org"),
        ("mailto:x@e.org", ""),
        ("e.org", None),
    ],
)
def test_hosts(url: str, host: str | None) -> None:
    assert find_host(url) == host


@pytest.mark.parametrize(
    ("host", "domain", "suffix"),
    [
        ("www.news.e.co.uk", "e.co.uk", "co.uk"),
        ("me.github.io", "github.io", "io"),  # tenants are a private matter: not of the registries' section
        ("e.org", "e.org", "org"),
        ("co.uk", "co.uk", "co.uk"),
        ("localhost", "localhost", ""),
        ("a.b.e.nn", "a.b.e.nn", ""),  # no such suffix: each name is its own domain
        ("www.e.org.", "e.org", "org"),
        ("10.0.0.1.", "10.0.0.1", ""),
        ("www.e.flå.no", "e.flå.no", "flå.no"),
        ("a.e.kobe.jp", "a.e.kobe.jp", "e.kobe.jp"),
        ("a.city.kobe.jp", "city.kobe.jp", "kobe.jp"),
        ("www.e.co.uk.com", "uk.com", "com"),
        ("10.0.0.1", "10.0.0.1", ""),
        ("[::1]", "[::1]", ""),
        ("нэб.рф", "нэб.рф", "рф"),
    ],
)
def test_domains(host: str, domain: str, suffix: str) -> None:
    assert domain_of(host) == domain
    assert suffix_of(host) == suffix
