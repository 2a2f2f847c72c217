"""How web entities are shown: at which level, one by one, in lists, and page by page."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from hyphe_core.api.call import Call
from hyphe_core.api.entity_search import Facts
from hyphe_core.api.failures import Refusal
from hyphe_core.api.homepages import homepage_of
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.listings import Listing
from hyphe_core.api.wire import (
    NO_DEGREES,
    Level,
    csv_entity,
    full_entity,
    job_statuses,
    light_entity,
    semilight_entity,
)
from memory_structure.errors import NotFound
from memory_structure.records import WebEntity
from memory_structure.structure import MemoryStructure

ALL = -1


def level_of(light: bool, semilight: bool, csv: bool = False) -> Level:
    """The level that the flags of a call ask for: the least of those set."""
    if csv:
        return Level.CSV
    if light:
        return Level.LIGHT
    return Level.SEMILIGHT if semilight else Level.FULL


def show_entity(call: Call, entity: WebEntity, **more: object) -> JsonObject:
    """One entity in full, with further keys such as `created`."""
    return show_entities(call, [entity], Level.FULL)[0] | more


def show_entities(
    call: Call,
    entities: Iterable[WebEntity],
    level: Level,
    weights: dict[int, int] | None = None,
    with_statuses: bool = False,
) -> list[JsonObject]:
    """Entities at a level, in order; with the weight of the link that led to them; light ones with crawl
    statuses if asked."""
    facts = facts_of(call) if level is not Level.CSV else _NO_FACTS
    shown = [_show(call, entity, level, facts) for entity in entities]
    for one in shown:
        if weights is not None:
            one["weight"] = weights.get(_id(one), 0)
        if with_statuses and level is Level.LIGHT:
            one |= job_statuses(facts.jobs.get(_id(one)))
    return shown


def _id(shown: JsonObject) -> int:
    return int(str(shown["id"]))


def facts_of(call: Call) -> Facts:
    """Degrees and latest jobs of all entities of the corpus."""
    return Facts(call.view.degrees(), call.view.jobs().latest, {})


_NO_FACTS = Facts({}, {}, {})


def _show(call: Call, entity: WebEntity, level: Level, facts: Facts) -> JsonObject:
    if level is Level.CSV:
        return csv_entity(entity)
    degrees = facts.degrees.get(entity.web_entity_id, NO_DEGREES)
    if level is Level.LIGHT:
        return light_entity(entity, degrees)
    job = facts.jobs.get(entity.web_entity_id)
    if level is Level.SEMILIGHT:
        return semilight_entity(entity, degrees, job)
    return full_entity(entity, degrees, job, homepage_of(call.structure, entity))


def entities_of_ids(structure: MemoryStructure, ids: Sequence[int]) -> list[WebEntity]:
    """The entities of those ids, in order; ids that are gone are passed over."""
    try:
        return structure.list_web_entities(ids=ids)
    except NotFound:
        return [entity for entity in (_find(structure, i) for i in ids) if entity is not None]


def _find(structure: MemoryStructure, web_entity_id: int) -> WebEntity | None:
    try:
        return structure.get_web_entity(web_entity_id)
    except NotFound:
        return None


def answer_listing(
    call: Call,
    entities: Sequence[WebEntity],
    count: int,
    page: int,
    level: Level,
    weights: dict[int, int] | None = None,
) -> object:
    """The answer for a sorted result: a plain list for count -1, else one page, with a token when there are
    more."""
    if count == ALL:
        return show_entities(call, entities, level, weights)
    if count < 1:
        raise Refusal("count must be -1 (everything in one list) or at least 1")
    token = None
    if len(entities) > count:
        ids = array("q", [entity.web_entity_id for entity in entities])
        token = call.service.listings.keep(Listing(call.corpus.corpus_id, ids, count, level, weights))
    shown = show_entities(
        call, entities[page * count : (page + 1) * count], level, weights, with_statuses=True
    )
    return _page(shown, len(entities), count, page, token)


def answer_next_page(call: Call, token: str, page: int, names_only: bool) -> object:
    """A page of a result asked for before."""
    listing = call.service.listings.find(call.corpus.corpus_id, token)
    if listing is None:
        raise Refusal("this pagination token is unknown or too old: ask for the first page again")
    ids = listing.ids[page * listing.count : (page + 1) * listing.count]
    entities = entities_of_ids(call.structure, list(ids))
    weights = listing.weights
    if names_only:
        return [
            [e.web_entity_id, e.name, *([] if weights is None else [weights.get(e.web_entity_id, 0)])]
            for e in entities
        ]
    shown = show_entities(call, entities, Level(listing.level), weights, with_statuses=True)
    return _page(shown, len(listing.ids), listing.count, page, token)


def _page(shown: list[JsonObject], total: int, count: int, page: int, token: str | None) -> JsonObject:
    last = max(0, (total - 1) // count)
    return {
        "total_results": total,
        "count": count,
        "page": page,
        "webentities": shown,
        "token": token,
        "last_page": last,
        "previous_page": page - 1 if page > 0 else None,
        "next_page": page + 1 if page < last else None,
    }
