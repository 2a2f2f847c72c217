"""Options and rules of a new corpus: the same whether the service, a command or `scrapy crawl` makes it."""

from __future__ import annotations

from hyphe_core.config import Config
from hyphe_core.errors import UsageFault
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import HYPHE_DEFAULT_RULES, CreationRule, Preset
from memory_structure.registry import Registry
from memory_structure.suffixes import suffix_list_version


def new_corpus_options(config: Config) -> CorpusOptions:
    """The options of a corpus made under a configuration, by which suffix list its hosts are cut among them.
    Raises InvalidValue for an unknown creation rule."""
    return CorpusOptions(
        default_rule=str(Preset.parse(config.creation_rule)),
        precision_limit=config.precision_limit,
        suffix_list=suffix_list_version(),
        allow_private_networks=config.allow_private_networks,
        keep_bodies=config.keep_bodies,
        keep_text=config.keep_text,
        obey_robots=config.obey_robots,
        delay_seconds=config.delay_seconds,
        max_depth=config.max_depth,
        proxy=config.proxy,
    )


def new_corpus_rules(config: Config) -> tuple[CreationRule, ...]:
    """The rules of a corpus made under a configuration, beside its default rule."""
    return HYPHE_DEFAULT_RULES if config.platform_rules else ()


def refuse_beyond_quota(config: Config, registry: Registry) -> None:
    """Raise UsageFault when the operator allows no further corpus."""
    if config.max_corpora is None:
        return
    n_corpora = len(registry.list_corpora())
    if n_corpora >= config.max_corpora:
        raise UsageFault(
            f"no further corpus is allowed: there are {n_corpora}, and the setting max_corpora is "
            f"{config.max_corpora}; destroy one first"
        )
