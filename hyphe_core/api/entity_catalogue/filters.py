"""What a listing of web entities is narrowed to, as one record, and which entities fulfil it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from hyphe_core.api.entity_catalogue.catalogue import Catalogue
from hyphe_core.api.entity_catalogue.columns import TEXT_FIELDS, Mask
from hyphe_core.api.entity_catalogue.tags import Category, Tag
from hyphe_core.api.failures import Refusal
from memory_structure.records import WebEntityStatus
from memory_structure.words import words_of

USER: Final = "USER"
MOST_WORDS: Final = 200  # in one search: each takes a look at the texts of all entities
FREE_TAGS: Final = "FREETAGS"  # keywords: nobody expects every entity to have some
ADDRESS_FIELDS: Final = ("name", "prefixes", "startpages", "homepage")
RANGED: Final = (
    "id", "indegree", "outdegree", "undirected_degree", "citing_in", "pages_total", "pages_crawled",
    "creation_date", "last_modification_date",
)  # fmt: skip


class AnyWord(NamedTuple):
    """One of the words must stand in a field of TEXT_FIELDS."""

    field: str
    words: tuple[str, ...]


class Bounds(NamedTuple):
    """A figure of RANGED must lie between two numbers, both included. Dates are in microseconds since
    1970."""

    column: str
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Filters:
    """All of these must hold; a filter that is empty, or None, always does.

    `texts`: each must stand, as a part of a word too, in one of `text_fields`. `words`: each must stand as
    a whole word in any field. `tags`: of each group an entity has one tag at least. `with_categories`,
    `without_categories`: it has a value of each, of none; `conflicts`: it has several values of one of
    them. `untagged`: it has no tag of the user's."""

    statuses: frozenset[WebEntityStatus] = frozenset()
    ids: tuple[int, ...] | None = None
    name: str | None = None
    texts: tuple[str, ...] = ()
    text_fields: tuple[str, ...] = TEXT_FIELDS
    words: tuple[str, ...] = ()
    any_words: tuple[AnyWord, ...] = ()
    tags: tuple[tuple[Tag, ...], ...] = ()
    with_categories: tuple[Category, ...] = ()
    without_categories: tuple[Category, ...] = ()
    conflicts: tuple[Category, ...] = ()
    untagged: bool = False
    bounds: tuple[Bounds, ...] = ()
    crawled: bool | None = None


def fulfilling(catalogue: Catalogue, filters: Filters) -> Mask:
    """For each entity id, whether an entity fulfils the filters."""
    columns = catalogue.columns
    mask = columns.of_statuses(filters.statuses) if filters.statuses else columns.alive()
    if filters.ids is not None:
        mask &= np.isin(np.arange(columns.size), np.array(filters.ids, np.int64))
    if filters.name is not None:
        mask &= columns.named(filters.name)
    if filters.crawled is not None:
        mask &= catalogue.figures.crawled[: columns.size] == filters.crawled
    for bounds in filters.bounds:
        column = catalogue.column(bounds.column)
        mask &= (column >= bounds.least) & (column <= bounds.most)
    return _by_tags(catalogue, filters, _by_texts(catalogue, filters, mask))


def _by_texts(catalogue: Catalogue, filters: Filters, mask: Mask) -> Mask:
    columns = catalogue.columns
    whole = {word for text in filters.words for word in words_of(text)}
    n_words = len(filters.texts) + len(whole) + sum(len(group.words) for group in filters.any_words)
    if n_words > MOST_WORDS:
        raise Refusal(f"a search has at most {MOST_WORDS} words, not {n_words}")
    for text in filters.texts:
        mask &= columns.holding(text, filters.text_fields)
    for word in whole:
        mask &= columns.holding_word(word)
    for group in filters.any_words:
        mask &= _any(mask, (columns.holding(word, (group.field,)) for word in group.words))
    return mask


def _by_tags(catalogue: Catalogue, filters: Filters, mask: Mask) -> Mask:
    tags, size = catalogue.columns.tags, catalogue.columns.size
    for group in filters.tags:
        mask &= tags.with_any(group, size)
    for category in filters.with_categories:
        mask &= tags.with_category(category, size)
    for category in filters.without_categories:
        mask &= ~tags.with_category(category, size)
    if filters.conflicts:
        mask &= _any(mask, (tags.with_category(category, size, least=2) for category in filters.conflicts))
    if filters.untagged:
        mask &= ~tags.with_namespace(USER, size)
    return mask


def _any(like: Mask, masks: Iterable[Mask]) -> Mask:
    found = np.zeros(len(like), np.bool_)
    for mask in masks:
        found |= mask
    return found


# -- tags that are missing or too many


def user_categories(catalogue: Catalogue) -> list[Category]:
    """The user's categories in use, but free keywords."""
    used = catalogue.columns.tags.category_counts()
    return [category for category in used if category[0] == USER and category[1] != FREE_TAGS]


def mistagged(catalogue: Catalogue, *, missing: bool, multiple: bool) -> Mask:
    """Entities without any tag of the user's; with `missing`, also those without a value of some category
    in use; with `multiple`, also those with several values of one."""
    tags, size = catalogue.columns.tags, catalogue.columns.size
    found = ~tags.with_namespace(USER, size)
    for category in user_categories(catalogue):
        if missing:
            found |= ~tags.with_category(category, size)
        if multiple:
            found |= tags.with_category(category, size, least=2)
    return found & catalogue.columns.alive()


def n_in_untagged(catalogue: Catalogue) -> int:
    """Entities that are IN and lack a value of some category of the user's, or any tag of theirs."""
    is_in = catalogue.columns.of_statuses((WebEntityStatus.IN,))
    return int(np.count_nonzero(is_in & mistagged(catalogue, missing=True, multiple=False)))


def n_in_uncrawled(catalogue: Catalogue) -> int:
    """Entities that are IN and were never crawled, or whose latest crawl was called off."""
    is_in = catalogue.columns.of_statuses((WebEntityStatus.IN,))
    return int(np.count_nonzero(is_in & ~catalogue.figures.crawled[: len(is_in)]))
