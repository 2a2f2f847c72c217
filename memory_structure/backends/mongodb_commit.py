"""How a transaction becomes durable and visible: journal, decision, application, in this order.

1. What is to be written goes to the journal (small transactions: into the lock document itself, with step 2).
2. One change of the lock document decides. Before it nothing has happened, after it everything has.
3. The rows are written, each with the number of the transaction, so that this may be repeated by anybody.
4. When they are on disk, the lock document says that the transaction is applied, and the lock is free.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from memory_structure.backends.mongodb_access import Access
from memory_structure.backends.mongodb_journal import Operation, OperationKind, journal_parts, operations_of
from memory_structure.backends.mongodb_lock import LockState, Pending, WriterLock
from memory_structure.backends.mongodb_overlay import TableChanges
from memory_structure.errors import CorruptCorpus, StoreLocked

JOURNAL = "_journal"
ROWS_PER_WRITE = 1000
N_DURABLE_ROWS = 3


class CommitStep(Enum):
    """Moments of a commit, in order; a test interferes there."""

    JOURNAL = "before the journal is written"
    DECIDE = "before the commit is decided"
    APPLY = "before the rows are written"
    APPLY_MORE = "between two groups of rows"
    FINISH = "before the commit is marked as applied"
    DONE = "before success is reported"


class Committer:
    """Takes the lock and carries out commits for one storage."""

    def __init__(self, access: Access, lock: WriterLock, on_step: Callable[[CommitStep], None]) -> None:
        self._access = access
        self._lock = lock
        self._on_step = on_step

    def take_lock(self) -> LockState:
        """The lock, with everything decided before applied and left-over journal documents removed."""
        state = self._lock.acquire()
        try:
            if state.pending is not None:
                self._apply(state.pending.seq, self._load(state.pending))
                self._lock.finish(state, state.pending, release=False)
            if state.abandoned:
                self._access.remove(JOURNAL, None)
            elif state.litter:
                self._access.remove(JOURNAL, state.litter)
        except BaseException:
            self._lock.release()
            raise
        return state.settled()

    def recover(self) -> None:
        """Apply what another writer decided and left. When it is alive, it does so itself."""
        if self._lock.is_pending():
            try:
                self.take_lock()
            except StoreLocked:
                return
            self._lock.release()

    def commit(self, state: LockState, changes: list[TableChanges]) -> None:
        """Make the changes durable and visible, and give the lock back.

        Raises StoreLocked when the lock was lost and another writer came between; nothing is written then.
        """
        if not changes:
            return
        seq = state.seq + 1
        operations = [o for c in changes for o in self._operations(c, seq)]
        inline, parts = journal_parts(operations)
        while True:
            pending = Pending(str(self._lock.owner), seq, len(parts), inline)
            self._on_step(CommitStep.JOURNAL)
            for part_id, ops in zip(pending.part_ids(), parts, strict=True):
                self._access.add_once(JOURNAL, {"_id": part_id, "ops": ops})
            self._on_step(CommitStep.DECIDE)
            if self._lock.decide(pending):
                break
            self._access.remove(JOURNAL, pending.part_ids())
            state = self._retake(seq)
        self._on_step(CommitStep.APPLY)
        self._apply(seq, operations)
        self._on_step(CommitStep.FINISH)
        self._lock.finish(state, pending, release=True)
        self._on_step(CommitStep.DONE)

    def _retake(self, seq: int) -> LockState:
        """The lost lock again, when nobody wrote meanwhile: what the transaction has read still holds."""
        state = self.take_lock()
        if state.seq + 1 != seq:
            raise StoreLocked("the lock was lost and another writer came between; nothing was written")
        return state

    def _operations(self, changes: TableChanges, seq: int) -> list[Operation]:
        codec, encode = changes.codec, self._access.encode
        removed = [encode({"_id": codec.document_id(key)}) for key in changes.removed]
        found = [
            (OperationKind.ADD, [encode(codec.document(row, seq)) for row in changes.added]),
            (OperationKind.WRITE, [encode(codec.document(row, seq)) for row in changes.written]),
            (OperationKind.REMOVE, removed),
        ]
        return [Operation(codec.table.name, kind, documents) for kind, documents in found if documents]

    def _load(self, pending: Pending) -> list[Operation]:
        """Operations of a decided transaction."""
        stored = list(pending.ops)
        for part_id in pending.part_ids():
            part = self._access.find_one(JOURNAL, part_id)
            if part is None:
                raise CorruptCorpus(f"the part {part_id} of a decided transaction is lost")
            stored += part["ops"]
        return operations_of(stored)

    def _apply(self, seq: int, operations: list[Operation]) -> None:
        """Write the rows and see them on disk. When the lock was lost, its new owner does all of this.

        Rows are acknowledged before they are on disk, so a server that was started anew meanwhile may have
        lost some. A few rows are written durably at once.
        """
        if sum(len(o.documents) for o in operations) <= N_DURABLE_ROWS:
            self._write(seq, operations, durable=True)
            return
        while True:
            server = self._access.server_id()
            if not self._write(seq, operations, durable=False) or not self._lock.flush():
                return
            if self._access.server_id() == server:
                return

    def _write(self, seq: int, operations: list[Operation], *, durable: bool) -> bool:
        """Write the rows once; False when the lock was lost."""
        for operation in operations:
            for start in range(0, len(operation.documents), ROWS_PER_WRITE):
                if not self._lock.holds():
                    return False
                some = operation.documents[start : start + ROWS_PER_WRITE]
                self._access.write(operation.table, operation.kind, some, seq, durable=durable)
                self._on_step(CommitStep.APPLY_MORE)
        return True
