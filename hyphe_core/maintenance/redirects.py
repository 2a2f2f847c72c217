"""The job that follows stored redirects to their ends."""

from __future__ import annotations

from collections.abc import Mapping

from hyphe_core.maintenance.job import (
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    Progress,
    RedirectTrail,
    counted,
    maintenance_job,
)
from memory_structure.lru import lru_to_url


@maintenance_job
class ResolveRedirects(MaintenanceJob):
    """Find where redirecting pages lead; nothing is fetched and pages stay as they are."""

    name = "resolve-redirects"
    description = (
        "Follow every stored redirect to its last page, from the store alone; report chains and loops. The "
        "mapping is in the report, pages and links stay as they are."
    )

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """All trails by LRU; loops are told in the notes."""
        progress("redirects", 0, None)
        targets = dict(context.structure.redirect_targets())
        trails = tuple(follow_redirect(lru, targets) for lru in targets)
        loops = [trail for trail in trails if trail.loops]
        n_chains = sum(1 for trail in trails if trail.n_hops > 1 and not trail.loops)
        summary = (
            f"{counted(len(trails), 'redirecting page')}: {counted(n_chains, 'chain')} of more than one hop, "
            f"{len(loops)} in loops"
        )
        notes = tuple(f"{lru_to_url(t.lru)} leads into a loop at {lru_to_url(t.target_lru)}" for t in loops)
        return MaintenanceReport(self.name, context.corpus_id, dry_run, summary, notes=notes, trails=trails)


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
