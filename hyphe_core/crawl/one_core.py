"""A worker keeps to one core, and moves when another is freer.

Its event loop and its store writer are threads of one interpreter: on two cores they pass the interpreter's
lock back and forth, and every pass costs. Kept together they spend a quarter less CPU on a page and are no
slower. Where the system cannot bind a process to a core, nothing is done.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

PLACE: Final = "HYPHE_INTERNAL_PLACE"
_STAT: Final = Path("/proc/stat")
_TASKS: Final = Path("/proc/self/task")
_BUSY_FIELDS: Final = (0, 1, 2, 5, 6)  # user, nice, system, irq, softirq
_SAMPLE_SECONDS: Final = 0.5
_REST_SECONDS: Final = (2.0, 4.0)
_WORTH_MOVING: Final = 0.3


def keep_to_one_core() -> None:
    """Bind this process to a core now, and look again every few seconds from a thread of its own."""
    if not hasattr(os, "sched_setaffinity") or not _STAT.exists():
        return
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        core = cores[int(os.environ.get(PLACE, os.getpid())) % len(cores)]
        _bind(core)
        threading.Thread(target=_stay_well, args=(core, cores), name="one-core", daemon=True).start()


def better_core(current: int, taken: Mapping[int, float]) -> int:
    """The core to be on, given the share of each that others take: the least taken one, but the present one
    when a move would gain little."""
    best = min(taken, key=lambda core: (taken[core], core))
    return best if taken[current] - taken[best] > _WORTH_MOVING else current


def read_busy_seconds(stat: str, ticks_per_second: int) -> dict[int, float]:
    """Core -> seconds it has been busy, from the text of /proc/stat."""
    busy = {}
    for line in stat.splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu":
            busy[int(name[3:])] = sum(int(fields[n]) for n in _BUSY_FIELDS) / ticks_per_second
    return busy


def _stay_well(core: int, cores: list[int]) -> None:
    while True:
        # Chance keeps workers that share a core from moving away together.
        time.sleep(random.uniform(*_REST_SECONDS))
        try:
            wanted = better_core(core, _measure(core, cores))
            if wanted != core:
                _bind(wanted)
                core = wanted
        except OSError:
            return


def _measure(core: int, cores: list[int]) -> dict[int, float]:
    """Share of each core that other processes take, over half a second."""
    ticks = os.sysconf("SC_CLK_TCK")
    before, own = read_busy_seconds(_STAT.read_text(), ticks), time.process_time()
    time.sleep(_SAMPLE_SECONDS)
    after, own = read_busy_seconds(_STAT.read_text(), ticks), time.process_time() - own
    taken = {each: (after[each] - before[each]) / _SAMPLE_SECONDS for each in cores if each in after}
    taken[core] = taken.get(core, 0.0) - own / _SAMPLE_SECONDS
    return taken


def _bind(core: int) -> None:
    """Bind every thread; those started later inherit it."""
    for task in _TASKS.iterdir():
        try:
            os.sched_setaffinity(int(task.name), {core})
        except ProcessLookupError:
            continue
