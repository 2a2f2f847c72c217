"""Keeps a worker's jobs and hosts in step with the registry: claims, leases, orders, ends."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar
from uuid import uuid4

from hyphe_core.crawl.answered_starts import keep_answered_starts
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.restore import restore_job
from hyphe_core.crawl.session import CrawlSession
from memory_structure.errors import IllegalTransition, MemoryStructureError
from memory_structure.jobs import ENDED
from memory_structure.records import EndReason, JobState
from memory_structure.registry import Command, QueueEntry

_T = TypeVar("_T")
_LOG: Final = logging.getLogger(__name__)
_BEAT_SECONDS: Final = 0.5
_JOBS_A_BEAT: Final = 32
_FEW_JOBS: Final = 8
_TICK_SECONDS: Final = 0.05
_NOTE_TIME_SECONDS: Final = 10.0
_GRACE_SECONDS: Final = 1.0
_END_STATES: Final = {EndReason.CANCELED: JobState.CANCELED, EndReason.FAULT: JobState.FAILED}
_END_KINDS: Final = {
    JobState.CANCELED: "CRAWL_CANCELED",
    JobState.FAILED: "CRAWL_FAILED",
    JobState.FINISHED: "CRAWL_FINISHED",
}

JobKey = tuple[str, int]


def new_worker_id() -> str:
    """A name no other worker has: machine, process, chance."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:6]}"


class Keeper:
    """Runs beside the spider of one worker.

    With `only`, those jobs alone are claimed, and the session is over when all of them have ended; else the
    worker lives
    until it is stopped.
    """

    def __init__(self, session: CrawlSession, *, only: list[JobKey] | None = None) -> None:
        self.worker_id = new_worker_id()
        self._session = session
        self._registry = session.registry
        self._lease_seconds = session.config.lease_seconds
        self._only = only
        self._jobs: dict[JobKey, CrawlState] = {}
        self._starting: set[JobKey] = set()
        self._ending: set[JobKey] = set()
        self._ended: set[JobKey] = set()
        self._thread = ThreadPoolExecutor(1, "registry")
        self._job_thread = ThreadPoolExecutor(1, "jobs")
        self._tasks: set[asyncio.Task[Any]] = set()
        self._reap_at = 0.0

    # -- life

    def start(self) -> None:
        """Begin to keep."""
        for work in (self._beat, self._lease, self._tick, self._note_time):
            self._spawn(work())

    async def stop(self) -> None:
        """Orderly end: requests get a second, then what was fetched is written and everything held is given
        back."""
        session = self._session
        if session.is_stopping:
            return
        session.is_stopping = True
        session.wake()
        for task in self._tasks:
            task.cancel()
        await self._drain()
        for corpus_id in session.buffer.list_corpora():
            await _at_most(_GRACE_SECONDS / 2, session.flush(corpus_id))
        session.writer.give_up()
        await _at_most(_GRACE_SECONDS, self._give_back())
        session.is_over = True
        session.wake()

    async def _drain(self) -> None:
        frontier = self._session.frontier
        end = frontier.clock() + _GRACE_SECONDS
        while (frontier.n_in_flight or self._session.parsing.n_waiting) and frontier.clock() < end:
            await asyncio.sleep(0.02)
        for job in list(frontier.jobs):
            self._session.cancel_requests(job)
        for ticket in list(self._session.tickets):
            ticket.cancel()
        while frontier.n_in_flight and frontier.clock() < end + 0.3:
            await asyncio.sleep(0.02)

    async def _give_back(self) -> None:
        for key, job in list(self._jobs.items()):
            await self._call(self._release if job.ended is None else self._release_ended, key, job)
        board = self._session.frontier.board
        now = self._session.frontier.clock()
        held = [(slot.key, max(0.0, slot.ready_at - now)) for slot in board.slots.values() if slot.leased]
        await self._call(self._registry.release_hosts, self.worker_id, held)
        await self._call(self._registry.drop_worker, self.worker_id)

    def _release(self, key: JobKey, job: CrawlState) -> None:
        structure = self._session.corpora.get(key[0]).structure
        words = f"the worker stopped after {job.n_done} pages; the job goes back to the queue"
        used = job.seconds_used(self._session.frontier.clock())
        state = JobState.PENDING if job.is_running else JobState.PAUSED
        structure.move_job(key[1], state, reason=words, active_seconds=used)
        structure.add_log("CRAWL_RELEASED", words, key[1])
        self._registry.release_job(*key, self.worker_id, done=False)

    def _release_ended(self, key: JobKey, _: CrawlState) -> None:
        """The end of the worker came between the end of a job and its leave from the queue."""
        if self._session.corpora.get(key[0]).structure.get_job(key[1]).state in ENDED:
            self._registry.release_job(*key, self.worker_id, done=True)

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _LOG.error("a task of the worker failed", exc_info=task.exception())

    async def _call(self, action: Callable[..., _T], *arguments: Any) -> _T:
        """Run a blocking call on the registry, after those before it."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, action, *arguments)

    async def _call_store(self, action: Callable[..., _T], *arguments: Any) -> _T:
        """Run a blocking call on a store; leases and beats do not wait for it."""
        return await asyncio.get_running_loop().run_in_executor(self._job_thread, action, *arguments)

    async def _repeat(self, seconds: float, action: Callable[[], Awaitable[None]]) -> None:
        """Do something again and again; a store that is away is waited for."""
        while True:
            try:
                await action()
            except MemoryStructureError as error:
                _LOG.warning("registry: %s", error)
                await asyncio.sleep(1.0)
            await asyncio.sleep(seconds)

    # -- beats: jobs and orders

    async def _beat(self) -> None:
        await self._repeat(_BEAT_SECONDS, self._beat_once)

    async def _beat_once(self) -> None:
        machine = socket.gethostname()
        held = await self._call(
            self._registry.beat, self.worker_id, machine, os.getpid(), self._lease_seconds
        )
        self._obey(held)
        await self._reap()
        for entry in await self._claim():
            key = (entry.corpus_id, entry.job_id)
            if key not in self._jobs and key not in self._starting:
                self._starting.add(key)
                self._spawn(self._begin(key))
        self._session.frontier.board.share(await self._call(self._registry.wanted_hosts, self.worker_id))

    async def _reap(self) -> None:
        """Free what workers held that no longer give a sign, a few times a lease."""
        now = self._session.frontier.clock()
        if now >= self._reap_at:
            self._reap_at = now + self._lease_seconds / 4
            for entry in await self._call(self._registry.reap):
                _LOG.warning("job %s of corpus %s was left by a dead worker", entry.job_id, entry.corpus_id)

    async def _claim(self) -> list[QueueEntry]:
        if self._only is None:
            wanted = self._n_wanted()
            if wanted <= 0:
                return []
            return await self._call(self._registry.claim_jobs, self.worker_id, wanted, self._lease_seconds)
        claimed: list[QueueEntry] = []
        for key in self._only:
            if key not in self._jobs and key not in self._starting and key not in self._ended:
                claimed += await self._call(
                    self._registry.claim_jobs, self.worker_id, 1, self._lease_seconds, key
                )
        return claimed

    def _n_wanted(self) -> int:
        """How many jobs to claim now: a slice at a time, so that workers that start together share the
        queue, and none while requests are under way at the limit."""
        frontier = self._session.frontier
        n_held = len(self._jobs) + len(self._starting)
        if n_held > _FEW_JOBS and frontier.n_in_flight >= frontier.max_in_flight:
            return 0
        return min(_JOBS_A_BEAT, self._session.config.n_jobs_per_worker - n_held)

    def _obey(self, held: list[QueueEntry]) -> None:
        orders = {(entry.corpus_id, entry.job_id): entry.command for entry in held}
        for key, job in list(self._jobs.items()):
            if job.ended is not None:
                continue
            order = orders.get(key)
            if order is None:
                self._lose(key, job)
            elif order is Command.CANCEL:
                self._session.frontier.end(job, EndReason.CANCELED, "canceled by request")
                self._session.cancel_requests(job)
            elif order is Command.PAUSE and job.is_running:
                self._pause(key, job)
            elif order is Command.RUN and not job.is_running:
                self._session.frontier.resume(job)
                self._spawn(self._note(key, JobState.RUNNING, "CRAWL_RESUMED", "resumed by request", job))
        self._session.wake()

    def _pause(self, key: JobKey, job: CrawlState) -> None:
        self._session.frontier.pause(job)
        self._spawn(self._note(key, JobState.PAUSED, "CRAWL_PAUSED", "paused by request", job))

    def _lose(self, key: JobKey, job: CrawlState) -> None:
        """The registry gave the job to another worker: stop without a word in the store."""
        _LOG.warning("job %s of corpus %s was taken away", key[1], key[0])
        self._session.frontier.end(job, EndReason.NONE, "taken away")
        self._session.cancel_requests(job)
        del self._jobs[key]

    async def _note(self, key: JobKey, state: JobState, kind: str, words: str, job: CrawlState) -> None:
        structure = self._session.corpora.get(key[0]).structure
        used = job.seconds_used(self._session.frontier.clock())
        end = EndReason.PAUSED if state is JobState.PAUSED else EndReason.NONE

        def write() -> None:
            structure.move_job(key[1], state, end=end, reason=words, active_seconds=used)
            structure.add_log(kind, words, key[1])

        await self._call_store(write)

    # -- beginnings and ends

    async def _begin(self, key: JobKey) -> None:
        try:
            job = await self._call_store(self._load, key)
        except MemoryStructureError as error:
            is_gone = isinstance(error, (LookupError, IllegalTransition))
            _LOG.error("job %s of corpus %s cannot be taken up: %s", key[1], key[0], error)
            await self._call(lambda: self._registry.release_job(*key, self.worker_id, done=is_gone))
            if is_gone:
                self._ended.add(key)
                self._check_over()
            return
        finally:
            self._starting.discard(key)
        if self._session.is_stopping:
            return
        self._jobs[key] = job
        self._session.frontier.add_job(job)
        self._session.wake()

    def _load(self, key: JobKey) -> CrawlState:
        corpus = self._session.corpora.reload(key[0])
        stored = corpus.structure.get_job(key[1])
        if stored.state in ENDED:
            raise IllegalTransition(f"it has ended already ({stored.state.value})")
        config = self._session.config
        job = CrawlState(
            *key,
            stored.spec,
            corpus.cutter,
            agent=config.user_agent,
            counters=stored.counters,
            active_seconds=stored.active_seconds,
            max_crawl_delay_seconds=config.max_crawl_delay_seconds,
        )
        n_done = restore_job(job, corpus.structure)
        words = f"taken up again after {n_done} pages" if n_done else "running"
        corpus.structure.move_job(key[1], JobState.RUNNING, reason=words)
        corpus.structure.add_log("CRAWL_RESUMED" if n_done else "CRAWL_RUNNING", words, key[1])
        return job

    async def _finish(self, key: JobKey, job: CrawlState) -> None:
        reason, words = job.ended or (EndReason.NONE, "")
        await self._session.flush(key[0])
        fault = self._session.writer.find_fault(key[0])
        if fault is not None:  # what was fetched last could not be kept: the job is not done
            reason, words = EndReason.FAULT, fault
        state = _END_STATES.get(reason, JobState.FINISHED)
        structure = self._session.corpora.get(key[0]).structure

        def write() -> None:
            structure.move_job(key[1], state, end=reason, reason=words, active_seconds=job.active_seconds)
            structure.add_log(_END_KINDS[state], words, key[1])

        try:
            await self._insist(lambda: keep_answered_starts(structure, key[1]))
            await self._insist(write)
            await self._insist(lambda: self._registry.release_job(*key, self.worker_id, done=True))
            await self._insist(lambda: self._registry.touch_corpus(key[0]))
        finally:
            self._jobs.pop(key, None)
            self._ending.discard(key)
            self._ended.add(key)
            self._check_over()

    async def _insist(self, action: Callable[[], object]) -> None:
        """Do something once the store answers; other faults of the store are logged and given up."""
        while True:
            try:
                await self._call_store(action)
            except (ConnectionError, TimeoutError) as error:
                _LOG.warning("waiting for the store: %s", error)
                await asyncio.sleep(1.0)
            except MemoryStructureError as error:
                _LOG.error("the end of a job could not be noted: %s", error)
                return
            else:
                return

    def _check_over(self) -> None:
        if self._only is not None and all(key in self._ended for key in self._only):
            self._session.is_over = True
            self._session.wake()

    # -- ticks: batches, expansions, ends, hosts

    async def _tick(self) -> None:
        session = self._session
        while True:
            session.write_due()
            await session.expand_next()
            for job in session.frontier.take_finished():
                key = (job.corpus_id, job.job_id)
                session.cancel_requests(job)
                if job.ended is not None and job.ended[0] is not EndReason.NONE:
                    self._ending.add(key)
                    self._spawn(self._finish(key, job))
            await asyncio.sleep(_TICK_SECONDS)

    async def _lease(self) -> None:
        await self._repeat(_TICK_SECONDS, self._lease_once)

    async def _lease_once(self) -> None:
        board = self._session.frontier.board
        wanted = board.list_unleased()
        if wanted:
            granted = await self._call(
                self._registry.lease_hosts, self.worker_id, wanted, self._lease_seconds
            )
            for host in wanted:
                if host in granted:
                    board.grant(host, granted[host])
                else:
                    board.refuse(host)
            self._session.wake()
        board.drop_unwanted()
        released = board.take_released()
        if released:
            await self._call(self._registry.release_hosts, self.worker_id, released)

    async def _note_time(self) -> None:
        """Keep the crawling time of running jobs in the store, so that a kill loses little of it."""
        while True:
            await asyncio.sleep(_NOTE_TIME_SECONDS)
            for key, job in list(self._jobs.items()):
                if job.is_running and job.spec.time_limit_seconds is not None:
                    structure = self._session.corpora.get(key[0]).structure
                    used = job.seconds_used(self._session.frontier.clock())
                    await self._insist(
                        lambda s=structure, k=key, u=used: s.move_job(
                            k[1], JobState.RUNNING, active_seconds=u
                        )  # type: ignore[misc]
                    )


async def _at_most(seconds: float, work: Awaitable[None]) -> None:
    """Await something, but not longer than that; its failure is logged."""
    try:
        await asyncio.wait_for(work, seconds)
    except (TimeoutError, MemoryStructureError) as error:
        _LOG.warning("not done before the end: %s", str(error) or "too slow")
