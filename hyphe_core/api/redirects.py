"""Methods on redirectors: the list of rules, its changes for all corpora or for one, and where an address
leads."""

from __future__ import annotations

from dataclasses import replace

from hyphe_core.api.call import Call
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Needs, Role
from hyphe_core.api.option_values import redirect_changes
from hyphe_core.api.parameters import ListOf, Parameter, Text
from hyphe_core.api.schemas import FLAG, INTEGER, TEXT, TEXTS, list_of, or_null, record
from hyphe_core.crawl.corpora import rules_of_corpus
from hyphe_core.crawl.redirect_rules import built_in_redirectors, parse_redirector
from hyphe_core.errors import UsageFault, nearest_name
from hyphe_core.maintenance import open_context, run_maintenance
from memory_structure.lru import lru_to_url
from memory_structure.urls import BadUrl

methods = MethodGroup("redirects")

_RULES = Parameter(
    "rules",
    ListOf(Text(max_chars=300), or_one=True),
    doc="rules: host/path?parameter, host/path/> or the host of a shortener",
)
_RULE = record({"rule": TEXT, "kind": TEXT, "origin": TEXT, "active": FLAG})


@methods.method(
    CORPUS,
    result=list_of(_RULE),
    returns="a list of rules: rule, kind (parameter, path, shortener), origin, active",
    needs=Needs.ANY,
    name="list",
)
def list_rules(call: Call) -> list[JsonObject]:
    """List the redirectors: those of the program, then the changes for all corpora, then those of the
    corpus. What was taken away is shown as not active."""
    rules: dict[str, JsonObject] = {}
    for each in built_in_redirectors():
        rules[each.text] = _shown(each.text, "program", True)
    for origin, changes in _changes(call):
        for change in changes:
            known = rules.get(change[1:])
            is_own = known is not None and change[0] == "-"
            where = str(known["origin"]) if known is not None and is_own else origin
            rules[change[1:]] = _shown(change[1:], where, change[0] == "+")
    return list(rules.values())


def _changes(call: Call) -> list[tuple[str, tuple[str, ...]]]:
    return [("instance", call.registry.redirect_changes()), ("corpus", call.options.redirects)]


def _shown(rule: str, origin: str, active: bool) -> JsonObject:
    return {"rule": rule, "kind": parse_redirector(rule).kind.value, "origin": origin, "active": active}


@methods.method(
    _RULES,
    CORPUS,
    result=TEXTS,
    returns="a list of the changes that hold now, +rule or -rule",
    needs=Needs.ANY_OR_SERVICE,
    role=Role.CURATOR,
)
def add(call: Call, rules: list[str]) -> list[str]:
    """Add redirectors, or bring back those taken away: for one corpus; with null for the corpus, for all of
    them."""
    return _change(call, "+", rules)


@methods.method(
    _RULES,
    CORPUS,
    result=TEXTS,
    returns="a list of the changes that hold now, +rule or -rule",
    needs=Needs.ANY_OR_SERVICE,
    role=Role.CURATOR,
)
def remove(call: Call, rules: list[str]) -> list[str]:
    """Take redirectors away: for one corpus; with null for the corpus, for all of them."""
    return _change(call, "-", rules)


def _change(call: Call, sign: str, rules: list[str]) -> list[str]:
    """A change that undoes another one leaves nothing behind."""
    try:
        wanted = [parse_redirector(rule).text for rule in rules]
    except UsageFault as fault:
        raise Refusal(str(fault)) from None
    without = {each.text: "+" for each in built_in_redirectors()}
    everywhere = {change[1:]: change[0] for change in call.registry.redirect_changes()}
    kept = {} if call.entry is None else {change[1:]: change[0] for change in call.options.redirects}
    if call.entry is None:
        call.service.require(Role.ADMIN, call.caller, None)
    if sign == "-":
        _refuse_unknown(wanted, {*without, *everywhere, *kept})
    if call.entry is None:
        call.registry.change_redirects(
            [("=" if without.get(rule, "-") == sign else sign) + rule for rule in wanted]
        )
        return list(call.registry.redirect_changes())
    without |= everywhere
    for rule in wanted:
        kept.pop(rule, None)
        if without.get(rule, "-") != sign:
            kept[rule] = sign
    changed = redirect_changes([found + rule for rule, found in kept.items()])
    call.structure.set_options(replace(call.options, redirects=changed))
    return list(changed)


def _refuse_unknown(wanted: list[str], known: set[str]) -> None:
    for rule in wanted:
        if rule not in known:
            near = nearest_name(rule, known, "redirects.list names all")
            raise Refusal(f"there is no redirector {rule!r}{near}")


@methods.method(
    Parameter("urls", ListOf(Text(max_chars=5000), or_one=True), doc="URLs"),
    CORPUS,
    result=list_of(
        record(
            {"url": TEXT, "target": or_null(TEXT), "how": or_null(TEXT), "shortener": FLAG, "trail": TEXTS}
        )
    ),
    returns="a list: url, target (null when not known), how (decoded, asked), shortener, trail",
)
def resolve(call: Call, urls: list[str]) -> list[JsonObject]:
    """Tell where addresses lead, as far as the rules and what was asked before say it. Nothing is fetched:
    the maintenance job resolve-redirects asks shorteners."""
    rules = rules_of_corpus(call.registry, call.options)
    answers: list[JsonObject] = []
    for url in urls:
        decoded = rules.decode(url)
        key = _key(call, decoded or url)
        asked = call.registry.find_resolutions([key]).get(key)
        target = asked.target_url if asked is not None and asked.target_url else decoded
        how = "asked" if asked is not None else "decoded" if decoded else None
        trail = [*([url] if decoded else []), *(asked.trail if asked is not None else [])]
        shortener = rules.is_shortener(decoded or url)
        answers.append({"url": url, "target": target, "how": how, "shortener": shortener, "trail": trail})
    return answers


def _key(call: Call, url: str) -> str:
    try:
        return lru_to_url(call.lru_of_url(url))
    except (BadUrl, Refusal):
        return url


@methods.method(
    CORPUS,
    result=record({"summary": TEXT, "notes": TEXTS, "links_added": INTEGER}),
    returns="an object: summary, notes, links_added",
    role=Role.CURATOR,
)
def refresh(call: Call) -> JsonObject:
    """Run the maintenance job resolve-redirects: put a crawl job into the queue that asks shorteners where
    they lead, and link pages to the targets that are known. Call it again when that job has ended."""
    report = run_maintenance("resolve-redirects", open_context(call.registry, call.corpus.corpus_id))
    return {"summary": report.summary, "notes": list(report.notes), "links_added": report.n_changes}
