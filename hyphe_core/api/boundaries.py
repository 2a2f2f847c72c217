"""Methods that move boundaries of web entities: prefixes, merges, splits, deletions; what each would do."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID
from hyphe_core.api.entity_pages import show_entity
from hyphe_core.api.failures import refuse_partial
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, Declare, MethodGroup, Role
from hyphe_core.api.ownership import shown_application, shown_preview
from hyphe_core.api.parameters import Flag, Integer, ListOf, Parameter, Text
from hyphe_core.api.readings import known_ids
from hyphe_core.api.schemas import (
    INTEGER,
    MESSAGE,
    OWNERSHIP,
    RULE_APPLICATION,
    TEXT,
    TEXTS,
    WEB_ENTITY,
    Schema,
    list_of,
    record,
)
from memory_structure.lru import entity_prefix, parent_lrus

methods = MethodGroup("store")

_PREFIX = Parameter("lru_prefix", Text(), doc="an LRU prefix of the entity")
_PREFIXES = Parameter("lru_prefixes", ListOf(Text(), or_one=True), doc="LRU prefixes")
_OLD = Parameter("old_webentity_id", Integer(1), doc="id of the web entity that is merged")
_OLDS = Parameter("old_webentity_ids", ListOf(Integer(1), or_one=True), doc="ids of those that are merged")
_GOOD = Parameter("good_webentity_id", Integer(1), doc="id of the web entity that stays")
_KEEP_TAGS = Parameter("include_tags", Flag(), False, "add the tags of those merged")
_KEEP_START_PAGES = Parameter(
    "include_home_and_startpages_as_startpages",
    Flag(),
    False,
    "add their homepages and start pages to its own",
)
_MADE = "prefixes and ids of the new entities, pages moved"
_RULE = Parameter("rule", Text(max_chars=100), doc="domain, subdomain, subdomain-N, path-N, page or prefix+N")


def _moves(*parameters: Parameter, result: Schema = MESSAGE, returns: str = "a confirmation") -> Declare:
    return methods.method(*parameters, CORPUS, result=result, returns=returns, role=Role.CURATOR)


def _previews(*parameters: Parameter) -> Declare:
    return methods.method(
        *parameters,
        CORPUS,
        result=OWNERSHIP,
        returns="pages by owner before and after, some of them, and what else would change",
    )


# -- prefixes ---------------------------------------------------------------------------------------------


@methods.method(
    Parameter("lru", Text(), doc="an LRU"),
    CORPUS,
    result=list_of(record({"lru": TEXT, "stems_count": INTEGER, "id": INTEGER, "name": TEXT})),
    returns="a list of owned prefixes with stems_count, id and name of the entity, longest first",
)
def get_lru_definedprefixes(call: Call, lru: str) -> list[JsonObject]:
    """List the prefixes at or above an LRU that web entities own."""
    canonical = call.lru_of_client(lru)
    candidates = dict.fromkeys(entity_prefix(each) for each in (canonical, *parent_lrus(canonical)))
    found = ((prefix, call.structure.find_web_entity_by_prefix(prefix)) for prefix in candidates)
    return [
        {"lru": prefix, "stems_count": prefix.count("|"), "id": owner.web_entity_id, "name": owner.name}
        for prefix, owner in sorted(found, key=lambda pair: -len(pair[0]))
        if owner is not None
    ]


@_moves(ENTITY_ID, _PREFIXES)
def add_webentity_lruprefixes(call: Call, web_entity_id: int, lrus: list[str]) -> str:
    """Give prefixes to a web entity, taking them from their owners; one left without any is deleted."""
    wanted = call.prefixes_of_clients(lrus)
    before = set(call.structure.get_web_entity(web_entity_id).prefixes)
    after = call.structure.add_prefixes(web_entity_id, wanted, take=True).prefixes
    added = [prefix for prefix in after if prefix not in before]
    if not added and before == set(after):
        return f"No need to add these prefixes: web entity {web_entity_id} holds what is below them already"
    return f"Web entity {web_entity_id} now owns {', '.join(added) or 'what it owned, with fewer prefixes'}"


@_moves(ENTITY_ID, _PREFIX)
def rm_webentity_lruprefix(call: Call, web_entity_id: int, lru: str) -> str:
    """Take a prefix from a web entity: its pages fall to the next owner up, or to entities the rules create.
    Without its last prefix the entity is deleted."""
    prefix = entity_prefix(call.lru_of_client(lru))
    left = call.structure.remove_prefix(web_entity_id, prefix)
    gone = "" if left is not None else f"; it was the last one: web entity {web_entity_id} is deleted"
    return f"Prefix {prefix} removed from web entity {web_entity_id}{gone}"


# -- merging, splitting, deleting -------------------------------------------------------------------------


@_moves(
    _OLD,
    _GOOD,
    _KEEP_TAGS,
    _KEEP_START_PAGES,
    Parameter("include_name_and_status", Flag(), False, "take the name and status of the one merged"),
)
def merge_webentity_into_another(
    call: Call, old_id: int, good_id: int, keep_tags: bool, keep_start_pages: bool, take_name: bool
) -> str:
    """Merge a web entity into another: prefixes, pages, links, crawl jobs."""
    call.structure.merge_web_entities(
        old_id,
        good_id,
        keep_tags=keep_tags,
        keep_start_pages=keep_start_pages,
        take_name_and_status=take_name,
    )
    return f"Web entity {old_id} is merged into web entity {good_id}"


@_moves(
    _OLDS,
    _GOOD,
    _KEEP_TAGS,
    _KEEP_START_PAGES,
    result=TEXTS,
    returns="a list of confirmations; when some fail, a failure with errors and results",
)
def merge_webentities_into_another(
    call: Call, old_ids: list[int], good_id: int, keep_tags: bool, keep_start_pages: bool
) -> list[str]:
    """Merge several web entities into another, in one act; the known ones also when others are unknown."""
    known, errors = known_ids(call, [i for i in old_ids if i != good_id])
    if good_id in old_ids:
        errors.append(f"web entity {good_id} cannot be merged into itself")
    if known:
        call.structure.merge_web_entities(
            known, good_id, keep_tags=keep_tags, keep_start_pages=keep_start_pages
        )
    results = [f"Web entity {i} is merged into web entity {good_id}" for i in known]
    refuse_partial(errors, results)
    return results


@_moves(
    _OLDS,
    _GOOD,
    Parameter("keep_tags", Flag(), True, "add the tags of those merged"),
    Parameter("keep_startpages", Flag(), True, _KEEP_START_PAGES.doc),
    Parameter("take_name_and_status", Flag(), False, "those of the first one merged"),
    Parameter("take_homepage", Flag(), False, "that of the first one merged that has one"),
    Parameter("take_note", Flag(), False, "the notes of all that are merged, one a line"),
    result=WEB_ENTITY,
    returns="the entity as it is now",
)
def merge_webentities(call: Call, old_ids: list[int], good_id: int, *choices: bool) -> JsonObject:
    """Merge web entities into another with a choice of what wins, in one act: all of them or none."""
    keep_tags, keep_start_pages, take_name, take_homepage, take_note = choices
    entity = call.structure.merge_web_entities(
        old_ids,
        good_id,
        keep_tags=keep_tags,
        keep_start_pages=keep_start_pages,
        take_name_and_status=take_name,
        take_homepage=take_homepage,
        take_note=take_note,
    )
    return show_entity(call, entity)


@_moves(ENTITY_ID)
def delete_webentity(call: Call, web_entity_id: int) -> str:
    """Delete a web entity: its pages stay, and fall to the next owner up or to entities the rules create."""
    created = call.structure.delete_web_entity(web_entity_id)
    words = f"; entities made for its pages: {', '.join(str(i) for i in created)}" if created else ""
    return f"Web entity {web_entity_id} is deleted{words}"


@_moves(ENTITY_ID, _RULE, result=RULE_APPLICATION, returns=_MADE)
def split_webentity(call: Call, web_entity_id: int, rule: str) -> JsonObject:
    """Cut the known pages of a web entity into entities of their own, once; no rule is added."""
    return shown_application(call.structure.split_web_entity(web_entity_id, rule))


# -- what would happen ------------------------------------------------------------------------------------


@_previews(ENTITY_ID, _PREFIXES)
def preview_add_lruprefixes(call: Call, web_entity_id: int, lrus: list[str]) -> JsonObject:
    """Tell what giving prefixes to a web entity would do; nothing is changed."""
    prefixes = call.prefixes_of_clients(lrus)
    return shown_preview(call, call.structure.preview_add_prefixes(web_entity_id, prefixes, take=True))


@_previews(ENTITY_ID, _PREFIX)
def preview_rm_lruprefix(call: Call, web_entity_id: int, lru: str) -> JsonObject:
    """Tell what taking a prefix from a web entity would do; nothing is changed."""
    prefix = entity_prefix(call.lru_of_client(lru))
    return shown_preview(call, call.structure.preview_remove_prefix(web_entity_id, prefix))


@_previews(_OLDS, _GOOD)
def preview_merge(call: Call, old_ids: list[int], good_id: int) -> JsonObject:
    """Tell what merging web entities into another would do; nothing is changed."""
    return shown_preview(call, call.structure.preview_merge(old_ids, good_id))


@_previews(ENTITY_ID)
def preview_delete(call: Call, web_entity_id: int) -> JsonObject:
    """Tell what deleting a web entity would do; nothing is changed."""
    return shown_preview(call, call.structure.preview_delete(web_entity_id))


@methods.method(ENTITY_ID, _RULE, CORPUS, result=RULE_APPLICATION, returns=_MADE)
def preview_split(call: Call, web_entity_id: int, rule: str) -> JsonObject:
    """Tell what splitting a web entity would do; nothing is changed."""
    return shown_application(call.structure.split_web_entity(web_entity_id, rule, dry_run=True))
