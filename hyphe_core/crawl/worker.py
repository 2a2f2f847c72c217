"""The process of a worker: `python -m hyphe_core.crawl.worker`, which is `scrapy crawl worker` at nice 10."""

from __future__ import annotations

import logging
import os
import sys
from typing import Final, NoReturn

from hyphe_core.config import find_config_file, load_config
from hyphe_core.crawl.one_core import keep_to_one_core
from hyphe_core.errors import ConfigError

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


def _wants_one_core() -> bool:
    try:
        return load_config(find_config_file(os.environ), os.environ).one_core_per_worker
    except ConfigError:
        return False  # the settings module tells all faults and ends the process


def main() -> NoReturn:
    """Give way to interactive programs, work, and leave at once: all is written, and taking an interpreter
    apart
    costs a second on a busy machine."""
    os.nice(_NICENESS)
    if _wants_one_core():
        keep_to_one_core()
    code = run_worker()
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
