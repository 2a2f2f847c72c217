"""The job that decides again, by today's creation rules, where known pages belong."""

from __future__ import annotations

from hyphe_core.maintenance.job import (
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    Progress,
    counted,
    maintenance_job,
)


@maintenance_job
class ReapplyRules(MaintenanceJob):
    """Apply the creation rules to every known page."""

    name = "reapply-rules"
    description = (
        "Decide again for every known page by the creation rules; create the web entities they ask for."
    )

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """The prefixes of the entities created are in the notes."""
        progress("creation rules over known pages", 0, None)
        applied = context.structure.apply_rules(dry_run=dry_run)
        n_created = len(applied.prefixes)
        verb = "would be created" if dry_run else "created"
        summary = (
            f"{counted(n_created, 'web entity', 'web entities')} {verb}, "
            f"{counted(applied.n_pages_moved, 'page')} {'would move' if dry_run else 'moved'}"
        )
        return MaintenanceReport(
            self.name, context.corpus_id, dry_run, summary, n_created, notes=tuple(applied.prefixes)
        )
