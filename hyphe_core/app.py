"""The composition root: registry, service, workers and the reactor are put together here, and ended in
order."""

from __future__ import annotations

import errno
import logging
import socket
import sys
from collections.abc import Callable
from threading import Lock
from typing import Any

from hyphe_core.config import Config
from hyphe_core.errors import AddressUnusable, PortInUse
from memory_structure.registry import Registry

_log = logging.getLogger(__name__)

_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"

_TIDY_SECONDS = 3600.0

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
        self._supervisor: Any = None
        self._is_ending = False
        self._lock = Lock()

    def run(self) -> int:
        from hyphe_core.api.service import Service
        from hyphe_core.api.transport import Workroom, make_site

        workroom = Workroom(self._reactor)
        self._port = self._listen(make_site(Service(self._config, self._registry), workroom))
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
        starting = deferToThread(self._start_workers)
        starting.addErrback(lambda f: _log.error("workers were not started: %s", f.getTraceback()))
        starting.addCallback(lambda _: self._tidy())

    def _tidy(self) -> None:
        """Now and every hour, in a thread: what was destroyed long enough ago goes for good."""
        from twisted.internet.threads import deferToThread

        from hyphe_core.maintenance.corpus_life import purge_due

        if self._is_ending:
            return
        purging = deferToThread(purge_due, self._registry, self._config.restore_days)
        purging.addErrback(lambda f: _log.error("destroyed corpora were not removed: %s", f.value))
        purging.addCallback(lambda _: self._reactor.callLater(_TIDY_SECONDS, self._tidy))

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

        self._port.stopListening()
        stopping = deferToThread(self._stop_workers)
        return stopping.addBoth(lambda _: workroom.stop())


def _numeric(host: str) -> str:
    """The address of a host name, which the reactor does not look up when binding."""
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except OSError as error:
        raise AddressUnusable(f"cannot bind {host}: {error}") from None


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
