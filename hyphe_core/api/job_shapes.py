"""Crawl jobs as clients read them, with what the queue says of them; reports, diagnoses and lines of the
log."""

from __future__ import annotations

from collections.abc import Sequence

from hyphe_core.api.call import Call
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.schemas import FLAG, INTEGER, JOBS, NUMBER, OBJECT, TEXT, TEXTS, list_of, or_null, record
from hyphe_core.api.wire import milliseconds, shown_job
from hyphe_core.crawl.diagnosis import Diagnosis
from hyphe_core.crawl.job_report import JobReport
from hyphe_core.crawl.waiting import Situation, situations
from memory_structure.records import Job, JobState, Review

JOB = JOBS["items"]
REPORT = record(
    {
        "job": OBJECT,
        "verdict": TEXT,
        "verdict_reason": TEXT,
        "figures": OBJECT,
        "pages_by_outcome": OBJECT,
        "pages_by_depth": OBJECT,
        "pages_by_type": OBJECT,
        "cuts": TEXTS,
        "links": OBJECT,
    }
)
DIAGNOSIS = record(
    {
        "job_id": TEXT,
        "verdict": TEXT,
        "verdict_reason": TEXT,
        "start_pages": list_of(record({"url": TEXT, "failed": or_null(TEXT), "stages": list_of(OBJECT)})),
        "advice": TEXTS,
    }
)
JOB_LOG = record(
    {
        "lines": list_of(record({"timestamp": INTEGER, "job": TEXT, "kind": TEXT, "message": TEXT})),
        "n_lines": INTEGER,
        "token": or_null(TEXT),
    }
)
REVIEW = record({"reviewed": FLAG, "note": TEXT, "actor": TEXT, "reviewed_at": or_null(NUMBER)})


def show_jobs(call: Call, jobs: Sequence[Job], light: bool = False) -> list[JsonObject]:
    """Jobs in the order in which clients list them: by crawling status, indexing status and creation."""
    told = situations(call.registry, call.corpus.corpus_id, jobs)
    shown = [_job_in_queue(job, told[job.job_id], light) for job in jobs]
    shown.sort(key=lambda j: (str(j["crawling_status"]), str(j["indexing_status"]), j["created_at"]))
    return shown


def _job_in_queue(job: Job, situation: Situation, light: bool) -> JsonObject:
    """A job whose `reason` is that of this moment."""
    waits = job.state is JobState.PENDING
    return shown_job(job, light) | {
        "reason": situation.words if waits else job.reason,
        "situation": situation.words,
        "queue_position": situation.position,
        "queue_length": situation.n_waiting,
        "review": show_review(job.reviewed, job.review),
    }


def show_review(reviewed: bool, review: Review | None) -> JsonObject:
    """What was said of a job."""
    note, actor, moment = review or ("", "", None)
    return {"reviewed": reviewed, "note": note, "actor": actor, "reviewed_at": milliseconds(moment)}


def show_report(call: Call, report: JobReport) -> JsonObject:
    """The quality of a crawl."""
    figures, outcomes = report.figures, report.outcomes
    return {
        "job": show_jobs(call, [report.job])[0],
        "verdict": report.judgement.verdict.value,
        "verdict_reason": report.judgement.words,
        "figures": {
            "pages": figures.n_pages,
            "pages_200": figures.n_200,
            "redirects": figures.n_redirects,
            "errors": figures.n_errors,
            "error_share": round(figures.error_share, 4),
            "links_per_page": round(figures.links_per_page, 2),
            "pages_200_without_links": figures.n_bare,
            "max_depth": figures.max_depth,
            "depth_reached": max((depth for depth, _ in outcomes.by_depth), default=None),
            "complete": figures.is_complete,
        },
        "pages_by_outcome": dict(outcomes.by_outcome),
        "pages_by_depth": {str(depth): n for depth, n in outcomes.by_depth},
        "pages_by_type": dict(outcomes.by_type),
        "cuts": list(report.cuts),
        "links": {
            "found": outcomes.n_links,
            "to_other_webentities": report.n_links_out,
            "from_other_webentities": report.n_links_in,
            "webentities_linked": report.n_entities_out,
            "webentities_linking": report.n_entities_in,
        },
    }


def show_diagnosis(diagnosis: Diagnosis) -> JsonObject:
    """Start pages stage by stage; `passed` is null for a stage that was not reached."""
    return {
        "job_id": str(diagnosis.job.job_id),
        "verdict": diagnosis.judgement.verdict.value,
        "verdict_reason": diagnosis.judgement.words,
        "start_pages": [
            {
                "url": page.url,
                "failed": None if page.failed is None else page.failed.value,
                "stages": [
                    {"stage": result.stage.value, "passed": result.passed, "words": result.words}
                    for result in page.stages
                ],
            }
            for page in diagnosis.start_pages
        ],
        "advice": list(diagnosis.advice),
    }
