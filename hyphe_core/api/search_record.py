"""The record of `store.search`: every filter on web entities in one object, read into filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hyphe_core.api.entity_catalogue.columns import TEXT_FIELDS
from hyphe_core.api.entity_catalogue.filters import USER, AnyWord, Filters
from hyphe_core.api.entity_catalogue.tags import Category, Tag
from hyphe_core.api.entity_search import read_bounds, read_flag, read_statuses
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.errors import nearest_name
from memory_structure.words import words_of

_MAX_IDS: Final = 1_000_000
_MAX_TAGS: Final = 1_000
_Read = Callable[[Filters, str, object], Filters]

RECORD_DOC: Final = (
    "all that must hold: status (one or a list); words (whole words, anywhere in an entity); text (also parts"
    " of words, in names, addresses, tags and notes); name (exact); fields (field -> words, one of which it"
    " holds); tags (a list of {namespace, category, value}: one value or a list, of which one must be there);"
    " having, missing, conflicting (a list of {namespace, category}); untagged, crawled (true or false);"
    " indegree, outdegree, undirected_degree, citing_in, pages_total, pages_crawled, creation_date,"
    " last_modification_date (a number or [least, most], null for no limit); ids"
)


def read_record(record: JsonObject) -> Filters:
    """The filters of a record. Unknown members and unfit values are refused."""
    filters = Filters()
    for name, value in record.items():
        read = _READERS.get(name)
        if read is None:
            near = nearest_name(name, _READERS)
            raise Refusal(f"there is no filter {name[:100]!r}{near}")
        if value is not None:
            filters = read(filters, name, value)
    return filters


def _texts(name: str, value: object) -> list[str]:
    given = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in given):
        raise Refusal(f"the filter {name} takes a text or a list of texts")
    return [str(text) for text in given]


def _status(filters: Filters, name: str, value: object) -> Filters:
    return replace(filters, statuses=read_statuses(_texts(name, value)))


def _words(filters: Filters, name: str, value: object) -> Filters:
    texts = _texts(name, value)
    for text in texts:
        if text.strip() and not words_of(text):
            raise Refusal(
                f"there is no word in {text.strip()[:100]!r}; parts of words and signs are found by text"
            )
    return replace(filters, words=tuple(texts))


def _text(filters: Filters, name: str, value: object) -> Filters:
    return replace(filters, texts=tuple(" ".join(_texts(name, value)).split()))


def _name(filters: Filters, name: str, value: object) -> Filters:
    if not isinstance(value, str):
        raise Refusal("the filter name takes a text")
    return replace(filters, name=value)


def _fields(filters: Filters, name: str, value: object) -> Filters:
    if not isinstance(value, dict) or not set(value).issubset(TEXT_FIELDS):
        raise Refusal(f"the filter fields takes an object whose members are among {', '.join(TEXT_FIELDS)}")
    groups = (AnyWord(field, tuple(" ".join(_texts(field, text)).split())) for field, text in value.items())
    return replace(filters, any_words=tuple(groups))


def _tags(filters: Filters, name: str, value: object) -> Filters:
    return replace(filters, tags=tuple(_tag_group(member) for member in _members(name, value)))


def _tag_group(member: JsonObject) -> tuple[Tag, ...]:
    namespace, category = read_category(member)
    return tuple((namespace, category, text) for text in _texts("tags", member.get("value")))


def _members(name: str, value: object) -> list[JsonObject]:
    given = value if isinstance(value, list) else [value]
    if len(given) > _MAX_TAGS:
        raise Refusal(f"the filter {name} takes at most {_MAX_TAGS} members, not {len(given)}")
    members: list[JsonObject] = []
    for member in given:
        if isinstance(member, str):
            members.append({"category": member})
        elif isinstance(member, dict):
            members.append(member)
        else:
            raise Refusal(f"the filter {name} takes a list of objects with namespace and category")
    return members


def read_category(member: JsonObject) -> Category:
    """A category by name; its namespace is the user's when left out."""
    namespace, category = member.get("namespace", USER), member.get("category")
    if not isinstance(namespace, str) or not isinstance(category, str):
        raise Refusal("a category is named by the texts namespace and category")
    return namespace, category


def _categories(filters: Filters, name: str, value: object) -> Filters:
    found = tuple(read_category(member) for member in _members(name, value))
    if name == "having":
        return replace(filters, with_categories=found)
    if name == "missing":
        return replace(filters, without_categories=found)
    return replace(filters, conflicts=found)


def _flag(filters: Filters, name: str, value: object) -> Filters:
    flag = read_flag(name, value)
    return replace(filters, crawled=flag) if name == "crawled" else replace(filters, untagged=flag)


def _bounds(filters: Filters, name: str, value: object) -> Filters:
    return replace(filters, bounds=(*filters.bounds, read_bounds(name, value)))


def _ids(filters: Filters, name: str, value: object) -> Filters:
    given = value if isinstance(value, list) else [value]
    if len(given) > _MAX_IDS or not all(isinstance(i, int) and not isinstance(i, bool) for i in given):
        raise Refusal("the filter ids takes a list of ids")
    return replace(filters, ids=tuple(int(str(i)) for i in given))


_READERS: Final[dict[str, _Read]] = {
    "status": _status,
    "words": _words,
    "text": _text,
    "name": _name,
    "fields": _fields,
    "tags": _tags,
    **dict.fromkeys(("having", "missing", "conflicting"), _categories),
    **dict.fromkeys(("untagged", "crawled"), _flag),
    **dict.fromkeys(
        (
            "indegree", "outdegree", "undirected_degree", "citing_in", "pages_total", "pages_crawled",
            "creation_date", "last_modification_date",
        ),
        _bounds,
    ),
    "ids": _ids,
}  # fmt: skip
