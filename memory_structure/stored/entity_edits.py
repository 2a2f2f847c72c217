"""Web entities: making them, editing what people say of them."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from memory_structure.acts import ActKind
from memory_structure.errors import InvalidValue, NotFound
from memory_structure.lru import url_to_lru
from memory_structure.records import StartPage, Tag, WebEntity, WebEntityStatus
from memory_structure.storage import Row
from memory_structure.stored.codec import clean_text
from memory_structure.stored.entities import (
    NewEntity,
    change_row,
    checked_prefixes,
    create_entity,
    entity_row,
    entity_texts,
    get_entity,
    plural,
    refuse_taken,
    row_tags,
)
from memory_structure.stored.entity_reads import EntityReads
from memory_structure.stored.minimal import refuse_suffixes
from memory_structure.stored.moments import now_micros
from memory_structure.stored.ownership import clear_lost_homepages, drop_silent_prefixes, owners_over
from memory_structure.stored.schema import ENTITIES
from memory_structure.stored.session import Session
from memory_structure.stored.territory import Territory
from memory_structure.urls import BadUrl

_FIELDS = {1: "name", 2: "status", 5: "homepage", 6: "start pages", 7: "tags", 8: "note"}


class EntityEdits(EntityReads):
    """Web entities made and edited."""

    def declare_web_entity(
        self,
        prefixes: Sequence[str],
        *,
        name: str | None = None,
        status: WebEntityStatus = WebEntityStatus.DISCOVERED,
        start_pages: Sequence[StartPage] = (),
        tags: Sequence[Tag] = (),
    ) -> WebEntity:
        """Create a web entity that owns those prefixes."""
        wanted = checked_prefixes(prefixes)
        with self._curating(ActKind.DECLARE) as session:
            refuse_suffixes(wanted, session.territory.policy)
            refuse_taken(session, wanted)
            losers = owners_over(session.territory, wanted)
            new = NewEntity(wanted, name, status, tuple(start_pages), clean_tags(tags))
            entity_id = create_entity(session, new)
            drop_silent_prefixes(session, wanted)
            _refuse_foreign(session.territory, entity_id, start_pages)
            clear_lost_homepages(session, losers)
            session.finish_weights()
            entity = get_entity(session.tx, entity_id)
            session.summary = f'Web entity "{entity.name}" declared'
            return entity

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
        with self._curating(ActKind.EDIT) as session:
            row = entity_row(session.tx, web_entity_id)
            if start_pages is not None:
                _refuse_foreign(session.territory, web_entity_id, start_pages)
            new = (
                row[0],
                row[1] if name is None else clean_text(name),
                row[2] if status is None else status.value,
                row[3],
                now_micros(),
                row[5] if homepage is None else clean_text(homepage) or None,
                row[6] if start_pages is None else entity_texts(start_pages, ())[0],
                row[7] if tags is None else entity_texts((), clean_tags(tags))[1],
                row[8] if note is None else clean_text(note),
            )
            if not new[1]:
                raise InvalidValue("a web entity needs a name")
            _store_edits(session, [(row, new)])
            return get_entity(session.tx, web_entity_id)

    def set_statuses(self, web_entity_ids: Sequence[int], status: WebEntityStatus) -> int:
        """Set the status of many at once."""
        return self.edit_web_entities(web_entity_ids, status=status)

    def edit_web_entities(
        self,
        web_entity_ids: Sequence[int],
        *,
        status: WebEntityStatus | None = None,
        note: str | None = None,
        add_tags: Sequence[Tag] = (),
        remove_tags: Sequence[Tag] = (),
    ) -> int:
        """The same edit on many entities."""
        added, removed = clean_tags(add_tags), clean_tags(remove_tags)
        new_note = None if note is None else clean_text(note)

        def edited(row: Row) -> Row:
            tags = _edited_tags(row[7], added, removed)
            new_status = row[2] if status is None else status.value
            return (*row[:2], new_status, *row[3:7], tags, row[8] if new_note is None else new_note)

        only_status = status is not None and note is None and not added and not removed
        only_tags = status is None and note is None
        kind = ActKind.STATUS if only_status else ActKind.TAGS if only_tags else ActKind.EDIT
        return self._edit_many(kind, web_entity_ids, edited)

    def edit_tags(
        self, web_entity_ids: Sequence[int], *, add: Sequence[Tag] = (), remove: Sequence[Tag] = ()
    ) -> int:
        """Add and remove tags of entities."""
        return self.edit_web_entities(web_entity_ids, add_tags=add, remove_tags=remove)

    def replace_tag_value(
        self, web_entity_ids: Sequence[int] | None, namespace: str, category: str, old: str, new: str
    ) -> int:
        """Put one value in the place of another."""
        (gone,), (put,) = clean_tags([(namespace, category, old)]), clean_tags([(namespace, category, new)])

        def edited(row: Row) -> Row:
            if gone not in row_tags(row):
                return row
            return (*row[:7], _edited_tags(row[7], (put,), (gone,)), row[8])

        return self._edit_many(ActKind.TAGS, web_entity_ids, edited)

    def _edit_many(self, kind: ActKind, ids: Sequence[int] | None, edited: Callable[[Row], Row]) -> int:
        """Edit entities (None: all) in one act; the number that changed."""
        with self._curating(kind) as session:
            rows = list(session.tx.scan(ENTITIES)) if ids is None else _rows_of(session, ids)
            moment = now_micros()
            pairs = [(row, edited(row)) for row in rows]
            return _store_edits(session, [(row, (*new[:4], moment, *new[5:])) for row, new in pairs])

    def edit_start_pages(
        self, web_entity_id: int, *, add: Sequence[StartPage] = (), remove: Sequence[str] = ()
    ) -> WebEntity:
        """Add and remove start pages."""
        with self._curating(ActKind.START_PAGES) as session:
            territory = session.territory
            row = entity_row(session.tx, web_entity_id)
            _refuse_foreign(territory, web_entity_id, add)
            kept = {_page_key(territory, url): StartPage(url, source) for url, source in json.loads(row[6])}
            for url in remove:
                if kept.pop(_page_key(territory, url), None) is None:
                    raise NotFound(f"{url} is no start page of web entity {web_entity_id}")
            for page in add:
                kept.setdefault(_page_key(territory, page.url), page)
            texts = entity_texts(kept.values(), ())[0]
            _store_edits(session, [(row, (*row[:4], now_micros(), row[5], texts, *row[7:]))])
            return get_entity(session.tx, web_entity_id)

    def add_start_pages(self, additions: Sequence[tuple[int, Sequence[StartPage]]]) -> int:
        """Add start pages to many entities."""
        with self._curating(ActKind.START_PAGES) as session:
            territory, moment = session.territory, now_micros()
            rows = {row[0]: row for row in _rows_of(session, [entity_id for entity_id, _ in additions])}
            new = dict(rows)
            for entity_id, pages in additions:
                _refuse_foreign(territory, entity_id, pages)
                row = new[entity_id]
                kept: dict[str, StartPage] = {}
                for page in (*(StartPage(*known) for known in json.loads(row[6])), *pages):
                    kept.setdefault(_page_key(territory, page.url), page)
                texts = entity_texts(kept.values(), ())[0]
                new[entity_id] = (*row[:4], moment, row[5], texts, *row[7:])
            return _store_edits(session, [(row, new[entity_id]) for entity_id, row in rows.items()])


def clean_tags(tags: Iterable[Tag]) -> tuple[Tag, ...]:
    """Tags in one spelling: composed characters, no spaces around, no doubles, sorted. Raises InvalidValue
    for an empty part."""
    cleaned = set()
    for tag in tags:
        if not all(part.strip() for part in tag):
            raise InvalidValue(f"a tag has a namespace, a category and a value, none of them empty: {tag!r}")
        cleaned.add(_spelled(tag))
    return tuple(sorted(cleaned))


def _spelled(tag: Tag) -> Tag:
    namespace, category, value = (unicodedata.normalize("NFC", clean_text(p)).strip() for p in tag)
    return namespace, category, value


def _edited_tags(text: str, added: Sequence[Tag], removed: Sequence[Tag]) -> str:
    if not added and not removed:
        return text
    kept = {_spelled((a, b, c)) for a, b, c in json.loads(text)}.difference(removed).union(added)
    return entity_texts((), kept)[1]


def _rows_of(session: Session, ids: Sequence[int]) -> list[Row]:
    wanted = list(dict.fromkeys(ids))
    rows = session.tx.get(ENTITIES, wanted)
    absent = [entity_id for entity_id in wanted if entity_id not in rows]
    if absent:
        raise NotFound(f"there is no web entity {absent[0]}")
    return [rows[entity_id] for entity_id in wanted]


def _store_edits(session: Session, pairs: Sequence[tuple[Row, Row]]) -> int:
    """Store the new rows that say something else than the old ones; how many."""
    changing = [(old, new) for old, new in pairs if _told_fields(old, new)]
    change_row(session, changing)
    if changing:
        session.summary = _edit_summary(changing)
    return len(changing)


def _told_fields(old: Row, new: Row) -> list[str]:
    return [word for place, word in _FIELDS.items() if old[place] != new[place]]


def _edit_summary(changing: Sequence[tuple[Row, Row]]) -> str:
    fields = sorted({word for old, new in changing for word in _told_fields(old, new)})
    old, new = changing[0]
    whom = f'"{new[1]}"' if len(changing) == 1 else plural(len(changing))
    if fields == ["status"] and len({pair[1][2] for pair in changing}) == 1:
        return f"Status of {whom} set to {new[2]}"
    if fields == ["name"]:
        return f'"{old[1]}" renamed to "{new[1]}"'
    return f"{', '.join(fields).capitalize()} of {whom} edited"


def _refuse_foreign(territory: Territory, entity_id: int, start_pages: Iterable[StartPage]) -> None:
    """Raise InvalidValue for a start page that belongs to another entity."""
    for page in start_pages:
        try:
            lru = url_to_lru(page.url, territory.policy)
        except BadUrl as error:
            raise InvalidValue(f"the start page is no usable address: {error}") from error
        owner = territory.prefixes.find_owner(lru)
        if owner is None or owner[1] != entity_id:
            raise InvalidValue(f"the start page {page.url} does not belong to web entity {entity_id}")


def _page_key(territory: Territory, url: str) -> str:
    """What two spellings of one page have in common; the address itself when it is no usable one."""
    try:
        return url_to_lru(url, territory.policy)
    except BadUrl:
        return url
