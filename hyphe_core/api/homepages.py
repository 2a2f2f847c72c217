"""The homepage shown for a web entity that has none chosen. Computed for each answer, never stored by a
read."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from memory_structure.lru import lru_to_url
from memory_structure.records import WebEntity
from memory_structure.structure import MemoryStructure

_N_CANDIDATES = 50
_MAX_EXTRA_CHARS = 50
# Ranking pages reads every link of the corpus: beyond this many it takes too long for an answer.
_MAX_LINKS_TO_READ = 200_000
_NO_HOMEPAGES = frozenset(
    "7z avi bmp bz2 csv doc docx eps exe gif gz ico jpeg jpg mov mp3 mp4 mpeg odp ods odt ogg pdf png ppt "
    "pptx ps rar rtf svg swf tar tgz tif tiff txt wav webm wmv xls xlsx xml zip".split()
)


def homepage_of(structure: MemoryStructure, entity: WebEntity) -> str | None:
    """The homepage chosen, else the best guess; None for an entity without prefixes.

    The guess: a prefix that begins with http://www., else a prefix whose own page was fetched well, else (in
    corpora that are not large) the most linked page near a prefix, else the first prefix.
    """
    if entity.homepage or not entity.prefixes:
        return entity.homepage
    urls = [lru_to_url(prefix) for prefix in entity.prefixes]
    named_www = [url for url in urls if url.startswith("http://www.")]
    if named_www:
        return named_www[0]
    return _answering_prefix(structure, entity) or _most_linked(structure, entity) or urls[0]


def _answering_prefix(structure: MemoryStructure, entity: WebEntity) -> str | None:
    for prefix in entity.prefixes:
        page = structure.find_page(prefix)
        if page is not None and page.fetch is not None and page.fetch.status == 200:
            return page.url
    return None


def _most_linked(structure: MemoryStructure, entity: WebEntity) -> str | None:
    if not entity.n_pages or structure.counters().n_links > _MAX_LINKS_TO_READ:
        return None
    ranked = structure.list_most_linked_pages(entity.web_entity_id, _N_CANDIDATES)
    near = (page.url for page, _ in ranked if _may_be_homepage(page.lru, page.url, entity.prefixes))
    return next(near, None)


def _may_be_homepage(lru: str, url: str, prefixes: Sequence[str]) -> bool:
    """Whether a page lies at most one step below a prefix, with a short address that names no file to
    download."""
    longest = max(len(lru_to_url(prefix)) for prefix in prefixes)
    near = any(lru[len(prefix) :].count("|") <= 1 for prefix in prefixes if lru.startswith(prefix))
    extension = urlsplit(url).path.rpartition(".")[2].lower()
    return near and len(url) <= longest + _MAX_EXTRA_CHARS and extension not in _NO_HOMEPAGES
