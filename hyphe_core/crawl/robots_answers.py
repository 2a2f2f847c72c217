"""Answers to requests for a robots.txt, as the frontier needs them."""

from __future__ import annotations

from datetime import datetime

from hyphe_core.crawl.decoding import BodyOverLimit, UndecodableBody, decode_body
from hyphe_core.crawl.page_work import REDIRECT_STATUSES, Answer
from hyphe_core.crawl.retry import parse_retry_after
from hyphe_core.crawl.robots import MAX_ROBOTS_BYTES
from hyphe_core.crawl.tickets import RobotsErrand, RobotsOutcome
from memory_structure.lru import BadUrl, join_url, request_url
from memory_structure.records import FetchError

_MOST_DECODED_BYTES = 4 * MAX_ROBOTS_BYTES


def read_robots_answer(errand: RobotsErrand, answer: Answer, now: datetime) -> RobotsOutcome:
    """The outcome of an answered request. A body over the limits counts as far as it goes; one that cannot
    be decoded
    is an empty file."""
    retry_after = answer.headers.get("retry-after")
    return RobotsOutcome(
        answer.status,
        answer.error if answer.error is not FetchError.TOO_LARGE else None,
        _body(answer),
        _location(errand, answer) if answer.status in REDIRECT_STATUSES else None,
        parse_retry_after(retry_after[0], now) if retry_after else None,
    )


def robots_failure(error: FetchError) -> RobotsOutcome:
    """The outcome of a request that was not answered."""
    return RobotsOutcome(None, error)


def _body(answer: Answer) -> bytes:
    encodings = answer.headers.get("content-encoding")
    if not encodings:
        return answer.body
    try:
        return decode_body(answer.body, encodings, _MOST_DECODED_BYTES)
    except (BodyOverLimit, UndecodableBody):
        return b""


def _location(errand: RobotsErrand, answer: Answer) -> str | None:
    location = answer.header("location").strip()
    if not location:
        return None
    try:
        return request_url(join_url(errand.url, location))
    except BadUrl:
        return None
