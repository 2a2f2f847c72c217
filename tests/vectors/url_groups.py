"""Adapters of the groups about URLs: normalisers, filters, references."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hyphe_core.parsers.url_rules.addresses import MalformedUrl, resolve
from hyphe_core.parsers.url_rules.basic_normalizer import BasicNormalizer, HostForm
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
from hyphe_core.parsers.url_rules.regex_normalizer import shipped_regex_normalizer
from hyphe_core.parsers.url_rules.steps import BadRules, Filter, Normalizer, Scope, list_rule_lines
from hyphe_core.parsers.url_rules.validator_filter import ValidatorFilter
from tests.vectors.cases import Adapter, Case

MALFORMED = {"error": "malformed"}


def _fields(case: Case, key: str = "url") -> dict[str, Any]:
    """The input as a table; a plain text is the URL."""
    return case.given if isinstance(case.given, dict) else {key: case.given}


def _normalized(normalizer: Normalizer, url: str, scope: str = "default") -> Any:
    try:
        return normalizer.normalize(url, Scope(scope))
    except MalformedUrl:
        return MALFORMED


def basic(case: Case) -> Any:
    given = _fields(case)
    normalizer = BasicNormalizer(
        host_form=HostForm(given.get("host_idn") or "asFound"),
        idna2008=given.get("idna2008", False),
        trim_trailing_dot=given.get("trim_trailing_dot", False),
    )
    return _normalized(normalizer, given["url"])


def regex_normalized(case: Case) -> Any:
    return _normalized(shipped_regex_normalizer(), _fields(case)["url"])


def _text(rules: Any) -> str:
    return "\n".join(rules) if isinstance(rules, list) else rules


def _table(rules: Any) -> dict[str, str]:
    return rules if isinstance(rules, dict) else read_host_table(_text(rules))


class Untouched(Normalizer):
    """The normaliser that does nothing."""

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        return url


def other_normalizer(case: Case) -> Any:
    given = _fields(case)
    table = _table(given.get("rules", {}))
    make: Mapping[str, Callable[[], Normalizer]] = {
        "host": lambda: HostNormalizer(table),
        "protocol": lambda: ProtocolNormalizer(table),
        "slash": lambda: SlashNormalizer(table),
        "querystring": QueryNormalizer,
        "ajax": AjaxNormalizer,
        "pass": Untouched,
        "basic": BasicNormalizer,
        "regex": shipped_regex_normalizer,
    }
    return _normalized(make[given["kind"]](), given["url"], given.get("scope", "default"))


def default_regex_filter(case: Case) -> Any:
    return shipped_regex_filter().accepts(_fields(case)["url"])


def scoped_regex_filter(case: Case) -> Any:
    try:
        return RegexFilter(read_regex_rules(_text(case.given.get("rules", "")))).accepts(case.given["url"])
    except BadRules:
        return {"error": "rules"}


def validator(case: Case) -> Any:
    return ValidatorFilter().accepts(_fields(case)["url"])


def other_filter(case: Case) -> Any:
    kind, text = case.given["kind"], _text(case.given.get("rules", ""))
    lines = list_rule_lines(text)
    try:
        chosen: Filter = {
            "suffix": lambda: read_suffix_rules(text),
            "prefix": lambda: PrefixFilter(lines),
            "domain": lambda: DomainFilter(lines),
            "fast": lambda: read_fast_rules(text),
            "validator": ValidatorFilter,
            "regex": lambda: RegexFilter(read_regex_rules(text)),
        }.get(kind, lambda: DomainFilter(lines, denies=True))()
    except BadRules:
        return {"error": "rules"}
    return chosen.accepts(case.given["url"])


def resolved(case: Case) -> Any:
    try:
        return resolve(case.given["base"], case.given["href"])
    except MalformedUrl:
        return MALFORMED


ADAPTERS: Mapping[str, Adapter] = {
    "url_normalize_basic": basic,
    "url_normalize_host": basic,
    "url_normalize_regex": regex_normalized,
    "url_normalize_other": other_normalizer,
    "url_filter_regex_default": default_regex_filter,
    "url_filter_regex_scoped": scoped_regex_filter,
    "url_filter_validator": validator,
    "url_filter_other": other_filter,
    "url_resolve": resolved,
}
