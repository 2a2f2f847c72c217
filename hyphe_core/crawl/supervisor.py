"""Keeps worker processes alive: starts them, starts dead ones again, ends them. No reactor, no event loop."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import hyphe_core
from hyphe_core.config import Config, config_environment
from hyphe_core.crawl.one_core import PLACE
from memory_structure.errors import MemoryStructureError
from memory_structure.opening import open_registry
from memory_structure.registry import Registry

WATCHES_PARENT: Final = "HYPHE_INTERNAL_WATCHES_PARENT"

_LOG: Final = logging.getLogger(__name__)
_POLL_SECONDS: Final = 0.25
_STOP_SECONDS: Final = 5.0
_FIRST_WAIT_SECONDS: Final = 0.5
_LONGEST_WAIT_SECONDS: Final = 30.0
_STEADY_SECONDS: Final = 20.0


@dataclass(slots=True)
class _Place:
    """One worker to be kept alive: its process, when it was started, how long to wait before the next
    start."""

    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_after: float = 0.0
    wait_seconds: float = _FIRST_WAIT_SECONDS


class Supervisor:
    """Workers of one machine. `start` and `stop` block; in between a thread of its own looks after the
    processes.

    A worker that ended unasked is forgotten by the registry at once, so that its jobs and hosts are free, and
    started again after a wait that doubles while it keeps dying. Workers end in order when this process is
    gone, however it went.
    """

    def __init__(self, config: Config, n_workers: int) -> None:
        self._config = config
        self._places = [_Place() for _ in range(n_workers)]
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._registry: Registry | None = None

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers that live."""
        with self._lock:
            return [p.process.pid for p in self._places if p.process is not None and p.process.poll() is None]

    def start(self) -> None:
        """Start the workers and the thread that looks after them."""
        if self._thread is not None:
            return
        self._stopped.clear()
        self.poll()
        self._thread = threading.Thread(target=self._look_after, name="supervisor", daemon=True)
        self._thread.start()

    def poll(self) -> None:
        """Look after the workers once: what died is forgotten by the registry and started again. May be
        called from
        any thread."""
        with self._lock:
            if self._stopped.is_set():
                return
            now = time.monotonic()
            for number, place in enumerate(self._places):
                self._tend(number, place, now)

    def stop(self) -> None:
        """End the workers: SIGTERM, and SIGKILL for those still there after five seconds."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with self._lock:
            living = [p.process for p in self._places if p.process is not None and p.process.poll() is None]
            for process in living:
                process.send_signal(signal.SIGTERM)
            end = time.monotonic() + _STOP_SECONDS
            for process in living:
                self._see_off(process, end)
            for place in self._places:
                place.process = None
        if self._registry is not None:
            self._registry.close()
            self._registry = None

    def _look_after(self) -> None:
        while not self._stopped.wait(_POLL_SECONDS):
            try:
                self.poll()
            except (MemoryStructureError, OSError):
                _LOG.exception("the workers could not be looked after; trying again")

    def _tend(self, number: int, place: _Place, now: float) -> None:
        process = place.process
        if process is not None:
            code = process.poll()
            if code is None:
                if now - place.started_at > _STEADY_SECONDS:
                    place.wait_seconds = _FIRST_WAIT_SECONDS
                return
            place.process = None
            _LOG.warning("worker %d ended with %d; it is started again", process.pid, code)
            self._forget(process.pid)
            place.start_after = now + place.wait_seconds
            place.wait_seconds = min(_LONGEST_WAIT_SECONDS, 2 * place.wait_seconds)
        if now >= place.start_after:
            place.process, place.started_at = self._spawn(number), now

    def _spawn(self, number: int) -> subprocess.Popen[bytes]:
        environment = (
            os.environ | config_environment(self._config) | {WATCHES_PARENT: "1", PLACE: str(number)}
        )
        return subprocess.Popen(
            [sys.executable, "-m", "hyphe_core.crawl.worker"],
            cwd=Path(hyphe_core.__file__).parents[1],
            env=environment,
            stdin=subprocess.PIPE,  # held open, never written: its end tells the worker that we are gone
            start_new_session=True,
        )

    def _see_off(self, process: subprocess.Popen[bytes], end: float) -> None:
        try:
            process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self._forget(process.pid)

    def _forget(self, pid: int) -> None:
        """Free what a dead worker held, without waiting for its lease to run out."""
        try:
            if self._registry is None:
                self._registry = open_registry(
                    self._config.data_dir, self._config.mongodb_uri, self._config.blob_url
                )
            machine = socket.gethostname()
            for worker in self._registry.list_workers():
                if worker.machine == machine and worker.pid == pid:
                    self._registry.drop_worker(worker.worker_id)
        except MemoryStructureError as error:
            _LOG.warning("worker %d could not be forgotten; its leases will run out: %s", pid, error)
