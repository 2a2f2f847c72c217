"""Indexing: what one batch changes, in one transaction. The founding algorithm; its objects are in
`memory_structure.batch`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import zstandard

from memory_structure.batch import Page, gathered_lrus, node_flags, tree_of
from memory_structure.creation_rules import Decision, Flag
from memory_structure.errors import InvalidValue, NotFound
from memory_structure.parse_options import ScoringChoice
from memory_structure.records import Batch, DepthChange, FetchedPage, WriteReport
from memory_structure.storage import Span
from memory_structure.stored.codec import (
    Ints,
    LinkColumns,
    clean_text,
    distinct_columns,
    encode_outlinks,
)
from memory_structure.stored.entities import create_by_rules, refine
from memory_structure.stored.fetches import Tally, fetch_row
from memory_structure.stored.moments import to_micros
from memory_structure.stored.parse_rows import store_parses
from memory_structure.stored.relabel import ensure_nodes
from memory_structure.stored.schema import (
    FETCHES,
    JOB_COUNTERS,
    N_FETCHED,
    N_PAGES,
    OUTLINKS,
    PAGES,
    TEXTS,
    Labels,
)
from memory_structure.stored.scores import share_scores
from memory_structure.stored.segments import append_links, take_outlinks, weigh_links
from memory_structure.stored.session import Session
from memory_structure.stored.territory import Territory
from memory_structure.urls import without_userinfo

_NEVER: tuple[None, None] = (None, None)
_ATTEMPTS = Span("by_page_id_job_id_attempt")
# Level 3 takes a quarter more time for 2 % less room.
_COMPRESSOR = zstandard.ZstdCompressor(level=1)


def flags_of(territory: Territory, lrus: Sequence[str]) -> list[Decision]:
    """What prefixes, rules and exceptions say of each LRU, in order."""
    decide, precision = territory.decide, territory.precision
    if not precision.exceptions:
        return [decide(lru) for lru in lrus]
    return [_with_exception(territory, lru, decide(lru)) for lru in lrus]


def _with_exception(territory: Territory, lru: str, decision: Decision) -> Decision:
    if decision.flag is Flag.WEB_ENTITY and territory.precision.is_exception(territory.precision.head(lru)):
        return Decision(Flag.PRECISION_EXCEPTION, territory.precision.head(lru), None)
    return decision


def write_batch(session: Session, batch: Batch) -> WriteReport:
    """Index a batch; see `MemoryStructure.write_batch`."""
    return _Indexing(session).write(batch)


def declare(session: Session, lrus: Sequence[str], raw_urls: Sequence[str | None]) -> set[int]:
    """Make pages known; ids of the web entities made for them. Finer ones than the limit become
    exceptions."""
    indexing = _Indexing(session)
    raws = {lru: without_userinfo(raw) for lru, raw in zip(lrus, raw_urls, strict=True) if raw}
    created = indexing.index_lrus(list(dict.fromkeys(lrus)))
    indexing.insert_pages({}, raws)
    refine(session, lrus)
    return set(created)


class _Indexing:
    """The steps of one batch and what they hand on."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.tx = session.tx
        self.ids: dict[str, int] = {}
        self.new: list[str] = []
        self.old_rows: dict[
            int, tuple[int | None, int | None]
        ] = {}  # page id -> (last fetch, outlinks) before

    def write(self, batch: Batch) -> WriteReport:
        pages = self._unknown(batch.pages)
        created: tuple[int, ...] = ()
        n_links = 0
        if pages:
            self.session.changed = True
            self.session.moment = to_micros(max(page.fetch.fetched_at for page in pages))
            created = self.index_lrus(gathered_lrus(pages))
            self._number(pages)
            last_good = {page.page_id: page for page in pages if page.replaces_links}
            scores = self._replace_links(list(last_good.values()))
            n_links = sum(len(page.links) for page in last_good.values())
            self._store_fetches(pages, last_good)
            store_parses(self.tx, pages, self.old_rows, scores)
            self._count_jobs(pages)
        self._lower_depths(batch.depth_changes)
        n_known = len(batch.pages) - len(pages)
        return WriteReport(len(pages), n_known, len(self.new), n_links, created)

    # -- what is known already

    def _unknown(self, fetched: Sequence[FetchedPage]) -> list[Page]:
        """The pages with an attempt that is not stored, with only such attempts."""
        lrus = list(dict.fromkeys([page.lru for page in fetched]))
        ids = dict(zip(lrus, self.session.page_ids(lrus).tolist(), strict=True))
        rows = self.tx.get(PAGES, [i for i in ids.values() if i])
        self.old_rows = {page_id: (row[4], row[5]) for page_id, row in rows.items()}
        known = {lru: self._attempts_of(page_id) for lru, page_id in ids.items()}
        pages = []
        for page in fetched:
            seen = known[page.lru]
            fresh = [f for f in page.attempts if (f.job_id, f.attempt) not in seen]
            if fresh and fresh[-1] is page.attempts[-1]:
                seen.update((f.job_id, f.attempt) for f in fresh)
                pages.append(Page(page, fresh))
        return pages

    def _attempts_of(self, page_id: int) -> set[tuple[int, int]]:
        if not page_id or self.old_rows[page_id][0] is None:
            return set()
        span = Span(_ATTEMPTS.index, equal=(page_id,))
        return {(job, attempt) for job, attempt in self.tx.scan(FETCHES, span, ("job_id", "attempt"))}

    # -- pages, decisions, labels

    def index_lrus(self, lrus: Sequence[str]) -> tuple[int, ...]:
        """Find the ids of LRUs, allot those of new ones and label them; ids of the web entities made on the
        way."""
        ids = self.session.page_ids(lrus)
        self.new = [lrus[i] for i in np.flatnonzero(ids == 0).tolist()]
        created: tuple[int, ...] = ()
        if self.new:
            created = self._apply_flags()
            first = self.session.state.next_page
            fresh = np.arange(first, first + len(self.new), dtype=np.int32)
            ids[ids == 0] = fresh
            self._label(fresh)
        self.ids = dict(zip(lrus, ids.tolist(), strict=True))
        return created

    def _apply_flags(self) -> tuple[int, ...]:
        """One decision for each new LRU; exceptions and rules from the longest prefix to the shortest."""
        _refuse_impossible(self.new)
        tree = tree_of(self.new)
        ordered = tree.get_children("")
        decisions = flags_of(self.session.territory, ordered)
        return create_by_rules(self.session, ordered, decisions)

    def _label(self, fresh: Ints) -> None:
        """Give new pages their owners and, with a precision limit, their nodes."""
        session = self.session
        owners = self._owners_of_new()
        _ = session.owners
        if session.has_nodes:
            _ = session.nodes
        session.state.next_page += len(fresh)
        session.state.n_pages += len(fresh)
        session.append_labels(Labels.OWNER, owners)
        session.add_counts(owners, N_PAGES, np.ones(len(owners), np.int32))
        if session.has_nodes:
            session.append_labels(Labels.NODE, self._nodes_of_new())
        session.learn(self.new, fresh)

    def _owners_of_new(self) -> Ints:
        find_owner = self.session.territory.prefixes.find_owner
        found = [find_owner(lru) for lru in self.new]
        return np.array([owner[1] for owner in found if owner is not None], np.int32)

    def _nodes_of_new(self) -> Ints:
        precision = self.session.territory.precision
        flags = node_flags(self.new, precision)
        names = [lru if flag else precision.node(lru) for lru, flag in zip(self.new, flags, strict=True)]
        nodes = ensure_nodes(self.session, names)
        return np.array([nodes[name] for name in names], np.int32)

    # -- links

    def _number(self, pages: list[Page]) -> None:
        state = self.session.state
        for page in pages:
            page.page_id = self.ids[page.lru]
            state.next_fetch += len(page.attempts)
            page.fetch_id = state.next_fetch - 1

    def _replace_links(self, pages: list[Page]) -> dict[int, float]:
        """Put the pages' links in the place of those they had; the scores shared among them by page id."""
        self._take_old([page.page_id for page in pages])
        linking = [page for page in pages if page.links]
        if not linking:
            return {}
        id_of = self.ids.__getitem__
        targets = [list(map(id_of, page.targets)) for page in linking]
        columns = self._columns(linking, targets)
        weigh_links(self.session, columns, 1)
        self.session.state.n_links += sum(map(len, targets))
        placed = append_links(self.session, [page.page_id for page in linking], columns)
        rows = [
            (page.fetch_id, page.page_id, placed[page.page_id], encode_outlinks(ids, page.links))
            for page, ids in zip(linking, targets, strict=True)
        ]
        self.tx.insert(OUTLINKS, rows)
        parsing = self.session.options.parsing
        if parsing.scoring is ScoringChoice.NONE:
            return {}
        scores, version = self.session.memory.scores, self.session.state.version
        return share_scores(self.tx, scores, linking, targets, parsing, version)

    def _columns(self, pages: list[Page], targets: list[list[int]]) -> LinkColumns:
        sources = np.repeat(np.array([p.page_id for p in pages], np.int32), [len(t) for t in targets])
        kinds = bytes([link[1] for page in pages for link in page.links])
        flat = np.fromiter(chain.from_iterable(targets), np.int32, len(sources))
        return distinct_columns(sources, flat, np.frombuffer(kinds, np.uint8))

    def _take_old(self, page_ids: list[int]) -> None:
        links_ids = [self.old_rows.get(page_id, _NEVER)[1] for page_id in page_ids]
        take_outlinks(self.session, [links_id for links_id in links_ids if links_id is not None])

    # -- fetches

    def _store_fetches(self, pages: list[Page], last_good: dict[int, Page]) -> None:
        rows = []
        last: dict[int, int] = {}
        for page in pages:
            first = page.fetch_id - len(page.attempts) + 1
            rows += [fetch_row(i, page.page_id, fetch) for i, fetch in enumerate(page.attempts, first)]
            last[page.page_id] = page.fetch_id
        self.tx.insert(FETCHES, rows)
        placed = {i: (fetch_id, self._links_id(i, last_good.get(i))) for i, fetch_id in last.items()}
        self._store_pages(pages, placed)
        self._store_texts(last_good)

    def _links_id(self, page_id: int, good: Page | None) -> int | None:
        if good is None:
            return self.old_rows.get(page_id, _NEVER)[1]
        return good.fetch_id if good.links else None

    def _store_pages(self, pages: list[Page], placed: dict[int, tuple[int, int | None]]) -> None:
        raws = {page.lru: without_userinfo(page.fetched.raw_url) for page in pages if page.fetched.raw_url}
        self.insert_pages(placed, raws)
        first_new = self.session.state.next_page - len(self.new)
        known = [(i, values) for i, values in placed.items() if i < first_new]
        self.tx.update(PAGES, ("fetch_id", "links_id"), known)
        asked = [
            (self.ids[lru], (clean_text(raw),)) for lru, raw in raws.items() if self.ids[lru] < first_new
        ]
        self.tx.update(PAGES, ("raw_url",), asked)
        fresh = [i for i in placed if self.old_rows.get(i, _NEVER)[0] is None]
        self.session.state.n_pages_fetched += len(fresh)
        owners = self.session.owners.values[np.array(fresh, np.int32)]
        self.session.add_counts(owners, N_FETCHED, np.ones(len(fresh), np.int32))

    def insert_pages(self, placed: dict[int, tuple[int, int | None]], raws: dict[str, str]) -> None:
        """Store the new pages, those fetched with their last fetch and its outlinks."""
        rows = []
        for page_id, lru in enumerate(self.new, self.session.state.next_page - len(self.new)):
            raw = raws.get(lru)
            raw = None if raw is None else clean_text(raw)
            rows.append((page_id, lru, raw, self.session.moment, *placed.get(page_id, _NEVER)))
        self.tx.insert(PAGES, rows)

    def _store_texts(self, last_good: dict[int, Page]) -> None:
        if not self.session.options.keep_text:
            return
        texts = {i: page.fetched.text for i, page in last_good.items()}
        rows = [(i, _COMPRESSOR.compress(t.encode("utf-8", "replace"))) for i, t in texts.items() if t]
        self.tx.put(TEXTS, rows)
        emptied = [i for i, t in texts.items() if not t and self.old_rows.get(i, _NEVER)[0] is not None]
        self.tx.delete(TEXTS, emptied)

    # -- jobs

    def _count_jobs(self, pages: list[Page]) -> None:
        job_ids = {fetch.job_id for page in pages for fetch in page.attempts}
        tallies = {
            job_id: Tally(*row[1:]) for job_id, row in self.tx.get(JOB_COUNTERS, sorted(job_ids)).items()
        }
        absent = job_ids.difference(tallies)
        if absent:
            raise NotFound(f"there is no crawl job {min(absent)}")
        for page in pages:
            for job_id in {fetch.job_id for fetch in page.attempts}:
                tallies[job_id].add(f for f in page.attempts if f.job_id == job_id)
        self._count_new_pages(pages, tallies)
        self.tx.put(JOB_COUNTERS, [(job_id, *t.values()) for job_id, t in sorted(tallies.items())])

    def _count_new_pages(self, pages: list[Page], tallies: dict[int, Tally]) -> None:
        """A new page counts for the job of the first page of the batch that is or names it."""
        left = set(self.new)
        for page in pages:
            if not left:
                return
            met = left.intersection(page.targets)
            if page.lru in left:
                met.add(page.lru)
            tallies[page.fetch.job_id].n_new_pages += len(met)
            left -= met

    def _lower_depths(self, changes: Iterable[DepthChange]) -> None:
        for change in changes:
            page_id = int(self.session.page_ids([change.lru])[0])
            if not page_id:
                continue
            span = Span(_ATTEMPTS.index, equal=(page_id, change.job_id))
            rows = self.tx.scan(FETCHES, span, ("id", "depth"))
            deeper = [(fetch_id, (change.depth,)) for fetch_id, depth in rows if depth > change.depth]
            if deeper:
                self.tx.update(FETCHES, ("depth",), deeper)
                self.session.changed = True


def _refuse_impossible(lrus: Iterable[str]) -> None:
    """Raise InvalidValue for what has no host: a rule would make an entity of the whole web of it."""
    for lru in lrus:
        if "|h:" not in lru or not lru.startswith("s:") or not lru.endswith("|"):
            raise InvalidValue(
                f"{lru!r} is not the LRU of a page: it needs a scheme and a host, each stem closed"
            )
