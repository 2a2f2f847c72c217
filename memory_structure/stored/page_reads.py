"""Reads of pages and their fetches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import zstandard

from memory_structure.errors import NotFound
from memory_structure.lru import lru_to_url
from memory_structure.lru_tree import LruTree
from memory_structure.records import Fetch, PageRecord
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.caches import LabelReader
from memory_structure.stored.core import Core
from memory_structure.stored.entities import entity_prefixes
from memory_structure.stored.fetches import fetch_of
from memory_structure.stored.moments import from_micros
from memory_structure.stored.relabel import outermost
from memory_structure.stored.schema import FETCHES, PAGES, TEXTS

CHUNK: Final = 2000
_DECOMPRESSOR: Final = zstandard.ZstdDecompressor()


def page_row(reader: Reader, lru: str) -> Row | None:
    """The row of a page."""
    rows = reader.find(PAGES, "by_lru", (lru,))
    return rows[0] if rows else None


def get_page_row(reader: Reader, lru: str) -> Row:
    """The row of a page. Raises NotFound."""
    row = page_row(reader, lru)
    if row is None:
        raise NotFound(f"there is no page {lru}")
    return row


class PageReads(Core):
    """Pages, fetches, texts."""

    def _records(self, reader: Reader, rows: Sequence[Row]) -> list[PageRecord]:
        """Records of page rows, in order."""
        owners = LabelReader(reader).of([row[0] for row in rows])
        fetches = reader.get(FETCHES, [row[4] for row in rows if row[4] is not None])
        with self._territory(reader) as territory:
            nodes = [territory.precision.node(row[1]) for row in rows]
        return [
            PageRecord(
                row[0],
                row[1],
                lru_to_url(row[1]),
                owner,
                node,
                row[2],
                from_micros(row[3]),
                None if row[4] is None else fetch_of(fetches[row[4]]),
            )
            for row, owner, node in zip(rows, owners, nodes, strict=True)
        ]

    def find_page(self, lru: str) -> PageRecord | None:
        """The page of that LRU."""

        def read(reader: Reader) -> PageRecord | None:
            row = page_row(reader, lru)
            return None if row is None else self._records(reader, [row])[0]

        return self._at_one_moment(read)

    def iter_pages(
        self, web_entity_id: int | None = None, *, only_fetched: bool = False
    ) -> Iterator[PageRecord]:
        """Pages in LRU order, read some thousand at a time."""
        after: str | None = None
        if web_entity_id is not None:
            self._at_one_moment(lambda reader: entity_prefixes(reader, web_entity_id))
        while True:
            chunk = self._next_pages(web_entity_id, after, CHUNK, only_fetched)
            yield from chunk
            if len(chunk) < CHUNK:
                return
            after = chunk[-1].lru

    def list_pages(
        self, web_entity_id: int, *, after: str | None = None, limit: int = 5000, only_fetched: bool = False
    ) -> list[PageRecord]:
        """The next pages of an entity in LRU order."""
        self._at_one_moment(lambda reader: entity_prefixes(reader, web_entity_id))
        return self._next_pages(web_entity_id, after, limit, only_fetched)

    def _next_pages(
        self, entity_id: int | None, after: str | None, limit: int, only_fetched: bool
    ) -> list[PageRecord]:
        def read(reader: Reader) -> list[PageRecord]:
            return self._records(reader, self._page_rows(reader, entity_id, after, limit, only_fetched))

        return self._at_one_moment(read)

    def _page_rows(
        self, reader: Reader, entity_id: int | None, after: str | None, limit: int, only_fetched: bool
    ) -> list[Row]:
        """Up to `limit` rows of pages behind an LRU."""
        found: list[Row] = []
        if limit <= 0:
            return found
        for lower, upper in self._ranges(reader, entity_id):
            if after is not None and upper is not None and upper <= after:
                continue
            behind = (after,) if after is not None and (lower is None or after >= lower) else None
            span = Span(
                "by_lru",
                lower=lower,
                upper=upper,
                after=behind,
                limit=None if only_fetched else limit - len(found),
            )
            for row in reader.scan(PAGES, span):
                if only_fetched and row[4] is None:
                    continue
                found.append(row)
                if len(found) == limit:
                    return found
        return found

    def _ranges(self, reader: Reader, entity_id: int | None) -> list[tuple[str | None, str | None]]:
        """Ranges of LRUs that belong to an entity, in order; the one open range for all."""
        if entity_id is None:
            return [(None, None)]
        prefixes = entity_prefixes(reader, entity_id)
        with self._territory(reader) as territory:
            cuts = [cut for prefix in outermost(prefixes) for cut in territory.intervals(prefix)]
        return [(lower, upper) for lower, upper, owner in cuts if owner == entity_id]

    def list_fetches(self, lru: str) -> list[Fetch]:
        """Every attempt on a page, oldest first."""

        def read(reader: Reader) -> list[Fetch]:
            span = Span("by_page_id_job_id_attempt", equal=(get_page_row(reader, lru)[0],))
            return [fetch_of(row) for row in sorted(reader.scan(FETCHES, span))]

        return self._at_one_moment(read)

    def find_text(self, lru: str) -> str | None:
        """The visible text of the page's last good fetch."""
        row = page_row(self._storage, lru)
        if row is None:
            return None
        text = self._storage.get(TEXTS, (row[0],)).get(row[0])
        return None if text is None else _DECOMPRESSOR.decompress(text[1]).decode("utf-8")

    def iter_digests(self) -> Iterator[tuple[str, Fetch]]:
        """(LRU, fetch) for every attempt that kept a body, in LRU then attempt order."""
        for page in self._storage.scan(PAGES, Span("by_lru")):
            if page[4] is None:
                continue
            span = Span("by_page_id_job_id_attempt", equal=(page[0],))
            for row in sorted(self._storage.scan(FETCHES, span)):
                if row[14] is not None:
                    yield page[1], fetch_of(row)

    def redirect_targets(self) -> Iterator[tuple[str, str]]:
        """(LRU, target LRU) of every page whose last fetch was a redirect, by LRU."""
        for record in self.iter_pages(only_fetched=True):
            if record.fetch is not None and record.fetch.redirect_lru is not None:
                yield record.lru, record.fetch.redirect_lru

    def lru_tree(self, web_entity_id: int) -> LruTree:
        """The LRU tree of an entity's pages."""

        def read(reader: Reader) -> LruTree:
            tree = LruTree()
            for lower, upper in self._ranges(reader, web_entity_id):
                for row in reader.scan(PAGES, Span("by_lru", lower=lower, upper=upper), ("lru",)):
                    tree.add_lru(row[0])
            return tree

        return self._at_one_moment(read)
