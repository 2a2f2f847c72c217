"""A MongoDB-protocol server as a child process, for tests: `secantusd-py` on a free port of this machine.

It can be killed and started again on the same folder and port. With `HYPHE_TEST_MONGODB_URI` set, the suites
also run against that server.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pymongo import MongoClient
from pymongo.errors import PyMongoError

STARTING_SECONDS = 60.0


def real_server_uri() -> str | None:
    """The server named by the environment, if any."""
    return os.environ.get("HYPHE_TEST_MONGODB_URI") or None


def server_uris(child: MongoServer) -> list[str]:
    """Servers to test: the child and, when named, the real one."""
    return [child.uri, *filter(None, [real_server_uri()])]


def fresh_database_name() -> str:
    """A name no other test uses."""
    return f"hyphe_test_{uuid.uuid4().hex[:12]}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class MongoServer:
    """The child process. `uri` stays the same over restarts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.uri = f"mongodb://127.0.0.1:{self._port}/"

    def start(self) -> None:
        """Start it and wait until it answers."""
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    str(Path(sys.executable).with_name("secantusd-py")),
                    "--host=127.0.0.1",
                    f"--port={self._port}",
                    f"--storage-path={self._folder / 'data'}",
                ],
                cwd=self._folder,
                stdout=log,
                stderr=log,
            )
        self._wait()

    def _wait(self) -> None:
        assert self._process is not None
        client: MongoClient[dict[str, object]] = MongoClient(self.uri, serverSelectionTimeoutMS=300)
        deadline = time.monotonic() + STARTING_SECONDS
        try:
            while True:
                try:
                    client.admin.command("ping")
                    return
                except PyMongoError:
                    if self._process.poll() is not None or time.monotonic() > deadline:
                        log = (self._folder / "server.log").read_text(errors="replace")
                        raise RuntimeError(f"the server did not start: {log[-2000:]}") from None
                    time.sleep(0.05)
        finally:
            client.close()

    def kill(self) -> None:
        """End it without warning."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in good order."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """Let it hang."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None

    def restart(self) -> None:
        """Kill it and start it on the same folder."""
        self.kill()
        self.start()


@contextmanager
def running_server(folder: Path) -> Iterator[MongoServer]:
    """A server for the length of a block."""
    folder.mkdir(parents=True, exist_ok=True)
    server = MongoServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def mongodb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MongoServer]:
    """One server for all tests of a session; tests that kill it start their own with `running_server`."""
    with running_server(tmp_path_factory.mktemp("mongodb")) as server:
        yield server
