"""Which web entities look like one actor: redirects, forms of one address, letter case, mobile and country
hosts, one name under several suffixes.

A suggestion is a guess with its reason, for a person to judge: nothing is merged here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from memory_structure.lru import lru_to_url, split_stems

_MOBILE = frozenset({"m", "mobile", "touch", "amp", "wap"})
_COUNTRY = re.compile(r"[a-z]{2}([-_][a-z]{2})?")
_MIN_NAME_CHARS = 3  # shorter names under several suffixes are chance
_MAX_SITES = 20  # a name under more suffixes is a common word


class Reason(StrEnum):
    """Why entities look like one."""

    REDIRECT = "redirect"
    TWINS = "twins"
    LETTER_CASE = "letter case"
    MOBILE_HOST = "mobile host"
    COUNTRY_HOST = "country host"
    SAME_NAME = "same name"


class Candidate(NamedTuple):
    """A web entity as far as suggestions look at it."""

    web_entity_id: int
    prefixes: Sequence[str]
    n_pages: int = 0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Entities that look like one: fold `old_ids`, rising, into `good_id`, the one with most pages or (hosts,
    redirects) the one the others stand for. `detail` says in words what was seen."""

    reason: Reason
    good_id: int
    old_ids: tuple[int, ...]
    detail: str


class _Place(NamedTuple):
    """Where a prefix points whatever its scheme and www: port, host labels, the rest in small letters."""

    port: str
    labels: tuple[str, ...]
    rest: str


def suggest_merges(
    candidates: Iterable[Candidate], redirects: Iterable[tuple[int, int]] = ()
) -> list[Suggestion]:
    """Suggestions by reason, the surest first, then ids. `redirects`: (entity, where its front page leads).

    Entities are looked at once: time and memory are linear in prefixes.
    """
    n_pages: dict[int, int] = {}
    places: defaultdict[_Place, dict[int, str]] = defaultdict(dict)
    for candidate in candidates:
        n_pages[candidate.web_entity_id] = candidate.n_pages
        for prefix in candidate.prefixes:
            places[_place(prefix)].setdefault(candidate.web_entity_id, prefix)
    found = [
        *_led_elsewhere(redirects, n_pages),
        *_at_one_place(places, n_pages),
        *_standing_for_others(places),
        *_under_several_suffixes(places, n_pages),
    ]
    order = {reason: rank for rank, reason in enumerate(Reason)}
    return sorted(found, key=lambda s: (order[s.reason], s.good_id, s.old_ids))


def _place(prefix: str) -> _Place:
    stems = split_stems(prefix)
    labels = tuple(stem[2:] for stem in stems if stem.startswith("h:"))
    if len(labels) > 2 and labels[-1] == "www":
        labels = labels[:-1]
    port = next((stem for stem in stems if stem.startswith("t:")), "")
    rest = "|".join(stem for stem in stems if stem[0] in "pqf")
    return _Place(port, labels, rest.casefold())


def _led_elsewhere(redirects: Iterable[tuple[int, int]], known: dict[int, int]) -> Iterator[Suggestion]:
    for old_id, good_id in sorted(set(redirects)):
        if old_id != good_id and old_id in known and good_id in known:
            yield Suggestion(Reason.REDIRECT, good_id, (old_id,), "its front page redirects there")


def _at_one_place(places: dict[_Place, dict[int, str]], n_pages: dict[int, int]) -> Iterator[Suggestion]:
    """Owners of http, https and www forms of one address, or of its spellings in large and small letters."""
    seen: set[tuple[int, ...]] = set()
    for owners in places.values():
        ids = tuple(sorted(owners))
        if len(ids) > 1 and ids not in seen:
            seen.add(ids)
            is_case = len({_exact_rest(prefix) for prefix in owners.values()}) > 1
            reason = Reason.LETTER_CASE if is_case else Reason.TWINS
            words = "letter case" if is_case else "http, https or www"
            shown = ", ".join(lru_to_url(owners[i]) for i in ids)
            yield _into_largest(reason, ids, n_pages, f"they differ in {words} alone: {shown}")


def _exact_rest(prefix: str) -> str:
    return "|".join(stem for stem in split_stems(prefix) if stem[0] in "pqf")


def _into_largest(reason: Reason, ids: Sequence[int], n_pages: dict[int, int], detail: str) -> Suggestion:
    good_id = max(ids, key=lambda i: (n_pages[i], -i))
    return Suggestion(reason, good_id, tuple(i for i in ids if i != good_id), detail)


def _standing_for_others(places: dict[_Place, dict[int, str]]) -> Iterator[Suggestion]:
    """Hosts such as m.x.com and fr.x.com, beside x.com."""
    seen: set[tuple[Reason, int, int]] = set()
    for place, owners in places.items():
        reason = _reason_of_label(place.labels)
        if reason is None:
            continue
        main = places.get(place._replace(labels=place.labels[:-1]), {})
        for old_id, prefix in owners.items():
            for good_id in sorted(set(main) - {old_id})[:1]:
                if (reason, old_id, good_id) not in seen:
                    seen.add((reason, old_id, good_id))
                    detail = f"{lru_to_url(prefix)} is a {reason} of {lru_to_url(main[good_id])}"
                    yield Suggestion(reason, good_id, (old_id,), detail)


def _reason_of_label(labels: tuple[str, ...]) -> Reason | None:
    if len(labels) < 3:
        return None
    if labels[-1] in _MOBILE:
        return Reason.MOBILE_HOST
    return Reason.COUNTRY_HOST if _COUNTRY.fullmatch(labels[-1]) else None


def _under_several_suffixes(
    places: dict[_Place, dict[int, str]], n_pages: dict[int, int]
) -> Iterator[Suggestion]:
    """Whole sites whose registered name is the same: x.fr, x.de, x.co.uk."""
    by_name: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for place, owners in places.items():
        if len(place.labels) == 2 and not place.rest and not place.port:
            for web_entity_id, prefix in owners.items():
                by_name[place.labels[1]].setdefault(web_entity_id, prefix)
    for name, owners in by_name.items():
        ids = sorted(owners)
        if 1 < len(ids) <= _MAX_SITES and len(name) >= _MIN_NAME_CHARS:
            shown = ", ".join(lru_to_url(owners[i]) for i in ids)
            yield _into_largest(Reason.SAME_NAME, ids, n_pages, f"sites called {name}: {shown}")
