"""The composition root: registry, service, workers and the reactor are put together here, and ended in
order."""

from __future__ import annotations

import errno
import logging
import socket
import sys
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Any

from hyphe_core.config import Config
from hyphe_core.errors import AddressUnusable, PortInUse
from memory_structure.registry import Registry

_log = logging.getLogger(__name__)

_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"

_TIDY_SECONDS = 3600.0
_IDLE_SECONDS = 5.0

ReadyCallback = Callable[[str, int], None]


def _ignore(_host: str, _port: int) -> None:
    return None


def run_service(config: Config, on_ready: ReadyCallback = _ignore) -> int:
    """Run the service and its workers until SIGTERM or Ctrl-C; the exit code. `on_ready` gets host and port
    bound.

    Raises PortInUse or AddressUnusable before anything is started, StoreError when the registry cannot be
    opened.
    """
    from scrapy.utils.reactor import install_reactor

    install_reactor(_REACTOR)
    # Threads that compute hand over to the reactor this often: pings must not wait behind a search.
    sys.setswitchinterval(0.001)
    from memory_structure.opening import open_registry

    registry = open_registry(config.data_dir, config.mongodb_uri, config.blob_url)
    try:
        return _Process(config, registry, on_ready).run()
    finally:
        registry.close()


serve = run_service


class _Process:
    """The parts that run. The reactor is chosen before anything that imports it."""

    def __init__(self, config: Config, registry: Registry, on_ready: ReadyCallback) -> None:
        from twisted.internet import reactor

        self._reactor: Any = reactor
        self._config = config
        self._registry = registry
        self._on_ready = on_ready
        self._port: Any = None
        self._service: Any = None
        self._supervisor: Any = None
        self._is_ending = False
        self._ended = Event()
        self._lock = Lock()

    def run(self) -> int:
        from hyphe_core.api.service import Service
        from hyphe_core.api.transport import Workroom, make_site

        workroom = Workroom(self._reactor)
        self._service = Service(self._config, self._registry)
        self._port = self._listen(make_site(self._service, workroom))
        workroom.start()
        self._reactor.callWhenRunning(self._begin)
        self._reactor.addSystemEventTrigger("before", "shutdown", self._end, workroom)
        self._reactor.run()
        return 0

    def _listen(self, site: Any) -> Any:
        from twisted.internet.error import CannotListenError

        host, port = self._config.host, self._config.port
        try:
            return self._reactor.listenTCP(port, site, interface=_numeric(host), backlog=1024)
        except CannotListenError as error:
            if isinstance(error.socketError, OSError) and error.socketError.errno == errno.EADDRINUSE:
                raise PortInUse(host, port) from None
            raise AddressUnusable(f"cannot bind {host}, port {port}: {error.socketError}") from None

    def _begin(self) -> None:
        from twisted.internet.threads import deferToThread

        address = self._port.getHost()
        _log.info("listening on http://%s:%d/", self._config.host, address.port)
        self._on_ready(self._config.host, address.port)
        Thread(target=self._close_idle_until_end, name="idle", daemon=True).start()
        starting = deferToThread(self._start_workers)
        starting.addErrback(lambda f: _log.error("workers were not started: %s", f.getTraceback()))
        starting.addCallback(lambda _: self._tidy())

    def _tidy(self) -> None:
        """Begin to look after the corpora, in a thread that does not hold up the end: backups may be long."""
        Thread(target=self._tidy_until_end, name="tidy", daemon=True).start()

    def _tidy_until_end(self) -> None:
        """Now and every hour."""
        while not self._ended.is_set():
            try:
                tidy(self._registry, self._config)
            except Exception as error:
                # Whatever the store says: the service goes on.
                _log.log(logging.DEBUG if self._ended.is_set() else logging.ERROR, "not tidied: %s", error)
            self._ended.wait(_TIDY_SECONDS)

    def _close_idle_until_end(self) -> None:
        """Every few seconds."""
        from hyphe_core.api.keepalive import close_idle

        while not self._ended.wait(_IDLE_SECONDS):
            try:
                close_idle(self._service)
            except Exception as error:
                _log.log(logging.DEBUG if self._ended.is_set() else logging.ERROR, "idle corpora: %s", error)

    def _start_workers(self) -> None:
        """In a thread: reconciling opens every corpus."""
        from hyphe_core.crawl.supervisor import Supervisor

        reconcile(self._registry)
        with self._lock:
            if self._config.n_workers and not self._is_ending:
                self._supervisor = Supervisor(self._config, self._config.n_workers)
                self._supervisor.start()

    def _stop_workers(self) -> None:
        with self._lock:
            self._is_ending = True
            if self._supervisor is not None:
                self._supervisor.stop()

    def _end(self, workroom: Any) -> Any:
        """No new connection; workers first, then what is under way."""
        from twisted.internet.threads import deferToThread

        self._ended.set()
        self._port.stopListening()
        stopping = deferToThread(self._stop_workers)
        return stopping.addBoth(lambda _: workroom.stop())


def _numeric(host: str) -> str:
    """The address of a host name, which the reactor does not look up when binding."""
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except OSError as error:
        raise AddressUnusable(f"cannot bind {host}: {error}") from None


def tidy(registry: Registry, config: Config) -> None:
    """What the service does for corpora now and then."""
    from hyphe_core.api.automatic_backups import back_up_due
    from hyphe_core.maintenance.corpus_life import purge_due

    try:
        purge_due(registry, config.restore_days)
    finally:
        back_up_due(registry, config)


def reconcile(registry: Registry) -> None:
    """Make queue, leases and jobs agree after any kind of end: what dead workers held is free, lost jobs are
    queued."""
    from hyphe_core.maintenance import open_context, run_maintenance
    from hyphe_core.maintenance.reaping import free_dead_workers

    free_dead_workers(registry)
    for entry in registry.list_corpora():
        try:
            report = run_maintenance("reap-jobs", open_context(registry, entry.corpus_id))
            _log.info("corpus %s: %s", entry.corpus_id, report.summary)
        except Exception:
            # One broken corpus must not keep the others from being served.
            _log.exception("jobs of corpus %s were not reconciled", entry.corpus_id)
