from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hyphe_core.crawl.retry import RetryPolicy, is_transient, parse_retry_after
from memory_structure.records import FetchError

POLICY = RetryPolicy(first_seconds=1, factor=3, longest_seconds=60, patience_seconds=300)


@pytest.mark.parametrize(
    ("status", "error", "transient"),
    [
        (None, FetchError.TIMEOUT, True),
        (None, FetchError.CONNECTION, True),
        (None, FetchError.DNS, True),
        (None, FetchError.PROXY, True),
        (200, FetchError.TRUNCATED, True),
        (500, None, True),
        (503, None, True),
        (429, None, True),
        (404, None, False),
        (403, None, False),
        (200, None, False),
        (200, FetchError.TOO_LARGE, False),
        (None, FetchError.PRIVATE_ADDRESS, False),
        (None, FetchError.TLS, False),
        (None, FetchError.BAD_ANSWER, False),
    ],
)
def test_only_what_may_pass_is_tried_again(
    status: int | None, error: FetchError | None, transient: bool
) -> None:
    assert is_transient(status, error) is transient


def test_waits_grow_and_stop_at_the_number_of_retries() -> None:
    waits = [POLICY.find_wait(n, 3, 500, None, None) for n in (1, 2, 3, 4)]
    assert waits == [1, 3, 9, None]


def test_an_unknown_host_is_tried_twice_at_most() -> None:
    assert POLICY.find_wait(1, 5, None, FetchError.DNS, None) is not None
    assert POLICY.find_wait(2, 5, None, FetchError.DNS, None) is None
    assert POLICY.find_wait(1, 0, None, FetchError.DNS, None) is None


def test_retry_after_lengthens_the_wait_but_not_without_end() -> None:
    assert POLICY.find_wait(1, 2, 503, None, 20) == 20
    assert POLICY.find_wait(2, 2, 503, None, 1) == 3
    assert POLICY.find_wait(1, 2, 503, None, 301) is None


def test_429_and_503_hold_the_whole_host_and_nothing_else_does() -> None:
    assert POLICY.find_hold(2, 503, None) == 3
    assert POLICY.find_hold(1, 429, 7) == 7
    assert POLICY.find_hold(1, 503, 9999) == 300
    assert POLICY.find_hold(1, 500, 7) is None
    assert POLICY.find_hold(1, 200, None) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60.0),
        ("Wed, 31 Dec 2025 23:59:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("", None),
        ("٣", None),
        ("9" * 50, 999_999_999.0),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float | None) -> None:
    assert parse_retry_after(value, datetime(2026, 1, 1, tzinfo=UTC)) == seconds
