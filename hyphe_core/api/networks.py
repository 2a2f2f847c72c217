"""Methods on the links between web entities."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from hyphe_core.api.call import Call
from hyphe_core.api.entities import COUNT, ENTITY_ID, PAGE
from hyphe_core.api.entity_catalogue.filters import Filters
from hyphe_core.api.entity_pages import answer_listing, entities_of_ids, find_ids, level_of, show_entities
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, Declare, MethodGroup, Role
from hyphe_core.api.parameters import Flag, Integer, Parameter
from hyphe_core.api.schemas import ANY_WEB_ENTITY, LISTING, MESSAGE, WEB_ENTITY_LINKS, list_of
from memory_structure.records import WebEntityStatus

methods = MethodGroup("store")

_ENTITY = Parameter("webentity_id", Integer(1), doc=ENTITY_ID.doc)
_LIGHT = Parameter("light", Flag(), True, "only identity, prefixes and degrees")
_SEMILIGHT = Parameter("semilight", Flag(), False, "leave out start pages and tags that are not the user's")


@methods.method(
    Parameter("include_links_from_OUT", Flag(), False, "also links that leave entities that are OUT"),
    Parameter(
        "include_links_from_DISCOVERED", Flag(), False, "also links that leave entities only discovered"
    ),
    CORPUS,
    result=WEB_ENTITY_LINKS,
    returns="a list of [source id, target id, weight], by source then target",
)
def get_webentities_network(call: Call, with_out: bool, with_discovered: bool) -> list[list[int]]:
    """Give the network: links between different web entities, weighted by distinct pairs of linked pages."""
    sources = {WebEntityStatus.IN, WebEntityStatus.UNDECIDED}
    sources |= {WebEntityStatus.OUT} if with_out else set()
    sources |= {WebEntityStatus.DISCOVERED} if with_discovered else set()
    return call.view.network(frozenset(sources))


@methods.method(_ENTITY, CORPUS, result=WEB_ENTITY_LINKS, returns="a list of [source id, target id, weight]")
def get_webentity_ego_network(call: Call, web_entity_id: int) -> list[list[int]]:
    """Give the links among a web entity and those it links to or is linked by."""
    call.structure.get_web_entity(web_entity_id)
    sources, targets, weights = call.structure.network_arrays()
    near = np.unique(
        np.concatenate(
            ([web_entity_id], targets[sources == web_entity_id], sources[targets == web_entity_id])
        )
    )
    among = np.isin(sources, near) & np.isin(targets, near)
    columns = (sources[among], targets[among], weights[among].astype(np.int64))
    return cast("list[list[int]]", np.stack(columns, axis=1).tolist())


# -- neighbours -------------------------------------------------------------------------------------------


def _lists_neighbours() -> Declare:
    return methods.method(
        *(_ENTITY, COUNT, PAGE, _LIGHT, _SEMILIGHT, CORPUS),
        result=LISTING,
        returns="a page of entities with weight; a list when count is -1",
    )


@_lists_neighbours()
def get_webentity_referrers(call: Call, web_entity_id: int, *shape: Any) -> object:
    """List the web entities that link to this one, by falling weight."""
    call.structure.get_web_entity(web_entity_id)
    weights = {link.source_id: link.weight for link in call.structure.list_referrers(web_entity_id)}
    return _neighbours(call, weights, *shape)


@_lists_neighbours()
def get_webentity_referrals(call: Call, web_entity_id: int, *shape: Any) -> object:
    """List the web entities that this one links to, by falling weight."""
    call.structure.get_web_entity(web_entity_id)
    weights = {link.target_id: link.weight for link in call.structure.list_referrals(web_entity_id)}
    return _neighbours(call, weights, *shape)


# -- nesting ----------------------------------------------------------------------------------------------


def _lists_nested() -> Declare:
    return methods.method(
        *(_ENTITY, Parameter("light", Flag(), False, _LIGHT.doc), CORPUS),
        result=list_of(ANY_WEB_ENTITY),
        returns="a list of entities by id",
    )


@_lists_nested()
def get_webentity_subwebentities(call: Call, web_entity_id: int, light: bool) -> list[JsonObject]:
    """List the web entities that own a prefix below one of this one's."""
    return _shown(call, call.structure.list_sub_web_entities(web_entity_id), light)


@_lists_nested()
def get_webentity_parentwebentities(call: Call, web_entity_id: int, light: bool) -> list[JsonObject]:
    """List the web entities that own a prefix above one of this one's."""
    return _shown(call, call.structure.list_parent_web_entities(web_entity_id), light)


def _shown(call: Call, ids: list[int], light: bool) -> list[JsonObject]:
    return show_entities(call, entities_of_ids(call.structure, ids), level_of(light, semilight=False))


def _neighbours(
    call: Call, weights: dict[int, int], count: int, page: int, light: bool, semilight: bool
) -> object:
    by_name = find_ids(call, Filters(ids=tuple(weights)), ("name",))
    found = sorted(by_name, key=lambda web_entity_id: -weights[web_entity_id])
    return answer_listing(call, found, count, page, level_of(light, semilight), weights)


@methods.method(CORPUS, result=MESSAGE, returns="a confirmation", role=Role.CURATOR)
def trigger_links_build(call: Call) -> str:
    """Kept for older clients: links are up to date after each write, so there is nothing to build."""
    return f"Links of corpus {call.corpus.corpus_id} are up to date"
