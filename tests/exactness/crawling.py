"""Runs the product's command line against the test web and reads back what it exported."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.testweb import Web

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def served_web(sites: int, pages: int, seed: int, profile: str, *options: str) -> Iterator[str]:
    """The test web in a child process; the address of its proxy."""
    command = [
        sys.executable,
        str(ROOT / "tests" / "testweb.py"),
        "--sites",
        str(sites),
        "--pages",
        str(pages),
    ]
    command += ["--seed", str(seed), "--profile", profile, "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://[\d.]+:\d+", process.stdout.readline())
            assert found is not None
            yield found.group()
        finally:
            process.terminate()


def asked(proxy: str, what: str) -> Any:
    """Counters of the test web: `stats` or `hits`."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{proxy}/__testweb__/{what}") as answer:
        return json.load(answer)


def hyphe(
    *arguments: str, data_dir: Path, check: bool = True, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    command = [sys.executable, "-m", "hyphe_core.cli", "--data-dir", str(data_dir), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | environment)
    if check and done.returncode != 0:
        raise AssertionError(
            f"{' '.join(command)} ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        )
    return done


def rule_options(web: Web) -> list[str]:
    """Creation rules that make one web entity of each site."""
    options: list[str] = []
    for host in sorted({site.host for site in web.sites}):
        found = re.fullmatch(r"(?:.*\.)?((blogs|social)\d+-testweb\.com)", host)
        if found:
            preset = "subdomain" if found.group(2) == "blogs" else "path-1"
            option = f"http://{found.group(1)}={preset}"
            if option not in options:
                options += ["--rule", option]
    return options


def crawl_arguments(web: Web, proxy: str, depth: int, homes: Path, *options: str) -> list[str]:
    """`hyphe crawl` of every site of the web from its home."""
    homes.write_text("".join(web.url(site.first) + "\n" for site in web.sites))
    return [
        "crawl", "--from-file", str(homes), "--corpus", "truth", "--depth", str(depth), "--proxy", proxy,
        "--delay", "0", "--json", *rule_options(web), *options,
    ]  # fmt: skip


def exported(data_dir: Path, what: str, corpus: str = "truth", **environment: str) -> list[dict[str, str]]:
    """Rows of a CSV export."""
    target = data_dir / f"{what}.csv"
    hyphe(
        "export",
        corpus,
        "--what",
        what,
        "--format",
        "csv",
        "-o",
        str(target),
        data_dir=data_dir,
        **environment,
    )
    with target.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))
