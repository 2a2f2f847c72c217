"""The job that names pages known at several of the addresses that people take for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hyphe_core.maintenance.job import (
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    Progress,
    TwinForm,
    TwinGroup,
    counted,
    maintenance_job,
)
from memory_structure.lru import head_of
from memory_structure.prefixes import variations
from memory_structure.records import PageRecord
from memory_structure.urls import UrlPolicy

_STEP = 1000
_HEADS_REMEMBERED = 10_000


@maintenance_job
class ReportTwins(MaintenanceJob):
    """Find twins; they stay pages of their own, whatever is found."""

    name = "report-twins"
    description = (
        "Name the pages known under several of the forms http and https, with and without www: which of them "
        "were fetched, with which status, and which redirect to which. Changes nothing."
    )

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """All groups by the LRU of their first form. Reads the pages twice, so that 8 bytes a page are kept
        in memory and not their LRUs; pages that come meanwhile may be missed."""
        shared_key = twin_key(context.structure.options().url_policy)
        repeated = _repeated_hashes(context, shared_key, progress)
        groups = _collect_groups(context, shared_key, repeated, progress)
        return MaintenanceReport(self.name, context.corpus_id, dry_run, _summary(groups), twins=groups)


def twin_key(policy: UrlPolicy) -> Callable[[str], str]:
    """A function from the LRU of a page to what it shares with its twins alone: the first of its variations
    in text order."""

    @lru_cache(_HEADS_REMEMBERED)  # pages come in LRU order: those of a host follow one another
    def first_head(head: str) -> str:
        return min(variations(head, policy))

    def key(lru: str) -> str:
        head = head_of(lru)
        return first_head(head) + lru[len(head) :]

    return key


def _iter_pages(context: MaintenanceContext, what: str, progress: Progress) -> Iterator[PageRecord]:
    n_pages = context.structure.counters().n_pages
    for n_done, page in enumerate(context.structure.iter_pages(), 1):
        if n_done % _STEP == 0:
            progress(what, n_done, n_pages)
        yield page


def _repeated_hashes(
    context: MaintenanceContext, key: Callable[[str], str], progress: Progress
) -> NDArray[np.int64]:
    """Hashes of the keys that several pages have, rising, each once."""
    pages = _iter_pages(context, "pages compared", progress)
    hashes = np.sort(np.fromiter((hash(key(page.lru)) for page in pages), np.int64))
    return np.unique(hashes[1:][hashes[1:] == hashes[:-1]])


def _collect_groups(
    context: MaintenanceContext, key: Callable[[str], str], repeated: NDArray[np.int64], progress: Progress
) -> tuple[TwinGroup, ...]:
    """The pages of repeated keys, gathered by key; what only a hash made equal falls out again."""
    if not len(repeated):
        return ()
    wanted = frozenset(repeated.tolist())
    forms: dict[str, list[TwinForm]] = {}
    for page in _iter_pages(context, "twins gathered", progress):
        shared = key(page.lru)
        if hash(shared) in wanted:
            forms.setdefault(shared, []).append(_form(page))
    groups = [TwinGroup(tuple(found)) for found in forms.values() if len(found) > 1]
    return tuple(sorted(groups, key=lambda group: group.forms[0].lru))


def _form(page: PageRecord) -> TwinForm:
    fetch = page.fetch
    if fetch is None:
        return TwinForm(page.lru, False, None, None, None)
    return TwinForm(page.lru, True, fetch.status, fetch.error, fetch.redirect_lru)


def _summary(groups: tuple[TwinGroup, ...]) -> str:
    if not groups:
        return "no page is known in several forms"
    n_double = sum(1 for group in groups if group.n_contents > 1)
    n_redirecting = sum(1 for group in groups if group.has_inner_redirect)
    n_forms = sum(len(group.forms) for group in groups)
    return (
        f"{counted(len(groups), 'group')} of twins, {n_forms} pages in all: in {n_redirecting} one redirects "
        f"to another, in {n_double} several have content of their own"
    )
