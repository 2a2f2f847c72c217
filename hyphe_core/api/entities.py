"""Methods that find and list web entities."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.entity_pages import entities_of_ids, show_entity
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup
from hyphe_core.api.parameters import Anything, Choice, Flag, Integer, ListOf, Parameter, Text
from hyphe_core.api.schemas import (
    WEB_ENTITIES,
    WEB_ENTITY,
)
from memory_structure.lru import entity_prefix
from memory_structure.records import WebEntity, WebEntityStatus

methods = MethodGroup("store")

ENTITY_ID = Parameter("webentity_id", Integer(1), doc="id of the web entity")
ENTITY_IDS = Parameter("webentity_ids", ListOf(Integer(1), or_one=True), doc="ids of web entities")
STATUS = Choice(WebEntityStatus)
COUNT = Parameter("count", Integer(-1, 1_000_000), 100, "entities a page; -1 gives them all in a plain list")
PAGE = Parameter("page", Integer(0), 0, "page, counted from 0")
SORT = Parameter(
    "sort", Anything(), None, "a field or a list of fields, each falling when it begins with a minus"
)
LIGHT = Parameter("light", Flag(), False, "only identity, prefixes and degrees")
SEMILIGHT = Parameter("semilight", Flag(), True, "leave out start pages and tags that are not the user's")


# -- finding one ------------------------------------------------------------------------------------------


@methods.method(
    ENTITY_ID,
    CORPUS,
    result=WEB_ENTITIES,
    returns="a list with the entity; empty when there is none of that id",
)
def get_webentity(call: Call, web_entity_id: int) -> list[JsonObject]:
    """Give one web entity in full."""
    return [show_entity(call, entity) for entity in entities_of_ids(call.structure, [web_entity_id])]


@methods.method(
    Parameter("lru_prefix", Text(), doc="an LRU prefix"), CORPUS, result=WEB_ENTITY, returns="the entity"
)
def get_webentity_by_lruprefix(call: Call, lru: str) -> JsonObject:
    """Give the web entity that owns exactly this prefix."""
    return _by_prefix(call, entity_prefix(call.lru_of_client(lru)))


@methods.method(Parameter("url", Text(), doc="a URL"), CORPUS, result=WEB_ENTITY, returns="the entity")
def get_webentity_by_lruprefix_as_url(call: Call, url: str) -> JsonObject:
    """Give the web entity that owns exactly the prefix of this URL."""
    return _by_prefix(call, entity_prefix(call.lru_of_url(url)))


def _by_prefix(call: Call, prefix: str) -> JsonObject:
    entity = call.structure.find_web_entity_by_prefix(prefix)
    if entity is None:
        raise Refusal(f"no web entity owns the prefix {prefix}")
    return show_entity(call, entity)


@methods.method(Parameter("url", Text(), doc="a URL"), CORPUS, result=WEB_ENTITY, returns="the entity")
def get_webentity_for_url(call: Call, url: str) -> JsonObject:
    """Give the web entity to which a URL belongs, whether its page is known or not."""
    return _owner(call, call.lru_of_url(url), url)


@methods.method(Parameter("lru", Text(), doc="an LRU"), CORPUS, result=WEB_ENTITY, returns="the entity")
def get_webentity_for_url_as_lru(call: Call, lru: str) -> JsonObject:
    """Give the web entity to which an LRU belongs, whether its page is known or not."""
    return _owner(call, call.lru_of_client(lru), lru)


def _owner(call: Call, lru: str, asked_for: str) -> JsonObject:
    entity: WebEntity | None = call.structure.find_owner(lru)
    if entity is None:
        raise Refusal(f"no web entity holds {asked_for}")
    return show_entity(call, entity)
