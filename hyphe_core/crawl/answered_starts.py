"""Start pages that answered are kept with their web entity, so that the next crawl begins where this one
could."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memory_structure.errors import CallerError
from memory_structure.records import JobSpec, PageRecord, StartPage
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl, UrlPolicy

_MOST: Final = 100  # start pages of a job that are looked at
_MOST_HOPS: Final = 5
_OK: Final = 200


def keep_answered_starts(structure: MemoryStructure, job_id: int) -> int:
    """Give the entity of a job those of its start pages that answered with status 200, as automatic ones; in
    place of one that redirects, the page of the entity that it leads to. Their number; none that the entity
    has already. Twice is as once."""
    spec = structure.get_job(job_id).spec
    if spec.web_entity_id is None:
        return 0
    try:
        return _keep(structure, spec, job_id, spec.web_entity_id)
    except CallerError:  # somebody deleted the entity, or moved its prefixes, meanwhile
        return 0


def _keep(structure: MemoryStructure, spec: JobSpec, job_id: int, web_entity_id: int) -> int:
    entity = structure.get_web_entity(web_entity_id)
    policy = structure.options().url_policy
    known = _keys((page.url for page in entity.start_pages), policy)
    answered = _answered(structure, spec, job_id, policy)
    new = [p for p in answered if p.lru not in known and p.web_entity_id == entity.web_entity_id]
    if new:
        pages = [StartPage(page.url, "auto") for page in new]
        structure.add_start_pages([(entity.web_entity_id, pages)])
    return len(new)


def _answered(
    structure: MemoryStructure, spec: JobSpec, job_id: int, policy: UrlPolicy
) -> Iterable[PageRecord]:
    """Pages that answered, in the order of the start pages, targets of redirects behind."""
    wanted = list(_keys(spec.start_urls[:_MOST], policy))
    found: dict[str, PageRecord] = {}
    for _ in range(_MOST_HOPS):
        pages = {page.lru: page for page in structure.find_pages(wanted)}
        fetched = [(pages[lru], pages[lru].fetch) for lru in wanted if lru in pages]
        of_job = [(page, fetch) for page, fetch in fetched if fetch is not None and fetch.job_id == job_id]
        found |= {page.lru: page for page, fetch in of_job if fetch.status == _OK and page.lru not in found}
        wanted = [fetch.redirect_lru for _, fetch in of_job if fetch.redirect_lru is not None]
        if not wanted:
            break
    return found.values()


def _keys(urls: Iterable[str], policy: UrlPolicy) -> dict[str, None]:
    """The LRUs of addresses, in order; what is no address is left out."""
    cutter = cutter_for(policy)
    keys: dict[str, None] = {}
    for url in urls:
        try:
            keys[cutter.lru(url)] = None
        except BadUrl:
            continue
    return keys
