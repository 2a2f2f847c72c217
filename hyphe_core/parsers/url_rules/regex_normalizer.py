"""The regular expression normaliser: rules of a pattern and what replaces it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from hyphe_core.parsers.url_rules.bounded_patterns import BadPattern, BoundedPattern, TextTooLong
from hyphe_core.parsers.url_rules.steps import BadRules, Normalizer, Scope


class Rewriting(NamedTuple):
    """A rule: every match of `pattern` becomes `replacement` (`$1` is a group)."""

    pattern: str
    replacement: str


class RegexNormalizer(Normalizer):
    """Applies rules from the first to the last. A rule that cannot be asked about a URL this long in bounded
    time leaves it as it is (see `bounded_patterns`)."""

    __slots__ = ("_rules",)

    def __init__(self, rules: Sequence[Rewriting]) -> None:
        """Raises BadRules."""
        try:
            self._rules = tuple((BoundedPattern(rule.pattern), rule.replacement) for rule in rules)
        except BadPattern as error:
            raise BadRules(str(error)) from error

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        """Never refuses a URL."""
        for pattern, replacement in self._rules:
            try:
                url = pattern.replace(url, replacement)
            except TextTooLong:
                continue
        return url


def read_rewritings(text: str) -> list[Rewriting]:
    """Rules of a TOML text: tables `rule` with `pattern` and `replacement` (default ""). Raises BadRules."""
    try:
        tables = tomllib.loads(text).get("rule", [])
        return [Rewriting(str(table["pattern"]), str(table.get("replacement", ""))) for table in tables]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        raise BadRules(f"rules of the regular expression normaliser: {error}") from error


@cache
def shipped_regex_normalizer() -> RegexNormalizer:
    """The normaliser with the rules of this package."""
    data = files("hyphe_core.parsers.url_rules") / "data" / "regex_normalizer.toml"
    return RegexNormalizer(read_rewritings(data.read_text("utf-8")))
