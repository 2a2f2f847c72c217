"""What a database may offer to find documents by their words: an index that lags behind, and knows how far.

It stands beside the tables of the corpus and takes no part in their transactions: writing it never keeps a
crawl waiting, and losing it loses nothing, as it is made of what the tables hold. Both backends give the
same answers: words are found as given, without any reading of them by the database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple


class Document(NamedTuple):
    """A document: its id, above 0, and its distinct words: texts of letters and digits, perhaps with "=" in
    front."""

    document_id: int
    words: Sequence[str]


class WordIndex(ABC):
    """Sets of words by document id. Safe to use from several threads and processes."""

    @abstractmethod
    def mark(self) -> int:
        """How far the index has come, in the caller's own count; 0 at first."""

    @abstractmethod
    def advance(
        self, documents: Sequence[Document], removed: Sequence[int], *, before: int, after: int
    ) -> bool:
        """Put documents in the place of those of the same ids, remove others, and move the mark from
        `before` to `after`, which is larger. False when somebody else has moved it: then nothing that is
        newer was overwritten, and the caller reads the mark again."""

    @abstractmethod
    def find(
        self,
        words: Sequence[str],
        *,
        after: int = 0,
        limit: int = 1000,
        among: Sequence[int] | None = None,
    ) -> list[int]:
        """Ids, rising and above `after`, of documents that have every one of the words (one at least); of
        those `among` a few hundred ids alone, where they are given."""

    @abstractmethod
    def clear(self) -> None:
        """Forget every document and set the mark to 0."""
