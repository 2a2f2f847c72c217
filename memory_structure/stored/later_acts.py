"""Which later acts stand in the way of undoing one.

What an act changed has to be unpacked to be known. A few acts are read where they are asked for; many are
read beforehand, while others write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any, Final

from memory_structure.storage import Reader, Row, Span, Table
from memory_structure.stored.act_rows import act_changes, iter_acts_on
from memory_structure.stored.recorder import RowChange
from memory_structure.stored.schema import ACTS, ENTITIES

Field = tuple[Table, Any, str]  # a curated table, a key, a column ("": the row itself)

_MOST_AT_ONCE: Final = 100  # acts unpacked while others wait
_MOST_ENTITIES: Final = 20  # with more, looking at every act is quicker


class LaterUnread(Exception):
    """More acts would have to be read than others should wait for: `LaterActs.read` reads them."""


class LaterActs:
    """The acts after one, as far as they were read: which fields of that act each changed again."""

    def __init__(self, act_id: int, changes: Sequence[RowChange]) -> None:
        self.act_id = act_id
        self.changes = changes
        self._rows = {(change.table, change.key) for change in changes}
        self._fields: dict[int, frozenset[Field]] = {}

    def read(self, reader: Reader) -> None:
        """Read all acts of now that were not read yet."""
        for act_id in self._unread(reader):
            self._fields[act_id] = self._fields_of(act_changes(reader, act_id))

    def that_changed(self, reader: Reader, fields: Set[Field]) -> tuple[int, ...]:
        """The acts in force still that changed one of those fields, newest first. Raises LaterUnread."""
        if len(self._unread(reader)) > _MOST_AT_ONCE:
            raise LaterUnread
        self.read(reader)
        found = [act_id for act_id, changed in self._fields.items() if not fields.isdisjoint(changed)]
        return _in_force(reader, found, self.act_id)

    def _unread(self, reader: Reader) -> list[int]:
        return [act_id for act_id in self._candidates(reader) if act_id not in self._fields]

    def _candidates(self, reader: Reader) -> Iterable[int]:
        """Acts that may have changed the same: those on the same web entities, where no other row matters."""
        entities = {key for table, key in self._rows if table is ENTITIES}
        span = Span(lower=self.act_id + 1)
        if len(entities) == len(self._rows) <= _MOST_ENTITIES:
            return sorted({i for entity_id in entities for i in iter_acts_on(reader, entity_id, span)})
        return [row[0] for row in reader.scan(ACTS, span, ("id",))]

    def _fields_of(self, changes: Iterable[RowChange]) -> frozenset[Field]:
        return frozenset(
            (change.table, change.key, column)
            for change in changes
            if (change.table, change.key) in self._rows
            for column in (*change.columns, *([""] if None in (change.before, change.after) else ()))
        )


def later_acts_on(reader: Reader, act_id: int, entity_id: int) -> tuple[int, ...]:
    """Acts after this one, in force still, that touched a web entity; newest first."""
    return _in_force(reader, list(iter_acts_on(reader, entity_id, Span(lower=act_id + 1))), act_id)


def _in_force(reader: Reader, act_ids: Sequence[int], after: int) -> tuple[int, ...]:
    """Those acts without those undone and without the undoing that undid them, newest first. Both came after
    that act: the undoing of an older one changed what it left."""
    rows = reader.get(ACTS, act_ids)
    undone = reader.get(ACTS, {row[7] for row in rows.values() if row[7] is not None and row[7] > after})
    return tuple(i for i in sorted(rows, reverse=True) if _is_in_force(rows[i], undone))


def _is_in_force(row: Row, undone: dict[Any, Row]) -> bool:
    undid = undone.get(row[7])
    return row[8] is None and (undid is None or undid[8] != row[0])
