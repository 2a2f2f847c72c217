"""What watches the service: `GET /health` for whoever asks whether it works, `GET /metrics` for Prometheus.

Only the registry is read, which holds a row for each corpus, worker and waiting job.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Final

from hyphe_core.api.browser_access import is_loopback_name
from hyphe_core.api.call import Caller
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import Role
from hyphe_core.api.service import Service
from hyphe_core.config import program_version
from memory_structure.registry import Registry

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Traffic:
    """Calls since the start, calls that wait for a thread, seconds since the start."""

    n_requests: int
    n_waiting: int
    uptime_seconds: float


def watch(service: Service, path: bytes, caller: Caller, traffic: Traffic) -> bytes | None:
    """The answer at `/health` or `/metrics`; None for metrics that are not for the caller. Blocks; raises
    StoreError."""
    if path == b"/health":
        return json.dumps(health_record(read_standing(service.registry))).encode()
    if not (is_loopback_name(caller.address) or service.may(Role.ADMIN, caller, None)):
        return None
    return metrics_text(read_standing(service.registry), traffic).encode()


@dataclass(frozen=True, slots=True)
class Standing:
    """How the registry stands. A job is running when a worker holds it, waiting otherwise."""

    n_corpora: int
    n_started: int
    n_workers: int
    n_silent_workers: int
    n_running: int
    n_waiting: int


def read_standing(registry: Registry) -> Standing:
    """The numbers of now. Blocks; raises StoreError."""
    corpora, workers, queue = registry.list_corpora(), registry.list_workers(), registry.list_queue()
    n_alive = sum(1 for worker in workers if worker.alive)
    n_running = sum(1 for entry in queue if entry.worker_id)
    return Standing(
        len(corpora),
        sum(1 for entry in corpora if entry.started),
        n_alive,
        len(workers) - n_alive,
        n_running,
        len(queue) - n_running,
    )


def health_record(standing: Standing) -> JsonObject:
    """What `/health` answers when the registry can be read."""
    return {
        "ok": True,
        "version": program_version(),
        "workers": standing.n_workers,
        "corpora": standing.n_corpora,
        "queue": standing.n_waiting,
        "running": standing.n_running,
    }


def metrics_text(standing: Standing, traffic: Traffic) -> str:
    """What `/metrics` answers, in the text format of Prometheus."""
    lines = [
        "# HELP hyphe_info The program.",
        "# TYPE hyphe_info gauge",
        f'hyphe_info{{version="{program_version()}"}} 1',
    ]
    for name, kind, words, value in (
        ("corpora", "gauge", "Corpora there are.", standing.n_corpora),
        ("corpora_started", "gauge", "Corpora that clients may use.", standing.n_started),
        ("workers_alive", "gauge", "Worker processes that gave a sign of life.", standing.n_workers),
        ("workers_silent", "gauge", "Workers whose lease ran out.", standing.n_silent_workers),
        ("jobs_running", "gauge", "Crawl jobs that workers hold.", standing.n_running),
        ("jobs_waiting", "gauge", "Crawl jobs that wait for a worker.", standing.n_waiting),
        ("requests_total", "counter", "Requests with calls since the start.", traffic.n_requests),
        ("requests_waiting", "gauge", "Calls that wait for a thread.", traffic.n_waiting),
        ("uptime_seconds", "gauge", "Time since the start.", round(traffic.uptime_seconds, 3)),
        ("cpu_seconds_total", "counter", "CPU time of the service.", round(time.process_time(), 3)),
    ):
        lines += [f"# HELP hyphe_{name} {words}", f"# TYPE hyphe_{name} {kind}", f"hyphe_{name} {value}"]
    return "\n".join([*lines, ""])
