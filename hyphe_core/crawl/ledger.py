"""What the frontier wants stored without having made a request for it: refused pages, lowered depths."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple

from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.seen import PageState
from memory_structure.records import DepthChange, Fetch, FetchedPage, FetchError

_MOST_REFUSALS: Final = 64


class Record(NamedTuple):
    """Something to store that needed no request; either a page or a change."""

    job: CrawlState
    page: FetchedPage | None
    change: DepthChange | None


class Ledger:
    """Records in order, until they are taken. Full at 64 refusals, so that a host that forbids all cannot
    flood it."""

    __slots__ = ("_n_refused", "_records", "_utc_now")

    def __init__(self, utc_now: Callable[[], datetime]) -> None:
        self._utc_now = utc_now
        self._records: list[Record] = []
        self._n_refused = 0

    def is_full(self) -> bool:
        """Whether the records must be taken before more pages are looked at."""
        return self._n_refused >= _MOST_REFUSALS

    def refuse(self, job: CrawlState, lru: str, depth: int, error: FetchError, detail: str) -> None:
        """Record a page as done without a request."""
        self._n_refused += 1
        job.seen.put(lru, depth, PageState.CLOSED)
        job.n_done += 1
        fetch = Fetch(
            job.job_id, self._utc_now(), depth=depth, error=error, error_detail=detail, follow=False
        )
        self._records.append(Record(job, FetchedPage(lru, (fetch,)), None))

    def lower(self, job: CrawlState, lru: str, depth: int) -> None:
        """Record that a page done before is nearer than its record says."""
        self._records.append(Record(job, None, DepthChange(job.job_id, lru, depth)))

    def take(self) -> list[Record]:
        """The records since the last call, in order."""
        records, self._records = self._records, []
        self._n_refused = 0
        return records
