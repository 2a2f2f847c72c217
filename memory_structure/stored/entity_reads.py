"""Web entities: reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memory_structure.errors import NotFound
from memory_structure.lru import parent_lrus, range_end
from memory_structure.records import WebEntity, WebEntityStatus
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.entities import entity_prefixes, get_entity, read_entities
from memory_structure.stored.networks import Networks
from memory_structure.stored.schema import ENTITIES, PREFIXES


class EntityReads(Networks):
    """Web entities as they are."""

    def get_web_entity(self, web_entity_id: int) -> WebEntity:
        """The web entity of that id."""
        return self._at_one_moment(lambda reader: get_entity(reader, web_entity_id))

    def find_web_entity_by_prefix(self, prefix: str) -> WebEntity | None:
        """The owner of exactly that prefix."""

        def read(reader: Reader) -> WebEntity | None:
            row = reader.get(PREFIXES, (prefix,)).get(prefix)
            return None if row is None else get_entity(reader, row[1])

        return self._at_one_moment(read)

    def prefix_owners(self, prefixes: Sequence[str]) -> dict[str, int]:
        """Prefix -> id of its owner, in one read."""
        rows = self._storage.get(PREFIXES, prefixes)
        return {prefix: row[1] for prefix, row in rows.items()}

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


def _first(rows: Iterable[Row], limit: int | None, wanted: Callable[[Row], bool]) -> list[Row]:
    found: list[Row] = []
    for row in rows:
        if limit is not None and len(found) >= limit:
            break
        if wanted(row):
            found.append(row)
    return found
