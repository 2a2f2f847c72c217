"""What commands choose for a corpus: its rules."""

from __future__ import annotations

from collections.abc import Sequence

from hyphe_core.errors import UsageFault
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.lru import entity_prefix
from memory_structure.url_cutter import UrlCutter
from memory_structure.urls import BadUrl, UrlPolicy, clean_user_url


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
