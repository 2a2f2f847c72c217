"""Logging set up once for a process: plain lines or one JSON object a line, on standard error.

Modules take their logger by `logging.getLogger(__name__)`; values that machines want go into `extra`.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import TextIO

# The attributes every record has; what a caller put into `extra` is the rest.
_STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

# Libraries that say at INFO what we say better, or at DEBUG what nobody reads.
_NOISY_LOGGERS = ("pymongo", "urllib3", "filelock", "fsspec", "asyncio", "protego")


class LogFormat(StrEnum):
    """How a line of the log looks."""

    PLAIN = "plain"
    JSON = "json"


LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class PlainFormatter(logging.Formatter):
    """`2026-01-31T12:00:00.000Z INFO hyphe_core.crawl: message key=value`, on one line but for tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        """The line for a record."""
        extra = "".join(f" {name}={value}" for name, value in extra_values(record))
        message = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        line = f"{_moment(record)} {record.levelname} {record.name}: {message}{extra}"
        return line + _traceback(self, record)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: at, level, logger, message, extra values, `traceback` after an exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The line for a record."""
        entry: dict[str, object] = dict(extra_values(record))
        entry |= {"at": _moment(record), "level": record.levelname, "logger": record.name}
        entry["message"] = record.getMessage()
        traceback = _traceback(self, record)
        if traceback:
            entry["traceback"] = traceback.strip()
        return json.dumps(entry, ensure_ascii=False, default=str, sort_keys=True)


class _OwnHandler(logging.StreamHandler[TextIO]):
    """Our handler, recognised when logging is configured again."""


def _is_worth_telling(record: logging.LogRecord) -> bool:
    """Scrapy tells its versions, parts and settings at each start, and resets the levels of its loggers."""
    return record.levelno >= logging.WARNING or not record.name.startswith("scrapy.")


def extra_values(record: logging.LogRecord) -> list[tuple[str, object]]:
    """What the caller put into `extra`, by name."""
    return sorted((name, value) for name, value in vars(record).items() if name not in _STANDARD_ATTRIBUTES)


def configure_logs(
    level: str = "INFO", log_format: LogFormat = LogFormat.PLAIN, stream: TextIO | None = None
) -> None:
    """Send the log of the whole process to `stream` (standard error); called again, replace what it set.

    Handlers that others put on the root logger stay.
    """
    root = logging.getLogger()
    for old in [handler for handler in root.handlers if isinstance(handler, _OwnHandler)]:
        root.removeHandler(old)
    handler = _OwnHandler(stream if stream is not None else sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format is LogFormat.JSON else PlainFormatter())
    handler.setLevel(level)  # Scrapy takes the root's away
    if handler.level > logging.DEBUG:
        handler.addFilter(_is_worth_telling)
    root.addHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(True)
    for name in _NOISY_LOGGERS:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


def _moment(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    return "\n" + formatter.formatException(record.exc_info) if record.exc_info else ""
