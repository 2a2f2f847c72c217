"""Memory of a worker: flat but for the URLs it knows.

    python -m benchmarks.bench_memory [--pages 50000]

Resident size at a tenth of the pages and at the end. It may grow by 200 bytes for each further in-scope URL
known to the running jobs and by a tenth of its size otherwise.
"""

from __future__ import annotations

import argparse
import time

from benchmarks.crawling import running_crawl
from benchmarks.serving import homes_of, prebuilt_web


def main() -> None:
    """Crawl, look twice, print."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--pages", type=int, default=50000)
    asked = options.parse_args()
    sites, pages = asked.pages // 250, asked.pages * 14 // 10  # platforms of several sites are left out
    looks: list[tuple[int, int, int]] = []
    with prebuilt_web(sites, pages, "clean", kb=2) as web:
        homes = homes_of(sites, pages, "clean", kb=2)
        with running_crawl(homes, pages * 50, web.proxy, 1) as crawl:
            for mark in (asked.pages // 10, asked.pages):
                while crawl.n_answers() < mark and not crawl.ended():
                    time.sleep(0.2)
                looks.append((crawl.n_answers(), crawl.structure.counters().n_pages, crawl.resident_bytes()))
    (pages1, known1, bytes1), (pages2, known2, bytes2) = looks
    print(f"at {pages1} pages: {bytes1 / 1e6:.1f} MB resident, {known1} URLs known")
    print(f"at {pages2} pages: {bytes2 / 1e6:.1f} MB resident, {known2} URLs known")
    allowed = bytes1 * 0.1 + 200 * (known2 - known1)
    growth = bytes2 - bytes1
    print(f"growth {growth / 1e6:.1f} MB, allowed {allowed / 1e6:.1f} MB: ratio {growth / allowed:.2f}")


if __name__ == "__main__":
    main()
