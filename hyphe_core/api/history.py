"""Methods on the history of curation: what was done, by whom, and how to set it back."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.parameters import Choice, Integer, ListOf, Parameter
from hyphe_core.api.schemas import ACT, list_of
from hyphe_core.api.wire import milliseconds
from memory_structure.acts import Act, ActKind
from memory_structure.errors import UndoConflict

methods = MethodGroup("history")

_ACT_ID = Parameter("act_id", Integer(1), doc="id of an act")


@methods.method(
    Parameter("before", Integer(1), None, "id of an act: only older ones; none begins with the newest"),
    Parameter("count", Integer(1, 1_000), 100, "how many, at most"),
    Parameter("webentity_id", Integer(1), None, "only acts that changed this web entity; none for all"),
    Parameter("kinds", ListOf(Choice(ActKind), or_one=True), (), "only acts of these kinds; empty for all"),
    CORPUS,
    name="list",
    result=list_of(ACT),
    returns="a list of acts, newest first, without their changes",
)
def list_acts(
    call: Call, before: int | None, count: int, web_entity_id: int | None, kinds: list[ActKind]
) -> list[JsonObject]:
    """List what people did to the corpus: who, when, what, to which web entities."""
    acts = call.structure.list_acts(
        before=before, limit=count, web_entity_id=web_entity_id, kinds=list(kinds) or None
    )
    return [shown_act(act) for act in acts]


@methods.method(_ACT_ID, CORPUS, name="get", result=ACT, returns="the act, with its changes")
def get_act(call: Call, act_id: int) -> JsonObject:
    """Give an act with each field it changed, before and after."""
    return _with_changes(call.structure.get_act(act_id))


@methods.method(
    _ACT_ID,
    CORPUS,
    name="undo",
    result=ACT,
    returns="the act that undid it; when later acts stand in the way, a failure with later_acts",
    role=Role.CURATOR,
)
def undo_act(call: Call, act_id: int) -> JsonObject:
    """Set back what an act changed. That is an act itself: undo it to do the first one again."""
    try:
        return _with_changes(call.structure.undo(act_id))
    except UndoConflict as conflict:
        raise Refusal(str(conflict), {"later_acts": list(conflict.later_act_ids)}) from None


def shown_act(act: Act) -> JsonObject:
    """An act without its changes."""
    return {
        "id": act.act_id,
        "acted_at": milliseconds(act.acted_at),
        "actor": act.actor,
        "kind": act.kind.value,
        "summary": act.summary,
        "webentity_ids": list(act.web_entity_ids),
        "nb_webentities": act.n_web_entities,
        "undoes": act.undoes,
        "undone_by": act.undone_by,
    }


def _with_changes(act: Act) -> JsonObject:
    return shown_act(act) | {"changes": [change._asdict() for change in act.changes]}
