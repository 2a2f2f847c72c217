"""The process of a worker: `python -m hyphe_core.crawl.worker`, which is `scrapy crawl worker` at nice 10."""

from __future__ import annotations

import logging
import os
import sys
from typing import Final, NoReturn

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


def main() -> NoReturn:
    """Give way to interactive programs, work, and leave at once: all is written, and taking an interpreter
    apart
    costs a second on a busy machine."""
    os.nice(_NICENESS)
    code = run_worker()
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
