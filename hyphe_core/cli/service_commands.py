"""`hyphe serve` and `hyphe worker`: the processes that stay."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from hyphe_core.cli.session import session_of
from hyphe_core.config import Config, config_environment
from hyphe_core.logs import LogFormat, configure_logs


def _configure_logs(config: Config) -> None:
    configure_logs(config.log_level, LogFormat(config.log_format))


def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Address to bind.")] = None,
    port: Annotated[int | None, typer.Option(metavar="N", help="Port to bind; 0 takes a free one.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Worker processes to keep alive.")] = None,
) -> None:
    """Run the JSON-RPC service and its workers until SIGTERM or Ctrl-C."""
    from hyphe_core.app import run_service

    config = session_of(context).config({"host": host, "port": port, "n_workers": workers})
    _configure_logs(config)
    raise typer.Exit(run_service(config))


def work(context: typer.Context) -> None:
    """Run one worker: it takes crawl jobs from the queue and crawls until SIGTERM or Ctrl-C."""
    from hyphe_core.crawl.worker import run_worker

    config = session_of(context).config()
    os.environ.update(config_environment(config))  # where the worker reads its configuration
    raise typer.Exit(run_worker())
