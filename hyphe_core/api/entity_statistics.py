"""The numbers of web entities by status, as clients draw them over time."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup
from hyphe_core.api.schemas import INTEGER, list_of, record
from hyphe_core.clock import now, to_milliseconds

methods = MethodGroup("store")

_NUMBERS = (
    "timestamp", "total", "in", "in_untagged", "in_uncrawled", "out", "undecided", "discovered",
)  # fmt: skip


@methods.method(
    CORPUS,
    result=list_of(record(dict.fromkeys(_NUMBERS, INTEGER))),
    returns="a list of points in time, oldest first",
)
def get_webentities_stats(call: Call) -> list[JsonObject]:
    """Give the numbers of entities by status over time; so far one point, the present."""
    counters, lacking = call.structure.counters(), call.view.entities()
    return [
        {
            "timestamp": to_milliseconds(now()),
            "total": counters.n_web_entities,
            "in": counters.n_in,
            "in_untagged": lacking.n_in_untagged,
            "in_uncrawled": lacking.n_in_uncrawled,
            "out": counters.n_out,
            "undecided": counters.n_undecided,
            "discovered": counters.n_discovered,
        }
    ]
