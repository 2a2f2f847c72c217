"""Creation rules, precision exceptions, and indexing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_structure.corpus_records import RuleApplication
from memory_structure.creation_rules import CreationRule, Decision, Preset, RuleSet
from memory_structure.errors import InvalidValue, NotFound
from memory_structure.lru import range_end
from memory_structure.precision import PrecisionLimit
from memory_structure.prefixes import PrefixMap
from memory_structure.records import (
    Batch,
    PageRecord,
    WriteReport,
)
from memory_structure.storage import Reader, Span
from memory_structure.stored.entities import (
    add_exceptions,
    checked_prefixes,
    create_by_rules,
    entity_row,
    read_prefixes,
)
from memory_structure.stored.entity_store import EntityStore
from memory_structure.stored.indexing import declare, flags_of, write_batch
from memory_structure.stored.options import write_options
from memory_structure.stored.page_reads import get_page_row
from memory_structure.stored.relabel import outermost, renode
from memory_structure.stored.rule_rows import store_rule
from memory_structure.stored.schema import EXCEPTIONS, PAGES, RULES
from memory_structure.stored.session import Session


class _DryRun(Exception):
    """Ends a transaction whose outcome was only to be seen."""

    def __init__(self, outcome: RuleApplication) -> None:
        super().__init__("dry run")
        self.outcome = outcome


class RuleStore(EntityStore):
    """Rules, precision, indexing."""

    # -- indexing

    def store_and_retrieve_flags(self, lrus: Sequence[str]) -> list[Decision]:
        """One decision for each LRU, in order, by today's prefixes and rules."""

        def read(reader: Reader) -> list[Decision]:
            with self._territory(reader) as territory:
                return flags_of(territory, lrus)

        return self._at_one_moment(read)

    def write_batch(self, batch: Batch) -> WriteReport:
        """Index fetched pages and their links in one transaction."""
        with self._writing() as session:
            return write_batch(session, batch)

    def declare_pages(
        self, lrus: Sequence[str], raw_urls: Sequence[str | None] | None = None
    ) -> list[tuple[PageRecord, bool]]:
        """Make sure those pages are known."""
        raws: Sequence[str | None] = [None] * len(lrus) if raw_urls is None else raw_urls
        if len(raws) != len(lrus):
            raise InvalidValue(f"there are {len(raws)} raw URLs for {len(lrus)} pages")
        with self._writing() as session:
            created = declare(session, lrus, raws)

        def read(reader: Reader) -> list[PageRecord]:
            return self._records(reader, [get_page_row(reader, lru) for lru in lrus])

        records = self._at_one_moment(read)
        return [(record, record.web_entity_id in created) for record in records]

    # -- rules

    def rules(self) -> RuleSet:
        """Default and anchored rules."""

        def read(reader: Reader) -> RuleSet:
            with self._territory(reader) as territory:
                return territory.rules

        return self._at_one_moment(read)

    def add_rule(self, rule: CreationRule) -> None:
        """Add or replace the rule anchored at a prefix and its variations."""
        if rule.prefix:
            checked_prefixes([rule.prefix])
        with self._writing() as session:
            _store_rules(session, session.territory.rules.with_rule(rule, session.territory.policy))

    def delete_rule(self, prefix: str) -> None:
        """Remove the rule anchored at a prefix and its variations."""
        with self._writing() as session:
            rules = session.territory.rules
            if not prefix or rules.find_rule(prefix) is None:
                raise NotFound(f"no creation rule is anchored at {prefix!r}")
            _store_rules(session, rules.without_rule(prefix, session.territory.policy))

    def apply_rules(self, prefix: str = "", *, dry_run: bool = False) -> RuleApplication:
        """Decide again for every known page under a prefix and its variations."""
        try:
            with self._writing() as session:
                outcome = _apply(session, prefix)
                if dry_run:
                    raise _DryRun(outcome)
                return outcome
        except _DryRun as seen:
            return replace(seen.outcome, dry_run=True, created_web_entity_ids=())

    def prefix_map(self) -> PrefixMap[int]:
        """Owned prefixes -> web entity id; a copy."""

        def read(reader: Reader) -> PrefixMap[int]:
            with self._territory(reader) as territory:
                return territory.prefixes.copy()

        return self._at_one_moment(read)

    # -- precision

    def precision(self) -> PrecisionLimit:
        """The precision limit with its exceptions."""

        def read(reader: Reader) -> PrecisionLimit:
            with self._territory(reader) as territory:
                return territory.precision

        return self._at_one_moment(read)

    def add_precision_exceptions(self, prefixes: Sequence[str]) -> None:
        """Full precision restarts at those prefixes."""
        wanted = checked_prefixes(prefixes)
        with self._writing() as session:
            add_exceptions(session, wanted)

    def delete_precision_exceptions(self, prefixes: Sequence[str]) -> None:
        """Undo `add_precision_exceptions`."""
        with self._writing() as session:
            known = session.tx.get(EXCEPTIONS, prefixes)
            for prefix in prefixes:
                if prefix not in known:
                    raise NotFound(f"there is no precision exception {prefix}")
            session.note_prefix_change(reset=True)
            session.tx.delete(EXCEPTIONS, list(known))
            territory = session.memory.territory
            kept = [p for p in territory.precision.exceptions if p not in known]
            territory.precision = PrecisionLimit(territory.precision.limit, kept)
            renode(session, known)


def _store_rules(session: Session, rules: RuleSet) -> None:
    """Make the stored rules those; the default rule is an option too."""
    session.note_prefix_change(reset=True)
    wanted = {rule.prefix: rule for rule in rules.rules}
    stored = [row[0] for row in session.tx.scan(RULES, columns=("prefix",))]
    session.tx.delete(RULES, [prefix for prefix in stored if prefix not in wanted])
    for rule in wanted.values():
        store_rule(session.tx, rule)
    session.memory.territory.rules = rules
    default = str(rules.default.preset)
    if Preset.parse(session.options.default_rule) != rules.default.preset:
        write_options(session.tx, replace(session.options, default_rule=default))


def _apply(session: Session, prefix: str) -> RuleApplication:
    """Only pages under an anchored rule can get another decision: the default rule speaks where nobody owns
    the page."""
    wanted = session.territory.variations(prefix) if prefix else ("",)
    ranges = []
    for anchor in session.territory.rules.anchors:
        ranges += [max(anchor, w, key=len) for w in wanted if anchor.startswith(w) or w.startswith(anchor)]
    lrus: list[str] = []
    for start in outermost(ranges):
        span = Span("by_lru", lower=start, upper=range_end(start))
        lrus += [row[0] for row in session.tx.scan(PAGES, span, ("lru",))]
    lrus.sort(key=lambda lru: (len(lru), lru))
    before = session.n_pages_moved
    created = create_by_rules(session, lrus)
    firsts = [entity_row(session.tx, i) and read_prefixes(session.tx, [i])[i] for i in created]
    return RuleApplication(
        tuple(p for prefixes in firsts for p in prefixes), session.n_pages_moved - before, False, created
    )
