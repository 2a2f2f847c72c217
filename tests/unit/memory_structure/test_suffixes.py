import pytest

from memory_structure.suffixes import suffix_list_version, suffix_table, suffix_tree


@pytest.mark.parametrize(
    ("host", "suffix"),
    [
        ("e.com", "com"),
        ("www.e.co.uk", "co.uk"),
        ("x.github.io", "github.io"),
        ("github.io", "github.io"),
        ("a.b.kobe.jp", "b.kobe.jp"),
        ("city.kobe.jp", "kobe.jp"),
        ("kobe.jp", "jp"),
        ("www.ck", "ck"),
        ("a.b.ck", "b.ck"),
        ("nes.buskerud.no", "nes.buskerud.no"),
        ("buskerud.no", "no"),
        ("e.xn--p1ai", "xn--p1ai"),
        ("e.unknown-tld", "unknown-tld"),
        ("com", "com"),
    ],
)
def test_longest_public_suffix(host, suffix):
    assert suffix_table().suffix_of(host) == suffix
    assert suffix_table().is_suffix(host) == (host == suffix)


def test_the_private_section_is_an_option():
    assert suffix_table(private=False).suffix_of("x.github.io") == "io"
    assert suffix_table(private=False).suffix_of("x.co.uk") == "co.uk"


def test_known_last_labels():
    table = suffix_table()
    assert all(table.is_known(label) for label in ("com", "bzh", "ck", "jp", "xn--p1ai"))
    assert not table.is_known("unknown-tld")


def test_tree_for_clients():
    tree = suffix_tree()
    assert tree["uk"]["gov"].keys() >= {"campaign", "service"}
    assert suffix_tree(private=False)["uk"]["co"] == {}
    assert tree["ck"] == {"*": {}, "!www": {}}
    assert tree["jp"]["kobe"] == {"*": {}, "!city": {}}
    assert "github" in tree["io"]
    assert "github" not in suffix_tree(private=False)["io"]
    assert {"рф", "xn--p1ai"} <= set(tree)


def test_a_tree_is_the_callers_own():
    suffix_tree()["uk"].clear()
    assert suffix_tree()["uk"]


def test_the_list_tells_its_version():
    assert "UTC (tldextract " in suffix_list_version()


def test_the_table_agrees_with_tldextract_itself():
    import tldextract

    reference = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
    for (
        host
    ) in "www.e.co.uk x.github.io a.b.kobe.jp x.city.kobe.jp e.gouv.fr a.s3.amazonaws.com a.www.ck".split():
        assert suffix_table().suffix_of(host) == reference(host).suffix
