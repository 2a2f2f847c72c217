from __future__ import annotations

import pytest

from hyphe_core.crawl.scope import Scope
from hyphe_core.crawl.traps import find_trap
from memory_structure.lru import url_to_lru


@pytest.mark.parametrize(
    ("url", "is_trap"),
    [
        ("http://e.fr/a/a/x", False),
        ("http://e.fr/a/a/a/x", True),
        ("http://e.fr/x/a/a/a", True),
        ("http://e.fr/a/b/a/b/a/b", False),
        ("http://e.fr////", False),
        ("http://e.fr/" + "/".join(f"s{i}" for i in range(25)), False),
        ("http://e.fr/" + "/".join(f"s{i}" for i in range(26)), True),
        ("http://e.fr/?a/a/a/a", False),
        ("http://e.fr/" + "x" * 4084, False),
        ("http://e.fr/" + "\u00e9" * 700, True),
    ],
)
def test_traps(url: str, is_trap: bool) -> None:
    assert (find_trap(url_to_lru(url)) is not None) is is_trap


def test_a_url_longer_than_4096_characters_is_a_trap() -> None:
    assert find_trap("s:http|h:fr|h:e|p:" + "x" * 4096 + "|") == "longer than 4096 characters"


def lru(url: str) -> str:
    return url_to_lru(url)


def test_the_longest_matching_prefix_decides() -> None:
    scope = Scope([lru("http://e.fr/"), lru("http://e.fr/photos/mine")], [lru("http://e.fr/photos")])
    assert scope.follows(lru("http://e.fr/"))
    assert scope.follows(lru("http://e.fr/other/page"))
    assert not scope.follows(lru("http://e.fr/photos"))
    assert not scope.follows(lru("http://e.fr/photos/others"))
    assert scope.follows(lru("http://e.fr/photos/mine/1"))


def test_prefixes_match_by_whole_stems() -> None:
    scope = Scope([lru("http://e.fr/art")])
    assert scope.follows(lru("http://e.fr/art/1"))
    assert not scope.follows(lru("http://e.fr/article"))
    assert not scope.follows(lru("https://e.fr/art"))


def test_subdomains_follow_their_domain_and_strangers_do_not() -> None:
    scope = Scope([lru("http://e.fr/")], [lru("http://blog.e.fr/")])
    assert scope.follows(lru("http://deep.sub.e.fr/x"))
    assert not scope.follows(lru("http://blog.e.fr/x"))
    for _ in range(2):  # once learnt, once remembered
        assert not scope.follows(lru("http://stranger.fr/"))
