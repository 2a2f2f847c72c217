"""Reads of page links: the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from memory_structure.records import LinkKind, LinkRecord
from memory_structure.storage import Reader, Row
from memory_structure.stored.arrivals import candidate_sources
from memory_structure.stored.caches import LabelReader
from memory_structure.stored.codec import Outlinks, decode_outlinks
from memory_structure.stored.page_reads import get_page_row
from memory_structure.stored.parse_reads import ParseReads
from memory_structure.stored.schema import OUTLINKS, PAGES

_PAGES_AT_ONCE: Final = 200
LinkPlace = tuple[str, str, int]


class LinkReads(ParseReads):
    """Page links by source, by target, by entity."""

    def _links_of(self, reader: Reader, pages: Sequence[Row]) -> list[LinkRecord]:
        """Links leaving pages given by their rows, page by page, each by target LRU then kind."""
        blobs = reader.get(OUTLINKS, [page[5] for page in pages if page[5] is not None])
        found = {row[1]: decode_outlinks(row[3]) for row in blobs.values()}
        ids = {i for outlinks in found.values() for i in outlinks.target_ids}
        lrus = {row[0]: row[1] for row in reader.get(PAGES, sorted(ids)).values()}
        ids.update(found)
        ordered = sorted(ids)
        owners = dict(zip(ordered, LabelReader(reader).of(ordered), strict=True))
        links: list[LinkRecord] = []
        for page in pages:
            if page[0] in found:
                links += _link_records(page, found[page[0]], lrus, owners)
        return links

    def list_outlinks(self, lru: str) -> list[LinkRecord]:
        """Page links leaving a page, by target LRU then kind."""
        return self._at_one_moment(lambda reader: self._links_of(reader, [get_page_row(reader, lru)]))

    def list_inlinks(self, lru: str, limit: int = 1000) -> list[LinkRecord]:
        """Page links arriving at a page, by source LRU then kind."""

        def read(reader: Reader) -> list[LinkRecord]:
            target = int(get_page_row(reader, lru)[0])
            sources = reader.get(PAGES, candidate_sources(reader, target)).values()
            return list(
                islice(self._links_to(reader, target, sorted(sources, key=lambda row: row[1])), limit)
            )

        return self._at_one_moment(read)

    def _links_to(self, reader: Reader, target: int, sources: Sequence[Row]) -> Iterator[LinkRecord]:
        for start in range(0, len(sources), _PAGES_AT_ONCE):
            links = self._links_of(reader, sources[start : start + _PAGES_AT_ONCE])
            yield from (link for link in links if link.target_page_id == target)

    def iter_links(self, web_entity_id: int | None = None) -> Iterator[LinkRecord]:
        """Page links by source LRU, target LRU, kind."""
        after: str | None = None
        while True:
            pages, links = self._at_one_moment(
                lambda reader, after=after: self._next_links(reader, web_entity_id, after)  # type: ignore[misc]
            )
            yield from links
            if not pages:
                return
            after = pages[-1][1]

    def _next_links(
        self, reader: Reader, entity_id: int | None, after: str | None
    ) -> tuple[list[Row], list[LinkRecord]]:
        pages = self._page_rows(reader, entity_id, after, _PAGES_AT_ONCE, only_fetched=True)
        return pages, self._links_of(reader, pages)

    def list_links(
        self,
        web_entity_id: int,
        *,
        after: LinkPlace | None = None,
        limit: int = 1000,
        include_external: bool = False,
    ) -> list[LinkRecord]:
        """The next page links leaving an entity's pages."""

        def wanted(link: LinkRecord) -> bool:
            behind = after is None or (link.source_lru, link.target_lru, int(link.kind)) > after
            return behind and (include_external or link.target_web_entity_id == web_entity_id)

        def read(reader: Reader) -> list[LinkRecord]:
            return list(islice(filter(wanted, self._links_behind(reader, web_entity_id, after)), limit))

        return self._at_one_moment(read)

    def _links_behind(self, reader: Reader, entity_id: int, after: LinkPlace | None) -> Iterator[LinkRecord]:
        """Links of an entity from the page of a place on."""
        place: str | None = None
        if after is not None:
            yield from self._links_of(reader, self._owned_row(reader, entity_id, after[0]))
            place = after[0]
        while True:
            pages, links = self._next_links(reader, entity_id, place)
            yield from links
            if not pages:
                return
            place = pages[-1][1]

    def _owned_row(self, reader: Reader, entity_id: int, lru: str) -> list[Row]:
        rows = reader.find(PAGES, "by_lru", (lru,))
        return [row for row in rows if LabelReader(reader).of([row[0]]) == [entity_id]]

    def outlink_targets(self, lrus: Sequence[str]) -> dict[str, list[tuple[str, LinkKind, str | None]]]:
        """For each page: (target LRU, kind, raw URL or None) of its stored links, in the order found."""
        return self._at_one_moment(lambda reader: _targets_by_page(reader, lrus))


def _targets_by_page(
    reader: Reader, lrus: Sequence[str]
) -> dict[str, list[tuple[str, LinkKind, str | None]]]:
    ids: dict[str, int | None] = dict(reader.find(PAGES, "by_lru", lrus, ("lru", "links_id")))
    blobs = reader.get(OUTLINKS, [i for i in ids.values() if i is not None])
    found = {links_id: decode_outlinks(row[3]) for links_id, row in blobs.items()}
    wanted = sorted({i for outlinks in found.values() for i in outlinks.target_ids})
    names = {row[0]: row[1] for row in reader.get(PAGES, wanted).values()}
    answer: dict[str, list[tuple[str, LinkKind, str | None]]] = {}
    for lru in lrus:
        outlinks = found.get(ids.get(lru), Outlinks([], []))
        pairs = zip(outlinks.target_ids, outlinks.links, strict=True)
        answer[lru] = [(names[i], link.kind, link.raw) for i, link in pairs]
    return answer


def _link_records(
    page: Row, outlinks: Outlinks, lrus: dict[int, str], owners: dict[int, int]
) -> list[LinkRecord]:
    source, source_lru = page[0], page[1]
    records = [
        LinkRecord(
            source, target, source_lru, lrus[target], owners[source], owners[target],
            link.kind, link.count, link.anchor, link.rel, link.area, link.raw,
        )
        for target, link in zip(outlinks.target_ids, outlinks.links, strict=True)
    ]  # fmt: skip
    records.sort(key=lambda record: (record.target_lru, record.kind))
    return records
