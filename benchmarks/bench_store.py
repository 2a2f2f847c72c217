"""The store at scale: indexing pages and links into the embedded database, then reads and edits on that
corpus.

Every figure stands beside a physical limit measured in the same run: raw inserts of the same volume, a gather
of as many integers, reading the bytes of all link segments. Run: `python -m benchmarks.bench_store [--scale
1000000]`."""

from __future__ import annotations

import argparse
import random
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.records import (
    Area,
    Batch,
    Fetch,
    FetchedPage,
    FoundLink,
    JobSpec,
    LinkKind,
    WebEntityStatus,
)
from memory_structure.stored.schema import SEGMENTS
from memory_structure.stored.structure import StoredMemoryStructure

BATCH_PAGES = 100
LINKS = 20
EXTERNAL = 3
NEIGHBOURS = 60
ACTIVE_SITES = 64
WORDS = "about contact news research article home archive press team project data map people index".split()
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Web:
    """A made-up web: sites of 40 pages and more, links mostly inside the site, popular sites linked more."""

    n_pages: int
    seed: int = 1

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        n_sites = max(self.n_pages // 100, 1)
        sizes = 40 + rng.pareto(1.5, n_sites) * 30
        sizes = np.maximum((sizes * self.n_pages / sizes.sum()).astype(np.int64), 30)
        sizes[0] = max(sizes[0] + self.n_pages - sizes.sum(), 30)
        self.sizes = sizes.tolist()
        self.n_sites = n_sites
        popular = rng.permutation(n_sites)
        # A site links to some tens of others, mostly to well-known ones: at full scale about 600,000 pairs of
        # sites.
        self.neighbours = popular[(n_sites * rng.random((n_sites, NEIGHBOURS)) ** 2).astype(np.int64)]
        self.n_pages = int(sizes.sum())
        self.rng = rng

    def lru(self, site: int, page: int) -> str:
        head = f"s:http|h:com|h:site-number-{site}|h:www|"
        section = page // 25
        return f"{head}p:{WORDS[section % 14]}-{section}|p:some-title-of-a-page-{page}|" if page else head

    def crawl_order(self) -> Iterator[tuple[int, int]]:
        """(site, page), some sites at a time, as politeness makes it."""
        waiting = iter(range(self.n_sites))
        active = [[site, 0] for site, _ in zip(waiting, range(ACTIVE_SITES), strict=False)]
        while active:
            for place in list(active):
                yield place[0], place[1]
                place[1] += 1
                if place[1] == self.sizes[place[0]]:
                    site = next(waiting, None)
                    if site is None:
                        active.remove(place)
                    else:
                        place[:] = [site, 0]

    def batches(self) -> Iterator[Batch]:
        pages: list[FetchedPage] = []
        chance = random.Random(self.seed)
        for site, page in self.crawl_order():
            pages.append(self._page(site, page, chance))
            if len(pages) == BATCH_PAGES:
                yield Batch(tuple(pages))
                pages = []
        if pages:
            yield Batch(tuple(pages))

    def _page(self, site: int, page: int, chance: random.Random) -> FetchedPage:
        size = self.sizes[site]
        near = chance.sample(range(1, min(size, 120)), LINKS - EXTERNAL)
        targets = [self.lru(site, (page + step) % size) for step in near]
        for _ in range(EXTERNAL):
            other = int(self.neighbours[site, chance.randrange(NEIGHBOURS)])
            targets.append(self.lru(other, int(self.sizes[other] * chance.random() ** 3)))
        links = tuple(
            FoundLink(t, LinkKind.HYPERLINK, 1, chance.choice(WORDS) + " page", "", Area.MAIN, None)
            for t in dict.fromkeys(targets)
        )
        fetch = Fetch(
            1, MOMENT, 0.2, status=200, content_type="text/html", encoding="utf-8", size_bytes=27000,
            digest=f"{site:032x}{page:032x}", title=f"The title of page {page}", language="en",
            n_links=len(links),
        )  # fmt: skip
        return FetchedPage(self.lru(site, page), (fetch,), links)


def rss_mb() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


@dataclass(frozen=True, order=True)
class Spent:
    """Wall and CPU seconds: on a busy machine they differ."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.3f} s"

    @property
    def note(self) -> str:
        return f"(CPU {self.cpu:.3f})"


def timed(work: Callable[[], object]) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def row(name: str, value: str | Spent, limit: str = "") -> None:
    note = f"{value.note} " if isinstance(value, Spent) else ""
    print(f"{name:58} {value!s:>16} {note}{limit}", flush=True)


def index(structure: StoredMemoryStructure, web: Web) -> tuple[int, list[float]]:
    """Write every batch; (links, CPU us a link of each tenth)."""
    links = total = 0
    cpu = longest = 0.0
    tenths: list[float] = []
    n_batches = web.n_pages // BATCH_PAGES + 1
    for done, batch in enumerate(web.batches(), 1):
        start, wall = time.process_time(), time.perf_counter()
        report = structure.write_batch(batch)
        cpu += time.process_time() - start
        longest = max(longest, time.perf_counter() - wall)
        links += report.n_links
        if done * 10 // n_batches > len(tenths) or done * BATCH_PAGES >= web.n_pages:
            tenths.append(cpu / links * 1e6)
            row(
                f"  tenth {len(tenths)}",
                f"{tenths[-1]:.2f} us/link",
                f"RSS {rss_mb():.0f} MB, longest batch {longest * 1e3:.0f} ms",
            )
            total += links
            cpu = longest = 0.0
            links = 0
    return total + links, tenths


def raw_inserts(folder: Path, n_pages: int) -> float:
    """CPU us a link of plain inserts of the same rows: a page, a fetch and an outlinks blob a page, a segment
    a batch."""
    database = sqlite3.connect(folder / "raw.sqlite", isolation_level=None)
    database.execute("PRAGMA page_size = 8192")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("CREATE TABLE pages (id INTEGER PRIMARY KEY, lru TEXT, a, b, c)")
    database.execute("CREATE UNIQUE INDEX by_lru ON pages (lru)")
    database.execute("CREATE TABLE fetches (id INTEGER PRIMARY KEY, page, title, digest)")
    database.execute("CREATE TABLE outlinks (id INTEGER PRIMARY KEY, links BLOB)")
    database.execute("CREATE TABLE segments (id INTEGER PRIMARY KEY, links BLOB)")
    web = Web(n_pages)
    lrus = [web.lru(site, page) for site, page in web.crawl_order()]
    outlinks, segment = bytes(400), bytes(18000)
    start = time.process_time()
    for first in range(0, len(lrus), BATCH_PAGES):
        ids = range(first, min(first + BATCH_PAGES, len(lrus)))
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO pages VALUES (?, ?, 1, 1, 1)", [(i, lrus[i]) for i in ids])
        database.executemany(
            "INSERT INTO fetches VALUES (?, ?, 'The title of a page', ?)", [(i, i, "0" * 64) for i in ids]
        )
        database.executemany("INSERT INTO outlinks VALUES (?, ?)", [(i, outlinks) for i in ids])
        database.execute("INSERT INTO segments VALUES (?, ?)", (first, segment))
        database.execute("COMMIT")
    spent = time.process_time() - start
    database.close()
    return spent / (len(lrus) * LINKS) * 1e6


def measure_indexing(structure: StoredMemoryStructure, web: Web, folder: Path) -> None:
    structure.create_job(JobSpec(None, ("http://site.com/",), ("s:http|",)))
    n_links, tenths = index(structure, web)
    n_raw = min(web.n_pages, 50_000)
    limit = raw_inserts(folder, n_raw)
    mean = sum(tenths) / len(tenths)
    row("indexing, CPU a link", f"{mean:.2f} us", f"aim 6; raw inserts of {n_raw} pages {limit:.2f}")
    row("  last tenth / first tenth", f"{tenths[-1] / tenths[0]:.2f}", "flat is 1")
    row("  links stored", f"{n_links:,}")
    row("  resident", f"{rss_mb():.0f} MB", "aim 1000")
    row("  file", f"{structure.size_bytes() / 2**20:.0f} MB")


def physical_limits(structure: StoredMemoryStructure, n_pages: int, n_links: int) -> None:
    labels = np.zeros(n_pages + 1, np.int32)
    ids = np.random.default_rng(1).integers(0, n_pages, n_links, dtype=np.int32)
    row("limit: gather of as many integers, twice", timed(lambda: (labels[ids], labels[ids])))
    reading = timed(lambda: sum(len(r[2]) for r in structure._storage.scan(SEGMENTS)))
    row("limit: reading the bytes of all segments", reading)


def measure_network(structure: StoredMemoryStructure) -> None:
    row("recomputing the whole entity network", timed(structure.recomputed_links), "aim 15")
    structure._network = None
    structure._known_weights.clear()
    row("network, first answer", timed(structure.web_entity_links))
    row("network, nothing changed", timed(structure.web_entity_links), "aim 0.3")
    entities = structure.list_web_entities(limit=5)

    def after(edit: Callable[[], object]) -> Spent:
        return timed(lambda: (edit(), structure.web_entity_links()))

    ids = [e.web_entity_id for e in entities]
    row(
        "merge, then the network",
        after(lambda: structure.merge_web_entities(ids[0], ids[1])),
        "aim 1",
    )
    prefix = structure.list_pages(ids[2], limit=40)[-1].lru
    part = prefix[: prefix.index("|p:") + 1] + prefix[prefix.index("|p:") + 1 :].split("|")[0] + "|"
    row(
        "prefix move, then the network",
        after(lambda: structure.add_prefixes(ids[3], [part])),
        "aim 1",
    )
    rule = CreationRule("s:http|h:com|h:site-number-3|", Preset.parse("path-1"))

    def new_rule() -> None:
        structure.add_rule(rule)
        row("  entities the rule made", str(len(structure.apply_rules(rule.prefix).created_web_entity_ids)))

    row("new rule, then the network", after(new_rule), "aim 1")


def measure_listings(structure: StoredMemoryStructure) -> None:
    weights = structure.internal_weights()
    entity = max(weights, key=weights.__getitem__)
    lru = structure.list_most_linked_pages(entity, 1)[0][0].lru
    listings: dict[str, Callable[[], object]] = {
        "web entities": lambda: structure.list_web_entities(limit=1000),
        "web entities by name": lambda: structure.list_web_entities(by_name=True, limit=1000),
        "web entities by status": lambda: structure.list_web_entities(
            status=WebEntityStatus.DISCOVERED, limit=1000
        ),
        "pages of the largest entity": lambda: structure.list_pages(entity, limit=1000),
        "page links of the largest entity": lambda: structure.list_links(entity, limit=1000),
        "referrers": lambda: structure.list_referrers(entity),
        "referrals": lambda: structure.list_referrals(entity),
        "outlinks of a page": lambda: structure.list_outlinks(lru),
        "inlinks of the most linked page": lambda: structure.list_inlinks(lru, 100),
        "sub web entities": lambda: structure.list_sub_web_entities(entity),
        "jobs": structure.list_jobs,
    }
    for name, listing in listings.items():
        row(f"first page: {name}", min(timed(listing) for _ in range(3)), "aim 0.05")
    row(
        "most linked pages (a scan)",
        timed(lambda: structure.list_most_linked_pages(entity)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1_000_000, help="pages; twenty times as many links")
    parser.add_argument("--folder", type=Path, help="where to keep the corpus, to look at it afterwards")
    parser.add_argument("--check", action="store_true", help="prove the laws at the end")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        structure = StoredMemoryStructure(SqliteStorage(folder / "corpus.sqlite"))
        web = Web(arguments.scale)
        print(f"{web.n_pages:,} pages of {web.n_sites:,} sites, {LINKS} links a page", flush=True)
        if not structure.counters().n_pages:
            measure_indexing(structure, web, folder)
        physical_limits(structure, web.n_pages, structure.counters().n_links)
        measure_listings(structure)
        measure_network(structure)
        if arguments.check:
            row("check", timed(lambda: print(structure.check())))
        structure.close()


if __name__ == "__main__":
    main()
