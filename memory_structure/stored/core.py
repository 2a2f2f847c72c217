"""What every part of the stored memory structure stands on: the database, write sessions, reads of one
moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Final, TypeVar

from memory_structure.acts import ActKind
from memory_structure.corpus_records import CorpusCounters, CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import InvalidValue
from memory_structure.storage import Reader, Storage
from memory_structure.stored.act_rows import record_act
from memory_structure.stored.options import FIXED_OPTIONS, read_options, write_options
from memory_structure.stored.rule_rows import store_rule
from memory_structure.stored.schema import CORPUS_TABLES, ENTITY_CHANGES
from memory_structure.stored.session import Memory, Session
from memory_structure.stored.state import State, find_state, read_state, write_state
from memory_structure.stored.territory import Territory

T = TypeVar("T")

_N_TRIES: Final = 5  # reads of one moment begun again because something was written meanwhile


class Core:
    """A corpus over a database: laid out when new, with those options."""

    def __init__(self, storage: Storage, options: CorpusOptions | None = None) -> None:
        self._storage = storage
        self._memory = Memory()
        self._write_lock = threading.RLock()
        self._forget_lock = threading.Lock()
        self._read_lock = threading.RLock()
        self._read_territory = Territory()
        storage.ensure_tables(CORPUS_TABLES)
        if find_state(storage) is None:
            self._lay_out(options or CorpusOptions())

    def _lay_out(self, options: CorpusOptions) -> None:
        rule = CreationRule("", Preset.parse(options.default_rule))
        with self._storage.transaction() as transaction:
            if find_state(transaction) is None:
                write_state(transaction, State(version=1, prefix_version=1, prefix_reset=1))
                write_options(transaction, options)
                store_rule(transaction, rule)
                transaction.put(ENTITY_CHANGES, [(1, b"")])

    @property
    def storage(self) -> Storage:
        """The database the corpus lies in."""
        return self._storage

    # -- reading and writing

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        """A transaction. After an error nothing remembered is trusted."""
        with self._write_lock:
            try:
                with self._storage.transaction() as transaction:
                    session = Session(self._memory, transaction)
                    yield session
                    session.finish()
            except BaseException:
                self._memory.forget()
                raise
            session.settle()

    @contextmanager
    def _curating(self, kind: ActKind) -> Iterator[Session]:
        """A transaction whose changes of curated tables become one act."""
        with self._writing() as session:
            session.tx.record()
            yield session
            record_act(session, kind)

    def _at_one_moment(self, read: Callable[[Reader], T]) -> T:
        """What `read` gives when nothing is written meanwhile; after a few tries writers wait."""
        for _ in range(_N_TRIES):
            with self._storage.snapshot() as reader:
                before = read_state(reader).version
                answer = read(reader)
                if read_state(reader).version == before:
                    return answer
        with self._write_lock, self._storage.transaction() as transaction:
            return read(transaction)

    @contextmanager
    def _territory(self, reader: Reader) -> Iterator[Territory]:
        """Prefixes, rules and precision as a reader sees them; nobody changes them inside the block."""
        with self._read_lock:
            self._read_territory.refresh(reader, read_state(reader), read_options(reader))
            yield self._read_territory

    # -- the corpus as a whole

    def options(self) -> CorpusOptions:
        """The corpus' options."""
        return read_options(self._storage)

    def set_options(self, options: CorpusOptions) -> None:
        """Replace the options."""
        preset = Preset.parse(options.default_rule)
        with self._curating(ActKind.OPTIONS) as session:
            session.summary = "Options of the corpus changed"
            old = session.options
            if session.state.n_pages:
                _refuse_fixed(old, options)
            write_options(session.tx, options)
            session.note_prefix_change(reset=True)
            rule = CreationRule("", preset)
            if session.territory.rules.default != rule:
                store_rule(session.tx, rule)
            self._memory.territory.reread_rules(session.tx, options)

    def counters(self) -> CorpusCounters:
        """Totals."""
        return read_state(self._storage).counters()

    def version(self) -> int:
        """Grows with every committed write."""
        return read_state(self._storage).version

    def size_bytes(self) -> int:
        """Space the store takes."""
        return self._storage.size_bytes()

    def close(self) -> None:
        """Release the store."""
        with self._write_lock:
            self._storage.close()


def _refuse_fixed(old: CorpusOptions, new: CorpusOptions) -> None:
    assert {f.name for f in fields(CorpusOptions)}.issuperset(FIXED_OPTIONS)
    for name in FIXED_OPTIONS:
        if getattr(old, name) != getattr(new, name):
            raise InvalidValue(
                f"{name} is fixed once a corpus holds pages: it is {getattr(old, name)!r},"
                f" not {getattr(new, name)!r}"
            )
