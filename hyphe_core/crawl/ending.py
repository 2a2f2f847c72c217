"""Why a job ended, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_structure.lru import lru_to_url

if TYPE_CHECKING:
    from hyphe_core.crawl.job_state import CrawlState


def complete_words(job: CrawlState) -> str:
    """What to say of a job that has nothing left to do."""
    words = f"everything in reach was fetched ({job.n_done} pages)"
    if not job.n_answers:
        words = f"no page answered ({job.n_done} tried)"
    if job.left_scope is not None:
        words += f"; a start page leads out of the web entity, to {lru_to_url(job.left_scope)}"
    if job.n_traps:
        words += f"; {job.n_traps} URLs looked like traps and were not fetched"
    return words
