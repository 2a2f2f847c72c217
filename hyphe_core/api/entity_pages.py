"""How web entities are shown: at which level, one by one, in lists, and page by page."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from hyphe_core.api.call import Call
from hyphe_core.api.entity_catalogue.catalogue import Catalogue
from hyphe_core.api.entity_catalogue.columns import Mask
from hyphe_core.api.entity_catalogue.filters import Filters, fulfilling
from hyphe_core.api.failures import Refusal
from hyphe_core.api.homepages import homepages_of
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
from memory_structure.columns import JobHead
from memory_structure.errors import NotFound
from memory_structure.records import Degrees, WebEntity
from memory_structure.structure import MemoryStructure

ALL = -1


def level_of(light: bool, semilight: bool, csv: bool = False) -> Level:
    """The level that the flags of a call ask for: the least of those set."""
    if csv:
        return Level.CSV
    if light:
        return Level.LIGHT
    return Level.SEMILIGHT if semilight else Level.FULL


# -- one and many -----------------------------------------------------------------------------------------


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
    entities = list(entities)
    homepages = homepages_of(call.structure, entities) if level is Level.FULL else [None] * len(entities)
    facts = _facts_of(call, entities, level)
    shown = []
    for entity, homepage, (degrees, job, citing_in) in zip(entities, homepages, facts, strict=True):
        one = _show(entity, level, degrees, job, homepage)
        if level is not Level.CSV:
            one["citing_in"] = citing_in
        if weights is not None:
            one["weight"] = weights.get(entity.web_entity_id, 0)
        if with_statuses and level is Level.LIGHT:
            one |= job_statuses(job)
        shown.append(one)
    return shown


_Facts = tuple[Degrees, JobHead | None, int]


def _facts_of(call: Call, entities: Sequence[WebEntity], level: Level) -> list[_Facts]:
    """What is shown of entities beside their own fields."""
    if level is Level.CSV:
        return [(NO_DEGREES, None, 0)] * len(entities)
    with call.view.catalogue.now() as catalogue:
        figures = catalogue.figures
        return [
            (figures.degrees_of(i), figures.latest_jobs.get(i), figures.citing_in_of(i))
            for i in (entity.web_entity_id for entity in entities)
        ]


def _show(
    entity: WebEntity, level: Level, degrees: Degrees, job: JobHead | None, homepage: str | None
) -> JsonObject:
    if level is Level.CSV:
        return csv_entity(entity)
    if level is Level.LIGHT:
        return light_entity(entity, degrees)
    if level is Level.SEMILIGHT:
        return semilight_entity(entity, degrees, job)
    return full_entity(entity, degrees, job, homepage)


def entities_of_ids(structure: MemoryStructure, ids: Sequence[int]) -> list[WebEntity]:
    """The entities of those ids, in order; ids that are gone are passed over."""
    try:
        return structure.list_web_entities(ids=ids)
    except NotFound:
        known = {row.web_entity_id for row in structure.iter_entity_rows(ids)}
        return [e for e in (_find(structure, i) for i in ids if i in known) if e is not None]


def _find(structure: MemoryStructure, web_entity_id: int) -> WebEntity | None:
    try:
        return structure.get_web_entity(web_entity_id)
    except NotFound:
        return None


def _listed(call: Call, ids: Sequence[int]) -> list[WebEntity]:
    """Entities of a listing, in order; those that are gone are passed over. Numbers of pages are those that
    lists are sorted by."""
    rows = {row.web_entity_id: row for row in call.structure.iter_entity_rows(ids)}
    with call.view.catalogue.now() as catalogue:
        return [rows[i].web_entity(*catalogue.figures.pages_of(i)) for i in ids if i in rows]


# -- lists ------------------------------------------------------------------------------------------------


def find_ids(
    call: Call, filters: Filters, sort: Sequence[str], also: Callable[[Catalogue], Mask] | None = None
) -> array[int]:
    """Ids of the entities that fulfil filters (and a further condition), in order."""
    with call.view.catalogue.now() as catalogue:
        mask = fulfilling(catalogue, filters)
        if also is not None:
            mask &= also(catalogue)
        return array("i", catalogue.sorted_ids(mask, sort).astype(np.int32).tobytes())


def answer_listing(
    call: Call,
    ids: Sequence[int],
    count: int,
    page: int,
    level: Level,
    weights: dict[int, int] | None = None,
) -> object:
    """The answer for sorted ids: a plain list for count -1, else one page, with a token when there are
    more."""
    if count == ALL:
        return show_entities(call, _listed(call, ids), level, weights)
    if count < 1:
        raise Refusal("count must be -1 (everything in one list) or at least 1")
    token = None
    if len(ids) > count:
        frozen = ids if isinstance(ids, array) else array("i", ids)
        listing = Listing(call.corpus.corpus_id, frozen, count, level, weights)
        token = call.service.listings.keep(listing)
    return _page(call, ids, count, page, token, level, weights)


def answer_next_page(call: Call, token: str, page: int, names_only: bool) -> object:
    """A page of a result asked for before."""
    listing = call.service.listings.find(call.corpus.corpus_id, token)
    if listing is None:
        raise Refusal("this pagination token is unknown or too old: ask for the first page again")
    if names_only:
        return _names(call, listing, page)
    return _page(call, listing.ids, listing.count, page, token, Level(listing.level), listing.weights)


def _names(call: Call, listing: Listing, page: int) -> list[list[object]]:
    weights = listing.weights
    with call.view.catalogue.now() as catalogue:
        names = catalogue.columns.names
        return [
            [i, names[i], *([] if weights is None else [weights.get(i, 0)])]
            for i in listing.ids[page * listing.count : (page + 1) * listing.count]
            if i in names
        ]


def _page(
    call: Call,
    ids: Sequence[int],
    count: int,
    page: int,
    token: str | None,
    level: Level,
    weights: dict[int, int] | None,
) -> JsonObject:
    found = _listed(call, ids[page * count : (page + 1) * count])
    last = max(0, (len(ids) - 1) // count)
    return {
        "total_results": len(ids),
        "count": count,
        "page": page,
        "webentities": show_entities(call, found, level, weights, with_statuses=True),
        "token": token,
        "last_page": last,
        "previous_page": page - 1 if page > 0 else None,
        "next_page": page + 1 if page < last else None,
    }
