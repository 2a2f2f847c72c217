"""`hyphe log`: the log of crawl jobs, filtered, shown or kept in a file."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

import typer

from hyphe_core.cli.session import opened_registry, session_of
from hyphe_core.cli.terminal import say
from hyphe_core.clock import iso_text
from hyphe_core.crawl.job_log import LogFilter, iter_log, jobs_of_entity
from hyphe_core.errors import UsageFault
from hyphe_core.exports import open_output
from memory_structure.records import LogEntry
from memory_structure.structure import MemoryStructure


def show_log(
    context: typer.Context,
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="Name or id.", show_default=False)],
    job: Annotated[
        list[int] | None, typer.Option(metavar="ID", help="Only this crawl job; may be repeated.")
    ] = None,
    entity: Annotated[
        int | None, typer.Option(metavar="ID", help="Only the crawl jobs of this web entity.")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="Only kinds that begin so, such as CRAWL; may be repeated."),
    ] = None,
    text: Annotated[str, typer.Option(metavar="TEXT", help="Only lines that hold this text.")] = "",
    since: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="Only since then: 2026-03-01, 2026-03-01T12:30; UTC.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="MOMENT", help="Only until then.")] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE|-", help="- is standard output.")
    ] = "-",
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Show what happened to crawl jobs, oldest first: all of a corpus, one, or those of a web entity."""
    moments = _moment("--since", since), _moment("--until", until)
    config = session_of(context).config()
    with opened_registry(config) as registry:
        structure = registry.open_structure(registry.get_corpus(corpus).corpus_id)
        wanted = LogFilter(_job_ids(structure, job, entity), tuple(kind or ()), text, *moments)
        n_lines = 0
        with open_output(output) as stream:
            for line in _lines(iter_log(structure, wanted), as_json=json):
                stream.write(line.encode("utf-8", "replace") + b"\n")
                n_lines += 1
    if output != "-":
        say(f"{output}: {n_lines} lines")


def _job_ids(
    structure: MemoryStructure, jobs: list[int] | None, entity: int | None
) -> tuple[int, ...] | None:
    if jobs and entity is not None:
        raise UsageFault("--job and --entity exclude each other")
    if jobs:
        return tuple(structure.get_job(job_id).job_id for job_id in dict.fromkeys(jobs))
    return None if entity is None else tuple(jobs_of_entity(structure, entity))


def _moment(option: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageFault(
            f"{option}={text!r}: a moment such as 2026-03-01 or 2026-03-01T12:30 is accepted"
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _lines(entries: Iterator[LogEntry], *, as_json: bool) -> Iterator[str]:
    for entry in entries:
        if as_json:
            shown = {
                "at": iso_text(entry.logged_at),
                "job_id": entry.job_id,
                "kind": entry.kind,
                "message": entry.message,
            }
            yield json_text.dumps(shown, ensure_ascii=False)
        else:
            job = "-" if entry.job_id is None else str(entry.job_id)
            message = " ".join(entry.message.split())
            yield f"{iso_text(entry.logged_at)[:19]}Z  {job:>5}  {entry.kind}  {message}".rstrip()
