"""The extension point of the generic XML parser: what reads one dialect of markup.

A `MarkupParser` makes a well-formed tree of a document and gives the transformer that turns the tree into a
parse-out document. Both have defaults, so a format is in most cases a stylesheet and a few lines of TOML (see
`markup_formats`). `MarkupEngine` chooses among the formats it is given and runs one document.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, TypeAlias

from lxml import etree

from hyphe_core.parsers.base import Document, Metadatum, ParseMinor, ParseStatus, failed
from hyphe_core.parsers.encoding import EncodingSource
from hyphe_core.parsers.parse_out import Outlink
from hyphe_core.parsers.parse_out_cleaning import Cleaned, RawParse, clean
from hyphe_core.parsers.result_tree import BadResult, MixedOutlinks, read_result, remove_marks
from hyphe_core.parsers.sniff import OCTET_STREAM, find_declared_type
from hyphe_core.parsers.stylesheets import TransformFailed
from hyphe_core.parsers.well_formed import MAX_CRAWLED_BYTES, NotWellFormed, WellFormed, parse_well_formed
from memory_structure.records import LinkKind

Transformer: TypeAlias = Callable[[etree._Element, Mapping[str, str]], etree._Element]
"""From a tree and named strings to the root of a parse-out document, addresses as found."""

GENERIC: Final = "generic"
# A result may be so much larger than its document: factor, and bytes beside.
_OUTPUT_FACTOR: Final = 4
_OUTPUT_BYTES: Final = 2**20
XML: Final = "application/xml"
_NO_TEXT: Final = "characters that are none"
_N_REMEMBERED: Final = 512  # answers of formats, by the names in a document
_MAX_CHARACTERS_OF_NAMES: Final = 1000
# Elements whose content may be an address, in any namespace.
_ADDRESS_ELEMENTS: Final = [f"{{*}}{name}" for name in ("link", "url", "loc", "uri", "guid")]


class Rank(IntEnum):
    """How surely a format knows a document as its own; the higher wins."""

    GENERIC = 0
    SUFFIX = 1
    MEDIA_TYPE = 2
    PUBLIC_ID = 3
    ROOT = 4
    NAMED = 5


class Match(NamedTuple):
    """That a format reads a document, and why in words."""

    rank: Rank
    why: str


@dataclass(frozen=True, slots=True)
class Probe:
    """What a document is recognised by. `root` and `namespace` are "" when it is not well-formed XML.

    `media_type` is the declared one, without parameters; `suffix` that of the URL's path with its dot, in
    lower case, "" when there is none. `tree` is for conditions on more than the root.
    """

    root: str
    namespace: str
    public_id: str
    media_type: str
    suffix: str
    tree: etree._Element | None = None


@dataclass
class Content:
    """A document on its way through a format. `strict`: what is not well-formed fails instead of being
    repaired. `format` names the format to use whatever the document is ("" = the one that matches)."""

    document: Document
    strict: bool = False
    max_bytes: int = MAX_CRAWLED_BYTES
    format: str = ""

    @cached_property
    def well_formed(self) -> WellFormed:
        """The tree of the document read as XML, read once. Raises NotWellFormed."""
        return parse_well_formed(self.document, strict=self.strict, max_bytes=self.max_bytes)

    @cached_property
    def media_type(self) -> str:
        """The declared media type, "" when none is."""
        return find_declared_type(self.document.content_type) or ""

    @cached_property
    def bare_probe(self) -> Probe:
        """What is known without reading the document."""
        return Probe("", "", "", self.media_type, _find_suffix(self.document.url))


class MarkupParser(ABC):
    """Reads one dialect of markup. Instances are shared by all documents of a process."""

    name: str = ""
    priority: int = 0
    is_shipped: bool = False
    """Whether it comes with this package: of formats that match equally well all others are preferred."""
    content_type: str = ""
    """Media type of what it reads; "" = as declared."""
    reads_xml: bool = True
    """Whether the document must be well-formed XML; else `to_well_formed_xml` makes a tree of anything."""
    malformed: ParseMinor = ParseMinor.INVALID_FORMAT
    """The minor status of a document that is not well-formed."""

    @abstractmethod
    def matches(self, probe: Probe) -> Match | None:
        """Why this format reads the document; None when it does not."""

    def looks_at_tree(self, probe: Probe) -> bool:
        """Whether `matches` may look at the tree of a document of these names; else its answer is
        remembered."""
        return True

    @abstractmethod
    def get_transformer(self, content: Content) -> Transformer:
        """What turns the tree into parse-out. Faults of a stylesheet are raised when the format is loaded."""

    def to_well_formed_xml(self, content: Content) -> WellFormed:
        """The tree to transform. Raises NotWellFormed."""
        return content.well_formed

    def finish(self, parses: list[RawParse], content: Content) -> list[RawParse]:
        """The parses with what a stylesheet cannot do; the first is that of the document."""
        return parses

    def link_kind(self, element: str) -> LinkKind | None:
        """The kind of the links that an element gives; None = no link, though parse-out has it."""
        return LinkKind.HYPERLINK


class Choice(NamedTuple):
    """The format chosen and why; `passed_over` are equal ones that lost by name alone."""

    parser: MarkupParser
    match: Match
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkupOutcome:
    """What came of one document: its parses, that of the document first, and how they were made.

    `kinds` holds the kind of each outlink of each parse. `why` says in words why `parser` was chosen.
    """

    parses: tuple[Cleaned, ...]
    kinds: tuple[tuple[LinkKind | None, ...], ...]
    parser: str
    why: str
    encoding: str = ""
    encoding_source: str = ""
    warnings: tuple[str, ...] = ()


@dataclass
class MarkupEngine:
    """The formats of a process. `parsers` in any order; the one named `generic` reads what no other does."""

    parsers: Sequence[MarkupParser] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._settle = lru_cache(_N_REMEMBERED)(self._settle_by_names)

    def choose(self, probe: Probe, name: str = "") -> Choice:
        """The format of a document: by name when one is given, else by rank, priority, name, those of the
        package last. Raises LookupError for an unknown name."""
        if name:
            named = Match(Rank.NAMED, "asked for by name")
            return _best_of([(named, parser) for parser in self.parsers if parser.name == name], name)
        names = (probe.root, probe.namespace, probe.public_id, probe.media_type, probe.suffix)
        are_short = sum(map(len, names)) < _MAX_CHARACTERS_OF_NAMES
        found, unsettled, choice = (self._settle if are_short else self._settle_by_names)(*names)
        if choice is not None:
            return choice
        return _best_of(found + _list_matches(unsettled, probe))

    def _settle_by_names(
        self, *names: str
    ) -> tuple[list[tuple[Match, MarkupParser]], list[MarkupParser], Choice | None]:
        """(formats that match by names alone, those that must see the document, the choice when none must).
        `names` are those of a probe, in its order."""
        root, namespace, public_id, media_type, suffix = names
        probe = Probe(root, namespace, public_id, media_type, suffix)
        unsettled = [parser for parser in self.parsers if parser.looks_at_tree(probe)]
        found = _list_matches([parser for parser in self.parsers if parser not in unsettled], probe)
        return found, unsettled, None if unsettled else _best_of(found)

    def run(self, content: Content) -> MarkupOutcome:
        """Everything one document gives. Never raises for what the document holds."""
        choice = self._choose_for(content)
        try:
            return self._run_with(choice, content)
        except (TransformFailed, BadResult) as error:
            minor = ParseMinor.EXCEPTION if getattr(error, "denied", False) else ParseMinor.INVALID_FORMAT
            failure = _failure(content, choice, failed(minor, str(error)))
        except NotWellFormed as error:
            failure = _failure(content, choice, error.status)
        except UnicodeDecodeError:  # a recovered tree may hold halves of characters
            failure = _failure(content, choice, failed(ParseMinor.INVALID_FORMAT, _NO_TEXT))
        if choice.parser.name == GENERIC or choice.match.rank is Rank.NAMED:
            return failure
        return self._fall_back(content, failure)

    def _choose_for(self, content: Content) -> Choice:
        if content.format:
            return self.choose(content.bare_probe, content.format)
        bare = self.choose(content.bare_probe)
        if bare.match.rank >= Rank.MEDIA_TYPE and not bare.parser.reads_xml:
            return bare
        try:
            return self.choose(probe_of(content))
        except NotWellFormed:  # which its format will find again
            return bare

    def _fall_back(self, content: Content, failure: MarkupOutcome) -> MarkupOutcome:
        """The generic parse of a well-formed document that its own format failed on."""
        generic = self.choose(content.bare_probe, GENERIC)
        message = failure.parses[0].parse.status.message
        try:
            outcome = self._run_with(generic, content, f"{failure.parser} failed: {message}")
        except (TransformFailed, BadResult, NotWellFormed, UnicodeDecodeError):
            return failure
        return outcome

    def _run_with(self, choice: Choice, content: Content, warning: str = "") -> MarkupOutcome:
        parser = choice.parser
        well_formed = parser.to_well_formed_xml(content)
        parses = _transform(content, parser, well_formed)
        _check_output(parses, len(content.document.body))
        if well_formed.recovered:
            for parse in parses:
                parse.meta.append(Metadatum("xml.recovered", "true"))
        cleaned = _distinct(map(clean, parser.finish(parses, content)))
        kinds = tuple(_kinds_of(each.parse.outlinks, parser) for each in cleaned)
        ties = f"as good as {choice.passed_over[0]}" if choice.passed_over else ""
        warnings = tuple(filter(None, (*well_formed.warnings, warning, ties)))
        return MarkupOutcome(
            cleaned,
            kinds,
            parser.name,
            choice.match.why,
            well_formed.encoding,
            well_formed.encoding_source,
            warnings,
        )


def _kinds_of(outlinks: Sequence[Outlink], parser: MarkupParser) -> tuple[LinkKind | None, ...]:
    elements = [outlink[2] for outlink in outlinks]
    kinds = {element: parser.link_kind(element) for element in set(elements)}
    return tuple(map(kinds.__getitem__, elements))


def _list_matches(parsers: Iterable[MarkupParser], probe: Probe) -> list[tuple[Match, MarkupParser]]:
    return [(match, parser) for parser in parsers if (match := parser.matches(probe)) is not None]


def _best_of(found: list[tuple[Match, MarkupParser]], name: str = "") -> Choice:
    """The first by rank, priority, name, those of the package last. Raises LookupError when there is none."""
    if not found:
        raise LookupError(f"there is no format {name or GENERIC!r}")
    found = sorted(found, key=_order)
    match, best = found[0]
    equal = [
        other.name
        for also, other in found[1:]
        if (also.rank, other.priority, other.is_shipped) == (match.rank, best.priority, best.is_shipped)
    ]
    return Choice(best, match, tuple(equal))


def _order(pair: tuple[Match, MarkupParser]) -> tuple[int, int, bool, str]:
    match, parser = pair
    return -match.rank, -parser.priority, parser.is_shipped, parser.name


def _transform(content: Content, parser: MarkupParser, well_formed: WellFormed) -> list[RawParse]:
    """The parses as the format reads them, those that tell no media type with that of the document. Raises
    TransformFailed, BadResult."""
    transformer, parameters = parser.get_transformer(content), _parameters(content, parser, well_formed)
    root, url, base = well_formed.root, content.document.url, well_formed.base
    try:
        parses = read_result(transformer(root, parameters), url, base)
    except MixedOutlinks:
        remove_marks(root)
        parses = read_result(transformer(root, parameters), url, base)
    for parse in parses:
        parse.content_type = parse.content_type or parameters["content-type"]
    return parses


def _distinct(parses: Iterable[Cleaned]) -> tuple[Cleaned, ...]:
    """Of parses with one link the first."""
    found: dict[str, Cleaned] = {}
    for each in parses:
        found.setdefault(each.parse.link, each)
    return tuple(found.values())


def probe_of(content: Content) -> Probe:
    """What the document is recognised by. Raises NotWellFormed."""
    root = content.well_formed.root
    name, namespace = _split_tag(root)
    bare = content.bare_probe
    return Probe(name, namespace, content.well_formed.public_id, bare.media_type, bare.suffix, root)


def _split_tag(root: etree._Element) -> tuple[str, str]:
    """(name, namespace) of an element; a recovered tree may have names with colons."""
    namespace, _, name = str(root.tag).rpartition("}")
    return name, namespace.removeprefix("{")


def _find_suffix(url: str) -> str:
    path = url.partition("?")[0].partition("#")[0]
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return (dot + suffix).lower() if dot else ""


def _parameters(content: Content, parser: MarkupParser, well_formed: WellFormed) -> dict[str, str]:
    name, namespace = _split_tag(well_formed.root)
    return {
        "url": content.document.url,
        "base": well_formed.base,
        "content-type": parser.content_type or content.media_type or XML,
        "encoding": well_formed.encoding,
        "root": name,
        "namespace": namespace,
        "public-id": well_formed.public_id,
        # Looking for them here takes a third of what a stylesheet takes.
        "has-addresses": "1" if any(map(_may_be_address, well_formed.root.iter(_ADDRESS_ELEMENTS))) else "",
    }


def _may_be_address(element: etree._Element) -> bool:
    text = element.text
    return len(element) > 0 or (text is not None and "://" in text)


def _check_output(parses: Sequence[RawParse], n_bytes: int) -> None:
    n_characters = sum(
        len(parse.text) + sum(len(value) for values in parse.fields.values() for value in values)
        for parse in parses
    )
    if n_characters > _OUTPUT_FACTOR * n_bytes + _OUTPUT_BYTES:
        raise NotWellFormed(failed(ParseMinor.EXCEPTION, "limit: size of the output"))


def _failure(content: Content, choice: Choice, status: ParseStatus) -> MarkupOutcome:
    parser = choice.parser
    if status.minor is ParseMinor.INVALID_FORMAT:
        status = status._replace(minor=parser.malformed)
    content_type = parser.content_type or content.media_type or OCTET_STREAM
    raw = RawParse(content.document.url, content_type, status)
    return MarkupOutcome(
        (clean(raw),), ((),), parser.name, choice.match.why, "", EncodingSource.DEFAULT, (status.message,)
    )
