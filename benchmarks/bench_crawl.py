"""Speed of a worker with everything on, against a stock Scrapy spider and a bare loop, in one run.

    python -m benchmarks.bench_crawl [--sites 200] [--pages 20000] [--take 3000] [--rounds 3] [--workers-only]

The test web runs as a child process, its pages made beforehand; its share of the CPU is printed. Each round runs the
product, yardstick 1 and yardstick 2 in turn on the same number of pages; the medians of the rounds give the ratios.
CPU of the product is that of its worker process from the moment the jobs are offered to the moment all have ended:
claiming, robots.txt, redirects, parsing, LRUs, bodies, store and final flush are in it.
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
from pathlib import Path
from typing import Any

import psutil

from benchmarks.serving import homes_of, prebuilt_web
from hyphe_core.config import load_config
from hyphe_core.crawl.launch import launch_crawl
from hyphe_core.crawl.supervisor import Supervisor
from memory_structure.opening import open_registry
from memory_structure.records import CorpusOptions, StartPage
from memory_structure.urls import url_to_lru
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.prefixes import variations


@dataclass(frozen=True)
class Measure:
    """Pages taken, CPU and wall seconds, resident megabytes at the end (0 where not taken)."""

    pages: int
    cpu_seconds: float
    wall_seconds: float
    resident_mb: float = 0.0

    @property
    def rate(self) -> float:
        """Pages per CPU-second."""
        return self.pages / self.cpu_seconds


def yardstick(module: str, *arguments: str, proxy: str) -> Measure:
    """Run a yardstick in a child process and read its figures."""
    command = [sys.executable, "-m", f"benchmarks.yardsticks.{module}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | {"http_proxy": proxy})
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    return Measure(figures["pages"], figures["cpu_seconds"], figures["wall_seconds"])


def cpu_of(process: psutil.Process) -> float:
    """User and system seconds of a process so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


def product(homes: list[str], take: int, proxy: str, n_workers: int) -> Measure:
    """Crawl `take` pages, evenly spread over the sites, with `n_workers` workers that are already up."""
    with tempfile.TemporaryDirectory() as folder:
        overrides: dict[str, Any] = {
            "data_dir": folder, "delay_seconds": 0.0, "per_host": 2, "n_workers": n_workers, "max_depth": 50,
        }  # fmt: skip
        config = load_config(None, {}, overrides)
        registry = open_registry(Path(folder))
        corpus = registry.create_corpus("bench", CorpusOptions(max_depth=50)).corpus_id
        structure = registry.open_structure(corpus)
        structure.add_rule(CreationRule("", Preset.parse("subdomain")))
        supervisor = Supervisor(config, n_workers)
        supervisor.start()
        while len([w for w in registry.list_workers() if w.alive]) < n_workers:
            time.sleep(0.05)
        time.sleep(1.0)
        processes = [psutil.Process(w.pid) for w in registry.list_workers()]
        before, began = sum(map(cpu_of, processes)), time.perf_counter()
        jobs = []
        for n, home in enumerate(homes):
            entity = structure.declare_web_entity(
                variations(url_to_lru(home)), start_pages=[StartPage(home, "user")]
            )
            quota = take * (n + 1) // len(homes) - take * n // len(homes)
            jobs.append(
                launch_crawl(
                    registry, corpus, entity.web_entity_id, depth=50, max_pages=quota, proxy=proxy, config=config
                ).job_id
            )
        while any(j.state in ("pending", "running") for j in structure.list_jobs()):
            time.sleep(0.1)
        measure = Measure(
            sum(j.counters.n_answers for j in structure.list_jobs()),
            sum(map(cpu_of, processes)) - before,
            time.perf_counter() - began,
            max(p.memory_info().rss for p in processes) / 1e6,
        )
        supervisor.stop()
        registry.close()
        return measure


def median(measures: list[Measure]) -> Measure:
    """The measure of median rate."""
    return sorted(measures, key=lambda m: m.rate)[len(measures) // 2]


def print_row(name: str, measures: list[Measure]) -> None:
    """One line: rate with its spread, wall rate, memory."""
    rates = [m.rate for m in measures]
    walls = statistics.median(m.pages / m.wall_seconds for m in measures)
    print(
        f"{name:34} {statistics.median(rates):7.0f} [{min(rates):.0f}-{max(rates):.0f}] pages/CPU-s"
        f"  {walls:7.0f} pages/s  {measures[0].pages:6} pages  {max(m.resident_mb for m in measures):5.0f} MB"
    )


def main() -> None:
    """Print the table and the ratios."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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


def two_workers(web: Any, homes: list[str], take: int, rounds: int) -> None:
    """Wall rate of two workers over that of one, same pages."""
    one, two = [], []
    before, began = cpu_of(web.process), time.perf_counter()
    for _ in range(rounds):
        one.append(product(homes, take, web.proxy, 1))
        two.append(product(homes, take, web.proxy, 2))
    share = (cpu_of(web.process) - before) / (time.perf_counter() - began)
    print_row("one worker", one)
    print_row("two workers", two)
    gain = statistics.median(
        (t.pages / t.wall_seconds) / (o.pages / o.wall_seconds) for o, t in zip(one, two, strict=True)
    )
    print(f"two workers over one, wall: {gain:.2f}x (aim: at least 1.6); the test web took {share:.0%} of a core")


if __name__ == "__main__":
    main()
