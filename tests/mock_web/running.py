"""Starting the misbehaving web, and crawls against it, from tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Seen(NamedTuple):
    """A request as the web saw it; `at` in seconds of its own steady clock."""

    at: float
    host: str
    path: str
    headers: dict[str, str]


class MockWeb:
    """The running web: its port, and what it saw."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.proxy = f"http://127.0.0.1:{port}"

    def seen(self) -> tuple[list[Seen], dict[str, int]]:
        """(requests in order, most in flight by host)."""
        with urllib.request.urlopen(f"{self.proxy}/__seen__") as answer:
            requests, peak = json.loads(answer.read())
        return [Seen(*request) for request in requests], peak

    def paths(self, host: str) -> list[str]:
        """Paths asked for on a host, in order."""
        return [request.path for request in self.seen()[0] if request.host == host]


@contextmanager
def running_mock_web() -> Iterator[MockWeb]:
    """The web in a child process, ended afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.mock_web.server"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        assert process.stdout is not None
        yield MockWeb(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()


def crawl_environment(data_dir: Path, proxy: str | None, **settings: object) -> dict[str, str]:
    """The environment of a crawling process: quick and impatient, unless said otherwise."""
    chosen: dict[str, object] = {
        "delay_seconds": 0,
        "timeout_seconds": 2,
        "n_retries": 1,
        "max_body_bytes": 100_000,
    }
    chosen |= settings
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HYPHE_")}
    environment |= {f"HYPHE_{name.upper()}": str(value) for name, value in chosen.items()}
    environment |= {"HYPHE_DATA_DIR": str(data_dir), "HYPHE_LOG_LEVEL": "WARNING"}
    return environment | ({"HYPHE_PROXY": proxy} if proxy else {})


def scrapy_crawl(
    environment: dict[str, str], spider: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """`scrapy crawl SPIDER -a ARGUMENT...` run to its end."""
    given = [part for argument in arguments for part in ("-a", argument)]
    return subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", spider, *given],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
