"""The history of curation: reading acts, undoing them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice

from memory_structure.acts import Act, ActKind
from memory_structure.errors import InvalidValue
from memory_structure.storage import Reader, Row
from memory_structure.stored.act_rows import (
    act_changes,
    act_of,
    act_row,
    changed_since,
    fill_act,
    iter_act_rows,
    mention,
    open_act,
    read_act,
)
from memory_structure.stored.forgetting import Forgetting
from memory_structure.stored.later_acts import LaterActs, LaterUnread
from memory_structure.stored.session import Session
from memory_structure.stored.undoing import mark_undone, undo_act

_UNDONE, _AGAIN = "Undone: ", "Done again: "


class History(Forgetting):
    """Acts of curation."""

    def list_acts(
        self,
        *,
        before: int | None = None,
        limit: int = 100,
        web_entity_id: int | None = None,
        kinds: Sequence[ActKind] | None = None,
    ) -> list[Act]:
        """Acts, newest first."""
        if limit < 0:
            raise InvalidValue(f"a number of acts is not below 0: {limit}")

        def read(reader: Reader) -> list[Act]:
            rows = iter_act_rows(reader, before, web_entity_id, kinds, limit)
            return [act_of(row) for row in islice(rows, limit)]

        return self._at_one_moment(read)

    def get_act(self, act_id: int) -> Act:
        """An act with its changes."""
        return self._at_one_moment(lambda reader: read_act(reader, act_id))

    def undo(self, act_id: int) -> Act:
        """Set back what an act changed."""
        if act_row(self._storage, act_id)[3] != ActKind.FORGET:
            return self.get_act(self._undo(act_id))
        with self._turn_to_forget():
            self._refuse_forgotten_since(act_id)
            undone_by = act_row(self._storage, act_id)[8]
            goes_on = undone_by is not None and not self._is_brought_back(act_id)
            undoing = int(undone_by) if goes_on else self._undo(act_id)
            self._bring_back(act_id)
            return self.get_act(undoing)

    def _undo(self, act_id: int) -> int:
        """Set back the curated rows; the act that did it. Many later acts are read while others write."""
        later = LaterActs(act_id, act_changes(self._storage, act_id))
        while True:
            try:
                return self._set_back(later)
            except LaterUnread:
                with self._storage.snapshot() as reader:
                    later.read(reader)

    def _set_back(self, later: LaterActs) -> int:
        act_id = later.act_id
        with self._writing() as session:
            row = act_row(session.tx, act_id)
            _refuse_forgetting_again(session, row)
            session.tx.record()
            session.summary = _summary(row[4])
            undo_act(session, later)
            undoing = open_act(session, ActKind.UNDO, act_id)
            changes = session.tx.changes()
            if row[3] == ActKind.FORGET:
                changes = mention(session, json.loads(row[6])[0])
            fill_act(session, undoing, changes)
            mark_undone(session, act_id, undoing)
            return undoing

    def list_changed_web_entities(self, since_version: int) -> tuple[int, list[int] | None]:
        """(version now, ids that changed since)."""
        return self._at_one_moment(lambda reader: changed_since(reader, since_version))


def _refuse_forgetting_again(session: Session, row: Row) -> None:
    if row[7] is not None and act_row(session.tx, row[7])[3] == ActKind.FORGET:
        raise InvalidValue(f"act {row[0]} brought back what was forgotten: forget it again instead")


def _summary(undone: str) -> str:
    """Words for undoing an act that those words tell."""
    if undone.startswith(_UNDONE):
        return _AGAIN + undone[len(_UNDONE) :]
    return _UNDONE + undone.removeprefix(_AGAIN)
