"""Web entities: moving prefixes, merging, deleting."""

from __future__ import annotations

from collections.abc import Sequence

from memory_structure.acts import ActKind
from memory_structure.errors import NotFound
from memory_structure.records import WebEntity
from memory_structure.stored.entities import (
    checked_prefixes,
    drop_prefixes,
    entity_prefixes,
    entity_row,
    get_entity,
    give_prefixes,
    plural,
    refuse_taken,
)
from memory_structure.stored.entity_edits import EntityEdits
from memory_structure.stored.merging import Kept, merge, merged_ids
from memory_structure.stored.minimal import refuse_suffixes
from memory_structure.stored.ownership import (
    clear_lost_homepages,
    drop_silent_prefixes,
    owners_over,
    remove_when_bare,
    touch,
)


class EntityStore(EntityEdits):
    """Web entities and their prefixes."""

    def add_prefixes(self, web_entity_id: int, prefixes: Sequence[str], *, take: bool = False) -> WebEntity:
        """Give prefixes to an entity."""
        wanted = checked_prefixes(prefixes)
        with self._curating(ActKind.ADD_PREFIXES) as session:
            row = entity_row(session.tx, web_entity_id)
            refuse_suffixes(wanted, session.territory.policy)
            if not take:
                refuse_taken(session, wanted, except_id=web_entity_id)
            owned = session.territory.prefixes
            moving = [p for p in wanted if owned.get(p) != web_entity_id]
            if moving:
                losers = owners_over(session.territory, moving)
                bared = {owner for owner in map(owned.get, moving) if owner is not None}
                give_prefixes(session, web_entity_id, moving)
                drop_silent_prefixes(session, moving)
                touch(session, row)
                for loser in sorted(bared):
                    remove_when_bare(session, loser)
                clear_lost_homepages(session, losers)
                session.summary = f'Prefixes added to "{row[1]}"'
            session.finish_weights()
            return get_entity(session.tx, web_entity_id)

    def remove_prefix(self, web_entity_id: int, prefix: str) -> WebEntity | None:
        """Take a prefix away."""
        with self._curating(ActKind.REMOVE_PREFIX) as session:
            row = entity_row(session.tx, web_entity_id)
            if session.territory.prefixes.get(prefix) != web_entity_id:
                raise NotFound(f"web entity {web_entity_id} does not own the prefix {prefix}")
            drop_prefixes(session, [prefix])
            drop_silent_prefixes(session, [prefix])
            touch(session, row)
            gone = remove_when_bare(session, web_entity_id)
            clear_lost_homepages(session, {web_entity_id})
            session.finish_weights()
            session.summary = f'A prefix taken from "{row[1]}"' + (", its last one" if gone else "")
            return None if gone else get_entity(session.tx, web_entity_id)

    def merge_web_entities(
        self,
        old_ids: int | Sequence[int],
        good_id: int,
        *,
        keep_tags: bool = True,
        keep_start_pages: bool = True,
        take_name_and_status: bool = False,
        take_homepage: bool = False,
        take_note: bool = False,
    ) -> WebEntity:
        """Fold entities into `good`."""
        wanted = merged_ids(old_ids, good_id)
        with self._curating(ActKind.MERGE) as session:
            good = entity_row(session.tx, good_id)
            olds = [entity_row(session.tx, old_id) for old_id in wanted]
            kept = Kept(keep_tags, keep_start_pages, take_name_and_status, take_homepage, take_note)
            prefixes = merge(session, olds, good, kept)
            drop_silent_prefixes(session, prefixes)
            session.finish_weights()
            whom = f'"{olds[0][1]}"' if len(olds) == 1 else plural(len(olds))
            session.summary = f'{whom} merged into "{good[1]}"'
            return get_entity(session.tx, good_id)

    def delete_web_entity(self, web_entity_id: int) -> tuple[int, ...]:
        """Remove an entity; the ids of those that the rules made of its pages."""
        with self._curating(ActKind.DELETE) as session:
            name = entity_row(session.tx, web_entity_id)[1]
            prefixes = entity_prefixes(session.tx, web_entity_id)
            created = drop_prefixes(session, prefixes)
            drop_silent_prefixes(session, prefixes)
            remove_when_bare(session, web_entity_id)
            session.summary = f'Web entity "{name}" deleted'
            return created
