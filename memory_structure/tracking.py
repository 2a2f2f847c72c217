"""Tracking and session parameters, which are left out of a page's key. The list itself is data."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

Tracker: TypeAlias = re.Pattern[str]

_DATA: Final = Path(__file__).parent / "data" / "tracking_parameters.toml"


@cache
def _trackers() -> dict[str, Tracker]:
    """Host -> its pattern; "" -> that of all other hosts."""
    with _DATA.open("rb") as file:
        data = tomllib.load(file)
    own: dict[str, list[str]] = {"": [], **data["hosts"]}
    for_all = data["names"] + data["pairs"]
    return {host: _pattern(data["prefixes"], for_all + items) for host, items in own.items()}


def tracker_for(host: str) -> Tracker:
    """The pattern that finds, in a recoded query, the parameters to drop on pages of a canonical host."""
    trackers = _trackers()
    while host:
        if host in trackers:
            return trackers[host]
        host = host.partition(".")[2]
    return trackers[""]


def _pattern(prefixes: list[str], items: list[str]) -> Tracker:
    """Items are "name" (any value, or none) or "name=value"."""
    names = _any_of([item for item in items if "=" not in item])
    pairs = _any_of([item for item in items if "=" in item])
    return re.compile(rf"(?:^|&)(?:{_any_of(prefixes)}[^&]*|(?:{names}(?:=[^&]*)?|{pairs})(?![^&]))")


def _any_of(words: list[str]) -> str:
    """A pattern for any of these words that shares their beginnings: faster than one alternative a word."""
    by_first: dict[str, list[str]] = {}
    for word in words:
        by_first.setdefault(word[:1], []).append(word[1:])
    optional = "?" if by_first.pop("", None) else ""
    alternatives = [re.escape(first) + _any_of(rests) for first, rests in by_first.items()]
    return f"(?:{'|'.join(alternatives)}){optional}" if alternatives else ""


def drop_tracking(query: str, tracker: Tracker) -> str:
    """The query without its tracking parameters; what remains keeps its order. Empty when nothing remains."""
    kept, n_dropped = tracker.subn("", query)
    return kept.removeprefix("&") if n_dropped and not query.startswith("&") else kept
