"""`hyphe rules`: the creation rules of a corpus, and what they would do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from hyphe_core.cli.corpus_choices import parse_rules
from hyphe_core.cli.exit_codes import ExitCode
from hyphe_core.cli.session import opened_registry, session_of
from hyphe_core.cli.terminal import Listing, complain, print_json, print_listing
from hyphe_core.cli.url_lines import GoodUrl, read_given, sort_lines
from memory_structure.creation_rules import CreationRule, Decision, Preset
from memory_structure.lru import lru_to_url
from memory_structure.structure import MemoryStructure

app = typer.Typer(help="Creation rules: show and simulate.", no_args_is_help=True, rich_markup_mode=None)

Corpus = Annotated[str, typer.Argument(metavar="CORPUS", help="Name or id.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("show")
def show(context: typer.Context, corpus: Corpus, json: Json = False) -> None:
    """The creation rules of a corpus, the default one first."""
    with opened_registry(session_of(context).config()) as registry:
        rules = registry.open_structure(registry.get_corpus(corpus).corpus_id).rules().rules
    if json:
        print_json([_rule_document(rule) for rule in rules])
        return
    rows = [(_anchor(rule), str(rule.preset), rule.prefix) for rule in rules]
    print_listing(Listing(("anchored at", "rule", "prefix"), rows))


def _anchor(rule: CreationRule) -> str:
    return "(default)" if rule.is_default else lru_to_url(rule.prefix)


def _rule_document(rule: CreationRule) -> dict[str, object]:
    return {
        "default": rule.is_default,
        "prefix": rule.prefix,
        "url": None if rule.is_default else lru_to_url(rule.prefix),
        "preset": str(rule.preset),
        "regexp": rule.preset.regexp(rule.prefix),
    }


@app.command("simulate")
def simulate(
    context: typer.Context,
    corpus: Corpus,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", show_default=False)] = None,
    from_file: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", help="Read URLs from a file, one a line; - is standard input."),
    ] = None,
    creation_rule: Annotated[
        str | None, typer.Option(metavar="PRESET", help="As if this were the default rule.")
    ] = None,
    rule: Annotated[
        list[str] | None, typer.Option(metavar="URL_PREFIX=PRESET", help="As if this rule were there too.")
    ] = None,
    json: Json = False,
) -> None:
    """To which web entity each URL belongs, or which one the rules would create for it. Changes nothing."""
    with opened_registry(session_of(context).config()) as registry:
        structure = registry.open_structure(registry.get_corpus(corpus).corpus_id)
        given = sort_lines(read_given(urls or [], from_file), structure.options().url_policy)
        for bad in given.bad:
            complain(bad.sentence())
        decide = _decider(structure, creation_rule, rule or [])
        decided = [(good, decide(good.lru)) for good in given.good]
    if json:
        print_json([_decision_document(good, decision) for good, decision in decided])
    else:
        print_listing(Listing(("url", "outcome", "prefix", "rule"), [_row(*each) for each in decided]))
    if not given.good:
        raise typer.Exit(ExitCode.USAGE if given.bad else ExitCode.NOTHING_TO_DO)


def _decider(structure: MemoryStructure, default: str | None, extra: list[str]) -> Callable[[str], Decision]:
    """The decision for an LRU by the corpus' rules with those supposed."""
    policy = structure.options().url_policy
    rules = structure.rules()
    if default is not None:
        rules = rules.with_rule(CreationRule("", Preset.parse(default)), policy)
    for supposed in parse_rules(extra, policy):
        rules = rules.with_rule(supposed, policy)
    owned = structure.prefix_map()

    def decide(lru: str) -> Decision:
        owner = owned.find_owner(lru)
        return rules.decide(lru, owner[0] if owner else None)

    return decide


def _row(good: GoodUrl, decision: Decision) -> tuple[str, ...]:
    prefix = lru_to_url(decision.prefix) if decision.prefix else ""
    return (good.url, _outcome(decision), prefix, _rule_words(decision))


def _outcome(decision: Decision) -> str:
    if decision.creates:
        return "new web entity"
    return "known web entity" if decision.prefix else "no web entity"


def _rule_words(decision: Decision) -> str:
    if decision.rule is None:
        return ""
    return f"{decision.rule.preset} {_anchor(decision.rule)}"


def _decision_document(good: GoodUrl, decision: Decision) -> dict[str, object]:
    return {
        "url": good.url,
        "lru": good.lru,
        "creates": decision.creates,
        "prefix": decision.prefix,
        "prefix_url": lru_to_url(decision.prefix) if decision.prefix else None,
        "rule": _rule_document(decision.rule) if decision.rule else None,
    }
