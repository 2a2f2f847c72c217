"""Where the crawl of a web entity may begin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from hyphe_core.errors import UsageFault
from memory_structure.lru import lru_to_url, split_stems
from memory_structure.records import WebEntity
from memory_structure.structure import MemoryStructure

_PAGES: Final = re.compile(r"pages-([1-9][0-9]{0,4})")
_WWW: Final = re.compile(r"https?://www\.")
_OK: Final = 200
_N_CANDIDATES: Final = 50
_MAX_EXTRA_CHARACTERS: Final = 50
_MAX_LINKS_TO_READ: Final = 200_000
_NO_HOMEPAGES: Final = frozenset(
    "7z avi bmp bz2 csv doc docx eps exe gif gz ico jpeg jpg mov mp3 mp4 mpeg odp ods odt ogg pdf png ppt "
    "pptx ps rar rtf svg swf tar tgz tif tiff txt wav webm wmv xls xlsx xml zip".split()
)
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
        return list(filter(None, [entity.homepage or guess_homepage(structure, entity)]))
    if mode == "prefixes":
        return [lru_to_url(prefix) for prefix in entity.prefixes]
    found = _PAGES.fullmatch(mode)
    if found is None:
        raise UsageFault(f"{mode!r} is no start mode: {MODES} is accepted")
    return _most_linked(structure, entity, int(found[1]))


def guess_homepage(structure: MemoryStructure, entity: WebEntity) -> str | None:
    """The likeliest homepage of an entity that has none chosen; None without prefixes.

    A prefix whose own page answered well, else one whose own page is known, `www` and http ones first; else a
    `www` prefix, else the most linked page near a prefix (in corpora that are not large: ranking reads every
    link), else the first prefix.
    """
    prefixes = sorted(entity.prefixes, key=_homepage_order)
    pages = [page for prefix in prefixes if (page := structure.find_page(prefix)) is not None]
    answered = [page for page in pages if page.fetch is not None and page.fetch.status == _OK]
    for page in (*answered, *pages):
        return page.url
    named_www = [url for url in map(lru_to_url, prefixes) if _WWW.match(url)]
    return next(iter((*named_www, *_linked_homepages(structure, entity), *map(lru_to_url, prefixes))), None)


def _homepage_order(prefix: str) -> tuple[bool, bool]:
    url = lru_to_url(prefix)
    return not _WWW.match(url), not url.startswith("http:")


def _linked_homepages(structure: MemoryStructure, entity: WebEntity) -> list[str]:
    if not entity.n_pages or structure.counters().n_links > _MAX_LINKS_TO_READ:
        return []
    ranked = structure.list_most_linked_pages(entity.web_entity_id, _N_CANDIDATES)
    return [page.url for page, _ in ranked if _may_be_homepage(page.lru, page.url, entity.prefixes)]


def _may_be_homepage(lru: str, url: str, prefixes: Sequence[str]) -> bool:
    """Whether a page lies at most one step below a prefix, with a short address that names no file."""
    longest = max(len(lru_to_url(prefix)) for prefix in prefixes)
    near = any(lru[len(prefix) :].count("|") <= 1 for prefix in prefixes if lru.startswith(prefix))
    extension = urlsplit(url).path.rpartition(".")[2].lower()
    return near and len(url) <= longest + _MAX_EXTRA_CHARACTERS and extension not in _NO_HOMEPAGES


def _most_linked(structure: MemoryStructure, entity: WebEntity, n: int) -> list[str]:
    pages = structure.list_most_linked_pages(entity.web_entity_id, max(n, _N_CANDIDATES))
    near = [page.url for page, n_links in pages if n_links and _is_near(page.lru, entity.prefixes)]
    return near[:n]


def _is_near(lru: str, prefixes: Iterable[str]) -> bool:
    depth = len(split_stems(lru))
    return any(lru.startswith(p) and depth - len(split_stems(p)) <= _MAX_STEMS_BELOW for p in prefixes)
