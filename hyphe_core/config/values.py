"""Readers of setting values: each takes what a file, the environment or a flag gave, and returns the value.

A reader takes the value's own type or its text form; for anything else it raises ValueError, which says what
is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ValueReader = Callable[[object], Any]

_TRUE_WORDS = frozenset({"true", "yes", "on", "1"})
_FALSE_WORDS = frozenset({"false", "no", "off", "0"})


def text(*, empty: bool = False) -> ValueReader:
    """A text on one line; empty ones only when allowed."""

    def read(given: object) -> str:
        if not isinstance(given, str):
            raise ValueError("a text is accepted")
        if any(character < " " or character == "\x7f" for character in given):
            raise ValueError("a text without line breaks and control characters is accepted")
        if not empty and not given.strip():
            raise ValueError("a text that is not empty is accepted")
        return given.strip()

    return read


def texts() -> ValueReader:
    """A list of texts, or one text with commas between them."""
    read_one = text()

    def read(given: object) -> tuple[str, ...]:
        if isinstance(given, str):
            given = [part for part in given.split(",") if part.strip()]
        if not isinstance(given, (list, tuple)):
            raise ValueError("a list of texts is accepted, or texts separated by commas")
        return tuple(read_one(part) for part in given)

    return read


def url(*schemes: str) -> ValueReader:
    """A URL of one of the schemes, with a host."""
    read_text = text()
    accepted = f"a URL such as {schemes[0]}://host:port is accepted"

    def read(given: object) -> str:
        address = str(read_text(given))
        try:
            parts = urlsplit(address)
            is_good = parts.scheme in schemes and bool(parts.netloc.rpartition("@")[2])
            if "," not in parts.netloc:  # a replica set names several hosts
                is_good = is_good and bool(parts.hostname) and parts.port != 0
        except ValueError:
            raise ValueError(accepted) from None
        if not is_good:
            raise ValueError(accepted)
        return address

    return read


def path() -> ValueReader:
    """A path; `~` is the user's home. It need not exist."""
    read_text = text()

    def read(given: object) -> Path:
        return Path(given if isinstance(given, Path) else read_text(given)).expanduser().absolute()

    return read


def flag() -> ValueReader:
    """True or false."""

    def read(given: object) -> bool:
        if isinstance(given, bool):
            return given
        word = given.strip().lower() if isinstance(given, str) else ""
        if word not in _TRUE_WORDS | _FALSE_WORDS:
            raise ValueError("true or false is accepted")
        return word in _TRUE_WORDS

    return read


def whole_number(low: int, high: int | None = None) -> ValueReader:
    """A whole number from `low` to `high`, both included."""
    accepted = f"a whole number {_range_words(low, high)} is accepted"

    def read(given: object) -> int:
        if isinstance(given, str):
            try:
                given = int(given.strip())
            except ValueError:
                raise ValueError(accepted) from None
        if isinstance(given, bool) or not isinstance(given, int):
            raise ValueError(accepted)
        if given < low or (high is not None and given > high):
            raise ValueError(accepted)
        return given

    return read


def number(low: float, high: float | None = None) -> ValueReader:
    """A finite number from `low` to `high`, both included."""
    accepted = f"a number {_range_words(low, high)} is accepted"

    def read(given: object) -> float:
        if isinstance(given, str):
            try:
                given = float(given.strip())
            except ValueError:
                raise ValueError(accepted) from None
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not math.isfinite(given):
            raise ValueError(accepted)
        if given < low or (high is not None and given > high):
            raise ValueError(accepted)
        return float(given)

    return read


def choice(values: Sequence[str], make: Callable[[str], Any] = str) -> ValueReader:
    """One of a closed set of words, in any case."""
    by_word = {value.lower(): value for value in values}

    def read(given: object) -> Any:
        word = given.strip().lower() if isinstance(given, str) else ""
        if word not in by_word:
            raise ValueError(f"one of {', '.join(values)} is accepted")
        return make(by_word[word])

    return read


def optional(read_value: ValueReader) -> ValueReader:
    """A value, or none: an empty text or the word `none`."""

    def read(given: object) -> Any:
        if given is None or (isinstance(given, str) and given.strip().lower() in ("", "none")):
            return None
        return read_value(given)

    return read


def _range_words(low: float, high: float | None) -> str:
    return f"from {low:g}" + (f" to {high:g}" if high is not None else " up")
