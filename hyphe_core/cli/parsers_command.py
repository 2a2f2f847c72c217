"""`hyphe parsers`: who reads what."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hyphe_core.cli.session import session_of
from hyphe_core.cli.terminal import Listing, print_json, print_listing, say
from hyphe_core.crawl.parse_work import stylesheets_folder
from hyphe_core.parsers.registered import Registered, list_registered


def show_parsers(
    context: typer.Context,
    stylesheets: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Formats of this folder, not of the operator's.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The parsers and the formats of XML there are: what each reads, its priority and where it comes from.

    Parsers come in the order in which they are asked. Two that claim the same with one priority are told on
    standard error.
    """
    folder = stylesheets or stylesheets_folder(session_of(context).config())
    given = stylesheets is not None or folder.is_dir()
    register = list_registered(str(folder.resolve()) if given else "")
    if json:
        print_json([asdict(entry) for entry in register.entries])
    else:
        rows = [_row(entry) for entry in register.entries]
        print_listing(Listing(("name", "kind", "priority", "reads", "origin"), rows, frozenset({2})))
    for tie in register.ties:
        say(f"warning: {tie}")


def _row(entry: Registered) -> tuple[str, ...]:
    kind = "format of xml" if entry.is_format else "parser"
    return (entry.name, kind, str(entry.priority), _claims(entry), entry.origin)


def _claims(entry: Registered) -> str:
    parts = [
        f"{what} {' '.join(values)}"
        for what, values in (
            ("types", entry.media_types),
            ("roots", entry.roots),
            ("public ids", tuple(f'"{one}"' for one in entry.public_ids)),
            ("suffixes", entry.suffixes),
        )
        if values
    ]
    if entry.condition:
        parts.append("with a condition")
    if entry.claims_all:
        parts.append("what no other reads")
    return "; ".join(parts)
