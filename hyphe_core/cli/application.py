"""The command line `hyphe`: its global options and commands, and what becomes of errors."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from hyphe_core.cli import (
    config_command,
    corpus_files_command,
    crawl_command,
    export_command,
    log_command,
    lru_command,
    maintain_command,
    parse_command,
    parsers_command,
    rules_command,
    service_commands,
)
from hyphe_core.cli.arguments import accept_dashed_corpora, hoist_global_options
from hyphe_core.cli.exit_codes import EXIT_CODES_HELP, ExitCode, error_lines, exit_code_of
from hyphe_core.cli.session import Session
from hyphe_core.cli.terminal import complain, print_line, say
from hyphe_core.config import program_version

app = typer.Typer(
    name="hyphe",
    help="Crawl the web for research: corpora of web entities, their pages, the network between them.",
    epilog=EXIT_CODES_HELP + " The options above are accepted before and after the command.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: never cut to the width of a terminal
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_line(f"hyphe {program_version()}")
        raise typer.Exit


@app.callback()
def global_options(
    context: typer.Context,
    data_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the stores.", show_default=False)
    ] = None,
    mongodb_uri: Annotated[
        str | None, typer.Option(metavar="URI", help="Keep the corpora on this MongoDB server.")
    ] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Settings in TOML.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Take the options that all commands share."""
    context.obj = Session(data_dir, mongodb_uri, config, debug)


app.command("crawl", epilog=EXIT_CODES_HELP)(crawl_command.crawl)
app.command("export")(export_command.export)
app.add_typer(corpus_files_command.app, name="corpus")
app.command("log")(log_command.show_log)
app.command("lru")(lru_command.show_lrus)
app.command("parse", epilog=parse_command.PARSE_EPILOG)(parse_command.parse)
app.command("parsers")(parsers_command.show_parsers)
app.add_typer(rules_command.app, name="rules")
app.command("serve")(service_commands.serve)
app.command("worker")(service_commands.work)
app.command("maintain")(maintain_command.maintain)
app.add_typer(config_command.app, name="config")
accept_dashed_corpora(app)


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line; the exit code. An error is told on standard error, on one line unless
    --debug."""
    hoisted = hoist_global_options(arguments)
    try:
        outcome = app(args=hoisted, prog_name="hyphe", standalone_mode=False)
        return outcome if isinstance(outcome, int) else ExitCode.OK
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return _after_broken_pipe()
    except typer.TyperException as error:
        return _tell_usage(error)
    except Exception as error:
        if "--debug" in hoisted:
            traceback.print_exc()
        for line in error_lines(error):
            complain(line)
        return exit_code_of(error)


def _tell_usage(error: typer.TyperException) -> int:
    """What the option parser refused. A group called without a command shows its help instead."""
    message = error.format_message().strip()
    if "\n" in message:
        say(message)
    else:
        complain(f"{message.removesuffix('.')}; see `hyphe --help`")
    return error.exit_code


def _after_broken_pipe() -> int:
    """The reader of our output went away (`| head`): nothing to say, and nothing to flush into."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.FAULT
