"""The clocks: moments for records, and a steady count of seconds for delays and leases."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Seconds of a clock that never goes back; only differences mean something."""
    return time.monotonic()


def iso_text(moment: datetime) -> str:
    """A moment as ISO 8601 with microseconds and Z, always 27 characters: text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def to_milliseconds(moment: datetime) -> int:
    """Whole milliseconds since 1970, rounded down."""
    return (moment - EPOCH) // timedelta(milliseconds=1)


def from_milliseconds(milliseconds: int) -> datetime:
    """The moment that many milliseconds after 1970."""
    return EPOCH + timedelta(milliseconds=milliseconds)
