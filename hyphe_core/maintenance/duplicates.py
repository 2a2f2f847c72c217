"""The job that names pages with the same content, pages with nearly the same words, and hosts that mirror
each other."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyphe_core.maintenance.job import (
    DuplicateGroup,
    DuplicateKind,
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    MirrorPair,
    Progress,
    counted,
    maintenance_job,
)
from hyphe_core.parsers.signatures import text_profile, text_profile_signature
from memory_structure.lru import head_of
from memory_structure.records import PageRecord

_STEP = 1000
_FEWEST_WORDS = 10  # in a profile: shorter texts are alike by chance
_FEWEST_SHARED = 3  # pages that two hosts share
_LEAST_SHARE = 0.5  # of the pages of the smaller host
_MOST_HOSTS = 50  # of a group: an error page that a hundred hosts give says nothing of mirrors


@maintenance_job
class ReportDuplicates(MaintenanceJob):
    """Find duplicates; they stay pages of their own, whatever is found."""

    name = "report-duplicates"
    description = (
        "Name the pages with the same content, those whose texts have the same frequent words, and pairs of"
        " hosts that share most of their pages. Changes nothing."
    )

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """Groups by kind, then by their first page. Keeps some 24 bytes a page in memory, and reads all texts
        that have no profile yet."""
        marks = _marks(context, progress)
        same = _repeated(marks.contents)
        alike = _repeated(marks.profiles)
        groups = _gather(context, marks, same, alike, progress)
        mirrors = _mirrors(groups, _pages_by_host(context, progress))
        return MaintenanceReport(
            self.name,
            context.corpus_id,
            dry_run,
            _summary(groups, mirrors),
            duplicates=groups,
            mirrors=mirrors,
        )


class _Marks(NamedTuple):
    """By page: id, 64 bits of its content's digest, 64 bits of the profile of its text (0: none)."""

    ids: NDArray[np.int64]
    contents: NDArray[np.int64]
    profiles: NDArray[np.int64]


def _iter_answers(context: MaintenanceContext, what: str, progress: Progress) -> Iterator[PageRecord]:
    """Pages whose last answer is a page of its own."""
    n_pages = context.structure.counters().n_pages
    for n_done, page in enumerate(context.structure.iter_pages(only_fetched=True), 1):
        if n_done % _STEP == 0:
            progress(what, n_done, n_pages)
        fetch = page.fetch
        if fetch is not None and fetch.status == 200 and fetch.error is None and fetch.redirect_lru is None:
            yield page


def _marks(context: MaintenanceContext, progress: Progress) -> _Marks:
    stored = _stored_marks(context)
    ids, contents, profiles = array("q"), array("q"), array("q")
    for page in _iter_answers(context, "pages read", progress):
        content, profile = stored.get(page.page_id, (0, 0))
        digest = page.fetch.digest if page.fetch is not None else None
        ids.append(page.page_id)
        contents.append(_mark(digest) if digest is not None else content)
        profiles.append(profile or _profile_of(context, page))
    return _Marks(*(np.array(column, np.int64) for column in (ids, contents, profiles)))


def _stored_marks(context: MaintenanceContext) -> dict[int, tuple[int, int]]:
    """Marks by page id of the pages that need them: without body, or with a profile."""
    keeps_bodies = context.structure.options().keep_bodies
    return {
        page_id: (_mark(signature), _mark(profile) if profile else 0)
        for page_id, signature, profile in context.structure.iter_signatures()
        if profile or not keeps_bodies
    }


def _profile_of(context: MaintenanceContext, page: PageRecord) -> int:
    text = context.structure.find_text(page.lru)
    if text is None or len(text_profile(text)) < _FEWEST_WORDS:
        return 0
    return _mark(text_profile_signature(text))


def _mark(digest: str) -> int:
    """The first 64 bits of a digest, never 0."""
    return int.from_bytes(bytes.fromhex(digest[:16]), "big", signed=True) or 1


def _repeated(marks: NDArray[np.int64]) -> frozenset[int]:
    values, counts = np.unique(marks[marks != 0], return_counts=True)
    return frozenset(values[counts > 1].tolist())


def _gather(
    context: MaintenanceContext,
    marks: _Marks,
    same: frozenset[int],
    alike: frozenset[int],
    progress: Progress,
) -> tuple[DuplicateGroup, ...]:
    """The pages of repeated marks; groups of pages that are alike and the same are told once."""
    if not (same or alike):
        return ()
    wanted = np.isin(marks.contents, sorted(same)) | np.isin(marks.profiles, sorted(alike))
    columns = (marks.ids[wanted], marks.contents[wanted], marks.profiles[wanted])
    by_id = {
        i: (content, profile) for i, content, profile in zip(*(c.tolist() for c in columns), strict=True)
    }
    contents: dict[int, list[str]] = {}
    profiles: dict[int, list[str]] = {}
    kinds: dict[int, set[int]] = {}
    for page in _iter_answers(context, "duplicates gathered", progress):
        content, profile = by_id.get(page.page_id, (0, 0))
        if content in same:
            contents.setdefault(content, []).append(page.lru)
        if profile in alike:
            profiles.setdefault(profile, []).append(page.lru)
            kinds.setdefault(profile, set()).add(content)
    near = [lrus for profile, lrus in profiles.items() if len(kinds[profile]) > 1]
    return (*_groups(DuplicateKind.SAME, contents.values()), *_groups(DuplicateKind.ALIKE, near))


def _groups(kind: DuplicateKind, found: Iterable[list[str]]) -> Iterator[DuplicateGroup]:
    groups = [DuplicateGroup(kind, tuple(lrus)) for lrus in found if len(lrus) > 1]
    yield from sorted(groups, key=lambda group: group.lrus[0])


def _pages_by_host(context: MaintenanceContext, progress: Progress) -> Counter[str]:
    return Counter(head_of(page.lru) for page in _iter_answers(context, "hosts counted", progress))


def _mirrors(groups: tuple[DuplicateGroup, ...], n_pages: Counter[str]) -> tuple[MirrorPair, ...]:
    """Pairs of hosts that share enough pages, most first."""
    shared: Counter[tuple[str, str]] = Counter()
    for group in groups:
        hosts = sorted({head_of(lru) for lru in group.lrus})
        if 1 < len(hosts) <= _MOST_HOSTS:
            shared.update(combinations(hosts, 2))
    pairs = [
        MirrorPair(first, second, n, n_pages[first], n_pages[second])
        for (first, second), n in shared.items()
        if n >= _FEWEST_SHARED and n >= _LEAST_SHARE * min(n_pages[first], n_pages[second])
    ]
    return tuple(sorted(pairs, key=lambda pair: (-pair.n_shared, pair.first, pair.second)))


def _summary(groups: tuple[DuplicateGroup, ...], mirrors: tuple[MirrorPair, ...]) -> str:
    if not groups:
        return "no two pages have the same content or nearly the same words"
    n_same = sum(group.kind is DuplicateKind.SAME for group in groups)
    return (
        f"{counted(n_same, 'group')} of pages with the same content, {len(groups) - n_same} with nearly the"
        f" same words, {counted(len(mirrors), 'pair')} of hosts that mirror each other"
    )
