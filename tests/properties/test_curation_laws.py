"""Any sequence of curation and crawling keeps the laws of the store, and undoing all of it gives back what
was curated.

The first curation state is made of: every entity that existed, its name, status, tags, start pages, homepage
and note, its prefixes; the rules; the precision exceptions but those that crawling added. After undoing every
act, newest first, all of it is as it was. What crawling stored since stays or is back: fetched pages,
the links of their last fetch, and entities that own pages which nobody owned before, all of them unjudged."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory_structure.acts import ActKind
from memory_structure.backends.mongodb import MongoStorage
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import CallerError, UndoConflict
from memory_structure.records import Fetch, StartPage, WebEntity, WebEntityStatus
from memory_structure.storage import Storage
from memory_structure.stored.minimal import says_nothing
from memory_structure.stored.structure import StoredMemoryStructure
from tests.corpus_cases import MOMENT, SPEC, batch, lru, page
from tests.mongodb_server import MongoServer, fresh_database_name

# Few pages below few hosts, so that acts meet.
LRUS = [
    *(lru("a.com", *path) for path in [(), ("p",), ("p", "q"), ("p", "q", "r"), ("s",)]),
    *(lru("www.a.com", *path) for path in [(), ("p",)]),
    lru("a.com", "p", scheme="https"),
    lru("b.a.com", "p"),
    *(lru("c.com", *path) for path in [(), ("p",)]),
]
pages = st.sampled_from(LRUS)
places = st.integers(0, 9)
presets = st.sampled_from(["domain", "subdomain", "path-1", "path-2", "page", "prefix+1"])
tags = st.sampled_from([("USER", "c", "1"), ("USER", "c", "2"), ("USER", "d", "1")])
statuses = st.sampled_from(list(WebEntityStatus))


def curated(entity: WebEntity) -> tuple[Any, ...]:
    """What people decided of an entity."""
    told = (entity.name, entity.status, entity.homepage, entity.start_pages, entity.tags, entity.note)
    return (*told, entity.created_at)


class Curating(RuleBasedStateMachine):
    """One corpus under acts and batches. A subclass says over which database."""

    open_storage: Callable[[], Storage]

    @initialize(limit=st.sampled_from([None, None, 1]), first=st.lists(pages, max_size=4), preset=presets)
    def start(self, limit: int | None, first: list[str], preset: str) -> None:
        self.storage = self.open_storage()
        self.corpus = StoredMemoryStructure(self.storage, CorpusOptions(precision_limit=limit))
        self.corpus.create_job(SPEC)
        self.n_attempts = 0
        self.crawled_exceptions: set[str] = set()
        self.crawled: set[str] = set()
        self.linked: set[tuple[str, str]] = set()
        if first:
            self.crawl(first, first[:2])
            self.corpus.add_rule(CreationRule(first[0], Preset.parse(preset)))
            self.corpus.declare_pages(first[:1])
        self.n_first_acts = len(self.corpus.list_acts())
        self.first = self.state()

    def teardown(self) -> None:
        if hasattr(self, "corpus"):
            self.undo_everything()
            self.storage.destroy()

    # -- what is known

    def state(self) -> dict[str, Any]:
        entities = self.corpus.list_web_entities()
        return {
            "entities": {e.web_entity_id: curated(e) for e in entities},
            "prefixes": {prefix: e.web_entity_id for e in entities for prefix in e.prefixes},
            "rules": self.corpus.rules().rules,
            "exceptions": set(self.corpus.precision().exceptions),
        }

    def entity(self, place: int) -> int | None:
        ids = [entity.web_entity_id for entity in self.corpus.list_web_entities()]
        return ids[place % len(ids)] if ids else None

    def act(self, call: Callable[[], object]) -> None:
        """Do it; what the store refuses changes nothing."""
        version = self.corpus.version()
        try:
            call()
        except CallerError:
            assert self.corpus.version() == version

    def minimal(self, entity_id: int, under: list[str]) -> None:
        """The entity owns nothing that says nothing, at and under what it was given."""
        with self.corpus._territory(self.storage) as territory:
            owned = [p for p in territory.prefixes if territory.prefixes[p] == entity_id]
            silent = [p for p in owned if says_nothing(territory, p, entity_id)]
        assert [prefix for prefix in silent if prefix.startswith(tuple(under))] == []

    # -- crawling

    @rule(sources=st.lists(pages, min_size=1, max_size=3), linked=st.lists(pages, max_size=3))
    def crawl(self, sources: list[str], linked: list[str]) -> None:
        before = set(self.corpus.precision().exceptions)
        made = []
        for source in sources:
            self.n_attempts += 1
            tried = Fetch(1, MOMENT, attempt=self.n_attempts, status=200)
            found = dict.fromkeys(target for target in linked if target != source)
            made.append(page(source, *found, attempts=[tried]))
            self.crawled.add(source)
            self.linked = {pair for pair in self.linked if pair[0] != source} | {(source, t) for t in found}
        self.corpus.write_batch(batch(*made))
        self.crawled_exceptions |= set(self.corpus.precision().exceptions) - before

    # -- curating

    @rule(prefixes=st.lists(pages, min_size=1, max_size=2, unique=True), status=statuses)
    def declare(self, prefixes: list[str], status: WebEntityStatus) -> None:
        def declare() -> None:
            made = self.corpus.declare_web_entity(prefixes, status=status)
            self.minimal(made.web_entity_id, prefixes)

        self.act(declare)

    @rule(keys=st.lists(pages, min_size=1, max_size=3))
    def declare_pages(self, keys: list[str]) -> None:
        self.corpus.declare_pages(keys)

    @precondition(lambda self: self.entity(0))
    @rule(place=places, prefixes=st.lists(pages, min_size=1, max_size=2, unique=True), take=st.booleans())
    def add_prefixes(self, place: int, prefixes: list[str], take: bool) -> None:
        entity = self.entity(place)
        assert entity is not None

        def add() -> None:
            self.corpus.add_prefixes(entity, prefixes, take=take)

        owned = {prefix: self.corpus.find_web_entity_by_prefix(prefix) for prefix in prefixes}
        given = [p for p, owner in owned.items() if owner is None or owner.web_entity_id != entity]
        n_acts = len(self.corpus.list_acts())
        self.act(add)
        if given and len(self.corpus.list_acts()) > n_acts:
            self.minimal(entity, given)

    @precondition(lambda self: self.entity(0))
    @rule(place=places, which=places)
    def remove_prefix(self, place: int, which: int) -> None:
        entity = self.entity(place)
        assert entity is not None
        prefixes = self.corpus.get_web_entity(entity).prefixes
        prefix = prefixes[which % len(prefixes)]
        seen = self.corpus.preview_remove_prefix(entity, prefix)
        before = self.owners()
        left = self.corpus.remove_prefix(entity, prefix)
        after = self.owners()
        assert seen.n_pages_moved == sum(before[key] != after[key] for key in before)
        assert seen.removed_web_entity_ids == ((entity,) if left is None else ())
        assert not set(seen.dropped_prefixes) & set(self.corpus.prefix_map())

    def owners(self) -> dict[str, int]:
        return {prefix.lru: prefix.web_entity_id for prefix in self.corpus.iter_pages()}

    @precondition(lambda self: self.entity(0))
    @rule(olds=st.lists(places, min_size=1, max_size=3), good=places, keeps=st.tuples(*[st.booleans()] * 5))
    def merge(self, olds: list[int], good: int, keeps: tuple[bool, ...]) -> None:
        ids = [found for found in map(self.entity, olds) if found is not None]
        into = self.entity(good)
        assert into is not None
        names = ("keep_tags", "keep_start_pages", "take_name_and_status", "take_homepage", "take_note")

        def merge() -> None:
            given = [prefix for entity in ids for prefix in self.corpus.get_web_entity(entity).prefixes]
            seen = self.corpus.preview_merge(ids, into)
            before = self.owners()
            self.corpus.merge_web_entities(ids, into, **dict(zip(names, keeps, strict=True)))
            after = self.owners()
            assert seen.n_pages_moved == sum(before[key] != after[key] for key in before)
            self.minimal(into, given)

        self.act(merge)

    @precondition(lambda self: self.entity(0))
    @rule(place=places, preset=presets)
    def split(self, place: int, preset: str) -> None:
        entity = self.entity(place)
        assert entity is not None
        self.corpus.split_web_entity(entity, preset)

    @precondition(lambda self: self.entity(0))
    @rule(place=places)
    def delete(self, place: int) -> None:
        entity = self.entity(place)
        assert entity is not None
        seen = self.corpus.preview_delete(entity)
        created = self.corpus.delete_web_entity(entity)
        made = [self.corpus.get_web_entity(i).prefixes for i in created]
        assert made == [tuple(sorted(prefixes)) for prefixes in seen.created_prefixes]

    @precondition(lambda self: self.entity(0))
    @rule(place=places)
    def forget(self, place: int) -> None:
        entity = self.entity(place)
        assert entity is not None
        seen = self.corpus.preview_forget(entity)
        n_before = self.corpus.counters()
        self.corpus.forget(entity)
        counters = self.corpus.counters()
        n_gone = seen.n_pages - seen.n_pages_kept + seen.n_pages_brought
        assert counters.n_pages == n_before.n_pages - n_gone
        assert counters.n_pages_fetched == n_before.n_pages_fetched - seen.n_pages_fetched
        left = {found.web_entity_id for found in self.corpus.list_web_entities()}
        assert not left & set(seen.removed_web_entity_ids)

    @rule(prefix=st.sampled_from(["", *LRUS]), preset=presets)
    def add_rule(self, prefix: str, preset: str) -> None:
        self.corpus.add_rule(CreationRule(prefix, Preset.parse(preset)))

    @rule(prefix=pages)
    def delete_rule(self, prefix: str) -> None:
        self.act(lambda: self.corpus.delete_rule(prefix))

    @rule(prefix=st.sampled_from(["", *LRUS]))
    def apply_rules(self, prefix: str) -> None:
        self.corpus.apply_rules(prefix)

    @rule(prefix=pages, there=st.booleans())
    def change_exception(self, prefix: str, there: bool) -> None:
        if there:
            self.corpus.add_precision_exceptions([prefix])
        else:
            self.act(lambda: self.corpus.delete_precision_exceptions([prefix]))

    @precondition(lambda self: self.entity(0))
    @rule(chosen=st.lists(places, min_size=1, max_size=3), tag=tags, other=tags, status=statuses)
    def edit_many(
        self,
        chosen: list[int],
        tag: tuple[str, str, str],
        other: tuple[str, str, str],
        status: WebEntityStatus,
    ) -> None:
        ids = [found for found in map(self.entity, chosen) if found is not None]
        self.corpus.edit_tags(ids, add=[tag], remove=[other])
        self.corpus.replace_tag_value(None, "USER", "d", "1", "2")
        self.corpus.set_statuses(ids, status)

    @precondition(lambda self: self.entity(0))
    @rule(place=places, name=st.sampled_from(["x", "y"]), key=pages)
    def edit_one(self, place: int, name: str, key: str) -> None:
        entity = self.entity(place)
        assert entity is not None
        shown = "http://a.com/p"
        self.corpus.edit_web_entity(entity, name=name, note=name, homepage=shown)
        self.act(lambda: self.corpus.edit_start_pages(entity, add=[StartPage(shown, "user")]))
        self.act(lambda: self.corpus.edit_start_pages(entity, remove=["HTTP://a.com:80/p"]))

    @rule(place=places)
    def undo_one(self, place: int) -> None:
        acts = self.corpus.list_acts(limit=10)[: -self.n_first_acts or None]
        if acts:
            self.act(lambda: self.corpus.undo(acts[place % len(acts)].act_id))

    @invariant()
    def laws_hold(self) -> None:
        if hasattr(self, "corpus"):
            assert self.corpus.check() == []

    # -- the end

    def undo_everything(self) -> None:
        """Newest first; what was undone before stays so. What was brought back cannot be forgotten again by
        undoing: acts that this refuses to undo were done before it, while it was forgotten."""
        ids = [act.act_id for act in self.corpus.list_acts(limit=10_000)]
        brought_back: set[int] = set()
        refused = False
        for act_id in ids[: len(ids) - self.n_first_acts]:
            act = self.corpus.get_act(act_id)
            if act.undoes and self.corpus.get_act(act.undoes).kind is ActKind.FORGET:
                brought_back.add(act_id)
            elif act.undone_by is None:
                try:
                    self.corpus.undo(act_id)
                except UndoConflict as conflict:
                    if not brought_back & set(conflict.later_act_ids):
                        raise
                    refused = True
        assert self.corpus.check() == []
        if refused:
            return
        assert self.crawled == {p.lru for p in self.corpus.iter_pages(only_fetched=True)}
        assert self.linked <= {(link.source_lru, link.target_lru) for link in self.corpus.iter_links()}
        now = self.state()
        first = self.first
        assert now["rules"] == first["rules"]
        strangers = {p: e for p, e in now["prefixes"].items() if p not in first["prefixes"]}
        # Pages that a declaration brought in stay, and so do the entities that the rules make for them.
        assert (now["exceptions"] - first["exceptions"]) <= self.crawled_exceptions | set(strangers)
        assert (first["exceptions"] - now["exceptions"]) <= self.crawled_exceptions
        kept = {entity: now["entities"].get(entity) for entity in first["entities"]}
        assert kept == first["entities"]
        assert {prefix: now["prefixes"].get(prefix) for prefix in first["prefixes"]} == first["prefixes"]
        for entity in self.corpus.list_web_entities():
            if entity.web_entity_id not in first["entities"]:
                assert (entity.status, entity.tags, entity.start_pages, entity.note, entity.homepage) == (
                    WebEntityStatus.DISCOVERED,
                    (),
                    (),
                    "",
                    None,
                )
        assert not set(strangers.values()) & set(first["entities"])


def _run(machine: type[Curating], n_examples: int, n_steps: int) -> None:
    chosen = settings(
        max_examples=n_examples,
        stateful_step_count=n_steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=chosen)


def _on_sqlite() -> Storage:
    folder = tempfile.mkdtemp()
    return SqliteStorage(Path(folder) / "corpus.sqlite")


class CuratingSqlite(Curating):
    open_storage = staticmethod(_on_sqlite)


def test_curation_keeps_the_laws_and_can_be_undone() -> None:
    _run(CuratingSqlite, 60, 14)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_curation_keeps_the_laws_and_can_be_undone_at_length() -> None:
    _run(CuratingSqlite, 300, 25)


def test_curation_keeps_the_laws_on_mongodb(mongodb_server: MongoServer) -> None:
    class CuratingMongodb(Curating):
        open_storage = staticmethod(lambda: MongoStorage(mongodb_server.uri, fresh_database_name()))

    _run(CuratingMongodb, 3, 10)
