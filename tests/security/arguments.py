"""Arguments for any method, made from the kinds of its parameters."""

from __future__ import annotations

from typing import Any

from hyphe_core.api.parameters import Choice, Flag, Integer, Kind, ListOf, Mapping, Number


def sample(kind: Kind, url: str, entity: int = 1, *, flag: bool = True) -> Any:
    """The URL wherever a text fits, the entity wherever a whole number does."""
    if isinstance(kind, ListOf):
        return [sample(kind.member, url, entity, flag=flag)]
    if isinstance(kind, Choice):
        return next(iter(kind.choices)).value
    if isinstance(kind, Integer):
        return entity
    if isinstance(kind, Number):
        return 1
    if isinstance(kind, Flag):
        return flag
    return {} if isinstance(kind, Mapping) else url
