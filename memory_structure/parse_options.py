"""Choices of a corpus about the parse stage, as it stores them; what they do is the parsers' matter."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class SignatureChoice(StrEnum):
    """Signatures kept with each page: none, that of the bytes, also that of the words of its text."""

    NONE = "none"
    CONTENT = "content"
    TEXT_PROFILE = "text_profile"


class ScoringChoice(StrEnum):
    """Scores kept for pages: none, or those of online page importance computation."""

    NONE = "none"
    OPIC = "opic"


class CrawlOrder(StrEnum):
    """Which pages of a job come first: the nearest to its start pages, or those with the highest score."""

    BREADTH = "breadth"
    OPIC = "opic"


class LinkPlaces(StrEnum):
    """Which links of a page are kept: all, those within the place it belongs to, those that leave it."""

    ALL = "all"
    INTERNAL = "internal"
    EXTERNAL = "external"


class ChainStep(NamedTuple):
    """A step of a chain of normalisers or filters: its name and its rules ("" = those shipped, or none)."""

    name: str
    rules: str = ""


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How pages are parsed and what is kept of their links. The defaults lose nothing.

    `profile`: research or nutch. `stylesheets`: a folder below that of the operator's formats ("" = that one
    itself). `by_domain`: places are registered domains, not hosts. Limits of None are those of the profile.
    `text_links`: addresses written in the text are links too. `form_links`, `ignored_elements` change which
    elements give links in the profile nutch.
    """

    profile: str = "research"
    stylesheets: str = ""
    normalizers: tuple[ChainStep, ...] = ()
    filters: tuple[ChainStep, ...] = ()
    links: LinkPlaces = LinkPlaces.ALL
    by_domain: bool = False
    max_links: int | None = None
    max_link_characters: int | None = None
    max_anchor_characters: int | None = None
    text_links: bool = False
    form_links: bool = False
    ignored_elements: tuple[str, ...] = ()
    follow_feeds: bool = False
    signatures: SignatureChoice = SignatureChoice.CONTENT
    scoring: ScoringChoice = ScoringChoice.NONE
    internal_share: float = 1.0
    external_share: float = 1.0
    order: CrawlOrder = CrawlOrder.BREADTH
