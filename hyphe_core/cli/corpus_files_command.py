"""Whole corpora in files (`hyphe corpus backup`, `restore`, `import`), and corpora that end and come back
(`reset`, `destroyed`, `undestroy`, `purge`)."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from hyphe_core.cli.corpus_command import Corpus, Json, app, ask_before, entry_document, how_back
from hyphe_core.cli.exit_codes import ExitCode
from hyphe_core.cli.session import opened_registry, session_of
from hyphe_core.cli.terminal import Listing, error_console, print_json, print_line, print_listing, say
from hyphe_core.clock import iso_text
from hyphe_core.config import Config, program_version
from hyphe_core.crawl.corpus_options import refuse_beyond_quota
from hyphe_core.errors import UsageFault
from hyphe_core.exports import open_output
from hyphe_core.maintenance.hyphe_import_records import ImportReport
from memory_structure.registry import CorpusEntry, DestroyedCorpus, Registry

__all__ = ["app"]

_SHOWN_LINES = 200
_STANDARD_OUTPUT = "-"

Destroyed = Annotated[
    str,
    typer.Argument(metavar="DESTROYED", help="Id in `hyphe corpus destroyed`, or id or name it had."),
]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name of the new corpus.")]


@contextmanager
def _watched(what: str) -> Iterator[Callable[[str, int], None]]:
    """A line on standard error that tells how far it is."""
    with error_console().status(what) as status:
        yield lambda part, done: status.update(f"{what}: {part} {done}")


@app.command("backup")
def backup(
    context: typer.Context,
    corpus: Corpus,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="- is standard output.", show_default=False)],
    json: Json = False,
) -> None:
    """Write everything of a corpus into one file, as it is at one moment, while others work on it.

    Pages, links, bodies, entities, tags, rules, jobs, history, options; no password, no cookies, no
    credentials of proxies.
    """
    if file == _STANDARD_OUTPUT and sys.stdout.isatty():
        raise UsageFault("a backup is not text for a terminal: name a file")
    with opened_registry(session_of(context).config()) as registry:
        entry = registry.get_corpus(corpus)
        with open_output(file) as stream, _watched(f"backup of {entry.name}") as progress:
            written_by = f"hyphe-crawler {program_version()}"
            report = registry.backup_corpus(entry.corpus_id, stream, written_by=written_by, progress=progress)
    if report.n_lost_bodies:
        say(
            f"warning: {report.n_lost_bodies} bodies that pages name cannot be read and are not in the backup"
        )
    if json and file != _STANDARD_OUTPUT:
        print_json(entry_document(entry) | {"file": file, **asdict(report)})
    else:
        say(f"corpus {entry.name}: {report.n_rows} records and {report.n_bodies} bodies in {file}")


@app.command("restore")
def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.", show_default=False)],
    name: Name = None,
    with_password: Annotated[
        bool, typer.Option("--password", help="Ask for a password for the new corpus.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a new corpus of a backup, whole or not at all. Crawl jobs that had not ended are paused."""
    password_hash = _asked_password() if with_password else ""
    config = session_of(context).config()
    with _opened(file) as stream, opened_registry(config) as registry:
        refuse_beyond_quota(config, registry)
        protected = registry.describe_backup(stream).is_protected
        with _watched(f"restoring {file.name}") as progress:
            entry = registry.restore_corpus(stream, name=name, password_hash=password_hash, progress=progress)
    if protected and not with_password:
        say("note: the corpus had a password, which no backup holds: it has none now")
    _tell_made(entry, "restored", json)


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    try:
        stream = file.open("rb")
    except OSError as error:
        raise UsageFault(f"{file} cannot be read: {error.strerror}") from error
    with stream:
        yield stream


def _asked_password() -> str:
    from hyphe_core.api.passwords import hash_password

    if not sys.stdin.isatty():
        return hash_password(sys.stdin.readline().rstrip("\n"))
    return hash_password(getpass.getpass("Password of the new corpus: "))


def _tell_made(entry: CorpusEntry, how: str, json: bool) -> None:
    if json:
        print_json(entry_document(entry))
    else:
        print_line(f"corpus {entry.name} {how}, id {entry.corpus_id}")


@app.command("import")
def import_(
    context: typer.Context,
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="A folder that Hyphe's backup_corpus wrote, or a CSV or JSON list of entities.",
        ),
    ],
    name: Name = None,
    into: Annotated[
        str | None, typer.Option(metavar="CORPUS", help="Import into this corpus instead of a new one.")
    ] = None,
    keep_twins: Annotated[
        bool, typer.Option("--keep-twins", help="Entities that differ in http and https alone stay two.")
    ] = False,
    json: Json = False,
) -> None:
    """Import web entities, tags, start pages, rules and options of Hyphe, or a list exported here.

    What could not be imported is told, line by line.
    """
    config = session_of(context).config()
    with opened_registry(config) as registry:
        entry, report = _import(registry, config, path, name, into, not keep_twins)
    if json:
        print_json(entry_document(entry) | _import_document(report))
    else:
        _print_import(entry, report)
    if report.n_refused:
        raise typer.Exit(ExitCode.FINDINGS)


def _import(
    registry: Registry, config: Config, path: Path, name: str | None, into: str | None, join_twins: bool
) -> tuple[CorpusEntry, ImportReport]:
    from hyphe_core.api.corpus_making import corpus_of_plan
    from hyphe_core.maintenance.hyphe_import import import_plan
    from hyphe_core.maintenance.hyphe_import_reading import read_files

    plan = read_files(path)
    if into is None:
        return corpus_of_plan(registry, config, plan, name or (plan.name or path.stem), join_twins=join_twins)
    if name is not None:
        raise UsageFault("--name is for a new corpus, --into for one that exists: give one of them")
    entry = registry.get_corpus(into)
    structure = registry.open_structure(entry.corpus_id)
    return entry, import_plan(structure, plan, join_twins=join_twins)


def _import_document(report: ImportReport) -> dict[str, object]:
    lines = [{"where": e.where, "outcome": e.outcome.value, "message": e.message} for e in report.lines]
    return {
        "n_created": report.n_created,
        "n_known": report.n_known,
        "n_rules": report.n_rules,
        "n_refused": report.n_refused,
        "lines": lines,
    }


def _print_import(entry: CorpusEntry, report: ImportReport) -> None:
    if report.lines:
        rows = [(line.where, line.outcome.value, line.message) for line in report.lines[:_SHOWN_LINES]]
        print_listing(Listing(("where", "outcome", "why"), rows))
    if len(report.lines) > _SHOWN_LINES:
        print_line(f"... and {len(report.lines) - _SHOWN_LINES} more; --json lists them all")
    print_line(
        f"corpus {entry.name}: {report.n_created} web entities created, {report.n_known} known already,"
        f" {report.n_rules} rules, {report.n_refused} lines not imported"
    )


# -- ending and coming back -------------------------------------------------------------------------------


@app.command("reset")
def reset(
    context: typer.Context,
    corpus: Corpus,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Empty a corpus; name, password, options and rules stay. Its crawls are canceled first."""
    from hyphe_core.maintenance.corpus_life import empty_corpus

    config = session_of(context).config()
    with opened_registry(config) as registry:
        entry = registry.get_corpus(corpus)
        if not yes:
            ask_before("Empty", entry, registry)
        kept = empty_corpus(registry, entry.corpus_id, config.restore_days)
    print_line(f"corpus {entry.name} is empty{how_back(kept, config)}")


@app.command("destroyed")
def list_destroyed(context: typer.Context, json: Json = False) -> None:
    """Corpora that can be brought back."""
    with opened_registry(session_of(context).config()) as registry:
        found = registry.list_destroyed()
    if json:
        print_json([_destroyed_document(each) for each in found])
    elif not found:
        print_line("no destroyed corpus")
    else:
        rows = [(each.destroyed_id, each.name, iso_text(each.destroyed_at)) for each in found]
        print_listing(Listing(("id", "name", "destroyed"), rows))


def _destroyed_document(each: DestroyedCorpus) -> dict[str, object]:
    moments = {"created_at": iso_text(each.created_at), "destroyed_at": iso_text(each.destroyed_at)}
    return {"destroyed_id": each.destroyed_id, "corpus_id": each.corpus_id, "name": each.name, **moments}


@app.command("undestroy")
def undestroy(context: typer.Context, destroyed: Destroyed, name: Name = None, json: Json = False) -> None:
    """Bring back a destroyed corpus, or what a corpus held before it was reset."""
    config = session_of(context).config()
    with opened_registry(config) as registry:
        refuse_beyond_quota(config, registry)
        found = registry.get_destroyed(destroyed)
        entry = registry.undestroy_corpus(found.destroyed_id, name)
    _tell_made(entry, "brought back", json)


@app.command("purge")
def purge(
    context: typer.Context,
    all_: Annotated[bool, typer.Option("--all", help="Also those that could still be brought back.")] = False,
) -> None:
    """Remove for good what was destroyed longer ago than it is kept, and remains of interrupted restores."""
    from hyphe_core.maintenance.corpus_life import purge_due

    config = session_of(context).config()
    with opened_registry(config) as registry:
        purged = purge_due(registry, 0 if all_ else config.restore_days)
    for each in purged:
        print_line(f"corpus {each.name}, destroyed {iso_text(each.destroyed_at)}: removed for good")
    print_line(f"{len(purged)} removed")
