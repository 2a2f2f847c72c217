"""The job that puts titles and texts of pages into the index of words."""

from __future__ import annotations

from hyphe_core.maintenance.job import (
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    Progress,
    counted,
    maintenance_job,
)

_TURN_SECONDS = 1.0


@maintenance_job
class IndexText(MaintenanceJob):
    """Bring the index up to date, whatever the option `index_text` says: to run the job is to ask for it."""

    name = "index-text"
    description = (
        "Put titles and texts of pages fetched since the last time into the index of words, which searches "
        "of pages read. The service does so by itself, slowly, while the option index_text allows it."
    )

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """Index until nothing is left."""
        structure = context.structure
        n_pages = 0
        while not dry_run:
            turn = structure.index_texts(_TURN_SECONDS)
            n_pages += turn.n_pages
            progress("indexing texts", n_pages, n_pages + turn.n_waiting)
            if not turn.n_waiting:
                break
        waiting = structure.n_texts_waiting()
        summary = f"{counted(n_pages, 'page')} put into the index"
        if waiting:
            summary = f"{counted(waiting, 'stored attempt')} to be looked at"
        return MaintenanceReport(
            self.name, context.corpus_id, dry_run, summary, waiting if dry_run else n_pages
        )
