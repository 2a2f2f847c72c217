"""How old what is kept in memory may be.

During a crawl the store changes with every batch: what is made of it may then be ten times as old as it
took to make, so that polling clients cannot keep a core busy. What a client changed is never hidden from
the next call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hyphe_core.clock import monotonic

_PATIENCE: Final = 10.0
_NEVER: Final = -1


@dataclass(slots=True)
class Freshness:
    """The version something was made of, how many changes of clients were known then, when it was and how
    long it took."""

    version: int = _NEVER
    n_changes: int = _NEVER
    made_at_seconds: float = 0.0
    cost_seconds: float = 0.0

    def serves(self, version: int, n_changes: int) -> bool:
        """Whether what was made still serves at a version of the store, when clients changed so often."""
        if self.version == version:
            return True
        if self.n_changes != n_changes:
            return False
        return monotonic() - self.made_at_seconds < _PATIENCE * self.cost_seconds

    def note(self, version: int, n_changes: int, started_at_seconds: float) -> None:
        """It was made anew, begun at a moment."""
        self.version, self.n_changes = version, n_changes
        self.made_at_seconds = monotonic()
        self.cost_seconds = self.made_at_seconds - started_at_seconds
