"""Methods on crawl jobs: listing, cancelling, and their logs."""

from __future__ import annotations

from collections.abc import Iterable

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
from memory_structure.acts import current_actor
from memory_structure.errors import IllegalTransition, NotFound
from memory_structure.records import EndReason, Job, JobState
from memory_structure.registry import Command

methods = MethodGroup()
crawl_methods = MethodGroup("crawl")

_UNFINISHED = frozenset({JobState.PENDING, JobState.RUNNING, JobState.PAUSED})

_JOB_ID = Parameter("job_id", Integer(1), doc="id of a crawl job")


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


def _cancel_unfinished(call: Call, jobs: Iterable[Job]) -> list[tuple[Job, str]]:
    """Cancel jobs; one that has ended in the meantime is passed over."""
    canceled: list[tuple[Job, str]] = []
    for job in jobs:
        try:
            canceled.append((job, _cancel(call, job)))
        except (Refusal, IllegalTransition):
            continue
    return canceled


def _cancel(call: Call, job: Job) -> str:
    """Order the job's end; one that no worker holds ends at once."""
    corpus_id, job_id = call.corpus.corpus_id, job.job_id
    if job.state not in _UNFINISHED:
        raise Refusal(f"crawl job {job_id} has ended already ({job.state.value})")
    call.registry.command_job(corpus_id, job_id, Command.CANCEL)
    held = any(e.job_id == job_id and e.worker_id for e in call.registry.list_queue(corpus_id))
    if held:
        return f"crawl job {job_id} is being canceled"
    call.structure.move_job(
        job_id, JobState.CANCELED, end=EndReason.CANCELED, reason="canceled before it began"
    )
    call.structure.add_log("CRAWL_CANCELED", "canceled by a client", job_id)
    call.registry.release_job(corpus_id, job_id, "", done=True)
    return f"crawl job {job_id} is canceled"


@crawl_methods.method(_JOB_ID, CORPUS, result=MESSAGE, returns="a confirmation", role=Role.CURATOR)
def cancel(call: Call, job_id: int) -> str:
    """Cancel a crawl job; what it stored stays."""
    return _cancel(call, call.structure.get_job(job_id))


@crawl_methods.method(CORPUS, result=TEXTS, returns="a list of ids of canceled jobs", role=Role.CURATOR)
def cancel_all(call: Call) -> list[str]:
    """Cancel every crawl job that has not ended."""
    jobs = call.structure.list_jobs(states=sorted(_UNFINISHED))
    return [str(job.job_id) for job, _ in _cancel_unfinished(call, jobs)]


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
    return [[True, words] for _, words in _cancel_unfinished(call, jobs)]


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
