"""URLs as people give them: on the command line, in a file, on standard input. Bad ones are told and
skipped."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hyphe_core.errors import UsageFault
from memory_structure.url_cutter import UrlCutter
from memory_structure.urls import BadUrl, UrlPolicy, clean_user_url


class GivenLine(NamedTuple):
    """A text that should be a URL, and where it was given ("argument 2", "sites.txt line 3")."""

    place: str
    text: str


class GoodUrl(NamedTuple):
    """A URL that can be crawled, its key, and where it was given."""

    place: str
    url: str
    lru: str


class BadLine(NamedTuple):
    """A text that was skipped, and why."""

    place: str
    text: str
    reason: str

    def sentence(self) -> str:
        """The fault on one line."""
        return f"{self.place}: {self.text!r} skipped: {self.reason}"


@dataclass(frozen=True, slots=True)
class SortedLines:
    """What was given: the URLs, each key once, in the order given; and what is none."""

    good: tuple[GoodUrl, ...]
    bad: tuple[BadLine, ...]


STANDARD_INPUT = "-"
_COMMENT = "#"


def read_given(arguments: Sequence[str], file: str | None) -> Iterator[GivenLine]:
    """The arguments, then the lines of the file ("-" is standard input); empty lines and comments are left
    out.

    Raises UsageFault when the file cannot be read.
    """
    for position, text in enumerate(arguments, 1):
        yield GivenLine(f"argument {position}", text)
    if file is None:
        return
    name = "standard input" if file == STANDARD_INPUT else file
    for number, line in enumerate(_read_lines(file), 1):
        text = line.strip()
        if text and not text.startswith(_COMMENT):
            yield GivenLine(f"{name} line {number}", text)


def _read_lines(file: str) -> list[str]:
    try:
        octets = sys.stdin.buffer.read() if file == STANDARD_INPUT else Path(file).read_bytes()
    except OSError as error:
        raise UsageFault(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from error
    return octets.decode("utf-8-sig", "replace").splitlines()


def sort_lines(lines: Iterable[GivenLine], policy: UrlPolicy) -> SortedLines:
    """Tell URLs from what is none, by the corpus' way of cutting addresses. A page given twice counts
    once."""
    cutter = UrlCutter(policy)
    good: dict[str, GoodUrl] = {}
    bad: list[BadLine] = []
    for place, text in lines:
        try:
            url = clean_user_url(text, policy)
            lru = cutter.lru(url)
        except BadUrl as error:
            bad.append(BadLine(place, text[:200], error.reason))
        else:
            good.setdefault(lru, GoodUrl(place, url, lru))
    return SortedLines(tuple(good.values()), tuple(bad))
