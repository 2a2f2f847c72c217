"""Counts of web entities by status and tags, and what is missing or too much among their tags."""

from __future__ import annotations

import numpy as np

from hyphe_core.api.entity_catalogue.catalogue import Catalogue
from hyphe_core.api.entity_catalogue.columns import STATUSES, Mask
from hyphe_core.api.entity_catalogue.filters import user_categories
from hyphe_core.api.entity_catalogue.tags import Category
from hyphe_core.api.json_values import JsonObject
from memory_structure.words import folded


def facets_of(catalogue: Catalogue, among: Mask) -> JsonObject:
    """Numbers of entities by status, crawl, namespace, category and value, and without any value of each
    category."""
    columns = catalogue.columns
    total = int(np.count_nonzero(among))
    by_status = np.bincount(columns.statuses[among], minlength=len(STATUSES))
    n_crawled = int(np.count_nonzero(among & catalogue.figures.crawled[: columns.size]))
    return {
        "total": total,
        "status": {status.value: int(n) for status, n in zip(STATUSES, by_status, strict=True)},
        "crawled": {"true": n_crawled, "false": total - n_crawled},
        "tags": _tag_facets(catalogue, among, total),
    }


def _tag_facets(catalogue: Catalogue, among: Mask, total: int) -> JsonObject:
    tags = catalogue.columns.tags
    values: dict[Category, dict[str, int]] = {}
    for (namespace, category, value), n in tags.counts(among).items():
        values.setdefault((namespace, category), {})[value] = n
    found: dict[str, dict[str, JsonObject]] = {}
    for (namespace, category), n in tags.category_counts(among).items():
        facet: JsonObject = {
            "values": values.get((namespace, category), {}),
            "with_value": n,
            "without_value": total - n,
        }
        found.setdefault(namespace, {})[category] = facet
    return dict(found)


def gaps_of(catalogue: Catalogue, among: Mask) -> list[JsonObject]:
    """For each of the user's categories in use: entities without a value of it, and with several, which are
    conflicts where one is meant. Free keywords are no category in this."""
    tags, total = catalogue.columns.tags, int(np.count_nonzero(among))
    some, several = tags.category_counts(among), tags.category_counts(among, least=2)
    return [
        {
            "namespace": category[0],
            "category": category[1],
            "without_value": total - some[category],
            "with_one_value": some[category] - several[category],
            "with_several_values": several[category],
        }
        for category in user_categories(catalogue)
    ]


def completions(
    catalogue: Catalogue, prefix: str, namespace: str | None, category: str | None, count: int
) -> list[JsonObject]:
    """Tags whose value begins with a text, without case and accents, the most used first; then those that
    have a later word that does."""
    wanted = folded(prefix)
    ranked = []
    for tag, n in catalogue.columns.tags.counts().items():
        if (namespace is not None and tag[0] != namespace) or (category is not None and tag[1] != category):
            continue
        value = folded(tag[2])
        if value.startswith(wanted):
            ranked.append((0, -n, tag))
        elif f" {wanted}" in value:
            ranked.append((1, -n, tag))
    return [
        {"namespace": tag[0], "category": tag[1], "value": tag[2], "count": -n}
        for _, n, tag in sorted(ranked)[:count]
    ]
