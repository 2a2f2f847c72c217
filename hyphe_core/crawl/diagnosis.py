"""Why a crawl brought nothing, on one page: each start page through the stages of a fetch, from what is
stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from hyphe_core.crawl.job_report import Judgement, figures_of, judge
from hyphe_core.crawl.robots import NOT_HAD
from hyphe_core.crawl.scope import Scope
from memory_structure.errors import NotFound
from memory_structure.jobs import ENDED
from memory_structure.lru import lru_to_url
from memory_structure.records import Fetch, FetchError, Job
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl

MOST_START_PAGES: Final = 20


class Stage(StrEnum):
    """What a start page has to pass, in this order."""

    ADDRESS = "address"
    SCOPE = "scope"
    DNS = "dns"
    CONNECTION = "connection"
    TLS = "tls"
    ROBOTS = "robots"
    STATUS = "status"
    REDIRECT = "redirect"
    TYPE = "type"
    SIZE = "size"
    LINKS = "links"


class StageResult(NamedTuple):
    """How a page fared at a stage: passed, not passed, or (None) not reached."""

    stage: Stage
    passed: bool | None
    words: str = ""


class StartPageDiagnosis(NamedTuple):
    """A start page stage by stage. `failed` is the first stage it did not pass, None when it passed all."""

    url: str
    stages: tuple[StageResult, ...]
    failed: Stage | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The start pages of a job (the first ones), the verdict on the job, and what to do about it."""

    job: Job
    judgement: Judgement
    start_pages: tuple[StartPageDiagnosis, ...]
    advice: tuple[str, ...]


# The stage at which an error stops a page; all earlier ones were passed.
_FAILING: Final = {
    FetchError.DNS: Stage.DNS,
    FetchError.PRIVATE_ADDRESS: Stage.DNS,
    FetchError.CONNECTION: Stage.CONNECTION,
    FetchError.TIMEOUT: Stage.CONNECTION,
    FetchError.PROXY: Stage.CONNECTION,
    FetchError.TLS: Stage.TLS,
    FetchError.ROBOTS: Stage.ROBOTS,
    FetchError.BAD_ANSWER: Stage.STATUS,
    FetchError.TRUNCATED: Stage.SIZE,
    FetchError.TOO_LARGE: Stage.SIZE,
    FetchError.BAD_ENCODING: Stage.TYPE,
    FetchError.PARSER: Stage.LINKS,
    FetchError.TRAP: Stage.ADDRESS,
    FetchError.INTERNAL: Stage.CONNECTION,
}
_ADVICE: Final = {
    Stage.ADDRESS: "correct the address of the start page",
    Stage.SCOPE: "choose a start page of this entity, or give the entity the prefix of the page",
    Stage.DNS: "the host has no (public) address: look for a spelling mistake, or a site that is gone",
    Stage.CONNECTION: "the server does not answer: try again later, or with another proxy",
    Stage.TLS: "no secure connection could be made: try the http address, if the site has one",
    Stage.ROBOTS: "robots.txt refuses the crawler: ask the site, or crawl without obeying it, with a reason",
    Stage.STATUS: "the server refuses or does not know the page: look at it in a browser, then try another "
    "user agent, cookies, or another start page",
    Stage.REDIRECT: "the page leads out of the entity: add the prefix it leads to, or crawl that entity",
    Stage.TYPE: "the page is no HTML: begin at another page",
    Stage.SIZE: "the answer is empty, cut off or too large: begin at another page",
    Stage.LINKS: "the page has no link to follow: it may need scripts; begin at its site map or deeper pages",
}
_NO_ROBOTS: Final = (
    "the server fails when it is asked for robots.txt, and nothing of it is fetched meanwhile: try again "
    "later, or crawl without obeying robots.txt, with a reason"
)
_OK: Final = 200
_HTML: Final = ("text/html", "application/xhtml")


def diagnose_job(structure: MemoryStructure, job_id: int) -> Diagnosis:
    """What became of the start pages of a job, and what to do. Nothing is fetched. Raises NotFound."""
    job = structure.get_job(job_id)
    urls = job.spec.start_urls[:MOST_START_PAGES]
    pages = tuple(_diagnose(structure, job, url) for url in urls)
    advice = [words for stage in Stage for words in dict.fromkeys(_advice(pages, stage))]
    if job.state not in ENDED:
        advice.insert(0, f"the crawl is not over ({job.state.value}): {job.reason}")
    judgement = judge(job, figures_of(job, structure.job_outcomes(job_id)))
    return Diagnosis(job, judgement, pages, tuple(advice))


def _advice(pages: Iterable[StartPageDiagnosis], stage: Stage) -> Iterator[str]:
    """What to do for each of the pages that failed at a stage."""
    for page in pages:
        if page.failed is stage:
            words = next(result.words for result in page.stages if result.stage is stage)
            is_missing = stage is Stage.ROBOTS and NOT_HAD in words
            yield _NO_ROBOTS if is_missing else _ADVICE[stage]


def _diagnose(structure: MemoryStructure, job: Job, url: str) -> StartPageDiagnosis:
    try:
        lru = cutter_for(structure.options().url_policy).lru(url)
    except BadUrl as error:
        return _stopped(url, Stage.ADDRESS, str(error))
    if not Scope(job.spec.follow_prefixes, job.spec.nofollow_prefixes).follows(lru):
        return _stopped(url, Stage.SCOPE, _owner_words(structure, lru))
    fetch = _fetch_of(structure, job, lru)
    if fetch is None:
        return StartPageDiagnosis(url, tuple(_reached(Stage.DNS, None, "not tried")), None)
    return _diagnose_fetch(structure, job, url, fetch)


def _diagnose_fetch(structure: MemoryStructure, job: Job, url: str, fetch: Fetch) -> StartPageDiagnosis:
    if fetch.error is not None:
        words = fetch.error.value + (f": {fetch.error_detail}" if fetch.error_detail else "")
        return _stopped(url, _FAILING[fetch.error], words)
    if fetch.redirect_lru is not None:
        scope = Scope(job.spec.follow_prefixes, job.spec.nofollow_prefixes)
        words = f"leads to {lru_to_url(fetch.redirect_lru)}"
        if not scope.follows(fetch.redirect_lru):
            return _stopped(url, Stage.REDIRECT, f"{words}: {_owner_words(structure, fetch.redirect_lru)}")
        stages = _reached(Stage.REDIRECT, True, f"{words}, inside the entity")
        return StartPageDiagnosis(url, tuple(stages), None)
    if fetch.status != _OK:
        return _stopped(url, Stage.STATUS, f"status {fetch.status}")
    if fetch.content_type and not fetch.content_type.lower().startswith(_HTML):
        return _stopped(url, Stage.TYPE, fetch.content_type)
    if not fetch.size_bytes:
        return _stopped(url, Stage.SIZE, "an empty body")
    if not fetch.n_links:
        return _stopped(url, Stage.LINKS, f"no link in {fetch.size_bytes} bytes")
    words = f"{fetch.n_links} links" + ("" if fetch.follow else "; the page asks that they are not followed")
    return StartPageDiagnosis(url, tuple(_reached(Stage.LINKS, True, words)), None)


def _stopped(url: str, stage: Stage, words: str) -> StartPageDiagnosis:
    return StartPageDiagnosis(url, tuple(_reached(stage, False, words)), stage)


def _reached(last: Stage, passed: bool | None, words: str) -> list[StageResult]:
    """All stages: those before the last one reached are passed, those behind it were not reached."""
    stages = list(Stage)
    place = stages.index(last)
    before = [StageResult(stage, True) for stage in stages[:place]]
    return [*before, StageResult(last, passed, words), *(StageResult(s, None) for s in stages[place + 1 :])]


def _fetch_of(structure: MemoryStructure, job: Job, lru: str) -> Fetch | None:
    try:
        fetches = structure.list_fetches(lru)
    except NotFound:
        return None
    return next((f for f in reversed(fetches) if f.job_id == job.job_id and f.final), None)


def _owner_words(structure: MemoryStructure, lru: str) -> str:
    owner = structure.find_owner(lru)
    if owner is None:
        return "it belongs to no web entity yet"
    return f'it belongs to web entity {owner.web_entity_id}, "{owner.name}"'
