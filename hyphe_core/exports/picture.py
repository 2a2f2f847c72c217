"""A picture of a network of web entities as one SVG text, for a report, a slide or a first look.

A circle's size tells how many entities link to this one, its colour the status; a line's width tells the
weight of the link, its colour the status of the source. The same network gives the same bytes under any ids.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np

from hyphe_core.exports.force_layout import fit_into, lay_out, spread_boxes
from memory_structure.records import WebEntityStatus

COLOURS = {
    WebEntityStatus.IN: "#17806d",
    WebEntityStatus.UNDECIDED: "#c98a1b",
    WebEntityStatus.OUT: "#a8434f",
    WebEntityStatus.DISCOVERED: "#7d8ba1",
}
FONT_PIXELS = 13
LETTER_PIXELS = 7.1
"""Mean width of a letter at FONT_PIXELS, to reserve room for labels."""
MARGIN_PIXELS = 24
LEGEND_PIXELS = 48
LONGEST_LABEL = 38
CURVE = 0.12
"""How far a line bends aside, as a share of its length: the two directions of a pair stay apart."""


@dataclass(frozen=True, slots=True)
class PictureNode:
    """A web entity as drawn."""

    id: int
    label: str
    status: WebEntityStatus


@dataclass(frozen=True, slots=True)
class PictureEdge:
    """A link between two drawn web entities, by their ids; loops are not drawn."""

    source: int
    target: int
    weight: int


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A node with its place (pixels), and whether its label is written."""

    node: PictureNode
    x: float
    y: float
    radius: float
    in_degree: int
    is_labelled: bool


def draw_network_svg(
    nodes: Sequence[PictureNode],
    edges: Sequence[PictureEdge],
    *,
    title: str = "",
    width: int = 1200,
    height: int = 800,
    n_nodes_most: int = 400,
    n_labels_most: int = 80,
) -> str:
    """SVG document of a network, `width` x `height` pixels.

    Of a network above `n_nodes_most` nodes those linked from most others are drawn, and the legend says so;
    labels go to the `n_labels_most` first. Edges whose ends are not drawn are left out.
    """
    in_degrees = Counter(edge.target for edge in edges if edge.source != edge.target)
    ranked = sorted(nodes, key=lambda node: (-in_degrees[node.id], node.label, node.id))[:n_nodes_most]
    rank = {node.id: row for row, node in enumerate(ranked)}
    drawn_edges = [e for e in edges if e.source in rank and e.target in rank and e.source != e.target]
    drawn_edges.sort(key=lambda edge: (edge.weight, rank[edge.source], rank[edge.target]))
    places = _place(ranked, drawn_edges, in_degrees, (width, height), n_labels_most)
    legend = _draw_legend(nodes, len(ranked), title, height)
    parts = [*_draw_edges(places, drawn_edges), *_draw_nodes(places), *legend]
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="Helvetica, Arial, sans-serif" font-size="{FONT_PIXELS}">'
    )
    name = f"<title>{_write(title)}</title>" if title else ""
    ground = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([opening + name, ground, *parts, "</svg>", ""])


def _place(
    ranked: Sequence[PictureNode],
    edges: Sequence[PictureEdge],
    in_degrees: Counter[int],
    size: tuple[int, int],
    n_labels: int,
) -> dict[int, _Drawn]:
    """Nodes with their places, by id, in the order of `ranked`."""
    if not ranked:
        return {}
    rows = {node.id: row for row, node in enumerate(ranked)}
    strengths = [(rows[e.source], rows[e.target], math.log1p(e.weight)) for e in edges]
    radii = [_get_radius(in_degrees[node.id]) for node in ranked]
    boxes = np.array([_measure(node, radii[row], row < n_labels) for row, node in enumerate(ranked)])
    low = (float(MARGIN_PIXELS), float(MARGIN_PIXELS))
    high = (float(size[0] - MARGIN_PIXELS), float(size[1] - MARGIN_PIXELS - LEGEND_PIXELS))
    fitted = fit_into(
        lay_out(len(ranked), strengths), (low[0] + 60, low[1] + 20), (high[0] - 60, high[1] - 20)
    )
    centres = spread_boxes(fitted, boxes, low, high)
    return {
        node.id: _Drawn(node, float(x), float(y), radii[row], in_degrees[node.id], row < n_labels)
        for row, (node, (x, y)) in enumerate(zip(ranked, centres, strict=True))
    }


def _get_radius(in_degree: int) -> float:
    return 5.0 + 3.2 * math.sqrt(in_degree)


def _measure(node: PictureNode, radius: float, is_labelled: bool) -> tuple[float, float]:
    """Width and height of the room for a node with its label below, centred on the node."""
    if not is_labelled:
        return 2 * radius + 4, 2 * radius + 4
    return max(2 * radius, len(_shorten(node.label)) * LETTER_PIXELS) + 6, 2 * (radius + FONT_PIXELS + 3)


def _draw_edges(places: dict[int, _Drawn], edges: Sequence[PictureEdge]) -> Iterator[str]:
    yield '<g fill="none" stroke-opacity="0.38" stroke-linecap="round">'
    for edge in edges:
        yield _draw_edge(places[edge.source], places[edge.target], edge.weight)
    yield "</g>"


def _draw_edge(source: _Drawn, target: _Drawn, weight: int) -> str:
    """A bent line from border to border of two circles."""
    dx, dy = target.x - source.x, target.y - source.y
    length = math.hypot(dx, dy) or 1.0
    ux, uy = dx / length, dy / length
    from_x, from_y = source.x + ux * source.radius, source.y + uy * source.radius
    to_x, to_y = target.x - ux * (target.radius + 1), target.y - uy * (target.radius + 1)
    bend_x, bend_y = (from_x + to_x) / 2 - dy * CURVE, (from_y + to_y) / 2 + dx * CURVE
    path = f"M{from_x:.1f} {from_y:.1f}Q{bend_x:.1f} {bend_y:.1f} {to_x:.1f} {to_y:.1f}"
    stroke = 0.8 + 0.9 * math.log2(1 + weight)
    return f'<path d="{path}" stroke="{COLOURS[source.node.status]}" stroke-width="{stroke:.1f}"/>'


def _draw_nodes(places: dict[int, _Drawn]) -> Iterator[str]:
    # Most linked first in rank, so drawn last: nothing hides the core of a network.
    for place in reversed(places.values()):
        node = place.node
        tip = f"{_write(node.label)}: {node.status}, linked from {place.in_degree}"
        circle = f'<circle cx="{place.x:.1f}" cy="{place.y:.1f}" r="{place.radius:.1f}"'
        fill = f'fill="{COLOURS[node.status]}" stroke="#ffffff" stroke-width="1.5"'
        yield f"{circle} {fill}><title>{tip}</title></circle>"
    yield '<g text-anchor="middle" fill="#1d2733" stroke="#ffffff" stroke-width="3" paint-order="stroke">'
    for place in places.values():
        if place.is_labelled:
            y = place.y + place.radius + FONT_PIXELS
            yield f'<text x="{place.x:.1f}" y="{y:.1f}">{_write(_shorten(place.node.label))}</text>'
    yield "</g>"


def _draw_legend(nodes: Sequence[PictureNode], n_drawn: int, title: str, height: int) -> Iterator[str]:
    """One line at the foot: title, a dot and a count for each status, and what was left out."""
    counts = Counter(node.status for node in nodes)
    entries = [(COLOURS[status], f"{status} {counts[status]}") for status in COLOURS if counts[status]]
    left_out = f"{n_drawn} of {len(nodes)} web entities drawn" if n_drawn < len(nodes) else ""
    texts = [title, *(text for _, text in entries), left_out]
    starts = [float(MARGIN_PIXELS)]
    for text, _ in pairwise(texts):
        starts.append(starts[-1] + (len(text) * LETTER_PIXELS * 1.1 + 40 if text else 0))
    y = height - MARGIN_PIXELS
    yield f'<g fill="#1d2733"><text x="{starts[0]:.1f}" y="{y}" font-weight="bold">{_write(title)}</text>'
    for (colour, text), x in zip(entries, starts[1:], strict=False):
        yield f'<circle cx="{x - 10:.1f}" cy="{y - 4}" r="5" fill="{colour}"/>'
        yield f'<text x="{x:.1f}" y="{y}">{text}</text>'
    yield f'<text x="{starts[-1]:.1f}" y="{y}">{left_out}</text></g>'


def _shorten(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"


def _write(text: str) -> str:
    """Text for an SVG: escaped, without the control characters that XML forbids."""
    return escape("".join(char for char in text if char >= " " and char not in "\x7f\ufffe\uffff"))
