"""What travels on the wire, as Python values, and their encoding in pieces.

The standard encoder holds the interpreter for the whole of a value. A network of a million links would
freeze the
reactor for a second, even from another thread; in pieces each step is short and others run in between.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias

JsonObject: TypeAlias = dict[str, object]
JsonList: TypeAlias = list[object]

_PIECE = 256


def encode(value: object) -> bytes:
    """The value as JSON in UTF-8, compact. Raises TypeError for what JSON cannot say, ValueError for NaN."""
    text = "".join(_pieces(value))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair: only the escaped form can carry it
        return json.dumps(json.loads(text), separators=(",", ":"), allow_nan=False).encode("ascii")


def _pieces(value: object) -> Iterator[str]:
    if isinstance(value, list) and len(value) > _PIECE:
        yield from _list_pieces(value)
    elif isinstance(value, dict):
        yield from _object_pieces(value)
    else:
        yield _text(value)


def _list_pieces(items: list[object]) -> Iterator[str]:
    remaining = iter(items)
    opening = "["
    while slice_ := list(islice(remaining, _PIECE)):
        yield opening + _text(slice_)[1:-1]
        opening = ","
    yield "]"


def _object_pieces(members: dict[str, object]) -> Iterator[str]:
    opening = "{"
    for name, value in members.items():
        yield f"{opening}{_text(str(name))}:"
        yield from _pieces(value)
        opening = ","
    yield "{}" if not members else "}"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
