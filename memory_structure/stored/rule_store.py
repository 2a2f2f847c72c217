"""Creation rules, precision exceptions, and indexing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memory_structure.acts import ActKind
from memory_structure.corpus_records import RuleApplication
from memory_structure.creation_rules import CreationRule, Decision, Preset, RuleSet
from memory_structure.errors import InvalidValue, NotFound
from memory_structure.precision import PrecisionLimit
from memory_structure.prefixes import PrefixMap
from memory_structure.records import (
    Batch,
    PageRecord,
    WriteReport,
)
from memory_structure.storage import Reader
from memory_structure.stored.entities import (
    add_exceptions,
    checked_prefixes,
    create_by_rules,
    drop_exceptions,
    entity_row,
    plural,
    read_prefixes,
)
from memory_structure.stored.entity_store import EntityStore
from memory_structure.stored.indexing import declare, flags_of, write_batch
from memory_structure.stored.options import write_options
from memory_structure.stored.ownership import clear_lost_homepages, owners_above
from memory_structure.stored.page_reads import get_page_row
from memory_structure.stored.rule_rows import store_rule
from memory_structure.stored.ruling import ruled_lrus, split_decisions
from memory_structure.stored.schema import EXCEPTIONS, RULES
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
        with self._curating(ActKind.DECLARE) as session:
            created = declare(session, lrus, raws)
            session.summary = f"{plural(len(created))} made for pages declared"

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
        with self._curating(ActKind.ADD_RULE) as session:
            _store_rules(session, session.territory.rules.with_rule(rule, session.territory.policy))
            session.summary = f"Creation rule {rule.preset} set {_place(rule.prefix)}"

    def delete_rule(self, prefix: str) -> None:
        """Remove the rule anchored at a prefix and its variations."""
        with self._curating(ActKind.DELETE_RULE) as session:
            rules = session.territory.rules
            if not prefix or rules.find_rule(prefix) is None:
                raise NotFound(f"no creation rule is anchored at {prefix!r}")
            _store_rules(session, rules.without_rule(prefix, session.territory.policy))
            session.summary = f"Creation rule removed {_place(prefix)}"

    def apply_rules(self, prefix: str = "", *, dry_run: bool = False) -> RuleApplication:
        """Decide again for every known page under a prefix and its variations."""

        def apply(session: Session) -> RuleApplication:
            created = create_by_rules(session, ruled_lrus(session, prefix))
            return _outcome(session, created)

        return self._apply(ActKind.APPLY_RULES, f"Creation rules applied {_place(prefix)}", apply, dry_run)

    def split_web_entity(
        self, web_entity_id: int, preset: Preset | str, *, dry_run: bool = False
    ) -> RuleApplication:
        """Cut an entity's known pages by a preset measured from its prefixes."""
        cut = Preset.parse(preset) if isinstance(preset, str) else preset

        def split(session: Session) -> RuleApplication:
            name = entity_row(session.tx, web_entity_id)[1]
            session.summary = f'Web entity "{name}" split by {cut}'
            lrus, decisions = split_decisions(session, web_entity_id, cut)
            created = create_by_rules(session, lrus, decisions)
            return _outcome(session, created)

        return self._apply(ActKind.SPLIT, "", split, dry_run)

    def _apply(
        self, kind: ActKind, summary: str, work: Callable[[Session], RuleApplication], dry_run: bool
    ) -> RuleApplication:
        """Do it, or only see what it would do."""
        try:
            with self._curating(kind) as session:
                session.summary = summary
                outcome = work(session)
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
        with self._curating(ActKind.ADD_EXCEPTION) as session:
            add_exceptions(session, wanted)
            session.summary = f"Precision exceptions added: {', '.join(wanted)}"

    def delete_precision_exceptions(self, prefixes: Sequence[str]) -> None:
        """Undo `add_precision_exceptions`."""
        with self._curating(ActKind.DELETE_EXCEPTION) as session:
            known = session.tx.get(EXCEPTIONS, prefixes)
            for prefix in prefixes:
                if prefix not in known:
                    raise NotFound(f"there is no precision exception {prefix}")
            drop_exceptions(session, list(known))
            session.summary = f"Precision exceptions removed: {', '.join(sorted(known))}"


def _place(prefix: str) -> str:
    return f"at {prefix}" if prefix else "everywhere"


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


def _outcome(session: Session, created: tuple[int, ...]) -> RuleApplication:
    """What rules made in this transaction; those above lose homepages that are not theirs any more."""
    prefixes = read_prefixes(session.tx, created)
    made = tuple(prefix for entity_id in created for prefix in prefixes[entity_id])
    clear_lost_homepages(session, owners_above(session.territory, made))
    return RuleApplication(made, session.n_pages_moved, False, created)
