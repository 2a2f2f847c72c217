"""Acts as rows: writing one at the end of its transaction, reading them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Final

from memory_structure.acts import MAX_LISTED_IDS, Act, ActKind, current_actor
from memory_structure.errors import NotFound
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.act_codec import decode_changes, encode_changes, in_words
from memory_structure.stored.codec import clean_text, packed_ids, unpacked_ids
from memory_structure.stored.moments import from_micros, now_micros
from memory_structure.stored.recorder import RowChange, curated
from memory_structure.stored.schema import (
    ACT_CHANGES,
    ACT_ENTITIES,
    ACTS,
    ENTITIES,
    ENTITY_CHANGES,
    PREFIXES,
)
from memory_structure.stored.session import Session
from memory_structure.stored.state import read_state

_CHUNK: Final = 200
_NEIGHBOURS: Final = 256  # web entities whose acts are found together
_MAX_CHANGES: Final = 20_000  # versions that changed entities: with more, reading all of them is quicker


def record_act(session: Session, kind: ActKind, undoes: int | None = None) -> int | None:
    """Write what this transaction changed as an act; its id, None when nothing differs."""
    changes = session.tx.changes()
    if not changes:
        return None
    act_id = open_act(session, kind, undoes)
    fill_act(session, act_id, changes)
    return act_id


def open_act(session: Session, kind: ActKind, undoes: int | None = None) -> int:
    """Write an act that has changed nothing yet; its id."""
    act_id = last_act_id(session.tx) + 1
    actor, words = clean_text(current_actor()), clean_text(session.summary or kind.value)
    session.tx.insert(ACTS, [(act_id, now_micros(), actor, kind.value, words, 0, "[]", undoes, None)])
    session.tx.insert(ACT_CHANGES, [(act_id, encode_changes(()))])
    session.changed = True
    return act_id


def fill_act(session: Session, act_id: int, changes: Sequence[RowChange]) -> None:
    """Write what an act changed."""
    ids = touched_ids(changes)
    values = (len(ids), json.dumps(ids[:MAX_LISTED_IDS]))
    session.tx.update(ACTS, ("n_entities", "entity_ids"), [(act_id, values)])
    session.tx.put(ACT_CHANGES, [(act_id, encode_changes(changes))])
    session.tx.put(ACT_ENTITIES, entity_rows(act_id, ids))
    session.changed = True


def mention(session: Session, entity_id: int) -> list[RowChange]:
    """The changes of this transaction, of which one, at least, names a web entity."""
    changes = session.tx.changes()
    if not any(change.table is ENTITIES and change.key == entity_id for change in changes):
        row = curated(ENTITIES, session.tx.get(ENTITIES, (entity_id,))[entity_id])
        changes.insert(0, RowChange(ENTITIES, entity_id, row, row))
    return changes


def entity_rows(act_id: int, ids: Sequence[int]) -> list[Row]:
    """The rows that lead from web entities (ids rising) to an act."""
    groups = groupby(ids, lambda entity_id: entity_id // _NEIGHBOURS)
    return [(bucket, act_id, packed_ids(list(group))) for bucket, group in groups]


def iter_acts_on(reader: Reader, entity_id: int, span: Span) -> Iterator[int]:
    """Ids of the acts that touched a web entity, in the order and range of a span over their ids."""
    bucket = replace(span, equal=(entity_id // _NEIGHBOURS,))
    for _, act_id, ids in reader.scan(ACT_ENTITIES, bucket):
        if (unpacked_ids(ids) == entity_id).any():
            yield act_id


def touched_ids(changes: Sequence[RowChange]) -> list[int]:
    """Web entities whose fields or prefixes changed, rising."""
    ids: set[int] = set()
    for change in changes:
        if change.table is ENTITIES:
            ids.add(change.key)
        elif change.table is PREFIXES:
            ids.update(values[0] for values in (change.before, change.after) if values is not None)
    return sorted(ids)


def last_act_id(reader: Reader) -> int:
    """Id of the newest act, 0 when there is none."""
    return next((int(row[0]) for row in reader.scan(ACTS, Span(reverse=True, limit=1), ("id",))), 0)


def act_row(reader: Reader, act_id: int) -> Row:
    """The row of an act. Raises NotFound."""
    row = reader.get(ACTS, (act_id,)).get(act_id)
    if row is None:
        raise NotFound(f"there is no act {act_id}")
    return row


def act_changes(reader: Reader, act_id: int) -> list[RowChange]:
    """What an act changed."""
    return decode_changes(reader.get(ACT_CHANGES, (act_id,))[act_id][1])


def read_act(reader: Reader, act_id: int) -> Act:
    """An act with its changes. Raises NotFound."""
    return replace(act_of(act_row(reader, act_id)), changes=in_words(act_changes(reader, act_id)))


def act_of(row: Row) -> Act:
    """The act of a row, without its changes."""
    act_id, acted_at, actor, kind, summary, n, listed, undoes, undone_by = row
    ids = tuple(json.loads(listed))
    return Act(act_id, from_micros(acted_at), actor, ActKind(kind), summary, ids, n, undoes, undone_by)


def iter_act_rows(
    reader: Reader, before: int | None, web_entity_id: int | None, kinds: Sequence[ActKind] | None, limit: int
) -> Iterator[Row]:
    """Rows of acts, newest first."""
    wanted = None if kinds is None else {kind.value for kind in kinds}
    if web_entity_id is not None:
        rows = _rows_of_entity(reader, web_entity_id, before)
        yield from (row for row in rows if wanted is None or row[3] in wanted)
    elif wanted is None:
        yield from reader.scan(ACTS, Span(upper=before, reverse=True, limit=limit))
    else:
        found: list[Row] = []
        for kind in sorted(wanted):
            span = Span("by_kind", equal=(kind,), upper=before, reverse=True, limit=limit)
            found += reader.scan(ACTS, span)
        yield from sorted(found, reverse=True)


def _rows_of_entity(reader: Reader, entity_id: int, before: int | None) -> Iterator[Row]:
    """In chunks: an entity may have been changed thousands of times."""
    found = iter_acts_on(reader, entity_id, Span(upper=before, reverse=True))
    while ids := list(islice(found, _CHUNK)):
        rows = reader.get(ACTS, ids)
        yield from (rows[i] for i in ids)


def changed_since(reader: Reader, since_version: int) -> tuple[int, list[int] | None]:
    """(version now, ids of entities that changed after a version or None when that is too long ago)."""
    now = read_state(reader).version
    if since_version >= now:
        return now, []
    first = next((row[0] for row in reader.scan(ENTITY_CHANGES, Span(limit=1), ("version",))), None)
    if first is None or since_version < first - 1:
        return now, None
    rows = list(reader.scan(ENTITY_CHANGES, Span(lower=since_version + 1, limit=_MAX_CHANGES)))
    if len(rows) == _MAX_CHANGES:
        return now, None
    return now, sorted({entity_id for _, ids in rows for entity_id in unpacked_ids(ids).tolist()})
