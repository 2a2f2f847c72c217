"""Tracking and session parameters, which are left out of a page's key. The list itself is data."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

Tracker: TypeAlias = re.Pattern[str]

_DATA: Final = Path(__file__).parent / "data" / "tracking_parameters.toml"


@cache
def _lists() -> dict[str, list[str]]:
    with _DATA.open("rb") as file:
        data = tomllib.load(file)
    hosts: dict[str, list[str]] = data.pop("hosts")
    return {**data, **{"host " + host: names for host, names in hosts.items()}}


def tracker_for(host: str) -> Tracker:
    """The pattern that finds, in a recoded query, the parameters to drop on pages of a canonical host."""
    labels = host.split(".")
    for start in range(len(labels) - 1):
        site = ".".join(labels[start:])
        if "host " + site in _lists():
            return _pattern(site)
    return _pattern("")


@cache
def _pattern(site: str) -> Tracker:
    lists = _lists()
    ours = lists["names"] + lists["pairs"] + lists.get("host " + site, [])
    prefixes = "|".join(re.escape(prefix) for prefix in lists["prefixes"])
    whole = "|".join(re.escape(x) if "=" in x else re.escape(x) + "(?:=[^&]*)?" for x in ours)
    return re.compile(rf"(?:^|&)(?:(?:{prefixes})[^&]*|(?:{whole})(?![^&]))")


def drop_tracking(query: str, tracker: Tracker) -> str:
    """The query without its tracking parameters; what remains keeps its order. Empty when nothing remains."""
    kept, n_dropped = tracker.subn("", query)
    return kept.removeprefix("&") if n_dropped and not query.startswith("&") else kept
