"""The laws of a corpus, each a stream of what breaks it. Memory stays a few numbers a page, whatever the
number of links."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from memory_structure.corpus_records import Finding
from memory_structure.records import (
    JobCounters,
)
from memory_structure.storage import Reader
from memory_structure.stored.act_laws import acts_hold
from memory_structure.stored.arrivals import iter_missing
from memory_structure.stored.codec import (
    Bytes,
    Ints,
    Longs,
    Pairs,
    decode_targets,
    distinct_columns,
    summed,
    swapped,
)
from memory_structure.stored.fetches import Tally, fetch_of
from memory_structure.stored.recompute import (
    iter_link_columns,
    read_labels,
    recomputed_counts,
    recomputed_owners,
    weights_by,
)
from memory_structure.stored.schema import (
    ENTITIES,
    FETCHES,
    JOB_COUNTERS,
    JOBS,
    N_FETCHED,
    N_PAGES,
    NODES,
    OUTLINKS,
    PAGES,
    PARSES,
    PREFIXES,
    Labels,
    Weights,
)
from memory_structure.stored.state import read_state
from memory_structure.stored.territory import Territory
from memory_structure.stored.weights import all_weights

Law = Callable[[Reader, Territory], Iterator[Finding]]
_ROWS_AT_ONCE = 2000

OWNER_LAW = "a page belongs to the owner of its longest prefix"
NODE_LAW = "a page lies in the node its precision gives"
FORWARD_LAW = "links between web entities equal the page links"
BACKWARD_LAW = "links arriving at web entities equal those leaving"
NODES_LAW = "links between nodes equal the page links"
COUNTS_LAW = "counters of a web entity equal its pages"
TOTALS_LAW = "totals of the corpus equal its records"
JOBS_LAW = "counters of a job equal its fetches"
EVIDENCE_LAW = "links of networks equal the outlinks of their page"
ARRIVALS_LAW = "links are found from their target"
IDS_LAW = "no id dangles"


def _names(reader: Reader, ids: list[int]) -> dict[int, str]:
    return {row[0]: row[1] for row in reader.get(PAGES, ids).values()}


def owners_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """One owner a page: the label is what the prefixes say."""
    stored = read_labels(reader, Labels.OWNER)
    expected = recomputed_owners(reader, territory, len(stored))
    differing = np.flatnonzero(stored[1:] != expected[1:]) + 1
    for start in range(0, len(differing), _ROWS_AT_ONCE):
        ids = differing[start : start + _ROWS_AT_ONCE].tolist()
        names = _names(reader, ids)
        for i in ids:
            yield Finding(OWNER_LAW, names.get(i, f"page {i}"), str(int(stored[i])), str(int(expected[i])))


def nodes_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """With a precision limit: the node of each page, by name."""
    precision = territory.precision
    if precision.limit is None:
        return
    stored = read_labels(reader, Labels.NODE)
    names = {row[0]: row[1] for row in reader.scan(NODES)}
    for row in reader.scan(PAGES, columns=("id", "lru")):
        node = names.get(int(stored[row[0]]), "")
        if node != precision.node(row[1]):
            yield Finding(NODE_LAW, row[1], node, precision.node(row[1]))


def _differences(law: str, what: str, stored: Pairs, expected: Pairs) -> Iterator[Finding]:
    keys = np.union1d(stored.keys, expected.keys)
    columns = []
    for pairs in (stored, expected):
        values = np.zeros(len(keys), np.int64)
        values[np.searchsorted(keys, pairs.keys)] = pairs.weights
        columns.append(values)
    for place in np.flatnonzero(columns[0] != columns[1]).tolist():
        key = int(keys[place])
        subject = f"{what} {key >> 32} -> {key & 0xFFFFFFFF}"
        yield Finding(law, subject, str(int(columns[0][place])), str(int(columns[1][place])))


def entity_links_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """Weights between entities, both directions."""
    del territory
    stored = all_weights(reader, Weights.FORWARD)
    expected = weights_by(read_labels(reader, Labels.OWNER), reader)
    yield from _differences(FORWARD_LAW, "web entity", stored, expected)
    turned = all_weights(reader, Weights.BACKWARD)
    arriving = summed([Pairs(swapped(turned.keys), turned.weights)])
    yield from _differences(BACKWARD_LAW, "web entity", arriving, stored)


def node_links_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """Weights between nodes."""
    if territory.precision.limit is not None:
        expected = weights_by(read_labels(reader, Labels.NODE), reader)
        yield from _differences(NODES_LAW, "node", all_weights(reader, Weights.NODES), expected)


def counts_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """Numbers of pages and fetched pages of each entity."""
    del territory
    words = {N_PAGES: "pages", N_FETCHED: "fetched pages"}
    expected = recomputed_counts(reader, read_labels(reader, Labels.OWNER))
    for found in _differences(COUNTS_LAW, "web entity", all_weights(reader, Weights.COUNTS), expected):
        entity, _, column = found.subject.rpartition(" -> ")
        yield Finding(found.law, f"{entity}, {words.get(int(column), column)}", found.stored, found.expected)


def totals_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """Totals of the corpus."""
    del territory
    stored, expected = read_state(reader), recomputed_totals(reader)
    for name, value in expected.items():
        if getattr(stored, name) != value:
            yield Finding(TOTALS_LAW, name, str(getattr(stored, name)), str(value))


def recomputed_totals(reader: Reader) -> dict[str, int]:
    """Column of the state row -> what it should be."""
    totals = dict.fromkeys(
        ("n_pages", "n_pages_fetched", "n_links", "n_in", "n_out", "n_undecided", "n_discovered"), 0
    )
    for _, fetch_id in reader.scan(PAGES, columns=("id", "fetch_id")):
        totals["n_pages"] += 1
        totals["n_pages_fetched"] += fetch_id is not None
    for _, blob in reader.scan(OUTLINKS, columns=("id", "links")):
        totals["n_links"] += len(decode_targets(blob)[0])
    for _, status in reader.scan(ENTITIES, columns=("id", "status")):
        totals[f"n_{status.lower()}"] += 1
    return totals


def jobs_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """Counters of each job. Which job met a page first is told by no record, and a depth may have been
    lowered since."""
    del territory
    expected = recomputed_tallies(reader)
    names = [column.name for column in JOB_COUNTERS.columns[1:]]
    for row in reader.scan(JOB_COUNTERS):
        tally = expected.get(row[0], Tally())
        for name, stored in zip(names, row[1:], strict=True):
            value = getattr(tally, name)
            if name == "n_new_pages" or (name == "max_depth_reached" and stored >= value):
                continue
            if stored != value:
                yield Finding(JOBS_LAW, f"crawl job {row[0]}, {name}", str(stored), str(value))


def recomputed_tallies(reader: Reader) -> dict[int, Tally]:
    """Job id -> counters by its stored fetches; `n_new_pages` is left at 0."""
    tallies: dict[int, Tally] = {}
    for row in reader.scan(FETCHES):
        tallies.setdefault(row[2], Tally()).add((fetch_of(row),))
    return tallies


def _digest(sources: Ints, targets: Ints, masks: Bytes) -> Longs:
    """A number for each link, so that sums of them tell sets of links apart."""
    mixed: NDArray[np.uint64] = (sources.astype(np.uint64) << np.uint64(32)) | targets.astype(np.uint64)
    mixed ^= masks.astype(np.uint64) << np.uint64(24)
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (29, 0xC4CEB9FE1A85EC53)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(32))).view(np.int64)


def evidence_holds(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """Segments hold exactly the links of the outlinks, compared page by page through sums of digests."""
    del territory
    n = read_state(reader).next_page
    in_segments, in_outlinks = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for columns in iter_link_columns(reader):
        known = columns.sources < n
        np.add.at(in_segments, columns.sources[known], _digest(*columns)[known])
    for sources, targets, kinds in _outlink_columns(reader):
        columns = distinct_columns(sources, targets, kinds)
        np.add.at(in_outlinks, columns.sources, _digest(*columns))
    differing = np.flatnonzero(in_segments != in_outlinks).tolist()
    names = _names(reader, differing)
    for i in differing:
        yield Finding(
            EVIDENCE_LAW, names.get(i, f"page {i}"), "other links in segments", "those of its outlinks"
        )


def arrivals_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """Every link is found from its target too."""
    del territory
    for source, target in iter_missing(reader):
        yield Finding(ARRIVALS_LAW, f"page {source} -> {target}", "not found from its target", "found")


def _outlink_columns(reader: Reader) -> Iterator[tuple[Ints, Ints, Bytes]]:
    """(sources, targets, kinds) of whole pages, some hundred pages at a time."""
    ids: list[int] = []
    parts: list[tuple[Ints, Bytes]] = []
    for page_id, blob in reader.scan(OUTLINKS, columns=("page_id", "links")):
        ids.append(page_id)
        parts.append(decode_targets(blob))
        if len(ids) == _ROWS_AT_ONCE:
            yield _columns(ids, parts)
            ids, parts = [], []
    if ids:
        yield _columns(ids, parts)


def _columns(ids: list[int], parts: list[tuple[Ints, Bytes]]) -> tuple[Ints, Ints, Bytes]:
    sources = np.repeat(np.array(ids, np.int32), [len(targets) for targets, _ in parts])
    return sources, np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def ids_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """Every id leads to a record, in both directions where there are two."""
    del territory
    yield from _page_ids_hold(reader)
    yield from _fetch_ids_hold(reader)
    yield from _outlink_ids_hold(reader)
    yield from _parse_ids_hold(reader)
    yield from _entity_ids_hold(reader)


def _page_ids_hold(reader: Reader) -> Iterator[Finding]:
    n = read_state(reader).next_page
    known = np.zeros(n, np.bool_)
    for (page_id,) in reader.scan(PAGES, columns=("id",)):
        if page_id < n:
            known[page_id] = True
        else:
            yield Finding(IDS_LAW, f"page {page_id}", "an id not given out yet", f"below {n}")
    owned = read_labels(reader, Labels.OWNER) != 0  # pages taken out again keep their id and have no owner
    for i in np.flatnonzero(owned & ~known).tolist():
        yield Finding(IDS_LAW, f"page {i}", "absent", "a record for each id that has an owner")
    for columns in iter_link_columns(reader):
        ends = np.unique(np.concatenate((columns.sources, columns.targets)))
        inside = (ends < n) & (ends > 0)
        for i in [*ends[~inside].tolist(), *ends[inside][~known[ends[inside]]].tolist()]:
            yield Finding(IDS_LAW, f"a link of page {i}", "a page that does not exist", "a known page")


def _fetch_ids_hold(reader: Reader) -> Iterator[Finding]:
    jobs = {row[0] for row in reader.scan(JOBS, columns=("id",))}
    n = read_state(reader).next_page
    last = np.zeros(n, np.int64)
    for fetch_id, page_id, job_id, final in reader.scan(
        FETCHES, columns=("id", "page_id", "job_id", "final")
    ):
        if not 0 < page_id < n or job_id not in jobs:
            yield Finding(
                IDS_LAW, f"fetch {fetch_id}", f"page {page_id}, job {job_id}", "a known page and job"
            )
        elif final:
            last[page_id] = max(last[page_id], fetch_id)
    for page_id, lru, fetch_id in reader.scan(PAGES, columns=("id", "lru", "fetch_id")):
        expected = int(last[page_id]) if page_id < n else 0
        if (fetch_id or 0) != expected:
            yield Finding(IDS_LAW, f"last fetch of {lru}", str(fetch_id), str(expected or None))


def _parse_ids_hold(reader: Reader) -> Iterator[Finding]:
    fetched = np.zeros(read_state(reader).next_page, np.bool_)
    for page_id, fetch_id in reader.scan(PAGES, columns=("id", "fetch_id")):
        if fetch_id is not None and page_id < len(fetched):
            fetched[page_id] = True
    for (page_id,) in reader.scan(PARSES, columns=("page_id",)):
        if not 0 < page_id < len(fetched) or not fetched[page_id]:
            yield Finding(IDS_LAW, f"parse of page {page_id}", "no fetched page", "a page that was fetched")


def _outlink_ids_hold(reader: Reader) -> Iterator[Finding]:
    n = read_state(reader).next_page
    links = np.zeros(n, np.int64)
    for links_id, page_id in reader.scan(OUTLINKS, columns=("id", "page_id")):
        if not 0 < page_id < n or links[page_id]:
            yield Finding(
                IDS_LAW, f"outlinks {links_id}", f"page {page_id}", "one known page, its only outlinks"
            )
        else:
            links[page_id] = links_id
    for page_id, lru, links_id in reader.scan(PAGES, columns=("id", "lru", "links_id")):
        expected = int(links[page_id]) if page_id < n else 0
        if (links_id or 0) != expected:
            yield Finding(IDS_LAW, f"outlinks of {lru}", str(links_id), str(expected or None))


def _entity_ids_hold(reader: Reader) -> Iterator[Finding]:
    entities = {row[0] for row in reader.scan(ENTITIES, columns=("id",))}
    owning = set()
    for prefix, entity_id, _ in reader.scan(PREFIXES):
        owning.add(entity_id)
        if entity_id not in entities:
            yield Finding(IDS_LAW, f"owner of {prefix}", str(entity_id), "a known web entity")
    for entity_id in sorted(entities - owning):
        yield Finding(IDS_LAW, f"web entity {entity_id}", "no prefix", "at least one prefix")
    for job_id, entity_id in reader.scan(JOBS, columns=("id", "entity_id")):
        if entity_id is not None and entity_id not in entities:
            yield Finding(IDS_LAW, f"web entity of crawl job {job_id}", str(entity_id), "a known web entity")
    counters = {row[0] for row in reader.scan(JOB_COUNTERS, columns=("job_id",))}
    for (job_id,) in reader.scan(JOBS, columns=("id",)):
        if job_id not in counters:
            yield Finding(IDS_LAW, f"crawl job {job_id}", "no counters", str(JobCounters()))


LAWS: tuple[Law, ...] = (
    ids_hold,
    owners_hold,
    nodes_hold,
    evidence_holds,
    arrivals_hold,
    entity_links_hold,
    node_links_hold,
    counts_hold,
    totals_hold,
    jobs_hold,
    acts_hold,
)
