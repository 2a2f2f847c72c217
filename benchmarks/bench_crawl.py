"""Speed of a worker with everything on, against a stock Scrapy spider and a bare loop, in one run.

    python -m benchmarks.bench_crawl [--sites 200] [--pages 20000] [--take 3000] [--rounds 3] [--workers-only]

The test web runs as a child process, its pages made beforehand; its share of the CPU is printed. Each round
runs the product, yardstick 1 and yardstick 2 in turn on the same number of pages; the medians of the rounds
give the ratios. CPU of the product is that of its worker process from the moment the jobs are offered to the
moment all have ended: claiming, robots.txt, parsing, LRUs, bodies, store and final flush are in it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from benchmarks.crawling import cpu_of, running_crawl
from benchmarks.serving import ServedWeb, homes_of, prebuilt_web


@dataclass(frozen=True)
class Measure:
    """Pages taken, CPU seconds, pages a second of wall time, resident megabytes (0 where not taken)."""

    pages: int
    cpu_seconds: float
    wall_rate: float
    resident_mb: float = 0.0

    @property
    def rate(self) -> float:
        """Pages per CPU-second."""
        return self.pages / self.cpu_seconds


def yardstick(module: str, *arguments: str, proxy: str) -> Measure:
    """Run a yardstick in a child process and read its figures."""
    command = [sys.executable, "-m", f"benchmarks.yardsticks.{module}", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"http_proxy": proxy}
    )
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    return Measure(figures["pages"], figures["cpu_seconds"], figures["pages"] / figures["wall_seconds"])


def product(homes: list[str], take: int, proxy: str, n_workers: int) -> Measure:
    """Crawl `take` pages with `n_workers` workers that are already up."""
    with running_crawl(homes, take, proxy, n_workers) as crawl:
        while not crawl.ended():
            time.sleep(0.25)
        rate, cpu = crawl.wall_rate(), crawl.cpu_seconds()
        return Measure(crawl.n_answers(), cpu, rate, crawl.resident_bytes() / 1e6)


def print_row(name: str, measures: list[Measure]) -> None:
    """One line: rate with its spread, wall rate, memory."""
    rates = [m.rate for m in measures]
    walls = statistics.median(m.wall_rate for m in measures)
    print(
        f"{name:34} {statistics.median(rates):7.0f} [{min(rates):.0f}-{max(rates):.0f}] pages/CPU-s"
        f"  {walls:7.0f} pages/s  {measures[0].pages:6} pages  {max(m.resident_mb for m in measures):5.0f} MB"
    )


def main() -> None:
    """Print the table and the ratios."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--sites", type=int, default=200)
    options.add_argument("--pages", type=int, default=20000)
    options.add_argument("--take", type=int, default=3000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--profile", default="clean")
    options.add_argument("--workers-only", action="store_true", help="only one worker against two")
    asked = options.parse_args()
    with prebuilt_web(asked.sites, asked.pages, asked.profile) as web:
        homes = homes_of(asked.sites, asked.pages, asked.profile)
        if not asked.workers_only:
            against_yardsticks(web.proxy, homes, asked.take, asked.rounds)
        two_workers(web, homes, asked.take * 2, asked.rounds)


def against_yardsticks(proxy: str, homes: list[str], take: int, rounds: int) -> None:
    """The product, then each yardstick, in turn."""
    ours, stock, bare = [], [], []
    with tempfile.NamedTemporaryFile("w") as urls:
        urls.write("\n".join(homes))
        urls.flush()
        for _ in range(rounds):
            ours.append(product(homes, take, proxy, 1))
            stock.append(yardstick("stock_spider", urls.name, str(take), proxy=proxy))
            bare.append(yardstick("bare_loop", proxy, urls.name, str(take), proxy=proxy))
    print_row("one worker, everything on", ours)
    print_row("yardstick 1: stock Scrapy spider", stock)
    print_row("yardstick 2: bare asyncio + lxml", bare)
    ratio = statistics.median(o.rate / s.rate for o, s in zip(ours, stock, strict=True))
    share = statistics.median(o.rate / b.rate for o, b in zip(ours, bare, strict=True))
    print(f"ratio to yardstick 1, pair by pair: {ratio:.1f}x (aim: at least 6)")
    print(f"share of yardstick 2 (the physical limit of Python with lxml): {share:.0%}")


def two_workers(web: ServedWeb, homes: list[str], take: int, rounds: int) -> None:
    """Wall rate of two workers over that of one, same pages."""
    one, two = [], []
    before, began = cpu_of(web.process), time.perf_counter()
    for _ in range(rounds):
        one.append(product(homes, take, web.proxy, 1))
        two.append(product(homes, take, web.proxy, 2))
    share = (cpu_of(web.process) - before) / (time.perf_counter() - began)
    print_row("one worker", one)
    print_row("two workers", two)
    gain = statistics.median(t.wall_rate / o.wall_rate for o, t in zip(one, two, strict=True))
    print(
        f"two workers over one, wall: {gain:.2f}x (aim: 1.6 or more); the test web took {share:.0%} of a core"
    )


if __name__ == "__main__":
    main()
