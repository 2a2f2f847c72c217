"""The history of numbers by status, read, and completed by what only the service counts."""

from __future__ import annotations

from memory_structure.status_history import StatusPoint
from memory_structure.stored.job_store import JobStore
from memory_structure.stored.moments import from_micros, now_micros
from memory_structure.stored.schema import STATUS_POINTS
from memory_structure.stored.state import read_state
from memory_structure.stored.status_counts import counts_of, find_last_point, put_point


class StoredStatusHistory(JobStore):
    """Points of the history."""

    def list_status_points(self) -> list[StatusPoint]:
        """All points, oldest first."""
        rows = self._storage.scan(STATUS_POINTS)
        return [StatusPoint(from_micros(row[1]), *row[2:]) for row in rows]

    def note_lacks(self, n_in_untagged: int, n_in_uncrawled: int) -> None:
        """Keep how many entities that are IN lack tags or a crawl. The corpus itself does not change by it:
        its version stays."""
        last = find_last_point(self._storage, with_lacks=True)
        if last is not None and last[6:] == (n_in_untagged, n_in_uncrawled):
            return
        with self._write_lock, self._storage.transaction() as transaction:
            counts = counts_of(read_state(transaction))
            put_point(transaction, now_micros(), counts, (n_in_untagged, n_in_uncrawled))
