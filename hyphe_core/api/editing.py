"""Methods that change web entities: name, status, homepage, note, start pages; many at once."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID
from hyphe_core.api.failures import refuse_partial
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.parameters import Integer, ListOf, Parameter, Text
from hyphe_core.api.readings import known_ids, read_status
from hyphe_core.api.schemas import MESSAGE, TEXTS

methods = MethodGroup("store")

ENTITY_IDS = Parameter("webentity_ids", ListOf(Integer(1), or_one=True), doc="ids of web entities")


# -- judging ----------------------------------------------------------------------------------------------


@methods.method(
    ENTITY_ID,
    Parameter("status", Text(), doc="the new status"),
    CORPUS,
    result=MESSAGE,
    returns="a confirmation",
    role=Role.CURATOR,
)
def set_webentity_status(call: Call, web_entity_id: int, status: str) -> str:
    """Set the status of a web entity."""
    chosen = read_status(status)
    call.structure.set_statuses([web_entity_id], chosen)
    return f"The status of web entity {web_entity_id} is now {chosen}"


@methods.method(
    ENTITY_IDS,
    Parameter("status", Text(), doc="the new status"),
    CORPUS,
    result=TEXTS,
    returns="a list of confirmations; when some fail, a failure with errors and results",
    role=Role.CURATOR,
)
def set_webentities_status(call: Call, web_entity_ids: list[int], status: str) -> list[str]:
    """Set the status of several web entities, in one act; the known ones also when others are unknown."""
    chosen = read_status(status)
    known, errors = known_ids(call, web_entity_ids)
    call.structure.set_statuses(known, chosen)
    results = [f"The status of web entity {i} is now {chosen}" for i in known]
    refuse_partial(errors, results)
    return results
