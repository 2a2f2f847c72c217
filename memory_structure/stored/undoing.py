"""Setting back what an act changed, and what follows from it."""

from __future__ import annotations

from typing import Any

from memory_structure.errors import InvalidValue, UndoConflict
from memory_structure.records import WebEntityStatus
from memory_structure.storage import Row, Table
from memory_structure.stored.act_codec import subject_of
from memory_structure.stored.act_rows import act_row
from memory_structure.stored.entities import (
    change_row,
    count_status,
    create_by_rules,
    is_unjudged,
    remove_entity_row,
)
from memory_structure.stored.later_acts import LaterActs, later_acts_on
from memory_structure.stored.moments import now_micros
from memory_structure.stored.options import FIXED_OPTIONS, read_options
from memory_structure.stored.ownership import hand_over_jobs, is_bare
from memory_structure.stored.recorder import CURATED, RowChange, curated
from memory_structure.stored.relabel import recut, renode, unowned_lrus
from memory_structure.stored.schema import (
    ACTS,
    ENTITIES,
    EXCEPTIONS,
    JOBS,
    OPTIONS,
    PREFIXES,
    RULES,
)
from memory_structure.stored.session import Session


def undo_act(session: Session, later: LaterActs) -> None:
    """Set back what an act changed. Raises UndoConflict, InvalidValue (options fixed since), LaterUnread."""
    act_id = later.act_id
    undone_by = act_row(session.tx, act_id)[8]
    if undone_by is not None:
        raise UndoConflict(act_id, (undone_by,), f"act {undone_by} undid it already")
    undoing = _Undoing(session, later)
    undoing.refuse_changed()
    undoing.restore_rules()
    undoing.restore_entities()
    undoing.restore_prefixes()
    undoing.restore_jobs()
    undoing.remove_made()
    undoing.remove_bared()


def mark_undone(session: Session, act_id: int, by: int) -> None:
    """Say which act undid which, down a chain of undoing and doing again."""
    undone_by: int | None = by
    current: int | None = act_id
    while current is not None:
        session.tx.update(ACTS, ("undone_by",), [(current, (undone_by,))])
        undone_by = current if undone_by is None else None
        current = act_row(session.tx, current)[7]


class _Undoing:
    """The steps of one undoing, in their order."""

    def __init__(self, session: Session, later: LaterActs) -> None:
        self.session = session
        self.tx = session.tx
        self.act_id = later.act_id
        self.later = later
        self.changes = later.changes
        self.taken_from: set[int] = set()  # present owners of prefixes that go back

    def of(self, *tables: Table) -> list[RowChange]:
        """The act's changes of those tables."""
        return [change for change in self.changes if change.table in tables]

    # -- refusing

    def refuse_changed(self) -> None:
        """Raise UndoConflict when something is not as the act left it."""
        differing: list[RowChange] = []
        for table in CURATED:
            mine = self.of(table)
            rows = self.tx.get(table, [change.key for change in mine])
            differing += [c for c in mine if not self._is_as_left(c, curated(table, rows.get(c.key)))]
        if differing:
            fields = {(c.table, c.key, column) for c in differing for column in (*c.columns, "")}
            subjects = ", ".join(dict.fromkeys(subject_of(change) for change in differing[:3]))
            raise UndoConflict(
                self.act_id, self.later.that_changed(self.tx, fields), f"{subjects} changed since"
            )

    def _is_as_left(self, change: RowChange, now: tuple[Any, ...] | None) -> bool:
        if change.before is not None and change.after is not None:
            places = [CURATED[change.table].index(column) for column in change.columns]
            return now is not None and all(now[i] == change.after[i] for i in places)
        if now == change.after:
            return True
        if change.after is None and change.table is EXCEPTIONS:
            return True  # a crawl made it again
        # A prefix that the act had freed: an entity that a crawl made at it gives it back.
        freed = change.after is None and change.table is PREFIXES
        return freed and not self.later.that_changed(self.tx, {(PREFIXES, change.key, "entity_id")})

    def refuse_loss(self, entity_id: int) -> None:
        """Raise UndoConflict for an entity that stands in the way."""
        later = later_acts_on(self.tx, self.act_id, entity_id)
        raise UndoConflict(self.act_id, later, f"web entity {entity_id} changed since")

    # -- restoring

    def restore_rules(self) -> None:
        """Rules, precision exceptions, options."""
        changes = self.of(RULES, EXCEPTIONS, OPTIONS)
        if not changes:
            return
        session = self.session
        self._refuse_fixed()
        session.note_prefix_change(reset=True)
        for change in changes:
            if change.before is None:
                self.tx.delete(change.table, [change.key])
            else:
                self.tx.put(change.table, [(change.key, *change.before)])
        session.options = read_options(self.tx)
        session.memory.territory.reread_rules(self.tx, session.options)
        renode(session, [change.key for change in self.of(EXCEPTIONS)])

    def _refuse_fixed(self) -> None:
        fixed = [change.key for change in self.of(OPTIONS) if change.key in FIXED_OPTIONS]
        if fixed and self.session.state.n_pages:
            raise InvalidValue(f"{fixed[0]} is fixed once a corpus holds pages: it cannot be set back")

    def restore_entities(self) -> None:
        """Fields of entities, and entities that are gone."""
        changes = [change for change in self.of(ENTITIES) if change.before is not None]
        rows = self.tx.get(ENTITIES, [change.key for change in changes])
        moment = now_micros()
        pairs: list[tuple[Row, Row]] = []
        for change in changes:
            if change.key in rows:
                old = rows[change.key]
                pairs.append((old, _with_columns(old, change, moment)))
            else:
                made = _with_columns((change.key, *[None] * (len(ENTITIES.columns) - 1)), change, moment)
                self.tx.insert(ENTITIES, [made])
                count_status(self.session, WebEntityStatus(made[2]), 1)
        change_row(self.session, pairs)

    def restore_prefixes(self) -> None:
        """Prefixes and the pages below; pages left without owner get entities by the rules."""
        changes = self.of(PREFIXES)
        if not changes:
            return
        session = self.session
        version = session.note_prefix_change(reset=True)
        owned = session.territory.prefixes
        back = [(change.key, change.before[0]) for change in changes if change.before is not None]
        self._refuse_absent({owner for _, owner in back})
        self.taken_from = {owner for owner in (owned.get(change.key) for change in changes) if owner}
        gone = [c.key for c in changes if c.before is None]
        self.tx.delete(PREFIXES, gone)
        for prefix in gone:
            del owned[prefix]
        self.tx.put(PREFIXES, [(prefix, owner, version) for prefix, owner in back])
        for prefix, owner in back:
            owned[prefix] = owner
        prefixes = [change.key for change in changes]
        create_by_rules(session, unowned_lrus(self.tx, session.territory, prefixes))
        recut(session, prefixes)

    def _refuse_absent(self, owners: set[int]) -> None:
        known = self.tx.get(ENTITIES, sorted(owners))
        for owner in sorted(owners):
            if owner not in known:
                self.refuse_loss(owner)

    def restore_jobs(self) -> None:
        """The entities of crawl jobs."""
        rows = [(change.key, change.before) for change in self.of(JOBS) if change.before is not None]
        self.tx.update(JOBS, CURATED[JOBS], rows)

    def remove_made(self) -> None:
        """Entities that the act made. One that got prefixes since stays in the way."""
        for change in self.of(ENTITIES):
            if change.before is None:
                if not is_bare(self.session, change.key):
                    self.refuse_loss(change.key)
                self._remove(change.key)
                self.taken_from.discard(change.key)

    def remove_bared(self) -> None:
        """Entities that own nothing any more: those that a crawl made at a freed prefix, as long as nobody
        judged them."""
        for entity_id in sorted(self.taken_from):
            if is_bare(self.session, entity_id):
                row = self.tx.get(ENTITIES, (entity_id,))[entity_id]
                if not is_unjudged(row):
                    self.refuse_loss(entity_id)
                self._remove(entity_id)

    def _remove(self, entity_id: int) -> None:
        hand_over_jobs(self.session, self.tx.get(ENTITIES, (entity_id,))[entity_id], None)
        remove_entity_row(self.session, entity_id)


def _with_columns(row: Row, change: RowChange, moment: int) -> Row:
    """The row with the changed columns as before."""
    assert change.before is not None
    values = dict(zip((column.name for column in ENTITIES.columns), row, strict=True))
    before = dict(zip(CURATED[ENTITIES], change.before, strict=True))
    values.update({column: before[column] for column in change.columns}, modified_at=moment)
    return tuple(values.values())
