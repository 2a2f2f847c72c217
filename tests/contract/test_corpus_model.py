"""Any sequence of batches and edits, on each backend, against a naive model of owners, links and weights."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset, RuleSet
from memory_structure.errors import CallerError
from memory_structure.prefixes import variations
from memory_structure.records import (
    NETWORK_KINDS,
    Batch,
    Fetch,
    FetchError,
    LinkKind,
)
from memory_structure.stored import arrivals, relabel, segments, weights
from memory_structure.stored.structure import StoredMemoryStructure
from tests.contract.conftest import FreshCorpus, OpenStructure
from tests.corpus_cases import MOMENT, SPEC, link, lru, page

# Few pages, so that the same ones are fetched again, linked twice, cut and merged.
LRUS = [
    *(lru("a.com", *path) for path in [(), ("p",), ("p", "q"), ("p", "q", "r"), ("s",)]),
    *(lru("www.a.com", *path, scheme="https") for path in [("p",), ("s",)]),
    *(lru("x.b.com", *path) for path in [(), ("p",), ("p", "q")]),
    lru("b.com"),
]
PRESETS = ["domain", "subdomain", "path-1", "path-2", "page", "prefix+1"]

pages = st.sampled_from(LRUS)
kinds = st.sampled_from([LinkKind.HYPERLINK, LinkKind.HYPERLINK, LinkKind.REDIRECT, LinkKind.HEAD])
fetched = st.tuples(
    pages,
    st.lists(st.tuples(pages, kinds), max_size=5),
    st.integers(1, 2),
    st.integers(1, 3),
    st.sampled_from([True, True, False]),
)
batches = st.tuples(st.just("batch"), st.lists(fetched, min_size=2, max_size=6))
operations = st.one_of(
    batches,
    batches,
    st.tuples(st.just("declare_pages"), st.lists(pages, min_size=1, max_size=3)),
    st.tuples(st.just("declare"), st.lists(pages, min_size=1, max_size=2, unique=True)),
    st.tuples(st.just("add_prefix"), st.integers(0, 9), pages, st.booleans()),
    st.tuples(st.just("remove_prefix"), st.integers(0, 99)),
    st.tuples(st.just("merge"), st.integers(0, 9), st.integers(0, 9)),
    st.tuples(st.just("delete"), st.integers(0, 9)),
    st.tuples(st.just("rule"), st.sampled_from(["", *LRUS]), st.sampled_from(PRESETS)),
    st.tuples(st.just("delete_rule"), st.sampled_from(LRUS)),
    st.tuples(st.just("apply"), st.sampled_from(["", *LRUS])),
    st.tuples(st.just("exception"), pages),
    st.tuples(st.just("reopen")),
)


class Model:
    """The corpus as sets and dictionaries; everything derived is computed afresh."""

    def __init__(self) -> None:
        self.pages: dict[str, None] = {}
        self.links: dict[str, set[tuple[str, LinkKind]]] = {}
        self.attempts: set[tuple[str, int, int]] = set()
        self.fetched: set[str] = set()
        self.prefixes: dict[str, int] = {}
        self.rules = RuleSet()
        self.next_entity = 1

    def owned_prefix(self, key: str) -> str | None:
        above = [p for p in self.prefixes if key.startswith(p)]
        return max(above, key=len) if above else None

    def owner(self, key: str) -> int:
        prefix = self.owned_prefix(key)
        assert prefix is not None
        return self.prefixes[prefix]

    def create_by_rules(self, keys: list[str]) -> None:
        decided = [(self.rules.decide(key, self.owned_prefix(key)), key) for key in keys]
        for decision, key in sorted(
            decided, key=lambda d: (-len(d[0].prefix or ""), d[0].prefix or "", d[1])
        ):
            if not decision.creates or decision.prefix is None or decision.prefix in self.prefixes:
                continue
            assert decision.rule is not None
            if decision.rule.is_default and self.owned_prefix(key) is not None:
                continue
            for prefix in variations(decision.prefix):
                self.prefixes.setdefault(prefix, self.next_entity)
            self.next_entity += 1

    def add_pages(self, keys: list[str]) -> None:
        new = [key for key in dict.fromkeys(keys) if key not in self.pages]
        self.create_by_rules(new)
        self.pages.update(dict.fromkeys(new))

    def drop(self, prefixes: list[str]) -> None:
        for prefix in prefixes:
            del self.prefixes[prefix]
        self.create_by_rules([key for key in self.pages if self.owned_prefix(key) is None])
        self.drop_silent(prefixes)

    def drop_silent(self, changed: list[str]) -> None:
        """Without prefixes that say nothing, shortest first, among those under changed ones."""
        for prefix in sorted(self.prefixes):
            parent = prefix[: prefix.rstrip("|").rfind("|") + 1]
            above = self.owned_prefix(parent)
            if (
                prefix.startswith(tuple(changed))
                and above is not None
                and self.prefixes[above] == self.prefixes[prefix]
                and above not in variations(prefix)
                and not self.is_given_away(prefix, above)
            ):
                del self.prefixes[prefix]

    def is_given_away(self, prefix: str, above: str) -> bool:
        under = [prefix, *(anchor for anchor in self.rules.anchors if anchor.startswith(prefix))]
        decided = [self.rules.decide(key, above) for key in under]
        return any(d.creates and len(d.prefix or "") <= len(prefix) for d in decided)

    def entities(self) -> list[int]:
        return sorted(set(self.prefixes.values()))

    def weights(self) -> Counter[tuple[int, int]]:
        pairs = {
            (source, target)
            for source, links in self.links.items()
            for target, kind in links
            if kind in NETWORK_KINDS
        }
        return Counter((self.owner(source), self.owner(target)) for source, target in pairs)


class Run:
    """One sequence, on the store and on the model at once."""

    def __init__(self, open_structure: OpenStructure, options: CorpusOptions) -> None:
        self.open = open_structure
        self.store: StoredMemoryStructure = open_structure(options)
        self.store.create_job(SPEC)
        self.store.create_job(SPEC)
        self.model = Model()

    def apply(self, operation: tuple[Any, ...]) -> None:
        getattr(self, "do_" + operation[0])(*operation[1:])

    def do_batch(self, entries: list[tuple[str, list[tuple[str, LinkKind]], int, int, bool]]) -> None:
        made = []
        new_keys: list[str] = []
        for key, links, job, attempt, good in entries:
            links = [t for t in dict.fromkeys(links) if t[0] != key]
            error = None if good else FetchError.TIMEOUT
            tried = (Fetch(job, MOMENT, attempt=attempt, status=200 if good else None, error=error),)
            made.append(page(key, *(link(t, k) for t, k in links), attempts=tried))
            if (key, job, attempt) in self.model.attempts:
                continue
            self.model.attempts.add((key, job, attempt))
            new_keys += [key, *(t for t, _ in links if good)]
            self.model.fetched.add(key)
            if good:
                self.model.links[key] = set(links)
        self.store.write_batch(Batch(tuple(made)))
        self.model.add_pages(new_keys)
        before = self.store.version()
        again = self.store.write_batch(Batch(tuple(made)))
        assert (again.n_pages_stored, again.n_pages_known, self.store.version()) == (0, len(made), before)

    def do_declare_pages(self, keys: list[str]) -> None:
        self.store.declare_pages(keys)
        self.model.add_pages(keys)

    def do_declare(self, prefixes: list[str]) -> None:
        if any(prefix in self.model.prefixes for prefix in prefixes):
            self.refused(lambda: self.store.declare_web_entity(prefixes))
            return
        made = self.store.declare_web_entity(prefixes)
        assert made.web_entity_id == self.model.next_entity
        self.model.prefixes.update(dict.fromkeys(prefixes, made.web_entity_id))
        self.model.drop_silent(prefixes)
        self.model.next_entity += 1

    def do_add_prefix(self, place: int, prefix: str, take: bool) -> None:
        entity = self.entity(place)
        if entity is None:
            return
        owner = self.model.prefixes.get(prefix)
        if owner not in (None, entity) and not take:
            self.refused(lambda: self.store.add_prefixes(entity, [prefix]))
            return
        self.store.add_prefixes(entity, [prefix], take=take)
        if owner != entity:
            self.model.prefixes[prefix] = entity
            self.model.drop_silent([prefix])

    def do_remove_prefix(self, place: int) -> None:
        prefixes = sorted(self.model.prefixes)
        if prefixes:
            prefix = prefixes[place % len(prefixes)]
            entity = self.model.prefixes[prefix]
            self.model.drop([prefix])
            left = self.store.remove_prefix(entity, prefix)
            assert (left is None) == (entity not in self.model.entities())

    def do_merge(self, place: int, other: int) -> None:
        old, good = self.entity(place), self.entity(other)
        if old is None or good is None:
            return
        if old == good:
            self.refused(lambda: self.store.merge_web_entities(old, good))
            return
        self.store.merge_web_entities(old, good)
        moved = [p for p, e in self.model.prefixes.items() if e == old]
        self.model.prefixes.update(dict.fromkeys(moved, good))
        self.model.drop_silent(moved)

    def do_delete(self, place: int) -> None:
        entity = self.entity(place)
        if entity is not None:
            first = self.model.next_entity
            self.model.drop([p for p, e in self.model.prefixes.items() if e == entity])
            assert self.store.delete_web_entity(entity) == tuple(range(first, self.model.next_entity))

    def do_rule(self, prefix: str, preset: str) -> None:
        rule = CreationRule(prefix, Preset.parse(preset))
        self.store.add_rule(rule)
        self.model.rules = self.model.rules.with_rule(rule)

    def do_delete_rule(self, prefix: str) -> None:
        if self.model.rules.find_rule(prefix) is None:
            self.refused(lambda: self.store.delete_rule(prefix))
            return
        self.store.delete_rule(prefix)
        self.model.rules = self.model.rules.without_rule(prefix)

    def do_apply(self, prefix: str) -> None:
        seen = self.store.apply_rules(prefix, dry_run=True)
        before = self.owners()
        done = self.store.apply_rules(prefix)
        under = variations(prefix) if prefix else ("",)
        self.model.create_by_rules([key for key in self.model.pages if key.startswith(under)])
        moved = sum(before[key] != self.model.owner(key) for key in self.model.pages)
        assert (seen.prefixes, seen.n_pages_moved) == (done.prefixes, done.n_pages_moved)
        assert done.n_pages_moved == moved

    def do_exception(self, prefix: str) -> None:
        self.store.add_precision_exceptions([prefix])

    def do_reopen(self) -> None:
        """Another process goes on, so to say."""
        self.store = self.open()

    def entity(self, place: int) -> int | None:
        entities = self.model.entities()
        return entities[place % len(entities)] if entities else None

    def owners(self) -> dict[str, int]:
        return {key: self.model.owner(key) for key in self.model.pages}

    def refused(self, call: Any) -> None:
        version = self.store.version()
        try:
            call()
        except CallerError:
            assert self.store.version() == version
            return
        raise AssertionError("the store took what it had to refuse")

    def compare(self) -> None:
        store, model = self.store, self.model
        assert store.check() == []
        assert {p: store.prefix_map()[p] for p in store.prefix_map()} == model.prefixes
        records = list(store.iter_pages())
        assert [(r.lru, r.web_entity_id) for r in records] == sorted(self.owners().items())
        assert {r.lru for r in records if r.fetch is not None} == model.fetched
        weights = model.weights()
        between = sorted((s, t, n) for (s, t), n in weights.items() if s != t)
        assert [tuple(link) for link in store.web_entity_links()] == between
        assert store.internal_weights() == {s: n for (s, t), n in weights.items() if s == t}
        links = {(s, t, k) for s, found in model.links.items() for t, k in found}
        assert {(r.source_lru, r.target_lru, r.kind) for r in store.iter_links()} == links
        assert store.counters().n_links == len(links)
        for key in model.pages:
            assert {(r.source_lru, key, r.kind) for r in store.list_inlinks(key)} == {
                n for n in links if n[1] == key
            }
        for entity in store.list_web_entities():
            mine = [key for key, owner in self.owners().items() if owner == entity.web_entity_id]
            assert (entity.n_pages, entity.n_pages_fetched) == (
                len(mine),
                len(model.fetched.intersection(mine)),
            )
            assert [r.lru for r in store.list_pages(entity.web_entity_id)] == sorted(mine)


def _run(open_structure: OpenStructure, options: CorpusOptions, sequence: list[tuple[Any, ...]]) -> None:
    run = Run(open_structure, options)
    for operation in sequence:
        run.apply(operation)
        if operation[0] != "batch":
            run.compare()
    run.compare()


SMALL_LIMITS = [
    (weights, "_FOLD_AT", 4),
    (weights, "_FOLD_BACKWARD_AT", 9),
    (segments, "SEGMENT_LINKS", 3),
    (arrivals, "SEGMENTS_PER_RUN", 2),
    (arrivals, "_CHUNK_PAIRS", 2),
    (relabel, "_SUM_AT", 3),
]
N_EXAMPLES = {"sqlite": 60, "mongodb": 6}


@pytest.mark.parametrize("limit", [None, 1])
def test_store_equals_naive_model(
    backend: str, fresh_corpus: FreshCorpus, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if limit is not None:  # what grows by thousands of links elsewhere happens after a few here
        for module, name, value in SMALL_LIMITS:
            monkeypatch.setattr(module, name, value)

    @settings(max_examples=N_EXAMPLES[backend], deadline=None, suppress_health_check=list(HealthCheck))
    @given(first=batches, sequence=st.lists(operations, min_size=1, max_size=12))
    def run(first: tuple[Any, ...], sequence: list[tuple[Any, ...]]) -> None:
        _run(fresh_corpus(), CorpusOptions(precision_limit=limit), [first, *sequence])

    run()
