"""XML documents of any kind, by the format that matches them, in this process or in children."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Protocol

from hyphe_core.parsers.base import Document, Parser, ParseResult
from hyphe_core.parsers.markup import Content, MarkupEngine, MarkupOutcome, MarkupParser
from hyphe_core.parsers.markup_formats import (
    StylesheetFormat,
    load_formats,
    load_stylesheet,
    shipped_formats,
    shipped_specs,
)
from hyphe_core.parsers.parse_out import ParseOut
from hyphe_core.parsers.parse_out_results import result_of
from hyphe_core.parsers.profiles import ParseProfile, ProfileName
from hyphe_core.parsers.robots_directives import merge_robots
from hyphe_core.parsers.well_formed import MAX_CRAWLED_BYTES

MARKUP_ENTRY_POINTS: Final = "hyphe.markup_parsers"
XML_TYPES: Final = (
    "application/xml",
    "text/xml",
    "application/*+xml",
    "text/*+xml",
    "image/svg+xml",
    "model/*+xml",
)


@dataclass(frozen=True, slots=True)
class XmlOptions:
    """How XML is read. `strict`: what is not well-formed fails. `format`: the one used whatever the document
    is ("" = the one that matches). `folder`: stylesheets of the operator beside those shipped, which win
    over the latter when they match equally well ("" = none); or one stylesheet."""

    strict: bool = False
    format: str = ""
    folder: str = ""
    max_bytes: int = MAX_CRAWLED_BYTES


class Runner(Protocol):
    """What runs documents through the engine: this process, or a pool of children."""

    def run(self, document: Document, options: XmlOptions) -> MarkupOutcome:
        """What came of a document; a status for whatever it did."""

    def close(self) -> None:
        """Let go of what is held."""


class InProcess:
    """Runs documents here, without limits of time and memory: for single documents that someone looks at."""

    def __init__(self, extra: Iterable[MarkupParser] = ()) -> None:
        self._extra = tuple(extra)
        self._engines: dict[str, MarkupEngine] = {}

    def run(self, document: Document, options: XmlOptions) -> MarkupOutcome:
        """What came of a document. Raises ConfigError for a folder that cannot be used, LookupError for a
        format that does not exist."""
        content = Content(document, options.strict, options.max_bytes, options.format)
        return self.engine(options.folder).run(content)

    def engine(self, folder: str) -> MarkupEngine:
        """The formats of a folder, the shipped ones and the extra ones, loaded once. Raises ConfigError."""
        engine = self._engines.get(folder)
        if engine is None:
            engine = self._engines[folder] = make_engine(folder, self._extra)
        return engine

    def close(self) -> None:
        """Nothing is held."""


def make_engine(folder: str = "", extra: Sequence[MarkupParser] = ()) -> MarkupEngine:
    """An engine with the shipped formats, those of a folder, and `extra`. Raises ConfigError.

    A format of the folder replaces the shipped one of its name.
    """
    own = _load_own(Path(folder)) if folder else []
    names = {parser.name for parser in (*own, *extra)}
    shipped = [parser for parser in shipped_formats() if parser.name not in names]
    return MarkupEngine([*shipped, *own, *extra])


def _load_own(place: Path) -> list[StylesheetFormat]:
    return [load_stylesheet(place)] if place.is_file() else load_formats(place)


@cache
def _claims() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(media types, suffixes): all that says XML, and what shipped formats are called besides."""
    specs = [spec for spec in shipped_specs() if spec.preprocessor == "xml" and spec.name != "xhtml"]
    named = {one for spec in specs for one in spec.media_types if not one.endswith("+xml")}
    suffixes = {one for spec in specs for one in spec.suffixes}
    return (*XML_TYPES, *sorted(named)), (".xml", *sorted(suffixes))


class XmlParser(Parser):
    """Reads XML by the format that matches: its root, public identifier, type or suffix, else generically."""

    name = "xml"
    waits = True

    def __init__(self, runner: Runner | None = None, options: XmlOptions = XmlOptions()) -> None:
        self.runner: Runner = runner if runner is not None else InProcess()
        self.options = options
        self.media_types, self.url_suffixes = _claims()

    def for_profile(self, profile: ParseProfile) -> XmlParser:
        """A parser with the same runner, strict for Nutch's profile, lenient for that of research."""
        strict = profile.name is ProfileName.NUTCH
        return (
            self if strict == self.options.strict else self.with_options(replace(self.options, strict=strict))
        )

    def with_options(self, options: XmlOptions) -> XmlParser:
        """A parser with the same runner and other options, such as a corpus' own stylesheets."""
        return XmlParser(self.runner, options)

    def parse(self, document: Document) -> ParseResult:
        """The document's result, entries of feeds and records of collections among its `parses`."""
        return result_of(self.run(document), document, robots=merge_robots([], document))

    def parse_out(self, document: Document) -> tuple[ParseOut, ...]:
        """The parse-out records of the document, its own first."""
        return tuple(cleaned.parse for cleaned in self.run(document).parses)

    def run(self, document: Document) -> MarkupOutcome:
        """Everything the engine says of a document."""
        return self.runner.run(document, self.options)

    def close(self) -> None:
        """End the children, if any."""
        self.runner.close()
