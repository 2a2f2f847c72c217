"""The contract of what a registry keeps of redirectors: resolved addresses, and changes of the list of
rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple


class Resolution(NamedTuple):
    """Where an address was found to lead. `target_url` is None when it led nowhere (not found, refused);
    `trail` are the addresses asked on the way, the first one included. Good until `expires_at`."""

    url: str
    target_url: str | None
    trail: tuple[str, ...]
    resolved_at: datetime
    expires_at: datetime


class ResolutionKeeping(ABC):
    """Resolved addresses, shared by all corpora; and changes that the operator made to the list of rules."""

    @abstractmethod
    def keep_resolutions(self, resolutions: Sequence[Resolution]) -> None:
        """Keep resolutions, in the place of earlier ones; those that have expired are forgotten."""

    @abstractmethod
    def find_resolutions(self, urls: Iterable[str] | None = None) -> dict[str, Resolution]:
        """Resolutions of those addresses that are still good; of all for None."""

    @abstractmethod
    def redirect_changes(self) -> tuple[str, ...]:
        """Changes of the list of redirectors, "+rule" or "-rule", sorted by rule."""

    @abstractmethod
    def change_redirects(self, changes: Sequence[str]) -> None:
        """Keep "+rule" or "-rule" for each rule, in the place of what was said of it; "=rule" forgets it."""
