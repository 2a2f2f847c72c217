"""Which parser reads a document, and why.

By media type first (declared, or sniffed when the header is mute): the exact type, then `application/*+xml`
and the like, then `type/*`; of XML by its root, then its public identifier, whatever the type; then by the
suffix of the URL; then the opaque parser. XML that no parser claims by its root goes to the XML parser, which
chooses among its formats in the same way. Among equals the higher priority is asked first.

Third parties add parsers without touching this package: `register` in their own code, or an entry point of
the group `hyphe.parsers` naming a `Parser` class, loaded by `load_entry_points` when a worker starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Final

from hyphe_core.parsers.base import Document, ParseMinor, Parser, ParseResult, failed
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.markup import MarkupOutcome
from hyphe_core.parsers.packed import PackedXmlParser
from hyphe_core.parsers.parse_out import ParseOut
from hyphe_core.parsers.plain_text import PlainTextParser
from hyphe_core.parsers.profiles import RESEARCH, ParseProfile
from hyphe_core.parsers.robots_directives import merge_robots
from hyphe_core.parsers.sniff import find_declared_type, media_type_of, sniff
from hyphe_core.parsers.xml_parser import InProcess, XmlParser
from hyphe_core.parsers.xml_pool import XmlPool
from hyphe_core.parsers.xml_root import XmlRoot, find_root

ENTRY_POINT_GROUP: Final = "hyphe.parsers"
BUILT_IN: Final = "built in"
_XML_TYPES: Final = frozenset({"text/xml", "application/xml"})


class OpaqueParser(Parser):
    """Reads nothing: pages of types without a parser are stored without text and links."""

    name = "opaque"
    media_types = ("*/*",)

    def parse(self, document: Document) -> ParseResult:
        """An empty result; robots headers are honoured for files too."""
        return ParseResult(document.url, robots=merge_robots([], document), parser=self.name)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A parser that may read a document, and why it may, in words."""

    parser: Parser
    why: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a document was read: what its type is and says who, who was asked in which order, who read it.

    `read_by` is the name of the parser, or of the format of the XML parser, whose result counts.
    `parse_outs` are the records that a format made itself, which tell more than the result; else empty.
    """

    media_type: str
    declared_type: str
    sniffed_type: str
    candidates: tuple[Candidate, ...]
    read_by: str
    why: str
    warnings: tuple[str, ...]
    result: ParseResult
    parse_outs: tuple[ParseOut, ...] = ()


class ParserRegistry:
    """Parsers by media type; the exact type wins over `type/*`, which wins over the opaque parser.

    Of parsers with one type and priority the one registered last comes first.
    """

    def __init__(self, parsers: tuple[Parser, ...] = ()) -> None:
        self._parsers: list[Parser] = []
        self._by_type: dict[str, list[Parser]] = {}
        self._remembered: dict[tuple[Parser, ParseProfile], Parser] = {}
        self._origins: dict[Parser, str] = {}
        self._opaque = OpaqueParser()
        self.warnings: list[str] = []
        for parser in parsers:
            self.register(parser, BUILT_IN)

    def register(self, parser: Parser, origin: str = "code") -> None:
        """Use this parser from now on, before those that it equals; ties between two are noted in
        `warnings`. `origin` says for people where it comes from."""
        self._origins[parser] = origin
        for media_type in parser.media_types:
            listed = self._by_type.setdefault(media_type.lower(), [])
            equal = [name_of(other) for other in listed if other.priority == parser.priority]
            if equal:
                self.warnings.append(
                    f"{name_of(parser)} and {equal[0]} read {media_type} with the same priority:"
                    f" {name_of(parser)}, registered later, comes first"
                )
            listed.insert(0, parser)
            listed.sort(key=lambda one: -one.priority)
        self._parsers.insert(0, parser)
        self._parsers.sort(key=lambda one: -one.priority)

    def load_entry_points(self) -> None:
        """Register the parsers that installed packages offer. Raises what a broken package raises."""
        for point in entry_points(group=ENTRY_POINT_GROUP):
            self.register(point.load()(), f"entry point {point.name}")

    def origin_of(self, parser: Parser) -> str:
        """Where a parser comes from: built in, code, or the entry point that named it."""
        return self._origins.get(parser, BUILT_IN)

    def list_parsers(self) -> list[Parser]:
        """All parsers, the first asked first."""
        return [*self._parsers, self._opaque]

    def parser_for(self, media_type: str) -> Parser:
        """Parser of a media type without parameters, in any case."""
        return next((found.parser for found in self._by_media_type(media_type.lower())), self._opaque)

    def list_candidates(self, document: Document) -> list[Candidate]:
        """Who may read the document, in the order in which they are asked; each once, the opaque one last."""
        media_type = media_type_of(document.content_type, document.body)
        found: dict[Parser, Candidate] = {}
        root = find_root(document.body) if _is_xml(media_type) else None
        if root is not None:
            for candidate in self._by_root(root):
                found.setdefault(candidate.parser, candidate)
        for candidate in (*self._by_media_type(media_type), *self._by_suffix(document.url)):
            found.setdefault(candidate.parser, candidate)
        return [*found.values(), Candidate(self._opaque, "no parser reads it")]

    def parse(self, document: Document, profile: ParseProfile = RESEARCH) -> ParseResult:
        """The result of the first parser that succeeds; else the last failure that says what is wrong."""
        media_type = media_type_of(document.content_type, document.body)
        if not _is_xml(media_type):  # nearly all: no list of candidates is made
            parser = self._with(self.parser_for(media_type), profile)
            if parser is not self._opaque:
                result = _attempt(parser, document)
                if result.status.is_success:
                    return result
        return self._run(self.list_candidates(document), document, profile)[1]

    def explain(self, document: Document, profile: ParseProfile = RESEARCH) -> Explanation:
        """The result, and how it was come by."""
        candidates = self.list_candidates(document)
        chosen, result = self._run(candidates, document, profile)
        outcome = self._find_outcome(chosen, document, profile, result)
        return Explanation(
            media_type=result.content_type or media_type_of(document.content_type, document.body),
            declared_type=find_declared_type(document.content_type) or "",
            sniffed_type=sniff(document.body),
            candidates=tuple(candidates),
            read_by=result.parser or name_of(chosen.parser),
            why=chosen.why if outcome is None else f"{chosen.why}; {outcome.why}",
            warnings=(*self.warnings, *result.warnings),
            result=result,
            parse_outs=() if outcome is None else tuple(cleaned.parse for cleaned in outcome.parses),
        )

    def close(self) -> None:
        """End the processes of parsers that have some."""
        for parser in self._parsers:
            parser.close()

    # -- who may read what ------------------------------------------------

    def _by_media_type(self, media_type: str) -> Iterator[Candidate]:
        family, _, rest = media_type.partition("/")
        patterns = [media_type, f"{family}/*"]
        if "+" in rest:
            patterns.insert(1, f"{family}/*+{rest.rpartition('+')[2]}")
        for pattern in patterns:
            for parser in self._by_type.get(pattern, ()):
                yield Candidate(parser, f"media type {media_type}")

    def _by_root(self, root: XmlRoot) -> Iterator[Candidate]:
        for parser in self._parsers:
            if root.qualified in parser.roots:
                yield Candidate(parser, f"root element {root.name}")
        for parser in self._parsers:
            if root.public_id and root.public_id.startswith(parser.public_ids):
                yield Candidate(parser, f"public identifier {root.public_id}")

    def _by_suffix(self, url: str) -> Iterator[Candidate]:
        path = url.partition("?")[0].partition("#")[0].lower()
        for parser in self._parsers:
            if path.endswith(parser.url_suffixes) and parser.url_suffixes:
                yield Candidate(parser, f"suffix of {path.rpartition('/')[2]}")

    # -- reading ------------------------------------------------------------

    def _with(self, parser: Parser, profile: ParseProfile) -> Parser:
        key = (parser, profile)
        found = self._remembered.get(key)
        if found is None:
            found = self._remembered[key] = parser.for_profile(profile)
        return found

    def _run(
        self, candidates: list[Candidate], document: Document, profile: ParseProfile
    ) -> tuple[Candidate, ParseResult]:
        telling: tuple[Candidate, ParseResult] | None = None
        for candidate in candidates:
            if candidate.parser is self._opaque and telling is not None:
                break
            result = _attempt(self._with(candidate.parser, profile), document)
            if result.status.is_success:
                return candidate, result
            if telling is None or result.status.minor is not ParseMinor.EXCEPTION:
                telling = candidate, result
        assert telling is not None  # the opaque parser never fails
        return telling

    def _find_outcome(
        self, chosen: Candidate, document: Document, profile: ParseProfile, result: ParseResult
    ) -> MarkupOutcome | None:
        """Of XML, all that its parser says; what failed by itself (took too long, say) is not tried again."""
        parser = self._with(chosen.parser, profile)
        if not isinstance(parser, XmlParser) or result.status.minor is ParseMinor.EXCEPTION:
            return None
        return parser.run(document)


def _attempt(parser: Parser, document: Document) -> ParseResult:
    try:
        return parser.parse(document)
    except Exception as error:  # a parser of a third party may raise anything
        status = failed(ParseMinor.EXCEPTION, f"{type(error).__name__} in parser {name_of(parser)}")
        return ParseResult(base_url=document.url, status=status, warnings=(status.message,))


def name_of(parser: Parser) -> str:
    """What people call a parser."""
    return parser.name or type(parser).__name__


def _is_xml(media_type: str) -> bool:
    return media_type in _XML_TYPES or media_type.endswith("+xml")


def default_registry(*, isolated: bool = True) -> ParserRegistry:
    """A new registry with the parsers of this package. `isolated`: XML is read in a child process, started
    when the first XML document comes; else in this one, for single documents that someone looks at."""
    return ParserRegistry(built_in_parsers(XmlParser(XmlPool() if isolated else InProcess())))


def built_in_parsers(xml: XmlParser) -> tuple[Parser, ...]:
    """The parsers of this package, the one asked first last; `xml` reads what is XML."""
    return (PackedXmlParser(xml), PlainTextParser(), xml, HtmlParser())
