"""What the operator of the service does not let corpora have."""

from __future__ import annotations

from hyphe_core.api.failures import Refusal
from hyphe_core.api.options import refuse_private_proxy
from hyphe_core.config import Config
from memory_structure.corpus_records import CorpusOptions


def refuse_beyond_limits(config: Config, present: CorpusOptions, changed: CorpusOptions) -> None:
    """Refuse what the operator does not allow; a corpus that has it already (from another configuration) may
    keep it."""
    if changed.max_depth > max(config.max_depth, present.max_depth):
        raise Refusal(f"option max_depth must be at most {config.max_depth}, the limit of this service")
    allowed = config.allow_private_networks or present.allow_private_networks
    if changed.allow_private_networks and not allowed:
        raise Refusal("option allow_private_networks is not permitted by the configuration of this service")
    if changed.proxy != present.proxy and not changed.allow_private_networks:
        refuse_private_proxy(changed.proxy, config)
