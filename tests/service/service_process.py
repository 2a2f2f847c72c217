"""The service in a child process, and a client that speaks to it over a real socket."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

_PROGRAM = """
import logging, os, sys
from pathlib import Path
from hyphe_core.app import run_service
from hyphe_core.config import load_config
from hyphe_core.errors import CallerFault
from hyphe_core.logs import configure_logs
configure_logs("INFO")
try:
    config = load_config(None, os.environ, {})
    configure_logs(config.log_level, config.log_format)
    sys.exit(run_service(config, lambda host, port: print("READY", port, flush=True)))
except CallerFault as fault:
    print(fault, file=sys.stderr)
    sys.exit(1)
"""


class ServiceProcess:
    """A service on a free port. `settings` go in as environment variables."""

    def __init__(self, data_dir: Path, **settings: object) -> None:
        self.data_dir = data_dir
        data_dir.mkdir(parents=True, exist_ok=True)
        self.log_path = data_dir / "service.log"
        environ = {k: v for k, v in os.environ.items() if not k.startswith("HYPHE_")}
        given = {"data_dir": data_dir, "port": 0, "n_workers": 0, **settings}
        environ |= {f"HYPHE_{name.upper()}": str(value) for name, value in given.items()}
        with self.log_path.open("ab") as log:
            self.child = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM], cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=log
            )
        self.port = self._read_port()

    def _read_port(self) -> int:
        assert self.child.stdout is not None
        line = self.child.stdout.readline().split()
        if line[:1] != [b"READY"]:
            self.child.wait(20)
            raise ServiceDied(self.child.returncode, self.log_path.read_text())
        return int(line[1])

    def client(self) -> Client:
        return Client(self.port)

    def stop(self, patience_seconds: float = 20.0) -> int:
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        return self.child.wait(patience_seconds)

    def kill(self) -> None:
        self.child.kill()
        self.child.wait()


class ServiceDied(Exception):
    def __init__(self, code: int, log: str) -> None:
        super().__init__(f"exit code {code}\n{log}")
        self.code = code
        self.log = log


@dataclass(frozen=True)
class Response:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Failed(AssertionError):
    """A call was answered with code fail."""

    def __init__(self, message: Any, answer: Any) -> None:
        super().__init__(message)
        self.message = message
        self.answer = answer


@dataclass
class Client:
    """Speaks to a service; `headers` go with every request."""

    port: int
    headers: dict[str, str] = field(default_factory=dict)

    def send(
        self, body: bytes | str = b"", method: str = "POST", path: str = "/", **headers: str
    ) -> Response:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            sent = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body if isinstance(body, bytes) else body.encode(), sent)
            answer = connection.getresponse()
            return Response(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def post(self, value: Any, **headers: str) -> Any:
        return self.send(json.dumps(value), **headers).json

    def envelope(self, method: str, *positional: Any, **named: Any) -> Any:
        """The envelope of a call in the framing of old clients."""
        answer = self.post({"method": method, "params": named or list(positional)})
        assert isinstance(answer, list), answer
        assert len(answer) == 1, answer
        return answer[0]

    def call(self, method: str, *positional: Any, **named: Any) -> Any:
        """The result of a call; Failed when the answer says no."""
        envelope = self.envelope(method, *positional, **named)
        if envelope["code"] != "success":
            raise Failed(envelope["message"], envelope)
        return envelope["result"]


def wait_until(condition: Any, seconds: float = 20.0) -> Any:
    """The first true value of a condition, asked for again and again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")
