"""The contract of the memory structure: everything persistent of one corpus.

One instance stands for one corpus. The docstrings are the specification; the contract suite runs them against
every backend. Unless said otherwise: lists come in the order named, moments are aware UTC, LRUs canonical
texts, unknown keys raise `NotFound`, and an error leaves the corpus as it was.

Ownership: a page belongs to the web entity that owns the longest prefix among the page's ancestors-or-self,
by stems. Every page has an owner. A prefix has one owner. Weights count distinct (source page, target page)
pairs of network kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from memory_structure.columns import Columns
from memory_structure.corpus_records import CorpusCounters, CorpusOptions, Finding
from memory_structure.creation_rules import Decision
from memory_structure.curation import Curation
from memory_structure.job_keeping import JobKeeping
from memory_structure.link_evidence import LinkEvidence
from memory_structure.lru_tree import LruTree
from memory_structure.parses import ParseKeeping
from memory_structure.records import (
    Batch,
    Degrees,
    Fetch,
    LinkRecord,
    NodeLink,
    PageRecord,
    WebEntityStatus,
    WeightedLink,
    WriteReport,
)
from memory_structure.status_history import StatusHistory
from memory_structure.text_search import TextSearch


class MemoryStructure(
    TextSearch, StatusHistory, Curation, Columns, LinkEvidence, JobKeeping, ParseKeeping, ABC
):
    """A corpus as stored. Safe to use from several threads; several processes may open the same corpus."""

    # -- the corpus as a whole

    @abstractmethod
    def options(self) -> CorpusOptions:
        """The corpus' options."""

    @abstractmethod
    def set_options(self, options: CorpusOptions) -> None:
        """Replace the options. `default_rule` goes through the rules; `precision_limit`, `private_suffixes`,
        `drop_tracking` are fixed once the corpus holds a page: InvalidValue then."""

    @abstractmethod
    def counters(self) -> CorpusCounters:
        """Totals, cheap enough to be polled."""

    @abstractmethod
    def version(self) -> int:
        """A number that grows with every committed write: equal numbers, equal content."""

    @abstractmethod
    def size_bytes(self) -> int:
        """Space the store takes, bodies not included."""

    @abstractmethod
    def close(self) -> None:
        """Release the store. Closing twice is allowed."""

    # -- indexing

    @abstractmethod
    def store_and_retrieve_flags(self, lrus: Sequence[str]) -> list[Decision]:
        """What the store knows of those LRUs: one decision for each, in order, by today's prefixes and rules.

        Stores nothing. The flag tells whether a creation rule makes a new web entity for it (with prefix and
        rule), whether nothing owns it (default rule), whether an entity owns it, or whether a precision
        exception covers it."""

    @abstractmethod
    def write_batch(self, batch: Batch) -> WriteReport:
        """Index fetched pages and their links in one transaction: pages, attempts, links, nodes, new web
        entities, aggregated links, job counters.

        Decisions are taken inside the transaction against the current prefixes and rules. Idempotent:
        attempts known by (page, job, attempt) change nothing. Only pages new to the corpus are decided upon.
        A final attempt without error replaces the page's outlinks; otherwise the earlier outlinks stay. Depth
        changes only ever lower a depth."""

    @abstractmethod
    def declare_pages(
        self, lrus: Sequence[str], raw_urls: Sequence[str | None] | None = None
    ) -> list[tuple[PageRecord, bool]]:
        """Make sure those pages are known, creating web entities by the rules; in order, with True where the
        owner is new.

        An LRU finer than the precision limit becomes a precision exception.
        """

    # -- pages and links

    @abstractmethod
    def find_page(self, lru: str) -> PageRecord | None:
        """The page of that LRU."""

    @abstractmethod
    def iter_pages(
        self, web_entity_id: int | None = None, *, only_fetched: bool = False
    ) -> Iterator[PageRecord]:
        """Pages (of one entity, or all) in LRU order, streamed."""

    @abstractmethod
    def list_pages(
        self, web_entity_id: int, *, after: str | None = None, limit: int = 5000, only_fetched: bool = False
    ) -> list[PageRecord]:
        """The next pages of an entity in LRU order, strictly after an LRU."""

    @abstractmethod
    def list_most_linked_pages(self, web_entity_id: int, limit: int = 20) -> list[tuple[PageRecord, int]]:
        """Pages of an entity by falling number of distinct linking pages, then LRU."""

    @abstractmethod
    def list_fetches(self, lru: str) -> list[Fetch]:
        """Every attempt on a page, of all jobs, oldest first."""

    @abstractmethod
    def find_text(self, lru: str) -> str | None:
        """The visible text of the page's last good fetch."""

    @abstractmethod
    def iter_digests(self) -> Iterator[tuple[str, Fetch]]:
        """(LRU, fetch) for every attempt that kept a body, in LRU then attempt order, streamed."""

    @abstractmethod
    def list_outlinks(self, lru: str) -> list[LinkRecord]:
        """Page links leaving a page, by target LRU then kind."""

    @abstractmethod
    def list_inlinks(self, lru: str, limit: int = 1000) -> list[LinkRecord]:
        """Page links arriving at a page, by source LRU then kind."""

    @abstractmethod
    def iter_links(self, web_entity_id: int | None = None) -> Iterator[LinkRecord]:
        """Page links by source LRU, target LRU, kind, streamed; of one entity: those leaving its pages."""

    @abstractmethod
    def list_links(
        self,
        web_entity_id: int,
        *,
        after: tuple[str, str, int] | None = None,
        limit: int = 1000,
        include_external: bool = False,
    ) -> list[LinkRecord]:
        """The next page links leaving an entity's pages, strictly after (source LRU, target LRU, kind);
        without external ones only those that stay inside the entity."""

    # -- networks

    @abstractmethod
    def web_entity_links(self) -> list[WeightedLink]:
        """All links between two different web entities, by source then target id."""

    @abstractmethod
    def internal_weights(self) -> dict[int, int]:
        """Web entity id -> number of distinct page links that stay inside it (entities without any are
        absent)."""

    @abstractmethod
    def degrees(
        self, sources: Iterable[WebEntityStatus] = (WebEntityStatus.IN, WebEntityStatus.UNDECIDED)
    ) -> dict[int, Degrees]:
        """Degrees of every web entity that has a neighbour, counting only links whose source has one of the
        statuses."""

    @abstractmethod
    def list_referrers(self, web_entity_id: int) -> list[WeightedLink]:
        """Links arriving at an entity, by falling weight then source id."""

    @abstractmethod
    def list_referrals(self, web_entity_id: int) -> list[WeightedLink]:
        """Links leaving an entity, by falling weight then target id."""

    @abstractmethod
    def iter_node_links(self) -> Iterator[NodeLink]:
        """Links between nodes, by source then target LRU, streamed. Without a precision limit: page links."""

    @abstractmethod
    def iter_nodes(self) -> Iterator[tuple[str, int, int]]:
        """(node LRU, owning web entity id, number of pages folded into it), by LRU, streamed."""

    # -- maintenance

    @abstractmethod
    def check(self, limit: int = 100) -> list[Finding]:
        """Prove the laws: one owner per page, aggregates and counters equal a recomputation from pages and
        links, no dangling ids. At most `limit` findings; empty when all is well."""

    @abstractmethod
    def rebuild(self, *, dry_run: bool = False) -> list[Finding]:
        """Compute owners, nodes, aggregated links and counters anew from pages, links and prefixes; what
        differed."""

    @abstractmethod
    def redirect_targets(self) -> Iterator[tuple[str, str]]:
        """(LRU, target LRU) of every page whose last fetch was a redirect, by LRU."""

    @abstractmethod
    def lru_tree(self, web_entity_id: int) -> LruTree:
        """The LRU tree of an entity's pages."""
