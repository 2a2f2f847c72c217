"""Tags of all entities as numbers: pairs of entity and tag, counted by numpy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_structure.words import folded

Tag = tuple[str, str, str]
Category = tuple[str, str]
Mask = NDArray[np.bool_]


class _Pairs(NamedTuple):
    """(entity, tag) pairs, and distinct (entity, category) pairs with how many values each has."""

    entities: NDArray[np.int64]
    tags: NDArray[np.int64]
    category_entities: NDArray[np.int64]
    categories: NDArray[np.int64]
    n_values: NDArray[np.int64]


class TagColumns:
    """Tags of entities, interned."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[int, ...]] = {}
        self._numbers: dict[Tag, int] = {}
        self._tags: list[Tag] = []
        self._categories: dict[Category, int] = {}
        self._category_of: list[int] = []
        self._pairs: _Pairs | None = None

    def put(self, entity_id: int, tags: Iterable[Tag]) -> None:
        """Set the tags of an entity."""
        new = tuple(self._number(tag) for tag in tags)
        if new == self._of.get(entity_id, ()):
            return
        if new:
            self._of[entity_id] = new
        else:
            del self._of[entity_id]
        self._pairs = None

    def _number(self, tag: Tag) -> int:
        number = self._numbers.get(tag)
        if number is None:
            number = self._numbers[tag] = len(self._tags)
            self._tags.append(tag)
            category = self._categories.setdefault(tag[:2], len(self._categories))
            self._category_of.append(category)
        return number

    def _all_pairs(self) -> _Pairs:
        if self._pairs is None:
            tags = np.fromiter((t for found in self._of.values() for t in found), np.int64)
            lengths = [len(found) for found in self._of.values()]
            entities = np.repeat(np.fromiter(self._of, np.int64, len(self._of)), lengths)
            categories = np.array(self._category_of, np.int64)[tags] if len(tags) else tags
            keys, n_values = np.unique((entities << 32) | categories, return_counts=True)
            self._pairs = _Pairs(entities, tags, keys >> 32, keys & 0xFFFFFFFF, n_values)
        return self._pairs

    # -- masks by entity id

    def with_any(self, tags: Iterable[Tag], size: int) -> Mask:
        """Entities that have one of the tags."""
        numbers = [self._numbers[tag] for tag in tags if tag in self._numbers]
        pairs = self._all_pairs()
        return _mask(pairs.entities[np.isin(pairs.tags, np.array(numbers, np.int64))], size)

    def with_category(self, category: Category, size: int, least: int = 1) -> Mask:
        """Entities that have at least so many values of a category."""
        pairs = self._all_pairs()
        chosen = (pairs.categories == self._categories.get(category, -1)) & (pairs.n_values >= least)
        return _mask(pairs.category_entities[chosen], size)

    def with_namespace(self, namespace: str, size: int) -> Mask:
        """Entities that have a tag of a namespace."""
        wanted = [number for number, tag in enumerate(self._tags) if tag[0] == namespace]
        pairs = self._all_pairs()
        return _mask(pairs.entities[np.isin(pairs.tags, np.array(wanted, np.int64))], size)

    # -- counts

    def counts(self, among: Mask | None = None) -> dict[Tag, int]:
        """Tag -> number of entities that have it, the used ones, by tag."""
        pairs = self._all_pairs()
        tags = pairs.tags if among is None else pairs.tags[among[pairs.entities]]
        numbers = np.bincount(tags, minlength=len(self._tags))
        return {
            self._tags[i]: int(numbers[i]) for i in sorted(np.flatnonzero(numbers).tolist(), key=self._tag)
        }

    def category_counts(self, among: Mask | None = None, least: int = 1) -> dict[Category, int]:
        """Category -> number of entities with at least so many values of it; every category in use."""
        pairs = self._all_pairs()
        counting = pairs.n_values >= least
        if among is not None:
            counting = counting & among[pairs.category_entities]
        numbers = np.bincount(pairs.categories[counting], minlength=len(self._categories))
        used = set(np.unique(pairs.categories).tolist())
        return {name: int(numbers[i]) for name, i in sorted(self._categories.items()) if i in used}

    def _tag(self, number: int) -> Tag:
        return self._tags[number]

    def matching(self, namespace: str | None, category: str | None, value: str, *, exact: bool) -> list[Tag]:
        """Known tags of a value (compared without case and accents, or exactly), of a namespace and category
        where given."""
        wanted = folded(value)
        return [
            tag
            for tag in self._tags
            if (namespace is None or tag[0] == namespace)
            and (category is None or tag[1] == category)
            and (tag[2] == value if exact else folded(tag[2]) == wanted)
        ]

    @property
    def n_tags(self) -> int:
        """Distinct tags met so far."""
        return len(self._tags)


def _mask(entities: NDArray[np.int64], size: int) -> Mask:
    mask = np.zeros(size, np.bool_)
    mask[entities] = True
    return mask
