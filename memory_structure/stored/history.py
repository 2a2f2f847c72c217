"""The history of curation: reading acts, undoing them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from memory_structure.acts import Act, ActKind
from memory_structure.errors import InvalidValue
from memory_structure.storage import Reader
from memory_structure.stored.act_rows import (
    act_of,
    act_row,
    changed_since,
    iter_act_rows,
    read_act,
    record_act,
)
from memory_structure.stored.previewing import Previewing
from memory_structure.stored.undoing import mark_undone, undo_act

_UNDONE, _AGAIN = "Undone: ", "Done again: "


class History(Previewing):
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
        with self._writing() as session:
            summary = act_row(session.tx, act_id)[4]
            session.tx.record()
            session.summary = _summary(summary)
            undo_act(session, act_id)
            undoing = record_act(session, ActKind.UNDO, act_id)
            assert undoing is not None  # what is as the act left it differs from what was before
            mark_undone(session, act_id, undoing)
            return read_act(session.tx, undoing)

    def list_changed_web_entities(self, since_version: int) -> tuple[int, list[int] | None]:
        """(version now, ids that changed since)."""
        return self._at_one_moment(lambda reader: changed_since(reader, since_version))


def _summary(undone: str) -> str:
    """Words for undoing an act that those words tell."""
    if undone.startswith(_UNDONE):
        return _AGAIN + undone[len(_UNDONE) :]
    return _UNDONE + undone.removeprefix(_AGAIN)
