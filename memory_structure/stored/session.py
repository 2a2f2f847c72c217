"""A write transaction with what a process remembers: the unit in which a corpus changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from memory_structure.corpus_records import CorpusOptions
from memory_structure.storage import Transaction
from memory_structure.stored.caches import LabelArray, PageIds
from memory_structure.stored.codec import Ints, Longs, Pairs, packed, packed_ids
from memory_structure.stored.moments import now_micros
from memory_structure.stored.options import read_options
from memory_structure.stored.recorder import Recorder
from memory_structure.stored.schema import (
    BLOCK,
    ENTITY_CHANGES,
    FORGOTTEN,
    LABELS,
    PAGES,
    Labels,
    Weights,
)
from memory_structure.stored.scores import ScoreArray
from memory_structure.stored.state import State, read_state, write_state
from memory_structure.stored.status_counts import counts_of, put_point
from memory_structure.stored.territory import Territory
from memory_structure.stored.weights import store_changes


@dataclass(slots=True)
class Memory:
    """What outlives a transaction in a process. Good only for the thread that holds the write lock."""

    page_ids: PageIds = field(default_factory=PageIds)
    owners: LabelArray = field(default_factory=lambda: LabelArray(Labels.OWNER))
    nodes: LabelArray = field(default_factory=lambda: LabelArray(Labels.NODE))
    territory: Territory = field(default_factory=Territory)
    scores: ScoreArray = field(default_factory=ScoreArray)
    prefix_reset: int = 0  # last one seen: pages are taken out with a reset alone
    pages_version: int = 0  # last one seen that took out pages

    def forget(self) -> None:
        """After a rollback: ids of committed pages stay true, the rest is read again."""
        self.owners.forget()
        self.nodes.forget()
        self.territory.forget()
        self.scores.forget()


class Session:
    """One write transaction. `finish` stores state and pending weights; `settle`, after the commit, what was
    learnt."""

    def __init__(self, memory: Memory, transaction: Transaction) -> None:
        self.tx = Recorder(transaction)
        self.memory = memory
        self.state: State = read_state(transaction)
        self.options: CorpusOptions = read_options(transaction)
        self._forget_removed_pages()
        self._counts_before = counts_of(self.state)
        self.changed = False
        self.n_pages_moved = 0
        self.summary = ""  # of the act this transaction is, in words
        self.moment = now_micros()  # of what is made here; a batch tells its own, so that replays are equal
        self._prefixes_changed = False
        self._prefixes_reset = False
        self._labels_changed = False
        self._labels_versioned = False
        self._dirty_blocks: set[tuple[Labels, int]] = set()
        self._pending: dict[Weights, list[Pairs]] = {}
        self._learnt: list[tuple[Longs, Ints]] = []

    def _forget_removed_pages(self) -> None:
        """Ids of pages are remembered for good unless some were taken out, by whatever process."""
        memory, reset = self.memory, self.state.prefix_reset
        if reset != memory.prefix_reset:
            memory.prefix_reset = reset
            row = self.tx.get(FORGOTTEN, ((0, 0),)).get((0, 0))
            version = 0 if row is None else int(row[2])
            if version != memory.pages_version:
                memory.pages_version = version
                memory.page_ids = PageIds()

    # -- what is known

    @property
    def territory(self) -> Territory:
        """Prefixes, rules and precision as of now."""
        if not self._prefixes_changed:
            self.memory.territory.refresh(self.tx, self.state, self.options)
        return self.memory.territory

    @property
    def owners(self) -> LabelArray:
        """Owner of each page."""
        return self._refreshed(self.memory.owners)

    @property
    def nodes(self) -> LabelArray:
        """Node of each page; only with a precision limit."""
        return self._refreshed(self.memory.nodes)

    @property
    def has_nodes(self) -> bool:
        """Whether nodes are coarser than pages."""
        return self.options.precision_limit is not None

    def _refreshed(self, labels: LabelArray) -> LabelArray:
        if not self._labels_changed:
            labels.refresh(self.tx, self.state.label_version, self.state.next_page)
        return labels

    def page_ids(self, lrus: Sequence[str]) -> Ints:
        """Ids of pages, 0 for the unknown ones."""
        hashes = PageIds.hashes(lrus)
        ids = self.memory.page_ids.look_up(hashes)
        missing = np.flatnonzero(ids == 0)
        if len(missing):
            wanted = [lrus[i] for i in missing.tolist()]
            found: dict[str, int] = dict(self.tx.find(PAGES, "by_lru", wanted, ("lru", "id")))
            if found:
                ids[missing] = [found.get(lru, 0) for lru in wanted]
                known = missing[ids[missing] != 0]
                self._learnt.append((hashes[known], ids[known]))
        return ids

    # -- changes

    def learn(self, lrus: Sequence[str], ids: Ints) -> None:
        """Note new pages, to be remembered once they are committed."""
        self._learnt.append((PageIds.hashes(lrus), ids))

    def add_weights(self, kind: Weights, pairs: Pairs) -> None:
        """Change weights; for links between entities FORWARD alone: BACKWARD follows."""
        if len(pairs.keys):
            self._pending.setdefault(kind, []).append(pairs)

    def add_counts(self, entities: Ints, column: int, amounts: Ints) -> None:
        """Change a counter of entities."""
        self.add_weights(
            Weights.COUNTS, Pairs(packed(entities, np.full(len(entities), column, np.int32)), amounts)
        )

    def append_labels(self, kind: Labels, values: Ints) -> None:
        """Label new pages, whose ids follow the last one labelled."""
        labels = self.memory.owners if kind is Labels.OWNER else self.memory.nodes
        first = len(labels.values)
        labels.append(values)
        self._dirty_blocks.update(
            (kind, b) for b in range(first // BLOCK, (first + len(values) - 1) // BLOCK + 1)
        )

    def paint(self, kind: Labels, ids: Ints, values: Ints) -> None:
        """Change labels of known pages."""
        arrays = {Labels.OWNER: self.owners, Labels.NODE: self.nodes if self.has_nodes else self.memory.nodes}
        arrays[kind].paint(ids, values)
        self._labels_changed = True
        self._dirty_blocks.update((kind, block) for block in np.unique(ids // BLOCK).tolist())

    def paint_all(self, kind: Labels, values: Ints) -> None:
        """Set every label; index 0 is unused."""
        labels = self.memory.owners if kind is Labels.OWNER else self.memory.nodes
        labels.replace(values)
        self._labels_changed = True
        self._dirty_blocks.update((kind, block) for block in range((len(values) - 1) // BLOCK + 1))

    def drop_weights(self) -> None:
        """Forget pending changes of weights: all will be made anew."""
        self._pending.clear()

    def note_prefix_change(self, *, reset: bool = False) -> int:
        """Say that prefixes, rules or exceptions change, in other ways than by addition when `reset`; the new
        version."""
        territory = self.territory
        if not self._prefixes_changed:
            self.state.prefix_version += 1
            self._prefixes_changed = True
        if reset:
            self.state.prefix_reset = self.state.prefix_version
        self.changed = True
        assert territory is self.memory.territory
        return self.state.prefix_version

    def finish(self) -> None:
        """Store what was gathered; nothing at all when nothing changed. Further changes may follow: finish
        again."""
        self.finish_weights()
        if not self.changed:
            return
        if self._labels_changed and not self._labels_versioned:
            self.state.label_version += 1
            self._labels_versioned = True
        self._write_blocks()
        self.state.version += 1
        self._note_entities()
        self._note_statuses()
        write_state(self.tx, self.state)

    def _note_entities(self) -> None:
        """Keep which entities this version changed."""
        if self.tx.touched:
            self.tx.put(ENTITY_CHANGES, [(self.state.version, packed_ids(sorted(self.tx.touched)))])

    def _note_statuses(self) -> None:
        """Keep the numbers of entities by status when one of them changed."""
        counts = counts_of(self.state)
        if counts != self._counts_before:
            put_point(self.tx, self.moment, counts)

    def finish_weights(self) -> None:
        """Store pending weights, so that counters read in this transaction are right."""
        self.changed = self.changed or bool(self._pending or self._dirty_blocks)
        self._write_deltas()

    def _write_blocks(self) -> None:
        arrays = {Labels.OWNER: self.memory.owners, Labels.NODE: self.memory.nodes}
        rows = [
            (int(kind), block, arrays[kind].block_bytes(block)) for kind, block in sorted(self._dirty_blocks)
        ]
        self.tx.put(LABELS, rows)
        self._dirty_blocks.clear()

    def _write_deltas(self) -> None:
        pending, self._pending = self._pending, {}
        store_changes(self.tx, self.state, pending)

    def settle(self) -> None:
        """After the commit: remember page ids and the versions of what is held."""
        for hashes, ids in self._learnt:
            self.memory.page_ids.remember(hashes, ids)
        if self._labels_changed:
            self.memory.owners.moved_to(self.state.label_version)
            if self.has_nodes:
                self.memory.nodes.moved_to(self.state.label_version)
        if self._prefixes_changed:
            self.memory.territory.moved_to(self.state.prefix_version)
