"""Methods that suggest what a person may want to do next."""

from __future__ import annotations

from collections.abc import Sequence

from hyphe_core.analysis.merge_suggestions import Candidate, Suggestion, suggest_merges
from hyphe_core.api.call import Call
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup
from hyphe_core.api.parameters import Choice, Integer, ListOf, Parameter
from hyphe_core.api.schemas import INTEGER, TEXT, list_of, record
from memory_structure.columns import EntityRow
from memory_structure.records import WebEntityStatus

methods = MethodGroup("store")

_JUDGED = (WebEntityStatus.IN, WebEntityStatus.UNDECIDED)
_ENTITY = record({"id": INTEGER, "name": TEXT})


@methods.method(
    Parameter(
        "statuses",
        ListOf(Choice(WebEntityStatus), or_one=True),
        _JUDGED,
        "only suggestions that concern an entity of one of these statuses",
    ),
    Parameter("count", Integer(1, 10_000), 100, "how many, at most"),
    CORPUS,
    name="suggest_merges",
    result=list_of(record({"reason": TEXT, "detail": TEXT, "good": _ENTITY, "old": list_of(_ENTITY)})),
    returns="a list of suggestions, the surest reason first: fold the old ones into the good one",
)
def merges(call: Call, statuses: Sequence[WebEntityStatus], count: int) -> list[JsonObject]:
    """Suggest which web entities are one actor: redirects, forms of one address, letter case, mobile and
    country hosts, one name under several suffixes. What a merge would do is told by store.preview_merge."""
    rows = {row.web_entity_id: row for row in call.structure.iter_entity_rows()}
    concerned = {i for i, row in rows.items() if row.status in statuses}
    pages = call.structure.page_counts()
    n_pages = dict(zip(pages.web_entity_ids.tolist(), pages.n_pages.tolist(), strict=True))
    candidates = (Candidate(i, row.prefixes, n_pages.get(i, 0)) for i, row in rows.items())
    redirects = _redirects(call, [rows[i] for i in sorted(concerned)])
    found = suggest_merges(candidates, redirects)
    kept = [s for s in found if not concerned.isdisjoint((s.good_id, *s.old_ids))]
    return [_shown(suggestion, rows) for suggestion in kept[:count]]


def _redirects(call: Call, rows: Sequence[EntityRow]) -> list[tuple[int, int]]:
    """Of entities whose front page, the page at a prefix, redirects: (entity, owner of the target)."""
    fronts = {prefix: row.web_entity_id for row in rows for prefix in row.prefixes}
    pages = call.structure.find_pages(list(fronts))
    targets = {p.lru: p.fetch.redirect_lru for p in pages if p.fetch and p.fetch.redirect_lru}
    if not targets:
        return []
    owners = call.structure.prefix_map()
    found = [(fronts[lru], owners.find_owner(target)) for lru, target in targets.items()]
    return [(web_entity_id, owner[1]) for web_entity_id, owner in found if owner is not None]


def _shown(suggestion: Suggestion, rows: dict[int, EntityRow]) -> JsonObject:
    def entity(web_entity_id: int) -> JsonObject:
        return {"id": web_entity_id, "name": rows[web_entity_id].name}

    return {
        "reason": suggestion.reason.value,
        "detail": suggestion.detail,
        "good": entity(suggestion.good_id),
        "old": [entity(i) for i in suggestion.old_ids],
    }
