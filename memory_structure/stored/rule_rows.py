"""Creation rules as rows."""

from __future__ import annotations

from memory_structure.creation_rules import CreationRule
from memory_structure.storage import Transaction
from memory_structure.stored.schema import RULES


def store_rule(transaction: Transaction, rule: CreationRule) -> None:
    """Add a rule or replace that of its prefix."""
    transaction.put(RULES, [(rule.prefix, str(rule.preset))])
