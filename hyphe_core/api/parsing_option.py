"""The option `parsing` of a corpus: an object of named choices, to and from `ParseOptions`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.option_values import Reader, completed
from hyphe_core.api.parameters import Flag, Integer, ListOf, Number, Text
from hyphe_core.crawl.parse_work import parse_work
from hyphe_core.errors import nearest_name
from hyphe_core.parsers.profiles import ProfileName
from hyphe_core.parsers.url_rules.options import MAX_RULES_CHARACTERS
from memory_structure.parse_options import (
    ChainStep,
    CrawlOrder,
    LinkPlaces,
    ParseOptions,
    ScoringChoice,
    SignatureChoice,
)

_FOLDER: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")
_MOST_STEPS: Final = 20


def _one_of(choices: type[StrEnum]) -> Reader:
    def read(value: object) -> StrEnum:
        text = Text(max_chars=100).read(value).strip().lower()
        try:
            return choices(text)
        except ValueError:
            words = [choice.value for choice in choices]
            raise ValueError(f"must be one of {', '.join(words)}" + nearest_name(text, words)) from None

    return read


def _limit(most: int) -> Reader:
    return lambda value: None if value is None else Integer(1, most).read(value)


def _steps(value: object) -> tuple[ChainStep, ...]:
    """Names of steps, or pairs of a name and rules."""
    if not isinstance(value, (list, tuple)) or len(value) > _MOST_STEPS:
        raise ValueError(f"must be a list of at most {_MOST_STEPS} steps")
    return tuple(_step(member) for member in value)


def _step(value: object) -> ChainStep:
    parts = [value] if isinstance(value, str) else value
    if not isinstance(parts, (list, tuple)) or not 1 <= len(parts) <= 2:
        raise ValueError("must hold names of steps, or [name, rules]")
    return ChainStep(*(Text(max_chars=MAX_RULES_CHARACTERS).read(part) for part in parts))


def _folder(value: object) -> str:
    """The name of a folder below that of the operator's formats: no path leads out of it."""
    name = Text(max_chars=100).read(value)
    if name and not _FOLDER.fullmatch(name):
        raise ValueError("must be the name of a folder of letters, digits and _ . -")
    return name


def _elements(value: object) -> tuple[str, ...]:
    names = [str(name).strip().lower() for name in ListOf(Text(max_chars=50)).read(value)]
    return tuple(dict.fromkeys(names))


_READERS: Final = MappingProxyType[str, Callable[[object], object]](
    {
        "profile": lambda value: _one_of(ProfileName)(value).value,
        "stylesheets": _folder,
        "normalizers": _steps,
        "filters": _steps,
        "links": _one_of(LinkPlaces),
        "by_domain": Flag().read,
        "max_links": _limit(10_000),
        "max_link_characters": _limit(100_000),
        "max_anchor_characters": _limit(1024),
        "text_links": Flag().read,
        "form_links": Flag().read,
        "ignored_elements": _elements,
        "follow_feeds": Flag().read,
        "signatures": _one_of(SignatureChoice),
        "scoring": _one_of(ScoringChoice),
        "internal_share": Number(0, 1000).read,
        "external_share": Number(0, 1000).read,
        "order": _one_of(CrawlOrder),
    }
)


def shown_parsing(options: ParseOptions) -> JsonObject:
    """The options as clients read them."""
    shown: JsonObject = asdict(options)
    for name in ("normalizers", "filters", "ignored_elements"):
        shown[name] = [list(step) if isinstance(step, tuple) else step for step in getattr(options, name)]
    return {name: value.value if isinstance(value, StrEnum) else value for name, value in shown.items()}


def parsing_option(value: object, present: ParseOptions) -> ParseOptions:
    """The options with those that a client names changed. Raises ValueError, naming rules that cannot be
    read and where they are wrong."""
    members = completed(shown_parsing(present), _READERS)(value)
    given = {name: members[name] for name in value} if isinstance(value, dict) else {}
    options = replace(present, **given)
    parse_work(options)
    return options
