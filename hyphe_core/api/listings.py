"""Listings of web entities that clients page through: their ids, frozen when asked for, under a token.

Kept in memory, the least recently used dropped first; a token that is gone must be asked for again.
"""

from __future__ import annotations

import secrets
from array import array
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

_MAX_LISTINGS = 1_000
_MAX_IDS = 20_000_000


@dataclass(frozen=True, slots=True)
class Listing:
    """The ids of a listing in its order, with weights where it has any, and how its pages are shown."""

    corpus_id: str
    ids: array[int]
    count: int
    level: str
    weights: dict[int, int] | None = None


class Listings:
    """The listings of all corpora. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._listings: OrderedDict[str, Listing] = OrderedDict()

    def keep(self, listing: Listing) -> str:
        """Remember a listing; its token, 24 hexadecimal digits."""
        token = secrets.token_hex(12)
        with self._lock:
            self._listings[token] = listing
            while len(self._listings) > 1 and self._is_full():
                self._listings.popitem(last=False)
        return token

    def _is_full(self) -> bool:
        n_ids = sum(len(listing.ids) for listing in self._listings.values())
        return len(self._listings) > _MAX_LISTINGS or n_ids > _MAX_IDS

    def find(self, corpus_id: str, token: str) -> Listing | None:
        """The listing of that token in that corpus."""
        with self._lock:
            listing = self._listings.get(token)
            if listing is None or listing.corpus_id != corpus_id:
                return None
            self._listings.move_to_end(token)
            return listing

    def forget_corpus(self, corpus_id: str) -> None:
        """Drop the listings of a corpus that is gone."""
        with self._lock:
            for token in [t for t, listing in self._listings.items() if listing.corpus_id == corpus_id]:
                del self._listings[token]
