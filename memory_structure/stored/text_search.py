"""Titles and texts of pages in the index of words, and searches there.

How far the index has come is told by the last attempt looked at: attempts are numbered in the order they
are stored. A page is put in anew with each of its good attempts. Pages that are gone are passed over when
they are found."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from typing import Final

import zstandard

from memory_structure.errors import InvalidValue
from memory_structure.records import PageRecord
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.caches import LabelReader
from memory_structure.stored.schema import FETCHES, PAGES, TEXTS
from memory_structure.stored.state import read_state
from memory_structure.stored.status_history import StoredStatusHistory
from memory_structure.text_search import FoundPage, FoundPages, IndexProgress, SearchPlace
from memory_structure.word_index import Document, WordIndex
from memory_structure.words import words_of

SMALL_CORPUS: Final = 100_000  # fetched pages up to which texts are indexed unless an option says otherwise
_FEWEST_ATTEMPTS: Final = 16
_MOST_ATTEMPTS: Final = 512
_MOST_WORDS: Final = 20_000  # distinct words of a page
_FEW_PAGES: Final = 5000  # pages of an entity up to which they are looked up, not searched through
_HITS_AT_ONCE: Final = 2_000
_MOST_SEARCH_SECONDS: Final = 0.2  # a search for pages of one entity goes on with the next call
_SNIPPET_BEFORE: Final = 60
_SNIPPET_CHARS: Final = 200
_SNIPPET_FROM_CHARS: Final = 100_000
_TITLE: Final = "="
_RUN: Final = re.compile(r"\w+")
_DECOMPRESSOR: Final = zstandard.ZstdDecompressor()


class StoredTextSearch(StoredStatusHistory):
    """Search in titles and texts."""

    def _words(self) -> WordIndex:
        index = self._storage.word_index()
        if index is None:
            raise InvalidValue("this store has no index of words")
        return index

    # -- indexing

    def indexes_texts(self) -> bool:
        """Whether pages are to be put into the index."""
        chosen = self.options().index_text
        return self.counters().n_pages_fetched <= SMALL_CORPUS if chosen is None else chosen

    def index_texts(self, budget_seconds: float | None = None) -> IndexProgress:
        """Put pages fetched since the last time into the index."""
        index, started = self._words(), time.monotonic()
        n_pages, size = 0, _FEWEST_ATTEMPTS
        while True:
            before = index.mark()
            documents, after, last = self._next_documents(before, size)
            if after > before and index.advance(documents, (), before=before, after=after):
                n_pages += len(documents)
            spent = time.monotonic() - started
            if after >= last or (budget_seconds is not None and spent >= budget_seconds):
                return IndexProgress(n_pages, max(0, last - after))
            size = min(2 * size, _MOST_ATTEMPTS)

    def _next_documents(self, before: int, size: int) -> tuple[list[Document], int, int]:
        """(documents of the next attempts, the last one looked at, the last one stored)."""
        with self._storage.frozen() as reader:
            last = read_state(reader).next_fetch - 1
            after = min(before + size, last)
            columns = ("id", "page_id", "final", "error", "title")
            rows = list(reader.scan(FETCHES, Span(lower=before + 1, upper=after + 1), columns))
            titles = {row[1]: row[4] for row in rows if row[2] and row[3] is None}
            texts = {row[0]: row[1] for row in reader.get(TEXTS, sorted(titles)).values()}
        found = [Document(i, _document_words(title, _text(texts.get(i)))) for i, title in titles.items()]
        return found, after, last

    def n_texts_waiting(self) -> int:
        """Attempts stored and not looked at by the index yet."""
        return max(0, read_state(self._storage).next_fetch - 1 - self._words().mark())

    def forget_texts(self) -> None:
        """Empty the index."""
        self._words().clear()

    # -- searching

    def search_pages(
        self,
        words: str,
        *,
        web_entity_id: int | None = None,
        after: SearchPlace | None = None,
        limit: int = 20,
    ) -> FoundPages:
        """Pages that have every word in title or text."""
        wanted = list(dict.fromkeys(words_of(words)))
        if not wanted:
            raise InvalidValue("there is no word in what is searched for")
        place = after or SearchPlace(False, 0)
        if web_entity_id is None:
            ids, behind = self._hits(wanted, place, limit, None)
        elif self.get_web_entity(web_entity_id).n_pages <= _FEW_PAGES:
            ids, behind = self._hits_among(wanted, place, limit, web_entity_id)
        else:
            ids, behind = self._hits(wanted, place, limit, web_entity_id)
        waiting = self.n_texts_waiting()
        pages = self._at_one_moment(lambda reader: self._found(reader, ids, wanted))
        return FoundPages(tuple(pages), behind, waiting)

    def _hits(
        self, wanted: list[str], place: SearchPlace, limit: int, web_entity_id: int | None
    ) -> tuple[list[int], SearchPlace | None]:
        """(ids of pages, where it goes on), read from the index until there are enough."""
        index, ids = self._words(), list[int]()
        started = time.monotonic()
        while time.monotonic() - started < _MOST_SEARCH_SECONDS:
            hits, behind = _next_hits(index, wanted, place)
            ids += self._of_entity(hits, web_entity_id)[: limit - len(ids)]
            if len(ids) == limit:
                return ids, SearchPlace(place.beyond_titles, ids[-1])
            if behind is None:
                return ids, None
            place = behind
        return ids, place

    def _hits_among(
        self, wanted: list[str], place: SearchPlace, limit: int, web_entity_id: int
    ) -> tuple[list[int], SearchPlace | None]:
        """The same for the pages of a small entity, which are looked up one by one."""
        own = self._at_one_moment(lambda reader: self._page_ids(reader, web_entity_id))
        index = self._words()
        in_title = index.find([_TITLE + word for word in wanted], among=own, limit=len(own) or 1)
        shown = set(in_title)
        others = [i for i in index.find(wanted, among=own, limit=len(own) or 1) if i not in shown]
        places = [SearchPlace(False, i) for i in in_title] + [SearchPlace(True, i) for i in others]
        behind = [found for found in places if found > place]
        more = len(behind) > limit
        return [found.page_id for found in behind[:limit]], behind[limit - 1] if more else None

    def _page_ids(self, reader: Reader, web_entity_id: int) -> list[int]:
        spans = (Span("by_lru", lower=low, upper=up) for low, up in self._ranges(reader, web_entity_id))
        return [row[0] for span in spans for row in reader.scan(PAGES, span, ("id",))]

    def _of_entity(self, ids: list[int], web_entity_id: int | None) -> list[int]:
        if web_entity_id is None or not ids:
            return ids

        def read(reader: Reader) -> list[int]:
            owners = LabelReader(reader).of(ids)
            return [i for i, owner in zip(ids, owners, strict=True) if owner == web_entity_id]

        return self._at_one_moment(read)

    def _found(self, reader: Reader, ids: list[int], wanted: list[str]) -> list[FoundPage]:
        rows: dict[int, Row] = reader.get(PAGES, ids)
        texts = reader.get(TEXTS, ids)
        records = self._records(reader, [rows[i] for i in ids if i in rows])
        fetched = (record for record in records if record.fetch is not None)
        return [FoundPage(record, _snippet_of(record, texts, wanted)) for record in fetched]


def _next_hits(
    index: WordIndex, wanted: Sequence[str], place: SearchPlace
) -> tuple[list[int], SearchPlace | None]:
    """(ids of the next pages, where it goes on; None at the end)."""
    in_title = [_TITLE + word for word in wanted]
    if not place.beyond_titles:
        hits = index.find(in_title, after=place.page_id, limit=_HITS_AT_ONCE)
        ended = len(hits) < _HITS_AT_ONCE
        return hits, SearchPlace(True, 0) if ended else SearchPlace(False, hits[-1])
    hits = index.find(wanted, after=place.page_id, limit=_HITS_AT_ONCE)
    if not hits:
        return [], None
    shown = set(index.find(in_title, after=place.page_id, limit=len(hits)))
    behind = SearchPlace(True, hits[-1]) if len(hits) == _HITS_AT_ONCE else None
    return [i for i in hits if i not in shown], behind


def _document_words(title: str, text: str) -> list[str]:
    in_title = set(words_of(title))
    found: dict[str, None] = dict.fromkeys(_TITLE + word for word in sorted(in_title))
    found.update(dict.fromkeys(sorted(in_title)))
    found.update(dict.fromkeys(words_of(text)))
    return list(found)[:_MOST_WORDS]


def _text(compressed: bytes | None) -> str:
    return "" if compressed is None else _DECOMPRESSOR.decompress(compressed).decode("utf-8")


# -- snippets


def _snippet_of(record: PageRecord, texts: dict[int, Row], wanted: Iterable[str]) -> str:
    row = texts.get(record.page_id)
    return "" if row is None else snippet(_text(row[1])[:_SNIPPET_FROM_CHARS], wanted)


def snippet(text: str, wanted: Iterable[str]) -> str:
    """The part of a text around the first of the words, on one line; its beginning when none is there."""
    words = set(wanted)
    start = next((m.start() for m in _RUN.finditer(text) if not words.isdisjoint(words_of(m.group()))), 0)
    first = max(0, start - _SNIPPET_BEFORE)
    if first:
        first = text.find(" ", first, start) + 1 or start
    part = text[first : first + _SNIPPET_CHARS]
    if first + _SNIPPET_CHARS < len(text):
        part = part[: part.rfind(" ")] if " " in part else part
        part += " …"
    return ("… " if first else "") + " ".join(part.split())
