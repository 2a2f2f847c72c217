"""Which known pages rules may give away, and how a preset cuts the pages of one entity."""

from __future__ import annotations

from memory_structure.creation_rules import CreationRule, Decision, Flag, Preset
from memory_structure.lru import range_end
from memory_structure.storage import Span
from memory_structure.stored.entities import entity_prefixes
from memory_structure.stored.relabel import outermost
from memory_structure.stored.schema import PAGES
from memory_structure.stored.session import Session


def ruled_lrus(session: Session, prefix: str) -> list[str]:
    """Known pages under a prefix and its variations that may get another decision, shortest first: those
    under an anchored rule. The default rule speaks where nobody owns the page."""
    wanted = session.territory.variations(prefix) if prefix else ("",)
    ranges = []
    for anchor in session.territory.rules.anchors:
        ranges += [max(anchor, w, key=len) for w in wanted if anchor.startswith(w) or w.startswith(anchor)]
    lrus: list[str] = []
    for start in outermost(ranges):
        lrus += _known_lrus(session, start, range_end(start))
    return sorted(lrus, key=lambda lru: (len(lru), lru))


def split_decisions(session: Session, entity_id: int, preset: Preset) -> tuple[list[str], list[Decision]]:
    """(pages of an entity, one decision each): an entity of their own where the preset, measured from the
    prefix that owns the page, gives more than that prefix."""
    territory = session.territory
    lrus: list[str] = []
    for prefix in outermost(entity_prefixes(session.tx, entity_id)):
        for lower, upper, owner in territory.intervals(prefix):
            if owner == entity_id:
                lrus += _known_lrus(session, lower, upper)
    decisions = []
    for lru in lrus:
        owned = territory.prefixes.find_owner(lru)
        assert owned is not None
        decisions.append(_cut(lru, CreationRule(owned[0], preset)))
    return lrus, decisions


def _cut(lru: str, rule: CreationRule) -> Decision:
    candidate = rule.preset.apply(lru, rule.prefix)
    if candidate is None or len(candidate) <= len(rule.prefix):
        return Decision(Flag.WEB_ENTITY, rule.prefix, None)
    return Decision(Flag.CREATION_RULE, candidate, rule)


def _known_lrus(session: Session, lower: str, upper: str) -> list[str]:
    return [row[0] for row in session.tx.scan(PAGES, Span("by_lru", lower=lower, upper=upper), ("lru",))]
