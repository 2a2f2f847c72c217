"""The command line as typed: global options may stand anywhere, and a corpus whose id looks like an option
may be named everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperCommand

from memory_structure.registry import WELL_KNOWN_ID

_WITH_VALUE = ("--data-dir", "--mongodb-uri", "--config")
_ALONE = ("--debug",)
_STAND_IN = f"\N{WORD JOINER}{WELL_KNOWN_ID}"  # prints alike, and no option begins so


def hoist_global_options(arguments: Sequence[str]) -> list[str]:
    """The arguments with global options moved before the command; what follows `--` stays where it is."""
    front: list[str] = []
    rest: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            rest += [argument, *waiting]
        elif argument in _WITH_VALUE:
            front.append(argument)
            front.extend(value for value in [next(waiting, None)] if value is not None)
        elif argument in _ALONE or argument.startswith(tuple(f"{name}=" for name in _WITH_VALUE)):
            front.append(argument)
        else:
            rest.append(argument)
    return front + rest


class CorpusCommand(TyperCommand):
    """A command that takes the id "--hyphe--" for what it is: the name of a corpus, not of an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As its base class."""
        rest = super().parse_args(ctx, [_STAND_IN if word == WELL_KNOWN_ID else word for word in args])
        ctx.params.update({name: _as_typed(value) for name, value in ctx.params.items()})
        return rest


def _as_typed(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(_as_typed, value))
    return WELL_KNOWN_ID if value == _STAND_IN else value


def accept_dashed_corpora(app: typer.Typer) -> None:
    """Make every command of an application a `CorpusCommand`."""
    for command in app.registered_commands:
        command.cls = CorpusCommand
    for group in app.registered_groups:
        if isinstance(group.typer_instance, typer.Typer):
            accept_dashed_corpora(group.typer_instance)
