"""A crawl by the product's own worker processes, ready to be measured."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from hyphe_core.config import load_config
from hyphe_core.crawl.launch import launch_crawl
from hyphe_core.crawl.supervisor import Supervisor
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.jobs import ENDED
from memory_structure.lru import url_to_lru
from memory_structure.opening import open_registry
from memory_structure.prefixes import variations
from memory_structure.records import (
    JobState,
    StartPage,
)
from memory_structure.structure import MemoryStructure


def cpu_of(process: psutil.Process) -> float:
    """User and system seconds of a process so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


@dataclass(frozen=True)
class RunningCrawl:
    """Worker processes at work, and the corpus they fill."""

    structure: MemoryStructure
    workers: list[psutil.Process]
    cpu_before: float
    launched_at: float
    n_answers_at_launch: int

    def n_answers(self) -> int:
        """Pages stored with an HTTP answer."""
        return sum(job.counters.n_answers for job in self.structure.list_jobs())

    def ended(self) -> bool:
        """Whether every job has ended. Raises when one failed: a figure of a broken crawl is none."""
        states = [job.state for job in self.structure.list_jobs()]
        if JobState.FAILED in states:
            raise RuntimeError("a crawl job failed; see the log of the corpus")
        return all(state in ENDED for state in states)

    def cpu_seconds(self) -> float:
        """CPU of all workers since the jobs were offered."""
        return sum(map(cpu_of, self.workers)) - self.cpu_before

    def wall_rate(self) -> float:
        """Pages a second since the last job was offered."""
        return (self.n_answers() - self.n_answers_at_launch) / (time.perf_counter() - self.launched_at)

    def resident_bytes(self) -> int:
        """Resident size of the largest worker."""
        return int(max(worker.memory_info().rss for worker in self.workers))


@contextmanager
def running_crawl(homes: list[str], take: int, proxy: str, n_workers: int) -> Iterator[RunningCrawl]:
    """Offer a crawl of `take` pages, evenly spread over the sites, to workers that are already up."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"data_dir": folder, "delay_seconds": 0.0, "per_host": 2, "max_depth": 50, "proxy": proxy}
        config = load_config(None, {"HYPHE_LOG_LEVEL": "WARNING"}, settings)
        registry = open_registry(Path(folder))
        corpus = registry.create_corpus("bench", CorpusOptions(max_depth=50)).corpus_id
        structure = registry.open_structure(corpus)
        structure.add_rule(CreationRule("", Preset.parse("subdomain")))
        supervisor = Supervisor(config, n_workers)
        supervisor.start()
        try:
            while len([w for w in registry.list_workers() if w.alive]) < n_workers:
                time.sleep(0.05)
            time.sleep(1.0)
            workers = [psutil.Process(w.pid) for w in registry.list_workers()]
            entities = [
                structure.declare_web_entity(
                    variations(url_to_lru(home)), start_pages=[StartPage(home, "user")]
                )
                for home in homes
            ]
            cpu_before = sum(map(cpu_of, workers))
            for n, (entity, home) in enumerate(zip(entities, homes, strict=True)):
                quota = take * (n + 1) // len(homes) - take * n // len(homes)
                launch_crawl(
                    registry,
                    corpus,
                    entity.web_entity_id,
                    depth=50,
                    start_urls=[home],
                    max_pages=quota,
                    proxy=proxy,
                    config=config,
                    delay_seconds=0.0,
                    per_host=2,
                )
            n_answers = sum(job.counters.n_answers for job in structure.list_jobs())
            yield RunningCrawl(structure, workers, cpu_before, time.perf_counter(), n_answers)
        finally:
            supervisor.stop()
            registry.close()
