"""What is told at the end of a crawl of jobs that brought nothing."""

from __future__ import annotations

from collections.abc import Iterator

from hyphe_core.cli.crawl_watch import CrawlView
from hyphe_core.crawl.diagnosis import Diagnosis, diagnose_job
from memory_structure.jobs import ENDED
from memory_structure.records import JobState
from memory_structure.structure import MemoryStructure

MOST_TOLD = 10


def empty_crawls(structure: MemoryStructure, view: CrawlView) -> Iterator[str]:
    """A sentence for each of the first jobs of entities that ended without a page of status 200, and one for
    the rest."""
    ended = [each for each in view.jobs if each.job.state in ENDED - {JobState.CANCELED}]
    empty = [each for each in ended if each.job.spec.web_entity_id and not each.job.counters.n_200]
    for each in empty[:MOST_TOLD]:
        yield f"{each.name}: {_why(diagnose_job(structure, each.job.job_id))}"
    if len(empty) > MOST_TOLD:
        yield f"{len(empty) - MOST_TOLD} more crawls brought no page with status 200; the log tells of each"


def _why(diagnosis: Diagnosis) -> str:
    """The first start page that failed, where, and what to do."""
    for page in diagnosis.start_pages:
        for result in page.stages:
            if result.passed is False:
                words = f"{page.url} failed at {result.stage.value} ({result.words})"
                return f"{words}: {diagnosis.advice[0]}" if diagnosis.advice else words
    return diagnosis.judgement.words
