"""The key of a page: which spellings are one address, which are two, and what is no address at all."""

import pytest

from memory_structure.lru import BadUrl, UrlCutter, UrlPolicy, lru_to_url, url_to_lru

WITH_TRACKING = UrlPolicy(drop_tracking=False)
INTRANET = UrlPolicy(allow_single_label_hosts=True)
REGISTRIES_ONLY = UrlPolicy(private_suffixes=False)


@pytest.mark.parametrize(
    ("url", "lru"),
    [
        ("http://medialab.sciences-po.fr/hci?a=1", "s:http|h:fr|h:sciences-po|h:medialab|p:hci|q:a=1|"),
        ("https://www.example.co.uk", "s:https|h:co.uk|h:example|h:www|"),
        ("http://e.org/a/", "s:http|h:org|h:e|p:a|p:|"),
        ("http://e.org/?a=1", "s:http|h:org|h:e|q:a=1|"),
        ("http://e.org:8080/a", "s:http|t:8080|h:org|h:e|p:a|"),
        ("http://e.org//a//b", "s:http|h:org|h:e|p:|p:a|p:|p:b|"),
        ("http://e.org//", "s:http|h:org|h:e|p:|p:|"),
        ("http://e.org/a//", "s:http|h:org|h:e|p:a|p:|p:|"),
        ("http://e.org/a/?b", "s:http|h:org|h:e|p:a|p:|q:b|"),
        ("http://my_site.e.org/", "s:http|h:org|h:e|h:my_site|"),
        ("http://e.zzz/", "s:http|h:zzz|h:e|"),
    ],
)
def test_form_of_the_key(url, lru):
    assert url_to_lru(url) == lru


ONE_KEY = {
    "spaces, tabs and line breaks around": ["http://e.org/a", "  http://e.org/a  ", "\n\thttp://e.org/a\r\n"],
    "tabs and line breaks inside": ["http://e.org/abc", "ht\ntp://e.o\trg/a\rb\nc"],
    "a space inside": ["http://e.org/a%20b", "http://e.org/a b"],
    "a NUL": ["http://e.org/test", "http://e.org/te\x00st"],
    "the scheme's port": ["http://e.org/", "http://e.org:80/", "http://e.org:/", "http://e.org:0080", "HTTP://e.org:80"],
    "the port of https": ["https://e.org/x", "https://e.org:443/x", "https://e.org:/x"],
    "nothing after the host": [
        "http://e.org", "http://e.org/", "http://e.org?", "http://e.org#", "http://e.org?#", "http://e.org/?#",
    ],
    "a fragment": ["https://e.org/", "https://e.org/#/route/x", "https://e.org/#!/route", "https://e.org/#a?b"],
    "dot segments": ["http://e.org/x", "http://e.org/../../x", "http://e.org/./x", "http://e.org/%2e%2E/x"],
    "dot segments at the end": ["http://e.org/a/", "http://e.org/a/.", "http://e.org/a/b/..", "http://e.org/a//.."],
    "case of escapes": ["http://e.org/dir%2Fcz", "http://e.org/dir%2fcz"],
    "escapes in a query": ["http://e.org/?x=%D1%88", "http://e.org/?x=%d1%88", "http://e.org/?x=ш"],
    "brackets": ["http://e.org/wiki/Name_%28X%29", "http://e.org/wiki/Name_(X)"],
    "unreserved escapes": ["http://e.org/~user-1.x", "http://e.org/%7Euser%2D1%2Ex", "http://e.org/%7euser-1%2ex"],
    "colon, comma, at": ["http://e.org/page:1,2@x", "http://e.org/page%3A1%2c2%40x"],
    "backslashes": ["https://e.org/a?b\\c", "https://e.org\\a?b\\c", "https:\\\\e.org\\a?b%5Cc"],
    "user and password": ["http://e.org/", "http://user:pw@e.org/", "http://user@e.org", "http://a@b@e.org/"],
    "trailing and exotic dots": ["http://e.org/", "http://e.org./", "http://e。org/", "http://e．org/", "http://e｡org/"],
    "international host": [
        "http://xn--bcher-kva.example/", "http://bücher.example/", "http://BÜCHER.example/", "http://XN--BCHER-KVA.example/",
        "http://b%C3%BCcher.example/", "http://b%c3%bccher.example",
    ],
    "percent in the host": ["http://e.org/", "http://e%2Eorg/", "http://%65.org/"],
    "fullwidth host": ["http://e.org/", "http://ｅ.ｏｒｇ/"],
    "case of the host": ["http://e.org/A", "HTTP://E.ORG/A"],
    "IPv6 spellings": ["http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::0001]:80"],
    "bars": ["http://e.org/a%7Cb?c%7Cd", "http://e.org/a|b?c|d"],
    "a lone percent sign": ["http://e.org/100%25", "http://e.org/100%"],
    "what browsers never send raw": ["http://e.org/%22%3C%3E%5B%5D%5E%60%7B%7D", 'http://e.org/"<>[]^`{}'],
    "a lone surrogate": ["http://e.org/%EF%BF%BD", "http://e.org/\ud800"],
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_KEY)
def test_spellings_of_one_address_have_one_key(name):
    first, *others = ONE_KEY[name]
    assert {url: url_to_lru(url) for url in others} == dict.fromkeys(others, url_to_lru(first))


@pytest.mark.parametrize("name", ONE_KEY)
def test_keys_do_not_depend_on_what_the_cutter_saw_before(name):
    seasoned = UrlCutter()
    for url in ONE_KEY[name] * 2:
        assert seasoned.lru(url) == UrlCutter().lru(url)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://e.org:443/", "http://e.org/"),
        ("https://e.org:80/", "https://e.org/"),
        ("http://e.org:443/", "https://e.org/"),
        ("http://e.org/a", "http://e.org/a/"),
        ("http://e.org/a", "https://e.org/a"),
        ("http://e.org/a", "http://www.e.org/a"),
        ("http://e.org/?b=2&a=1", "http://e.org/?a=1&b=2"),
        ("http://e.org/?t&t=&t=v", "http://e.org/?t=&t&t=v"),
        ("http://e.org/?t", "http://e.org/?t="),
        ("http://e.org/?a=1&", "http://e.org/?a=1"),
        ("http://e.org/a..a/x", "http://e.org/x"),
        ("http://e.org/a//b", "http://e.org/a/b"),
        ("http://e.org/dir%2Fcz", "http://e.org/dir/cz"),
        ("http://e.org/file%23x", "http://e.org/file#x"),
        ("http://e.org/file%3Fx", "http://e.org/file?x"),
        ("http://e.org/?q=a%26b", "http://e.org/?q=a&b"),
        ("http://e.org/?q=c%2B%2B", "http://e.org/?q=c++"),
        ("http://e.org/?q=a+b", "http://e.org/?q=a%20b"),
        ("http://e.org/User", "http://e.org/user"),
        ("http://e.org/a%252F", "http://e.org/a%2F"),
        ("http://e.org/index.html", "http://e.org/"),
        ("http://e.org/default.asp", "http://e.org/"),
        ("http://m.e.org/", "http://e.org/"),
        ("http://www2.e.org/", "http://www.e.org/"),
        ("http://en.m.wikipedia.org/", "http://en.wikipedia.org/"),
        ("http://e.org/%E9", "http://e.org/%C3%A9"),
    ],
)
def test_different_addresses_have_different_keys(one, other):
    assert url_to_lru(one) != url_to_lru(other)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://e.org/dir%2fcz", "http://e.org/dir%2Fcz"),
        ("http://e.org/file%23x?q=a%26b", "http://e.org/file%23x?q=a%26b"),
        ("http://e.org/?q=c%2B%2B&x=%d1%88", "http://e.org?q=c%2B%2B&x=%D1%88"),
        ("http://e.org/details/1/news/page:1", "http://e.org/details/1/news/page:1"),
        ("http://e.org/wiki/Name_%28X%29", "http://e.org/wiki/Name_(X)"),
        ("http://e.org@other.example/", "http://other.example"),
        ("https://good.example\\@evil.example", "https://good.example/@evil.example"),
        ("https://e.org:80/", "https://e.org:80"),
        ("http://e.org:443/a/", "http://e.org:443/a/"),
        ("http://e.org/a..a/x", "http://e.org/a..a/x"),
        ("http://e.org/a;b=1,c$d&e=f+g", "http://e.org/a;b=1,c$d&e=f+g"),
    ],
)
def test_readable_url_of_the_key(url, shown):
    assert lru_to_url(url_to_lru(url)) == shown


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("utm_source=x&a=1&utm_medium=y", "a=1"),
        ("a=1&fbclid=z", "a=1"),
        ("fbclid=z&a=1", "a=1"),
        ("gclid=z", ""),
        ("gclid", ""),
        ("xtor=RSS-1&mc_cid=1&igshid=2", ""),
        ("ref=fb", ""),
        ("ref=fbx&ref=fb", "ref=fbx"),
        ("ref=home", "ref=home"),
        ("PHPSESSID=0123", ""),
        ("myutm_source=1", "myutm_source=1"),
        ("fbclidx=1", "fbclidx=1"),
        ("a=fbclid=1", "a=fbclid=1"),
        ("utm%5Fsource=x&b", "b"),
        ("a=1&&fbclid=2&&b=2", "a=1&&&b=2"),
        ("s=20", "s=20"),
        ("s=090", "s=090"),
    ],
)
def test_tracking_parameters_are_no_part_of_the_key(query, kept):
    stem = f"q:{kept}|" if kept else ""
    assert url_to_lru(f"http://e.org/p?{query}") == f"s:http|h:org|h:e|p:p|{stem}"


def test_platform_parameters_count_as_tracking_on_their_platform_only():
    assert url_to_lru("https://twitter.com/a/status/1?s=20") == url_to_lru("https://twitter.com/a/status/1")
    assert url_to_lru("https://mobile.twitter.com/a?s=20") == url_to_lru("https://mobile.twitter.com/a")
    assert url_to_lru("https://nottwitter.com/a?s=20") != url_to_lru("https://nottwitter.com/a")


def test_tracking_parameters_stay_when_the_option_is_off():
    assert url_to_lru("http://e.org/p?utm_source=x", WITH_TRACKING) == "s:http|h:org|h:e|p:p|q:utm_source=x|"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("http:www.e.org", "slashes"),
        ("http:/e.org", "slashes"),
        ("http//e.org", "does not begin with http"),
        ("http://http://e.org", "scheme stands where the host"),
        ("http://http//e.org", "scheme stands where the host"),
        ("https://https/", "scheme stands where the host"),
        ("://e.org", "does not begin with http"),
        ("1x://e.org", "does not begin with http"),
        ("/a/b", "does not begin with http"),
        ("x.org", "does not begin with http"),
        ("ftp://e.org/", "ftp"),
        ("mailto:a@e.org", "mailto"),
        ("javascript:void(0)", "javascript"),
        ("http://", "no host"),
        ("http:///a", "no host"),
        ("http://?a", "no host"),
        ("http://:80/", "no host"),
        ("http://user@/", "no host"),
        ("http://./", "no host"),
        ("http://e.org:non-port/", "port"),
        ("http://e.org:99999/", "port"),
        ("http://e.org:0/", "port"),
        ("http://e.org:-1/", "port"),
        ("http://e.org:٣/", "port"),
        ("http://[e.org/x", "IPv6"),
        ("http://[::1/x", "IPv6"),
        ("http://[1::2::3]/", "IPv6"),
        ("http://[fe80::1%25eth0]/", "IPv6"),
        ("https://x.org]", "character"),
        ("http://e.or g/", "character"),
        ("http://%20e-monsite/", "character"),
        ("http://e%2Forg.example/", "character"),
        ("http://e<x>.org/", "character"),
        ("http://a℀b.example/", "character"),
        ("http://e＼org.example/", "character"),
        ("http://e..org/", "empty label"),
        ("http://.e.org/", "empty label"),
        ("http://e.org../", "empty label"),
        ("http://" + "a" * 64 + ".org/", "63"),
        ("http://" + "a." * 130 + "org/", "253"),
        ("http://256.256.256.256/", "IPv4"),
        ("http://1.2.3/", "IPv4"),
        ("http://010.0.0.1/", "IPv4"),
        ("http://2130706433/", "IPv4"),
        ("http://127.0.0.0x1/", "IPv4"),
        ("http://0x7f000001/", "IPv4"),
        ("http://1.1.1.1\ncom", "top-level domain"),
        ("http://com", "top-level domain"),
        ("http://com./", "top-level domain"),
        ("http://ck/", "top-level domain"),
        ("http://intranet/x", "single label"),
        ("http://xn--a.example/", "punycode"),
        ("http://%ff.example/", "international"),
        ("http://e.org/" + "a" * 4096, "4096"),
        ("http://e.org/#" + "a" * 10_000, "4096"),
    ],
)
def test_no_address_is_made_of(url, reason):
    for cutter in (UrlCutter(), UrlCutter()):
        with pytest.raises(BadUrl) as refusal:
            cutter.lru(url)
        assert reason in refusal.value.reason
        assert refusal.value.url == url
        assert isinstance(refusal.value, ValueError)


def test_a_bad_address_is_refused_again_after_a_good_one_that_looks_like_it():
    cutter = UrlCutter()
    assert cutter.lru("http://e.org ") == "s:http|h:org|h:e|"
    with pytest.raises(BadUrl):
        cutter.lru("http://e.org /x")


def test_the_longest_accepted_url():
    assert url_to_lru("http://e.org/" + "a" * (4096 - 13)).endswith("a|")


@pytest.mark.parametrize(
    ("url", "host_stems"),
    [
        ("http://www.org", "h:org|h:www|"),
        ("http://www.com", "h:com|h:www|"),
        ("http://co.uk", "h:uk|h:co|"),
        ("http://example.ck", "h:ck|h:example|"),
        ("http://www.ck", "h:ck|h:www|"),
        ("http://a.www.ck", "h:ck|h:www|h:a|"),
        ("http://a.example.ck", "h:example.ck|h:a|"),
        ("http://buskerud.no", "h:no|h:buskerud|"),
        ("http://nes.buskerud.no", "h:no|h:buskerud|h:nes|"),
        ("http://a.nes.buskerud.no", "h:nes.buskerud.no|h:a|"),
        ("http://city.kobe.jp", "h:kobe.jp|h:city|"),
        ("http://x.kobe.jp", "h:jp|h:kobe|h:x|"),
        ("http://a.x.kobe.jp", "h:x.kobe.jp|h:a|"),
        ("http://github.io/", "h:io|h:github|"),
        ("http://x.github.io", "h:github.io|h:x|"),
        ("http://x.cloudfront.net", "h:cloudfront.net|h:x|"),
        ("http://a.d111.cloudfront.net", "h:cloudfront.net|h:d111|h:a|"),
        ("http://foo.uk.com", "h:uk.com|h:foo|"),
        ("http://www.example.co.uk.com", "h:uk.com|h:co|h:example|h:www|"),
        ("http://e.bzh", "h:bzh|h:e|"),
        ("http://пример.рф", "h:xn--p1ai|h:xn--e1afmkfd|"),
        ("http://127.0.0.1/", "h:127.0.0.1|"),
        ("http://169.254.169.254/", "h:169.254.169.254|"),
        ("http://[2001:DB8::1]/", "h:[2001:db8::1]|"),
        ("http://localhost/", "h:localhost|"),
        ("http://localhost.com/", "h:com|h:localhost|"),
        ("http://1.2.3.4.example.com/", "h:com|h:example|h:4|h:3|h:2|h:1|"),
    ],
)
def test_host_is_cut_by_the_public_suffix_list(url, host_stems):
    assert url_to_lru(url) == "s:http|" + host_stems


def test_without_the_private_section_tenants_are_subdomains():
    assert url_to_lru("http://x.github.io", REGISTRIES_ONLY) == "s:http|h:io|h:github|h:x|"
    assert url_to_lru("http://foo.uk.com", REGISTRIES_ONLY) == "s:http|h:com|h:uk|h:foo|"
    assert url_to_lru("http://x.example.co.uk", REGISTRIES_ONLY) == "s:http|h:co.uk|h:example|h:x|"


def test_a_bare_public_suffix_owns_no_tenant():
    assert not url_to_lru("http://x.github.io").startswith(url_to_lru("http://github.io"))


def test_single_label_hosts_are_pages_of_private_networks_only():
    assert url_to_lru("http://intranet/x", INTRANET) == "s:http|h:intranet|p:x|"
    with pytest.raises(BadUrl, match="top-level"):
        url_to_lru("http://com/", INTRANET)
    with pytest.raises(BadUrl, match="scheme stands"):
        url_to_lru("http://http://e.org/", INTRANET)


def test_a_cutter_tells_its_policy():
    assert UrlCutter(INTRANET).policy == INTRANET


def test_the_host_memo_is_bounded(monkeypatch):
    monkeypatch.setattr("memory_structure.url_cutter._MEMO_SIZE", 3)
    cutter = UrlCutter()
    keys = [cutter.lru(f"http://site{i}.org/") for i in range(20)]
    assert keys == [f"s:http|h:org|h:site{i}|" for i in range(20)]
    assert len(cutter._heads) <= 3
