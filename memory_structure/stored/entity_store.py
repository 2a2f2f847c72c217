"""Web entities: reading, making, editing, moving prefixes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np

from memory_structure.errors import InvalidValue, NotFound
from memory_structure.lru import parent_lrus, range_end, url_to_lru
from memory_structure.records import StartPage, WebEntity, WebEntityStatus
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.codec import Pairs, clean_text, negated
from memory_structure.stored.entities import (
    NewEntity,
    checked_prefixes,
    count_status,
    create_entity,
    drop_prefixes,
    entity_prefixes,
    entity_row,
    entity_texts,
    get_entity,
    give_prefixes,
    read_entities,
    refuse_taken,
    remove_entity_row,
)
from memory_structure.stored.moments import now_micros
from memory_structure.stored.networks import Networks
from memory_structure.stored.schema import ENTITIES, JOBS, PREFIXES, Labels, Weights
from memory_structure.stored.session import Session
from memory_structure.stored.weights import replaced_end, touching, weights_of
from memory_structure.urls import BadUrl

Tag = tuple[str, str, str]


class EntityStore(Networks):
    """Web entities and their prefixes."""

    # -- reading

    def get_web_entity(self, web_entity_id: int) -> WebEntity:
        """The web entity of that id."""
        return self._at_one_moment(lambda reader: get_entity(reader, web_entity_id))

    def find_web_entity_by_prefix(self, prefix: str) -> WebEntity | None:
        """The owner of exactly that prefix."""

        def read(reader: Reader) -> WebEntity | None:
            row = reader.get(PREFIXES, (prefix,)).get(prefix)
            return None if row is None else get_entity(reader, row[1])

        return self._at_one_moment(read)

    def find_owner(self, lru: str) -> WebEntity | None:
        """The entity that owns an LRU."""

        def read(reader: Reader) -> WebEntity | None:
            lines = [lru, *parent_lrus(lru)]
            owned = reader.get(PREFIXES, lines)
            prefix = next((line for line in lines if line in owned), None)
            return None if prefix is None else get_entity(reader, owned[prefix][1])

        return self._at_one_moment(read)

    def list_web_entities(
        self,
        *,
        ids: Sequence[int] | None = None,
        status: WebEntityStatus | None = None,
        after: tuple[str, int] | int | None = None,
        by_name: bool = False,
        limit: int | None = None,
    ) -> list[WebEntity]:
        """Web entities by id, by (name, id), or those of `ids` in that order."""

        def read(reader: Reader) -> list[WebEntity]:
            if ids is not None:
                rows = _rows_of(reader, ids, status)
            else:
                rows = _rows_in_order(reader, status, after, by_name, limit)
            return read_entities(reader, rows[:limit])

        return self._at_one_moment(read)

    def list_sub_web_entities(self, web_entity_id: int) -> list[int]:
        """Ids of the entities that own a prefix strictly below one of this entity's."""

        def read(reader: Reader) -> list[int]:
            found: set[int] = set()
            for prefix in entity_prefixes(reader, web_entity_id):
                span = Span(lower=prefix, upper=range_end(prefix))
                found.update(row[0] for row in reader.scan(PREFIXES, span, ("entity_id",)))
            return sorted(found - {web_entity_id})

        return self._at_one_moment(read)

    def list_parent_web_entities(self, web_entity_id: int) -> list[int]:
        """Ids of the entities that own a prefix strictly above one of this entity's."""

        def read(reader: Reader) -> list[int]:
            lines = {lru for prefix in entity_prefixes(reader, web_entity_id) for lru in parent_lrus(prefix)}
            rows = reader.get(PREFIXES, sorted(lines)).values()
            return sorted({row[1] for row in rows} - {web_entity_id})

        return self._at_one_moment(read)

    # -- making and editing

    def declare_web_entity(
        self,
        prefixes: Sequence[str],
        *,
        name: str | None = None,
        status: WebEntityStatus = WebEntityStatus.DISCOVERED,
        start_pages: Sequence[StartPage] = (),
        tags: Sequence[Tag] = (),
    ) -> WebEntity:
        """Create a web entity that owns exactly those prefixes."""
        wanted = checked_prefixes(prefixes)
        with self._writing() as session:
            refuse_taken(session, wanted)
            new = NewEntity(wanted, name, status, tuple(start_pages), tuple(tags))
            entity_id = create_entity(session, new)
            _refuse_foreign(session, entity_id, start_pages)
            session.finish_weights()
            return get_entity(session.tx, entity_id)

    def edit_web_entity(
        self,
        web_entity_id: int,
        *,
        name: str | None = None,
        status: WebEntityStatus | None = None,
        homepage: str | None = None,
        note: str | None = None,
        start_pages: Sequence[StartPage] | None = None,
        tags: Sequence[Tag] | None = None,
    ) -> WebEntity:
        """Replace what is given."""
        with self._writing() as session:
            row = entity_row(session.tx, web_entity_id)
            old_pages, old_tags = row[6], row[7]
            if start_pages is not None:
                _refuse_foreign(session, web_entity_id, start_pages)
                old_pages = entity_texts(start_pages, ())[0]
            if tags is not None:
                old_tags = entity_texts((), tags)[1]
            new = (
                row[0],
                row[1] if name is None else clean_text(name),
                row[2] if status is None else status.value,
                row[3],
                now_micros(),
                row[5] if homepage is None else clean_text(homepage) or None,
                old_pages,
                old_tags,
                row[8] if note is None else clean_text(note),
            )
            if not new[1]:
                raise InvalidValue("a web entity needs a name")
            _store_row(session, row, new)
            return get_entity(session.tx, web_entity_id)

    def set_statuses(self, web_entity_ids: Sequence[int], status: WebEntityStatus) -> int:
        """Set the status of many at once."""
        with self._writing() as session:
            rows = [entity_row(session.tx, entity_id) for entity_id in dict.fromkeys(web_entity_ids)]
            moment = now_micros()
            changing = [row for row in rows if row[2] != status.value]
            for row in changing:
                _store_row(session, row, (*row[:2], status.value, row[3], moment, *row[5:]))
            return len(changing)

    # -- prefixes

    def add_prefixes(self, web_entity_id: int, prefixes: Sequence[str], *, take: bool = False) -> WebEntity:
        """Give prefixes to an entity."""
        wanted = checked_prefixes(prefixes)
        with self._writing() as session:
            row = entity_row(session.tx, web_entity_id)
            if not take:
                refuse_taken(session, wanted, except_id=web_entity_id)
            owned = session.territory.prefixes
            owners = {p: owned.get(p) for p in wanted}
            moving = [p for p in wanted if owners[p] != web_entity_id]
            if moving:
                give_prefixes(session, web_entity_id, moving)
                _touch(session, row)
                for loser in sorted({i for i in owners.values() if i not in (None, web_entity_id)}):
                    _remove_when_bare(session, loser)
            session.finish_weights()
            return get_entity(session.tx, web_entity_id)

    def remove_prefix(self, web_entity_id: int, prefix: str) -> WebEntity | None:
        """Take a prefix away."""
        with self._writing() as session:
            row = entity_row(session.tx, web_entity_id)
            if session.territory.prefixes.get(prefix) != web_entity_id:
                raise NotFound(f"web entity {web_entity_id} does not own the prefix {prefix}")
            drop_prefixes(session, [prefix])
            _touch(session, row)
            gone = _remove_when_bare(session, web_entity_id)
            session.finish_weights()
            return None if gone else get_entity(session.tx, web_entity_id)

    def merge_web_entities(
        self, old_id: int, good_id: int, *, keep_tags: bool = True, keep_start_pages: bool = True
    ) -> WebEntity:
        """Fold `old` into `good`."""
        if old_id == good_id:
            raise InvalidValue(f"web entity {old_id} cannot be merged with itself")
        with self._writing() as session:
            old, good = entity_row(session.tx, old_id), entity_row(session.tx, good_id)
            _merge_rows(session, old, good, keep_tags, keep_start_pages)
            _merge_weights(session, old_id, good_id)
            _hand_over_prefixes(session, old_id, good_id)
            _hand_over_jobs(session, old, good_id)
            remove_entity_row(session, old_id)
            session.finish_weights()
            return get_entity(session.tx, good_id)

    def delete_web_entity(self, web_entity_id: int) -> tuple[int, ...]:
        """Remove an entity; the ids of those that the rules made of its pages."""
        with self._writing() as session:
            prefixes = entity_prefixes(session.tx, web_entity_id)
            created = drop_prefixes(session, prefixes)
            _remove_when_bare(session, web_entity_id)
            return created


def _rows_of(reader: Reader, ids: Sequence[int], status: WebEntityStatus | None) -> list[Row]:
    rows = reader.get(ENTITIES, ids)
    for entity_id in ids:
        if entity_id not in rows:
            raise NotFound(f"there is no web entity {entity_id}")
    return [rows[i] for i in ids if status is None or rows[i][2] == status.value]


def _rows_in_order(
    reader: Reader,
    status: WebEntityStatus | None,
    after: tuple[str, int] | int | None,
    by_name: bool,
    limit: int | None,
) -> list[Row]:
    place = None if after is None else (after if isinstance(after, tuple) else (after,))
    if by_name:
        rows = reader.scan(ENTITIES, Span("by_name", after=place, limit=limit if status is None else None))
        return _first(rows, limit, lambda row: status is None or row[2] == status.value)
    if status is None:
        return list(reader.scan(ENTITIES, Span(after=place, limit=limit)))
    behind = None if place is None else (status.value, *place)
    return list(reader.scan(ENTITIES, Span("by_status", equal=(status.value,), after=behind, limit=limit)))


def _first(rows: object, limit: int | None, wanted: Callable[[Row], bool]) -> list[Row]:
    found: list[Row] = []
    for row in rows:  # type: ignore[attr-defined]
        if limit is not None and len(found) >= limit:
            break
        if wanted(row):
            found.append(row)
    return found


def _refuse_foreign(session: Session, entity_id: int, start_pages: Sequence[StartPage]) -> None:
    """Raise InvalidValue for a start page that belongs to another entity."""
    territory = session.territory
    for page in start_pages:
        try:
            lru = url_to_lru(page.url, territory.policy)
        except BadUrl as error:
            raise InvalidValue(f"the start page is no usable address: {error}") from error
        owner = territory.prefixes.find_owner(lru)
        if owner is None or owner[1] != entity_id:
            raise InvalidValue(f"the start page {page.url} does not belong to web entity {entity_id}")


def _store_row(session: Session, old: Row, new: Row) -> None:
    session.tx.put(ENTITIES, [new])
    session.changed = True
    if old[2] != new[2]:
        count_status(session, WebEntityStatus(old[2]), -1)
        count_status(session, WebEntityStatus(new[2]), 1)


def _touch(session: Session, row: Row) -> None:
    session.tx.update(ENTITIES, ("modified_at",), [(row[0], (now_micros(),))])


def _remove_when_bare(session: Session, entity_id: int) -> bool:
    """Remove an entity that has lost its last prefix; whether it was removed."""
    if (
        next(iter(session.tx.scan(PREFIXES, Span("by_entity_id", equal=(entity_id,), limit=1))), None)
        is not None
    ):
        return False
    _hand_over_jobs(session, entity_row(session.tx, entity_id), None)
    remove_entity_row(session, entity_id)
    return True


def _merge_rows(session: Session, old: Row, good: Row, keep_tags: bool, keep_start_pages: bool) -> None:
    pages = [StartPage(*page) for page in json.loads(good[6])]
    tags = [tuple(tag) for tag in json.loads(good[7])]
    if keep_start_pages:
        pages += [StartPage(*page) for page in json.loads(old[6])]
    if keep_tags:
        tags += [tuple(tag) for tag in json.loads(old[7])]
    _store_row(session, good, (*good[:4], now_micros(), good[5], *entity_texts(pages, tags), good[8]))


def _merge_weights(session: Session, old_id: int, good_id: int) -> None:
    """Rows fold by id: no link is read."""
    links = touching(session.tx, old_id)
    session.add_weights(Weights.FORWARD, negated(links))
    session.add_weights(Weights.FORWARD, replaced_end(links, old_id, good_id))
    counts = weights_of(session.tx, Weights.COUNTS, [old_id])
    session.add_weights(Weights.COUNTS, negated(counts))
    moved = (counts.keys & 0xFFFFFFFF) | (np.int64(good_id) << 32)
    session.add_weights(Weights.COUNTS, Pairs(moved, counts.weights))


def _hand_over_prefixes(session: Session, old_id: int, good_id: int) -> None:
    prefixes = entity_prefixes(session.tx, old_id)
    version = session.note_prefix_change()
    session.tx.put(PREFIXES, [(prefix, good_id, version) for prefix in prefixes])
    for prefix in prefixes:
        session.territory.prefixes[prefix] = good_id
    ids = np.flatnonzero(session.owners.values == old_id).astype(np.int32)
    if len(ids):
        session.paint(Labels.OWNER, ids, np.full(len(ids), good_id, np.int32))


def _hand_over_jobs(session: Session, old: Row, new_id: int | None) -> None:
    jobs = session.tx.scan(JOBS, Span("by_entity_id", equal=(old[0],)), ("id",))
    columns = ("entity_id", "previous_entity_id", "previous_entity_name")
    session.tx.update(JOBS, columns, [(row[0], (new_id, old[0], old[1])) for row in list(jobs)])
