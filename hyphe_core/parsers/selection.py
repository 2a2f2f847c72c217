"""Which parsers are tried for a document, in which order: a map of media types, then what parsers declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from hyphe_core.parsers.base import ParseMinor, ParseStatus, failed

ANY = "*"


class Evidence(StrEnum):
    """What a parser was chosen by."""

    MAP = "map"
    DECLARATION = "declaration"
    SUFFIX = "suffix"
    WILDCARD = "wildcard"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a parser says of itself.

    `media_types` holds types or patterns: `*` stands for all, `a|b` for both, `*` inside for any characters.
    `url_suffixes` are lower case, without the dot.
    """

    name: str
    media_types: tuple[str, ...] = ()
    url_suffixes: tuple[str, ...] = ()

    def reads(self, media_type: str) -> bool:
        """Whether the parser declares this type."""
        return any(_type_pattern(declared).fullmatch(media_type) for declared in self.media_types)

    @property
    def reads_all(self) -> bool:
        """Whether the parser is a catch-all."""
        return ANY in self.media_types


@lru_cache(maxsize=512)
def _type_pattern(declared: str) -> re.Pattern[str]:
    if declared == ANY:
        return re.compile(".*", re.DOTALL)
    alternatives = (re.escape(one.strip().lower()).replace(r"\*", ".*") for one in declared.split("|"))
    return re.compile("|".join(alternatives))


class Selection(NamedTuple):
    """Parsers to be tried in this order, what chose them, and warnings for humans."""

    parsers: tuple[str, ...]
    evidence: Evidence
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParserMap:
    """Media types -> names of parsers in order of preference; `*` is asked last.

    `enabled` names the parsers that may be used (None = all that are declared).
    """

    types: Mapping[str, Sequence[str]]
    declarations: Mapping[str, Declaration] = field(default_factory=dict)
    enabled: Collection[str] | None = None

    def select(self, content_type: str, url_suffix: str = "") -> Selection:
        """Parsers for a Content-Type value and the suffix of the URL's path (without dot).

        Those the map lists, also against their declaration (a warning); for types it does not list those that
        declare the type, catch-alls first; then those that declare the suffix; then those of `*`.
        """
        media_type = content_type.partition(";")[0].strip().lower()
        if media_type in self.types:
            found = self._usable(self.types[media_type])
            if found:
                return Selection(found, Evidence.MAP, self._doubts(found, media_type))
        else:
            found = self._declaring(media_type)
            if found:
                return Selection(found, Evidence.DECLARATION)
        found = self._by_suffix(url_suffix.lower()) if url_suffix else ()
        if found:
            return Selection(found, Evidence.SUFFIX)
        found = self._usable(self.types.get(ANY, ()))
        return Selection(found, Evidence.WILDCARD if found else Evidence.NOTHING)

    def _usable(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if self.enabled is None or name in self.enabled)

    def _doubts(self, names: tuple[str, ...], media_type: str) -> tuple[str, ...]:
        return tuple(
            f"parser {name} is mapped to {media_type}, which it does not declare"
            for name in names
            if name in self.declarations and not self.declarations[name].reads(media_type)
        )

    def _declaring(self, media_type: str) -> tuple[str, ...]:
        names = self._usable(name for name, one in self.declarations.items() if one.reads(media_type))
        return tuple(sorted(names, key=lambda name: not self.declarations[name].reads_all))

    def _by_suffix(self, suffix: str) -> tuple[str, ...]:
        return self._usable(name for name, one in self.declarations.items() if suffix in one.url_suffixes)


class Attempt(NamedTuple):
    """How the running of parsers ended: the one whose result counts ("" = none), and the status."""

    parser: str
    status: ParseStatus


def run_in_order(names: Sequence[str], parse: Callable[[str], ParseStatus | None]) -> Attempt:
    """Try parsers until one succeeds; else the last failure that says something is the answer.

    `parse` gives a status, or None when the parser had nothing to say; what it raises is a failed attempt.
    """
    telling: Attempt | None = None
    for name in names:
        try:
            status = parse(name)
        except Exception as error:  # a parser of a third party may raise anything
            status = None
            message = f"{type(error).__name__} in parser {name}"
            telling = telling or Attempt(name, failed(ParseMinor.EXCEPTION, message))
        if status is None:
            continue
        if status.is_success:
            return Attempt(name, status)
        if status.minor not in (ParseMinor.NONE, ParseMinor.EXCEPTION) or telling is None:
            telling = Attempt(name, status)
    return telling or Attempt("", failed(ParseMinor.EXCEPTION, "no parser could read the document"))
