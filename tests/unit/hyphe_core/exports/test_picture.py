"""The picture of a network."""

import numpy as np
import pytest
from lxml import etree

from hyphe_core.exports.force_layout import fit_into, lay_out, spread_boxes
from hyphe_core.exports.picture import PictureEdge, PictureNode, draw_network_svg
from memory_structure.records import WebEntityStatus

SVG = "{http://www.w3.org/2000/svg}"
RING = [(row, (row + 1) % 12, 1.0) for row in range(12)]


def make_star(n_leaves: int) -> tuple[list[PictureNode], list[PictureEdge]]:
    nodes = [PictureNode(1, "hub", WebEntityStatus.IN)]
    nodes += [PictureNode(row, f"leaf {row}", WebEntityStatus.DISCOVERED) for row in range(2, n_leaves + 2)]
    return nodes, [PictureEdge(row, 1, row) for row in range(2, n_leaves + 2)]


def parse(svg: str) -> etree._Element:
    return etree.fromstring(svg.encode())


def find_circles(svg: str) -> dict[str, etree._Element]:
    """Circles of nodes by the label in their tooltip; those of the legend have none."""
    circles = parse(svg).iter(f"{SVG}circle")
    return {c[0].text.partition(":")[0]: c for c in circles if len(c)}


def test_same_network_gives_same_bytes_whatever_its_ids():
    nodes, edges = make_star(20)
    renamed = [PictureNode(100 - node.id, node.label, node.status) for node in reversed(nodes)]
    moved = [PictureEdge(100 - edge.source, 100 - edge.target, edge.weight) for edge in reversed(edges)]
    assert draw_network_svg(renamed, moved) == draw_network_svg(nodes, edges)


def test_node_with_more_sources_is_larger_and_colour_follows_status():
    circles = find_circles(draw_network_svg(*make_star(9)))
    assert float(circles["hub"].get("r")) > float(circles["leaf 2"].get("r"))
    assert circles["hub"].get("fill") != circles["leaf 2"].get("fill")


def test_heavier_link_is_wider():
    paths = parse(draw_network_svg(*make_star(9))).iter(f"{SVG}path")
    widths = [float(path.get("stroke-width")) for path in paths]
    assert len(widths) == 9
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


def test_loops_and_edges_to_nodes_not_drawn_are_left_out():
    nodes, edges = make_star(2)
    extra = [PictureEdge(1, 1, 5), PictureEdge(1, 99, 5)]
    assert draw_network_svg(nodes, edges + extra) == draw_network_svg(nodes, edges)


def test_large_network_keeps_the_most_linked_and_says_so():
    nodes, edges = make_star(30)
    svg = draw_network_svg(nodes, edges, n_nodes_most=10)
    assert "hub" in find_circles(svg)
    assert len(find_circles(svg)) == 10
    assert "10 of 31 web entities drawn" in svg


@pytest.mark.parametrize("label", ['<b>&"', "a\x00b\x1fc\uffff", "été 漢字", ""])
def test_any_label_gives_readable_xml(label):
    svg = draw_network_svg([PictureNode(1, label, WebEntityStatus.OUT)], [], title=label)
    assert parse(svg).tag == f"{SVG}svg"


def test_empty_network_is_a_picture_too():
    assert find_circles(draw_network_svg([], [])) == {}


def test_nodes_stay_on_the_sheet():
    for circle in find_circles(draw_network_svg(*make_star(60), width=600, height=400)).values():
        x, y, r = (float(circle.get(name)) for name in ("cx", "cy", "r"))
        assert r <= x <= 600 - r
        assert r <= y <= 400 - r


def test_linked_nodes_lie_nearer_than_others():
    positions = lay_out(12, RING)
    distances = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    linked = np.mean([distances[a, b] for a, b, _ in RING])
    assert linked < distances[np.triu_indices(12, 1)].mean() / 1.5


def test_boxes_with_room_do_not_overlap_even_from_one_point():
    centres = spread_boxes(np.full((8, 2), 200.0), np.full((8, 2), 30.0), (0.0, 0.0), (400.0, 400.0))
    gaps = np.abs(centres[:, None] - centres[None]).max(axis=2)
    assert (gaps[np.triu_indices(8, 1)] > 29.9).all()


def test_fit_fills_the_box_and_centres_what_is_flat():
    fitted = fit_into(np.array([[0.0, 3.0], [4.0, 3.0]]), (10.0, 10.0), (20.0, 30.0))
    assert fitted.tolist() == [[10.0, 20.0], [20.0, 20.0]]
