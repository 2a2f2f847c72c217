"""Listings of web entities that clients page through: their ids, frozen when asked for, under a token.

Kept in memory, 4 bytes an id, the least recently used dropped first; a token that is gone must be asked for
again.
"""

from __future__ import annotations

import secrets
from array import array
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock

_MAX_LISTINGS = 1_000
_MAX_IDS = 20_000_000


@dataclass(frozen=True, slots=True)
class Listing:
    """The ids of a listing in its order (4 bytes each), with weights where it has any, and how its pages are
    shown."""

    corpus_id: str
    ids: array[int]
    count: int
    level: str
    weights: dict[int, int] | None = None

    def digest(self) -> bytes | None:
        """Names the content: listings of one digest are equal. None with weights: those are not looked at."""
        if self.weights is not None:
            return None
        head = f"{self.corpus_id}\n{self.count}\n{self.level}\n"
        return sha256(head.encode() + self.ids.tobytes()).digest()


class Listings:
    """The listings of all corpora. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._listings: OrderedDict[str, Listing] = OrderedDict()
        self._digests: dict[str, bytes] = {}
        self._tokens: dict[bytes, str] = {}
        self._n_ids = 0

    def keep(self, listing: Listing) -> str:
        """Remember a listing; its token, 24 hexadecimal digits. One that is kept already keeps its token,
        so that clients which ask for a list again and again take no more room."""
        digest = listing.digest()
        with self._lock:
            known = None if digest is None else self._tokens.get(digest)
            if known is not None:
                self._listings.move_to_end(known)
                return known
            token = secrets.token_hex(12)
            self._listings[token] = listing
            self._n_ids += len(listing.ids)
            if digest is not None:
                self._tokens[digest], self._digests[token] = token, digest
            while len(self._listings) > 1 and self._is_full():
                self._drop(next(iter(self._listings)))
        return token

    def _is_full(self) -> bool:
        return len(self._listings) > _MAX_LISTINGS or self._n_ids > _MAX_IDS

    def _drop(self, token: str) -> None:
        self._n_ids -= len(self._listings.pop(token).ids)
        digest = self._digests.pop(token, None)
        if digest is not None:
            del self._tokens[digest]

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
                self._drop(token)
