"""The settings: one frozen `Config`, whose fields carry description, unit and reader as metadata.

What reads files and environment, `hyphe config show` and docs/settings.md all work from that one place.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import attrs

from hyphe_core.config.describing import About, Setting, about, shown_value
from hyphe_core.config.values import (
    choice,
    flag,
    number,
    optional,
    path,
    text,
    texts,
    url,
    whole_number,
)
from hyphe_core.logs import LOG_LEVELS, LogFormat


def program_version() -> str:
    """The version of the installed program; "unknown" when it runs from sources that are not installed."""
    try:
        return version("hyphe-crawler")
    except PackageNotFoundError:
        return "unknown"


def honest_user_agent(operator_contact: str) -> str:
    """The agent sent by default: the program, its version, and how to reach who runs it."""
    contact = operator_contact or "operator gave no contact"
    return f"hyphe-crawler/{program_version()} (research crawler; {contact})"


def default_data_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder for stores when none is named: hyphe in the user's data folder."""
    base = environ.get("XDG_DATA_HOME") or ""
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "share") / "hyphe"


_STORE, _SERVICE, _WORKERS = "Store", "Service", "Workers"
_CRAWLING, _CORPORA, _LOG = "Crawling", "New corpora", "Log"


@attrs.frozen(kw_only=True)
class Config:
    """Every setting of a process. Durations in seconds, sizes in bytes."""

    data_dir: Path = attrs.field(
        default=attrs.Factory(default_data_dir),
        metadata=about(
            _STORE,
            path(),
            "Folder of the registry, the corpora and the stored bodies.",
            default_words="~/.local/share/hyphe (XDG_DATA_HOME is respected)",
        ),
    )
    mongodb_uri: str | None = attrs.field(
        default=None,
        metadata=about(
            _STORE,
            optional(url("mongodb", "mongodb+srv")),
            "MongoDB server that holds registry and corpora; none = SQLite files in the data folder.",
            secret=True,
        ),
    )
    blob_url: str | None = attrs.field(
        default=None,
        metadata=about(
            _STORE,
            optional(text()),
            "Where bodies are kept, as an fsspec URL (file://, s3://); none = in the data folder.",
            secret=True,
        ),
    )
    restore_days: int = attrs.field(
        default=30,
        metadata=about(
            _STORE,
            whole_number(0, 3650),
            "How long a destroyed corpus can be brought back; 0 removes it at once.",
            unit="days",
        ),
    )
    max_corpora: int | None = attrs.field(
        default=None,
        metadata=about(
            _STORE,
            optional(whole_number(1, 1_000_000)),
            "Most corpora there may be; none = as many as the disk holds.",
        ),
    )
    backup_days: float = attrs.field(
        default=0.0,
        metadata=about(
            _STORE,
            number(0, 3650),
            "Time between automatic backups of each corpus that changed; 0 = the service writes none.",
            unit="days",
        ),
    )
    n_backups: int = attrs.field(
        default=3,
        metadata=about(
            _STORE, whole_number(1, 1000), "Automatic backups kept of each corpus; older ones are removed."
        ),
    )

    host: str = attrs.field(
        default="127.0.0.1",
        metadata=about(_SERVICE, text(), "Address the service binds."),
    )
    port: int = attrs.field(
        default=6978,
        metadata=about(_SERVICE, whole_number(0, 65535), "Port of the service; 0 takes a free one."),
    )
    admin_password: str = attrs.field(
        default="",
        metadata=about(
            _SERVICE,
            text(empty=True),
            "Password of the administrator; empty = on a loopback address, whoever uses this machine is one.",
            secret=True,
        ),
    )
    allowed_origins: tuple[str, ...] = attrs.field(
        default=(),
        metadata=about(
            _SERVICE,
            texts(),
            "Origins of web pages that may call the service, beside its own and those of this machine.",
        ),
    )
    allowed_hosts: tuple[str, ...] = attrs.field(
        default=(),
        metadata=about(
            _SERVICE,
            texts(),
            "Further names under which clients may address the service (behind a reverse proxy).",
        ),
    )
    hyphe_compatible_access: bool = attrs.field(
        default=False,
        metadata=about(
            _SERVICE,
            flag(),
            "Let pages of any origin call, leave started corpora open to everyone, as Hyphe does;"
            " for trusted networks only.",
        ),
    )
    max_request_bytes: int = attrs.field(
        default=32 * 1024 * 1024,
        metadata=about(
            _SERVICE,
            whole_number(1024),
            "Largest request body the service reads.",
            unit="bytes",
        ),
    )

    n_workers: int = attrs.field(
        default=attrs.Factory(lambda: os.cpu_count() or 1),
        metadata=about(
            _WORKERS,
            whole_number(0, 512),
            "Worker processes that `hyphe serve` and `hyphe crawl` keep alive; 0 = none here.",
            default_words="one per core",
        ),
    )
    n_in_flight: int = attrs.field(
        default=64,
        metadata=about(
            _WORKERS,
            whole_number(1, 4096),
            "Requests one worker has under way at once, over all hosts.",
        ),
    )
    n_jobs_per_worker: int = attrs.field(
        default=500,
        metadata=about(_WORKERS, whole_number(1, 100000), "Crawl jobs one worker carries at once."),
    )
    lease_seconds: float = attrs.field(
        default=30.0,
        metadata=about(
            _WORKERS,
            number(2, 3600),
            "Time after which what a silent worker held is given to others.",
            unit="seconds",
        ),
    )
    batch_pages: int = attrs.field(
        default=100,
        metadata=about(
            _WORKERS,
            whole_number(1, 10000),
            "Pages written to the store in one transaction, at most.",
        ),
    )
    batch_seconds: float = attrs.field(
        default=1.0,
        metadata=about(
            _WORKERS,
            number(0.01, 60),
            "Time a fetched page waits for its transaction, at most.",
            unit="seconds",
        ),
    )

    operator_contact: str = attrs.field(
        default="",
        metadata=about(
            _CRAWLING,
            text(empty=True),
            "How sites can reach who runs the crawler (a mail address or a page); part of the user agent.",
        ),
    )
    user_agent: str = attrs.field(
        default=attrs.Factory(lambda self: honest_user_agent(self.operator_contact), takes_self=True),
        metadata=about(
            _CRAWLING,
            text(),
            "User agent sent to sites.",
            default_words="the program's name and version with `operator_contact`",
        ),
    )
    delay_seconds: float = attrs.field(
        default=1.0,
        metadata=about(
            _CRAWLING,
            number(0, 3600),
            "Pause between the end of a request to a host and the next one to it.",
            unit="seconds",
        ),
    )
    per_host: int = attrs.field(
        default=1,
        metadata=about(
            _CRAWLING,
            whole_number(1, 64),
            "Requests under way to one host at once, over all jobs.",
        ),
    )
    obey_robots: bool = attrs.field(
        default=True,
        metadata=about(_CRAWLING, flag(), "Obey robots.txt, meta robots and X-Robots-Tag."),
    )
    obey_crawl_delay: bool = attrs.field(
        default=True,
        metadata=about(
            _CRAWLING,
            flag(),
            "Obey Crawl-delay of robots.txt, up to `max_crawl_delay_seconds`.",
        ),
    )
    max_crawl_delay_seconds: float = attrs.field(
        default=30.0,
        metadata=about(
            _CRAWLING,
            number(0, 86400),
            "Longest Crawl-delay obeyed; longer ones count as this.",
            unit="seconds",
        ),
    )
    one_core_per_worker: bool = attrs.field(
        default=True,
        metadata=about(
            _CRAWLING,
            flag(),
            "Keep each worker process on one core, the freest: its threads then waste less (Linux only).",
        ),
    )
    max_depth: int = attrs.field(
        default=3,
        metadata=about(
            _CRAWLING,
            whole_number(0, 100),
            "Deepest crawl a client may ask for.",
            unit="clicks",
        ),
    )
    allow_private_networks: bool = attrs.field(
        default=False,
        metadata=about(
            _CRAWLING,
            flag(),
            "Fetch private, loopback and link-local addresses too (intranets, tests).",
        ),
    )
    proxy: str | None = attrs.field(
        default=None,
        metadata=about(
            _CRAWLING,
            optional(url("http", "https")),
            "Proxy for requests to sites, as a URL.",
            secret=True,
        ),
    )
    timeout_seconds: float = attrs.field(
        default=30.0,
        metadata=about(
            _CRAWLING,
            number(0.1, 3600),
            "Time a request may take as a whole.",
            unit="seconds",
        ),
    )
    n_retries: int = attrs.field(
        default=2,
        metadata=about(
            _CRAWLING,
            whole_number(0, 20),
            "Further attempts after one that failed in a way that may pass.",
        ),
    )
    max_body_bytes: int = attrs.field(
        default=10 * 1024 * 1024,
        metadata=about(
            _CRAWLING,
            whole_number(1024),
            "Largest body read, after decompression.",
            unit="bytes",
        ),
    )

    stylesheets_dir: Path | None = attrs.field(
        default=None,
        metadata=about(
            _CRAWLING,
            optional(path()),
            "Folder of XML formats (a stylesheet each) beside those shipped; none = `stylesheets` in the data"
            " folder, if it exists.",
        ),
    )

    creation_rule: str = attrs.field(
        default="domain",
        metadata=about(_CORPORA, text(), "Default creation rule of new corpora."),
    )
    platform_rules: bool = attrs.field(
        default=True,
        metadata=about(_CORPORA, flag(), "New corpora cut large platforms into accounts and blogs by rules."),
    )
    precision_limit: int | None = attrs.field(
        default=None,
        metadata=about(
            _CORPORA,
            optional(whole_number(0, 100)),
            "Stems kept after the head of an LRU in nodes of new corpora; none = every page is a node.",
            unit="stems",
        ),
    )
    keep_bodies: bool = attrs.field(
        default=True,
        metadata=about(_CORPORA, flag(), "Keep the original bytes of pages in new corpora."),
    )
    keep_text: bool = attrs.field(
        default=True,
        metadata=about(_CORPORA, flag(), "Keep the visible text of pages in new corpora."),
    )

    log_level: str = attrs.field(
        default="INFO",
        metadata=about(_LOG, choice(LOG_LEVELS), "Least severe messages that are logged."),
    )
    log_format: LogFormat = attrs.field(
        default=LogFormat.PLAIN,
        metadata=about(
            _LOG,
            choice(tuple(LogFormat), LogFormat),
            "Plain lines or one JSON object a line.",
        ),
    )


def list_settings() -> list[Setting]:
    """Every setting, in the order they are declared."""
    return [_describe(each) for each in attrs.fields(Config)]


def _describe(attribute: attrs.Attribute[object]) -> Setting:
    known: About = attribute.metadata["about"]
    return Setting(
        name=attribute.name,
        group=known.group,
        description=known.description,
        unit=known.unit,
        read=known.read,
        default=known.default_words or shown_value(attribute.default),
        secret=known.secret,
    )
