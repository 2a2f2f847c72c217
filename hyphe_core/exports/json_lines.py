"""JSON, written as it comes: a table is an array of objects, a network an object with `nodes` and `edges`.

Each object stands on a line of its own, so that line tools can read the files too. Nothing known is null;
lists stay lists.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from hyphe_core.exports.columns import Column, Network, Row, Table

_encode: Callable[[Any], str] = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode


def write_json_table(table: Table, stream: BinaryIO) -> int:
    """Write a table; the number of rows."""
    n_rows = _write_array(stream, (_object(table.columns, row) for row in table.rows))
    stream.write(b"\n")
    return n_rows


def write_json_network(network: Network, stream: BinaryIO) -> tuple[int, int]:
    """Write a network; the numbers of nodes and edges. An edge has source, target, weight."""
    stream.write(b'{"nodes":')
    nodes = (
        {"id": node.node_id, "label": node.label} | _object(network.columns, node.values)
        for node in network.nodes
    )
    n_nodes = _write_array(stream, nodes)
    stream.write(b',"edges":')
    edges = ({"source": e.source_id, "target": e.target_id, "weight": e.weight} for e in network.edges)
    n_edges = _write_array(stream, edges)
    stream.write(b"}\n")
    return n_nodes, n_edges


def _object(columns: tuple[Column, ...], row: Row) -> dict[str, Any]:
    return {column.name: value for column, value in zip(columns, row, strict=True)}


def _write_array(stream: BinaryIO, objects: Iterable[dict[str, Any]]) -> int:
    n_written = 0
    stream.write(b"[")
    for each in objects:
        stream.write(b",\n" if n_written else b"\n")
        stream.write(_encode(each).encode("utf-8", "replace"))
        n_written += 1
    stream.write(b"\n]" if n_written else b"]")
    return n_written
