"""Chains of a corpus as options: names of steps in order, and the rules that some of them need as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from hyphe_core.parsers.url_rules.basic_normalizer import BasicNormalizer
from hyphe_core.parsers.url_rules.chains import FilterChain, NormalizerChain
from hyphe_core.parsers.url_rules.fast_filter import read_fast_rules
from hyphe_core.parsers.url_rules.host_normalizers import (
    HostNormalizer,
    ProtocolNormalizer,
    SlashNormalizer,
    read_host_table,
)
from hyphe_core.parsers.url_rules.list_filters import DomainFilter, PrefixFilter, read_suffix_rules
from hyphe_core.parsers.url_rules.query_normalizers import AjaxNormalizer, QueryNormalizer
from hyphe_core.parsers.url_rules.regex_filter import RegexFilter, read_regex_rules, shipped_regex_filter
from hyphe_core.parsers.url_rules.regex_normalizer import (
    RegexNormalizer,
    read_rewritings,
    shipped_regex_normalizer,
)
from hyphe_core.parsers.url_rules.steps import BadRules, Filter, Normalizer, Scope, list_rule_lines
from hyphe_core.parsers.url_rules.validator_filter import ValidatorFilter

MAX_RULES_CHARACTERS = 1_000_000

_Step = TypeVar("_Step")


class NormalizerName(StrEnum):
    """Normalisers that an option can name. Those of hosts need rules; `regex` has shipped ones."""

    BASIC = "basic"
    REGEX = "regex"
    HOST = "host"
    PROTOCOL = "protocol"
    SLASH = "slash"
    QUERYSTRING = "querystring"
    AJAX = "ajax"


class FilterName(StrEnum):
    """Filters that an option can name. All but the validator need rules; `regex` has shipped ones."""

    REGEX = "regex"
    PREFIX = "prefix"
    SUFFIX = "suffix"
    DOMAIN = "domain"
    DOMAIN_DENY = "domaindenylist"
    FAST = "fast"
    VALIDATOR = "validator"


class StepOption(NamedTuple):
    """A step: its name, and its rules as text ("" = those shipped, or none)."""

    name: str
    rules: str = ""


@dataclass(frozen=True, slots=True)
class ChainOptions:
    """Steps of both chains in order; `normalizers_by_scope` replaces the normalisers for a scope."""

    normalizers: tuple[StepOption, ...] = ()
    filters: tuple[StepOption, ...] = ()
    normalizers_by_scope: MappingProxyType[str, tuple[StepOption, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )


_NORMALIZERS: dict[NormalizerName, Callable[[str], Normalizer]] = {
    NormalizerName.BASIC: lambda _: BasicNormalizer(),
    NormalizerName.REGEX: lambda rules: (
        RegexNormalizer(read_rewritings(rules)) if rules else shipped_regex_normalizer()
    ),
    NormalizerName.HOST: lambda rules: HostNormalizer(read_host_table(rules)),
    NormalizerName.PROTOCOL: lambda rules: ProtocolNormalizer(read_host_table(rules)),
    NormalizerName.SLASH: lambda rules: SlashNormalizer(read_host_table(rules)),
    NormalizerName.QUERYSTRING: lambda _: QueryNormalizer(),
    NormalizerName.AJAX: lambda _: AjaxNormalizer(),
}
_FILTERS: dict[FilterName, Callable[[str], Filter]] = {
    FilterName.REGEX: lambda rules: RegexFilter(read_regex_rules(rules)) if rules else shipped_regex_filter(),
    FilterName.PREFIX: lambda rules: PrefixFilter(list_rule_lines(rules)),
    FilterName.SUFFIX: read_suffix_rules,
    FilterName.DOMAIN: lambda rules: DomainFilter(list_rule_lines(rules)),
    FilterName.DOMAIN_DENY: lambda rules: DomainFilter(list_rule_lines(rules), denies=True),
    FilterName.FAST: read_fast_rules,
    FilterName.VALIDATOR: lambda _: ValidatorFilter(),
}
NUTCH_CHAINS = ChainOptions(
    (StepOption(NormalizerName.BASIC), StepOption(NormalizerName.REGEX)), (StepOption(FilterName.REGEX),)
)


def build_chains(options: ChainOptions) -> tuple[NormalizerChain, FilterChain]:
    """Both chains of a corpus. Raises BadRules, naming the step, for unknown names, scopes and bad rules."""
    by_scope = {
        _scope(name): tuple(_normalizer(step) for step in steps)
        for name, steps in options.normalizers_by_scope.items()
    }
    normalizers = NormalizerChain(
        tuple(_normalizer(step) for step in options.normalizers), MappingProxyType(by_scope)
    )
    return normalizers, FilterChain(tuple(_filter(step) for step in options.filters))


def _scope(name: str) -> Scope:
    try:
        return Scope(name)
    except ValueError as error:
        raise BadRules(f"unknown scope {name!r}") from error


def _normalizer(step: StepOption) -> Normalizer:
    try:
        make = _NORMALIZERS[NormalizerName(step.name)]
    except ValueError as error:
        raise BadRules(f"unknown normaliser {step.name!r}") from error
    return _made(make, step)


def _filter(step: StepOption) -> Filter:
    try:
        make = _FILTERS[FilterName(step.name)]
    except ValueError as error:
        raise BadRules(f"unknown filter {step.name!r}") from error
    return _made(make, step)


def _made(make: Callable[[str], _Step], step: StepOption) -> _Step:
    if len(step.rules) > MAX_RULES_CHARACTERS:
        raise BadRules(
            f"{step.name}: {len(step.rules)} characters of rules, more than {MAX_RULES_CHARACTERS}"
        )
    try:
        return make(step.rules)
    except BadRules as error:
        raise BadRules(f"{step.name}: {error}") from error
