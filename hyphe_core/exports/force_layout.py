"""Positions for the nodes of a small network, always the same for the same network.

Nodes repel one another, linked nodes attract, all are drawn to the middle. Nothing is left to chance: the
start is a spiral in the order of the nodes. A step costs the square of their number: meant for hundreds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

N_STEPS = 500
GOLDEN_ANGLE = 2.399963
GRAVITY = 0.05
NEAREST = 1e-3
"""Squared distance under which two nodes count as this far apart, so that forces stay finite."""


def lay_out(n_nodes: int, edges: Sequence[tuple[int, int, float]]) -> Floats:
    """Positions of nodes 0 to n-1, shape (n, 2), no unit; `edges` are (node, node, strength)."""
    positions = _make_spiral(n_nodes)
    attraction = np.zeros((n_nodes, n_nodes))
    for source, target, strength in edges:
        attraction[source, target] += strength
        attraction[target, source] += strength
    masses = 1.0 + np.count_nonzero(attraction, axis=1)
    largest_step = np.sqrt(n_nodes)
    for step in range(N_STEPS):
        forces = _sum_forces(positions, attraction, masses)
        lengths = np.maximum(np.linalg.norm(forces, axis=1, keepdims=True), NEAREST)
        limit = largest_step * (1 - step / N_STEPS) ** 2
        positions += forces / lengths * np.minimum(lengths, limit)
    return positions


def fit_into(positions: Floats, low: tuple[float, float], high: tuple[float, float]) -> Floats:
    """Positions stretched over the box from `low` to `high` (x, y); a flat direction is put in its middle."""
    smallest, largest = positions.min(axis=0), positions.max(axis=0)
    spans = largest - smallest
    shares = np.where(spans > 0, (positions - smallest) / np.where(spans > 0, spans, 1.0), 0.5)
    fitted: Floats = np.asarray(low) + shares * (np.asarray(high) - np.asarray(low))
    return fitted


def spread_boxes(
    centres: Floats, sizes: Floats, low: tuple[float, float], high: tuple[float, float]
) -> Floats:
    """Centres moved so that the boxes around them (width, height) do not overlap, as far as there is room."""
    centres = centres.copy()
    reach = (sizes[:, None] + sizes[None]) / 2
    for _ in range(N_STEPS):
        offsets = centres[:, None] - centres[None]
        overlaps = reach - np.abs(offsets)
        touching: NDArray[np.bool_] = np.logical_and(overlaps[:, :, 0] > 0, overlaps[:, :, 1] > 0)
        np.fill_diagonal(touching, False)
        if not touching.any():
            break
        centres += _push_apart(offsets, overlaps, touching)
        np.clip(centres, np.asarray(low) + sizes / 2, np.asarray(high) - sizes / 2, out=centres)
    return centres


def _make_spiral(n_nodes: int) -> Floats:
    order = np.arange(n_nodes, dtype=np.float64)
    angles, radii = order * GOLDEN_ANGLE, np.sqrt(order + 0.5)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def _sum_forces(positions: Floats, attraction: Floats, masses: Floats) -> Floats:
    offsets = positions[:, None] - positions[None]
    squares = np.maximum((offsets**2).sum(axis=2), NEAREST)
    pushes = masses[:, None] * masses[None] / squares - attraction
    forces: Floats = (pushes[:, :, None] * offsets).sum(axis=1) - GRAVITY * masses[:, None] * positions
    return forces


def _push_apart(offsets: Floats, overlaps: Floats, touching: NDArray[np.bool_]) -> Floats:
    """Half of each overlap, along its shorter side, for both boxes of a touching pair."""
    order = np.arange(len(offsets))
    first = np.where(order[:, None] < order[None], -1.0, 1.0)
    signs = np.where(offsets == 0, first[:, :, None], np.sign(offsets))
    is_shorter = overlaps == overlaps.min(axis=2, keepdims=True)
    moves = signs * overlaps * is_shorter * touching[:, :, None]
    pushes: Floats = moves.sum(axis=1) / 2
    return pushes
