"""What the exit code of `hyphe` says, and which error leads to which."""

from __future__ import annotations

from enum import IntEnum

from hyphe_core.errors import (
    AddressUnusable,
    CallerFault,
    ConfigError,
    NothingToDo,
    OutputFailed,
    PortInUse,
)
from memory_structure.errors import CallerError, StoreError
from memory_structure.urls import BadUrl


class ExitCode(IntEnum):
    """The exit codes; also in docs/cli.md and in `hyphe --help`."""

    OK = 0
    FAULT = 1
    USAGE = 2
    NOTHING_TO_DO = 3
    SOME_FAILED = 4
    FINDINGS = 5
    INTERRUPTED = 130


EXIT_CODES_HELP = (
    "Exit codes: 0 done; 1 a fault of store or machine (locked, unreachable, full disk, port in use); "
    "2 wrong usage or input; 3 nothing to do (no valid URL, no unfinished job); 4 some crawl jobs or "
    "documents failed; 5 a check found something; 130 interrupted."
)


def exit_code_of(error: BaseException) -> ExitCode:
    """The exit code that an error leads to."""
    if isinstance(error, NothingToDo):
        return ExitCode.NOTHING_TO_DO
    if isinstance(error, (PortInUse, AddressUnusable, OutputFailed, StoreError)):
        return ExitCode.FAULT
    if isinstance(error, (CallerFault, CallerError, BadUrl)):
        return ExitCode.USAGE
    return ExitCode.FAULT


def error_lines(error: BaseException) -> list[str]:
    """What to tell of an error, without traceback: mostly one line, for a configuration one for each
    fault."""
    if isinstance(error, ConfigError):
        return [f"configuration: {fault}" for fault in error.faults]
    if isinstance(error, (CallerFault, CallerError, StoreError, BadUrl)):
        return [_one_line(str(error))]
    if isinstance(error, OSError):
        named = f"{error.filename}: " if error.filename else ""
        return [_one_line(f"{named}{error.strerror or error}")]
    return [
        f"internal fault, {type(error).__name__}: {_one_line(str(error))} (--debug shows where it happened)"
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())
