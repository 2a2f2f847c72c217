"""Methods that find and list web entities."""

from __future__ import annotations

from collections import Counter

from hyphe_core.api.call import Call
from hyphe_core.api.entity_pages import (
    answer_listing,
    answer_next_page,
    entities_of_ids,
    facts_of,
    level_of,
    show_entities,
    show_entity,
)
from hyphe_core.api.entity_search import matching_fields, matching_words, sorted_entities
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup
from hyphe_core.api.parameters import Anything, Choice, Flag, Integer, ListOf, Parameter, Text
from hyphe_core.api.schemas import (
    ANYTHING,
    COUNTS,
    INTEGER,
    LISTING,
    WEB_ENTITIES,
    WEB_ENTITIES_PAGE,
    WEB_ENTITY,
    either,
    list_of,
    record,
)
from hyphe_core.clock import now, to_milliseconds
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


# -- listing ----------------------------------------------------------------------------------------------


@methods.method(
    Parameter("list_ids", ListOf(Integer(1), or_one=True), (), "ids; empty for all"),
    SORT,
    COUNT,
    PAGE,
    LIGHT,
    Parameter("semilight", Flag(), False, SEMILIGHT.doc),
    Parameter("light_for_csv", Flag(), False, "texts joined by bars, for tables"),
    CORPUS,
    result=LISTING,
    returns="a page of entities; a plain list when ids are given or count is -1",
)
def get_webentities(
    call: Call, ids: list[int], sort: object, count: int, page: int, light: bool, semilight: bool, csv: bool
) -> object:
    """List web entities, all or by id."""
    level = level_of(light, semilight, csv)
    if ids:
        found = entities_of_ids(call.structure, ids)
        return show_entities(call, sorted_entities(found, sort, facts_of(call)) if sort else found, level)
    return answer_listing(
        call, sorted_entities(call.view.all_entities(), sort, facts_of(call)), count, page, level
    )


@methods.method(
    Parameter("status", STATUS, doc="a status"),
    SORT,
    COUNT,
    PAGE,
    LIGHT,
    SEMILIGHT,
    CORPUS,
    result=LISTING,
    returns="a page of entities; a plain list when count is -1",
)
def get_webentities_by_status(
    call: Call, status: WebEntityStatus, sort: object, count: int, page: int, light: bool, semilight: bool
) -> object:
    """List the web entities of a status."""
    found = [entity for entity in call.view.all_entities() if entity.status is status]
    return answer_listing(
        call, sorted_entities(found, sort, facts_of(call)), count, page, level_of(light, semilight)
    )


@methods.method(
    Parameter("allFieldsKeywords", ListOf(Text(), or_one=True), (), "words, all of which must be found"),
    Parameter("fieldKeywords", Anything(), [], "[field, value] pairs, all of which must hold"),
    SORT,
    COUNT,
    PAGE,
    LIGHT,
    SEMILIGHT,
    CORPUS,
    result=LISTING,
    returns="a page of entities; a plain list when count is -1",
)
def search_webentities(
    call: Call,
    words: list[str],
    fields: object,
    sort: object,
    count: int,
    page: int,
    light: bool,
    semilight: bool,
) -> object:
    """List the web entities that hold words in name, prefixes, start pages or homepage, and whose fields
    match."""
    facts = facts_of(call)
    found = matching_fields(matching_words(call.view.all_entities(), words), fields or [], facts)
    return answer_listing(call, sorted_entities(found, sort, facts), count, page, level_of(light, semilight))


@methods.method(
    Parameter("pagination_token", Text(), doc="token of a first page"),
    Parameter("n_page", Integer(0), doc="page, counted from 0"),
    Parameter("idNamesOnly", Flag(), False, "answer [id, name] pairs alone"),
    CORPUS,
    result=either(WEB_ENTITIES_PAGE, list_of(list_of(ANYTHING))),
    returns="a page of entities, or [[id, name]]",
)
def get_webentities_page(call: Call, token: str, page: int, names_only: bool) -> object:
    """Give a further page of a listing: the ids are those of when it was first asked for."""
    return answer_next_page(call, token, page, names_only)


@methods.method(
    Parameter("pagination_token", Text(), doc="token of a first page"),
    CORPUS,
    result=COUNTS,
    returns="an object: indegree -> number of entities",
)
def get_webentities_ranking_stats(call: Call, token: str) -> JsonObject:
    """Count the entities of a listing by indegree."""
    listing = call.service.listings.find(call.corpus.corpus_id, token)
    if listing is None:
        raise Refusal("this pagination token is unknown or too old: ask for the first page again")
    degrees = call.view.degrees()
    counts = Counter(degrees[i].indegree if i in degrees else 0 for i in listing.ids)
    return {str(indegree): n for indegree, n in sorted(counts.items())}


_STATISTICS = (
    "timestamp", "total", "in", "in_untagged", "in_uncrawled", "out", "undecided", "discovered",
)  # fmt: skip


@methods.method(
    CORPUS,
    result=list_of(record(dict.fromkeys(_STATISTICS, INTEGER))),
    returns="a list of points in time, oldest first",
)
def get_webentities_stats(call: Call) -> list[JsonObject]:
    """Give the numbers of entities by status over time; so far one point, the present."""
    counters, entities = call.structure.counters(), call.view.entities()
    return [
        {
            "timestamp": to_milliseconds(now()),
            "total": counters.n_web_entities,
            "in": counters.n_in,
            "in_untagged": entities.n_in_untagged,
            "in_uncrawled": entities.n_in_uncrawled,
            "out": counters.n_out,
            "undecided": counters.n_undecided,
            "discovered": counters.n_discovered,
        }
    ]
