"""Taking pages and what was fetched of them out of a corpus, and putting it back. Each step is part of one
transaction and keeps all aggregates right."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import zstandard

from memory_structure.storage import Row, Span
from memory_structure.stored.codec import (
    Ints,
    decode_outlinks,
    decode_targets,
    distinct_columns,
    encode_outlinks,
)
from memory_structure.stored.entities import create_by_rules
from memory_structure.stored.fetches import Tally, fetch_of
from memory_structure.stored.relabel import ensure_nodes
from memory_structure.stored.schema import (
    FETCHES,
    JOB_COUNTERS,
    N_FETCHED,
    N_PAGES,
    OUTLINKS,
    PAGES,
    PARSES,
    TEXTS,
    Labels,
)
from memory_structure.stored.segments import append_links, take_outlinks, weigh_links
from memory_structure.stored.session import Session

_ATTEMPTS = Span("by_page_id_job_id_attempt")
# Tables keyed by page alone, of what its last good answer gave. They go and come back with it.
_OF_ANSWERS: Final = {table.name: table for table in (TEXTS, PARSES)}


@dataclass(frozen=True, slots=True)
class TakenOut:
    """Rows as they were: pages that went altogether, or pages (id, LRU, last fetch, outlinks) that lost their
    attempts, links and what their answer gave (name of a table, then its row). `renumbered`: pages put back
    under another id, old to new."""

    pages: list[Row] = field(default_factory=list)
    emptied: list[Row] = field(default_factory=list)
    fetches: list[Row] = field(default_factory=list)
    outlinks: list[Row] = field(default_factory=list)
    answers: list[Row] = field(default_factory=list)
    renumbered: list[tuple[int, int]] = field(default_factory=list)


def encode_taken(taken: TakenOut) -> bytes:
    """JSON in a zstd frame."""
    values = [taken.pages, taken.emptied, taken.fetches, taken.outlinks, taken.answers, taken.renumbered]
    text = json.dumps(values, separators=(",", ":"), default=lambda b: {"b": b64encode(b).decode()})
    return zstandard.ZstdCompressor(level=3).compress(text.encode())


def decode_taken(blob: bytes) -> TakenOut:
    """The inverse of `encode_taken`."""
    text = zstandard.ZstdDecompressor().decompress(blob)
    lists = json.loads(text, object_hook=lambda found: b64decode(found["b"]))
    return TakenOut(*([tuple(row) for row in rows] for rows in lists))


# -- out


def empty_pages(session: Session, page_ids: Sequence[int]) -> TakenOut:
    """Take out attempts, links and texts of pages that were fetched."""
    tx = session.tx
    rows = [row for row in tx.get(PAGES, page_ids).values() if row[4] is not None]
    ids = [row[0] for row in rows]
    emptied = [(row[0], row[1], row[4], row[5]) for row in rows]
    outlinks = take_outlinks(session, [row[5] for row in rows if row[5] is not None])
    answers = [(n, *row) for n, table in _OF_ANSWERS.items() for row in tx.get(table, ids).values()]
    fetches = [row for i in ids for row in list(tx.scan(FETCHES, Span(_ATTEMPTS.index, equal=(i,))))]
    for table in _OF_ANSWERS.values():
        tx.delete(table, ids)
    tx.delete(FETCHES, [row[0] for row in fetches])
    tx.update(PAGES, ("fetch_id", "links_id"), [(i, (None, None)) for i in ids])
    _count_fetches(session, fetches, -1)
    _count_fetched(session, ids, -1)
    return TakenOut(emptied=emptied, fetches=fetches, outlinks=outlinks, answers=answers)


def remove_pages(session: Session, page_ids: Sequence[int]) -> TakenOut:
    """Take out pages that were never fetched and that no link arrives at. Their ids are not used again."""
    rows = [row for row in session.tx.get(PAGES, page_ids).values() if row[4] is None]
    if not rows:
        return TakenOut()
    ids = np.array([row[0] for row in rows], np.int32)
    session.add_counts(session.owners.values[ids], N_PAGES, np.full(len(ids), -1, np.int32))
    session.state.n_pages -= len(ids)
    nobody = np.zeros(len(ids), np.int32)
    session.paint(Labels.OWNER, ids, nobody)
    if session.has_nodes:
        session.paint(Labels.NODE, ids, nobody)
    session.tx.delete(PAGES, ids.tolist())
    session.note_prefix_change(reset=True)
    return TakenOut(pages=rows)


def _count_fetched(session: Session, ids: Sequence[int], sign: int) -> None:
    session.changed = True
    session.state.n_pages_fetched += sign * len(ids)
    owners = session.owners.values[np.array(ids, np.int32)]
    session.add_counts(owners, N_FETCHED, np.full(len(ids), sign, np.int32))


def _count_fetches(session: Session, rows: Iterable[Row], sign: int) -> None:
    """Keep the counters of jobs. How deep one came and how many pages it met first stay as they were."""
    tallies: dict[int, Tally] = {}
    for row in rows:
        tallies.setdefault(row[2], Tally()).add((fetch_of(row),))
    stored = session.tx.get(JOB_COUNTERS, sorted(tallies))
    names = [column.name for column in JOB_COUNTERS.columns[1:]]
    changed = []
    for job_id, tally in sorted(tallies.items()):
        values = [
            old if name in ("n_new_pages", "max_depth_reached") else old + sign * getattr(tally, name)
            for name, old in zip(names, stored[job_id][1:], strict=True)
        ]
        changed.append((job_id, *values))
    session.tx.put(JOB_COUNTERS, changed)


# -- back


def put_back(session: Session, taken: TakenOut, new_ids: dict[int, int]) -> list[tuple[int, int]]:
    """Put back what was taken out; pages found again since keep what they have. `new_ids`: pages put back
    before under another id; which ones these are now is given back."""
    renumbered = _put_back_pages(session, taken.pages) if taken.pages else []
    if taken.emptied:
        _fill_pages(session, taken, new_ids)
    return renumbered


def _put_back_pages(session: Session, rows: Sequence[Row]) -> list[tuple[int, int]]:
    lrus = [row[1] for row in rows]
    known: dict[str, int] = dict(session.tx.find(PAGES, "by_lru", lrus, ("lru", "id")))
    absent = [row for row in rows if row[1] not in known]
    names = [row[1] for row in absent]
    owned = session.territory.prefixes
    create_by_rules(session, [lru for lru in names if owned.find_owner(lru) is None])
    session.tx.insert(PAGES, absent)
    ids = np.array([row[0] for row in absent], np.int32)
    found = [session.territory.prefixes.find_owner(lru) for lru in names]
    owners = np.array([owner[1] for owner in found if owner is not None], np.int32)
    if len(ids):
        session.paint(Labels.OWNER, ids, owners)
        session.add_counts(owners, N_PAGES, np.ones(len(ids), np.int32))
        session.state.n_pages += len(ids)
        _put_back_nodes(session, ids, names)
    session.changed = True
    return [(row[0], known[row[1]]) for row in rows if row[1] in known]


def _put_back_nodes(session: Session, ids: Ints, lrus: Sequence[str]) -> None:
    if session.has_nodes:
        precision = session.territory.precision
        nodes = ensure_nodes(session, [precision.node(lru) for lru in lrus])
        names = [precision.node(lru) for lru in lrus]
        session.paint(Labels.NODE, ids, np.array([nodes[name] for name in names], np.int32))


def _fill_pages(session: Session, taken: TakenOut, new_ids: dict[int, int]) -> None:
    """Attempts of all pages; links and texts of those not fetched again since."""
    tx = session.tx
    old_ids = [int(row[0]) for row in taken.emptied]
    place = {old: new_ids.get(old, old) for old in old_ids}
    present = tx.get(PAGES, sorted(place.values()))
    fetches = _new_fetches(session, taken.fetches, place, present)
    tx.insert(FETCHES, fetches)
    _count_fetches(session, fetches, 1)
    bare = {old: new for old, new in place.items() if present[new][4] is None}
    last = [(bare[row[0]], (row[2], row[3])) for row in taken.emptied if row[0] in bare]
    tx.update(PAGES, ("fetch_id", "links_id"), last)
    _count_fetched(session, sorted(bare.values()), 1)
    for name, table in _OF_ANSWERS.items():
        tx.put(
            table, [(bare[row[1]], *row[2:]) for row in taken.answers if row[0] == name and row[1] in bare]
        )
    _put_back_links(session, [row for row in taken.outlinks if row[1] in bare], bare, new_ids)


def _new_fetches(
    session: Session, rows: Sequence[Row], place: dict[int, int], present: dict[Any, Row]
) -> list[Row]:
    """The attempts that the pages do not have by now."""
    seen: dict[int, set[tuple[int, int]]] = {}
    for page_id, row in present.items():
        if row[4] is not None:
            span = Span(_ATTEMPTS.index, equal=(page_id,))
            seen[page_id] = set(session.tx.scan(FETCHES, span, ("job_id", "attempt")))
    moved = [(row[0], place[row[1]], *row[2:]) for row in rows]
    return [row for row in moved if (row[2], row[3]) not in seen.get(row[1], ())]


def _put_back_links(
    session: Session, rows: Sequence[Row], place: dict[int, int], new_ids: dict[int, int]
) -> None:
    if not rows:
        return
    blobs = {row[0]: _retargeted(row[3], new_ids) for row in rows}
    sources, targets, kinds = [], [], []
    for links_id, page_id, _, _ in rows:
        found, found_kinds = decode_targets(blobs[links_id])
        sources.append(np.full(len(found), place[page_id], np.int32))
        targets.append(found)
        kinds.append(found_kinds)
    columns = distinct_columns(np.concatenate(sources), np.concatenate(targets), np.concatenate(kinds))
    weigh_links(session, columns, 1)
    session.state.n_links += sum(map(len, targets))
    placed = append_links(session, [place[row[1]] for row in rows], columns)
    session.tx.insert(
        OUTLINKS, [(row[0], place[row[1]], placed[place[row[1]]], blobs[row[0]]) for row in rows]
    )


def _retargeted(blob: bytes, new_ids: dict[int, int]) -> bytes:
    outlinks = decode_outlinks(blob)
    if not new_ids.keys() & set(outlinks.target_ids):
        return blob
    return encode_outlinks([new_ids.get(i, i) for i in outlinks.target_ids], outlinks.links)
