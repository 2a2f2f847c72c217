"""When a failed attempt is made again, and after how long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from memory_structure.records import FetchError

_TRANSIENT: Final = frozenset(
    {FetchError.TIMEOUT, FetchError.CONNECTION, FetchError.TRUNCATED, FetchError.PROXY}
)
SLOW_DOWN_STATUSES: Final = frozenset({429, 503})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Waits grow from `first_seconds` by `factor` up to `longest_seconds`; a server may ask for more in
    Retry-After, but one that asks for more than `patience_seconds` is not asked again."""

    first_seconds: float = 1.0
    factor: float = 3.0
    longest_seconds: float = 60.0
    patience_seconds: float = 300.0

    def backoff(self, attempt: int) -> float:
        """Seconds to wait after that many attempts."""
        return min(self.longest_seconds, self.first_seconds * self.factor ** (attempt - 1))

    def find_wait(
        self,
        attempt: int,
        n_retries: int,
        status: int | None,
        error: FetchError | None,
        retry_after: float | None,
    ) -> float | None:
        """Seconds until the next attempt, None when this one was the last. An unknown host is tried twice
        at most."""
        limit = min(1, n_retries) if error is FetchError.DNS else n_retries
        if attempt > limit or not is_transient(status, error):
            return None
        if retry_after is not None and retry_after > self.patience_seconds:
            return None
        return max(self.backoff(attempt), retry_after or 0.0)

    def find_hold(self, attempt: int, status: int | None, retry_after: float | None) -> float | None:
        """Seconds a whole host is left alone after a 429 or 503; None for any other answer."""
        if status not in SLOW_DOWN_STATUSES:
            return None
        return min(self.patience_seconds, self.backoff(attempt) if retry_after is None else retry_after)


def is_transient(status: int | None, error: FetchError | None) -> bool:
    """Whether another attempt may succeed: time-outs, lost connections, cut bodies, unknown hosts, 5xx
    and 429."""
    if error is not None:
        return error in _TRANSIENT or error is FetchError.DNS
    return status is not None and (status >= 500 or status == 429)


def parse_retry_after(value: str, now: datetime | None = None) -> float | None:
    """Seconds a Retry-After header asks for (a number, or a date compared to `now`); None when unreadable."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
