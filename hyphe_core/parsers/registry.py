"""Which parser reads which media type.

Third parties add parsers without touching this package: `register` in their own code, or an entry point of
the group `hyphe.parsers` naming a `Parser` class, loaded by `load_entry_points` when a worker starts.
"""

from __future__ import annotations

from importlib.metadata import entry_points

from hyphe_core.parsers.base import Document, Parser, ParseResult
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.robots_directives import merge_robots
from hyphe_core.parsers.sniff import media_type_of

ENTRY_POINT_GROUP = "hyphe.parsers"


class OpaqueParser(Parser):
    """Reads nothing: pages of types without a parser are stored without text and links."""

    media_types = ("*/*",)

    def parse(self, document: Document) -> ParseResult:
        """An empty result; robots headers are honoured for files too."""
        return ParseResult(base_url=document.url, robots=merge_robots([], document))


class ParserRegistry:
    """Parsers by media type; the exact type wins over `type/*`, which wins over the opaque parser."""

    def __init__(self, parsers: tuple[Parser, ...] = ()) -> None:
        self._parsers: dict[str, Parser] = {}
        self._opaque = OpaqueParser()
        for parser in parsers:
            self.register(parser)

    def register(self, parser: Parser) -> None:
        """Use this parser for its media types from now on, instead of any earlier one."""
        for media_type in parser.media_types:
            self._parsers[media_type.lower()] = parser

    def load_entry_points(self) -> None:
        """Register the parsers that installed packages offer. Raises what a broken package raises."""
        for point in entry_points(group=ENTRY_POINT_GROUP):
            self.register(point.load()())

    def parser_for(self, media_type: str) -> Parser:
        """Parser of a media type without parameters, in any case."""
        media_type = media_type.lower()
        family = media_type.partition("/")[0] + "/*"
        return self._parsers.get(media_type) or self._parsers.get(family) or self._opaque

    def parse(self, document: Document) -> ParseResult:
        """Parse with the parser of the document's type: declared, or sniffed when the header is mute."""
        return self.parser_for(media_type_of(document.content_type, document.body)).parse(document)


def default_registry() -> ParserRegistry:
    """A new registry with the parsers of this package: HTML and XHTML so far."""
    return ParserRegistry((HtmlParser(),))
