"""The numbers of web entities by status, as clients draw them over time."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup
from hyphe_core.api.schemas import INTEGER, list_of, record
from hyphe_core.clock import to_milliseconds
from memory_structure.status_history import StatusPoint

methods = MethodGroup("store")

_POINT = (
    "timestamp", "total", "in", "in_untagged", "in_uncrawled", "out", "undecided", "discovered",
)  # fmt: skip


@methods.method(
    CORPUS,
    result=list_of(record(dict.fromkeys(_POINT, INTEGER))),
    returns="a list of points in time, oldest first",
)
def get_webentities_stats(call: Call) -> list[JsonObject]:
    """Give the numbers of entities by status over time: a point for each minute in which one changed.

    `in_untagged` and `in_uncrawled` are as counted last: they are counted when somebody looks at the corpus.
    """
    lacks = call.view.entities()
    untagged, uncrawled = lacks.n_in_untagged, lacks.n_in_uncrawled
    points = call.structure.list_status_points()
    known = [(p.n_in_untagged, p.n_in_uncrawled) for p in points if p.n_in_untagged is not None]
    if known:
        untagged, uncrawled = known[0][0] or 0, known[0][1] or 0
    shown = []
    for point in points:
        if point.n_in_untagged is not None and point.n_in_uncrawled is not None:
            untagged, uncrawled = point.n_in_untagged, point.n_in_uncrawled
        shown.append(_point(point, untagged, uncrawled))
    return shown


def _point(point: StatusPoint, untagged: int, uncrawled: int) -> JsonObject:
    return {
        "timestamp": to_milliseconds(point.counted_at),
        "total": point.n_in + point.n_out + point.n_undecided + point.n_discovered,
        "in": point.n_in,
        "in_untagged": min(untagged, point.n_in),
        "in_uncrawled": min(uncrawled, point.n_in),
        "out": point.n_out,
        "undecided": point.n_undecided,
        "discovered": point.n_discovered,
    }
