"""Methods that say how a crawl went: report, diagnosis, review, log."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID
from hyphe_core.api.failures import Refusal
from hyphe_core.api.job_shapes import (
    DIAGNOSIS,
    JOB_LOG,
    REPORT,
    REVIEW,
    show_diagnosis,
    show_report,
    show_review,
)
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.parameters import Flag, Integer, ListOf, Parameter, Text
from hyphe_core.api.schemas import INTEGER, TEXT, list_of, or_null, record
from hyphe_core.api.wire import milliseconds
from hyphe_core.clock import from_milliseconds
from hyphe_core.crawl.diagnosis import diagnose_job
from hyphe_core.crawl.job_log import LogFilter, iter_log, jobs_of_entity
from hyphe_core.crawl.job_report import report_job
from memory_structure.acts import current_actor
from memory_structure.records import LogEntry

methods = MethodGroup("jobs")

_JOB_ID = Parameter("job_id", Integer(1), doc="id of a crawl job")
_MAX_JOBS = 100
_KINDS = ListOf(Text(max_chars=100), or_one=True)
_MOMENT = Integer(0, 32_503_680_000_000)  # until the year 3000


@methods.method(
    _JOB_ID, CORPUS, result=REPORT, returns="an object: verdict with its reason, figures, cuts, links"
)
def report(call: Call, job_id: int) -> JsonObject:
    """Report the quality of a crawl: pages by outcome, depth and type, share of errors, links in and out,
    what was cut and why, and a verdict with the numbers it rests on."""
    return show_report(call, report_job(call.structure, job_id))


_REPORTS = {"webentity_id": INTEGER, "n_jobs": INTEGER, "verdict": or_null(TEXT), "reports": list_of(REPORT)}


@methods.method(
    ENTITY_ID,
    CORPUS,
    result=record(_REPORTS),
    returns="an object: number of jobs, verdict on the last one, reports from the last one back",
)
def report_webentity(call: Call, web_entity_id: int) -> JsonObject:
    """Report the quality of all crawls of a web entity (the last hundred), the newest first."""
    ids = jobs_of_entity(call.structure, web_entity_id)
    newest = sorted(ids, reverse=True)[:_MAX_JOBS]
    reports = [show_report(call, report_job(call.structure, job_id)) for job_id in newest]
    verdict = reports[0]["verdict"] if reports else None
    return {"webentity_id": web_entity_id, "n_jobs": len(ids), "verdict": verdict, "reports": reports}


@methods.method(
    _JOB_ID, CORPUS, result=DIAGNOSIS, returns="an object: start pages stage by stage, and advice"
)
def diagnose(call: Call, job_id: int) -> JsonObject:
    """Tell why a crawl brought nothing: what became of each start page at address, scope, DNS, connection,
    TLS, robots.txt, status, redirect, type, size and links; and what to do. Nothing is fetched."""
    return show_diagnosis(diagnose_job(call.structure, job_id))


@methods.method(
    _JOB_ID,
    Parameter("reviewed", Flag(), True, "whether it was looked at"),
    Parameter("note", Text(max_chars=10_000), "", "what was seen"),
    CORPUS,
    result=REVIEW,
    returns="an object: reviewed, note, actor, reviewed_at",
    role=Role.CURATOR,
)
def review(call: Call, job_id: int, reviewed: bool, note: str) -> JsonObject:
    """Note that somebody looked at a crawl, with a remark; who and when is kept with it."""
    job = call.structure.set_job_reviewed(job_id, reviewed, note=note, actor=current_actor())
    return show_review(job.reviewed, job.review)


@methods.method(
    Parameter("job_id", Integer(1), None, "only this crawl job"),
    Parameter("webentity_id", Integer(1), None, "only the crawl jobs of this web entity"),
    Parameter("kinds", _KINDS, (), "only lines whose kind begins like one of these, such as CRAWL"),
    Parameter("text", Text(max_chars=1000), "", "only lines that hold this text"),
    Parameter("from_ts", _MOMENT, None, "only lines since this moment, in milliseconds"),
    Parameter("to_ts", _MOMENT, None, "only lines until this moment, in milliseconds"),
    Parameter("count", Integer(1, 100_000), 1000, "lines at a time"),
    Parameter("token", Text(max_chars=30), None, "token of the answer before; none begins"),
    CORPUS,
    result=JOB_LOG,
    returns="an object: lines (oldest first), n_lines, token (null at the end)",
)
def log(
    call: Call,
    job_id: int | None,
    web_entity_id: int | None,
    kinds: list[str],
    text: str,
    from_ms: int | None,
    to_ms: int | None,
    count: int,
    token: str | None,
) -> JsonObject:
    """Give the log of a crawl job, of all crawls of a web entity, or of the corpus, filtered, some lines at a
    time."""
    wanted = LogFilter(
        _job_ids(call, job_id, web_entity_id), tuple(kinds), text, _moment(from_ms), _moment(to_ms)
    )
    start = _place(token)
    lines = list(islice(iter_log(call.structure, wanted), start, start + count + 1))
    more = len(lines) > count
    return {
        "lines": [_line(entry) for entry in lines[:count]],
        "n_lines": min(len(lines), count),
        "token": str(start + count) if more else None,
    }


def _job_ids(call: Call, job_id: int | None, web_entity_id: int | None) -> tuple[int, ...] | None:
    if job_id is not None:
        return (call.structure.get_job(job_id).job_id,)
    return None if web_entity_id is None else tuple(jobs_of_entity(call.structure, web_entity_id))


def _moment(moment_ms: int | None) -> datetime | None:
    return None if moment_ms is None else from_milliseconds(moment_ms)


def _place(token: str | None) -> int:
    if token is None:
        return 0
    if not (token.isascii() and token.isdecimal()):
        raise Refusal("this token is not one that this service gave")
    return int(token)


def _line(entry: LogEntry) -> JsonObject:
    return {
        "timestamp": milliseconds(entry.logged_at),
        "job": str(entry.job_id or ""),
        "kind": entry.kind,
        "message": entry.message,
    }
