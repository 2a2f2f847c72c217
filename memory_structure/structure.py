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
from memory_structure.corpus_records import CorpusCounters, CorpusOptions, Finding, RuleApplication
from memory_structure.creation_rules import CreationRule, Decision, RuleSet
from memory_structure.job_keeping import JobKeeping
from memory_structure.link_evidence import LinkEvidence
from memory_structure.lru_tree import LruTree
from memory_structure.precision import PrecisionLimit
from memory_structure.prefixes import PrefixMap
from memory_structure.records import (
    Batch,
    Degrees,
    Fetch,
    LinkRecord,
    NodeLink,
    PageRecord,
    StartPage,
    WebEntity,
    WebEntityStatus,
    WeightedLink,
    WriteReport,
)


class MemoryStructure(Columns, LinkEvidence, JobKeeping, ABC):
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
    def backup(self, path: str) -> None:
        """A consistent copy of the store, bodies not included, into a new file, while others read and
        write."""

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

    # -- web entities

    @abstractmethod
    def declare_web_entity(
        self,
        prefixes: Sequence[str],
        *,
        name: str | None = None,
        status: WebEntityStatus = WebEntityStatus.DISCOVERED,
        start_pages: Sequence[StartPage] = (),
        tags: Sequence[tuple[str, str, str]] = (),
    ) -> WebEntity:
        """Create a web entity that owns exactly those prefixes. Raises PrefixTaken when one has an owner,
        InvalidValue when none is given. Pages below change hands; a prefix finer than the precision limit
        becomes an exception."""

    @abstractmethod
    def get_web_entity(self, web_entity_id: int) -> WebEntity:
        """The web entity of that id."""

    @abstractmethod
    def find_web_entity_by_prefix(self, prefix: str) -> WebEntity | None:
        """The owner of exactly that prefix."""

    @abstractmethod
    def find_owner(self, lru: str) -> WebEntity | None:
        """The entity that owns an LRU, whether it is a known page or not."""

    @abstractmethod
    def list_web_entities(
        self,
        *,
        ids: Sequence[int] | None = None,
        status: WebEntityStatus | None = None,
        after: tuple[str, int] | int | None = None,
        by_name: bool = False,
        limit: int | None = None,
    ) -> list[WebEntity]:
        """Web entities by id, or by (name, id) when `by_name`; `after` is the last one seen in that order (an
        id, or a (name, id) pair). With `ids`: those, in that order."""

    @abstractmethod
    def list_sub_web_entities(self, web_entity_id: int) -> list[int]:
        """Ids of the entities that own a prefix strictly below one of this entity's, rising."""

    @abstractmethod
    def list_parent_web_entities(self, web_entity_id: int) -> list[int]:
        """Ids of the entities that own a prefix strictly above one of this entity's, rising."""

    @abstractmethod
    def edit_web_entity(
        self,
        web_entity_id: int,
        *,
        name: str | None = None,
        status: WebEntityStatus | None = None,
        homepage: str | None = None,
        note: str | None = None,
        start_pages: Sequence[StartPage] | None = None,
        tags: Sequence[tuple[str, str, str]] | None = None,
    ) -> WebEntity:
        """Replace what is given, leave the rest; an empty homepage clears it. Start pages must belong to the
        entity."""

    @abstractmethod
    def set_statuses(self, web_entity_ids: Sequence[int], status: WebEntityStatus) -> int:
        """Set the status of many at once, all or none; the number that changed."""

    @abstractmethod
    def add_prefixes(self, web_entity_id: int, prefixes: Sequence[str], *, take: bool = False) -> WebEntity:
        """Give prefixes to an entity. One owned by another: PrefixTaken, or with `take` it moves here (an
        entity left without prefix is deleted)."""

    @abstractmethod
    def remove_prefix(self, web_entity_id: int, prefix: str) -> WebEntity | None:
        """Take a prefix away; its pages fall to the next owner up, or to entities the rules create. None when
        it was the last one and the entity is gone."""

    @abstractmethod
    def merge_web_entities(
        self, old_id: int, good_id: int, *, keep_tags: bool = True, keep_start_pages: bool = True
    ) -> WebEntity:
        """Fold `old` into `good`: prefixes, pages, links, jobs. InvalidValue when both are the same."""

    @abstractmethod
    def delete_web_entity(self, web_entity_id: int) -> tuple[int, ...]:
        """Remove an entity; its pages fall to the next owner up, or to entities the rules create (their
        ids)."""

    # -- rules and precision

    @abstractmethod
    def rules(self) -> RuleSet:
        """Default and anchored rules."""

    @abstractmethod
    def add_rule(self, rule: CreationRule) -> None:
        """Add or replace the rule anchored at a prefix and its variations (prefix "" = the default rule).
        Known pages are not touched: see `apply_rules`."""

    @abstractmethod
    def delete_rule(self, prefix: str) -> None:
        """Remove the rule anchored at a prefix and its variations."""

    @abstractmethod
    def apply_rules(self, prefix: str = "", *, dry_run: bool = False) -> RuleApplication:
        """Decide again for every known page under a prefix and its variations ("" = all), creating what the
        rules ask for, from the longest prefix to the shortest."""

    @abstractmethod
    def prefix_map(self) -> PrefixMap[int]:
        """Owned prefixes -> web entity id, as of now; a copy the caller may keep."""

    @abstractmethod
    def precision(self) -> PrecisionLimit:
        """The precision limit with its exceptions."""

    @abstractmethod
    def add_precision_exceptions(self, prefixes: Sequence[str]) -> None:
        """Full precision restarts at those prefixes; node links of pages below are made anew."""

    @abstractmethod
    def delete_precision_exceptions(self, prefixes: Sequence[str]) -> None:
        """Undo `add_precision_exceptions`; unknown ones raise NotFound."""

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
