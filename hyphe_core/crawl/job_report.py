"""The quality of a crawl: what it fetched, what was cut and why, and a verdict with the numbers it rests
on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from memory_structure.jobs import ENDED
from memory_structure.records import EndReason, FetchError, Job, JobOutcomes, JobState
from memory_structure.structure import MemoryStructure

_FEW_PAGES: Final = 10
_FEW_LINKS: Final = 10.0
_MANY_ERRORS: Final = 0.5
_BUDGETS: Final = frozenset({EndReason.MAX_PAGES, EndReason.MAX_BYTES, EndReason.TIME_LIMIT})


class Verdict(StrEnum):
    """What a crawl came to."""

    UNDER_WAY = "under way"
    CANCELED = "canceled"
    ACHIEVED = "achieved"
    SUSPICIOUS = "suspicious"
    UNSUCCESSFUL = "unsuccessful"


class Judgement(NamedTuple):
    """A verdict and the reason for it, with its numbers."""

    verdict: Verdict
    words: str


@dataclass(frozen=True, slots=True)
class Figures:
    """The numbers that a judgement rests on. Redirects are answers, not errors. `links_per_page` is that of
    pages with status 200."""

    n_pages: int
    n_200: int
    n_redirects: int
    n_errors: int
    n_bare: int
    links_per_page: float
    max_depth: int
    is_complete: bool
    outcomes: tuple[tuple[str, int], ...]

    @property
    def error_share(self) -> float:
        """Errors among the pages tried, from 0 to 1."""
        return self.n_errors / self.n_pages if self.n_pages else 0.0


@dataclass(frozen=True, slots=True)
class JobReport:
    """A crawl job in numbers. `n_links_out` and `n_links_in` are page links between its web entity and
    others, as they are now; `cuts` are sentences on what was not fetched or not kept."""

    job: Job
    outcomes: JobOutcomes
    figures: Figures
    judgement: Judgement
    cuts: tuple[str, ...]
    n_links_out: int
    n_links_in: int
    n_entities_out: int
    n_entities_in: int


def report_job(structure: MemoryStructure, job_id: int) -> JobReport:
    """The report of a job. Reads every attempt of the job. Raises NotFound."""
    job = structure.get_job(job_id)
    outcomes = structure.job_outcomes(job_id)
    figures = figures_of(job, outcomes)
    entity_id = job.spec.web_entity_id
    leaving = structure.list_referrals(entity_id) if entity_id is not None else []
    arriving = structure.list_referrers(entity_id) if entity_id is not None else []
    return JobReport(
        job,
        outcomes,
        figures,
        judge(job, figures),
        tuple(list_cuts(job, outcomes)),
        sum(link.weight for link in leaving),
        sum(link.weight for link in arriving),
        len(leaving),
        len(arriving),
    )


def figures_of(job: Job, outcomes: JobOutcomes) -> Figures:
    """The numbers of a job. Statuses from 400 on and attempts without a whole answer are errors."""
    counts = dict(outcomes.by_outcome)
    n_200 = counts.get("200", 0)
    statuses = [(int(outcome), n) for outcome, n in counts.items() if outcome.isdecimal()]
    failed = sum(n for outcome, n in counts.items() if not outcome.isdecimal())
    return Figures(
        n_pages=sum(counts.values()),
        n_200=n_200,
        n_redirects=sum(n for status, n in statuses if 300 <= status < 400),
        n_errors=failed + sum(n for status, n in statuses if status >= 400),
        n_bare=outcomes.n_bare,
        links_per_page=outcomes.n_links / n_200 if n_200 else 0.0,
        max_depth=job.spec.max_depth,
        is_complete=job.end is EndReason.COMPLETE,
        outcomes=outcomes.by_outcome,
    )


def judge(job: Job, figures: Figures) -> Judgement:
    """The verdict: the first rule that applies says it."""
    if job.state not in ENDED:
        return Judgement(Verdict.UNDER_WAY, f"the crawl is {job.state.value}: {job.reason}")
    if job.state is JobState.CANCELED:
        return Judgement(Verdict.CANCELED, f"canceled after {_pages(figures.n_pages)}")
    for applies, verdict, words in _RULES:
        if applies(figures):
            return Judgement(verdict, words(figures))
    raise AssertionError("the last rule always applies")


def _pages(n: int) -> str:
    return f"{n} page{'' if n == 1 else 's'}"


def _with_200(figures: Figures) -> str:
    return f"{_pages(figures.n_200)} with status 200"


def _tried(figures: Figures) -> str:
    told = ", ".join(f"{n} x {outcome}" for outcome, n in figures.outcomes)
    return f"none of {_pages(figures.n_pages)} tried answered with status 200" + (
        f" ({told})" if told else ""
    )


def _few_words(figures: Figures) -> str:
    return (
        f"only {_with_200(figures)}, {figures.links_per_page:.1f} links a page, depth {figures.max_depth}: "
        "perhaps the site needs scripts, or answers crawlers with a block page"
    )


# Clients judge by the same numbers (more than 10 pages, depth 0, at least 10 links a page); the rule on small
# sites keeps one-page entities from being suspected, the one on errors tells what a number of pages hides.
_RULES: Final[Sequence[tuple[Callable[[Figures], bool], Verdict, Callable[[Figures], str]]]] = (
    (lambda f: not f.n_200, Verdict.UNSUCCESSFUL, _tried),
    (lambda f: not f.max_depth, Verdict.ACHIEVED, lambda f: f"depth 0: {_with_200(f)}"),
    (
        lambda f: f.error_share > _MANY_ERRORS,
        Verdict.SUSPICIOUS,
        lambda f: f"{f.n_errors} of {_pages(f.n_pages)} are errors ({f.error_share:.0%}), {_with_200(f)}",
    ),
    (lambda f: f.n_200 > _FEW_PAGES, Verdict.ACHIEVED, _with_200),
    (
        lambda f: f.links_per_page >= _FEW_LINKS,
        Verdict.ACHIEVED,
        lambda f: f"{_with_200(f)}, {f.links_per_page:.1f} links a page",
    ),
    (
        lambda f: f.is_complete and not f.n_errors and not f.n_bare,
        Verdict.ACHIEVED,
        lambda f: f"a small site: all {_pages(f.n_200)} within reach fetched, each with links",
    ),
    (lambda _f: True, Verdict.SUSPICIOUS, _few_words),
)

_CUT_WORDS: Final = (
    (FetchError.ROBOTS, "not fetched: robots.txt forbids them or could not be had"),
    (FetchError.TOO_LARGE, "too large, given up"),
    (FetchError.TRUNCATED, "cut off by the server or the connection"),
    (FetchError.TRAP, "left out as traps (addresses that grow without end)"),
    (FetchError.PRIVATE_ADDRESS, "at private addresses, not asked"),
    (FetchError.TIMEOUT, "given up after the time limit of a request"),
)


def list_cuts(job: Job, outcomes: JobOutcomes) -> list[str]:
    """Sentences on what was left out of a crawl, and why."""
    counts = dict(outcomes.by_outcome)
    cuts = [f"the crawl stopped early: {job.reason}"] if job.end in _BUDGETS else []
    cuts += [f"{_pages(counts[error.value])} {words}" for error, words in _CUT_WORDS if error.value in counts]
    if outcomes.n_links_cut:
        cuts.append(f"{outcomes.n_links_cut} links dropped: over the limit of a page, or no web address")
    if outcomes.n_nofollow:
        cuts.append(f"links of {_pages(outcomes.n_nofollow)} kept but not followed: the pages ask for it")
    deepest = max((depth for depth, _ in outcomes.by_depth), default=0)
    if deepest >= job.spec.max_depth and job.end is EndReason.COMPLETE:
        cuts.append(
            f"links of pages at depth {job.spec.max_depth} kept but not followed: the depth asked for"
        )
    return cuts
