"""`hyphe parse`: what documents give, and how they were read."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from hyphe_core.api.parse_shapes import shown_outputs
from hyphe_core.cli.exit_codes import EXIT_CODES_HELP, ExitCode
from hyphe_core.cli.parse_output import OutputFormat, Printer, explanation_lines, json_text, visible
from hyphe_core.cli.parse_sources import Found, Sources
from hyphe_core.cli.session import opened_registry, session_of
from hyphe_core.cli.terminal import complain, print_line, say
from hyphe_core.config import Config
from hyphe_core.crawl.parse_work import ParserShelf, parse_work, stylesheets_folder
from hyphe_core.crawl.stored_pages import get_stored_parse
from hyphe_core.errors import NothingToDo, UsageFault, WebFault
from hyphe_core.parsers.inspection import (
    Inspection,
    Inspector,
    Ways,
    inspect_truncated,
    is_whole_address,
    ways_of,
)
from hyphe_core.parsers.profiles import ProfileName
from hyphe_core.parsers.sniff import find_declared_type
from hyphe_core.parsers.statuses import describe
from memory_structure.parse_options import ParseOptions
from memory_structure.registry import Registry
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl, clean_user_url

PARSE_EPILOG = (
    "Documents that cannot be had or parsed are told on standard error, and the others go on: exit code 4; "
    "2 when nothing that was given can be read. " + EXIT_CODES_HELP
)


def parse(
    context: typer.Context,
    sources: Annotated[list[str] | None, typer.Argument(metavar="FILE|URL|-", show_default=False)] = None,
    media_type: Annotated[
        str,
        typer.Option(
            "--type", metavar="TYPE", help="Media type, whatever name or server say.", show_default=False
        ),
    ] = "",
    form: Annotated[
        OutputFormat | None,
        typer.Option(
            "--format", help="What to print; parse-out unless --explain stands alone.", show_default=False
        ),
    ] = None,
    stylesheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Read the documents by this XSLT stylesheet, whatever they are."),
    ] = None,
    profile: Annotated[
        ProfileName | None,
        typer.Option(help="Rules to read by; research, or those of the corpus.", show_default=False),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say who read it and why, encoding, what was left out, limits met."),
    ] = False,
    url: Annotated[
        str,
        typer.Option(metavar="URL", help="Address the document is taken to have.", show_default=False),
    ] = "",
    corpus: Annotated[
        str,
        typer.Option(metavar="CORPUS", help="Parse stored pages of this corpus, by URL.", show_default=False),
    ] = "",
    stored: Annotated[
        bool,
        typer.Option("--stored", help="With --corpus: print the stored outputs of the parse, as JSON."),
    ] = False,
) -> None:
    """Parse files, pages of the web, standard input or stored pages, and print what they give.

    Addresses are fetched with a crawl's manners: robots.txt, delay, agent, no private addresses, a limit on
    size.
    """
    if not sources:
        raise NothingToDo("no document was given: hyphe parse FILE, URL or - for standard input")
    if media_type and find_declared_type(media_type) is None:
        raise UsageFault(f"--type {media_type!r} is no media type such as text/html or application/xml")
    if url and not is_whole_address(url):
        raise UsageFault(f"--url {url!r} is no whole address such as http://example.org/page")
    if url and len(sources) > 1:
        raise UsageFault(f"--url is the address of one document, and {len(sources)} are given")
    if stylesheet is not None and not stylesheet.is_file():
        raise UsageFault(f"--stylesheet {str(stylesheet)!r} is no file")
    sheet = str(stylesheet.resolve()) if stylesheet is not None else ""
    printer = Printer(form or OutputFormat.PARSE_OUT, several=len(sources) > 1, explains=explain)
    if stored and not corpus:
        raise UsageFault("--stored prints what a corpus stores: name it with --corpus")
    wish = _Wish(profile, sheet, corpus, explain, form, stored)
    raise typer.Exit(_Run(session_of(context).config(), wish, printer).carry_out(sources, media_type, url))


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the command line says of how to read and what to print."""

    profile: ProfileName | None
    stylesheet: str
    corpus: str
    explains: bool
    form: OutputFormat | None
    stored: bool

    @property
    def explains_alone(self) -> bool:
        return self.explains and self.form is None


class _Run:
    """One run of the command over its documents."""

    def __init__(self, config: Config, wish: _Wish, printer: Printer) -> None:
        self._config = config
        self._wish = wish
        self._printer = printer
        self._ways = Ways()
        self._n_answered = 0
        self._n_failed = 0

    def carry_out(self, given: list[str], media_type: str, url: str) -> int:
        """Read, parse and print all documents; the exit code."""
        with ExitStack() as stack:
            sources = stack.enter_context(Sources(self._config, media_type, url))
            registry = stack.enter_context(opened_registry(self._config)) if self._wish.corpus else None
            shelf = stack.enter_context(closing(ParserShelf(stylesheets_folder(self._config))))
            parsing = self._parsing(registry)
            self._ways = self._choose_ways(parsing)
            inspector = Inspector(shelf.get(parsing.stylesheets))
            if registry is not None and self._wish.stored:
                return self._print_stored(registry, given)
            for name in given:
                found = self._find(sources, registry, name)
                if found is not None:
                    self._print(self._inspect(inspector, found), found, name)
        if not self._wish.explains_alone:
            _write(self._printer.find_end())
        return self._exit_code()

    def _exit_code(self) -> int:
        if self._n_failed == 0:
            return ExitCode.OK
        return ExitCode.SOME_FAILED if self._n_answered else ExitCode.USAGE

    def _print_stored(self, registry: Registry, given: list[str]) -> int:
        """The three outputs of each page, one JSON record a line when there are several; the exit code."""
        structure = registry.open_structure(registry.get_corpus(self._wish.corpus).corpus_id)
        policy = structure.options().url_policy
        for name in given:
            try:
                lru = cutter_for(policy).lru(clean_user_url(name, policy))
                outputs = shown_outputs(get_stored_parse(structure, lru))
            except (UsageFault, BadUrl) as error:
                complain(visible(str(error)))
                self._n_failed += 1
                continue
            self._n_answered += 1
            _write(json_text(outputs, one_line=len(given) > 1) + "\n")
        return self._exit_code()

    def _parsing(self, registry: Registry | None) -> ParseOptions:
        if registry is None:
            return ParseOptions()
        entry = registry.get_corpus(self._wish.corpus)
        return registry.open_structure(entry.corpus_id).options().parsing

    def _choose_ways(self, parsing: ParseOptions) -> Ways:
        if self._wish.profile is not None:
            return ways_of(self._wish.profile)
        work = parse_work(parsing)
        return Ways(work.profile, work.rules)

    def _find(self, sources: Sources, registry: Registry | None, name: str) -> Found | None:
        try:
            if registry is not None:
                return sources.read_stored(registry, self._wish.corpus, name)
            return sources.read(name)
        except (UsageFault, BadUrl) as error:
            complain(visible(str(error)))
        except WebFault as error:
            complain(visible(str(error)))
            self._n_answered += 1
        self._n_failed += 1
        return None

    def _inspect(self, inspector: Inspector, found: Found) -> Inspection:
        if found.is_cut:
            limit = self._config.max_body_bytes
            message = f"longer than {limit} bytes, the limit that the setting max_body_bytes gives"
            return inspect_truncated(found.document, found.type_source, self._ways, message)
        return inspector.inspect(found.document, found.type_source, self._ways, self._wish.stylesheet)

    def _print(self, inspection: Inspection, found: Found, name: str) -> None:
        self._n_answered += 1
        lines = [visible(line) for line in explanation_lines(inspection, found.note)]
        if not inspection.status.is_success:
            self._n_failed += 1
            complain(visible(f"{name}: {describe(inspection.status)}"))
        if self._wish.explains_alone:
            for line in lines:
                print_line(line)
            return
        if self._wish.explains and self._wish.form is not OutputFormat.JSON:
            for line in lines:
                say(line)
        for part in self._printer.iter_parts(inspection, name):
            _write(part)


def _write(text: str) -> None:
    """To standard output, in UTF-8 whatever the terminal: parse-out says so of itself."""
    if text:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
