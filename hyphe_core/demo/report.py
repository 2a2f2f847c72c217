"""What the demo says after its crawl, computed from the CSV exports alone: a researcher has them as well."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from hyphe_core.exports.picture import PictureEdge, PictureNode
from memory_structure.records import WebEntityStatus

NOT_FETCHED = "not fetched"


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A row of the pages export. `outcome` is the class of its status (`2xx`), an error, or NOT_FETCHED."""

    web_entity: str
    outcome: str


@dataclass(frozen=True, slots=True)
class CrawlQuality:
    """How the pages of one web entity fared: counts of the outcomes of KnownPage."""

    web_entity: str
    outcomes: Counter[str]

    @property
    def n_fetched(self) -> int:
        """Pages with an attempt on record."""
        return self.outcomes.total() - self.outcomes[NOT_FETCHED]


def read_nodes(path: Path) -> list[PictureNode]:
    """Web entities of a web-entities export, in its order."""
    return [
        PictureNode(int(row["Id"]), row["Label"], WebEntityStatus(row["status"])) for row in _iter_rows(path)
    ]


def read_edges(path: Path) -> list[PictureEdge]:
    """Links of a network export, in its order."""
    return [
        PictureEdge(int(row["Source"]), int(row["Target"]), int(row["Weight"])) for row in _iter_rows(path)
    ]


def read_pages(path: Path) -> list[KnownPage]:
    """Pages of a pages export, in its order."""
    return [KnownPage(row["web_entity"], _name_outcome(row)) for row in _iter_rows(path)]


def list_qualities(pages: Iterable[KnownPage]) -> list[CrawlQuality]:
    """Quality of each crawl, most pages first; entities with no page fetched are left out."""
    by_entity = groupby(sorted(pages, key=lambda page: page.web_entity), key=lambda page: page.web_entity)
    qualities = [CrawlQuality(name, Counter(page.outcome for page in group)) for name, group in by_entity]
    crawled = [quality for quality in qualities if quality.n_fetched]
    return sorted(crawled, key=lambda quality: (-quality.n_fetched, quality.web_entity))


def list_top_edges(edges: Iterable[PictureEdge], n_most: int) -> list[PictureEdge]:
    """The heaviest links between two different entities, ties by id."""
    between = (edge for edge in edges if edge.source != edge.target)
    return sorted(between, key=lambda edge: (-edge.weight, edge.source, edge.target))[:n_most]


def count_statuses(nodes: Sequence[PictureNode]) -> list[tuple[WebEntityStatus, int]]:
    """Web entities by status, in the order of the statuses."""
    counts = Counter(node.status for node in nodes)
    return [(status, counts[status]) for status in WebEntityStatus if counts[status]]


def _name_outcome(row: dict[str, str]) -> str:
    if row["error"]:
        return row["error"]
    return f"{row['status'][0]}xx" if row["status"] else NOT_FETCHED


def _iter_rows(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
