"""Plain texts: read as they stand."""

from __future__ import annotations

from hyphe_core.parsers.base import MAX_TEXT_CHARACTERS, Document, Parser, ParseResult
from hyphe_core.parsers.encoding import decode, detect_encoding
from hyphe_core.parsers.profiles import RESEARCH, ParseProfile
from hyphe_core.parsers.robots_directives import merge_robots
from hyphe_core.parsers.sniff import looks_binary


class PlainTextParser(Parser):
    """Text with its lines, without links: what looks like an address is one only where a corpus asks for it.

    Files of another kind that are sent as text, which holds no control characters, give no text.
    """

    name = "text"
    media_types = (
        "text/plain",
        "text/markdown",
        "text/x-markdown",
        "text/csv",
        "text/tab-separated-values",
    )

    def __init__(self, profile: ParseProfile = RESEARCH) -> None:
        self._empties_noindex = profile.empties_text_of_noindex_pages

    def for_profile(self, profile: ParseProfile) -> PlainTextParser:
        """The same rules, save for texts that are not to be indexed."""
        return PlainTextParser(profile)

    def parse(self, document: Document) -> ParseResult:
        """The text, decoded."""
        encoding = detect_encoding(document.body, document.content_type)
        text = decode(document.body, encoding.name)[:MAX_TEXT_CHARACTERS].strip()
        robots = merge_robots([], document)
        warnings = [encoding.warning] if encoding.warning else []
        if looks_binary(text):
            text = ""
            warnings.append("no text: it holds control characters")
        return ParseResult(
            document.url,
            text="" if self._empties_noindex and not robots.index else text,
            robots=robots,
            encoding=encoding.name,
            encoding_source=encoding.source,
            warnings=tuple(warnings),
            parser=self.name,
        )
