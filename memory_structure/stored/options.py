"""Options of a corpus as stored: one row a choice, its value in JSON, so that older corpora take new
defaults."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, Final

from memory_structure.corpus_records import CorpusOptions
from memory_structure.parse_options import (
    ChainStep,
    CrawlOrder,
    LinkPlaces,
    ParseOptions,
    ScoringChoice,
    SignatureChoice,
)
from memory_structure.storage import Reader, Transaction
from memory_structure.stored.schema import OPTIONS

_NAMES = tuple(f.name for f in fields(CorpusOptions))
_TUPLES = frozenset({"start_modes", "redirects"})
_PAIRS = frozenset({"extra", "host_aliases"})
# What stored pages mean depends on them.
FIXED_OPTIONS: Final = ("precision_limit", "private_suffixes", "drop_tracking")


def read_options(reader: Reader) -> CorpusOptions:
    """The options; names this program does not know are passed over."""
    rows = reader.get(OPTIONS, _NAMES)
    return CorpusOptions(**{name: _from_json(name, row[1]) for name, row in rows.items()})


def write_options(transaction: Transaction, options: CorpusOptions) -> None:
    """Store all options."""
    values = asdict(options)
    transaction.put(OPTIONS, [(name, json.dumps(values[name])) for name in _NAMES])


def _from_json(name: str, text: str) -> Any:
    value = json.loads(text)
    if name == "parsing":
        return _parsing(value)
    if name in _PAIRS:
        return tuple((first, second) for first, second in value)
    return tuple(value) if name in _TUPLES else value


_PARSING: Final[dict[str, Callable[[Any], Any]]] = {
    "normalizers": lambda steps: tuple(ChainStep(*step) for step in steps),
    "filters": lambda steps: tuple(ChainStep(*step) for step in steps),
    "ignored_elements": tuple,
    "links": LinkPlaces,
    "signatures": SignatureChoice,
    "scoring": ScoringChoice,
    "order": CrawlOrder,
}


def _parsing(values: dict[str, Any]) -> ParseOptions:
    known = {f.name for f in fields(ParseOptions)}
    return ParseOptions(
        **{
            name: _PARSING[name](value) if name in _PARSING else value
            for name, value in values.items()
            if name in known
        }
    )
