"""Which web entities look like one actor, and which do not."""

from __future__ import annotations

import pytest

from hyphe_core.analysis.merge_suggestions import Candidate, Reason, Suggestion, suggest_merges
from memory_structure.lru import entity_prefix
from memory_structure.url_cutter import url_to_lru


def entities(*urls: str) -> list[Candidate]:
    """Entity 1, 2, ... own one prefix each; the first has most pages."""
    return [Candidate(n, (entity_prefix(url_to_lru(url)),), 100 - n) for n, url in enumerate(urls, start=1)]


def told(suggestions: list[Suggestion]) -> list[tuple[Reason, int, tuple[int, ...]]]:
    return [(s.reason, s.good_id, s.old_ids) for s in suggestions]


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        (["http://x.com", "http://m.x.com"], (Reason.MOBILE_HOST, 1, (2,))),
        (["http://mobile.x.com", "http://www.x.com"], (Reason.MOBILE_HOST, 2, (1,))),
        (["http://x.com/who", "https://m.x.com/Who"], (Reason.MOBILE_HOST, 1, (2,))),
        (["http://de-de.x.com/who", "https://x.com/who"], (Reason.COUNTRY_HOST, 2, (1,))),
        (["http://fr.x.org", "http://x.org"], (Reason.COUNTRY_HOST, 2, (1,))),
        (["http://x.com/Who", "http://x.com/who"], (Reason.LETTER_CASE, 1, (2,))),
        (["http://x.com", "https://www.x.com"], (Reason.TWINS, 1, (2,))),
        (["http://name.fr", "http://name.co.uk", "http://www.name.de"], (Reason.SAME_NAME, 1, (2, 3))),
    ],
)
def test_entities_that_look_like_one(urls: list[str], expected: tuple[Reason, int, tuple[int, ...]]) -> None:
    (found,) = suggest_merges(entities(*urls))
    assert told([found]) == [expected]
    assert found.detail


SUFFIXES = "fr de it es pt nl be ch at pl se no fi dk cz hu ro gr ie lu eu".split()


@pytest.mark.parametrize(
    "urls",
    [
        ["http://x.com", "http://blog.x.com"],
        ["http://x.com/a", "http://m.x.com/b"],
        ["http://x.com", "http://x.com:8080"],
        ["http://ab.fr", "http://ab.de"],
        ["http://name.fr/a", "http://name.de/a"],
        ["http://m.com", "http://x.m.com"],
        ["http://10.0.0.1", "http://10.0.0.2"],
        [
            f"http://news.{suffix}"
            for suffix in "fr de it es pt nl be ch at pl se no fi dk cz hu ro gr ie lu eu".split()
        ],
    ],
)
def test_entities_that_do_not(urls: list[str]) -> None:
    assert suggest_merges(entities(*urls)) == []


def test_a_redirect_is_the_surest_reason() -> None:
    found = suggest_merges(
        entities("http://x.com", "http://m.x.com", "http://z.org"), [(2, 3), (1, 1), (2, 9)]
    )
    assert told(found) == [(Reason.REDIRECT, 3, (2,)), (Reason.MOBILE_HOST, 1, (2,))]


def test_an_entity_with_several_forms_is_suggested_once() -> None:
    both = tuple(url_to_lru(f"{scheme}://m.x.com/") for scheme in ("http", "https"))
    main = tuple(url_to_lru(f"{scheme}://x.com/") for scheme in ("http", "https"))
    assert told(suggest_merges([Candidate(1, main), Candidate(2, both)])) == [(Reason.MOBILE_HOST, 1, (2,))]
