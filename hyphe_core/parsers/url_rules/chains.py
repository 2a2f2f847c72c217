"""Chains: normalisers in their order for each scope, and filters that must all let a URL pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from hyphe_core.parsers.url_rules.addresses import MalformedUrl
from hyphe_core.parsers.url_rules.basic_normalizer import BasicNormalizer
from hyphe_core.parsers.url_rules.regex_filter import shipped_regex_filter
from hyphe_core.parsers.url_rules.regex_normalizer import shipped_regex_normalizer
from hyphe_core.parsers.url_rules.steps import Filter, Normalizer, Scope


@dataclass(frozen=True, slots=True, eq=False)
class NormalizerChain:
    """Runs its steps in order, `n_rounds` times at most, until a round changes nothing.

    `by_scope` gives a scope other steps than `steps`. Two chains are never equal.
    """

    steps: tuple[Normalizer, ...] = ()
    by_scope: Mapping[Scope, tuple[Normalizer, ...]] = field(default_factory=lambda: MappingProxyType({}))
    n_rounds: int = 1

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        """The URL after all steps. Raises MalformedUrl when a step refuses it."""
        steps = self.by_scope.get(scope, self.steps)
        for _ in range(self.n_rounds):
            before = url
            for step in steps:
                url = step.normalize(url, scope)
            if url == before:
                break
        return url

    def find_normal(self, url: str, scope: Scope = Scope.DEFAULT) -> str | None:
        """The URL after all steps, None when a step refuses it."""
        try:
            return self.normalize(url, scope)
        except MalformedUrl:
            return None


@dataclass(frozen=True, slots=True, eq=False)
class FilterChain:
    """Lets a URL pass when every step does; all pass through a chain without steps. Two are never equal."""

    steps: tuple[Filter, ...] = ()

    def accepts(self, url: str) -> bool:
        """Whether all steps accept the URL; later ones are not asked after a refusal."""
        return all(step.accepts(url) for step in self.steps)


def nutch_normalizers() -> NormalizerChain:
    """Nutch's order: the basic normaliser, then the regular expressions as shipped."""
    return NormalizerChain((BasicNormalizer(), shipped_regex_normalizer()))


def nutch_filters() -> FilterChain:
    """Nutch's only filter by default: the regular expressions as shipped, which refuse all queries."""
    return FilterChain((shipped_regex_filter(),))
