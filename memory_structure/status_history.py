"""The part of the memory structure that keeps how many web entities had which status, over time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime
from typing import NamedTuple


class StatusPoint(NamedTuple):
    """Numbers of web entities by status as of a moment. `n_in_untagged` and `n_in_uncrawled`, entities IN
    that lack tags or a crawl, are None where nobody had counted them."""

    counted_at: datetime
    n_in: int
    n_out: int
    n_undecided: int
    n_discovered: int
    n_in_untagged: int | None
    n_in_uncrawled: int | None


class StatusHistory(ABC):
    """Numbers of web entities by status, kept when they change: one point for each minute in which one did,
    as of the minute's last change."""

    @abstractmethod
    def list_status_points(self) -> list[StatusPoint]:
        """All points, oldest first."""

    @abstractmethod
    def note_lacks(self, n_in_untagged: int, n_in_uncrawled: int) -> None:
        """Keep how many entities that are IN lack tags or a crawl, when it differs from what was noted
        last."""
