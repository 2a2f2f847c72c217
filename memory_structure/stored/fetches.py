"""Fetches and jobs' counters as rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass

from memory_structure.records import Fetch, FetchError
from memory_structure.storage import Row
from memory_structure.stored.codec import clean_text
from memory_structure.stored.moments import from_micros, to_micros
from memory_structure.urls import without_userinfo

_ERRORS = {error.value: error for error in FetchError}


def fetch_row(fetch_id: int, page_id: int, fetch: Fetch) -> Row:
    """An attempt as stored."""
    error = fetch.error
    return (
        fetch_id,
        page_id,
        fetch.job_id,
        fetch.attempt,
        int(fetch.final),
        to_micros(fetch.fetched_at),
        fetch.duration_seconds,
        fetch.depth,
        fetch.status,
        None if error is None else error.value,
        clean_text(fetch.error_detail),
        clean_text(fetch.content_type),
        clean_text(fetch.encoding),
        fetch.size_bytes,
        fetch.digest,
        clean_text(fetch.title),
        clean_text(fetch.language),
        clean_text(without_userinfo(fetch.canonical)),
        fetch.redirect_lru,
        int(fetch.follow),
        fetch.n_links,
        fetch.n_self_links,
        fetch.n_links_cut,
    )


def fetch_of(row: Row) -> Fetch:
    """An attempt as shown."""
    return Fetch(
        row[2],
        from_micros(row[5]),
        row[6],
        row[3],
        bool(row[4]),
        row[7],
        row[8],
        None if row[9] is None else _ERRORS[row[9]],
        row[10],
        row[11],
        row[12],
        row[13],
        row[14],
        row[15],
        row[16],
        row[17],
        row[18],
        bool(row[19]),
        row[20],
        row[21],
        row[22],
    )


@dataclass(slots=True)
class Tally:
    """Counters of a job, in the column order of their table. `max_depth_reached` only grows."""

    n_pages: int = 0
    n_answers: int = 0
    n_200: int = 0
    n_3xx: int = 0
    n_errors: int = 0
    n_robots: int = 0
    n_links: int = 0
    n_new_pages: int = 0
    n_bytes: int = 0
    max_depth_reached: int = 0

    def add(self, attempts: Iterable[Fetch]) -> None:
        """Count attempts on one page: sizes of all, the rest of the final one."""
        for fetch in attempts:
            self.n_bytes += fetch.size_bytes
            if fetch.final:
                self._add_final(fetch)

    def _add_final(self, fetch: Fetch) -> None:
        status = fetch.status
        self.n_pages += 1
        self.n_links += fetch.n_links
        self.max_depth_reached = max(self.max_depth_reached, fetch.depth)
        if status is not None:
            self.n_answers += 1
            self.n_200 += status == 200
            self.n_3xx += 300 <= status < 400
        if fetch.error is not None or (status is not None and status >= 400):
            self.n_errors += 1
            self.n_robots += fetch.error is FetchError.ROBOTS

    def values(self) -> tuple[int, ...]:
        """The counters in column order."""
        return astuple(self)
