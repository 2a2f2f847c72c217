"""Which parsers and formats of XML there are, what each claims, where it comes from, which of them tie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from hyphe_core.parsers.markup import GENERIC, MarkupParser
from hyphe_core.parsers.markup_formats import StylesheetFormat, load_formats, shipped_formats
from hyphe_core.parsers.registry import BUILT_IN, ParserRegistry, default_registry, name_of
from hyphe_core.parsers.xml_parser import MARKUP_ENTRY_POINTS


@dataclass(frozen=True, slots=True)
class Registered:
    """A parser, or a format of the XML parser (`is_format`). `claims_all`: it reads what nobody else does."""

    name: str
    is_format: bool
    origin: str
    priority: int
    media_types: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    public_ids: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    condition: str = ""
    claims_all: bool = False


@dataclass(frozen=True, slots=True)
class Register:
    """All that is registered, parsers first, in the order in which they are asked; and warnings of ties."""

    entries: tuple[Registered, ...]
    ties: tuple[str, ...]


def list_registered(folder: str = "") -> Register:
    """The parsers of this program and of installed packages, and the formats with those of a folder ("" =
    none). Raises ConfigError for a folder that cannot be used."""
    registry = default_registry()
    registry.load_entry_points()
    formats = sorted(_formats(folder), key=lambda entry: (-entry.priority, entry.name))
    return Register(
        (*_parsers(registry), *formats),
        (*registry.warnings, *_ties(formats)),
    )


def _parsers(registry: ParserRegistry) -> Iterator[Registered]:
    for parser in registry.list_parsers():
        yield Registered(
            name_of(parser),
            False,
            registry.origin_of(parser),
            parser.priority,
            tuple(parser.media_types),
            tuple(parser.roots),
            tuple(parser.public_ids),
            tuple(parser.url_suffixes),
            claims_all="*/*" in parser.media_types,
        )


def _formats(folder: str) -> list[Registered]:
    """A format takes the place of a shipped one of its name."""
    found = {one.name: _format(one, BUILT_IN) for one in shipped_formats()}
    if folder:
        found |= {one.name: _format(one, f"folder {folder}") for one in load_formats(Path(folder))}
    for point in entry_points(group=MARKUP_ENTRY_POINTS):
        parser = point.load()()
        found[parser.name] = _format(parser, f"entry point {point.name}")
    return list(found.values())


def _format(parser: MarkupParser, origin: str) -> Registered:
    if not isinstance(parser, StylesheetFormat):
        return Registered(parser.name, True, origin, parser.priority)
    spec = parser.spec
    return Registered(
        spec.name,
        True,
        origin,
        spec.priority,
        spec.media_types,
        spec.roots,
        spec.public_ids,
        spec.suffixes,
        spec.condition,
        spec.name == GENERIC,
    )


def _ties(formats: Iterable[Registered]) -> Iterator[str]:
    """Claims that two formats make with one priority; their names decide then, unless one of the two is
    built in. Of claims on a root with conditions only equal ones tie."""
    first: dict[tuple[str, str, str, int, bool], str] = {}
    for entry in sorted(formats, key=lambda entry: entry.name):
        claims = [("root", root, entry.condition) for root in entry.roots]
        claims += [("media type", one, "") for one in entry.media_types]
        claims += [("public identifier", one, "") for one in entry.public_ids]
        claims += [("suffix", one, "") for one in entry.suffixes]
        for what, value, condition in claims:
            other = first.setdefault(
                (what, value, condition, entry.priority, entry.origin == BUILT_IN), entry.name
            )
            if other != entry.name:
                yield f"{other} and {entry.name} claim {what} {value} with the same priority: {other} wins"
