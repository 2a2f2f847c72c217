"""A crawl whose MongoDB dies and comes back waits, goes on, and ends as one that was not disturbed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.exactness.crawling import ROOT, crawl_arguments, hyphe, served_web
from tests.faults.test_kills import OPTIONS, Exports, normalised
from tests.mongodb_server import MongoServer, running_server
from tests.testweb import Web

SHAPE = (10, 220, 3, "normal")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MongoServer]:
    """A server of this test's own: it is going to be killed."""
    folder = tmp_path / "mongodb"
    folder.mkdir()
    with running_server(folder) as running:
        yield running


def crawled(folder: Path, uri: str | None, server: MongoServer | None, n_kills: int) -> Exports:
    """Exports of a crawl during which the server is killed and restarted a few times."""
    folder.mkdir(exist_ok=True)
    environment = {"HYPHE_MONGODB_URI": uri} if uri else {}
    web = Web(*SHAPE, 2, False)
    with served_web(*SHAPE, "--kb", "2", "--no-stall", "--latency-ms", "40") as proxy:
        arguments = crawl_arguments(web, proxy, 2, folder / "homes.txt", *OPTIONS)
        command = [sys.executable, "-m", "hyphe_core.cli", "--data-dir", str(folder), *arguments]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, env=os.environ | environment
        ) as process:
            for _ in range(n_kills):
                time.sleep(random.uniform(3.0, 6.0))
                if process.poll() is None and server is not None:
                    server.kill()
                    time.sleep(1.0)
                    server.restart()
            assert process.wait(timeout=400) == 0
    hyphe("maintain", "check", "truth", data_dir=folder, **environment)
    return normalised(folder, **environment)


@pytest.mark.slow
def test_a_crawl_outlives_its_database(tmp_path: Path, server: MongoServer) -> None:
    """Three kills; the embedded store, undisturbed, is the yardstick."""
    undisturbed = crawled(tmp_path / "embedded", None, None, 0)
    assert crawled(tmp_path / "database", server.uri, server, 3) == undisturbed
