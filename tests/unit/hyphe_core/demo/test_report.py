"""The demo's report, computed from exports."""

from collections import Counter
from pathlib import Path

import pytest

from hyphe_core.demo.report import (
    NOT_FETCHED,
    CrawlQuality,
    count_statuses,
    list_qualities,
    list_top_edges,
    read_edges,
    read_nodes,
    read_pages,
)
from hyphe_core.exports.picture import PictureEdge, PictureNode
from memory_structure.records import WebEntityStatus


def write(folder: Path, text: str) -> Path:
    path = folder / "export.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_pages_are_sorted_into_outcomes_by_entity(tmp_path):
    pages = read_pages(
        write(
            tmp_path,
            "url,web_entity,status,error,title\n"
            "http://a.fr/,A,200,,Accueil\n"
            'http://a.fr/1,A,301,,"a, b"\n'
            "http://a.fr/2,A,404,,\n"
            "http://a.fr/3,A,,robots,\n"
            "http://a.fr/4,A,,,\n"
            "http://a.fr/5,A,200,truncated,\n"
            "http://b.fr/,B,,,\n",
        )
    )
    outcomes = {"2xx": 1, "3xx": 1, "4xx": 1, "robots": 1, "truncated": 1, NOT_FETCHED: 1}
    assert list_qualities(pages) == [CrawlQuality("A", Counter(outcomes))]
    assert list_qualities(pages)[0].n_fetched == 5


def test_qualities_come_by_falling_number_of_pages(tmp_path):
    rows = "".join(f"http://{name}.fr/{n},{name},200,\n" for name in "cab" for n in range(2 + (name == "b")))
    pages = read_pages(write(tmp_path, "url,web_entity,status,error\n" + rows))
    assert [quality.web_entity for quality in list_qualities(pages)] == ["b", "a", "c"]


def test_network_exports_are_read(tmp_path):
    text = 'Id,Label,status,pages\n1,Gazette,IN,3\n2,"Été, le blog",DISCOVERED,0\n'
    nodes = read_nodes(write(tmp_path, text))
    assert nodes[1] == PictureNode(2, "Été, le blog", WebEntityStatus.DISCOVERED)
    assert count_statuses(nodes) == [(WebEntityStatus.IN, 1), (WebEntityStatus.DISCOVERED, 1)]
    assert read_edges(write(tmp_path, "Source,Target,Weight\n1,2,7\n")) == [PictureEdge(1, 2, 7)]


@pytest.mark.parametrize("n_most", [1, 2, 9])
def test_top_edges_are_the_heaviest_between_two_entities(n_most):
    edges = [PictureEdge(1, 1, 99), PictureEdge(2, 1, 3), PictureEdge(1, 2, 3), PictureEdge(3, 1, 1)]
    expected = [edges[2], edges[1], edges[3]]
    assert list_top_edges(edges, n_most) == expected[:n_most]
