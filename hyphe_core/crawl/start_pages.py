"""Where the crawl of a web entity may begin."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from hyphe_core.errors import UsageFault, nearest_name
from memory_structure.lru import lru_to_url, parent_lrus
from memory_structure.records import PageRecord, WebEntity
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl, UrlPolicy

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
MODES: Final = "startpages, homepage, prefixes, pages, pages-N, entry or default"
MOST_PAGES: Final = 10_000
_FEW: Final = 4  # entities: with more, their most linked pages are read together
RankedPages = list[tuple[PageRecord, int]]
MostLinked = Callable[[WebEntity, int], RankedPages]  # the most linked pages of an entity, so many
_PLAIN_MODES: Final = frozenset({"startpages", "homepage", "prefixes", "pages", "entry", "default"})


def propose_start_pages(
    structure: MemoryStructure, web_entity_id: int, modes: Sequence[str]
) -> dict[str, list[str]]:
    """Start mode -> URLs, in the order asked; `default` stands for the corpus' own modes.

    `startpages` are those kept with the entity; `homepage` the one set, else a guess; `prefixes` the prefixes
    as URLs, in the form that somebody typed first, then those that answered; `pages` the pages of the entity
    by LRU; `entry` those that other entities link to, most linked first; `pages-N` the N most linked known
    pages at most two stems below a prefix, then those that nobody links to and that did not fail, such as
    pages somebody declared. At most `MOST_PAGES` a mode. Raises UsageFault for another mode.
    """
    return StartPageProposer(structure, [web_entity_id]).propose(web_entity_id, modes)


class StartPageProposer:
    """Proposes start pages of some web entities, whose records and pages of prefixes are read at once: those
    of the moment it was made. Raises NotFound for an unknown entity."""

    def __init__(self, structure: MemoryStructure, web_entity_ids: Sequence[int]) -> None:
        found = structure.list_web_entities(ids=list(dict.fromkeys(web_entity_ids)))
        prefixes = [prefix for entity in found for prefix in entity.prefixes]
        self._structure = structure
        self._options = structure.options()
        self._entities = {entity.web_entity_id: entity for entity in found}
        self._known = {page.lru: page for page in structure.find_pages(prefixes)}
        self._has_links = structure.counters().n_links > 0
        self._ranked: dict[int, RankedPages] | None = None

    def propose(self, web_entity_id: int, modes: Sequence[str]) -> dict[str, list[str]]:
        """See `propose_start_pages`."""
        named: dict[str, None] = {}
        for mode in modes:
            named.update(dict.fromkeys(self._options.start_modes if mode == "default" else (mode,)))
        refuse_unknown_modes(named)
        entity = self._entities[web_entity_id]
        return {mode: list(dict.fromkeys(self._urls(entity, mode))) for mode in named}

    def entity(self, web_entity_id: int) -> WebEntity:
        """One of the web entities."""
        return self._entities[web_entity_id]

    def _urls(self, entity: WebEntity, mode: str) -> Iterable[str]:
        structure, entity_id = self._structure, entity.web_entity_id
        if mode == "startpages":
            return [page.url for page in entity.start_pages]
        if mode == "homepage":
            return list(filter(None, [entity.homepage or self._homepage(entity)]))
        if mode == "prefixes":
            policy = self._options.url_policy
            return [lru_to_url(prefix) for prefix in _preferred_prefixes(entity, self._known, policy)]
        if not entity.n_pages:
            return []
        if mode == "pages":
            return [page.url for page in structure.list_pages(entity_id, limit=MOST_PAGES)]
        if mode == "entry":
            entries = structure.list_entry_pages(entity_id, MOST_PAGES) if self._has_links else []
            return [page.url for page, _ in entries]
        return self._near_pages(entity, int(mode.removeprefix("pages-")))

    def _near_pages(self, entity: WebEntity, n: int) -> list[str]:
        ranked = self._most_linked(entity, max(n, _N_CANDIDATES)) if self._has_links else []
        found = _near([page for page, n_links in ranked if n_links], entity)
        if len(found) < n and len(ranked) < entity.n_pages:
            unlinked = [page for page in self._some_pages(entity, max(n, _N_CANDIDATES)) if not _failed(page)]
            found = list(dict.fromkeys((*found, *_near(unlinked, entity))))
        return found[:n]

    def _some_pages(self, entity: WebEntity, limit: int) -> list[PageRecord]:
        """The first pages of an entity; nothing is read when they are those of its prefixes."""
        of_prefixes = [self._known[prefix] for prefix in entity.prefixes if prefix in self._known]
        if len(of_prefixes) == entity.n_pages:
            return of_prefixes
        return self._structure.list_pages(entity.web_entity_id, limit=limit)

    def _homepage(self, entity: WebEntity) -> str | None:
        return guess_homepage(self._structure, entity, self._known, self._most_linked)

    def _most_linked(self, entity: WebEntity, limit: int) -> RankedPages:
        """Of many entities at once, where one pass over all links does for them."""
        if len(self._entities) <= _FEW or limit > _N_CANDIDATES:
            return self._structure.list_most_linked_pages(entity.web_entity_id, limit)
        if self._ranked is None:
            self._ranked = self._structure.most_linked_pages_of(list(self._entities), _N_CANDIDATES)
        return self._ranked.get(entity.web_entity_id, [])


def refuse_unknown_modes(modes: Iterable[str]) -> None:
    """Raise UsageFault for the first word that is no start mode."""
    for mode in modes:
        if mode not in _PLAIN_MODES and not _PAGES.fullmatch(mode):
            near = nearest_name(mode, _PLAIN_MODES, f"{MODES} is accepted")
            raise UsageFault(f"{mode!r} is no start mode{near}")


def united(lists: Iterable[Iterable[str]]) -> list[str]:
    """All URLs, each once, in the order met."""
    return list(dict.fromkeys(url for found in lists for url in found))


def _preferred_prefixes(entity: WebEntity, known: Mapping[str, PageRecord], policy: UrlPolicy) -> list[str]:
    """The entity's prefixes, best first: what somebody typed as homepage or start page, then those whose own
    page answered well, then those whose own page is known, then the rest."""
    typed = _typed_prefixes(entity, policy)

    def place(prefix: str) -> tuple[bool, bool, bool]:
        page = known.get(prefix)
        answered = page is not None and page.fetch is not None and page.fetch.status == _OK
        return prefix not in typed, not answered, page is None

    return sorted(entity.prefixes, key=place)


def _typed_prefixes(entity: WebEntity, policy: UrlPolicy) -> set[str]:
    """Prefixes above the homepage that was chosen and above start pages that a person gave."""
    cutter = cutter_for(policy)
    prefixes = frozenset(entity.prefixes)
    urls = [entity.homepage, *(page.url for page in entity.start_pages if page.source == "user")]
    typed: set[str] = set()
    for url in filter(None, urls):
        try:
            lru = cutter.lru(url)
        except BadUrl:
            continue
        typed.update(prefixes.intersection((lru, *parent_lrus(lru))))
    return typed


def guess_homepage(
    structure: MemoryStructure,
    entity: WebEntity,
    known: Mapping[str, PageRecord],
    most_linked: MostLinked | None = None,
) -> str | None:
    """The likeliest homepage of an entity that has none chosen; None without prefixes. `known`: the pages of
    its prefixes by LRU. `most_linked`: where the caller has ranked pages already.

    A prefix whose own page answered well, else one whose own page is known; those above a start page that a
    person gave first, then `www` and http ones; else a `www` prefix, else the most linked page near a prefix
    (in corpora that are not large: ranking reads every link), else the first prefix.
    """
    typed = _typed_prefixes(entity, structure.options().url_policy) if entity.start_pages else set()
    prefixes = sorted(entity.prefixes, key=lambda prefix: (prefix not in typed, _homepage_order(prefix)))
    pages = [page for prefix in prefixes if (page := known.get(prefix)) is not None]
    answered = [page for page in pages if page.fetch is not None and page.fetch.status == _OK]
    for page in (*answered, *pages):
        return page.url
    named_www = [url for url in map(lru_to_url, prefixes) if _WWW.match(url)]
    return next(
        iter((*named_www, *_linked_homepages(structure, entity, most_linked), *map(lru_to_url, prefixes))),
        None,
    )


def _homepage_order(prefix: str) -> tuple[bool, bool]:
    url = lru_to_url(prefix)
    return not _WWW.match(url), not url.startswith("http:")


def _linked_homepages(
    structure: MemoryStructure, entity: WebEntity, most_linked: MostLinked | None
) -> list[str]:
    if not entity.n_pages or structure.counters().n_links > _MAX_LINKS_TO_READ:
        return []
    if most_linked is not None:
        ranked = most_linked(entity, _N_CANDIDATES)
    else:
        ranked = structure.list_most_linked_pages(entity.web_entity_id, _N_CANDIDATES)
    prefixes = frozenset(entity.prefixes)
    longest = max(len(lru_to_url(prefix)) for prefix in prefixes) + _MAX_EXTRA_CHARACTERS
    short = [page for page, _ in ranked if len(page.url) <= longest]
    return [page.url for page in short if _is_near(page.lru, prefixes, 1) and not _names_a_file(page.url)]


def _names_a_file(url: str) -> bool:
    return urlsplit(url).path.rpartition(".")[2].lower() in _NO_HOMEPAGES


def _near(pages: Iterable[PageRecord], entity: WebEntity) -> list[str]:
    prefixes = frozenset(entity.prefixes)
    return [page.url for page in pages if _is_near(page.lru, prefixes, _MAX_STEMS_BELOW)]


def _failed(page: PageRecord) -> bool:
    """Whether a page was fetched and is not there."""
    return page.fetch is not None and page.fetch.status != _OK


def _is_near(lru: str, prefixes: frozenset[str], most: int) -> bool:
    """Whether a page lies at a prefix or at most so many stems below one."""
    return not prefixes.isdisjoint((lru, *parent_lrus(lru)[:most]))
