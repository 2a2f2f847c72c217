"""Methods on crawl jobs: listing, cancelling, pausing, and their logs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID
from hyphe_core.api.failures import Refusal
from hyphe_core.api.job_shapes import show_jobs
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.parameters import Flag, Integer, ListOf, Parameter
from hyphe_core.api.schemas import FLAG, JOBS, LOG, MESSAGE, TEXT, TEXTS, list_of, row_of
from hyphe_core.api.wire import milliseconds, shown_log
from hyphe_core.clock import now, to_milliseconds
from hyphe_core.crawl.pausing import pause_jobs, resume_job
from memory_structure.acts import current_actor
from memory_structure.errors import NotFound
from memory_structure.jobs import ENDED
from memory_structure.records import EndReason, Job, JobState
from memory_structure.registry import Command

methods = MethodGroup()
crawl_methods = MethodGroup("crawl")

_UNFINISHED = frozenset({JobState.PENDING, JobState.RUNNING, JobState.PAUSED})

_JOBS_AT_ONCE: Final = 500  # keeps each write transaction short

_JOB_ID = Parameter("job_id", Integer(1), doc="id of a crawl job")
_JOB_IDS = Parameter("job_ids", ListOf(Integer(1), or_one=True), doc="ids of crawl jobs")


# -- listing ----------------------------------------------------------------------------------------------


@methods.method(
    Parameter("list_ids", ListOf(Integer(1), or_one=True), None, "ids of jobs; none for all"),
    Parameter("from_ts", Integer(), None, "only jobs unfinished or ended since this moment, in milliseconds"),
    Parameter("to_ts", Integer(), None, "only jobs created until this moment, in milliseconds"),
    Parameter("light", Flag(), False, "leave out most of crawl_arguments"),
    CORPUS,
    result=JOBS,
    returns="a list of jobs by crawling status, indexing status and creation",
)
def listjobs(
    call: Call, ids: list[int] | None, from_ms: int | None, to_ms: int | None, light: bool
) -> list[JsonObject]:
    """List crawl jobs."""
    jobs = _jobs_of_ids(call, ids) if ids else call.structure.list_jobs()
    moment = to_milliseconds(now())
    kept = [job for job in jobs if _is_between(job, from_ms, to_ms, moment)]
    return show_jobs(call, kept, light)


def _jobs_of_ids(call: Call, ids: list[int]) -> list[Job]:
    try:
        return call.structure.list_jobs(ids=ids)
    except NotFound as error:
        raise Refusal(str(error)) from None


def _is_between(job: Job, from_ms: int | None, to_ms: int | None, now_ms: int) -> bool:
    ended_ms = milliseconds(job.ended_at)
    ended_ms = now_ms if ended_ms is None else ended_ms
    begins_in_time = to_ms is None or to_milliseconds(job.created_at) <= to_ms
    return begins_in_time and (from_ms is None or job.ended_at is None or ended_ms >= from_ms)


@methods.method(ENTITY_ID, CORPUS, result=JOBS, returns="a list of jobs")
def get_webentity_jobs(call: Call, web_entity_id: int) -> list[JsonObject]:
    """List the crawl jobs of a web entity, those of entities merged into it among them."""
    return show_jobs(call, call.structure.list_jobs(web_entity_id=web_entity_id))


# -- cancelling -------------------------------------------------------------------------------------------


def _cancel_jobs(call: Call, jobs: Sequence[Job]) -> dict[int, str]:
    """Order the end of jobs; those that no worker holds end at once. Job id -> a confirmation, in order,
    without those that ended in the meantime. A few transactions, however many jobs."""
    told: dict[int, str] = {}
    for start in range(0, len(jobs), _JOBS_AT_ONCE):
        told |= _cancel_some(call, [job.job_id for job in jobs[start : start + _JOBS_AT_ONCE]])
    return told


def _cancel_some(call: Call, ids: Sequence[int]) -> dict[int, str]:
    registry, structure, corpus_id = call.registry, call.structure, call.corpus.corpus_id
    workers = registry.command_jobs(corpus_id, ids, Command.CANCEL)
    free = [job_id for job_id in ids if not workers.get(job_id)]
    why = "canceled before it began"
    moved = set(structure.move_jobs(free, JobState.CANCELED, end=EndReason.CANCELED, reason=why))
    structure.add_logs([("CRAWL_CANCELED", "canceled by a client", i) for i in free if i in moved])
    registry.release_jobs(corpus_id, free, "", done=True)
    return {
        i: f"crawl job {i} is {'canceled' if i in moved else 'being canceled'}"
        for i in ids
        if i in moved or workers.get(i)
    }


@crawl_methods.method(_JOB_ID, CORPUS, result=MESSAGE, returns="a confirmation", role=Role.CURATOR)
def cancel(call: Call, job_id: int) -> str:
    """Cancel a crawl job; what it stored stays."""
    job = call.structure.get_job(job_id)
    told = _cancel_jobs(call, [job]) if job.state in _UNFINISHED else {}
    if job_id not in told:
        state = call.structure.get_job(job_id).state
        raise Refusal(f"crawl job {job_id} has ended already ({state.value})")
    return told[job_id]


@crawl_methods.method(CORPUS, result=TEXTS, returns="a list of ids of canceled jobs", role=Role.CURATOR)
def cancel_all(call: Call) -> list[str]:
    """Cancel every crawl job that has not ended."""
    jobs = call.structure.list_jobs(states=sorted(_UNFINISHED))
    return [str(job_id) for job_id in _cancel_jobs(call, jobs)]


# -- pausing ----------------------------------------------------------------------------------------------


@crawl_methods.method(
    _JOB_IDS, CORPUS, result=TEXTS, returns="a list of ids of the jobs that pause", role=Role.CURATOR
)
def pause(call: Call, job_ids: list[int]) -> list[str]:
    """Pause crawl jobs: what is under way ends, and nothing more is fetched until they are resumed. All of
    them, or none when one has ended."""
    jobs = _jobs_of_ids(call, list(dict.fromkeys(job_ids)))
    _refuse_those_in(jobs, ENDED)
    ids = [job.job_id for job in jobs]
    pause_jobs(call.registry, call.corpus.corpus_id, call.structure, ids)
    return [str(job_id) for job_id in ids]


@crawl_methods.method(
    _JOB_IDS, CORPUS, result=TEXTS, returns="a list of ids of the jobs that go on", role=Role.CURATOR
)
def resume(call: Call, job_ids: list[int]) -> list[str]:
    """Let paused crawl jobs go on where they were, and take up those again that a fault ended. All of them,
    or none when one was canceled or is complete."""
    jobs = _jobs_of_ids(call, list(dict.fromkeys(job_ids)))
    _refuse_those_in(jobs, ENDED - {JobState.FAILED}, ": crawl its web entity again")
    for job in jobs:
        resume_job(call.registry, call.corpus.corpus_id, call.structure, job)
    return [str(job.job_id) for job in jobs]


def _refuse_those_in(jobs: Sequence[Job], states: Collection[JobState], advice: str = "") -> None:
    for job in jobs:
        if job.state in states:
            raise Refusal(f"crawl job {job.job_id} has ended already ({job.state.value}){advice}")


@methods.method(
    ENTITY_ID,
    CORPUS,
    result=list_of(row_of(FLAG, TEXT)),
    returns="a list of [true, confirmation], one a job",
    role=Role.CURATOR,
)
def cancel_webentity_jobs(call: Call, web_entity_id: int) -> list[list[object]]:
    """Cancel the crawl jobs of a web entity that have not ended."""
    jobs = call.structure.list_jobs(web_entity_id=web_entity_id, states=sorted(_UNFINISHED))
    return [[True, words] for words in _cancel_jobs(call, jobs).values()]


# -- logs -------------------------------------------------------------------------------------------------


@methods.method(ENTITY_ID, CORPUS, result=LOG, returns="a list of lines: timestamp, job, log")
def get_webentity_logs(call: Call, web_entity_id: int) -> list[JsonObject]:
    """Give the log of all crawl jobs of a web entity, oldest first."""
    jobs = call.structure.list_jobs(web_entity_id=web_entity_id)
    entries = [entry for job in jobs for entry in call.structure.iter_logs(job_id=job.job_id)]
    entries.sort(key=lambda entry: entry.logged_at)
    return [shown_log(entry, with_job=True) for entry in entries]


@crawl_methods.method(_JOB_ID, CORPUS, result=LOG, returns="a list of lines: timestamp, log")
def get_job_logs(call: Call, job_id: int) -> list[JsonObject]:
    """Give the log of a crawl job, oldest first."""
    call.structure.get_job(job_id)
    return [shown_log(entry) for entry in call.structure.iter_logs(job_id=job_id)]


@crawl_methods.method(_JOB_ID, CORPUS, result=TEXT, returns="a text, one line an entry")
def get_job_log(call: Call, job_id: int) -> str:
    """Give the log of a crawl job as a text, with how it stands and why."""
    job = call.structure.get_job(job_id)
    lines = [
        f"{e.logged_at.isoformat(timespec='seconds')} {e.kind} {e.message}".rstrip()
        for e in call.structure.iter_logs(job_id=job_id)
    ]
    return "\n".join([*lines, f"job {job_id} is {job.state.value}: {job.reason or 'no reason given'}", ""])


@crawl_methods.method(
    _JOB_ID,
    Parameter("status", Flag(), doc="whether it was reviewed"),
    CORPUS,
    result=MESSAGE,
    returns="a confirmation",
    role=Role.CURATOR,
)
def set_job_review_status(call: Call, job_id: int, reviewed: bool) -> str:
    """Note whether somebody looked at a crawl job."""
    known = call.structure.get_job(job_id).review
    note = known.note if known is not None else ""
    call.structure.set_job_reviewed(job_id, reviewed, note=note, actor=current_actor())
    return f"crawl job {job_id} is marked as {'' if reviewed else 'not '}reviewed"
