"""The test web as a child process for benchmarks: pages made before it answers."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.testweb import Web

TESTWEB = Path(__file__).resolve().parents[1] / "tests" / "testweb.py"


@dataclass(frozen=True)
class ServedWeb:
    """The proxy's address and its process."""

    proxy: str
    process: psutil.Process


@contextmanager
def prebuilt_web(sites: int, pages: int, profile: str, kb: float = 20) -> Iterator[ServedWeb]:
    """Serve a web of that size until the block ends."""
    command = [
        sys.executable,
        str(TESTWEB),
        "--sites",
        str(sites),
        "--pages",
        str(pages),
        "--profile",
        profile,
    ]
    command += ["--kb", str(kb), "--port", "0", "--prebuild", "--no-stall", "--cache-mb", "4000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            found = re.search(r"http://[\d.]+:\d+", child.stdout.readline())
            assert found is not None
            yield ServedWeb(found.group(), psutil.Process(child.pid))
        finally:
            child.terminate()


def homes_of(sites: int, pages: int, profile: str, kb: float = 20) -> list[str]:
    """Home pages of the sites that have a host of their own."""
    web = Web(sites, pages, 1, profile, kb, False)
    return [web.url(site.first) for site in web.sites if site.prefix == "/"]
