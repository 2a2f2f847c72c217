"""The command line as typed: global options may stand anywhere."""

from __future__ import annotations

from collections.abc import Sequence

_WITH_VALUE = ("--data-dir", "--mongodb-uri", "--config")
_ALONE = ("--debug",)


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
