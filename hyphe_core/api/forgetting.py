"""Methods that take out what crawling a web entity brought in, and tell before what that would be."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID
from hyphe_core.api.history import shown_act
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.ownership import named_owners
from hyphe_core.api.schemas import ACT, FORGETTING
from memory_structure.lru import lru_to_url

methods = MethodGroup("store")


@methods.method(
    ENTITY_ID,
    CORPUS,
    result=FORGETTING,
    returns="numbers of pages and links, some of the pages, the entities that would be gone",
)
def preview_forget(call: Call, web_entity_id: int) -> JsonObject:
    """Tell what forgetting a web entity would take out; nothing is changed.

    Pages that others link to are kept, as never fetched; pages of other entities that only this one links to
    are brought by it, and go.
    """
    told = call.structure.preview_forget(web_entity_id)
    owners = named_owners(call, told.removed_web_entity_ids)
    return {
        "nb_pages": told.n_pages,
        "nb_pages_crawled": told.n_pages_fetched,
        "nb_pages_kept": told.n_pages_kept,
        "nb_pages_brought": told.n_pages_brought,
        "nb_links": told.n_links,
        "samples": [{"lru": lru, "url": lru_to_url(lru)} for lru in told.samples],
        "removed_webentities": [owners[i] for i in told.removed_web_entity_ids],
    }


@methods.method(ENTITY_ID, CORPUS, result=ACT, returns="the act, which can be undone", role=Role.CURATOR)
def forget_webentity(call: Call, web_entity_id: int) -> JsonObject:
    """Take out all that crawling a web entity brought in: pages, links, texts, entities found by it alone.
    Its crawl jobs must have ended."""
    return shown_act(call.structure.forget(web_entity_id))
