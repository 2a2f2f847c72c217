"""Latency of the service while its two workers crawl at full speed.

    python -m benchmarks.bench_ping [--seconds 15] [--runs 3]

Starts the service with its own command, opens crawls through its API, then calls `ping` over one connection
fifty times a second. Prints p50 and p99 of each run and the median p99; the yardstick is the same ping
before any crawl has begun.
"""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.serving import homes_of, prebuilt_web
from tests.exactness.crawling import ROOT


class Client:
    """JSON-RPC 2.0 over one connection."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def call(self, method: str, *params: Any) -> Any:
        """The `result` of a successful call."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        self.connection.request("POST", "/", body)
        answer = json.loads(self.connection.getresponse().read())
        if answer.get("result", {}).get("code") != "success":
            raise RuntimeError(f"{method}: {answer}")
        return answer["result"]["result"]


@contextmanager
def service(folder: str, *options: str) -> Iterator[Client]:
    """`hyphe serve` with two workers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "hyphe_core.cli", "--data-dir", folder]
    command += ["serve", "--port", str(port), "--workers", "2", *options]
    environment = {
        "HYPHE_DELAY_SECONDS": "0",
        "HYPHE_PER_HOST": "2",
        "HYPHE_MAX_DEPTH": "50",
        "HYPHE_LOG_LEVEL": "WARNING",
    }
    with subprocess.Popen(
        ["env", *(f"{k}={v}" for k, v in environment.items()), *command], cwd=ROOT
    ) as process:
        try:
            for _ in range(200):
                try:
                    client = Client(port)
                    client.call("list_corpus")
                    break
                except OSError:
                    time.sleep(0.1)
            yield client
        finally:
            process.terminate()


def pings(client: Client, seconds: float) -> tuple[float, float]:
    """(p50, p99) in milliseconds of fifty pings a second."""
    times = []
    for _ in range(int(seconds * 50)):
        began = time.perf_counter()
        client.call("ping", "bench")
        times.append((time.perf_counter() - began) * 1000)
        time.sleep(max(0.0, 0.02 - (time.perf_counter() - began)))
    cuts = statistics.quantiles(times, n=100)
    return cuts[49], cuts[98]


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seconds", type=float, default=15)
    options.add_argument("--runs", type=int, default=3)
    asked = options.parse_args()
    with (
        prebuilt_web(200, 20000, "clean") as web,
        tempfile.TemporaryDirectory() as folder,
        service(folder) as client,
    ):
        client.call("create_corpus", "bench", "", {"defaultCreationRule": "subdomain"})
        idle = pings(client, 5)
        print(f"idle: p50 {idle[0]:.1f} ms, p99 {idle[1]:.1f} ms")
        for home in homes_of(200, 20000, "clean"):
            entity = client.call("declare_page", home, "bench")
            crawl = [entity["id"], 3, False, "IN", "homepage", web.proxy, None, None, {}, {}, False, "bench"]
            client.call("crawl_webentity_with_startmode", *crawl)
        tails = []
        for _ in range(asked.runs):
            before = client.call("get_status", "bench")["corpus"]["crawler"]["pages_crawled"]
            p50, p99 = pings(client, asked.seconds)
            after = client.call("get_status", "bench")["corpus"]["crawler"]["pages_crawled"]
            tails.append(p99)
            rate = (after - before) / asked.seconds
            print(f"crawling {rate:.0f} pages/s: p50 {p50:.1f} ms, p99 {p99:.1f} ms")
        tail = statistics.median(tails)
        print(f"median p99 {tail:.1f} ms (aim: under 20), {tail / idle[1]:.1f}x the idle one")


if __name__ == "__main__":
    main()
