"""A job taken up again: what its store says was done, and the stored links behind it. Runs in threads."""

from __future__ import annotations

from collections.abc import Sequence

from hyphe_core.crawl.job_state import MAX_DEPTH_KEPT, CrawlState
from hyphe_core.crawl.page_work import REDIRECT_STATUSES
from hyphe_core.crawl.seen import PageState
from hyphe_core.crawl.tickets import Expansion
from memory_structure.records import JobPage, LinkKind
from memory_structure.structure import MemoryStructure


def restore_job(job: CrawlState, structure: MemoryStructure) -> int:
    """Mark the pages a job has done, and note those whose stored links lead on. The number of pages done.

    The job must not be known to the frontier yet.
    """
    n_done = 0
    for page in structure.iter_job_pages(job.job_id):
        n_done += 1
        is_open = _leads_on(page)
        job.seen.put(
            page.lru, min(page.depth, MAX_DEPTH_KEPT), PageState.OPEN if is_open else PageState.CLOSED
        )
        if is_open:
            job.expand.append(page.lru)
    job.n_done = n_done
    return n_done


def _leads_on(page: JobPage) -> bool:
    return (
        page.follow and page.status is not None and (page.status == 200 or page.status in REDIRECT_STATUSES)
    )


def list_expansions(
    structure: MemoryStructure, lrus: Sequence[str], *, follow_feeds: bool = False
) -> list[tuple[str, list[Expansion]]]:
    """The links that may be followed from stored pages, in the order asked."""
    stored = structure.outlink_targets(lrus)
    return [(lru, _expansions(structure, lru, stored.get(lru, []), follow_feeds)) for lru in lrus]


def _expansions(
    structure: MemoryStructure,
    lru: str,
    links: list[tuple[str, LinkKind, str | None]],
    follow_feeds: bool,
) -> list[Expansion]:
    found: list[Expansion] = []
    for target, kind, raw in links:
        if kind > LinkKind.REFRESH and not (kind is LinkKind.FEED and follow_feeds):
            continue
        same = kind is LinkKind.REDIRECT or (
            kind is LinkKind.REFRESH and _is_immediate(structure, lru, target)
        )
        found.append(Expansion(target, raw, same))
    return found


def _is_immediate(structure: MemoryStructure, lru: str, target: str) -> bool:
    """Whether a refresh had delay 0: such a page is stored with its redirect target."""
    page = structure.find_page(lru)
    return page is not None and page.fetch is not None and page.fetch.redirect_lru == target
