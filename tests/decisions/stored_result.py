"""What a crawl stored, without what differs between two runs of it: ids and times."""

from __future__ import annotations

from typing import Any, NamedTuple

from memory_structure.structure import MemoryStructure


class Result(NamedTuple):
    """Two crawls are equal when these are. A web entity goes by its smallest prefix."""

    web_entities: set[tuple[Any, ...]]
    pages: list[tuple[Any, ...]]
    links: list[tuple[Any, ...]]
    network: set[tuple[str, str, int]]


def result_of(structure: MemoryStructure) -> Result:
    """The result of all crawls of a corpus."""
    entities = structure.list_web_entities()
    names = {entity.web_entity_id: min(entity.prefixes) for entity in entities}
    pages = []
    for page in structure.iter_pages():
        fetch = page.fetch
        told = fetch and (
            fetch.status, fetch.error, fetch.depth, fetch.digest, fetch.title, fetch.redirect_lru,
            fetch.follow, fetch.n_links, fetch.n_self_links, fetch.encoding,
        )  # fmt: skip
        pages.append((page.lru, names[page.web_entity_id], page.node, told))
    return Result(
        {(names[e.web_entity_id], e.status, e.prefixes, e.n_pages, e.n_pages_fetched) for e in entities},
        pages,
        [
            (
                link.source_lru,
                link.target_lru,
                link.kind,
                link.count,
                link.anchor,
                link.rel,
                link.area,
                link.raw,
            )
            for link in structure.iter_links()
        ],
        {(names[source], names[target], weight) for source, target, weight in structure.web_entity_links()},
    )
