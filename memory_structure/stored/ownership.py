"""What follows when prefixes change hands: prefixes that say nothing go, entities left bare go, lost
homepages are cleared."""

from __future__ import annotations

from collections.abc import Iterable

from memory_structure.lru import url_to_lru
from memory_structure.storage import Row, Span
from memory_structure.stored.entities import change_row, entity_row, remove_entity_row
from memory_structure.stored.minimal import drop_silent, parent_of
from memory_structure.stored.moments import now_micros
from memory_structure.stored.schema import ENTITIES, JOBS, PREFIXES
from memory_structure.stored.session import Session
from memory_structure.stored.territory import Territory
from memory_structure.urls import BadUrl


def owners_over(territory: Territory, prefixes: Iterable[str]) -> set[int]:
    """Entities whose pages may lie under these prefixes: those that own them or lie above."""
    found = (territory.prefixes.find_owner(prefix) for prefix in prefixes)
    return {owner[1] for owner in found if owner is not None}


def owners_above(territory: Territory, prefixes: Iterable[str]) -> set[int]:
    """Entities that own the next prefix above one of these: what they owned may belong to these by now."""
    found = (territory.prefixes.find_owner(parent_of(prefix)) for prefix in prefixes)
    return {owner[1] for owner in found if owner is not None}


def drop_silent_prefixes(session: Session, prefixes: Iterable[str]) -> None:
    """Drop prefixes at or under these that say nothing."""
    session.note_prefix_change()
    dropped = drop_silent(session.territory, prefixes)
    if dropped:
        session.note_prefix_change(reset=True)
        session.tx.delete(PREFIXES, dropped)


def clear_lost_homepages(session: Session, entity_ids: Iterable[int]) -> None:
    """Clear the homepage of those entities where it belongs to another entity by now."""
    territory = session.territory
    for row in session.tx.get(ENTITIES, sorted(entity_ids)).values():
        if row[5] and not _owns(territory, row[0], row[5]):
            change_row(session, [(row, (*row[:4], now_micros(), None, *row[6:]))])


def _owns(territory: Territory, entity_id: int, url: str) -> bool:
    try:
        owner = territory.prefixes.find_owner(url_to_lru(url, territory.policy))
    except BadUrl:
        return True  # nothing tells that it is another's
    return owner is not None and owner[1] == entity_id


def touch(session: Session, row: Row) -> None:
    """Note that an entity was changed just now."""
    session.tx.update(ENTITIES, ("modified_at",), [(row[0], (now_micros(),))])
    session.changed = True


def is_bare(session: Session, entity_id: int) -> bool:
    """Whether an entity owns no prefix."""
    span = Span("by_entity_id", equal=(entity_id,), limit=1)
    return next(iter(session.tx.scan(PREFIXES, span)), None) is None


def remove_when_bare(session: Session, entity_id: int) -> bool:
    """Remove an entity that has lost its last prefix; whether it was removed."""
    if not is_bare(session, entity_id):
        return False
    hand_over_jobs(session, entity_row(session.tx, entity_id), None)
    remove_entity_row(session, entity_id)
    return True


def hand_over_jobs(session: Session, old: Row, new_id: int | None) -> None:
    """Give the crawl jobs of an entity that goes to another one or to nobody; they keep its name."""
    jobs = session.tx.scan(JOBS, Span("by_entity_id", equal=(old[0],)), ("id",))
    columns = ("entity_id", "previous_entity_id", "previous_entity_name")
    session.tx.update(JOBS, columns, [(row[0], (new_id, old[0], old[1])) for row in list(jobs)])
