"""`hyphe export`: what leaves a corpus as files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hyphe_core.cli.session import opened_registry, session_of
from hyphe_core.cli.terminal import error_console, say
from hyphe_core.errors import UsageFault
from hyphe_core.exports import (
    FORMATS,
    KIND_WORDS,
    ExportReport,
    ExportRequest,
    Format,
    Subject,
    open_output,
    parse_kinds,
    write_export,
)
from memory_structure.corpus_records import CorpusCounters
from memory_structure.records import (
    WebEntityStatus,
)
from memory_structure.registry import Registry

_STANDARD_OUTPUT = "-"
_SUFFIXES = {
    ".gexf": Format.GEXF,
    ".graphml": Format.GRAPHML,
    ".csv": Format.CSV,
    ".json": Format.JSON,
    ".warc": Format.WARC,
    ".gz": Format.WARC,
    ".xml": Format.XML,
}


def export(
    context: typer.Context,
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="Name or id.", show_default=False)],
    what: Annotated[Subject, typer.Option(help="What to export.")] = Subject.NETWORK,
    format: Annotated[  # noqa: A002
        Format | None,
        typer.Option(help="How; by default what the name of the file says, else the first possible."),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE|-", help="- is standard output.")
    ] = "-",
    status: Annotated[
        list[WebEntityStatus] | None,
        typer.Option(help="Only web entities of this status, with their pages and links; may be repeated."),
    ] = None,
    kinds: Annotated[
        str | None,
        typer.Option(
            metavar="KIND,...",
            help=f"Only page links of these kinds ({', '.join(KIND_WORDS.values())}), in links and "
            "page-network; by default all in links, all but head and feed in page-network.",
        ),
    ] = None,
    entities: Annotated[
        str | None,
        typer.Option(
            metavar="ID,...",
            help="Only these web entities, by id: their pages, the links that leave them, or (page-network) "
            "the links among them.",
        ),
    ] = None,
    guard_formulas: Annotated[
        bool, typer.Option("--guard-formulas", help="CSV: keep spreadsheets from running cells as formulas.")
    ] = False,
) -> None:
    """Write a network, a table or an archive of a corpus. The same corpus gives the same bytes.

    network: web entities and the links between them. page-network: pages. node-network: pages folded by the
    precision limit. Formats: networks gexf, graphml, csv (edges), json; web-entities, pages and links csv,
    json; pages also warc (the stored bodies). texts: the text of pages with their web entity, csv, json.
    parses: what was found in pages, as one parse-out document, xml.
    """
    chosen = format or _format_by_name(what, output)
    kept = frozenset(status) if status else None
    chosen_kinds = None if kinds is None else parse_kinds(kinds)
    request = ExportRequest(what, chosen, kept, guard_formulas, chosen_kinds, parse_ids(entities))
    _refuse_archive_on_terminal(request, output)
    config = session_of(context).config()
    with opened_registry(config) as registry:
        report = _write(registry, corpus, request, output)
    _tell(report, output)


def parse_ids(text: str | None) -> frozenset[int] | None:
    """Ids written with commas between them. Raises UsageFault."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    wrong = [word for word in words if not (word.isascii() and word.isdecimal())]
    if wrong or not words:
        raise UsageFault(f"--entities takes ids with commas between them, not {text!r}")
    return frozenset(map(int, words))


def _format_by_name(what: Subject, output: str) -> Format:
    by_suffix = _SUFFIXES.get(Path(output).suffix.lower())
    return by_suffix or FORMATS[what][0]


def _refuse_archive_on_terminal(request: ExportRequest, output: str) -> None:
    if request.format is Format.WARC and output == _STANDARD_OUTPUT and sys.stdout.isatty():
        raise UsageFault("an archive is not text for a terminal: name a file with -o")


def _write(registry: Registry, corpus: str, request: ExportRequest, output: str) -> ExportReport:
    entry = registry.get_corpus(corpus)
    structure = registry.open_structure(entry.corpus_id)
    for web_entity_id in sorted(request.entities or ()):
        structure.get_web_entity(web_entity_id)
    n_expected = _expected(structure.counters(), request)
    with _progress(output, n_expected) as progress, open_output(output) as stream:
        return write_export(
            structure,
            request,
            stream,
            blobs=registry.open_blobs(entry.corpus_id),
            compress=not output.endswith(".warc"),
            progress=progress,
        )


def _expected(counters: CorpusCounters, request: ExportRequest) -> int | None:
    """How many rows, nodes and edges will go by; None when that is not known beforehand."""
    if request.entities is not None:
        return None
    return {
        Subject.PAGES: counters.n_pages,
        Subject.LINKS: counters.n_links if request.kinds is None else None,
        Subject.WEB_ENTITIES: counters.n_web_entities,
        Subject.PAGE_NETWORK: counters.n_pages + counters.n_links,
    }.get(request.subject)


@contextmanager
def _progress(output: str, n_expected: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error when that is a terminal and the export itself is not shown there."""
    console = error_console()
    shown = console.is_terminal and not (output == _STANDARD_OUTPUT and sys.stdout.isatty())
    columns = (TextColumn("exporting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not shown, transient=True) as bar:
        task = bar.add_task("exporting", total=n_expected)
        yield lambda n: bar.advance(task, n)


def _tell(report: ExportReport, output: str) -> None:
    if report.n_missing:
        say(
            f"warning: {report.n_missing} bodies that the corpus names are absent; see `hyphe maintain check`"
        )
    if output != _STANDARD_OUTPUT:
        say(f"{output}: {report.summary}")
