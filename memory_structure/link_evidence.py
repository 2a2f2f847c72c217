"""The contract of what lies behind links between web entities: pages, clicks. A part of `MemoryStructure`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memory_structure.records import FoundLink, LinkRecord, PageRecord

PagePair = tuple[int, int]
"""(id of the source page, id of the target page)."""


class EvidenceLink(NamedTuple):
    """A page link with the title of the page it stands on and when it was read there."""

    link: LinkRecord
    source_title: str
    read_at: datetime


class EvidencePage(NamedTuple):
    """Some of the page links behind a link between entities. `n_pairs`: distinct (source page, target page)
    of all of them, the weight of the link. `last` is the last pair of `links`, None when no more follow."""

    n_pairs: int
    links: tuple[EvidenceLink, ...]
    last: PagePair | None


@dataclass(frozen=True, slots=True)
class PageDepths:
    """How many pages of an entity lie how many clicks from its start pages, by the links stored inside it.

    `start_lrus`: the pages at 0 clicks. `n_by_depth`: (clicks, pages), by clicks. `n_unreached`: pages that
    no chain of links reaches from there. Redirects cost no click, nor does a meta refresh without delay.
    """

    web_entity_id: int
    start_lrus: tuple[str, ...]
    n_by_depth: tuple[tuple[int, int], ...]
    n_unreached: int


class LinkEvidence(ABC):
    """Page links between entities, entry points, depths; links found out later."""

    @abstractmethod
    def list_evidence(
        self, source_id: int, target_id: int, *, after: PagePair | None = None, limit: int = 100
    ) -> EvidencePage:
        """The page links of network kinds that leave pages of one entity for pages of another (or the same):
        all kinds of the next `limit` pairs of pages, by ids of source and target page, then kind; strictly
        after a pair. Raises NotFound."""

    @abstractmethod
    def list_entry_pages(self, web_entity_id: int, limit: int = 100) -> list[tuple[PageRecord, int]]:
        """Pages of an entity that pages of other entities link to, with how many do, most first, then by
        LRU."""

    @abstractmethod
    def most_linked_pages_of(
        self, web_entity_ids: Sequence[int], limit: int = 20
    ) -> dict[int, list[tuple[PageRecord, int]]]:
        """Entity id -> what `list_most_linked_pages` gives, for many entities in one pass over all links;
        those without linked pages are absent."""

    @abstractmethod
    def iter_pages_under(self, prefix: str) -> Iterator[PageRecord]:
        """Pages whose LRU is a prefix or lies below it, whoever owns them, in LRU order, streamed."""

    @abstractmethod
    def add_links(self, additions: Mapping[str, Sequence[FoundLink]]) -> int:
        """Add links to what was found on pages (LRU -> links), in one transaction, as if they had been among
        the links of their last good fetch; unknown targets become pages, with entities by the rules. Pages
        without stored links, links that are known, and links to the page itself are passed over. The number
        of links added."""

    @abstractmethod
    def page_depths(self, web_entity_id: int) -> PageDepths:
        """How far the entity's pages lie from its start pages (those kept with it, else its homepage, else
        its prefixes), computed from the links as they are now."""

    @abstractmethod
    def list_page_depths(
        self, web_entity_id: int, *, after: str | None = None, limit: int = 1000
    ) -> list[tuple[PageRecord, int | None]]:
        """The next pages of an entity in LRU order, strictly after an LRU, each with its clicks from the
        start pages, None for unreached ones."""
