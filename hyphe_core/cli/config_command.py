"""`hyphe config`: what is set, where from, and whether it can be."""

from __future__ import annotations

from typing import Annotated

import typer

from hyphe_core.cli.session import session_of
from hyphe_core.cli.terminal import Listing, print_json, print_line, print_listing, say
from hyphe_core.config import LoadedConfig, config_warnings, list_settings, shown_value

app = typer.Typer(help="Show and check the settings.", no_args_is_help=True, rich_markup_mode=None)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("show")
def show(context: typer.Context, json: Json = False) -> None:
    """Every setting with its value and where that comes from. Passwords are never shown."""
    loaded = session_of(context).load()
    rows = _rows(loaded)
    if json:
        print_json([dict(zip(("name", "value", "source", "variable"), row, strict=True)) for row in rows])
    else:
        print_listing(Listing(("setting", "value", "from", "variable"), rows))


def _rows(loaded: LoadedConfig) -> list[tuple[str, ...]]:
    return [
        (
            setting.name,
            shown_value(getattr(loaded.config, setting.name), secret=setting.secret),
            loaded.sources[setting.name].value,
            setting.environment_name,
        )
        for setting in list_settings()
    ]


@app.command("check")
def check(context: typer.Context, json: Json = False) -> None:
    """Whether the settings can be used; every fault at once, and what is risky."""
    loaded = session_of(context).load()
    warnings = config_warnings(loaded.config)
    if json:
        print_json({"file": str(loaded.file) if loaded.file else None, "faults": [], "warnings": warnings})
        return
    for warning in warnings:
        say(f"warning: {warning}")
    print_line(f"settings are good ({loaded.file or 'no file'})")
