"""The job that follows redirects to their ends: those stored, and those of shorteners, which are asked
for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from hyphe_core.clock import now
from hyphe_core.crawl.corpora import rules_of_corpus
from hyphe_core.crawl.launch import start_hosts
from hyphe_core.crawl.link_targets import VIA
from hyphe_core.crawl.redirect_rules import RedirectRules
from hyphe_core.maintenance.job import (
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    Progress,
    RedirectTrail,
    counted,
    maintenance_job,
)
from memory_structure.jobs import ENDED
from memory_structure.lru import head_of, host_of, lru_to_url
from memory_structure.records import FoundLink, JobSpec, LinkKind, PageRecord
from memory_structure.resolutions import Resolution
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl

GOOD_DAYS: Final = 30
_MOST_ASKED: Final = 5000
_MOST_SOURCES: Final = 100_000
_PAGES_AT_ONCE: Final = 200
_KINDS: Final = frozenset({LinkKind.HYPERLINK, LinkKind.FRAME})
ASKING: Final = "asks shorteners where they lead"


@dataclass(frozen=True, slots=True)
class _Shortened:
    """The pages of shorteners: those whose end is known (LRU -> end), those to be asked."""

    known: dict[str, str]
    unknown: tuple[PageRecord, ...]


@maintenance_job
class ResolveRedirects(MaintenanceJob):
    """Find where redirecting pages lead. Pages and links as found stay as they are."""

    name = "resolve-redirects"
    description = (
        "Follow every stored redirect to its last page; report chains and loops. Pages of shorteners that "
        "were never asked, or not for a month, are asked by a crawl job that fetches nothing else. Where "
        "they are known to lead, each page that links to them gets a link of its own to the target. Run it "
        "again when that job has ended."
    )

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """All trails by LRU; loops are told in the notes."""
        progress("redirects", 0, None)
        structure = context.structure
        targets = dict(structure.redirect_targets())
        trails = tuple(follow_redirect(lru, targets) for lru in targets)
        progress("shorteners", 0, None)
        rules = rules_of_corpus(context.registry, structure.options())
        wanted = structure.options().decode_redirects
        shortened = _find_shortened(context, rules, targets) if wanted else _Shortened({}, ())
        n_added = 0 if dry_run else _add_targets(structure, shortened.known, progress)
        job_words = _ask(context, rules, shortened.unknown, dry_run=dry_run)
        loops = [trail for trail in trails if trail.loops]
        notes = [f"{lru_to_url(t.lru)} leads into a loop at {lru_to_url(t.target_lru)}" for t in loops]
        summary = _summary(trails, len(loops), shortened, n_added)
        return MaintenanceReport(
            self.name,
            context.corpus_id,
            dry_run,
            summary,
            n_changes=n_added,
            notes=(*notes, *job_words),
            trails=trails,
        )


def _summary(trails: Sequence[RedirectTrail], n_loops: int, shortened: _Shortened, n_added: int) -> str:
    n_chains = sum(1 for trail in trails if trail.n_hops > 1 and not trail.loops)
    words = (
        f"{counted(len(trails), 'redirecting page')}: {counted(n_chains, 'chain')} of more than one hop, "
        f"{n_loops} in loops"
    )
    if not (shortened.known or shortened.unknown):
        return words
    return (
        f"{words}; {counted(len(shortened.known), 'short address', 'short addresses')} resolved, "
        f"{len(shortened.unknown)} to be asked, {counted(n_added, 'link')} added"
    )


def follow_redirect(lru: str, targets: Mapping[str, str]) -> RedirectTrail:
    """Where a page leads by (page -> next page); the end is the first that does not redirect."""
    seen = {lru}
    here = lru
    n_hops = 0
    while here in targets:
        here = targets[here]
        n_hops += 1
        if here in seen:
            return RedirectTrail(lru, here, n_hops, True)
        seen.add(here)
    return RedirectTrail(lru, here, n_hops, False)


# -- shorteners


def _find_shortened(
    context: MaintenanceContext, rules: RedirectRules, targets: Mapping[str, str]
) -> _Shortened:
    """Ends of short addresses, from the store or from what other corpora found out; what was found here is
    shared."""
    cutter = cutter_for(context.structure.options().url_policy)
    pages = [page for page in _iter_pages(context.structure, rules) if rules.is_shortener(page.url)]
    shared = context.registry.find_resolutions(page.url for page in pages)
    moment = now()
    known: dict[str, str] = {}
    unknown: list[PageRecord] = []
    found: list[Resolution] = []
    for page in pages:
        resolution = shared.get(page.url)
        if page.fetch is not None and page.fetch.fetched_at > moment - _good_for(page.fetch.redirect_lru):
            end = _end_of(page, targets, rules)
            found.append(_resolution(page, end, targets))
            if end is not None:
                known[page.lru] = end
        elif resolution is None:
            unknown.append(page)
        elif resolution.target_url is not None:
            try:
                known[page.lru] = cutter.lru(resolution.target_url)
            except BadUrl:
                continue
    context.registry.keep_resolutions([each for each in found if each.url not in shared])
    return _Shortened(known, tuple(unknown))


def _iter_pages(structure: MemoryStructure, rules: RedirectRules) -> Iterator[PageRecord]:
    cutter = cutter_for(structure.options().url_policy)
    for host in rules.list_shorteners():
        for scheme in ("http", "https"):
            try:
                head = head_of(cutter.lru(f"{scheme}://{host}/"))
            except BadUrl:
                continue
            yield from structure.iter_pages_under(head)


def _end_of(page: PageRecord, targets: Mapping[str, str], rules: RedirectRules) -> str | None:
    """Where a short address that was asked leads; None when it gave no redirect, or one without end."""
    trail = follow_redirect(page.lru, targets)
    if not trail.n_hops or trail.loops or rules.is_shortener(lru_to_url(trail.target_lru)):
        return None
    return trail.target_lru


def _resolution(page: PageRecord, end: str | None, targets: Mapping[str, str]) -> Resolution:
    trail = [page.lru]
    while trail[-1] in targets and targets[trail[-1]] not in trail:
        trail.append(targets[trail[-1]])
    moment = now()
    target = None if end is None else lru_to_url(end)
    shown = tuple(lru_to_url(lru) for lru in trail)
    return Resolution(page.url, target, shown, moment, moment + _good_for(target))


def _good_for(target: str | None) -> timedelta:
    """How long an answer is good: one that led nowhere may have been a bad moment."""
    return timedelta(days=GOOD_DAYS if target is not None else 1)


def _add_targets(structure: MemoryStructure, known: Mapping[str, str], progress: Progress) -> int:
    """Give each page that links to a short address a link to its end; how many were added."""
    additions: dict[str, list[FoundLink]] = {}
    for lru, target in known.items():
        for link in structure.list_inlinks(lru, _MOST_SOURCES):
            if link.kind in _KINDS:
                rel = " ".join(sorted({*link.rel.split(), VIA + host_of(lru)}))
                made = FoundLink(target, link.kind, link.count, link.anchor, rel, link.area, None)
                additions.setdefault(link.source_lru, []).append(made)
    sources = sorted(additions)
    n_added = 0
    for start in range(0, len(sources), _PAGES_AT_ONCE):
        some = sources[start : start + _PAGES_AT_ONCE]
        n_added += structure.add_links({lru: additions[lru] for lru in some})
        progress("links", start + len(some), len(sources))
    return n_added


def _ask(
    context: MaintenanceContext, rules: RedirectRules, pages: Sequence[PageRecord], *, dry_run: bool
) -> list[str]:
    """Put a crawl job into the queue that asks for these pages alone; sentences on it."""
    structure = context.structure
    underway = [job for job in structure.list_jobs() if job.state not in ENDED and _is_asking(job.spec)]
    if underway:
        job = underway[0]
        return [f"crawl job {job.job_id} {ASKING} already; it is {job.state.value}: {job.reason}"]
    if not pages or dry_run:
        return []
    spec = _spec(structure, rules, pages[:_MOST_ASKED])
    job = structure.create_job(spec)
    words = counted(len(spec.start_urls), "short address", "short addresses")
    structure.add_log("CRAWL_ADDED", f"{ASKING}: {words}", job.job_id)
    context.registry.enqueue(context.corpus_id, job.job_id, start_hosts(spec))
    return [f"crawl job {job.job_id} {ASKING} ({words}); run this job again when it has ended"]


def _is_asking(spec: JobSpec) -> bool:
    return spec.web_entity_id is None and spec.max_depth == 0


def _spec(structure: MemoryStructure, rules: RedirectRules, pages: Sequence[PageRecord]) -> JobSpec:
    """A job whose scope are the hosts of shorteners: a target elsewhere is recorded, never fetched."""
    options = structure.options()
    cutter = cutter_for(options.url_policy)
    urls = [f"{scheme}://{host}/" for host in rules.list_shorteners() for scheme in ("http", "https")]
    return JobSpec(
        web_entity_id=None,
        start_urls=tuple(page.raw_url or page.url for page in pages),
        follow_prefixes=tuple(sorted({head_of(cutter.lru(url)) for url in urls})),
        max_depth=0,
        delay_seconds=options.delay_seconds,
        obey_robots=options.obey_robots,
        user_agent=options.user_agent,
        proxy=options.proxy,
        allow_private_networks=options.allow_private_networks,
    )
