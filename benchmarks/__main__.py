"""Run every benchmark in turn, each in a process of its own: `python -m benchmarks [NAME ...]`."""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = (
    "bench_lru",
    "bench_parse",
    "bench_store",
    "bench_curation",
    "bench_crawl",
    "bench_memory",
    "bench_ping",
)


def main() -> int:
    """Print each benchmark's report under its name; the number of those that failed."""
    n_failed = 0
    for name in sys.argv[1:] or BENCHMARKS:
        print(f"\n== {name} ==", flush=True)
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{name.removesuffix('.py')}"], check=False)
        n_failed += done.returncode != 0
    return n_failed


if __name__ == "__main__":
    sys.exit(main())
