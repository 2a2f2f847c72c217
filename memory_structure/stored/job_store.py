"""Crawl jobs and the log."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from memory_structure.errors import NotFound
from memory_structure.jobs import ENDED, LEGAL_MOVES, default_reason, refuse_illegal_move
from memory_structure.parse_options import CrawlOrder
from memory_structure.records import (
    EndReason,
    Job,
    JobCounters,
    JobOutcomes,
    JobPage,
    JobSpec,
    JobState,
    LogEntry,
    Review,
)
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.codec import clean_text
from memory_structure.stored.job_outcomes import OUTCOME_COLUMNS, count_outcomes
from memory_structure.stored.link_additions import LinkAdditions
from memory_structure.stored.moments import from_micros, now_micros, optional_moment
from memory_structure.stored.schema import (
    ENTITIES,
    FETCHES,
    JOB_COUNTERS,
    JOB_REVIEWS,
    JOBS,
    LOGS,
    PAGES,
)
from memory_structure.stored.session import Session

_CHUNK = 2000
_SPEC_TUPLES = ("start_urls", "follow_prefixes", "nofollow_prefixes")
_FINAL_COLUMNS = ("id", "page_id", "final", "depth", "follow", "status", "error")


class JobStore(LinkAdditions):
    """Jobs, their pages, the log."""

    def create_job(self, spec: JobSpec) -> Job:
        """Store a job, PENDING."""
        return self.create_jobs([spec])[0]

    def create_jobs(self, specs: Sequence[JobSpec]) -> list[Job]:
        """Store several jobs, PENDING."""
        with self._writing() as session:
            _require_entities(session, specs)
            first = session.state.next_job
            session.state.next_job += len(specs)
            session.changed = session.changed or bool(specs)
            rows = [_new_row(job_id, spec) for job_id, spec in enumerate(specs, first)]
            session.tx.insert(JOBS, rows)
            zeros = [0] * (len(JOB_COUNTERS.columns) - 1)
            session.tx.insert(JOB_COUNTERS, [(row[0], *zeros) for row in rows])
            return _jobs(session.tx, rows)

    def get_job(self, job_id: int) -> Job:
        """The job of that id."""
        return self._at_one_moment(lambda reader: _get_job(reader, job_id))

    def list_jobs(
        self,
        *,
        ids: Sequence[int] | None = None,
        web_entity_id: int | None = None,
        states: Sequence[JobState] | None = None,
    ) -> list[Job]:
        """Jobs by id."""
        wanted = None if states is None else {state.value for state in states}

        def read(reader: Reader) -> list[Job]:
            rows = [
                row
                for row in _job_rows(reader, ids, web_entity_id)
                if (wanted is None or row[2] in wanted) and (web_entity_id is None or row[1] == web_entity_id)
            ]
            return _jobs(reader, rows)

        return self._at_one_moment(read)

    def move_job(
        self,
        job_id: int,
        state: JobState,
        *,
        end: EndReason = EndReason.NONE,
        reason: str = "",
        active_seconds: float | None = None,
    ) -> Job:
        """Change a job's state by the table of legal moves."""
        with self._writing() as session:
            row = _job_row(session.tx, job_id)
            _store_move(session, row, state, end, reason, active_seconds)
            return _get_job(session.tx, job_id)

    def move_jobs(
        self, job_ids: Sequence[int], state: JobState, *, end: EndReason = EndReason.NONE, reason: str = ""
    ) -> list[int]:
        """Change the state of several jobs at once; those changed."""
        with self._writing() as session:
            rows = [_job_row(session.tx, job_id) for job_id in dict.fromkeys(job_ids)]
            movable = [row for row in rows if state in LEGAL_MOVES[JobState(row[2])]]
            for row in movable:
                _store_move(session, row, state, end, reason, None)
            return [row[0] for row in movable]

    def set_job_reviewed(self, job_id: int, reviewed: bool, *, note: str = "", actor: str = "") -> Job:
        """Mark a job as looked at, or not."""
        with self._writing() as session:
            _job_row(session.tx, job_id)
            session.tx.update(JOBS, ("reviewed",), [(job_id, (int(reviewed),))])
            said = (job_id, clean_text(note), clean_text(actor), now_micros())
            session.tx.put(JOB_REVIEWS, [said])
            session.changed = True
            return _get_job(session.tx, job_id)

    def iter_job_pages(self, job_id: int) -> Iterator[JobPage]:
        """Pages this job has done, in the order stored."""
        chunk: list[Row] = []
        for row in self._final_fetches(job_id):
            chunk.append(row)
            if len(chunk) == _CHUNK:
                yield from self._job_pages(chunk)
                chunk = []
        yield from self._job_pages(chunk)

    def _final_fetches(self, job_id: int) -> Iterator[Row]:
        _job_row(self._storage, job_id)
        rows = self._storage.scan(FETCHES, Span("by_job_id", equal=(job_id,)), _FINAL_COLUMNS)
        return (row for row in rows if row[2])

    def _job_pages(self, rows: list[Row]) -> list[JobPage]:
        pages = self._storage.get(PAGES, {row[1] for row in rows})
        return [JobPage(row[1], pages[row[1]][1], row[3], bool(row[4]), row[5]) for row in rows]

    def job_quality(self, job_id: int) -> dict[str, int]:
        """Numbers of final attempts of a job by outcome."""
        counts: dict[str, int] = {}
        for row in self._final_fetches(job_id):
            outcome = str(row[5]) if row[6] is None else str(row[6])
            counts[outcome] = counts.get(outcome, 0) + 1
        return dict(sorted(counts.items()))

    def job_outcomes(self, job_id: int) -> JobOutcomes:
        """What the final attempts of a job came to."""
        _job_row(self._storage, job_id)
        rows = self._storage.scan(FETCHES, Span("by_job_id", equal=(job_id,)), OUTCOME_COLUMNS)
        return count_outcomes(row for row in rows if row[0])

    # -- log

    def add_log(self, kind: str, message: str, job_id: int | None = None) -> None:
        """Append a line to the log."""
        self.add_logs([(kind, message, job_id)])

    def add_logs(self, lines: Sequence[tuple[str, str, int | None]]) -> None:
        """Append lines to the log."""
        with self._writing() as session:
            moment, first = now_micros(), session.state.next_log
            rows = [
                (log_id, moment, job_id, clean_text(kind), clean_text(message))
                for log_id, (kind, message, job_id) in enumerate(lines, first)
            ]
            session.tx.insert(LOGS, rows)
            session.state.next_log += len(rows)
            session.changed = session.changed or bool(rows)

    def iter_logs(self, *, job_id: int | None = None, limit: int | None = None) -> Iterator[LogEntry]:
        """Log lines, oldest first."""
        index, equal = (None, ()) if job_id is None else ("by_job_id", (job_id,))
        span = Span(index, equal=equal)
        if limit is None:
            rows: Iterator[Row] = self._storage.scan(LOGS, span)
        else:
            newest = list(self._storage.scan(LOGS, replace(span, reverse=True, limit=limit)))
            rows = reversed(newest)
        return (LogEntry(from_micros(row[1]), row[2], row[3], row[4]) for row in rows)


def _require_entities(session: Session, specs: Sequence[JobSpec]) -> None:
    wanted = {spec.web_entity_id for spec in specs if spec.web_entity_id is not None}
    absent = wanted.difference(session.tx.get(ENTITIES, sorted(wanted)))
    if absent:
        raise NotFound(f"there is no web entity {min(absent)}")


def _new_row(job_id: int, spec: JobSpec) -> Row:
    state = JobState.PENDING
    start = (job_id, spec.web_entity_id, state.value, "", default_reason(state, EndReason.NONE))
    return (*start, json.dumps(asdict(spec)), now_micros(), None, None, 0.0, 0, None, "")


def _job_row(reader: Reader, job_id: int) -> Row:
    row = reader.get(JOBS, (job_id,)).get(job_id)
    if row is None:
        raise NotFound(f"there is no crawl job {job_id}")
    return row


def _job_rows(reader: Reader, ids: Sequence[int] | None, web_entity_id: int | None) -> list[Row]:
    if ids is not None:
        return [_job_row(reader, job_id) for job_id in sorted(set(ids))]
    if web_entity_id is not None:
        return list(reader.scan(JOBS, Span("by_entity_id", equal=(web_entity_id,))))
    return list(reader.scan(JOBS))


def _get_job(reader: Reader, job_id: int) -> Job:
    return _jobs(reader, [_job_row(reader, job_id)])[0]


def _jobs(reader: Reader, rows: Sequence[Row]) -> list[Job]:
    ids = [row[0] for row in rows]
    counters = reader.get(JOB_COUNTERS, ids)
    reviews = reader.get(JOB_REVIEWS, ids)
    return [_job(row, JobCounters(*counters[row[0]][1:]), reviews.get(row[0])) for row in rows]


def _job(row: Row, counters: JobCounters, review: Row | None) -> Job:
    return Job(
        row[0],
        _spec(row[5], row[1]),
        JobState(row[2]),
        EndReason(row[3]),
        row[4],
        counters,
        from_micros(row[6]),
        optional_moment(row[7]),
        optional_moment(row[8]),
        row[9],
        bool(row[10]),
        row[11],
        row[12],
        None if review is None else Review(review[1], review[2], from_micros(review[3])),
    )


def _spec(text: str, entity_id: int | None) -> JobSpec:
    """The spec as launched, for the entity that has its pages today."""
    values: dict[str, Any] = json.loads(text)
    for name in _SPEC_TUPLES:
        values[name] = tuple(values[name])
    values["web_entity_id"] = entity_id
    values["order"] = CrawlOrder(values.get("order", CrawlOrder.BREADTH))
    return JobSpec(**values)


def _store_move(
    session: Session, row: Row, state: JobState, end: EndReason, reason: str, active_seconds: float | None
) -> None:
    old = JobState(row[2])
    refuse_illegal_move(row[0], old, state)
    moment = now_micros()
    stays = old is state
    started = row[7] if row[7] is not None or state is not JobState.RUNNING else moment
    ended = row[8] if stays else (moment if state in ENDED else None)
    values = (
        state.value,
        row[3] if stays and not end else end.value,
        row[4] if stays and not reason else clean_text(reason) or default_reason(state, end),
        started,
        ended,
        row[9] if active_seconds is None else active_seconds,
    )
    columns = ("state", "end", "reason", "started_at", "ended_at", "active_seconds")
    session.tx.update(JOBS, columns, [(row[0], values)])
    session.changed = True
