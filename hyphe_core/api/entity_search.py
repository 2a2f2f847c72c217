"""What clients send to search and sort web entities, read into filters and orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hyphe_core.api.entity_catalogue.catalogue import ORDERS
from hyphe_core.api.entity_catalogue.columns import TEXT_FIELDS
from hyphe_core.api.entity_catalogue.filters import (
    ADDRESS_FIELDS,
    MOST_WORDS,
    RANGED,
    AnyWord,
    Bounds,
    Filters,
)
from hyphe_core.api.failures import Refusal
from hyphe_core.errors import nearest_name
from memory_structure.records import WebEntityStatus

# Only neighbours have weights; they are sorted where they are listed.
_SPELLINGS = {"_id": "id", "weight": "id"}
_MICROS = 1000.0
_DATES = ("creation_date", "last_modification_date")


def read_sort(sort: object, default: Sequence[str] = ("name",)) -> tuple[str, ...]:
    """The fields of a sort: one or a list, each falling when it begins with a minus."""
    given = sort if isinstance(sort, list) else [sort]
    fields = [field for field in given if field]
    if not all(isinstance(field, str) for field in fields):
        raise Refusal("sort must be the name of a field or a list of such names")
    orders: dict[str, str] = {}
    for order in (_read_order(str(field)) for field in fields):
        orders.setdefault(order.lstrip("-"), order)  # once sorted by a field, it orders nothing more
    return tuple(orders.values()) or tuple(default)


def _read_order(field: str) -> str:
    falling, name = field.startswith("-"), snake(field.lstrip("-"))
    name = _SPELLINGS.get(name, name)
    if name not in ORDERS:
        near = nearest_name(name, ORDERS, f"there are {', '.join(ORDERS)}")
        raise Refusal(f"there is no order by {name[:100]!r}{near}")
    return f"-{name}" if falling else name


def snake(name: str) -> str:
    """Names of fields come in both spellings: pagesTotal, pages_total."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def with_words(filters: Filters, words: Sequence[str]) -> Filters:
    """Also each of the words in name, prefixes (as LRU or URL), start pages or homepage."""
    return replace(filters, texts=tuple(" ".join(words).split()), text_fields=ADDRESS_FIELDS)


def with_fields(filters: Filters, fields: object) -> Filters:
    """Also every [field, value]: one of the words of a text; figures as a number or [least, most]; a
    status, or several parted by blanks; crawled as true or false."""
    for name, value in _pairs(fields):
        filters = _with_field(filters, snake(name), value)
    return filters


def _pairs(fields: object) -> list[tuple[str, object]]:
    if not isinstance(fields, list):
        raise Refusal("fieldKeywords must be a list of [field, value] pairs")
    if len(fields) > MOST_WORDS:
        raise Refusal(f"fieldKeywords takes at most {MOST_WORDS} pairs, not {len(fields)}")
    if len(fields) == 2 and isinstance(fields[0], str):
        fields = [fields]
    pairs: list[tuple[str, object]] = []
    for pair in fields:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise Refusal("fieldKeywords must be a list of [field, value] pairs")
        pairs.append((pair[0], pair[1]))
    return pairs


def _with_field(filters: Filters, name: str, value: object) -> Filters:
    if name == "status":
        found = read_statuses(str(value).replace(",", " ").split())
        both = filters.statuses & found if filters.statuses else found
        return replace(filters, statuses=both) if both else replace(filters, ids=())
    if name == "crawled":
        return replace(filters, crawled=read_flag(name, value))
    if name in TEXT_FIELDS:
        return replace(filters, any_words=(*filters.any_words, AnyWord(name, tuple(str(value).split()))))
    if name in RANGED:
        return replace(filters, bounds=(*filters.bounds, read_bounds(name, value)))
    known = ("status", "crawled", *TEXT_FIELDS, *RANGED)
    near = nearest_name(name, known, f"there are {', '.join(known)}")
    raise Refusal(f"there is no filter on {name[:100]!r}{near}")


def read_statuses(names: Sequence[str]) -> frozenset[WebEntityStatus]:
    """Statuses in any case; unknown ones are refused."""
    try:
        return frozenset(WebEntityStatus(name.upper()) for name in names)
    except ValueError:
        raise Refusal(f"a status must be one of {', '.join(WebEntityStatus)}") from None


def read_flag(name: str, value: object) -> bool:
    """True or false, also as clients write it in a text."""
    if isinstance(value, bool):
        return value
    text = str(value).lower()
    if text not in ("true", "false"):
        raise Refusal(f"the filter on {name} takes true or false")
    return text == "true"


def read_bounds(name: str, value: object) -> Bounds:
    """A number or [least, most], either of which may be null; dates in milliseconds since 1970."""
    bounds = value if isinstance(value, list) else [value, value]
    if len(bounds) != 2:
        raise Refusal(f"the filter on {name} takes a number or [least, most]")
    try:
        least, most = (
            _bound(bound, open_end) for bound, open_end in zip(bounds, ("-inf", "inf"), strict=True)
        )
    except ValueError:
        raise Refusal(f"the filter on {name} takes a number or [least, most]") from None
    if not least <= most:
        raise Refusal(f"the filter on {name} takes [least, most]: {least:g} is not at most {most:g}")
    scale = _MICROS if name in _DATES else 1.0
    # A millisecond holds a thousand of the microseconds that are stored.
    return Bounds(name, least * scale, most * scale + (scale - 1))


def _bound(value: object, open_end: str) -> float:
    return float(open_end if value is None else str(value))
