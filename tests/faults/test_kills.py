"""A crawl that is killed and resumed must end as one that was not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.exactness.crawling import ROOT, crawl_arguments, exported, hyphe, served_web
from tests.testweb import Web

Exports = dict[str, list[tuple[tuple[str, str], ...]]]
SHAPE = (24, 900, 7, "normal")
TIMES = {"fetched_at", "duration_seconds", "first_seen_at", "created_at", "modified_at"}
OPTIONS = ("--per-host", "2", "--ignore-crawl-delay", "--workers", "2")


def normalised(data_dir: Path, **environment: str) -> Exports:
    """Exports without moments, web entity ids replaced by the smallest prefix."""
    entities = exported(data_dir, "web-entities", **environment)
    smallest = {row["Id"]: min(row["prefixes"].split(" ")) for row in entities}
    result = {}
    for what in ("pages", "links", "network", "web-entities"):
        rows = []
        for row in exported(data_dir, what, **environment):
            kept = {name: value for name, value in row.items() if name not in TIMES}
            for name in (
                "web_entity_id",
                "source_web_entity_id",
                "target_web_entity_id",
                "Source",
                "Target",
                "Id",
            ):
                if kept.get(name):
                    kept[name] = smallest[kept[name]]
            rows.append(tuple(sorted(kept.items())))
        result[what] = sorted(rows)
    return result


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Exports:
    """The same crawl, left alone."""
    folder = tmp_path_factory.mktemp("whole")
    with served_web(*SHAPE, "--kb", "2", "--no-stall") as proxy:
        hyphe(
            *crawl_arguments(Web(*SHAPE, 2, False), proxy, 2, folder / "homes.txt", *OPTIONS), data_dir=folder
        )
    return normalised(folder)


def workers_of(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Worker processes started by a command."""
    try:
        return [
            p
            for p in psutil.Process(process.pid).children(recursive=True)
            if p.status() != psutil.STATUS_ZOMBIE
        ]
    except psutil.NoSuchProcess:
        return []


def wait_for_workers(process: subprocess.Popen[bytes]) -> None:
    """Until the command has stored its jobs and works on them: what dies before has promised nothing."""
    deadline = time.monotonic() + 60
    while not workers_of(process) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)


def kill(process: subprocess.Popen[bytes], victim: str) -> None:
    """kill -9 of one worker, of the command, or of both."""
    workers = workers_of(process)
    chosen = random.choice(workers) if workers else None
    if victim in ("service", "both"):
        process.send_signal(signal.SIGKILL)
        process.wait()
    for worker in workers if victim == "both" else [chosen] if victim == "worker" and chosen else []:
        try:
            worker.kill()
        except psutil.NoSuchProcess:
            pass


def crawl_with_kills(folder: Path, victim: str, n_kills: int) -> None:
    """Kill at random moments, restart with --resume each time the command itself died, then let it end."""
    web = Web(*SHAPE, 2, False)
    with served_web(*SHAPE, "--kb", "2", "--no-stall", "--latency-ms", "15") as proxy:
        arguments = crawl_arguments(web, proxy, 2, folder / "homes.txt", *OPTIONS)
        base = [sys.executable, "-m", "hyphe_core.cli", "--data-dir", str(folder)]
        resume = [*base, "crawl", "--corpus", "truth", "--resume", "--json", "--workers", "2"]
        environment = os.environ | {"HYPHE_LEASE_SECONDS": "3"}
        process = subprocess.Popen([*base, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, env=environment)
        wait_for_workers(process)
        for _ in range(n_kills):
            time.sleep(random.uniform(0.2, 1.5))
            if process.poll() is None:
                kill(process, victim)
            if process.poll() is not None:
                process = subprocess.Popen(resume, cwd=ROOT, stdout=subprocess.DEVNULL, env=environment)
                time.sleep(1.0)
        process.wait(timeout=300)
        hyphe(*resume[5:], data_dir=folder)


def assert_same(folder: Path, uninterrupted: Exports) -> None:
    """Exports equal, check clean."""
    found = normalised(folder)
    for what, rows in uninterrupted.items():
        assert found[what] == rows, what
    hyphe("maintain", "check", "truth", data_dir=folder)


@pytest.mark.parametrize("victim", ["worker", "service", "both"])
def test_two_kills(tmp_path: Path, victim: str, uninterrupted: Exports) -> None:
    """Two kills at random moments."""
    crawl_with_kills(tmp_path, victim, 2)
    assert_same(tmp_path, uninterrupted)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["worker", "service", "both"])
def test_ten_kills(tmp_path: Path, victim: str, uninterrupted: Exports) -> None:
    """Ten kills at random moments."""
    crawl_with_kills(tmp_path, victim, 10)
    assert_same(tmp_path, uninterrupted)
