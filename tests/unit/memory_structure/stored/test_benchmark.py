"""The benchmark of the store runs at a small scale, and the laws hold on what it wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]


def test_benchmark_runs_and_its_corpus_is_sound() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_store", "--scale", "600", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert "[]" in lines
    for figure in ("indexing, CPU a link", "merge, then the network", "first page: web entities", "check"):
        assert any(line.startswith(figure) for line in lines)
