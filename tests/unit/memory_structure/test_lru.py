"""LRU algebra on texts, and the value type."""

import pytest

from memory_structure.lru import (
    BadLru,
    BadUrl,
    Lru,
    UrlPolicy,
    canonical_lru,
    display_url,
    entity_prefix,
    head_of,
    host_of,
    is_under,
    join_stems,
    lru_name,
    lru_to_url,
    parent_lrus,
    range_end,
    split_stems,
    url_to_lru,
)

DEEP = "s:https|t:8443|h:co.uk|h:e|h:www|p:a|p:|q:b=1|"


@pytest.mark.parametrize(
    ("lru", "url"),
    [
        ("s:http|h:com|h:x|", "http://x.com"),
        ("s:http|h:com|h:x|q:a=1|", "http://x.com?a=1"),
        ("s:http|h:com|h:x|p:a|", "http://x.com/a"),
        ("s:http|h:com|h:x|p:a|p:|", "http://x.com/a/"),
        ("s:http|h:com|h:x|p:|p:|", "http://x.com//"),
        ("s:http|h:com|h:x|p:a|q:b|f:c|", "http://x.com/a?b#c"),
        ("s:http|h:com|h:x|f:c|", "http://x.com#c"),
        ("s:http|h:com|h:x|q:b|f:c|", "http://x.com?b#c"),
        ("s:http|h:com|", "http://com"),
        ("s:http|h:[2001:db8::1]|p:a|", "http://[2001:db8::1]/a"),
        (DEEP, "https://www.e.co.uk:8443/a/?b=1"),
    ],
)
def test_url_of_an_lru(lru, url):
    assert lru_to_url(lru) == url


@pytest.mark.parametrize(
    "text", ["", "s:http|", "http://e.org/", "h:com|h:x|", "s:http|p:a|", "s:http|h:com|h:x|x:1|p:b|"]
)
def test_no_url_is_made_of_other_text(text):
    with pytest.raises(BadLru):
        lru_to_url(text)


def test_the_origin_memo_is_bounded(monkeypatch):
    monkeypatch.setattr("memory_structure.lru._MEMO_SIZE", 2)
    monkeypatch.setattr("memory_structure.lru._origins", {})
    assert [lru_to_url(f"s:http|h:org|h:m{i}|") for i in range(9)] == [f"http://m{i}.org" for i in range(9)]


def test_stems_parents_head_and_host():
    assert split_stems(DEEP) == ("s:https", "t:8443", "h:co.uk", "h:e", "h:www", "p:a", "p:", "q:b=1")
    assert join_stems(split_stems(DEEP)) == DEEP
    assert split_stems("") == ()
    assert join_stems(()) == ""
    assert parent_lrus("s:http|h:com|h:x|p:a|") == ["s:http|h:com|h:x|", "s:http|h:com|", "s:http|"]
    assert parent_lrus("s:http|") == []
    assert head_of(DEEP) == "s:https|t:8443|h:co.uk|h:e|h:www|"
    assert host_of(DEEP) == "www.e.co.uk"
    assert host_of("s:http|h:com|h:x|") == "x.com"


def test_a_prefix_covers_whole_stems_only():
    assert is_under("s:http|h:org|h:e|p:art|p:x|", "s:http|h:org|h:e|p:art|")
    assert is_under("s:http|h:org|h:e|p:art|", "s:http|h:org|h:e|p:art|")
    assert not is_under(url_to_lru("http://e.org/article"), url_to_lru("http://e.org/art"))
    assert is_under(DEEP, "")


def test_range_end_is_just_after_the_subtree():
    prefix = "s:http|h:org|h:e|"
    inside = [prefix, prefix + "p:a|", prefix + "q:~|", prefix + "h:zzz|"]
    outside_after = ["s:http|h:org|h:e}|", "s:http|h:org|h:e~|"]
    assert all(prefix <= lru < range_end(prefix) for lru in inside)
    assert all(lru >= range_end(prefix) for lru in outside_after)
    assert not prefix <= "s:http|h:org|h:e-a|" < range_end(prefix)
    assert range_end("") > "s:https|h:zw|"


def test_an_entity_prefix_has_no_final_slash():
    assert entity_prefix(url_to_lru("http://e.org/a/")) == entity_prefix(url_to_lru("http://e.org/a"))
    assert entity_prefix("s:http|h:org|h:e|p:|p:|") == "s:http|h:org|h:e|"
    assert entity_prefix("s:http|h:org|h:e|p:a|p:|q:x|") == "s:http|h:org|h:e|p:a|p:|q:x|"


@pytest.mark.parametrize(
    ("client", "lru"),
    [
        ("s:http|h:com|h:x|p:a|", "s:http|h:com|h:x|p:a|"),
        ("s:http|h:com|h:x|p:a", "s:http|h:com|h:x|p:a|"),
        ("s:http|h:com|h:x|p:|", "s:http|h:com|h:x|"),
        ("s:http|h:com|h:x|p:|q:a=1|", "s:http|h:com|h:x|q:a=1|"),
        ("s:http|h:com|h:x|p:a|p:|", "s:http|h:com|h:x|p:a|p:|"),
        ("s:http|t:80|h:com|h:x|", "s:http|h:com|h:x|"),
        ("s:https|t:443|h:com|h:x|", "s:https|h:com|h:x|"),
        ("s:http|t:443|h:com|h:x|", "s:http|t:443|h:com|h:x|"),
        ("s:http|h:com|h:x|p:a|f:!/b|", "s:http|h:com|h:x|p:a|"),
        ("s:http|h:com|h:x|f:|", "s:http|h:com|h:x|"),
        ("s:http|h:com|h:x|q:|", "s:http|h:com|h:x|"),
        ("s:http|h:uk|h:co|h:bbc|h:www|p:news|", "s:http|h:co.uk|h:bbc|h:www|p:news|"),
        ("s:http|h:io|h:github|h:x|", "s:http|h:github.io|h:x|"),
        ("s:http|h:github.io|", "s:http|h:io|h:github|"),
        ("S:HTTP|h:com|h:x|", None),
        ("s:HTTP|h:COM|h:X|p:A|", "s:http|h:com|h:x|p:A|"),
        ("s:http|h:com|h:x|p:%7euser|p:%c3%a9|", "s:http|h:com|h:x|p:~user|p:%C3%A9|"),
        ("s:http|h:com|h:x|p:é|", "s:http|h:com|h:x|p:%C3%A9|"),
        ("s:http|h:com|h:x|p:a?b|", "s:http|h:com|h:x|p:a%3Fb|"),
        ("s:http|h:com|h:x|p:a#b|q:c#d|", "s:http|h:com|h:x|p:a%23b|q:c%23d|"),
        ("s:http|h:com|h:x|p:a|b|", "s:http|h:com|h:x|p:a%7Cb|"),
        ("s:http|t:8000|h:127.0.0.1|p:a|", "s:http|t:8000|h:127.0.0.1|p:a|"),
        ("s:http|h:[::1]|", "s:http|h:[::1]|"),
        ("s:http|h:example|h:bücher|", "s:http|h:example|h:xn--bcher-kva|"),
        ("s:http|h:com|h:x|q:utm_source=a&b=1|", "s:http|h:com|h:x|q:b=1|"),
        ("  s:http|h:com|h:x|\n", "s:http|h:com|h:x|"),
        ("", None),
        ("http://x.com", None),
        ("s:http|", None),
        ("s:http|t:8000|", None),
        ("s:http|h:github.io||", "s:http|h:io|h:github|"),
        ("s:http|p:a|h:com|h:x|", None),
        ("s:http|h:com|h:x|q:a|p:b|", None),
        ("s:http|h:com|", None),
        ("s:ftp|h:com|h:x|", None),
        ("s:http|h:fr|h:notaires.fr|", None),
        ("s:http|t:x|h:com|h:x|", None),
    ],
)
def test_lrus_of_clients_are_cut_again(client, lru):
    if lru is None:
        with pytest.raises(BadLru) as refusal:
            canonical_lru(client)
        assert refusal.value.url == client
        assert isinstance(refusal.value, BadUrl)
    else:
        assert canonical_lru(client) == lru


def test_lrus_of_clients_are_cut_by_the_policy_of_the_corpus():
    policy = UrlPolicy(private_suffixes=False, drop_tracking=False)
    assert (
        canonical_lru("s:http|h:github.io|h:x|q:utm_id=1|", policy) == "s:http|h:io|h:github|h:x|q:utm_id=1|"
    )


@pytest.mark.parametrize(
    ("lru", "name"),
    [
        ("s:http|h:com|h:google|h:maps|p:a|p:b|q:x=1|f:t|", "maps.Google.com /.../b ?x=1 #t"),
        ("s:http|h:co.uk|h:bbc|h:www|p:news|p:|", "Bbc.co.uk /news"),
        ("s:https|h:fr|h:sciences-po|h:medialab|", "medialab.Sciences-Po.fr"),
        ("s:http|t:8080|h:org|h:e|", "E.org :8080"),
        ("s:http|h:org|h:www|", "Www.org"),
        ("s:http|h:127.0.0.1|p:a|", "127.0.0.1 /a"),
        ("s:http|h:localhost|", "localhost"),
        ("s:http|h:example|h:xn--bcher-kva|p:%C3%A9t%C3%A9|", "Bücher.example /été"),
        ("s:http|h:org|h:e|p:%E9|", "E.org /%E9"),
        ("s:http|h:org|h:e|p:%E2%80%AE|", "E.org /%E2%80%AE"),
    ],
)
def test_default_name_of_an_entity(lru, name):
    assert lru_name(lru) == name


def test_url_for_people():
    assert (
        display_url(url_to_lru("http://bücher.example/été?q=ш&r=%E9"))
        == "http://bücher.example/été?q=ш&r=%E9"
    )


def test_value_type():
    lru = Lru.from_url("https://www.e.co.uk:8443/a/?b=1")
    assert str(lru) == lru.text == DEEP
    assert Lru.parse(DEEP) == lru
    assert lru.stems == split_stems(DEEP)
    assert (lru.scheme, lru.port, lru.url) == ("https", 8443, "https://www.e.co.uk:8443/a/?b=1")
    assert lru.host_stems == ("h:co.uk", "h:e", "h:www")
    assert lru.head == Lru("s:https|t:8443|h:co.uk|h:e|h:www|")
    assert [parent.text for parent in lru.parents()][-1] == "s:https|t:8443|h:co.uk|"
    assert lru.startswith_lru(lru.head)
    assert not lru.head.startswith_lru(lru)
    assert lru.head < lru
    assert Lru.parse("s:http|h:org|h:e|").port is None
    assert len({lru, Lru.parse(DEEP)}) == 1
    with pytest.raises(AttributeError):
        lru.text = "s:http|h:org|h:e|"


@pytest.mark.parametrize("text", ["", "s:http|h:org|h:e", "h:org|s:http|", "s:http|h:org|x|", "s:http|"])
def test_value_type_refuses_ill_formed_text(text):
    with pytest.raises(BadLru):
        Lru.parse(text)
