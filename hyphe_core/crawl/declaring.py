"""URLs that somebody gave made into start pages of web entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

from memory_structure.lru import lru_to_url
from memory_structure.records import StartPage
from memory_structure.structure import MemoryStructure

_ENTITIES_AT_ONCE: Final = 200  # keeps each write transaction short

Given = tuple[int, list[str]]
"""A web entity and its URLs."""


def declare_start_pages(
    structure: MemoryStructure,
    given: Sequence[tuple[str, str]],
    watch: Callable[[Sequence[Given]], Iterable[Given]] = iter,
) -> dict[int, tuple[str, ...]]:
    """Make (URL, LRU) pairs known by the corpus' rules, and start pages of their web entities: entity id ->
    its URLs, in the order given. `watch` passes the entities on while they are written."""
    if not given:
        return {}
    raw_urls = [None if url == lru_to_url(lru) else url for url, lru in given]
    pages = structure.declare_pages([lru for _, lru in given], raw_urls)
    by_entity: dict[int, list[str]] = {}
    for (url, _), (page, _is_new) in zip(given, pages, strict=True):
        by_entity.setdefault(page.web_entity_id, []).append(url)
    waiting = iter(watch(list(by_entity.items())))
    while some := list(islice(waiting, _ENTITIES_AT_ONCE)):
        structure.add_start_pages([(i, [StartPage(url, "user") for url in urls]) for i, urls in some])
    return {web_entity_id: tuple(urls) for web_entity_id, urls in by_entity.items()}
