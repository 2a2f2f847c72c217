"""What goes into a parser and what comes out: `Document` in, `ParseResult` out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from hyphe_core.parsers.profiles import ParseProfile
from memory_structure.records import Area, LinkKind

MAX_TITLE_CHARACTERS = 1024
MAX_ANCHOR_CHARACTERS = 1024
MAX_TEXT_CHARACTERS = 1_000_000
MAX_LINKS = 10_000
MAX_BASE_CHARACTERS = 4096
"""Of a base that is believed: each of the links that are joined to it is at least as long."""


class ParseMajor(IntEnum):
    """Whether a document was parsed."""

    NOTPARSED = 0
    SUCCESS = 1
    FAILED = 2


class ParseMinor(IntEnum):
    """What more is to be said of a parse; the numbers are those of Nutch."""

    NONE = 0
    REDIRECT = 100
    EXCEPTION = 200
    TRUNCATED = 202
    INVALID_FORMAT = 203
    MISSING_PARTS = 204
    MISSING_CONTENT = 205


class ParseStatus(NamedTuple):
    """How a parse ended. `message` is for humans ("" = nothing to say) and never names a file."""

    major: ParseMajor = ParseMajor.SUCCESS
    minor: ParseMinor = ParseMinor.NONE
    message: str = ""

    @property
    def is_success(self) -> bool:
        """Whether something was read."""
        return self.major is ParseMajor.SUCCESS


SUCCESS = ParseStatus()


def failed(minor: ParseMinor, message: str) -> ParseStatus:
    """The status of a document that could not be parsed."""
    return ParseStatus(ParseMajor.FAILED, minor, message)


class Metadatum(NamedTuple):
    """One value of a named field; names may repeat, in document order.

    Dublin Core fields are `dc.<name>`, fields of a format `<format>.<name>`, HTML meta elements
    `metatag.<name>`.
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Document:
    """An answer to be parsed.

    `url` is the URL that answered, `content_type` the header's value as received (None when there is none),
    `headers` pairs with lower-case names in order of arrival (`x-robots-tag` and `content-language` are
    read), `agent_token` the product token by which robots directives may name this crawler ("" = none).
    """

    url: str
    body: bytes
    content_type: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    agent_token: str = ""

    def list_header_values(self, name: str) -> list[str]:
        """Values of all headers of this lower-case name, in order of arrival."""
        return [value for key, value in self.headers if key == name]


class Link(NamedTuple):
    """A link as it stands in a page. A named tuple: some forty are made for each page.

    `url` is absolute, joined to the base, its fragment kept; it is not normalised. `anchor` has its white
    space folded. `rel` holds the distinct lower-case tokens, sorted, joined by a space.
    """

    url: str
    kind: LinkKind
    anchor: str
    rel: str
    area: Area


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """What a page asks of robots, merged from its meta elements and headers: a ban anywhere is a ban."""

    index: bool = True
    follow: bool = True
    archive: bool = True
    snippet: bool = True


@dataclass(frozen=True, slots=True)
class Refresh:
    """A meta refresh that leads to another URL (absolute, as found)."""

    url: str
    delay_seconds: float


class Alternate(NamedTuple):
    """The page in another language: a lower-case language tag (or `x-default`) and an absolute URL."""

    language: str
    url: str


class SchemeCount(NamedTuple):
    """How many links of a page lead to a scheme that is not of the web."""

    scheme: str
    n_links: int


@dataclass(frozen=True, slots=True)
class ParseResult:
    """What a parser found in one document.

    `links` are in document order with duplicates, at most `MAX_LINKS`; `n_links_cut` counts those over the
    limit. Links to schemes such as mailto or javascript are counted in `n_links_by_scheme` (sorted), not
    returned. `canonical` and `refresh` are absolute URLs. `encoding` is "" when the body was not read as
    text; `encoding_source` names the evidence (see `encoding.EncodingSource`). `warnings` are for humans.

    `status` says how it went; a failed parse has no text and no links. `url` is the key of the result: ""
    for the document itself, the address of an entry in `parses`, which holds one result for each entry of a
    feed or record of a collection. `content_type` is the media type as recognised ("" = nobody looked),
    `parser` the name of what read it, `signature` the hex digest of its content or text ("" = not computed).
    """

    base_url: str
    title: str = ""
    text: str = ""
    links: tuple[Link, ...] = ()
    canonical: str | None = None
    robots: RobotsDirectives = RobotsDirectives()
    refresh: Refresh | None = None
    language: str = ""
    alternates: tuple[Alternate, ...] = ()
    encoding: str = ""
    encoding_source: str = ""
    n_links_cut: int = 0
    n_links_by_scheme: tuple[SchemeCount, ...] = ()
    warnings: tuple[str, ...] = ()
    status: ParseStatus = SUCCESS
    metadata: tuple[Metadatum, ...] = ()
    parses: tuple[ParseResult, ...] = ()
    url: str = ""
    content_type: str = ""
    parser: str = ""
    signature: str = ""


class Parser(ABC):
    """Turns documents of some media types into results. Instances keep nothing of a page: share them."""

    name: str = ""
    """What people call it; "" = the name of its class."""
    media_types: tuple[str, ...] = ()
    """Lower-case media types read by this parser: `text/html`, or `image/*` and `application/*+xml` for a
    whole family."""
    url_suffixes: tuple[str, ...] = ()
    """Suffixes of URL paths, lower case with the dot, for documents whose type nobody reads."""
    roots: tuple[str, ...] = ()
    """Roots of XML read by this parser whatever the media type: `name`, or `{namespace}name`."""
    public_ids: tuple[str, ...] = ()
    """Beginnings of public identifiers of XML read by this parser, likewise."""
    priority: int = 0
    """Among parsers that fit equally well the highest is asked first."""
    waits: bool = False
    """Whether it waits for a child process, so that others go on meanwhile."""

    def for_profile(self, profile: ParseProfile) -> Parser:
        """The parser that reads by the rules of a profile: itself, unless it has several ways."""
        return self

    def close(self) -> None:  # noqa: B027  # few parsers hold anything
        """Let go of processes and the like."""

    @abstractmethod
    def parse(self, document: Document) -> ParseResult:
        """Read the document. A broken page gives what could be read, and warnings; content never raises."""
