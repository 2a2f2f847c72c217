"""One document looked at: what it gives by the rules of a profile, who read it, what was left out and why."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from hyphe_core.parsers.base import (
    MAX_LINKS,
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    Document,
    ParseMinor,
    ParseResult,
    ParseStatus,
    failed,
)
from hyphe_core.parsers.keeping import KeepingRules, KeptParse, keep, rules_of_profile
from hyphe_core.parsers.markup_formats import load_stylesheet
from hyphe_core.parsers.parse_out import ParseOut
from hyphe_core.parsers.parse_out_results import parse_outs_of, result_of
from hyphe_core.parsers.profiles import PROFILES, RESEARCH, ParseProfile, ProfileName
from hyphe_core.parsers.registry import Candidate, Explanation, ParserRegistry
from hyphe_core.parsers.robots_directives import merge_robots
from hyphe_core.parsers.sniff import find_declared_type, media_type_of, sniff
from hyphe_core.parsers.xml_parser import XmlOptions, XmlParser

_WHOLE_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s]+")
# Beginnings of messages of failures that are a limit's doing.
_LIMITS: Final = ("limit", "crash")


def is_whole_address(url: str) -> bool:
    """Whether a document can be taken to have this address: it has a scheme and what follows, no blanks."""
    return _WHOLE_ADDRESS.fullmatch(url) is not None


class TypeSource(StrEnum):
    """Who says what the media type of a document is."""

    GIVEN = "as given"
    HEADER = "by the header"
    STORED = "by the header, as stored"
    SUFFIX = "by the suffix of the name"
    BYTES = "by the first bytes"


class Omission(NamedTuple):
    """How much was left out for one reason, in words."""

    reason: str
    n: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found in a document. `kept` is its parse after the policy of the profile; `limits` are
    sentences on limits that it met; the first of `parse_outs` is that of the document."""

    document: Document
    type_source: TypeSource
    profile: ProfileName
    explanation: Explanation
    kept: KeptParse
    parse_outs: tuple[ParseOut, ...]
    omissions: tuple[Omission, ...]
    limits: tuple[str, ...]

    @property
    def status(self) -> ParseStatus:
        """How the parse ended."""
        return self.kept.result.status


@dataclass(frozen=True, slots=True)
class Ways:
    """How documents are read, and what is kept of their links."""

    profile: ParseProfile = RESEARCH
    rules: KeepingRules = KeepingRules()  # noqa: RUF009  a frozen value


def ways_of(name: ProfileName) -> Ways:
    """The ways of a profile, with the policy that belongs to it."""
    return Ways(PROFILES[name], rules_of_profile(name))


class Inspector:
    """Looks at documents, with parsers that are somebody else's to close."""

    def __init__(self, registry: ParserRegistry) -> None:
        self._registry = registry

    def inspect(
        self,
        document: Document,
        type_source: TypeSource = TypeSource.BYTES,
        ways: Ways = Ways(),
        stylesheet: str = "",
    ) -> Inspection:
        """What a document gives. `stylesheet`: the path of a stylesheet that reads it whatever it is. Raises
        ConfigError for a stylesheet that cannot be used."""
        if stylesheet:
            explanation = self._read_by(stylesheet, document, ways.profile.name)
        else:
            explanation = self._registry.explain(document, ways.profile)
        return _inspection(document, type_source, ways, explanation)

    def _read_by(self, stylesheet: str, document: Document, profile: ProfileName) -> Explanation:
        """Compiled here first: a fault of the stylesheet is told as such."""
        own = load_stylesheet(Path(stylesheet))
        options = XmlOptions(profile is ProfileName.NUTCH, own.name, stylesheet)
        xml = next(parser for parser in self._registry.list_parsers() if isinstance(parser, XmlParser))
        parser = xml.with_options(options)
        outcome = parser.run(document)
        result = result_of(outcome, document, merge_robots([], document))
        why = "asked for by name"
        return Explanation(
            media_type=result.content_type or media_type_of(document.content_type, document.body),
            declared_type=find_declared_type(document.content_type) or "",
            sniffed_type=sniff(document.body),
            candidates=(Candidate(parser, why),),
            read_by=result.parser,
            why=why,
            warnings=result.warnings,
            result=result,
            parse_outs=tuple(cleaned.parse for cleaned in outcome.parses),
        )


def inspect_truncated(document: Document, type_source: TypeSource, ways: Ways, message: str) -> Inspection:
    """A document of which only a part is there: it fails with the minor status 202 and is not read."""
    status = failed(ParseMinor.TRUNCATED, message)
    result = ParseResult(base_url=document.url, status=status)
    explanation = Explanation(
        media_type=media_type_of(document.content_type, document.body),
        declared_type=find_declared_type(document.content_type) or "",
        sniffed_type=sniff(document.body),
        candidates=(),
        read_by="",
        why="truncated bodies are not read",
        warnings=(),
        result=result,
    )
    return _inspection(document, type_source, ways, explanation)


def _inspection(
    document: Document, type_source: TypeSource, ways: Ways, explanation: Explanation
) -> Inspection:
    if not explanation.declared_type:
        type_source = TypeSource.BYTES
    found = explanation.result
    kept = keep(document, found, ways.rules)
    shown = replace(kept.result, content_type=explanation.media_type)
    omissions = (*(Omission(*each) for each in kept.dropped), *_list_omissions(found))
    return Inspection(
        document,
        type_source,
        ways.profile.name,
        explanation,
        replace(kept, result=shown),
        # What a format wrote itself tells the elements of links, as long as all of them are kept.
        explanation.parse_outs
        if ways.rules.policy is None and explanation.parse_outs
        else parse_outs_of(shown, document),
        omissions,
        tuple(_list_limits(found)),
    )


def _list_omissions(result: ParseResult) -> list[Omission]:
    found = [Omission(f"scheme {scheme}", n_links) for scheme, n_links in result.n_links_by_scheme]
    if result.n_links_cut:
        found.append(Omission(f"beyond {MAX_LINKS} links, or too long", result.n_links_cut))
    return found


def _list_limits(result: ParseResult) -> list[str]:
    found = []
    if result.status.minor is ParseMinor.TRUNCATED or result.status.message.startswith(_LIMITS):
        found.append(result.status.message)
    for what, n_characters, limit in (
        ("text", len(result.text), MAX_TEXT_CHARACTERS),
        ("title", len(result.title), MAX_TITLE_CHARACTERS),
    ):
        if n_characters >= limit:
            found.append(f"the {what} was cut at {limit} characters")
    if result.n_links_cut:
        found.append(f"{result.n_links_cut} links were left out, by the limits on their number and length")
    return found
