"""Variations of a prefix, and the map that finds the owner of an LRU."""

import pytest

from memory_structure.lru import UrlPolicy, url_to_lru
from memory_structure.prefixes import PrefixMap, variations


@pytest.mark.parametrize(
    ("lru", "others"),
    [
        (
            "s:http|h:com|h:x|p:a|",
            ["s:https|h:com|h:x|p:a|", "s:http|h:com|h:x|h:www|p:a|", "s:https|h:com|h:x|h:www|p:a|"],
        ),
        ("s:https|h:com|h:x|h:www|", ["s:http|h:com|h:x|h:www|", "s:https|h:com|h:x|", "s:http|h:com|h:x|"]),
        (
            "s:http|t:8080|h:com|h:x|h:maps|",
            [
                "s:https|t:8080|h:com|h:x|h:maps|",
                "s:http|t:8080|h:com|h:x|h:maps|h:www|",
                "s:https|t:8080|h:com|h:x|h:maps|h:www|",
            ],
        ),
        ("s:http|t:443|h:com|h:x|", ["s:http|t:443|h:com|h:x|h:www|"]),
        ("s:https|t:80|h:com|h:x|", ["s:https|t:80|h:com|h:x|h:www|"]),
        ("s:http|h:org|h:www|", ["s:https|h:org|h:www|"]),
        ("s:http|h:co.uk|h:www|", ["s:https|h:co.uk|h:www|"]),
        ("s:http|h:org|h:www|h:www|", ["s:https|h:org|h:www|h:www|"]),
        ("s:http|h:org|h:e|h:www|h:www|", ["s:https|h:org|h:e|h:www|h:www|"]),
        ("s:http|h:io|h:github|", ["s:https|h:io|h:github|"]),
        ("s:http|h:github.io|h:www|", ["s:https|h:github.io|h:www|"]),
        ("s:http|h:jp|h:kobe|", ["s:https|h:jp|h:kobe|"]),
        ("s:http|h:intranet|p:a|", ["s:https|h:intranet|p:a|"]),
        ("s:http|h:127.0.0.1|", []),
        ("s:http|h:[::1]|p:a|", []),
        ("s:http|h:localhost|", []),
    ],
)
def test_variations_in_their_order(lru, others):
    assert list(variations(lru)) == [lru, *others]


def test_variations_follow_the_suffix_list_of_the_corpus():
    registries_only = UrlPolicy(private_suffixes=False)
    github = url_to_lru("http://github.io", registries_only)
    assert "s:http|h:io|h:github|h:www|" in variations(github, registries_only)


A, AB, ABC, X = "s:http|h:org|h:a|", "s:http|h:org|h:a|p:b|", "s:http|h:org|h:a|p:b|p:c|", "s:http|h:org|h:x|"


def filled() -> PrefixMap[int]:
    prefixes: PrefixMap[int] = PrefixMap()
    for value, prefix in enumerate((A, ABC, X)):
        prefixes[prefix] = value
    return prefixes


@pytest.mark.parametrize(
    ("lru", "owner"),
    [
        (A, (A, 0)),
        (AB, (A, 0)),
        (ABC, (ABC, 1)),
        (ABC + "p:d|", (ABC, 1)),
        ("s:http|h:org|h:a|p:b|p:cc|", (A, 0)),
        ("s:http|h:org|h:a|h:www|", (A, 0)),
        ("s:http|h:org|h:aa|", None),
        ("s:https|h:org|h:a|", None),
        ("s:http|h:org|", None),
    ],
)
def test_the_longest_prefix_by_whole_stems_owns(lru, owner):
    assert filled().find_owner(lru) == owner


def test_an_owner_inside_another_and_again_the_first():
    prefixes: PrefixMap[str] = PrefixMap()
    prefixes[A], prefixes[AB], prefixes[ABC] = "one", "two", "one"
    assert [prefixes.find_owner(lru) for lru in (A + "p:z|", AB + "p:z|", ABC + "p:z|")] == [
        (A, "one"),
        (AB, "two"),
        (ABC, "one"),
    ]


def test_prefixes_over_and_under():
    prefixes = filled()
    assert list(prefixes.iter_over(ABC + "p:d|")) == [(A, 0), (ABC, 1)]
    assert prefixes.list_over(ABC) == [(ABC, 1), (A, 0)]
    assert list(prefixes.iter_over("s:https|h:org|")) == []
    assert list(prefixes.iter_under(A)) == [(A, 0), (ABC, 1)]
    assert list(prefixes.iter_under(AB)) == [(ABC, 1)]
    assert list(prefixes) == [A, ABC, X]
    del prefixes[A]
    assert list(prefixes.iter_under("")) == [(ABC, 1), (X, 2)]


def test_the_empty_prefix_is_over_everything():
    prefixes = filled()
    prefixes[""] = 9
    assert prefixes.find_owner("s:https|h:org|h:z|") == ("", 9)
    assert list(prefixes.iter_over(A)) == [("", 9), (A, 0)]


def test_setting_getting_and_deleting():
    prefixes = filled()
    prefixes[A] = 7
    assert (len(prefixes), prefixes[A], prefixes.get(A), prefixes.get(AB)) == (3, 7, 7, None)
    assert A in prefixes
    assert AB not in prefixes
    del prefixes[ABC]
    assert prefixes.find_owner(ABC) == (A, 7)
    with pytest.raises(KeyError):
        del prefixes[ABC]
    with pytest.raises(KeyError):
        prefixes[ABC]


def test_a_copy_is_independent():
    prefixes = filled()
    copy = prefixes.copy()
    del copy[ABC]
    prefixes[AB] = 5
    assert prefixes.find_owner(ABC) == (ABC, 1)
    assert copy.find_owner(ABC) == (A, 0)
    assert len(copy) == 2
