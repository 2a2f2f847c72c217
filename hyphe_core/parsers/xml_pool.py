"""Children that read XML, kept running, killed and replaced when a document takes too much.

A document costs one message each way. Children start when they are first needed; a document has a deadline.
A limit that ends a child is the failure of the document it was reading. A child that ended otherwise may have
been killed from outside: its document is read once more, and fails with the message "crash" when that child
ends too.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hyphe_core.parsers.base import Document
from hyphe_core.parsers.markup import MarkupOutcome
from hyphe_core.parsers.xml_child import failed_outcome
from hyphe_core.parsers.xml_parser import XmlOptions
from hyphe_core.parsers.xml_wire import LENGTH, pack_request, unpack_outcome

_PROJECT: Final = Path(__file__).parents[2]
_CHUNK: Final = 1 << 18
_START_SECONDS: Final = 30.0
# Documents sent ahead of the answer to the first: the child never waits for its parent.
_N_AHEAD: Final = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may take before its child is killed."""

    wall_seconds: float = 30.0
    cpu_seconds: int = 20
    memory_bytes: int = 2**30


class _Gone(Exception):
    """The child did not answer in time, or a limit ended it; the message says which."""


class _Crashed(_Gone):
    """The child ended, by the document or by somebody's hand."""


class _Child:
    """One process. Used by one thread at a time."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        arguments = [str(limits.memory_bytes), str(limits.cpu_seconds)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hyphe_core.parsers.xml_child", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(_PROJECT), os.environ.get("PYTHONPATH", "")]),
            },
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._sink, self._source = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._sink, False)
        os.set_blocking(self._source, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._source, selectors.EVENT_READ)
        self._n_answered = 0
        self.is_over = False

    def exchange(self, requests: Sequence[bytes]) -> Iterator[bytes]:
        """Answers to the requests, in their order. Raises _Gone in the place of the first that has none."""
        waiting = deque(requests)
        out, received = b"", b""
        n_sent = 0
        for n_answered in range(len(requests)):
            deadline = time.monotonic() + self._allowed_seconds()
            while (answer := _first_message(received)) is None:
                while waiting and n_sent - n_answered < _N_AHEAD:
                    out += waiting.popleft()
                    n_sent += 1
                out, got = self._step(out, deadline)
                received += got
            received = received[LENGTH.size + len(answer) :]
            self._n_answered += 1
            yield answer

    def _allowed_seconds(self) -> float:
        return self._limits.wall_seconds + (0 if self._n_answered else _START_SECONDS)

    def _step(self, out: bytes, deadline: float) -> tuple[bytes, bytes]:
        """Write and read once what can be: (what is left to write, what was read). Raises _Gone."""
        try:
            if out:
                out = out[os.write(self._sink, out) :]
        except BlockingIOError:
            pass
        except OSError as error:
            raise self._why_ended() from error
        try:
            got = os.read(self._source, _CHUNK)
        except BlockingIOError:
            self._wait(bool(out), deadline)
            return out, b""
        if not got:
            raise self._why_ended()
        return out, got

    def _wait(self, writing: bool, deadline: float) -> None:
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            raise _Gone("limit: time")
        if writing:
            self._selector.register(self._sink, selectors.EVENT_WRITE)
        try:
            self._selector.select(seconds)
        finally:
            if writing:
                self._selector.unregister(self._sink)

    def _why_ended(self) -> _Gone:
        code = self._process.wait()
        if code == -signal.SIGXCPU:
            return _Gone("limit: CPU time")
        return _Crashed(f"crash: the XML parser ended with {code}")

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def end(self) -> None:
        """Kill the process and wait for its end."""
        if self.is_over:
            return
        self.is_over = True
        self._selector.close()
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()


def _first_message(received: bytes) -> bytes | None:
    """The first message of what was received, when it is all there."""
    if len(received) < LENGTH.size:
        return None
    end = LENGTH.size + LENGTH.unpack_from(received)[0]
    return received[LENGTH.size : end] if len(received) >= end else None


class XmlPool:
    """Runs documents in children. Threads may share it; each call has a child of its own meanwhile.

    At most `n_children` processes run; a further call waits for one to be free.
    """

    def __init__(self, n_children: int = 1, limits: Limits = Limits()) -> None:
        self._limits = limits
        self._free: list[_Child] = []
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(n_children)

    def run(self, document: Document, options: XmlOptions) -> MarkupOutcome:
        """What came of a document; a failure with the minor status 200 when it took too much."""
        return self.run_many([document], options)[0]

    def run_many(self, documents: Sequence[Document], options: XmlOptions) -> list[MarkupOutcome]:
        """Outcomes of several documents, in their order, without waiting for each before the next is sent."""
        outcomes: list[MarkupOutcome] = []
        values = (options.strict, options.format, options.folder, options.max_bytes)
        read_again = -1  # the place of the document whose child ended
        while len(outcomes) < len(documents):
            rest = documents[len(outcomes) :]
            with self._child() as child:
                try:
                    for answer in child.exchange([pack_request(document, values) for document in rest]):
                        outcomes.append(unpack_outcome(answer))
                except _Gone as gone:
                    child.end()
                    if isinstance(gone, _Crashed) and read_again != len(outcomes):
                        read_again = len(outcomes)
                        continue
                    outcomes.append(failed_outcome(documents[len(outcomes)], str(gone)))
                except (ValueError, TypeError, KeyError, IndexError):
                    outcomes.append(failed_outcome(documents[len(outcomes)], "crash: unreadable answer"))
                    child.end()
        return outcomes

    @contextmanager
    def _child(self) -> Iterator[_Child]:
        with self._slots:
            with self._lock:
                child = self._free.pop() if self._free else None
            child = child or _Child(self._limits)
            try:
                yield child
            except BaseException:
                child.end()
                raise
            with self._lock:
                if not child.is_over:
                    self._free.append(child)

    def close(self) -> None:
        """End all children that are free."""
        with self._lock:
            free, self._free = self._free, []
        for child in free:
            child.end()

    def list_pids(self) -> list[int]:
        """Process ids of the children that are free."""
        with self._lock:
            return [child.pid for child in self._free]
