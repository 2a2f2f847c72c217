"""The contract of curation: what people decide of a corpus, and the history of it.

Each write here is one transaction and, when it changes anything, one act (see `memory_structure.acts`). After
each of them no entity holds a prefix that says nothing: one below another prefix of the same entity, with no
other owner between, that no creation rule would otherwise give away. (The www form beside the bare form of
the same site is kept: people read both.) A prefix is never a bare public suffix. A homepage that falls to
another owner is cleared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from memory_structure.acts import Act, ActKind
from memory_structure.corpus_records import RuleApplication
from memory_structure.creation_rules import CreationRule, Preset, RuleSet
from memory_structure.precision import PrecisionLimit
from memory_structure.prefixes import PrefixMap
from memory_structure.previews import ForgetPreview, OwnershipPreview
from memory_structure.records import StartPage, Tag, WebEntity, WebEntityStatus


class Curation(ABC):
    """Web entities, their prefixes, the rules, the history."""

    # -- web entities

    @abstractmethod
    def declare_web_entity(
        self,
        prefixes: Sequence[str],
        *,
        name: str | None = None,
        status: WebEntityStatus = WebEntityStatus.DISCOVERED,
        start_pages: Sequence[StartPage] = (),
        tags: Sequence[Tag] = (),
    ) -> WebEntity:
        """Create a web entity that owns those prefixes, without the ones that say nothing. Raises PrefixTaken
        when one has an owner, InvalidValue when none is given or one is a bare public suffix. Pages below
        change hands; a prefix finer than the precision limit becomes an exception."""

    @abstractmethod
    def get_web_entity(self, web_entity_id: int) -> WebEntity:
        """The web entity of that id."""

    @abstractmethod
    def find_web_entity_by_prefix(self, prefix: str) -> WebEntity | None:
        """The owner of exactly that prefix."""

    @abstractmethod
    def prefix_owners(self, prefixes: Sequence[str]) -> dict[str, int]:
        """Prefix -> id of its owner, of exactly those prefixes that are owned, in one read."""

    @abstractmethod
    def find_owner(self, lru: str) -> WebEntity | None:
        """The entity that owns an LRU, whether it is a known page or not."""

    @abstractmethod
    def list_web_entities(
        self,
        *,
        ids: Sequence[int] | None = None,
        status: WebEntityStatus | None = None,
        after: tuple[str, int] | int | None = None,
        by_name: bool = False,
        limit: int | None = None,
    ) -> list[WebEntity]:
        """Web entities by id, or by (name, id) when `by_name`; `after` is the last one seen in that order (an
        id, or a (name, id) pair). With `ids`: those, in that order."""

    @abstractmethod
    def list_sub_web_entities(self, web_entity_id: int) -> list[int]:
        """Ids of the entities that own a prefix strictly below one of this entity's, rising."""

    @abstractmethod
    def list_parent_web_entities(self, web_entity_id: int) -> list[int]:
        """Ids of the entities that own a prefix strictly above one of this entity's, rising."""

    @abstractmethod
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
        """Replace what is given, leave the rest; an empty homepage clears it. Start pages must belong to the
        entity. Nothing is recorded when nothing differs."""

    @abstractmethod
    def edit_web_entities(
        self,
        web_entity_ids: Sequence[int],
        *,
        status: WebEntityStatus | None = None,
        note: str | None = None,
        add_tags: Sequence[Tag] = (),
        remove_tags: Sequence[Tag] = (),
    ) -> int:
        """The same edit on many entities, one act, all or none; the number that changed."""

    @abstractmethod
    def edit_tags(
        self, web_entity_ids: Sequence[int], *, add: Sequence[Tag] = (), remove: Sequence[Tag] = ()
    ) -> int:
        """Add and remove tags of entities of any status, one act, all or none; the number of entities that
        changed. A tag both added and removed is there afterwards. InvalidValue for a tag with an empty
        part."""

    @abstractmethod
    def replace_tag_value(
        self, web_entity_ids: Sequence[int] | None, namespace: str, category: str, old: str, new: str
    ) -> int:
        """Put one value in the place of another on those entities that have it (None: all entities); their
        number."""

    @abstractmethod
    def edit_start_pages(
        self, web_entity_id: int, *, add: Sequence[StartPage] = (), remove: Sequence[str] = ()
    ) -> WebEntity:
        """Add start pages, which must belong to the entity, behind those it has, and remove others, in any
        spelling of the same page. NotFound for one to be removed that is none. A page already among them is
        not added twice."""

    @abstractmethod
    def add_start_pages(self, additions: Sequence[tuple[int, Sequence[StartPage]]]) -> int:
        """Add start pages to many entities, one act, all or none, as `edit_start_pages` adds; the number of
        entities that changed."""

    @abstractmethod
    def set_statuses(self, web_entity_ids: Sequence[int], status: WebEntityStatus) -> int:
        """Set the status of many at once, all or none; the number that changed."""

    @abstractmethod
    def add_prefixes(self, web_entity_id: int, prefixes: Sequence[str], *, take: bool = False) -> WebEntity:
        """Give prefixes to an entity. One owned by another: PrefixTaken, or with `take` it moves here (an
        entity left without prefix is deleted). InvalidValue for a bare public suffix. Those that would say
        nothing are not added."""

    @abstractmethod
    def remove_prefix(self, web_entity_id: int, prefix: str) -> WebEntity | None:
        """Take a prefix away; its pages fall to the next owner up, or to entities the rules create. None when
        it was the last one and the entity is gone."""

    @abstractmethod
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
        """Fold entities into `good`: prefixes, pages, links, jobs. InvalidValue when `good` is among them.

        `keep_*` adds what the old ones have (homepages become start pages); `take_*` replaces what `good` has
        by that of the first old one that has it (notes: those of all, one a line)."""

    @abstractmethod
    def split_web_entity(
        self, web_entity_id: int, preset: Preset | str, *, dry_run: bool = False
    ) -> RuleApplication:
        """Cut an entity's known pages by a preset measured from its prefixes, as if a rule stood there, once:
        no rule is added. What the preset leaves stays with the entity."""

    @abstractmethod
    def delete_web_entity(self, web_entity_id: int) -> tuple[int, ...]:
        """Remove an entity; its pages fall to the next owner up, or to entities the rules create (their
        ids)."""

    # -- what would happen

    @abstractmethod
    def preview_add_prefixes(
        self, web_entity_id: int, prefixes: Sequence[str], *, take: bool = False
    ) -> OwnershipPreview:
        """What `add_prefixes` would do, with the same refusals; nothing is written."""

    @abstractmethod
    def preview_remove_prefix(self, web_entity_id: int, prefix: str) -> OwnershipPreview:
        """What `remove_prefix` would do."""

    @abstractmethod
    def preview_merge(self, old_ids: int | Sequence[int], good_id: int) -> OwnershipPreview:
        """What `merge_web_entities` would do."""

    @abstractmethod
    def preview_delete(self, web_entity_id: int) -> OwnershipPreview:
        """What `delete_web_entity` would do."""

    # -- rules and precision

    @abstractmethod
    def rules(self) -> RuleSet:
        """Default and anchored rules."""

    @abstractmethod
    def add_rule(self, rule: CreationRule) -> None:
        """Add or replace the rule anchored at a prefix and its variations (prefix "" = the default rule).
        Known pages are not touched: see `apply_rules`."""

    @abstractmethod
    def delete_rule(self, prefix: str) -> None:
        """Remove the rule anchored at a prefix and its variations."""

    @abstractmethod
    def apply_rules(self, prefix: str = "", *, dry_run: bool = False) -> RuleApplication:
        """Decide again for every known page under a prefix and its variations ("" = all), creating what the
        rules ask for, from the longest prefix to the shortest."""

    @abstractmethod
    def prefix_map(self) -> PrefixMap[int]:
        """Owned prefixes -> web entity id, as of now; a copy the caller may keep."""

    @abstractmethod
    def precision(self) -> PrecisionLimit:
        """The precision limit with its exceptions."""

    @abstractmethod
    def add_precision_exceptions(self, prefixes: Sequence[str]) -> None:
        """Full precision restarts at those prefixes; node links of pages below are made anew."""

    @abstractmethod
    def delete_precision_exceptions(self, prefixes: Sequence[str]) -> None:
        """Undo `add_precision_exceptions`; unknown ones raise NotFound."""

    @abstractmethod
    def preview_forget(self, web_entity_id: int) -> ForgetPreview:
        """What `forget` would take out."""

    # -- forgetting

    @abstractmethod
    def forget(self, web_entity_id: int) -> Act:
        """Take out all that crawling an entity brought in: attempts, links and texts of its pages, the pages
        that only these link to, entities left without page that nobody has judged, and itself when no page of
        its own stays. Pages that others link to, and start pages or homepages of other entities, stay as
        never fetched.

        InvalidValue while a crawl job of the entity has not ended. Done in many short transactions, all laws
        hold after each; one act, which can be undone (not done again: forget again). Bodies stay in the
        blob store. An entity that only stands there with its prefixes stays."""

    # -- history

    @abstractmethod
    def list_acts(
        self,
        *,
        before: int | None = None,
        limit: int = 100,
        web_entity_id: int | None = None,
        kinds: Sequence[ActKind] | None = None,
    ) -> list[Act]:
        """Acts, newest first, strictly older than the act `before`, without their changes; those that changed
        an entity, those of some kinds."""

    @abstractmethod
    def get_act(self, act_id: int) -> Act:
        """An act with its changes: by table, then key, then field."""

    @abstractmethod
    def undo(self, act_id: int) -> Act:
        """Set back what an act changed; the act that did it, which can itself be undone (redo).

        Only fields the act changed are touched. Raises UndoConflict when one of them was changed again since
        by later acts. Prefixes come back to their owners, also from entities that a crawl made at them
        meanwhile as long as nobody has judged those; pages left without owner get entities by the rules.
        What crawling stored stays. Entities keep their ids."""

    @abstractmethod
    def list_changed_web_entities(self, since_version: int) -> tuple[int, list[int] | None]:
        """(version now, ids of entities whose fields or prefixes changed, that were made or that are gone
        since a version, rising). None in the place of the ids: not known that far back, read everything.
        Counters of pages are not fields."""
