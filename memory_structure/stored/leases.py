"""Queue, workers and hosts of the registry: everything held by a lease. A lease lives as long as its
worker's."""

from __future__ import annotations

import json
import os
import platform
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final

from memory_structure.errors import NotFound
from memory_structure.registry import Command, HostKey, QueueEntry, WaitingJob, WorkerEntry
from memory_structure.storage import Reader, Row, Span, Storage, Transaction
from memory_structure.stored.moments import from_micros, now_micros
from memory_structure.stored.schema import CORPORA, HOSTS, QUEUE, REGISTRY_STATE, WORKERS

_SECOND: Final = 1_000_000
# A holder that vanished may have asked a host a moment ago, and its delay is unknown.
_CAUTION_SECONDS: Final = 1.0


@dataclass(slots=True)
class _Offer:
    """A queue row, for choosing."""

    place: int
    corpus_id: str
    job_id: int
    command: str
    worker_id: str
    queued_at: int
    hosts: list[HostKey]


class Leases:
    """Who works on what, over the registry's database."""

    _storage: Storage

    # -- queue

    def enqueue(self, corpus_id: str, job_id: int, hosts: Sequence[HostKey]) -> None:
        """Offer a job to the workers; queued twice is once, with command RUN again."""
        self.enqueue_many(corpus_id, [(job_id, hosts)])

    def enqueue_many(self, corpus_id: str, jobs: Sequence[tuple[int, Sequence[HostKey]]]) -> None:
        """Offer several jobs at once."""
        with self._storage.transaction() as transaction:
            if not transaction.get(CORPORA, (corpus_id,)):
                raise NotFound(f"there is no corpus {corpus_id}")
            known = transaction.get(QUEUE, [(corpus_id, job_id) for job_id, _ in jobs])
            fresh = [job_id for job_id, _ in jobs if (corpus_id, job_id) not in known]
            places = dict(zip(fresh, _take_places(transaction, len(fresh)), strict=True))
            rows = []
            for job_id, hosts in jobs:
                old = known.get((corpus_id, job_id))
                place, worker_id, queued_at = (
                    (old[0], old[4], old[5]) if old else (places[job_id], "", now_micros())
                )
                text = json.dumps(sorted(set(hosts)))
                rows.append((place, corpus_id, job_id, Command.RUN.value, worker_id, queued_at, text))
            transaction.put(QUEUE, rows)

    def list_waiting(self) -> list[WaitingJob]:
        """Free jobs in the order in which workers will take them."""
        with self._storage.snapshot() as reader:
            offers = _offers(reader)
            living = _living(reader)
            held = {HostKey(r[0], r[1]): r[2] for r in reader.scan(HOSTS) if r[2] in living}
        running = _count_running(offers)
        n_running = dict(running)
        free = _choose([o for o in offers if _claimable(o, None)], running, len(offers))
        rest = [o for o in offers if not o.worker_id and not _claimable(o, None)]
        return [
            WaitingJob(
                _entry(o, ""), tuple((h, held[h]) for h in o.hosts if h in held), n_running[o.corpus_id]
            )
            for o in (*free, *rest)
        ]

    def claim_jobs(
        self, worker_id: str, limit: int, lease_seconds: float, only: tuple[str, int] | None = None
    ) -> list[QueueEntry]:
        """Take up to `limit` free jobs."""
        with self._storage.transaction() as transaction:
            _extend(transaction, worker_id, lease_seconds)
            offers = _offers(transaction)
            busy = _hosts_of_others(transaction, worker_id)
            running = _count_running(offers)
            free = [o for o in offers if _claimable(o, only) and not busy.intersection(o.hosts)]
            taken = _choose(free, running, limit)
            keys = [((o.corpus_id, o.job_id), (worker_id,)) for o in taken]
            transaction.update(QUEUE, ("worker_id",), keys)
            return [_entry(o, worker_id) for o in taken]

    def list_queue(self, corpus_id: str | None = None) -> list[QueueEntry]:
        """The queue, oldest first."""
        offers = _offers(self._storage)
        return [_entry(o, o.worker_id) for o in offers if corpus_id is None or o.corpus_id == corpus_id]

    def command_job(self, corpus_id: str, job_id: int, command: Command) -> bool:
        """Leave an order for the worker of a job."""
        return bool(self.command_jobs(corpus_id, (job_id,), command))

    def command_jobs(self, corpus_id: str, job_ids: Sequence[int], command: Command) -> dict[int, str]:
        """Leave an order for several jobs at once."""
        with self._storage.transaction() as transaction:
            rows = transaction.get(QUEUE, [(corpus_id, job_id) for job_id in job_ids])
            transaction.update(QUEUE, ("command",), [(key, (command.value,)) for key in rows])
            return {row[2]: row[4] for row in rows.values()}

    def release_job(self, corpus_id: str, job_id: int, worker_id: str, *, done: bool) -> None:
        """Give a job back; what another worker holds by now is left alone."""
        self.release_jobs(corpus_id, (job_id,), worker_id, done=done)

    def release_jobs(self, corpus_id: str, job_ids: Sequence[int], worker_id: str, *, done: bool) -> None:
        """Give several jobs back at once."""
        with self._storage.transaction() as transaction:
            rows = transaction.get(QUEUE, [(corpus_id, job_id) for job_id in job_ids])
            held = [key for key, row in rows.items() if row[4] == worker_id]
            if done:
                transaction.delete(QUEUE, held)
            else:
                transaction.update(QUEUE, ("worker_id",), [(key, ("",)) for key in held])

    # -- workers

    def beat(self, worker_id: str, machine: str, pid: int, lease_seconds: float) -> list[QueueEntry]:
        """Register or renew a worker; the jobs it holds."""
        with self._storage.transaction() as transaction:
            _renew(transaction, worker_id, machine, pid, lease_seconds)
            return [_entry(o, worker_id) for o in _offers(transaction) if o.worker_id == worker_id]

    def list_workers(self) -> list[WorkerEntry]:
        """Workers by id."""
        now = now_micros()
        rows = self._storage.scan(WORKERS)
        return [WorkerEntry(row[0], row[1], row[2], from_micros(row[3]), row[4] > now) for row in rows]

    def drop_worker(self, worker_id: str) -> None:
        """Forget a worker and free what it held."""
        with self._storage.transaction() as transaction:
            _free_all(transaction, {worker_id})

    def reap(self) -> list[QueueEntry]:
        """Free what workers hold whose lease ran out."""
        now = now_micros()
        with self._storage.transaction() as transaction:
            dead = {row[0] for row in transaction.scan(WORKERS) if row[4] <= now}
            known = {row[0] for row in transaction.scan(WORKERS)}
            dead.update(o.worker_id for o in _offers(transaction) if o.worker_id and o.worker_id not in known)
            freed = _free_all(transaction, dead)
            idle = [(r[0], r[1]) for r in transaction.scan(HOSTS) if not r[2] and r[3] <= now]
            transaction.delete(HOSTS, idle)
            return freed

    # -- hosts

    def lease_hosts(
        self, worker_id: str, hosts: Sequence[HostKey], lease_seconds: float
    ) -> dict[HostKey, float]:
        """Take hosts nobody else holds: seconds to wait before the first request."""
        granted: dict[HostKey, float] = {}
        with self._storage.transaction() as transaction:
            _extend(transaction, worker_id, lease_seconds)
            living = _living(transaction)
            rows = transaction.get(HOSTS, [tuple(host) for host in hosts])
            now = now_micros()
            changed = []
            for host in dict.fromkeys(hosts):
                row = rows.get(tuple(host), (*host, "", 0, ""))
                if row[2] not in ("", worker_id) and row[2] in living:
                    changed.append((*row[:4], worker_id))
                    continue
                granted[host] = max(0.0, (row[3] - now) / _SECOND)
                wanted_by = "" if row[4] == worker_id else row[4]
                changed.append((*host, worker_id, row[3], wanted_by))
            transaction.put(HOSTS, changed)
        return granted

    def release_hosts(self, worker_id: str, hosts: Sequence[tuple[HostKey, float]]) -> None:
        """Give hosts back, each with the seconds until it may be asked again."""
        with self._storage.transaction() as transaction:
            rows = transaction.get(HOSTS, [tuple(host) for host, _ in hosts])
            now = now_micros()
            freed = [
                (*host, "", now + int(seconds * _SECOND), rows[tuple(host)][4])
                for host, seconds in hosts
                if tuple(host) in rows and rows[tuple(host)][2] == worker_id
            ]
            transaction.put(HOSTS, freed)

    def wanted_hosts(self, worker_id: str) -> list[HostKey]:
        """Hosts this worker holds and another living one waits for."""
        living = {row[0] for row in self._storage.scan(WORKERS) if row[4] > now_micros()}
        rows = self._storage.scan(HOSTS, Span("by_worker_id", equal=(worker_id,)))
        return [HostKey(row[0], row[1]) for row in rows if row[4] in living and row[4] != worker_id]


def _take_places(transaction: Transaction, n: int) -> range:
    """The next places at the end of the queue."""
    first = int(transaction.get(REGISTRY_STATE, (1,))[1][2])
    transaction.update(REGISTRY_STATE, ("next_place",), [(1, (first + n,))])
    return range(first, first + n)


def _offers(reader: Reader) -> list[_Offer]:
    """The queue, oldest first."""
    rows = [(*row[:6], [HostKey(*host) for host in json.loads(row[6])]) for row in reader.scan(QUEUE)]
    return [_Offer(*row) for row in sorted(rows, key=lambda row: int(row[0]))]


def _count_running(offers: Sequence[_Offer]) -> dict[str, int]:
    """Corpus id -> its jobs that workers hold, for every corpus of the queue."""
    running: dict[str, int] = {}
    for offer in offers:
        running[offer.corpus_id] = running.get(offer.corpus_id, 0) + bool(offer.worker_id)
    return running


def _entry(offer: _Offer, worker_id: str) -> QueueEntry:
    return QueueEntry(
        offer.corpus_id, offer.job_id, Command(offer.command), worker_id, from_micros(offer.queued_at)
    )


def _claimable(offer: _Offer, only: tuple[str, int] | None) -> bool:
    free = not offer.worker_id and offer.command == Command.RUN.value
    return free and (only is None or (offer.corpus_id, offer.job_id) == only)


def _choose(free: list[_Offer], running: dict[str, int], limit: int) -> list[_Offer]:
    """One after the other: of the corpus with fewest running jobs, the oldest."""
    waiting: dict[str, deque[_Offer]] = {}
    for offer in sorted(free, key=lambda o: o.place):
        waiting.setdefault(offer.corpus_id, deque()).append(offer)
    heads = [(running[corpus_id], offers[0].place, corpus_id) for corpus_id, offers in waiting.items()]
    heapify(heads)
    taken: list[_Offer] = []
    while heads and len(taken) < limit:
        _, _, corpus_id = heappop(heads)
        offers = waiting[corpus_id]
        taken.append(offers.popleft())
        running[corpus_id] += 1
        if offers:
            heappush(heads, (running[corpus_id], offers[0].place, corpus_id))
    return taken


def _renew(transaction: Transaction, worker_id: str, machine: str, pid: int, lease_seconds: float) -> None:
    now = now_micros()
    row = transaction.get(WORKERS, (worker_id,)).get(worker_id)
    started_at = row[3] if row else now
    transaction.put(WORKERS, [(worker_id, machine, pid, started_at, now + int(lease_seconds * _SECOND))])


def _extend(transaction: Transaction, worker_id: str, lease_seconds: float) -> None:
    """Renew a worker that may not have told who it is yet."""
    row = transaction.get(WORKERS, (worker_id,)).get(worker_id)
    machine, pid = (row[1], row[2]) if row else (platform.node(), os.getpid())
    _renew(transaction, worker_id, machine, pid, lease_seconds)


def _living(reader: Reader) -> set[str]:
    now = now_micros()
    return {row[0] for row in reader.scan(WORKERS) if row[4] > now}


def _hosts_of_others(reader: Reader, worker_id: str) -> set[HostKey]:
    others = _living(reader) - {worker_id}
    return {HostKey(r[0], r[1]) for r in reader.scan(HOSTS) if r[2] in others}


def _free_all(transaction: Transaction, worker_ids: set[str]) -> list[QueueEntry]:
    """Free the jobs and hosts of workers and forget them; the jobs that became free."""
    held = [o for o in _offers(transaction) if o.worker_id and o.worker_id in worker_ids]
    transaction.update(QUEUE, ("worker_id",), [((o.corpus_id, o.job_id), ("",)) for o in held])
    earliest = now_micros() + int(_CAUTION_SECONDS * _SECOND)
    hosts: list[Row] = []
    for worker_id in sorted(worker_ids):
        rows = transaction.scan(HOSTS, Span("by_worker_id", equal=(worker_id,)))
        hosts += [(row[0], row[1], "", max(row[3], earliest), row[4]) for row in rows]
    transaction.put(HOSTS, hosts)
    transaction.delete(WORKERS, sorted(worker_ids))
    return [_entry(o, "") for o in held]
