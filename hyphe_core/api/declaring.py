"""Methods that declare web entities: by one prefix or several, as LRUs or as URLs."""

from __future__ import annotations

from typing import Any

from hyphe_core.api.call import Call
from hyphe_core.api.entity_pages import show_entity
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, Declare, MethodGroup, Role
from hyphe_core.api.parameters import Flag, ListOf, Mapping, Parameter, Text
from hyphe_core.api.readings import read_start_pages, read_status, read_tags
from hyphe_core.api.schemas import WEB_ENTITY
from memory_structure.lru import parent_lrus
from memory_structure.prefixes import variations
from memory_structure.records import StartPage, WebEntityStatus

methods = MethodGroup("store")

_WISH = (
    Parameter("name", Text(max_chars=1000), None, "name; none makes one of the first prefix"),
    Parameter("status", Text(), None, "status; none is DISCOVERED"),
    Parameter("startpages", ListOf(Text(), or_one=True, skip_empty=True), (), "start pages, as URLs"),
    Parameter("lruVariations", Flag(), True, "also own the http, https and www variations that are free"),
    Parameter("tags", Mapping(), {}, "tags: namespace -> category -> value or list of values"),
)


def _declares(prefix: Parameter) -> Declare:
    return methods.method(
        prefix,
        *_WISH,
        CORPUS,
        result=WEB_ENTITY,
        returns="the entity, with created true",
        role=Role.CURATOR,
    )


@_declares(Parameter("url", Text(), doc="URL whose prefix the entity owns"))
def declare_webentity_by_lruprefix_as_url(call: Call, url: str, *wish: Any) -> JsonObject:
    """Create a web entity that owns the prefix of a URL."""
    return _declare(call, call.prefixes_of_urls([url]), *wish)


@_declares(Parameter("lru_prefix", Text(), doc="LRU prefix to own"))
def declare_webentity_by_lru(call: Call, lru: str, *wish: Any) -> JsonObject:
    """Create a web entity that owns an LRU prefix."""
    return _declare(call, call.prefixes_of_clients([lru]), *wish)


@_declares(Parameter("list_urls", ListOf(Text(), or_one=True), doc="URLs whose prefixes the entity owns"))
def declare_webentity_by_lrus_as_urls(call: Call, urls: list[str], *wish: Any) -> JsonObject:
    """Create a web entity that owns the prefixes of several URLs."""
    return _declare(call, call.prefixes_of_urls(urls), *wish)


@_declares(Parameter("list_lrus", ListOf(Text(), or_one=True), doc="LRU prefixes to own"))
def declare_webentity_by_lrus(call: Call, lrus: list[str], *wish: Any) -> JsonObject:
    """Create a web entity that owns several LRU prefixes."""
    return _declare(call, call.prefixes_of_clients(lrus), *wish)


def _declare(
    call: Call,
    prefixes: list[str],
    name: str | None,
    status: str | None,
    startpages: list[str],
    vary: bool,
    tags: JsonObject,
) -> JsonObject:
    if not prefixes:
        raise Refusal("no prefix was given")
    owned = _with_free_variations(call, prefixes) if vary else prefixes
    entity = call.structure.declare_web_entity(
        owned,
        name=(name or "").strip() or None,
        status=read_status(status) if status else WebEntityStatus.DISCOVERED,
        start_pages=_start_pages(call, startpages, owned),
        tags=read_tags(tags),
    )
    return show_entity(call, entity, created=True)


def _with_free_variations(call: Call, prefixes: list[str]) -> list[str]:
    """The prefixes, which must be free themselves, and those of their variations that nobody owns."""
    varied = [v for prefix in prefixes for v in variations(prefix, call.policy)]
    given = set(prefixes)
    others = [v for v in dict.fromkeys(varied) if v not in given]
    owned = call.structure.prefix_owners(others)
    return [*prefixes, *(v for v in others if v not in owned)]


def _start_pages(call: Call, urls: list[str], prefixes: list[str]) -> list[StartPage]:
    pages = read_start_pages(call, urls)
    owned = frozenset(prefixes)
    for page in pages:
        lru = call.lru_of_url(page.url)
        if owned.isdisjoint((lru, *parent_lrus(lru))):
            raise Refusal(f"start page {page.url} does not lie under a prefix of this web entity")
    return pages
