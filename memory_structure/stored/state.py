"""The one row of totals and next ids of a corpus, read and written by every transaction."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from memory_structure.corpus_records import CorpusCounters
from memory_structure.errors import CorruptCorpus, SchemaMismatch
from memory_structure.storage import Reader, Row, Transaction
from memory_structure.stored.schema import SCHEMA_VERSION, STATE

_ROW_ID = 1


@dataclass(slots=True)
class State:
    """Totals, next ids and versions, in the column order of the table.

    `version` grows with each write; `prefix_version` with each change of prefixes, rules or precision
    exceptions; `prefix_reset` is the last prefix version at which something else than an addition happened;
    `label_version` grows when pages known before change owner or node. `segment` is the one being filled.
    `n_delta_links` counts weight changes not folded into rows yet, `n_delta_backward` those of arriving
    links."""

    id: int = _ROW_ID
    schema: int = SCHEMA_VERSION
    version: int = 0
    prefix_version: int = 0
    prefix_reset: int = 0
    label_version: int = 0
    next_page: int = 1
    next_node: int = 1
    next_entity: int = 1
    next_fetch: int = 1
    next_job: int = 1
    next_log: int = 1
    next_delta: int = 1
    segment: int = 1
    n_delta_links: int = 0
    n_delta_backward: int = 0
    n_pages: int = 0
    n_pages_fetched: int = 0
    n_links: int = 0
    n_in: int = 0
    n_out: int = 0
    n_undecided: int = 0
    n_discovered: int = 0

    def row(self) -> Row:
        """The row to store."""
        return astuple(self)

    def counters(self) -> CorpusCounters:
        """The totals people see."""
        return CorpusCounters(
            self.n_pages,
            self.n_pages_fetched,
            self.n_links,
            self.n_in,
            self.n_out,
            self.n_undecided,
            self.n_discovered,
        )


def find_state(reader: Reader) -> State | None:
    """The state of a corpus, None before it is laid out. Raises SchemaMismatch when a newer program wrote
    it."""
    row = reader.get(STATE, (_ROW_ID,)).get(_ROW_ID)
    if row is None:
        return None
    state = State(*row)
    if state.schema > SCHEMA_VERSION:
        raise SchemaMismatch(
            f"the corpus has schema {state.schema}, this program knows up to {SCHEMA_VERSION}:"
            " use the newer program"
        )
    return state


def read_state(reader: Reader) -> State:
    """The state of a laid out corpus."""
    state = find_state(reader)
    if state is None:
        raise CorruptCorpus("the corpus has no state row")
    return state


def write_state(transaction: Transaction, state: State) -> None:
    """Store the state."""
    transaction.put(STATE, [state.row()])
