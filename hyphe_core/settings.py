"""Scrapy's settings for this project.

Scrapy appends the project root to the import path: another installed package called `spiders` or `pipelines`
would win
silently. Here the root goes to the head, and an intruder that is imported all the same is named.

Certificates are not verified (Scrapy's default, kept on purpose): sites with expired or foreign certificates
are part of the
web that is studied; nothing secret is sent to them.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from hyphe_core.config import find_config_file, load_config
from hyphe_core.errors import ConfigError
from hyphe_core.logs import LogFormat, configure_logs

_ROOT = str(Path(__file__).resolve().parents[1])
if sys.path[:1] != [_ROOT]:
    sys.path[:] = [_ROOT, *(entry for entry in sys.path if entry != _ROOT)]


def list_intruders() -> list[str]:
    """Packages of our names that would be imported from elsewhere, with their places."""
    intruders = []
    for name in ("spiders", "pipelines", "memory_structure"):
        found = find_spec(name)
        place = str(found.origin) if found is not None and found.origin else "nowhere"
        if not place.startswith(_ROOT + os.sep):
            intruders.append(f"{name} ({place})")
    return intruders


if _intruders := list_intruders():
    raise SystemExit(f"other packages take the names of this project: {', '.join(_intruders)}")

try:
    _config = load_config(find_config_file(os.environ), os.environ)
except ConfigError as error:
    raise SystemExit(f"the configuration has faults: {error}") from None

BOT_NAME = "hyphe"
SPIDER_MODULES = ["spiders"]
NEWSPIDER_MODULE = "spiders"
USER_AGENT = _config.user_agent
# One format for the service and its workers; Scrapy's own handler would write another.
configure_logs(_config.log_level, LogFormat(_config.log_format))
LOG_ENABLED = False
LOG_LEVEL = _config.log_level
LOG_FORMATTER = "hyphe_core.crawl.scheduling.SilentFormatter"

ITEM_PIPELINES = {
    "pipelines.body.BodyPipeline": 100,
    "pipelines.page.PagePipeline": 200,
    "pipelines.memory.MemoryStructurePipeline": 300,
}

# The frontier decides what is requested when; Scrapy carries it out.
SCHEDULER = "hyphe_core.crawl.scheduling.FifoScheduler"
DOWNLOADER = "hyphe_core.crawl.engine_parts.DirectDownloader"
ITEM_PROCESSOR = "hyphe_core.crawl.engine_parts.DirectItemProcessor"
DUPEFILTER_CLASS = "scrapy.dupefilters.BaseDupeFilter"
CONCURRENT_REQUESTS = _config.n_in_flight + 8
CONCURRENT_REQUESTS_PER_DOMAIN = (
    128  # sizes the tolerant client's connection pools; the frontier bounds requests by host
)
DOWNLOAD_DELAY = 0
DOWNLOAD_DELAY_JITTER = 0
CONCURRENT_ITEMS = 1  # a callback gives one item at most; each unit costs a task a page
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 64 * 1024 * 1024
DOWNLOAD_HANDLERS = {
    "http": "hyphe_core.crawl.download.JobDownloadHandler",
    "https": "hyphe_core.crawl.download.JobDownloadHandler",
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
TWISTED_DNS_RESOLVER = "hyphe_core.crawl.resolver.PublicResolver"
REACTOR_THREADPOOL_MAXSIZE = 30
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_VERIFY_CERTIFICATES = False

# Empty instead of many None: nothing new comes in with an upgrade.
DOWNLOADER_MIDDLEWARES_BASE: dict[str, int] = {}
SPIDER_MIDDLEWARES_BASE: dict[str, int] = {}
EXTENSIONS_BASE: dict[str, int] = {}
STATS_CLASS = "scrapy.statscollectors.DummyStatsCollector"
STATS_DUMP = False
WARN_ON_GENERATOR_RETURN_VALUE = False
RETRY_ENABLED = False
REDIRECT_ENABLED = False
COOKIES_ENABLED = False
ROBOTSTXT_OBEY = False
TELNETCONSOLE_ENABLED = False

if find_spec("uvloop") is not None:
    ASYNCIO_EVENT_LOOP = "uvloop.Loop"
