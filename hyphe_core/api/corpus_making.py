"""Corpora made of what an import found."""

from __future__ import annotations

from collections.abc import Mapping

from hyphe_core.api.failures import Refusal
from hyphe_core.api.option_limits import refuse_beyond_limits
from hyphe_core.api.options import changed_options
from hyphe_core.config import Config
from hyphe_core.crawl.corpus_options import new_corpus_options, refuse_beyond_quota
from hyphe_core.errors import UsageFault
from hyphe_core.maintenance.hyphe_import import import_plan
from hyphe_core.maintenance.hyphe_import_records import ImportLine, ImportOutcome, ImportPlan, ImportReport
from memory_structure.corpus_records import CorpusOptions
from memory_structure.registry import CorpusEntry, Registry


def corpus_of_plan(
    registry: Registry,
    config: Config,
    plan: ImportPlan,
    name: str | None,
    *,
    password_hash: str = "",
    join_twins: bool = True,
) -> tuple[CorpusEntry, ImportReport]:
    """Make a corpus with the options of the plan and import the rest into it; nothing is left of it when that
    breaks off. Raises UsageFault without a name."""
    wanted = name or plan.name
    if not wanted:
        raise UsageFault("the files do not say how the corpus is called: give a name")
    options, lines = _options(config, plan.options)
    refuse_beyond_quota(config, registry)
    entry = registry.create_corpus(wanted, options, password_hash)
    try:
        structure = registry.open_structure(entry.corpus_id)
        report = import_plan(structure, plan, join_twins=join_twins)
    except BaseException:
        registry.destroy_corpus(entry.corpus_id)
        raise
    found = (*lines, *report.lines)
    return entry, ImportReport(report.n_created, report.n_known, report.n_rules, found)


def _options(config: Config, given: Mapping[str, object]) -> tuple[CorpusOptions, list[ImportLine]]:
    """Options of a new corpus with those given that are accepted here, and what was not."""
    default = new_corpus_options(config)
    options, lines = default, []
    for name, value in given.items():
        try:
            changed = changed_options(options, {name: value})
            refuse_beyond_limits(config, default, changed)
            options = changed
        except Refusal as refusal:
            lines.append(ImportLine("options.json", ImportOutcome.REFUSED, str(refusal.message)))
    return options, lines
