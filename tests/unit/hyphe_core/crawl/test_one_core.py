"""Which core a worker keeps to."""

import os
import subprocess
import sys

import pytest

from hyphe_core.crawl.one_core import better_core, read_busy_seconds

STAT = """cpu  30 0 30 900 0 0 0 0 0 0
cpu0 100 50 50 400 10 5 5 0 0 0
cpu1 10 0 10 880 0 0 0 0 0 0
intr 12345 0
"""


def test_a_free_core_is_better_than_a_taken_one() -> None:
    assert better_core(0, {0: 0.9, 1: 0.1}) == 1


def test_a_small_gain_is_not_worth_a_move() -> None:
    assert better_core(0, {0: 0.4, 1: 0.2}) == 0


def test_the_present_core_is_kept_when_all_are_alike() -> None:
    assert better_core(1, {0: 0.0, 1: 0.0, 2: 0.0}) == 1


def test_busy_time_is_all_but_idle_waiting_and_stolen() -> None:
    assert read_busy_seconds(STAT, 100) == {0: 2.1, 1: 0.2}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process to a core")
def test_every_thread_is_bound_to_the_core_of_the_place() -> None:
    code = """
import os, threading, time
threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
cores = sorted(os.sched_getaffinity(0))
from hyphe_core.crawl.one_core import keep_to_one_core
keep_to_one_core()
bound = {frozenset(os.sched_getaffinity(int(task))) for task in os.listdir("/proc/self/task")}
print(bound == {frozenset({cores[1 % len(cores)]})} or len(cores) == 1)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"HYPHE_INTERNAL_PLACE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True", done.stderr
