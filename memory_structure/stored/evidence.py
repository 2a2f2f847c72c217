"""Reads of what lies behind links between web entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory_structure.link_evidence import EvidenceLink, EvidencePage, PageDepths, PagePair
from memory_structure.records import NETWORK_KINDS, LinkKind, LinkRecord, PageRecord, WebEntity
from memory_structure.storage import Reader
from memory_structure.stored.caches import LabelArray
from memory_structure.stored.codec import Ints, LinkColumns, Longs, packed
from memory_structure.stored.depths import UNREACHED, DepthColumns, clicks_from
from memory_structure.stored.entities import get_entity
from memory_structure.stored.link_columns import (
    Linking,
    Others,
    count_linking_pages,
    count_pairs,
    links_between,
    next_links,
)
from memory_structure.stored.link_reads import LinkReads
from memory_structure.stored.moments import from_micros
from memory_structure.stored.schema import FETCHES, PAGES, Labels
from memory_structure.stored.state import read_state
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl

_MAX_KEPT: Final = 16
_MAX_KEPT_LINKS: Final = 1_000_000
_REFRESH_BIT: Final = 1 << LinkKind.REFRESH
_REDIRECT_BIT: Final = 1 << LinkKind.REDIRECT
_REDIRECT_COLUMN: Final = FETCHES.position("redirect_lru")
_TITLE_COLUMN: Final = FETCHES.position("title")
_FETCHED_AT_COLUMN: Final = FETCHES.position("fetched_at")


class _Kept(NamedTuple):
    """Something computed at a version of the corpus."""

    version: int
    value: LinkColumns | tuple[PageDepths, DepthColumns]


class EvidenceReads(LinkReads):
    """Page links between entities, entry points, depths. What was computed last is kept while nothing is
    written, so that pages of a long answer cost little."""

    _owner_labels: LabelArray | None = None
    _kept_evidence: dict[tuple[Linking, int], _Kept] | None = None

    # -- links between entities

    def list_evidence(
        self, source_id: int, target_id: int, *, after: PagePair | None = None, limit: int = 100
    ) -> EvidencePage:
        """The next page links from one entity to another."""

        def read(reader: Reader) -> EvidencePage:
            for entity_id in (source_id, target_id):
                get_entity(reader, entity_id)
            n_pairs, keys = self._pairs_behind(reader, (source_id, target_id), after, limit)
            pairs = keys[:limit].tolist()
            last = (pairs[-1] >> 32, pairs[-1] & 0xFFFFFFFF) if len(keys) > limit and pairs else None
            return EvidencePage(n_pairs, tuple(self._evidence(reader, pairs)), last)

        return self._at_one_moment(read)

    def _pairs_behind(
        self, reader: Reader, ends: tuple[int, int], after: PagePair | None, limit: int
    ) -> tuple[int, Longs]:
        """(number of all pairs of pages, those behind one of them): more than `limit` if there are."""
        place = -1 if after is None else after[0] << 32 | after[1]
        if self._recall(reader, ends) is None:
            with self._read_lock:
                found = next_links(reader, self._owners(reader), ends, place, limit)
            if found is not None:
                return count_pairs(reader, *ends), packed(found.sources, found.targets)
        columns = self._links_between(reader, *ends)
        keys = packed(columns.sources, columns.targets)
        return len(keys), keys[np.searchsorted(keys, place, "right") :]

    def _evidence(self, reader: Reader, pairs: Sequence[int]) -> list[EvidenceLink]:
        wanted = set(pairs)
        rows = reader.get(PAGES, sorted({pair >> 32 for pair in pairs}))
        fetches = reader.get(FETCHES, [row[5] for row in rows.values() if row[5] is not None])
        found: list[EvidenceLink] = []
        for link in sorted(self._links_of(reader, list(rows.values())), key=_place):
            if _key(link) in wanted and link.kind in NETWORK_KINDS:
                fetch = fetches[rows[link.source_page_id][5]]
                moment = from_micros(fetch[_FETCHED_AT_COLUMN])
                found.append(EvidenceLink(link, fetch[_TITLE_COLUMN], moment))
        return found

    def list_entry_pages(self, web_entity_id: int, limit: int = 100) -> list[tuple[PageRecord, int]]:
        """Pages of an entity that others link to."""
        return self._at_one_moment(lambda r: self._ranked_pages(r, Others.OTHERS, web_entity_id, limit))

    def list_most_linked_pages(self, web_entity_id: int, limit: int = 20) -> list[tuple[PageRecord, int]]:
        """Pages of an entity by falling number of distinct linking pages."""
        return self._at_one_moment(lambda r: self._ranked_pages(r, Others.ALL, web_entity_id, limit))

    def most_linked_pages_of(
        self, web_entity_ids: Sequence[int], limit: int = 20
    ) -> dict[int, list[tuple[PageRecord, int]]]:
        """The most linked pages of many entities, in one pass over all links."""

        def read(reader: Reader) -> dict[int, list[tuple[PageRecord, int]]]:
            with self._read_lock:
                owners = self._owners(reader)
                counts = count_linking_pages(reader, len(owners))
                linked = np.flatnonzero((counts > 0) & np.isin(owners, web_entity_ids))
                linked = linked[np.argsort(owners[linked], kind="stable")]
                edges = np.flatnonzero(np.diff(owners[linked])) + 1
            chosen = [ids[_most(counts[ids], limit)] for ids in np.split(linked, edges)]
            rows = reader.get(PAGES, np.concatenate(chosen).tolist()).values()
            found: dict[int, list[tuple[PageRecord, int]]] = {}
            for record in self._records(reader, list(rows)):
                found.setdefault(record.web_entity_id or 0, []).append((record, int(counts[record.page_id])))
            return {i: sorted(pages, key=_rank)[:limit] for i, pages in found.items()}

        return self._at_one_moment(read)

    def _ranked_pages(
        self, reader: Reader, source: Others, entity_id: int, limit: int
    ) -> list[tuple[PageRecord, int]]:
        get_entity(reader, entity_id)
        ids, counts = np.unique(self._links_between(reader, source, entity_id).targets, return_counts=True)
        kept = _most(counts, limit)
        ids, counts = ids[kept], counts[kept]
        rows = list(reader.get(PAGES, ids.tolist()).values())
        number = dict(zip(ids.tolist(), counts.tolist(), strict=True))
        ranked = [(record, number[record.page_id]) for record in self._records(reader, rows)]
        return sorted(ranked, key=_rank)[:limit]

    def _links_between(self, reader: Reader, source: Linking, target_id: int) -> LinkColumns:
        kept = self._recall(reader, (source, target_id))
        if isinstance(kept, LinkColumns):
            return kept
        with self._read_lock:
            found = links_between(reader, self._owners(reader), source, target_id)
        if len(found.sources) <= _MAX_KEPT_LINKS:
            self._keep(reader, (source, target_id), found)
        return found

    def _owners(self, reader: Reader) -> Ints:
        """Owner of each page id; good while the read lock is held."""
        if self._owner_labels is None:
            self._owner_labels = LabelArray(Labels.OWNER)
        state = read_state(reader)
        self._owner_labels.refresh(reader, state.label_version, state.next_page)
        return self._owner_labels.values

    # -- what is kept

    def _recall(
        self, reader: Reader, key: tuple[Linking, int]
    ) -> LinkColumns | tuple[PageDepths, DepthColumns] | None:
        kept = (self._kept_evidence or {}).get(key)
        return kept.value if kept is not None and kept.version == read_state(reader).version else None

    def _keep(
        self,
        reader: Reader,
        key: tuple[Linking, int],
        value: LinkColumns | tuple[PageDepths, DepthColumns],
    ) -> None:
        version = read_state(reader).version
        with self._read_lock:
            known = self._kept_evidence or {}
            current = {k: v for k, v in known.items() if v.version == version and k != key}
            while len(current) >= _MAX_KEPT:
                del current[next(iter(current))]
            self._kept_evidence = {**current, key: _Kept(version, value)}

    # -- depths

    def page_depths(self, web_entity_id: int) -> PageDepths:
        """How far an entity's pages lie from its start pages."""
        return self._at_one_moment(lambda reader: self._depths(reader, web_entity_id))[0]

    def list_page_depths(
        self, web_entity_id: int, *, after: str | None = None, limit: int = 1000
    ) -> list[tuple[PageRecord, int | None]]:
        """The next pages of an entity with their clicks."""

        def read(reader: Reader) -> list[tuple[PageRecord, int | None]]:
            columns = self._depths(reader, web_entity_id)[1]
            rows = self._page_rows(reader, web_entity_id, after, limit, only_fetched=False)
            clicks = columns.of(np.array([row[0] for row in rows], np.int32)).tolist()
            records = self._records(reader, rows)
            return [(page, None if n == UNREACHED else n) for page, n in zip(records, clicks, strict=True)]

        return self._at_one_moment(read)

    def _depths(self, reader: Reader, entity_id: int) -> tuple[PageDepths, DepthColumns]:
        key = (-entity_id, entity_id)  # no entity has a negative id
        kept = self._recall(reader, key)
        if kept is not None and not isinstance(kept, LinkColumns):
            return kept
        entity = get_entity(reader, entity_id)
        links = self._links_between(reader, entity_id, entity_id)
        starts = self._start_ids(reader, entity)
        columns = clicks_from(np.array(sorted(starts), np.int32), links, _free_links(reader, links))
        reached = columns.clicks[columns.clicks != UNREACHED]
        counts = enumerate(np.bincount(reached).tolist() if len(reached) else [])
        n_by_depth = tuple((clicks, n) for clicks, n in counts if n)
        start_lrus = tuple(sorted(starts.values()))
        summary = PageDepths(entity_id, start_lrus, n_by_depth, entity.n_pages - len(reached))
        self._keep(reader, key, (summary, columns))
        return summary, columns

    def _start_ids(self, reader: Reader, entity: WebEntity) -> dict[int, str]:
        """Page id -> LRU of the start pages known as pages of the entity; else of homepage; else of
        prefixes."""
        cutter = cutter_for(self.options().url_policy)
        urls = [page.url for page in entity.start_pages]
        for lrus in (_lrus(urls, cutter.lru), _lrus([entity.homepage], cutter.lru), list(entity.prefixes)):
            rows = reader.find(PAGES, "by_lru", lrus, ("id", "lru"))
            owners = self._owner_of(reader, [row[0] for row in rows])
            found = {
                row[0]: row[1]
                for row, owner in zip(rows, owners, strict=True)
                if owner == entity.web_entity_id
            }
            if found:
                return found
        return {}

    def _owner_of(self, reader: Reader, page_ids: Sequence[int]) -> list[int]:
        with self._read_lock:
            owners = self._owners(reader)
            return owners[np.array(page_ids, np.int64)].tolist() if page_ids else []


def _lrus(urls: Iterable[str | None], lru_of: Callable[[str], str]) -> list[str]:
    found: list[str] = []
    for url in urls:
        try:
            if url:
                found.append(lru_of(url))
        except BadUrl:
            continue
    return found


def _free_links(reader: Reader, links: LinkColumns) -> np.ndarray:
    """Which links cost no click: redirects, and meta refreshes that the page's fetch calls immediate."""
    free: np.ndarray = (links.masks & _REDIRECT_BIT) != 0
    doubtful = np.flatnonzero(~free & ((links.masks & _REFRESH_BIT) != 0))
    if not len(doubtful):
        return free
    ends = sorted({*links.sources[doubtful].tolist(), *links.targets[doubtful].tolist()})
    pages = reader.get(PAGES, ends)
    fetches = reader.get(FETCHES, [row[4] for row in pages.values() if row[4] is not None])
    for place in doubtful.tolist():
        source, target = pages[int(links.sources[place])], pages[int(links.targets[place])]
        fetch = fetches.get(source[4])
        free[place] = fetch is not None and fetch[_REDIRECT_COLUMN] == target[1]
    return free


def _key(link: LinkRecord) -> int:
    return link.source_page_id << 32 | link.target_page_id


def _place(link: LinkRecord) -> tuple[int, int]:
    return _key(link), int(link.kind)


def _most(counts: Longs, limit: int) -> NDArray[np.bool_]:
    """Which of the numbers are among the `limit` largest, equal ones included."""
    if not len(counts) > limit > 0:
        return np.ones(len(counts), np.bool_)
    most: NDArray[np.bool_] = counts >= np.partition(counts, len(counts) - limit)[len(counts) - limit]
    return most


def _rank(pair: tuple[PageRecord, int]) -> tuple[int, str]:
    return -pair[1], pair[0].lru
