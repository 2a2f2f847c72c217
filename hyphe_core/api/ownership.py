"""Previews of ownership as clients read them: which pages change hands, from whom to whom."""

from __future__ import annotations

from collections.abc import Iterable

from hyphe_core.api.call import Call
from hyphe_core.api.entity_pages import entities_of_ids
from hyphe_core.api.json_values import JsonObject
from memory_structure.corpus_records import RuleApplication
from memory_structure.lru import lru_to_url
from memory_structure.previews import OwnershipPreview


def shown_preview(call: Call, preview: OwnershipPreview) -> JsonObject:
    """What moving prefixes would do. An owner is {id, name}; null for an entity the rules would make."""
    named = {i for change in preview.changes for i in (change.before, change.after) if i is not None}
    owners = named_owners(call, named | set(preview.removed_web_entity_ids))
    return {
        "nb_pages_moved": preview.n_pages_moved,
        "changes": [
            {"before": owners.get(c.before), "after": owners.get(c.after), "nb_pages": c.n_pages}
            for c in preview.changes
        ],
        "samples": [
            {
                "lru": page.lru,
                "url": lru_to_url(page.lru),
                "before": owners.get(page.before),
                "after": owners.get(page.after),
                "after_prefix": page.after_prefix,
            }
            for page in preview.samples
        ],
        "created_prefixes": [list(prefixes) for prefixes in preview.created_prefixes],
        "dropped_prefixes": list(preview.dropped_prefixes),
        "removed_webentities": [owners.get(i) for i in preview.removed_web_entity_ids],
    }


def named_owners(call: Call, web_entity_ids: Iterable[int]) -> dict[int | None, JsonObject]:
    """{id, name} of web entities, by id."""
    entities = entities_of_ids(call.structure, sorted(web_entity_ids))
    return {e.web_entity_id: {"id": e.web_entity_id, "name": e.name} for e in entities}


def shown_application(application: RuleApplication) -> JsonObject:
    """What applying a rule to known pages made, or would make."""
    return {
        "prefixes": list(application.prefixes),
        "nb_pages_moved": application.n_pages_moved,
        "webentity_ids": list(application.created_web_entity_ids),
        "dry_run": application.dry_run,
    }
