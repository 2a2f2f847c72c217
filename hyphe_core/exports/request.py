"""What can be exported, and in which formats."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hyphe_core.errors import UsageFault, nearest_name
from memory_structure.records import NETWORK_KINDS, LinkKind, WebEntityStatus


class Subject(StrEnum):
    """What of a corpus is exported."""

    NETWORK = "network"
    PAGE_NETWORK = "page-network"
    NODE_NETWORK = "node-network"
    WEB_ENTITIES = "web-entities"
    PAGES = "pages"
    LINKS = "links"
    TEXTS = "texts"
    PARSES = "parses"


class Format(StrEnum):
    """How it is written."""

    GEXF = "gexf"
    GRAPHML = "graphml"
    CSV = "csv"
    JSON = "json"
    WARC = "warc"
    XML = "xml"


_NETWORK_FORMATS = (Format.GEXF, Format.GRAPHML, Format.CSV, Format.JSON)
FORMATS: dict[Subject, tuple[Format, ...]] = {
    Subject.NETWORK: _NETWORK_FORMATS,
    Subject.PAGE_NETWORK: _NETWORK_FORMATS,
    Subject.NODE_NETWORK: _NETWORK_FORMATS,
    Subject.WEB_ENTITIES: (Format.CSV, Format.JSON),
    Subject.PAGES: (Format.CSV, Format.JSON, Format.WARC),
    Subject.LINKS: (Format.CSV, Format.JSON),
    Subject.TEXTS: (Format.CSV, Format.JSON),
    Subject.PARSES: (Format.XML,),
}

DEFAULT_KINDS: dict[Subject, frozenset[LinkKind]] = {
    Subject.PAGE_NETWORK: NETWORK_KINDS,
    Subject.LINKS: frozenset(LinkKind),
}
"""The subjects made of page links, with the kinds they hold unless others are asked for."""

_OF_PAGES = frozenset({Subject.PAGE_NETWORK, Subject.PAGES, Subject.LINKS, Subject.TEXTS, Subject.PARSES})

KIND_WORDS = {kind: kind.name.lower() for kind in sorted(LinkKind)}


def parse_kinds(text: str) -> frozenset[LinkKind]:
    """The kinds of link written as words with commas between them. UsageFault names every unknown word."""
    by_word = {word: kind for kind, word in KIND_WORDS.items()}
    words = [word.strip().lower() for word in text.split(",")]
    faults = [
        f"{word!r} is no kind of link{nearest_name(word, by_word)}" for word in words if word not in by_word
    ]
    if faults:
        raise UsageFault("; ".join(faults))
    return frozenset(by_word[word] for word in words)


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """An export asked for. UsageFault when the subject has no such format, or no links of chosen kinds.

    `statuses` None keeps every web entity. Otherwise entities of other statuses are left out with their
    pages, links that leave their pages, and the edges at them. `guard_formulas` makes spreadsheets read
    every CSV cell as text. `kinds` are those of the page links exported; None: the subject's DEFAULT_KINDS.
    `entities`: only the pages of these web entities, and the links that leave them, entity after entity.
    """

    subject: Subject
    format: Format
    statuses: frozenset[WebEntityStatus] | None = None
    guard_formulas: bool = False
    kinds: frozenset[LinkKind] | None = None
    entities: frozenset[int] | None = None

    def __post_init__(self) -> None:
        accepted = FORMATS[self.subject]
        if self.format not in accepted:
            raise UsageFault(
                f"{self.subject} cannot be written as {self.format}; it can as {', '.join(accepted)}"
            )
        if self.kinds is not None and self.subject not in DEFAULT_KINDS:
            raise UsageFault(
                f"kinds of link can be chosen for {' and '.join(DEFAULT_KINDS)}, not {self.subject}"
            )

        if self.entities is not None and (self.subject not in _OF_PAGES or self.format is Format.WARC):
            raise UsageFault(
                f"web entities can be chosen for {', '.join(sorted(_OF_PAGES))}, "
                f"not {self.subject} as {self.format}"
            )

    @property
    def link_kinds(self) -> frozenset[LinkKind]:
        """The kinds of the page links exported; empty for subjects that are not made of page links."""
        return DEFAULT_KINDS.get(self.subject, frozenset()) if self.kinds is None else self.kinds


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
