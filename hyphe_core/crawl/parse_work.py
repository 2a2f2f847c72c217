"""How the pages of a corpus are parsed in a crawl: its options made into parsers, profile and rules."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from hyphe_core.config import Config
from hyphe_core.errors import ConfigError
from hyphe_core.parsers.keeping import KeepingRules
from hyphe_core.parsers.markup_formats import StylesheetFormat, load_formats
from hyphe_core.parsers.outlink_policy import OutlinkPolicy, Place, nutch_policy
from hyphe_core.parsers.profiles import PROFILES, RESEARCH, ParseProfile, ProfileName, with_link_elements
from hyphe_core.parsers.registry import ParserRegistry, built_in_parsers
from hyphe_core.parsers.url_rules.options import ChainOptions, StepOption, build_chains
from hyphe_core.parsers.xml_parser import XmlOptions, XmlParser
from hyphe_core.parsers.xml_pool import Limits, XmlPool
from memory_structure.parse_options import ChainStep, LinkPlaces, ParseOptions, SignatureChoice

_LOG: Final = logging.getLogger(__name__)
STYLESHEETS_FOLDER: Final = "stylesheets"
# Tighter than for single documents: those of a hostile site hold up all others of the worker.
_LIMITS: Final = Limits(wall_seconds=15.0, cpu_seconds=8)


@dataclass(frozen=True, slots=True, eq=False)
class ParseWork:
    """What a crawl does with the pages of a corpus. `parsers` None: those of the worker."""

    parsers: ParserRegistry | None = None
    profile: ParseProfile = RESEARCH
    rules: KeepingRules = KeepingRules()  # noqa: RUF009  a frozen value
    signatures: SignatureChoice = SignatureChoice.CONTENT
    text_links: bool = False


def parse_work(options: ParseOptions, parsers: ParserRegistry | None = None) -> ParseWork:
    """What the options ask for. Raises BadRules and ValueError for what cannot be done."""
    name = ProfileName(options.profile)
    profile = PROFILES[name]
    if options.form_links or options.ignored_elements:
        profile = with_link_elements(
            profile, form_action=options.form_links or None, ignored=frozenset(options.ignored_elements)
        )
    rules = KeepingRules(policy_of(options))
    return ParseWork(parsers, profile, rules, options.signatures, options.text_links)


def policy_of(options: ParseOptions) -> OutlinkPolicy | None:
    """The policy for links; None when all are kept as they are found. Raises BadRules."""
    changes: dict[str, Any] = {
        name: value
        for name, value in (
            ("max_characters", options.max_link_characters),
            ("max_links", options.max_links),
            ("max_anchor_characters", options.max_anchor_characters),
        )
        if value is not None
    }
    if options.links is not LinkPlaces.ALL:
        changes["ignores_external"] = options.links is LinkPlaces.INTERNAL
        changes["ignores_internal"] = options.links is LinkPlaces.EXTERNAL
        changes["place"] = Place.DOMAIN if options.by_domain else Place.HOST
    normalizers, filters = build_chains(ChainOptions(_steps(options.normalizers), _steps(options.filters)))
    if options.normalizers:
        changes["normalizers"] = normalizers
    if options.filters:
        changes["filters"] = filters
    if options.profile == ProfileName.NUTCH:
        return replace(nutch_policy(), **changes)
    # Links to the page itself and repeated ones are counted later, and lost here.
    lenient = OutlinkPolicy(max_characters=None, max_links=None, drops_self=False, drops_duplicates=False)
    return replace(lenient, **changes) if changes else None


def _steps(steps: Collection[ChainStep]) -> tuple[StepOption, ...]:
    return tuple(StepOption(*step) for step in steps)


def stylesheets_folder(config: Config) -> Path:
    """The operator's folder of formats; it need not exist."""
    return config.stylesheets_dir or config.data_dir / STYLESHEETS_FOLDER


class ParserShelf:
    """Parsers of a worker: one registry for each folder of stylesheets, all with the same child process.

    `folder` holds the operator's own formats; folders below it those of single corpora.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._pool = XmlPool(limits=_LIMITS)
        self._made: MappingProxyType[str, ParserRegistry] = MappingProxyType({})

    def get(self, name: str = "") -> ParserRegistry:
        """The parsers with the formats of a folder below that of the operator, or of the latter itself.

        A folder that is absent or has faults is told in the log, and left out.
        """
        found = self._made.get(name)
        if found is None:
            found = self._make(name)
            self._made = MappingProxyType({**self._made, name: found})
        return found

    def _make(self, name: str) -> ParserRegistry:
        folder, formats = self._formats(name)
        xml = XmlParser(self._pool, XmlOptions(folder=folder))
        types = {one for each in formats for one in each.spec.media_types}
        suffixes = {one for each in formats for one in each.spec.suffixes}
        xml.media_types = (*xml.media_types, *sorted(types.difference(xml.media_types)))
        xml.url_suffixes = (*xml.url_suffixes, *sorted(suffixes.difference(xml.url_suffixes)))
        parsers = ParserRegistry(built_in_parsers(xml))
        parsers.load_entry_points()
        return parsers

    def _formats(self, name: str) -> tuple[str, list[StylesheetFormat]]:
        if self._folder is None or not (name or self._folder.is_dir()):
            return "", []
        folder = self._folder / name
        try:
            return str(folder), load_formats(folder)
        except ConfigError as error:
            _LOG.error("stylesheets in %s are not used: %s", folder, "; ".join(error.faults))
            return "", []

    def close(self) -> None:
        """End the child process."""
        self._pool.close()
