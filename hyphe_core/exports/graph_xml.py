"""GEXF 1.2 and GraphML, streamed: nothing of the network is kept. Gephi and most graph libraries read both.

Neither file says when it was written, so that the same network gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from hyphe_core.exports.columns import Column, ColumnType, Edge, Network, Node, value_text, xml_text

_DECLARATION = "<?xml version='1.0' encoding='utf-8'?>\n"

_GEXF_START = """<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<meta><creator>hyphe-crawler</creator></meta>
<graph mode="static" defaultedgetype="directed">
"""

_GRAPHML_START = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""

_ENTITIES = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;",
}  # fmt: skip
_SPECIAL = re.compile("[" + "".join(_ENTITIES) + "]")


def _escaped(text: str) -> str:
    """Text for an attribute's value or an element's content, white space kept."""
    return _SPECIAL.sub(lambda match: _ENTITIES[match[0]], xml_text(text))


def _write_all(stream: BinaryIO, lines: Iterable[str]) -> int:
    n_written = 0
    for line in lines:
        stream.write(line.encode())
        n_written += 1
    return n_written


def write_gexf(network: Network, stream: BinaryIO) -> tuple[int, int]:
    """Write a network as GEXF; the numbers of nodes and edges. Attribute ids are the columns' names."""
    stream.write((_DECLARATION + _GEXF_START).encode())
    stream.write("".join(_gexf_attributes(network.columns)).encode() + b"<nodes>\n")
    n_nodes = _write_all(stream, (_gexf_node(node, network.columns) for node in network.nodes))
    stream.write(b"</nodes>\n<edges>\n")
    n_edges = _write_all(stream, (_gexf_edge(n, edge) for n, edge in enumerate(network.edges)))
    stream.write(b"</edges>\n</graph>\n</gexf>\n")
    return n_nodes, n_edges


def _gexf_attributes(columns: tuple[Column, ...]) -> Iterator[str]:
    yield '<attributes class="node" mode="static">\n'
    for column in columns:
        name = _escaped(column.name)
        yield f'<attribute id="{name}" title="{name}" type="{_type_word(column)}"/>\n'
    yield "</attributes>\n"


def _gexf_node(node: Node, columns: tuple[Column, ...]) -> str:
    values = "".join(
        f'<attvalue for="{_escaped(name)}" value="{_escaped(text)}"/>' for name, text in _known(node, columns)
    )
    start = f'<node id="{_escaped(node.node_id)}" label="{_escaped(node.label)}"'
    return f"{start}><attvalues>{values}</attvalues></node>\n" if values else f"{start}/>\n"


def _gexf_edge(number: int, edge: Edge) -> str:
    source, target = _escaped(edge.source_id), _escaped(edge.target_id)
    return f'<edge id="{number}" source="{source}" target="{target}" weight="{edge.weight}"/>\n'


def write_graphml(network: Network, stream: BinaryIO) -> tuple[int, int]:
    """Write a network as GraphML; the numbers of nodes and edges. Key ids are the columns' names after
    `node.`."""
    stream.write((_DECLARATION + _GRAPHML_START).encode())
    stream.write("".join(_graphml_keys(network.columns)).encode() + b'<graph edgedefault="directed">\n')
    n_nodes = _write_all(stream, (_graphml_node(node, network.columns) for node in network.nodes))
    n_edges = _write_all(stream, (_graphml_edge(edge) for edge in network.edges))
    stream.write(b"</graph>\n</graphml>\n")
    return n_nodes, n_edges


def _graphml_keys(columns: tuple[Column, ...]) -> Iterator[str]:
    yield '<key id="node.label" for="node" attr.name="label" attr.type="string"/>\n'
    for column in columns:
        name = _escaped(column.name)
        yield f'<key id="node.{name}" for="node" attr.name="{name}" attr.type="{_type_word(column)}"/>\n'
    yield '<key id="edge.weight" for="edge" attr.name="weight" attr.type="long"/>\n'


def _graphml_node(node: Node, columns: tuple[Column, ...]) -> str:
    values = "".join(
        f'<data key="node.{_escaped(name)}">{_escaped(text)}</data>' for name, text in _known(node, columns)
    )
    label = f'<data key="node.label">{_escaped(node.label)}</data>'
    return f'<node id="{_escaped(node.node_id)}">{label}{values}</node>\n'


def _graphml_edge(edge: Edge) -> str:
    source, target = _escaped(edge.source_id), _escaped(edge.target_id)
    weight = f'<data key="edge.weight">{edge.weight}</data>'
    return f'<edge source="{source}" target="{target}">{weight}</edge>\n'


def _type_word(column: Column) -> str:
    return "string" if column.type is ColumnType.LIST else column.type.value


def _known(node: Node, columns: tuple[Column, ...]) -> Iterator[tuple[str, str]]:
    """(column name, value as text) of what is known of a node; an empty list counts as unknown."""
    for column, value in zip(columns, node.values, strict=True):
        if value is not None and value != ():
            yield column.name, value_text(value, column)
