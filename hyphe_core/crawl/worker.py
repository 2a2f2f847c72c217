"""The process of a worker: `python -m hyphe_core.crawl.worker`, the same as `scrapy crawl worker` at nice
10."""

from __future__ import annotations

import os
import sys
from typing import Final

_NICENESS: Final = 10


def run_worker(arguments: list[str] | None = None) -> int:
    """Serve crawl jobs until SIGTERM; the exit code. Reads its configuration from the environment."""
    from scrapy.cmdline import execute

    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "hyphe_core.settings")
    try:
        execute(["scrapy", "crawl", "worker", *(arguments or [])])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def main() -> None:
    """Give way to interactive programs, then work."""
    os.nice(_NICENESS)
    sys.exit(run_worker())


if __name__ == "__main__":
    main()
