"""Writers alone, on networks and tables made by hand."""

import csv
import io
import json

import pytest
from lxml import etree

from hyphe_core.exports.columns import (
    Column,
    ColumnType,
    Edge,
    Network,
    Node,
    Table,
    boolean,
    integer,
    xml_text,
)
from hyphe_core.exports.delimited import write_csv
from hyphe_core.exports.graph_xml import write_gexf, write_graphml
from hyphe_core.exports.json_lines import write_json_network, write_json_table

COLUMNS = (integer("n"), boolean("yes"), Column("x", ColumnType.REAL), Column("many", ColumnType.LIST, "|"))


def network():
    nodes = [Node('a"<', "L&\n", (1, True, 0.5, ("p", "q"))), Node("b", "", (None, False, None, ()))]
    return Network(COLUMNS, iter(nodes), iter([Edge('a"<', "b", 3)]))


@pytest.mark.parametrize("write", [write_gexf, write_graphml])
def test_graph_xml_is_well_formed_and_leaves_unknown_values_out(write):
    stream = io.BytesIO()
    assert write(network(), stream) == (2, 1)
    root = etree.fromstring(stream.getvalue())
    ids = root.xpath("//*[local-name()='node']/@id")
    assert ids == ['a"<', "b"]
    edge = root.xpath("//*[local-name()='edge']")[0]
    assert (edge.get("source"), edge.get("target")) == ('a"<', "b")
    values = root.xpath("//*[local-name()='node'][2]//*[local-name()='attvalue']/@value")
    values += root.xpath("//*[local-name()='node'][2]/*[local-name()='data'][@key!='node.label']/text()")
    assert values == ["false"]


def test_json_keeps_types_and_unknown_values():
    stream = io.BytesIO()
    assert write_json_network(network(), stream) == (2, 1)
    first, second = json.loads(stream.getvalue())["nodes"]
    assert first == {"id": 'a"<', "label": "L&\n", "n": 1, "yes": True, "x": 0.5, "many": ["p", "q"]}
    assert second == {"id": "b", "label": "", "n": None, "yes": False, "x": None, "many": []}


def table(*cells):
    return Table(tuple(Column(f"c{n}") for n in range(len(cells))), iter([cells]))


@pytest.mark.parametrize("cell", ['a"b', "a,b", "a\nb", "", " a ", "é💡", "'a", "=1"])
def test_csv_cells_come_back_as_they_were(cell):
    stream = io.BytesIO()
    assert write_csv(table("x", cell), stream) == 1
    assert list(csv.reader(io.StringIO(stream.getvalue().decode(), newline="")))[1] == ["x", cell]


@pytest.mark.parametrize(
    ("cell", "written"),
    [("a\r\nb\rc", "a\nb\nc"), ("a\x00b\x1f", "a\ufffdb\ufffd"), ("\ud800", "\ufffd")],
)
def test_csv_replaces_what_readers_stumble_over(cell, written):
    stream = io.BytesIO()
    write_csv(table("x", cell), stream)
    assert list(csv.reader(io.StringIO(stream.getvalue().decode(), newline="")))[1] == ["x", written]


def test_a_lone_surrogate_does_not_stop_json():
    stream = io.BytesIO()
    assert write_json_table(table("\ud800"), stream) == 1
    assert json.loads(stream.getvalue()) == [{"c0": "?"}]


def test_text_for_xml_has_no_forbidden_character_and_loses_no_other():
    every = "".join(map(chr, [*range(0x300), 0xD7FF, 0xE000, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x10FFFF]))
    cleaned = xml_text(every)
    assert len(cleaned) == len(every)
    element = etree.Element("x")
    element.text = cleaned  # lxml refuses what XML forbids
    kept = [a for a, b in zip(every, cleaned, strict=True) if a == b]
    assert len(every) - len(kept) == 29 + 2
