"""What commands choose for a corpus: its options when it is made, its rules."""

from __future__ import annotations

from collections.abc import Sequence

from hyphe_core.config import Config
from hyphe_core.errors import UsageFault
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.lru import entity_prefix
from memory_structure.records import CorpusOptions
from memory_structure.url_cutter import UrlCutter
from memory_structure.urls import BadUrl, UrlPolicy, clean_user_url


def new_corpus_options(config: Config) -> CorpusOptions:
    """The options of a corpus made under a configuration. Raises InvalidValue for an unknown creation
    rule."""
    return CorpusOptions(
        default_rule=str(Preset.parse(config.creation_rule)),
        precision_limit=config.precision_limit,
        allow_private_networks=config.allow_private_networks,
        keep_bodies=config.keep_bodies,
        keep_text=config.keep_text,
        obey_robots=config.obey_robots,
        delay_seconds=config.delay_seconds,
        max_depth=config.max_depth,
        proxy=config.proxy,
    )


def policy_of(options: CorpusOptions) -> UrlPolicy:
    """How a corpus cuts addresses."""
    return UrlPolicy(
        drop_tracking=options.drop_tracking,
        private_suffixes=options.private_suffixes,
        allow_single_label_hosts=options.allow_private_networks,
    )


def parse_rules(given: Sequence[str], policy: UrlPolicy) -> list[CreationRule]:
    """The rules written as URL_PREFIX=PRESET. Raises UsageFault with all faults at once."""
    rules: list[CreationRule] = []
    faults: list[str] = []
    cutter = UrlCutter(policy)
    for text in given:
        address, equals, preset = text.rpartition("=")
        try:
            if not equals:
                raise UsageFault("it is not written as URL_PREFIX=PRESET")
            prefix = entity_prefix(cutter.lru(clean_user_url(address, policy)))
            rules.append(CreationRule(prefix, Preset.parse(preset)))
        except BadUrl as error:
            faults.append(f"{text!r}: {error.reason}")
        except ValueError as error:
            faults.append(f"{text!r}: {error}")
    if faults:
        raise UsageFault("--rule " + "; ".join(faults))
    return rules
