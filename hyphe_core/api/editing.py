"""Methods that change what a web entity says of itself: status, name, homepage, note, start pages."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID, ENTITY_IDS
from hyphe_core.api.failures import Refusal, refuse_partial
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, Declare, MethodGroup, Role
from hyphe_core.api.parameters import ListOf, Mapping, Parameter, Text
from hyphe_core.api.readings import known_ids, read_start_pages, read_status, read_tags
from hyphe_core.api.schemas import INTEGER, MESSAGE, TEXTS, Schema
from memory_structure.lru import lru_to_url

methods = MethodGroup("store")


def _edits(*parameters: Parameter, result: Schema = MESSAGE, returns: str = "a confirmation") -> Declare:
    return methods.method(*parameters, CORPUS, result=result, returns=returns, role=Role.CURATOR)


# -- judging ----------------------------------------------------------------------------------------------


@_edits(ENTITY_ID, Parameter("status", Text(), doc="the new status"))
def set_webentity_status(call: Call, web_entity_id: int, status: str) -> str:
    """Set the status of a web entity."""
    chosen = read_status(status)
    call.structure.set_statuses([web_entity_id], chosen)
    return f"The status of web entity {web_entity_id} is now {chosen}"


@_edits(
    ENTITY_IDS,
    Parameter("status", Text(), doc="the new status"),
    result=TEXTS,
    returns="a list of confirmations; when some fail, a failure with errors and results",
)
def set_webentities_status(call: Call, web_entity_ids: list[int], status: str) -> list[str]:
    """Set the status of several web entities, in one act; the known ones also when others are unknown."""
    chosen = read_status(status)
    known, errors = known_ids(call, web_entity_ids)
    call.structure.set_statuses(known, chosen)
    results = [f"The status of web entity {i} is now {chosen}" for i in known]
    refuse_partial(errors, results)
    return results


@_edits(
    ENTITY_IDS,
    Parameter("status", Text(), None, "the new status; none leaves it"),
    Parameter("note", Text(), None, "the new note; none leaves it, an empty one removes it"),
    Parameter("add_tags", Mapping(), {}, "tags to add: namespace -> category -> value or list of values"),
    Parameter("remove_tags", Mapping(), {}, "tags to remove, in the same form"),
    result=INTEGER,
    returns="the number of web entities that changed",
)
def edit_webentities(
    call: Call,
    web_entity_ids: list[int],
    status: str | None,
    note: str | None,
    add: JsonObject,
    remove: JsonObject,
) -> int:
    """Make the same change to many web entities, in one act: all of them, or none when one is unknown."""
    return call.structure.edit_web_entities(
        web_entity_ids,
        status=read_status(status) if status else None,
        note=note,
        add_tags=read_tags(add),
        remove_tags=read_tags(remove),
    )


# -- name and homepage ------------------------------------------------------------------------------------


@_edits(
    ENTITY_ID,
    Parameter("name", Text(max_chars=1000), None, "the new name; none leaves it"),
    Parameter("status", Text(), None, "the new status; none leaves it"),
    Parameter("homepage", Text(), None, "URL of the new homepage; none leaves it, an empty one removes it"),
)
def basic_edit_webentity(
    call: Call, web_entity_id: int, name: str | None, status: str | None, homepage: str | None
) -> str:
    """Change name, status and homepage of a web entity in one act."""
    call.structure.edit_web_entity(
        web_entity_id,
        name=(name or "").strip() or None,
        status=read_status(status) if status else None,
        homepage=None if homepage is None else _homepage(call, web_entity_id, homepage),
    )
    return f"Web entity {web_entity_id} is changed"


@_edits(ENTITY_ID, Parameter("new_name", Text(max_chars=1000), doc="the new name"))
def rename_webentity(call: Call, web_entity_id: int, name: str) -> str:
    """Change the name of a web entity."""
    if not name.strip():
        raise Refusal("the name of a web entity cannot be empty")
    entity = call.structure.edit_web_entity(web_entity_id, name=name.strip())
    return f"Web entity {web_entity_id} is now called {entity.name}"


@_edits(ENTITY_ID, Parameter("homepage", Text(), "", "URL of a page of the entity; empty for none"))
def set_webentity_homepage(call: Call, web_entity_id: int, homepage: str) -> str:
    """Choose the homepage of a web entity. Its page becomes known, if it was not."""
    url = _homepage(call, web_entity_id, homepage)
    call.structure.edit_web_entity(web_entity_id, homepage=url)
    return f"The homepage of web entity {web_entity_id} is now {url or 'that of its pages that fits best'}"


def _homepage(call: Call, web_entity_id: int, url: str) -> str:
    """The readable address of a homepage, whose page is known afterwards. Refuses one that is not the
    entity's."""
    call.structure.get_web_entity(web_entity_id)
    if not url.strip():
        return ""
    lru = call.lru_of_url(url)
    owner = call.structure.find_owner(lru)
    if owner is None or owner.web_entity_id != web_entity_id:
        whose = f"web entity {owner.web_entity_id}, {owner.name}" if owner else "no web entity"
        raise Refusal(f"{url} is not a page of web entity {web_entity_id}: it belongs to {whose}")
    if call.structure.find_page(lru) is None:
        _declare_inside(call, web_entity_id, lru)
    return lru_to_url(lru)


def _declare_inside(call: Call, web_entity_id: int, lru: str) -> None:
    """Make a page known. Refuses when a creation rule would give it to an entity of its own."""
    decision = call.structure.store_and_retrieve_flags([lru])[0]
    if decision.creates:
        raise Refusal(
            f"{lru_to_url(lru)} is not a page of web entity {web_entity_id}: "
            f"a creation rule makes an entity of its own at {decision.prefix}"
        )
    call.structure.declare_pages([lru])


# -- start pages ------------------------------------------------------------------------------------------

_URL = Parameter("startpage_url", Text(), doc="URL of a start page")
_URLS = Parameter("startpages_urls", ListOf(Text(), or_one=True), doc="URLs of start pages")


@_edits(ENTITY_ID, _URLS)
def add_webentity_startpages(call: Call, web_entity_id: int, urls: list[str]) -> str:
    """Add start pages to a web entity, all or none; each must be one of its pages."""
    before = call.structure.get_web_entity(web_entity_id).start_pages
    entity = call.structure.edit_start_pages(web_entity_id, add=read_start_pages(call, urls))
    n_added = len(entity.start_pages) - len(before)
    return f"{n_added} start page(s) added to web entity {web_entity_id}, {len(urls) - n_added} known before"


@_edits(ENTITY_ID, _URL)
def add_webentity_startpage(call: Call, web_entity_id: int, url: str) -> str:
    """Add a start page to a web entity; it must be one of its pages."""
    return add_webentity_startpages(call, web_entity_id, [url])


@_edits(ENTITY_ID, _URLS)
def rm_webentity_startpages(call: Call, web_entity_id: int, urls: list[str]) -> str:
    """Remove start pages of a web entity, in any spelling of the same page, all or none."""
    call.structure.edit_start_pages(web_entity_id, remove=urls)
    return f"{len(urls)} start page(s) removed from web entity {web_entity_id}"


@_edits(ENTITY_ID, _URL)
def rm_webentity_startpage(call: Call, web_entity_id: int, url: str) -> str:
    """Remove a start page of a web entity, in any spelling of the same page."""
    return rm_webentity_startpages(call, web_entity_id, [url])
