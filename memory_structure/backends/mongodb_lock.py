"""One writer at a time on a database without transactions: a lock document, which is also where a commit
happens.

The document `{_id: 1}` of the collection `_lock` holds

owner    a fresh name for every acquisition, None when free; every change by the owner is guarded by it
place    where the owner runs, so that the death of a process of this machine is noticed at once
beat     grows while the owner lives
seq      number of the last applied transaction
pending  a transaction that is decided but perhaps not applied: {id, seq, parts, ops}
done     ids of the last applied transactions
litter   ids of journal documents that the next owner removes

Clocks are never compared: an owner counts as dead when neither it nor its beat has changed for the lease time
as seen by the one who waits. Setting `pending` is the commit: it succeeds only for the owner, in one atomic
change. Whoever takes the lock applies what is pending before anything else.
"""

from __future__ import annotations

import os
import random
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_structure.backends.mongodb_access import Access
from memory_structure.errors import MemoryStructureError, StoreError, StoreLocked

Document = dict[str, Any]

LOCK = "_lock"
N_REMEMBERED = 64
FIRST_PAUSE_SECONDS = 0.002
LAST_PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Pending:
    """A decided transaction: its id, number, how many journal documents hold it (0: `ops` do)."""

    id: str
    seq: int
    parts: int
    ops: list[Document]

    def part_ids(self) -> list[str]:
        """Ids of its journal documents."""
        return [f"{self.id}/{number}" for number in range(self.parts)]

    def document(self) -> Document:
        """As stored in the lock document."""
        return {"id": self.id, "seq": self.seq, "parts": self.parts, "ops": self.ops}


@dataclass(frozen=True, slots=True)
class LockState:
    """The lock as it was when taken."""

    seq: int
    pending: Pending | None
    done: tuple[str, ...]
    litter: list[str]
    abandoned: bool

    def settled(self) -> LockState:
        """The state once what is pending has been applied."""
        if self.pending is None:
            return self
        done = (*self.done, self.pending.id)[-N_REMEMBERED:]
        return LockState(self.pending.seq, None, done, [], self.abandoned)


def process_place() -> Document:
    """This process, as others of the same machine can look it up. Empty where there is no /proc."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = Path("/proc/self/ns/pid").stat().st_ino
        started = _started(os.getpid())
    except OSError:
        return {}
    return {"machine": f"{boot}/{space}", "pid": os.getpid(), "started": started or ""}


def _started(pid: int) -> str | None:
    """Start of a process in clock ticks since boot, None when there is no such process or it is a zombie."""
    try:
        fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else fields[19]


def _is_dead(place: Document, here: Document) -> bool:
    """Whether the process of `place` surely runs no more."""
    if not here or place.get("machine") != here["machine"]:
        return False
    return bool(_started(int(place["pid"])) != place["started"])


class WriterLock:
    """The lock of one database as one instance of the storage uses it, by one thread at a time."""

    def __init__(self, access: Access, *, busy_seconds: float, lease_seconds: float) -> None:
        self._access = access
        self._busy_seconds = busy_seconds
        self._lease_seconds = lease_seconds
        self._place = process_place()
        self._instance = uuid.uuid4().hex[:12]
        self.owner: str | None = None
        self._beaten_at = 0.0
        self._closed = threading.Event()
        self._heart: threading.Thread | None = None

    def is_pending(self) -> bool:
        """Whether a transaction is decided but not marked as applied."""
        return bool(self._read()["pending"])

    def acquire(self) -> LockState:
        """Take the lock. Raises StoreLocked after the busy time-out."""
        seen: tuple[Any, Any] = (None, None)
        unchanged, waited, pause = 0.0, 0.0, FIRST_PAUSE_SECONDS
        while True:
            document = self._read()
            now = (document["owner"], document["beat"])
            unchanged = unchanged if now == seen else 0.0
            seen = now
            if self._may_take(document, unchanged) and self._take(document):
                return _state(document)
            if waited >= self._busy_seconds:
                raise StoreLocked(f"another writer ({document['place'] or 'elsewhere'}) holds the database")
            length = pause * random.uniform(0.5, 1.0)
            time.sleep(length)
            unchanged, waited, pause = (
                unchanged + length,
                waited + length,
                min(pause * 1.5, LAST_PAUSE_SECONDS),
            )

    def _name(self) -> str:
        """Beginning of this instance's owner names; the copy in a forked process has another one."""
        return f"{self._instance}-{os.getpid()}"

    def _may_take(self, document: Document, unchanged_seconds: float) -> bool:
        owner = document["owner"]
        return (
            owner is None
            or owner.startswith(self._name())
            or unchanged_seconds >= self._lease_seconds
            or _is_dead(document["place"], self._place)
        )

    def _take(self, document: Document) -> bool:
        owner = f"{self._name()}.{uuid.uuid4().hex[:12]}"
        change = {"$set": {"owner": owner, "place": self._place, "beat": 0}}
        guard = {"_id": 1, "owner": document["owner"], "beat": document["beat"]}
        if self._change(guard, change) or self._read()["owner"] == owner:
            self.owner, self._beaten_at = owner, time.monotonic()
            self._start_heart()
            return True
        return False

    def decide(self, pending: Pending) -> bool:
        """The commit: True when the transaction now counts as done, False when the lock was lost before."""
        change = {"$set": {"pending": pending.document()}}
        if self._change({"_id": 1, "owner": self.owner}, change, durable=True):
            return True
        return self._was_decided(pending.id)

    def _was_decided(self, transaction: str) -> bool:
        """Whether another writer found the transaction pending; waits until it has applied it."""
        while True:
            document = self._read()
            if transaction in document["done"]:
                return True
            if (document["pending"] or {}).get("id") != transaction:
                return False
            if document["owner"] is None or _is_dead(document["place"], self._place):
                return True
            time.sleep(LAST_PAUSE_SECONDS)

    def finish(self, state: LockState, pending: Pending, *, release: bool) -> None:
        """The pending transaction is applied. When the lock was lost, its new owner does this itself.

        Durable although nothing would be lost: a server that forgot the release would let others wait.
        """
        change: Document = {
            "seq": pending.seq,
            "pending": None,
            "done": [*state.done, pending.id][-N_REMEMBERED:],
            "litter": pending.part_ids(),
        }
        if release:
            change["owner"] = None
        self._change({"_id": 1, "owner": self.owner}, {"$set": change}, durable=True)
        if release:
            self.owner = None

    def release(self) -> None:
        """Give the lock back; when the server does not answer, it stays until it is noticed as abandoned."""
        owner, self.owner = self.owner, None
        try:
            if owner is not None:
                self._change({"_id": 1, "owner": owner}, {"$set": {"owner": None}})
        except StoreError:
            return

    def flush(self) -> bool:
        """Wait until all that was written before is on the server's disk; False when the lock was lost."""
        return self._beat(durable=True)

    def holds(self) -> bool:
        """Whether the lock is surely still ours: asks the server when the last beat is some time ago."""
        if time.monotonic() - self._beaten_at < self._lease_seconds / 3:
            return True
        return self._beat()

    def close(self) -> None:
        """End the beat."""
        self._closed.set()

    def _beat(self, *, durable: bool = False) -> bool:
        started = time.monotonic()
        guard = {"_id": 1, "owner": self.owner}
        held = self.owner is not None and self._change(guard, {"$inc": {"beat": 1}}, durable=durable)
        if held:
            self._beaten_at = started
        return held

    def _start_heart(self) -> None:
        if self._heart is None:
            self._heart = threading.Thread(target=self._keep_beating, name="storage-lock", daemon=True)
            self._heart.start()

    def _keep_beating(self) -> None:
        while not self._closed.wait(self._lease_seconds / 4):
            owner = self.owner
            if owner is None:
                continue
            started = time.monotonic()
            try:
                if self._change({"_id": 1, "owner": owner}, {"$inc": {"beat": 1}}) and owner == self.owner:
                    self._beaten_at = started
            except MemoryStructureError:  # the writer itself meets the fault and reports it
                continue

    def _read(self) -> Document:
        document = self._access.find_one(LOCK, 1)
        if document is not None:
            return document
        fresh: Document = {"_id": 1, "owner": None, "place": {}, "beat": 0, "seq": 0}
        fresh |= {"pending": None, "done": [], "litter": []}
        self._access.add_once(LOCK, fresh)
        return fresh

    def _change(self, guard: Document, change: Document, *, durable: bool = False) -> bool:
        return self._access.change_one(LOCK, guard, change, durable=durable)


def _state(document: Document) -> LockState:
    pending = document["pending"]
    return LockState(
        document["seq"],
        None if pending is None else Pending(pending["id"], pending["seq"], pending["parts"], pending["ops"]),
        tuple(document["done"]),
        document["litter"],
        document["owner"] is not None,
    )
