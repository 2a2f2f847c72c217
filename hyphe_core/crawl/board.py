"""The hosts of one worker: which may be asked when, and which this worker holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count
from typing import Final

from hyphe_core.crawl.hosts import HostSlot
from hyphe_core.crawl.job_state import CrawlState
from memory_structure.registry import HostKey

SLICE_SECONDS: Final = 10.0
IDLE_SECONDS: Final = 2.0
_LEASE_AGAIN_SECONDS: Final = 3.0
_ASK_AGAIN_SECONDS: Final = 1.0


class HostBoard:
    """Slots by host, and a heap of those that something waits for, by the moment they may be asked.

    A host sleeps (is not in the heap) when nothing waits for it or when only an event can change that;
    every event calls `schedule`. With `needs_lease` a host is silent until `grant`.
    """

    __slots__ = ("_clock", "_needs_lease", "_order", "_ready", "_unleased", "slots")

    def __init__(self, clock: Callable[[], float], *, needs_lease: bool) -> None:
        self.slots: dict[HostKey, HostSlot] = {}
        self._clock = clock
        self._needs_lease = needs_lease
        self._order = count()
        self._ready: list[tuple[float, int, HostSlot]] = []
        self._unleased: dict[HostKey, HostSlot] = {}

    def slot(self, key: HostKey) -> HostSlot:
        """The slot of a host, made when it is new."""
        slot = self.slots.get(key)
        if slot is None:
            slot = self.slots[key] = HostSlot(key, not self._needs_lease, self._clock())
            if self._needs_lease:
                self._unleased[key] = slot
        return slot

    def attach(self, job: CrawlState, key: HostKey) -> None:
        """A job has pages for a host."""
        slot = self.slot(key)
        if job not in slot.jobs:
            slot.jobs.append(job)
        self.schedule(slot)

    def detach(self, job: CrawlState) -> None:
        """A job is over: its hosts forget it."""
        for key in job.queues:
            slot = self.slots.get(key)
            if slot is not None and job in slot.jobs:
                slot.jobs.remove(job)

    def schedule(self, slot: HostSlot) -> None:
        """Put a host in the heap for the moment it may be asked, unless it is there already or has no
        reason to be."""
        if not slot.leased or not slot.is_wanted:
            return
        at = slot.ready_at
        if slot.give_up_at is not None and max(at, self._clock()) >= slot.give_up_at:
            return
        if slot.scheduled_at is None or slot.scheduled_at > at:
            slot.scheduled_at = at
            heappush(self._ready, (at, next(self._order), slot))

    def pop(self, now: float) -> HostSlot | None:
        """A host that may be asked now, taken out of the heap; None when there is none."""
        while self._ready and self._ready[0][0] <= now:
            at, _, slot = heappop(self._ready)
            if slot.scheduled_at != at:
                continue
            slot.scheduled_at = None
            if slot.leased and slot.ready_at <= now and (slot.give_up_at is None or now < slot.give_up_at):
                return slot
            self.schedule(slot)
        return None

    def next_at(self) -> float | None:
        """When the next host may be asked, None when all sleep."""
        return self._ready[0][0] if self._ready else None

    def wake(self, job: CrawlState) -> None:
        """Something changed for a job: its hosts are looked at again."""
        for key in job.queues:
            slot = self.slots.get(key)
            if slot is not None:
                self.schedule(slot)

    def wake_all(self) -> None:
        """Look at every host again."""
        for slot in self.slots.values():
            self.schedule(slot)

    # -- leases

    def list_unleased(self) -> list[HostKey]:
        """Hosts something waits for and that this worker does not hold."""
        now = self._clock()
        return [key for key, slot in self._unleased.items() if slot.is_wanted and slot.lease_after <= now]

    def grant(self, key: HostKey, wait_seconds: float) -> None:
        """This worker now holds a host, and may ask it after that wait."""
        slot = self.slots.get(key)
        if slot is None or slot.leased:
            return
        now = self._clock()
        self._unleased.pop(key, None)
        slot.leased, slot.leased_at, slot.idle_since, slot.give_up_at = True, now, now, None
        slot.free_at = max(slot.free_at, now + wait_seconds)
        self.schedule(slot)

    def refuse(self, key: HostKey) -> None:
        """Another worker holds a host: ask again in a while."""
        slot = self.slots.get(key)
        if slot is not None:
            slot.lease_after = self._clock() + _ASK_AGAIN_SECONDS

    def share(self, wanted: Iterable[HostKey]) -> None:
        """Other workers wait for these hosts: each is given up once this worker had it for a fair slice."""
        for key in wanted:
            slot = self.slots.get(key)
            if slot is not None and slot.leased and slot.give_up_at is None:
                slot.give_up_at = slot.leased_at + SLICE_SECONDS

    def take_released(self) -> list[tuple[HostKey, float]]:
        """Hosts to give back, with the seconds until they may be asked again. They are no longer this
        worker's."""
        now = self._clock()
        released = [slot for slot in self.slots.values() if slot.leased and _is_to_release(slot, now)]
        for slot in released:
            slot.leased, slot.scheduled_at, slot.give_up_at = False, None, None
            slot.lease_after = now + _LEASE_AGAIN_SECONDS
            if slot.is_wanted:
                self._unleased[slot.key] = slot
            else:
                del self.slots[slot.key]
        return [(slot.key, max(0.0, slot.ready_at - now)) for slot in released]

    def drop_unwanted(self) -> None:
        """Forget hosts without lease that nothing waits for (their jobs ended)."""
        now = self._clock()
        for key, slot in list(self.slots.items()):
            idle = not slot.is_wanted and not slot.in_flight and slot.ready_at <= now
            if idle and (not slot.leased or not self._needs_lease):
                del self.slots[key]
                self._unleased.pop(key, None)


def _is_to_release(slot: HostSlot, now: float) -> bool:
    if slot.in_flight:
        return False
    if slot.give_up_at is not None and now >= slot.give_up_at:
        return True
    return not slot.is_wanted and now - slot.idle_since >= IDLE_SECONDS
