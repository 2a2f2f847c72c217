"""Moments as integers: microseconds since 1970 UTC, exact both ways."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """The moment as stored."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The moment as shown: aware, UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def optional_micros(moment: datetime | None) -> int | None:
    """As `to_micros`, None stays None."""
    return None if moment is None else to_micros(moment)


def optional_moment(micros: int | None) -> datetime | None:
    """As `from_micros`, None stays None."""
    return None if micros is None else from_micros(micros)


def now_micros() -> int:
    """The present, as stored."""
    return to_micros(datetime.now(UTC))
