"""What clients send about web entities, read into our values: statuses, tags, start pages, ids of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hyphe_core.api.call import Call
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.parameters import Text
from memory_structure.lru import lru_to_url
from memory_structure.records import StartPage, Tag, WebEntityStatus


def read_status(status: str) -> WebEntityStatus:
    """The status of that name. Refuses others with the list of names."""
    try:
        return WebEntityStatus(status.strip().upper())
    except ValueError:
        raise Refusal(
            f"status must be one of {', '.join(WebEntityStatus)}; {status[:40]!r} is none"
        ) from None


def read_tags(tags: JsonObject) -> list[Tag]:
    """Tags as clients send them, namespace -> category -> value or list, as sorted triples."""
    triples: set[Tag] = set()
    for namespace, categories in tags.items():
        if not isinstance(categories, dict):
            raise Refusal("tags must be an object: namespace -> category -> value or list of values")
        triples.update(read_categories(namespace, categories))
    return sorted(triples)


def read_categories(namespace: str, categories: JsonObject) -> list[Tag]:
    """The tags of one namespace, category -> value or list; nulls and empty texts are passed over."""
    tags = []
    for category, values in categories.items():
        listed = values if isinstance(values, list) else [values]
        tags += [(namespace, category, _tag_value(v)) for v in listed if v not in (None, "")]
    return tags


def _tag_value(value: object) -> str:
    try:
        return Text().read(value)
    except ValueError as error:
        raise Refusal(f"the value of a tag {error}") from None


def read_start_pages(call: Call, urls: Iterable[str]) -> list[StartPage]:
    """Start pages of URLs as people type them."""
    return [StartPage(lru_to_url(call.lru_of_url(url)), "user") for url in urls]


def known_ids(call: Call, web_entity_ids: Sequence[int]) -> tuple[list[int], list[str]]:
    """The ids among those that are web entities, each once, and what to say of each of the others."""
    asked = list(dict.fromkeys(web_entity_ids))
    present = {row.web_entity_id for row in call.structure.iter_entity_rows(asked)}
    known = [i for i in asked if i in present]
    return known, [f"there is no web entity {i}" for i in asked if i not in present]
