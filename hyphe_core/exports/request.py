"""What can be exported, and in which formats."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hyphe_core.errors import UsageFault
from memory_structure.records import WebEntityStatus


class Subject(StrEnum):
    """What of a corpus is exported."""

    NETWORK = "network"
    PAGE_NETWORK = "page-network"
    NODE_NETWORK = "node-network"
    WEB_ENTITIES = "web-entities"
    PAGES = "pages"
    LINKS = "links"


class Format(StrEnum):
    """How it is written."""

    GEXF = "gexf"
    GRAPHML = "graphml"
    CSV = "csv"
    JSON = "json"
    WARC = "warc"


_NETWORK_FORMATS = (Format.GEXF, Format.GRAPHML, Format.CSV, Format.JSON)
FORMATS: dict[Subject, tuple[Format, ...]] = {
    Subject.NETWORK: _NETWORK_FORMATS,
    Subject.PAGE_NETWORK: _NETWORK_FORMATS,
    Subject.NODE_NETWORK: _NETWORK_FORMATS,
    Subject.WEB_ENTITIES: (Format.CSV, Format.JSON),
    Subject.PAGES: (Format.CSV, Format.JSON, Format.WARC),
    Subject.LINKS: (Format.CSV, Format.JSON),
}


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """An export asked for. UsageFault when the subject has no such format.

    `statuses` None keeps every web entity. Otherwise entities of other statuses are left out with their
    pages, links that leave their pages, and the edges at them. `guard_formulas` makes spreadsheets read
    every CSV cell as text.
    """

    subject: Subject
    format: Format
    statuses: frozenset[WebEntityStatus] | None = None
    guard_formulas: bool = False

    def __post_init__(self) -> None:
        accepted = FORMATS[self.subject]
        if self.format not in accepted:
            raise UsageFault(
                f"{self.subject} cannot be written as {self.format}; it can as {', '.join(accepted)}"
            )


@dataclass(frozen=True, slots=True)
class ExportReport:
    """How much was written: rows of a table, records of an archive, nodes and edges of a network (None where
    there
    are no such things). `n_missing` counts bodies that the corpus names and does not hold."""

    n_rows: int | None = None
    n_nodes: int | None = None
    n_edges: int | None = None
    n_missing: int = 0

    @property
    def summary(self) -> str:
        """What was written, in words."""
        amounts = ((self.n_rows, "rows"), (self.n_nodes, "nodes"), (self.n_edges, "edges"))
        return ", ".join(f"{n} {noun}" for n, noun in amounts if n is not None)
