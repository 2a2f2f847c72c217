"""`hyphe crawl`: from URLs to a crawled corpus, in one command."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from types import FrameType
from typing import Annotated, NoReturn

import attrs
import typer

from hyphe_core.cli.crawl_failures import empty_crawls
from hyphe_core.cli.crawl_jobs import lay_aside
from hyphe_core.cli.crawl_plan import CrawlPlan, CrawlWish, Manners, prepare
from hyphe_core.cli.crawl_report import final_document, final_listing, last_line, shown_progress
from hyphe_core.cli.crawl_watch import CrawlView, CrawlWatch, wait_for_end
from hyphe_core.cli.crawl_worries import DeathWatch, require_room
from hyphe_core.cli.exit_codes import ExitCode
from hyphe_core.cli.session import Session, opened_registry, session_of
from hyphe_core.cli.terminal import complain, print_json, print_listing, say
from hyphe_core.cli.url_lines import read_given
from hyphe_core.config import Config, Source
from hyphe_core.logs import LogFormat, configure_logs
from memory_structure.parse_options import CrawlOrder
from memory_structure.records import JobState
from memory_structure.registry import Registry


def crawl(
    context: typer.Context,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", show_default=False)] = None,
    *,
    corpus: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Corpus to crawl into; made when there is none.", show_default=False
        ),
    ],
    from_file: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", help="Read URLs from a file, one a line; - is standard input."),
    ] = None,
    depth: Annotated[int, typer.Option(min=0, metavar="N", help="Clicks from the start pages.")] = 1,
    creation_rule: Annotated[
        str | None,
        typer.Option(metavar="PRESET", help="Default creation rule of a new corpus [default: domain]."),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="URL_PREFIX=PRESET", help="Creation rule below a URL; may be repeated."),
    ] = None,
    max_pages: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Pages in all, shared evenly among the web entities."),
    ] = None,
    max_pages_per_entity: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Pages of each web entity.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0.001, metavar="SECONDS", help="Crawling time of each web entity.")
    ] = None,
    delay: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Pause between requests to a host [default: 1].")
    ] = None,
    per_host: Annotated[
        int | None, typer.Option(metavar="N", help="Requests to one host at once [default: 1].")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Worker processes [default: one per core]; 0 leaves the jobs to workers elsewhere.",
        ),
    ] = None,
    proxy: Annotated[str | None, typer.Option(metavar="URL", help="Proxy for the requests.")] = None,
    ignore_robots: Annotated[bool, typer.Option("--ignore-robots", help="Do not obey robots.txt.")] = False,
    ignore_crawl_delay: Annotated[
        bool, typer.Option("--ignore-crawl-delay", help="Do not obey Crawl-delay of robots.txt.")
    ] = False,
    allow_private_networks: Annotated[
        bool, typer.Option("--allow-private-networks", help="Fetch private and loopback addresses too.")
    ] = False,
    order: Annotated[
        CrawlOrder | None,
        typer.Option(help="Which pages come first: the nearest, or those with the highest score."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue unfinished jobs as launched; URLs that have a job get no new one."
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document at the end.")] = False,
) -> None:
    """Crawl URLs: one web entity for each by the creation rules, all at once, and wait for the end.

    Lines that are no URL are told and skipped. Ctrl-C stops; --resume goes on from there.
    """
    manners = Manners(
        delay,
        per_host,
        proxy,
        False if ignore_robots else None,
        False if ignore_crawl_delay else None,
        allow_private_networks or None,
    )
    config = _config(session_of(context), manners, creation_rule, workers)
    given = tuple(read_given(urls or [], from_file))
    wish = CrawlWish(
        corpus, config, given, manners, depth, creation_rule, tuple(rule or ()),
        max_pages, max_pages_per_entity, time_limit, resume, order,
    )  # fmt: skip
    configure_logs(config.log_level, LogFormat(config.log_format))
    with _signals_interrupt(), opened_registry(config) as registry:
        raise typer.Exit(_carry_out(registry, wish, json))


def _config(session: Session, manners: Manners, creation_rule: str | None, workers: int | None) -> Config:
    """The configuration with the options that are settings too; quiet unless the level of the log was
    chosen."""
    loaded = session.load({**asdict(manners), "creation_rule": creation_rule, "n_workers": workers})
    if session.debug or loaded.sources["log_level"] is not Source.DEFAULT:
        return loaded.config
    return attrs.evolve(loaded.config, log_level="CRITICAL")


def _carry_out(registry: Registry, wish: CrawlWish, json: bool) -> ExitCode:
    try:
        plan = prepare(registry, wish, complain)
    except KeyboardInterrupt:
        say(f"what was prepared is kept; give the same URLs again with --resume to go on in {wish.corpus}")
        raise
    for note in plan.notes:
        say(note)
    structure = registry.open_structure(plan.entry.corpus_id)
    watch = CrawlWatch(structure, plan.entry.name, plan.job_ids)
    interrupted = False
    try:
        with _workers(wish.config, len(plan.job_ids)) as tend, shown_progress(json) as show:
            view = wait_for_end(watch, show, complain, tend)
    except KeyboardInterrupt:
        interrupted = True
        lay_aside(registry, plan.entry.corpus_id, structure, plan.job_ids, "interrupted at the command line")
        view = watch.look()
    _print_end(plan, view, interrupted, json)
    if not json:
        for sentence in empty_crawls(structure, view):
            say(sentence)
    return _outcome(view, interrupted)


@contextmanager
def _signals_interrupt() -> Iterator[None]:
    """SIGTERM ends the crawl as Ctrl-C does; so does SIGINT where a shell had it ignored for a job in the
    background."""

    def interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    wanted = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(each, interrupt) for each in wanted]
    try:
        yield
    finally:
        for each, handler in zip(wanted, before, strict=True):
            signal.signal(each, handler)


@contextmanager
def _workers(config: Config, n_jobs: int) -> Iterator[Callable[[], None]]:
    """Worker processes, no more than there are jobs, until the end; what is yielded looks after the crawl."""
    from hyphe_core.crawl.supervisor import Supervisor

    supervisor = Supervisor(config, min(config.n_workers, n_jobs))
    supervisor.start()
    watch = DeathWatch(lambda: bool(supervisor.pids) or not config.n_workers, complain)

    def tend() -> None:
        watch.look()
        require_room(config.data_dir)

    try:
        yield tend
    finally:
        supervisor.stop()


def _print_end(plan: CrawlPlan, view: CrawlView, interrupted: bool, json: bool) -> None:
    if json:
        print_json(final_document(plan, view, interrupted=interrupted))
    else:
        print_listing(final_listing(view))
        say(last_line(view))
    if not view.is_over or interrupted:
        say(f"to go on from here: hyphe crawl --corpus {shlex.quote(plan.entry.name)} --resume")


def _outcome(view: CrawlView, interrupted: bool) -> ExitCode:
    if interrupted:
        return ExitCode.INTERRUPTED
    all_finished = all(each.job.state is JobState.FINISHED for each in view.jobs)
    return ExitCode.OK if all_finished else ExitCode.SOME_FAILED
