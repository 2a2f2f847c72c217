"""Filters and orders of listings of web entities. Pure: entities in, entities out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hyphe_core.api.failures import Refusal
from hyphe_core.api.views import is_crawled
from memory_structure.lru import lru_to_url
from memory_structure.records import Degrees, Job, WebEntity

_NO_DEGREES = Degrees(0, 0, 0)
_RANKED = {"indegree": 0, "outdegree": 1, "undirected_degree": 2}


@dataclass(frozen=True, slots=True)
class Facts:
    """What filters and orders look at beside the entities: degrees, latest jobs, weights of a listing of
    neighbours."""

    degrees: Mapping[int, Degrees]
    jobs: Mapping[int, Job]
    weights: Mapping[int, int]


Key = Callable[[WebEntity, Facts], "str | float"]

_KEYS: dict[str, Key] = {
    "id": lambda e, f: e.web_entity_id,
    "_id": lambda e, f: e.web_entity_id,
    "name": lambda e, f: e.name.casefold(),
    "status": lambda e, f: e.status.value,
    "homepage": lambda e, f: (e.homepage or "").casefold(),
    "creation_date": lambda e, f: e.created_at.timestamp(),
    "last_modification_date": lambda e, f: e.modified_at.timestamp(),
    "pages_total": lambda e, f: e.n_pages,
    "pages_crawled": lambda e, f: e.n_pages_fetched,
    "crawled": lambda e, f: is_crawled(f.jobs.get(e.web_entity_id)),
    "weight": lambda e, f: f.weights.get(e.web_entity_id, 0),
    "indegree": lambda e, f: f.degrees.get(e.web_entity_id, _NO_DEGREES)[0],
    "outdegree": lambda e, f: f.degrees.get(e.web_entity_id, _NO_DEGREES)[1],
    "undirected_degree": lambda e, f: f.degrees.get(e.web_entity_id, _NO_DEGREES)[2],
}
_TEXT_FIELDS: dict[str, Callable[[WebEntity], Iterable[str]]] = {
    "name": lambda e: [e.name],
    "prefixes": lambda e: _prefix_texts(e),
    "startpages": lambda e: [page.url for page in e.start_pages],
    "homepage": lambda e: [e.homepage or ""],
    "tags": lambda e: [value for _, _, value in e.tags],
    "note": lambda e: [e.note],
}


def sorted_entities(entities: Iterable[WebEntity], sort: object, facts: Facts) -> list[WebEntity]:
    """Entities by a field or a list of fields, falling where it begins with a minus; by name when none is
    given, then by id."""
    ordered = sorted(entities, key=lambda entity: entity.web_entity_id)
    for field in reversed(_sort_fields(sort)):
        falling, name = field.startswith("-"), field.lstrip("-")
        key = _KEYS.get(_snake(name))
        if key is None:
            raise Refusal(f"there is no order by {name[:100]!r}; there are {', '.join(sorted(_KEYS))}")
        ordered.sort(key=lambda entity, key=key: key(entity, facts), reverse=falling)  # type: ignore[misc]  # bound per turn
    return ordered


def _sort_fields(sort: object) -> list[str]:
    given = sort if isinstance(sort, list) else [sort]
    fields = [field for field in given if field]
    if not all(isinstance(field, str) for field in fields):
        raise Refusal("sort must be the name of a field or a list of such names")
    return [str(field) for field in fields] or ["name"]


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def matching_words(entities: Iterable[WebEntity], words: Sequence[str]) -> list[WebEntity]:
    """Entities that hold every word, each in the name, a prefix (as LRU or URL), a start page or the
    homepage,
    in any case."""
    wanted = [word.casefold() for text in words for word in text.split()]
    # Prefixes are made into URLs only for words that could not stand in an LRU: it takes long.
    as_urls = any(mark in word for word in wanted for mark in "./:")
    return [entity for entity in entities if _holds_all(entity, wanted, as_urls)]


def _holds_all(entity: WebEntity, words: list[str], as_urls: bool) -> bool:
    texts = [entity.name, *entity.prefixes, *(page.url for page in entity.start_pages), entity.homepage or ""]
    if as_urls:
        texts += [lru_to_url(prefix) for prefix in entity.prefixes]
    joined = "\n".join(texts).casefold()
    return all(word in joined for word in words)


def _prefix_texts(entity: WebEntity) -> list[str]:
    return [text for prefix in entity.prefixes for text in (prefix, lru_to_url(prefix))]


def matching_fields(entities: Iterable[WebEntity], filters: object, facts: Facts) -> list[WebEntity]:
    """Entities that pass every [field, value]: any of the words of a text; degrees and counts as a number or
    [least, most]."""
    kept = list(entities)
    for name, value in _filters(filters):
        passes = _filter(_snake(name), value, facts)
        kept = [entity for entity in kept if passes(entity)]
    return kept


def _filters(filters: object) -> list[tuple[str, object]]:
    if not isinstance(filters, list):
        raise Refusal("fieldKeywords must be a list of [field, value] pairs")
    if len(filters) == 2 and isinstance(filters[0], str):
        filters = [filters]
    pairs: list[tuple[str, object]] = []
    for pair in filters:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise Refusal("fieldKeywords must be a list of [field, value] pairs")
        pairs.append((pair[0], pair[1]))
    return pairs


def _filter(name: str, value: object, facts: Facts) -> Callable[[WebEntity], bool]:
    if name == "status":
        statuses = frozenset(str(value).upper().replace(",", " ").split())
        return lambda entity: entity.status.value in statuses
    if name in _TEXT_FIELDS:
        words = [word.casefold() for word in str(value).split()]
        texts = _TEXT_FIELDS[name]
        return lambda entity: any(word in text.casefold() for word in words for text in texts(entity))
    if name in _RANKED or name in ("id", "pages_total", "pages_crawled"):
        least, most = _bounds(name, value)
        key = _KEYS[name]
        return lambda entity: least <= float(key(entity, facts)) <= most
    raise Refusal(
        f"there is no filter on {name[:100]!r}; there are status, {', '.join([*_TEXT_FIELDS, *_RANKED])}"
    )


def _bounds(name: str, value: object) -> tuple[float, float]:
    bounds = value if isinstance(value, list) else [value, value]
    try:
        least, most = (float(str(bound)) for bound in bounds)
    except ValueError:
        raise Refusal(f"the filter on {name} takes a number or [least, most]") from None
    return least, most
