"""Methods on web entity creation rules, and what they would make of addresses."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.ownership import shown_application
from hyphe_core.api.parameters import ListOf, Parameter, Text
from hyphe_core.api.schemas import (
    MESSAGE,
    NULL,
    RULE,
    RULE_APPLICATION,
    TEXT,
    constant,
    either,
    keyed,
    list_of,
)
from hyphe_core.api.wire import DEFAULT_RULE_PREFIX, shown_rule
from memory_structure.creation_rules import CreationRule, Decision, Flag, Preset
from memory_structure.lru import entity_prefix, is_under

methods = MethodGroup("store")

_PREFIX = Parameter("lru_prefix", Text(), doc=f"an LRU prefix; {DEFAULT_RULE_PREFIX} for the default rule")


def _prefix(call: Call, lru: str) -> str:
    """The canonical prefix a client means; "" for the default rule."""
    return "" if lru == DEFAULT_RULE_PREFIX else entity_prefix(call.lru_of_client(lru))


@methods.method(CORPUS, result=RULE, returns="the rule")
def get_default_webentity_creationrule(call: Call) -> JsonObject:
    """Give the rule that cuts pages where nobody owns them and no other rule counts."""
    return shown_rule(call.structure.rules().default)


@methods.method(
    Parameter("lru_prefix", Text(), None, "an LRU prefix; none gives all rules"),
    CORPUS,
    result=either(list_of(RULE), RULE, NULL),
    returns="a list of rules, the default first; for a prefix its rule, or null",
)
def get_webentity_creationrules(call: Call, lru: str | None) -> list[JsonObject] | JsonObject | None:
    """List the creation rules, or give the one at a prefix."""
    rules = call.structure.rules()
    if not lru:
        return [shown_rule(rule) for rule in rules.rules]
    rule = rules.find_rule(_prefix(call, lru))
    return None if rule is None else shown_rule(rule)


@methods.method(
    _PREFIX,
    Parameter("regexp", Text(max_chars=100), doc="domain, subdomain, subdomain-N, path-N, page or prefix+N"),
    CORPUS,
    result=MESSAGE,
    returns="a confirmation",
    role=Role.CURATOR,
)
def add_webentity_creationrule(call: Call, lru: str, preset: str) -> str:
    """Add or replace the rule at a prefix and its http, https and www forms, for pages found from now on.

    A rule cuts by what stands in an address. Where a platform names the account there, as in x.com/account,
    it gives each account its entity; posts, videos and photos whose addresses do not name it cannot be told
    apart. `preview_creationrules` and `apply_creationrules` are for pages known already.
    """
    rule = CreationRule(_prefix(call, lru), Preset.parse(preset))
    call.structure.add_rule(rule)
    return f"Creation rule {rule.preset} added at {rule.prefix or DEFAULT_RULE_PREFIX}"


@methods.method(_PREFIX, CORPUS, result=MESSAGE, returns="a confirmation", role=Role.CURATOR)
def delete_webentity_creationrule(call: Call, lru: str) -> str:
    """Remove the rule at a prefix and its variations. The default rule can only be replaced."""
    prefix = _prefix(call, lru)
    if not prefix:
        raise Refusal("the default creation rule cannot be removed, only replaced")
    if call.structure.rules().find_rule(prefix) is None:
        raise Refusal(f"there is no creation rule at {prefix}")
    call.structure.delete_rule(prefix)
    return f"Creation rule at {prefix} removed"


_AT = Parameter("lru_prefix", Text(), None, "an LRU prefix: only pages below it; none for all pages")


@methods.method(
    _AT,
    CORPUS,
    result=RULE_APPLICATION,
    returns="prefixes and ids of the new entities, pages moved",
    role=Role.CURATOR,
)
def apply_creationrules(call: Call, lru: str | None) -> JsonObject:
    """Decide again by today's rules for every known page, creating the web entities they ask for."""
    return shown_application(call.structure.apply_rules(_prefix(call, lru) if lru else ""))


@methods.method(_AT, CORPUS, result=RULE_APPLICATION, returns="prefixes of the new entities, pages moved")
def preview_creationrules(call: Call, lru: str | None) -> JsonObject:
    """Tell what deciding again by today's rules would create; nothing is changed."""
    return shown_application(call.structure.apply_rules(_prefix(call, lru) if lru else "", dry_run=True))


@methods.method(
    Parameter("pageURLs", ListOf(Text(), or_one=True), doc="URLs of pages"),
    CORPUS,
    result=keyed(either(TEXT, constant(False))),
    returns="an object: each text as sent -> LRU prefix of its entity, false when it is no address",
)
def simulate_creationrules_for_urls(call: Call, urls: list[str]) -> dict[str, str | bool]:
    """Tell to which prefix each page would belong if it were found now: owned already, or created by a
    rule."""
    return _simulate(call, {url: _lru_or_none(call, url, is_url=True) for url in urls})


@methods.method(
    Parameter("pageLRUs", ListOf(Text(), or_one=True), doc="LRUs of pages"),
    CORPUS,
    result=keyed(either(TEXT, constant(False))),
    returns="an object: each text as sent -> LRU prefix of its entity, false when it is no LRU",
)
def simulate_creationrules_for_lrus(call: Call, lrus: list[str]) -> dict[str, str | bool]:
    """Tell to which prefix each page would belong if it were found now: owned already, or created by a
    rule."""
    return _simulate(call, {lru: _lru_or_none(call, lru, is_url=False) for lru in lrus})


def _lru_or_none(call: Call, text: str, *, is_url: bool) -> str | None:
    try:
        return call.lru_of_url(text) if is_url else call.lru_of_client(text)
    except Refusal:
        return None


def _simulate(call: Call, lrus: dict[str, str | None]) -> dict[str, str | bool]:
    """Ask for all at once; each decision is taken as if the others were not there."""
    asked = list(dict.fromkeys(lru for lru in lrus.values() if lru is not None))
    decisions = dict(zip(asked, call.structure.store_and_retrieve_flags(asked), strict=True))
    answers: dict[str, str | bool] = {}
    for text, lru in lrus.items():
        answers[text] = False if lru is None else _prefix_of(call, lru, decisions[lru]) or False
    return answers


def _prefix_of(call: Call, lru: str, decision: Decision) -> str | None:
    """The prefix an address belongs to; a precision exception tells another prefix than the owner's."""
    if decision.flag is not Flag.PRECISION_EXCEPTION:
        return decision.prefix
    owner = call.structure.find_owner(lru)
    owned = [prefix for prefix in owner.prefixes if is_under(lru, prefix)] if owner is not None else []
    return max(owned, key=len, default=None)
