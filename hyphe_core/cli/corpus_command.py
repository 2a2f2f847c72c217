"""`hyphe corpus`: list, create, show, rename and destroy corpora."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from json import dumps, loads
from pathlib import Path
from typing import Annotated

import typer

from hyphe_core.api.parsing_option import parsing_option, shown_parsing
from hyphe_core.cli.exit_codes import ExitCode
from hyphe_core.cli.session import opened_registry, session_of
from hyphe_core.cli.terminal import Listing, complain, print_json, print_line, print_listing
from hyphe_core.clock import iso_text
from hyphe_core.config import Config, shown_value
from hyphe_core.crawl.corpus_options import new_corpus_options, new_corpus_rules, refuse_beyond_quota
from hyphe_core.errors import UsageFault
from memory_structure.corpus_records import CorpusCounters
from memory_structure.errors import StoreError, StoreUnreachable
from memory_structure.parse_options import ParseOptions
from memory_structure.registry import CorpusEntry, DestroyedCorpus, Registry
from memory_structure.structure import MemoryStructure

app = typer.Typer(
    help="Corpora: list, create, show, rename, destroy, back up, restore, import.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Corpus = Annotated[str, typer.Argument(metavar="CORPUS", help="Name or id.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_corpora(context: typer.Context, json: Json = False) -> None:
    """Every corpus with its size. One that cannot be read is told and does not hide the others."""
    with opened_registry(session_of(context).config()) as registry:
        entries = registry.list_corpora()
        found = list(_counted(registry, entries))
    _show_list(found, json)
    if len(found) < len(entries):
        raise typer.Exit(ExitCode.FAULT)


def _counted(
    registry: Registry, entries: Sequence[CorpusEntry]
) -> Iterator[tuple[CorpusEntry, CorpusCounters]]:
    for entry in entries:
        try:
            yield entry, registry.open_structure(entry.corpus_id).counters()
        except StoreUnreachable:
            raise
        except StoreError as error:
            complain(f"corpus {entry.corpus_id} cannot be read: {error}")


def _show_list(found: Sequence[tuple[CorpusEntry, CorpusCounters]], json: bool) -> None:
    if json:
        print_json([entry_document(entry) | _counter_document(counters) for entry, counters in found])
        return
    if not found:
        print_line("no corpus yet")
        return
    headings = ("id", "name", "pages", "fetched", "links", "entities", "IN", "last activity")
    rows = [_list_row(entry, counters) for entry, counters in found]
    print_listing(Listing(headings, rows, frozenset(range(2, 7))))


def _list_row(entry: CorpusEntry, counters: CorpusCounters) -> tuple[str, ...]:
    numbers = (
        counters.n_pages, counters.n_pages_fetched, counters.n_links, counters.n_web_entities, counters.n_in,
    )  # fmt: skip
    return (entry.corpus_id, entry.name, *map(str, numbers), iso_text(entry.last_activity_at))


def entry_document(entry: CorpusEntry) -> dict[str, object]:
    """A corpus as the registry knows it, for JSON."""
    return {
        "corpus_id": entry.corpus_id,
        "name": entry.name,
        "password": bool(entry.password_hash),
        "created_at": iso_text(entry.created_at),
        "last_activity_at": iso_text(entry.last_activity_at),
    }


def _counter_document(counters: CorpusCounters) -> dict[str, object]:
    return asdict(counters) | {"n_web_entities": counters.n_web_entities}


@app.command("create")
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False)],
    creation_rule: Annotated[
        str | None,
        typer.Option(metavar="PRESET", help="Default creation rule (domain, subdomain, path-1, page...)."),
    ] = None,
    precision_limit: Annotated[
        int | None,
        typer.Option(metavar="N", help="Stems kept after the host in nodes; none = pages are nodes."),
    ] = None,
    depth: Annotated[int | None, typer.Option(metavar="N", help="Deepest crawl of the corpus.")] = None,
    delay: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Pause between requests to a host.")
    ] = None,
    proxy: Annotated[str | None, typer.Option(metavar="URL", help="Proxy for its crawls.")] = None,
    ignore_robots: Annotated[bool, typer.Option("--ignore-robots", help="Do not obey robots.txt.")] = False,
    allow_private_networks: Annotated[
        bool, typer.Option("--allow-private-networks", help="Fetch private and loopback addresses too.")
    ] = False,
    no_bodies: Annotated[bool, typer.Option("--no-bodies", help="Do not keep the original bytes.")] = False,
    no_text: Annotated[bool, typer.Option("--no-text", help="Do not keep the text of pages.")] = False,
    parsing: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON of the option `parsing`: profile, rules for links and more."),
    ] = None,
    json: Json = False,
) -> None:
    """Create an empty corpus."""
    overrides = {
        "creation_rule": creation_rule,
        "precision_limit": precision_limit,
        "max_depth": depth,
        "delay_seconds": delay,
        "proxy": proxy,
        "obey_robots": False if ignore_robots else None,
        "allow_private_networks": allow_private_networks or None,
        "keep_bodies": False if no_bodies else None,
        "keep_text": False if no_text else None,
    }
    config = session_of(context).config(overrides)
    with opened_registry(config) as registry:
        options = replace(new_corpus_options(config), parsing=_read_parsing(parsing))
        refuse_beyond_quota(config, registry)
        entry = registry.create_corpus(name, options, rules=new_corpus_rules(config))
    if json:
        print_json(entry_document(entry))
    else:
        print_line(f"corpus {entry.name} created, id {entry.corpus_id}")


def _read_parsing(file: Path | None) -> ParseOptions:
    """The options of a file. Raises UsageFault."""
    if file is None:
        return ParseOptions()
    try:
        return parsing_option(loads(file.read_text("utf-8")), ParseOptions())
    except OSError as error:
        raise UsageFault(f"{file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageFault(f"the option parsing in {file} {error}") from None


@app.command("show")
def show(context: typer.Context, corpus: Corpus, json: Json = False) -> None:
    """Options, size and crawl jobs of a corpus."""
    with opened_registry(session_of(context).config()) as registry:
        document = _corpus_document(registry, registry.get_corpus(corpus))
    if json:
        print_json(document)
        return
    for name, value in document.items():
        if isinstance(value, dict):
            print_line(f"{name}:")
            for inner, inner_value in value.items():
                print_line(f"  {inner}: {_shown(inner_value)}")
        else:
            print_line(f"{name}: {_shown(value)}")


def _corpus_document(registry: Registry, entry: CorpusEntry) -> dict[str, object]:
    structure = registry.open_structure(entry.corpus_id)
    return {
        **entry_document(entry),
        "size_bytes": structure.size_bytes(),
        "options": _options_document(structure),
        "counters": _counter_document(structure.counters()),
        "jobs": dict(sorted(Counter(job.state.value for job in structure.list_jobs()).items())),
    }


def _options_document(structure: MemoryStructure) -> dict[str, object]:
    options = asdict(structure.options())
    options.pop("extra")
    options["parsing"] = shown_parsing(structure.options().parsing)
    options["proxy"] = shown_value(options["proxy"], secret=True)
    return options | {"default_rule": str(structure.rules().default.preset)}


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return dumps(value, ensure_ascii=False)
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


@app.command("rename")
def rename(
    context: typer.Context,
    corpus: Corpus,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new name.", show_default=False)],
    json: Json = False,
) -> None:
    """Change the name of a corpus; its id stays."""
    with opened_registry(session_of(context).config()) as registry:
        entry = registry.rename_corpus(registry.get_corpus(corpus).corpus_id, name)
    if json:
        print_json(entry_document(entry))
    else:
        print_line(f"corpus {entry.corpus_id} is now called {entry.name}")


@app.command("destroy")
def destroy(
    context: typer.Context,
    corpus: Corpus,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    for_good: Annotated[bool, typer.Option("--for-good", help="Keep nothing to bring back.")] = False,
    json: Json = False,
) -> None:
    """Take a corpus away with its bodies and crawl jobs; its crawls are canceled first.

    For as many days as the setting `restore_days` says `hyphe corpus undestroy` brings it back.
    """
    from hyphe_core.maintenance.corpus_life import force_destroy_corpus

    config = session_of(context).config()
    with opened_registry(config) as registry:
        entry = registry.get_corpus(corpus)
        if not yes:
            ask_before("Destroy", entry, registry)
        kept = force_destroy_corpus(registry, entry.corpus_id, 0 if for_good else config.restore_days)
    if json:
        way_back = {} if kept is None else {"destroyed_id": kept.destroyed_id}
        print_json(entry_document(entry) | {"destroyed": True} | way_back)
    else:
        print_line(f"corpus {entry.name} destroyed{how_back(kept, config)}")


def how_back(kept: DestroyedCorpus | None, config: Config) -> str:
    """How what was taken away comes back."""
    if kept is None:
        return "; nothing of it can be brought back"
    return f"; within {config.restore_days} days `hyphe corpus undestroy {kept.destroyed_id}` brings it back"


def ask_before(what: str, entry: CorpusEntry, registry: Registry) -> None:
    """Ask whether to go on. Raises UsageFault where nobody can be asked, Abort after a no."""
    if not sys.stdin.isatty():
        raise UsageFault(f"corpus {entry.name} stays without --yes where nobody can be asked")
    counters = registry.open_structure(entry.corpus_id).counters()
    question = f"{what} corpus {entry.name} with {counters.n_pages_fetched} fetched pages?"
    typer.confirm(question, abort=True, err=True)
