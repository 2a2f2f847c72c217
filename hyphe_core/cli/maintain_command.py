"""`hyphe maintain`: the maintenance jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from hyphe_core.cli.exit_codes import ExitCode
from hyphe_core.cli.session import opened_registry, session_of
from hyphe_core.cli.terminal import Listing, error_console, print_json, print_line, print_listing
from hyphe_core.maintenance import (
    DuplicateGroup,
    MaintenanceContext,
    MaintenanceReport,
    MirrorPair,
    TwinForm,
    TwinGroup,
    open_context,
    run_maintenance,
)
from memory_structure.lru import lru_to_url

TWINS_SHOWN = 50


class JobName(StrEnum):
    """The maintenance jobs."""

    CHECK = "check"
    REBUILD = "rebuild"
    REAPPLY_RULES = "reapply-rules"
    RESOLVE_REDIRECTS = "resolve-redirects"
    UPDATE_LINKS = "update-links"
    REAP_JOBS = "reap-jobs"
    INDEX_TEXT = "index-text"
    REPORT_TWINS = "report-twins"
    REPORT_DUPLICATES = "report-duplicates"


def maintain(
    context: typer.Context,
    job: Annotated[JobName, typer.Argument(metavar="JOB", help="/".join(JobName), show_default=False)],
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", show_default=False)],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be done; change nothing.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run a maintenance job on a corpus.

    check proves the laws of the store and names what differs. rebuild computes everything derived anew.
    reapply-rules decides again for every known page by the creation rules. resolve-redirects follows stored
    redirects to their ends, and has shorteners asked by a crawl job. update-links computes the networks
    anew. reap-jobs frees crawl jobs of workers that are gone. index-text brings the index of words up to
    date. report-twins names pages known at http and https, or with and without www.
    report-duplicates names pages with the same content or nearly the same words, and mirrors.
    """
    config = session_of(context).config()
    with opened_registry(config) as registry:
        report = _run(job, open_context(registry, corpus), dry_run)
    if json:
        print_json(_document(report))
    else:
        _print(report)
    if job is JobName.CHECK and report.findings:
        raise typer.Exit(ExitCode.FINDINGS)


def _run(job: JobName, context: MaintenanceContext, dry_run: bool) -> MaintenanceReport:
    with error_console().status(f"{job}: starting") as status:

        def progress(what: str, done: int, total: int | None) -> None:
            amount = f" {done}" + (f" of {total}" if total is not None else "") if done else ""
            status.update(f"{job}: {what}{amount}")

        return run_maintenance(job.value, context, dry_run=dry_run, progress=progress)


def _document(report: MaintenanceReport) -> dict[str, object]:
    return {
        "job": report.job,
        "corpus_id": report.corpus_id,
        "dry_run": report.dry_run,
        "summary": report.summary,
        "n_changes": report.n_changes,
        "findings": [asdict(finding) for finding in report.findings],
        "notes": list(report.notes),
        "redirects": [
            {
                "url": lru_to_url(trail.lru),
                "target_url": lru_to_url(trail.target_lru),
                "n_hops": trail.n_hops,
                "loops": trail.loops,
            }
            for trail in report.trails
        ],
        "duplicates": [
            {"kind": group.kind.value, "urls": [lru_to_url(lru) for lru in group.lrus]}
            for group in report.duplicates
        ],
        "mirrors": [
            {
                "hosts": [lru_to_url(pair.first), lru_to_url(pair.second)],
                "n_shared": pair.n_shared,
                "n_pages": [pair.n_first, pair.n_second],
            }
            for pair in report.mirrors
        ],
        "twins": [[_form_document(form) for form in group.forms] for group in report.twins],
    }


def _form_document(form: TwinForm) -> dict[str, object]:
    return {
        "url": lru_to_url(form.lru),
        "fetched": form.fetched,
        "status": form.status,
        "error": form.error.value if form.error else None,
        "redirect_url": _url_or_none(form.redirect_lru),
    }


def _url_or_none(lru: str | None) -> str | None:
    return None if lru is None else lru_to_url(lru)


def _print(report: MaintenanceReport) -> None:
    if report.findings:
        rows = [(f.law, f.subject, f.stored, f.expected) for f in report.findings]
        print_listing(Listing(("law", "record", "stored", "expected"), rows))
    if report.twins:
        _print_twins(report.twins)
    if report.duplicates:
        _print_duplicates(report.duplicates)
    if report.mirrors:
        _print_mirrors(report.mirrors)
    for note in report.notes:
        print_line(note)
    print_line(f"{report.job}{' (dry run)' if report.dry_run else ''}: {report.summary}")


def _print_duplicates(groups: Sequence[DuplicateGroup]) -> None:
    """The first TWINS_SHOWN groups, and how many more there are."""
    rows = [
        (str(number), group.kind.value, lru_to_url(lru))
        for number, group in enumerate(groups[:TWINS_SHOWN], 1)
        for lru in group.lrus
    ]
    print_listing(Listing(("group", "shared", "url"), rows, frozenset({0})))
    if len(groups) > TWINS_SHOWN:
        print_line(f"... and {len(groups) - TWINS_SHOWN} more; --json lists them all")


def _print_mirrors(mirrors: Sequence[MirrorPair]) -> None:
    rows = [
        (
            lru_to_url(pair.first),
            lru_to_url(pair.second),
            str(pair.n_shared),
            f"{pair.n_first}, {pair.n_second}",
        )
        for pair in mirrors
    ]
    print_listing(Listing(("host", "mirror", "shared", "pages of each"), rows, frozenset({2})))


def _print_twins(groups: Sequence[TwinGroup]) -> None:
    """The first TWINS_SHOWN groups, and how many more there are."""
    rows = [row for number, group in enumerate(groups[:TWINS_SHOWN], 1) for row in _twin_rows(number, group)]
    print_listing(Listing(("group", "url", "fetched", "redirects to"), rows, frozenset({0})))
    if len(groups) > TWINS_SHOWN:
        print_line(f"... and {len(groups) - TWINS_SHOWN} more; --json lists them all")


def _twin_rows(number: int, group: TwinGroup) -> Iterator[tuple[str, ...]]:
    for form in group.forms:
        yield str(number), lru_to_url(form.lru), _outcome(form), _url_or_none(form.redirect_lru) or ""


def _outcome(form: TwinForm) -> str:
    if not form.fetched:
        return "no"
    return " ".join(str(part) for part in (form.status, form.error) if part is not None)
