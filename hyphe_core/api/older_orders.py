"""Calls by position as scripts of earlier versions of Hyphe send them. Over the years parameters were added
before the corpus, which goes last: such a call names its corpus where another parameter stands today.

A call is first read in today's order; only one that does not fit is read in an older one. `crawl.start`
alone fits by accident: its corpus would be the cookies, which do not look like an id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hyphe_core.api.json_values import JsonObject

_ID: Final = re.compile(r"[\w-]+")
_GONE: Final = ""  # a flag that earlier versions took and that changes nothing any more


@dataclass(frozen=True, slots=True)
class OlderOrder:
    """The names, in today's words, of what a method took at some time; `method` is what does it today."""

    method: str
    names: tuple[str, ...]

    def read(self, params: Sequence[object]) -> JsonObject | None:
        """The parameters by name; None when this is not their order: the corpus must come last, as a text."""
        if len(params) > len(self.names):
            return None
        if self.names[-1] == "corpus" and not (len(params) == len(self.names) and _is_id(params[-1])):
            return None
        named = dict(zip(self.names, params, strict=False))
        return named if isinstance(named.pop(_GONE, False), bool) else None


def _is_id(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _declaring(method: str, prefix: str) -> tuple[OlderOrder, ...]:
    return (OlderOrder(method, (prefix, "name", "status", "startpages", "lruVariations", "corpus")),)


_CRAWL = ("webentity_id", "depth", "phantom_crawl", "status")
_START = ("webentity_id", "starts", "follow_prefixes", "nofollow_prefixes", "follow_redirects", "depth")

_ORDERS: Final[dict[str, tuple[OlderOrder, ...]]] = {
    "store.declare_webentity_by_lruprefix_as_url": _declaring(
        "store.declare_webentity_by_lruprefix_as_url", "url"
    ),
    "store.declare_webentity_by_lru": _declaring("store.declare_webentity_by_lru", "lru_prefix"),
    "store.declare_webentity_by_lrus_as_urls": _declaring(
        "store.declare_webentity_by_lrus_as_urls", "list_urls"
    ),
    "store.declare_webentity_by_lrus": _declaring("store.declare_webentity_by_lrus", "list_lrus"),
    "store.get_webentities": (
        OlderOrder(
            "store.get_webentities",
            ("list_ids", "light", "semilight", "sort", "count", "page", "light_for_csv"),
        ),
    ),
    "crawl_webentity": (
        OlderOrder("crawl_webentity", (*_CRAWL, "phantom_timeouts", "corpus")),
        OlderOrder(
            "crawl_webentity_with_startmode", (*_CRAWL, "startmode", "phantom_timeouts", "corpus")
        ),
        OlderOrder("crawl_webentity", ("webentity_id", "depth", _GONE, _GONE)),
        OlderOrder(
            "crawl_webentity",
            (*_CRAWL, "proxy", "cookies_string", "phantom_timeouts", "webarchives", "corpus"),
        ),
    ),
    "crawl_webentity_with_startmode": (
        OlderOrder(
            "crawl_webentity_with_startmode", (*_CRAWL, "startmode", "phantom_timeouts", "corpus")
        ),
        OlderOrder(
            "crawl_webentity_with_startmode",
            (*_CRAWL, "startmode", "cookies_string", "phantom_timeouts", "corpus"),
        ),
        OlderOrder(
            "crawl_webentity_with_startmode",
            (*_CRAWL, "startmode", "proxy", "phantom_timeouts", "webarchives", "corpus"),
        ),
    ),
    "crawl.start": (
        OlderOrder(
            "crawl.start",
            (*_START, "phantom_crawl", "phantom_timeouts", "download_delay", "cookies_string", "corpus"),
        ),
    ),
}  # fmt: skip


def iter_older_readings(name: str, params: object) -> Iterator[tuple[str, JsonObject]]:
    """(method, parameters by name) of a call by position in each older order that it may have."""
    if not isinstance(params, list):
        return
    for order in _ORDERS.get(name, ()):
        named = order.read(params)
        if named is not None:
            yield order.method, named


def is_surely_older(name: str, params: object) -> bool:
    """Whether a call that fits today's order is nevertheless meant in an older one."""
    readings = iter_older_readings(name, params) if name == "crawl.start" else ()
    return any(_ID.fullmatch(str(named["corpus"])) for _, named in readings)


__all__ = ["is_surely_older", "iter_older_readings"]
