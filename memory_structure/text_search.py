"""The part of the memory structure that finds pages by the words of their titles and texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from memory_structure.records import PageRecord


class SearchPlace(NamedTuple):
    """Where a search goes on: pages that have every word in their title come first, then the others; both
    by page id."""

    beyond_titles: bool
    page_id: int


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that has the words. `snippet` is the part of its text around the first of them, "" without
    text."""

    page: PageRecord
    snippet: str


@dataclass(frozen=True, slots=True)
class FoundPages:
    """A part of the answer to a search. `next_place` is None at the end; there may be fewer pages than
    asked for and more to come. `n_waiting`: attempts to fetch a page that are not in the index yet, so at
    most as many pages."""

    pages: tuple[FoundPage, ...]
    next_place: SearchPlace | None
    n_waiting: int


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """What a turn of indexing did: pages put into the index, attempts still to be looked at."""

    n_pages: int
    n_waiting: int


class TextSearch(ABC):
    """Search in titles and texts of pages. The index lags behind the pages, so that it never slows a
    crawl."""

    @abstractmethod
    def search_pages(
        self,
        words: str,
        *,
        web_entity_id: int | None = None,
        after: SearchPlace | None = None,
        limit: int = 20,
    ) -> FoundPages:
        """Pages that have every word of a text in title or text (see
        `memory_structure.words`), of one entity or all. Raises InvalidValue when it holds no word, or the
        store has no index of words."""

    @abstractmethod
    def indexes_texts(self) -> bool:
        """Whether pages are to be put into the index: the option `index_text`, else whether the corpus is
        small."""

    @abstractmethod
    def index_texts(self, budget_seconds: float | None = None) -> IndexProgress:
        """Put pages fetched since the last time into the index, at least some, until all are or the time is
        up."""

    @abstractmethod
    def n_texts_waiting(self) -> int:
        """Attempts stored and not looked at by the index yet."""

    @abstractmethod
    def forget_texts(self) -> None:
        """Empty the index; pages are put into it anew."""
