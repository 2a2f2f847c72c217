"""The objects of the founding indexing algorithm: pages of a batch, their links, the LRU tree of what is new.

A batch is indexed in one transaction: pages and their links are gathered, what the corpus does not know yet
goes into an LRU tree, each LRU is asked whether it is a node, one call tells for all what the branch they
hang on holds (`store_and_retrieve_flags`), exceptions and rules are applied from the longest prefix to the
shortest, and links between nodes and between web entities follow. `memory_structure.stored.indexing` carries
it out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory_structure.lru_tree import LruTree
from memory_structure.precision import PrecisionLimit
from memory_structure.records import Fetch, FetchedPage, FoundLink, LinkKind

PageLink = FoundLink  # a link of a page of the batch: made once, by the parser, and read by column here


class Page:
    """A fetched page of a batch on its way into the store. `page_id` and `fetch_id` (of the last
    attempt) are 0 until they are known.

    A mutable class with slots: one is made for each page of a crawl.
    """

    __slots__ = ("attempts", "fetch_id", "fetched", "links", "page_id", "targets")

    def __init__(self, fetched: FetchedPage, attempts: Sequence[Fetch]) -> None:
        self.fetched = fetched
        self.attempts = attempts
        self.page_id = 0
        self.fetch_id = 0
        self.links: Sequence[PageLink] = ()
        if self.replaces_links:
            self.links = sound_links(fetched.lru, fetched.links)
        self.targets = [link[0] for link in self.links]

    @property
    def lru(self) -> str:
        """The page's key."""
        return self.fetched.lru

    @property
    def fetch(self) -> Fetch:
        """The attempt that counts."""
        return self.fetched.attempts[-1]

    @property
    def replaces_links(self) -> bool:
        """Whether what was found takes the place of earlier links: only a whole answer does."""
        return self.fetched.attempts[-1].error is None


def sound_links(lru: str, links: Sequence[PageLink]) -> Sequence[PageLink]:
    """The links as they are stored: none to the page itself, one for each target and kind."""
    targets = {link[0] for link in links}
    if len(targets) == len(links) and lru not in targets:
        return links
    merged: dict[tuple[str, LinkKind], PageLink] = {}
    for link in links:
        if link.target_lru != lru:
            key = (link.target_lru, link.kind)
            known = merged.get(key)
            merged[key] = link if known is None else known._replace(count=known.count + link.count)
    return list(merged.values())


def gathered_lrus(pages: Iterable[Page]) -> list[str]:
    """Every LRU the pages are about, once, in the order met: each page, then its targets."""
    met: dict[str, None] = {}
    for page in pages:
        met[page.lru] = None
        met.update(dict.fromkeys(page.targets))
    return list(met)


def tree_of(lrus: Iterable[str]) -> LruTree:
    """The LRU tree of what the corpus does not know yet: known pages need no decision."""
    tree = LruTree()
    for lru in lrus:
        tree.add_lru(lru)
    return tree


def node_flags(lrus: Sequence[str], precision: PrecisionLimit) -> list[bool]:
    """For each LRU: whether links are drawn to it at its own precision."""
    return [precision.is_node(lru) for lru in lrus]
