"""Workers do not outlive the process that started them, however it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil

from tests.exactness.crawling import ROOT

PARENT = """
import sys, time
from hyphe_core.config import load_config
from hyphe_core.crawl.supervisor import Supervisor
from memory_structure.opening import open_registry
config = load_config(None, {}, {"data_dir": sys.argv[1]})
registry = open_registry(config.data_dir)
supervisor = Supervisor(config, 2)
supervisor.start()
while len(registry.list_workers()) < 2:
    time.sleep(0.05)
print(*supervisor.pids, flush=True)
time.sleep(300)
"""


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    """kill -9 of the parent leaves it no chance to end them."""
    command = [sys.executable, "-c", PARENT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        workers = [psutil.Process(int(pid)) for pid in parent.stdout.readline().split()]
        parent.kill()
    assert len(workers) == 2
    assert psutil.wait_procs(workers, timeout=20)[1] == []
