"""The pages and page links of a corpus as tables, and the networks of pages and of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from hyphe_core.exports.columns import (
    Column,
    ColumnType,
    Edge,
    Network,
    Node,
    Row,
    Table,
    boolean,
    integer,
    moment_text,
)
from hyphe_core.exports.request import KIND_WORDS
from hyphe_core.exports.web_entities import WebEntityIndex
from memory_structure.lru import lru_to_url
from memory_structure.records import Area, Fetch, LinkKind, LinkRecord, PageRecord
from memory_structure.structure import MemoryStructure

PAGE_COLUMNS = (
    Column("url"),
    Column("lru"),
    integer("web_entity_id"),
    Column("web_entity"),
    integer("status"),
    Column("error"),
    integer("depth"),
    Column("redirect_url"),
    Column("content_type"),
    Column("title"),
    Column("fetched_at"),
    Column("encoding"),
    Column("language"),
    integer("size_bytes"),
    Column("duration_seconds", ColumnType.REAL),
    Column("digest"),
    Column("canonical_url"),
    boolean("follow"),
    integer("n_links"),
    integer("n_self_links"),
    integer("n_links_cut"),
    Column("error_detail"),
    integer("job_id"),
    integer("attempts"),
    Column("fetched_url"),
    Column("node"),
)

LINK_COLUMNS = (
    Column("source_url"),
    Column("target_url"),
    integer("source_web_entity_id"),
    integer("target_web_entity_id"),
    Column("kind"),
    integer("count"),
    Column("anchor"),
    Column("rel"),
    Column("area"),
    Column("raw_url"),
    Column("source_web_entity"),
    Column("target_web_entity"),
    Column("source_lru"),
    Column("target_lru"),
)

_AREA_WORDS = [area.name.lower() for area in sorted(Area)]

_N_FETCH_COLUMNS = len(PAGE_COLUMNS) - 6


SCORE_COLUMN = Column("score", ColumnType.REAL)


def page_table(index: WebEntityIndex, scores: Sequence[float] | NDArray[np.float32] = ()) -> Table:
    """One row for each known page, in LRU order. Pages that were never fetched have no status and no
    fetch. A last column when there are scores (by page id)."""
    rows = (_page_row(page, index.name(page.web_entity_id)) for page in index.iter_pages())
    if not len(scores):
        return Table(PAGE_COLUMNS, rows)
    scored = (
        (*_page_row(page, index.name(page.web_entity_id)), _score(page, scores))
        for page in index.iter_pages()
    )
    return Table((*PAGE_COLUMNS, SCORE_COLUMN), scored)


def _score(page: PageRecord, scores: Sequence[float] | NDArray[np.float32]) -> float:
    return round(float(scores[page.page_id]), 6) if page.page_id < len(scores) else 0.0


def _page_row(page: PageRecord, web_entity: str) -> Row:
    fetch_values = _fetch_values(page.fetch) if page.fetch else (None,) * _N_FETCH_COLUMNS
    return (page.url, page.lru, page.web_entity_id, web_entity, *fetch_values, page.raw_url, page.node)


def _fetch_values(fetch: Fetch) -> Row:
    return (
        fetch.status,
        fetch.error.value if fetch.error else None,
        fetch.depth,
        lru_to_url(fetch.redirect_lru) if fetch.redirect_lru else None,
        fetch.content_type or None,
        fetch.title or None,
        moment_text(fetch.fetched_at),
        fetch.encoding or None,
        fetch.language or None,
        fetch.size_bytes,
        round(fetch.duration_seconds, 3),
        fetch.digest,
        fetch.canonical or None,
        fetch.follow,
        fetch.n_links,
        fetch.n_self_links,
        fetch.n_links_cut,
        fetch.error_detail or None,
        fetch.job_id,
        fetch.attempt,
    )


def link_table(index: WebEntityIndex, kinds: frozenset[LinkKind]) -> Table:
    """One row for each page link of these kinds, by source LRU, target LRU, kind; those that leave pages of
    kept entities."""

    def rows() -> Iterator[Row]:
        source_lru = source_url = ""
        for link in index.iter_links():
            if link.source_lru != source_lru:  # links of a page follow each other
                source_lru, source_url = link.source_lru, lru_to_url(link.source_lru)
            if link.kind in kinds:
                yield _link_row(link, source_url, index)

    return Table(LINK_COLUMNS, rows())


def _link_row(link: LinkRecord, source_url: str, index: WebEntityIndex) -> Row:
    return (
        source_url,
        lru_to_url(link.target_lru),
        link.source_web_entity_id,
        link.target_web_entity_id,
        KIND_WORDS[link.kind],
        link.count,
        link.anchor or None,
        link.rel or None,
        _AREA_WORDS[link.area],
        link.raw,
        index.name(link.source_web_entity_id),
        index.name(link.target_web_entity_id),
        link.source_lru,
        link.target_lru,
    )


_PAGE_NETWORK_COLUMNS = (
    Column("lru"),
    integer("web_entity_id"),
    Column("web_entity"),
    boolean("fetched"),
    integer("status"),
    Column("error"),
    integer("depth"),
    Column("content_type"),
    Column("title"),
)


def page_network(index: WebEntityIndex, kinds: frozenset[LinkKind]) -> Network:
    """Pages and the links of these kinds between them. Node ids are URLs; a weight is how often the source
    page has the link."""
    seen: set[int] = set()

    def nodes() -> Iterator[Node]:
        for page in index.iter_pages():
            seen.add(page.page_id)
            yield Node(page.url, page.url, _page_attributes(page, index.name(page.web_entity_id)))

    def edges() -> Iterator[Edge]:
        links = (link for link in index.iter_links() if link.kind in kinds)
        for (source, target), same in groupby(links, lambda link: (link.source_page_id, link.target_page_id)):
            if source in seen and target in seen:
                yield _page_edge(list(same))

    return Network(_PAGE_NETWORK_COLUMNS, nodes(), edges())


def _page_attributes(page: PageRecord, web_entity: str) -> Row:
    fetch = page.fetch
    start: Row = (page.lru, page.web_entity_id, web_entity, fetch is not None)
    if fetch is None:
        return (*start, None, None, None, None, None)
    error = fetch.error.value if fetch.error else None
    return (*start, fetch.status, error, fetch.depth, fetch.content_type or None, fetch.title or None)


def _page_edge(same: list[LinkRecord]) -> Edge:
    weight = sum(link.count for link in same)
    return Edge(lru_to_url(same[0].source_lru), lru_to_url(same[0].target_lru), weight)


_NODE_NETWORK_COLUMNS = (integer("web_entity_id"), Column("web_entity"), integer("pages"))


def node_network(structure: MemoryStructure, index: WebEntityIndex) -> Network:
    """Nodes (pages folded by the precision limit) and the links between them. Node ids are LRUs."""
    seen: set[int] = set()  # hashes: half the memory of the texts, and 64 bits do not collide here

    def nodes() -> Iterator[Node]:
        for lru, web_entity_id, n_pages in structure.iter_nodes():
            if index.keeps(web_entity_id):
                seen.add(hash(lru))
                yield Node(lru, lru_to_url(lru), (web_entity_id, index.name(web_entity_id), n_pages))

    def edges() -> Iterator[Edge]:
        for source, target, weight in structure.iter_node_links():
            if hash(source) in seen and hash(target) in seen:
                yield Edge(source, target, weight)

    return Network(_NODE_NETWORK_COLUMNS, nodes(), edges())
