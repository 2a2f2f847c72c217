"""Where the crawl of a web entity may begin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from hyphe_core.errors import UsageFault
from memory_structure.lru import lru_to_url, split_stems
from memory_structure.records import WebEntity
from memory_structure.structure import MemoryStructure

_PAGES: Final = re.compile(r"pages-([1-9][0-9]{0,4})")
_WWW: Final = re.compile(r"https?://www\.")
_N_CANDIDATES: Final = 50
_MAX_STEMS_BELOW: Final = 2
MODES: Final = "startpages, homepage, prefixes, pages-N or default"


def propose_start_pages(
    structure: MemoryStructure, web_entity_id: int, modes: Sequence[str]
) -> dict[str, list[str]]:
    """Start mode -> URLs, in the order asked; `default` stands for the corpus' own modes.

    `startpages` are those kept with the entity, `homepage` the one set, else a guess, `prefixes` the
    prefixes as URLs,
    `pages-N` the N most linked known pages at most two stems below a prefix. Raises UsageFault for another
    mode.
    """
    entity = structure.get_web_entity(web_entity_id)
    named: dict[str, None] = {}
    for mode in modes:
        named.update(dict.fromkeys(structure.options().start_modes if mode == "default" else (mode,)))
    return {mode: list(dict.fromkeys(_urls(structure, entity, mode))) for mode in named}


def _urls(structure: MemoryStructure, entity: WebEntity, mode: str) -> Iterable[str]:
    if mode == "startpages":
        return [page.url for page in entity.start_pages]
    if mode == "homepage":
        return [entity.homepage or _guess_homepage(structure, entity)]
    if mode == "prefixes":
        return [lru_to_url(prefix) for prefix in entity.prefixes]
    found = _PAGES.fullmatch(mode)
    if found is None:
        raise UsageFault(f"{mode!r} is no start mode: {MODES} is accepted")
    return _most_linked(structure, entity, int(found[1]))


def _guess_homepage(structure: MemoryStructure, entity: WebEntity) -> str:
    prefixes = [lru_to_url(prefix) for prefix in entity.prefixes]
    named_www = [url for url in prefixes if _WWW.match(url)]
    return (named_www or _most_linked(structure, entity, 1) or prefixes)[0]


def _most_linked(structure: MemoryStructure, entity: WebEntity, n: int) -> list[str]:
    pages = structure.list_most_linked_pages(entity.web_entity_id, max(n, _N_CANDIDATES))
    near = [page.url for page, n_links in pages if n_links and _is_near(page.lru, entity.prefixes)]
    return near[:n]


def _is_near(lru: str, prefixes: Iterable[str]) -> bool:
    depth = len(split_stems(lru))
    return any(lru.startswith(p) and depth - len(split_stems(p)) <= _MAX_STEMS_BELOW for p in prefixes)
