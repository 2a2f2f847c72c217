"""Curation at scale: listings, searches, facets and changes of status on a corpus of a million pages and
110,000 web entities, through the methods of the service, answers encoded as they go over the wire.

Each figure stands beside two yardsticks of the same run: one indexed look-up in the same file, and a call of
`ping`. Run: `python -m benchmarks.bench_curation [--scale 1000000] [--folder DIR]`; a folder keeps the
corpora for the next run."""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.bench_store import WORDS, rss_mb
from benchmarks.curation_corpus import CurationWeb, ensure_corpus, vocabulary
from hyphe_core.api.call import Caller
from hyphe_core.api.entity_catalogue.catalogue import ORDERS
from hyphe_core.api.json_values import encode
from hyphe_core.api.service import Service
from hyphe_core.config import Config
from memory_structure.opening import open_registry
from memory_structure.registry import Registry

AIM_MS = 50.0
BULK = 10_000
BULK_AIM_MS = 2000.0
AFTER_BULK_AIM_MS = 500.0
N_POLLED = 20
POLL_SECONDS = 2.0
N_POLLS = 10
BATCHES_A_POLL = 8
STATUSES = ("IN", "OUT", "UNDECIDED", "DISCOVERED")
RECORDS: tuple[dict[str, Any], ...] = (
    {"tags": [{"category": "kind", "value": "media"}]},
    {"missing": ["country"], "status": "IN"},
    {"conflicting": ["country"]},
    {"untagged": True},
    {"indegree": [5, None], "status": "DISCOVERED"},
    {"pages_total": [10, 200], "crawled": False},
    {"creation_date": [0, 10**13], "text": "site"},
    {"status": ["IN", "UNDECIDED"], "words": "www", "outdegree": [1, 50]},
)
TEXTS = (
    "www",
    "org",
    "tail-data",
    "site-number-77",
    "nowhere at all",
    "http://www.site-number-5.com/",
    "s:http|h:com|h:site-number-9|",
)

Params = tuple[Any, ...]


class Spent(NamedTuple):
    """Milliseconds on the clock and of the processor: on a busy machine they differ."""

    wall: float
    cpu: float


class Watch:
    """Measures what happens in its block, in this thread."""

    def __enter__(self) -> Watch:
        self._wall, self._cpu = time.perf_counter(), time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        wall, cpu = time.perf_counter() - self._wall, time.thread_time() - self._cpu
        self.spent = Spent(wall * 1e3, cpu * 1e3)


def quantile(times: list[float], part: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def line(name: str, text: str) -> None:
    print(f"{name:44} {text}", flush=True)


class Client:
    """Calls methods as a client does, without the socket."""

    def __init__(self, service: Service, corpus: str) -> None:
        self.service, self.corpus = service, corpus
        self.look_up_ms = 1.0

    def call(self, name: str, *params: Any, **named: Any) -> Any:
        method = self.service.table.get(name)
        names = [p.name for p in method.parameters]
        values = {"corpus": self.corpus} | dict(zip(names, params, strict=False)) | named
        answer: Any = self.service.answer_blocking(method.bind(values), Caller()).value
        encode(answer)
        if answer["code"] != "success":
            raise RuntimeError(f"{name}: {answer}")
        return answer["result"]

    def spent(self, name: str, *params: Any) -> Spent:
        with Watch() as watch:
            self.call(name, *params)
        return watch.spent

    def report(self, name: str, times: list[Spent], aim_ms: float = AIM_MS) -> None:
        p50, p95 = quantile([t.wall for t in times], 0.5), quantile([t.wall for t in times], 0.95)
        cpu = quantile([t.cpu for t in times], 0.95)
        verdict = "" if p95 <= aim_ms else f"  over the aim of {aim_ms:.0f} ms"
        ratio = p95 / self.look_up_ms
        line(name, f"p50 {p50:8.2f}  p95 {p95:8.2f} ms  CPU {cpu:8.2f} ms  {ratio:7.0f} look-ups{verdict}")

    def measure(self, name: str, method: str, calls: Iterable[Params], aim_ms: float = AIM_MS) -> None:
        self.report(name, [self.spent(method, *params) for params in calls], aim_ms)


def measure_yardsticks(client: Client, database: Path) -> None:
    file = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    lrus = [r[0] for r in file.execute("SELECT lru FROM pages WHERE id % 997 = 1 LIMIT 1000")]
    times = []
    for lru in lrus:
        with Watch() as watch:
            file.execute("SELECT id FROM pages WHERE lru = ?", (lru,)).fetchall()
        times.append(watch.spent)
    file.close()
    client.look_up_ms = quantile([t.wall for t in times], 0.5)
    client.report("yardstick: an indexed look-up", times)
    client.measure("yardstick: ping of the corpus", "ping", [()] * 200)


def measure_listings(client: Client, chance: random.Random) -> None:
    for order in ORDERS:
        client.measure(
            f"listing by {order}, all and by status",
            "store.search",
            [
                ({"status": status} if status else {}, [sign + order, "name"], 100, chance.randrange(3))
                for sign in ("", "-")
                for status in (None, *STATUSES)
                for _ in range(3)
            ],
        )
    for level, flags in (("light", (True, False)), ("full", (False, False))):
        calls = [(status, "name", 100, chance.randrange(20), *flags) for status in STATUSES * 5]
        client.measure(f"listing, {level} entities", "store.get_webentities_by_status", calls)
    token = client.call("store.get_webentities", [], "name", 100)["token"]
    pages = [chance.randrange(1000) for _ in range(40)]
    client.measure("page of a token", "store.get_webentities_page", [(token, page) for page in pages])
    named = [(token, page, True) for page in pages]
    client.measure("page of a token, ids and names", "store.get_webentities_page", named)
    client.measure("ranking stats of a token", "store.get_webentities_ranking_stats", [(token,)] * 20)


def measure_searches(client: Client, chance: random.Random) -> None:
    texts = [*TEXTS, *(f"tail-{chance.choice(WORDS)}-{chance.randrange(1000)}" for _ in range(33))]
    client.measure("entities by parts of words", "store.search_webentities", [(text,) for text in texts])
    client.measure("entities by whole words", "store.wordsearch_webentities", [(text,) for text in texts])
    records = [(found, "-citing_in", 100, 0, False, True, True) for found in RECORDS * 5]
    client.measure("records of filters, with facets", "store.search", records)
    prospects = ({"status": "DISCOVERED"}, ["-citing_in", "name"])
    client.measure("prospect list", "store.search", [prospects] * 20)
    client.measure("facets", "store.facets", [({},)] * 20)
    client.measure("gaps", "store.gaps", [()] * 20)
    begun = [(text,) for text in ("", "me", "res", "e") * 10]
    client.measure("completion of tags", "store.autocomplete_tags", begun)


def measure_pages(client: Client, chance: random.Random, n_indexed: int) -> None:
    structure = client.service.registry.open_structure(client.corpus)
    waiting, done, started = structure.n_texts_waiting(), 0, time.process_time()
    while done < n_indexed and waiting:
        turn = structure.index_texts(2.0)
        done, waiting = done + turn.n_pages, turn.n_waiting
    if done:
        cpu_us = (time.process_time() - started) / done * 1e6
        line("index of titles and texts of 50 words", f"{cpu_us:8.0f} us CPU a page, {done:,} pages")
    line("pages not in the index", f"{waiting:,}")
    words = vocabulary()
    queries = [words[0], f"{words[0]} {words[1]}", "title page", "page 77", words[-1], "nowhere"]
    queries += [" ".join(chance.sample(words[:3000], 2)) for _ in range(34)]
    client.measure("pages by words", "pages.search", [(query,) for query in queries])
    first = client.spent("pages.search", words[3], 1)
    line("first search within an entity", f"{first.wall / 1e3:.2f} s: reads the prefixes of the corpus")
    inside = [(words[3], chance.randrange(1, 5000)) for _ in range(40)]
    client.measure("pages of one entity by words", "pages.search", inside)


def measure_changes(client: Client, chance: random.Random) -> None:
    changes, listings = [], []
    for turn in range(40):
        entity = chance.randrange(1, 20_000)
        changes.append(client.spent("store.set_webentity_status", entity, STATUSES[turn % 3]))
        sort = ["-indegree", "name"] if turn % 2 else ["-citing_in", "-pages_total"]
        listings.append(client.spent("store.get_webentities", [], sort, 100, 0, False, True))
    client.report("status of one entity", changes)
    client.report("listing after a change of status", listings)
    tagged, counted = [], []
    for entity in chance.sample(range(1, 20_000), 20):
        tagged.append(client.spent("store.add_webentity_tag_value", entity, "USER", "kind", "new"))
        counted.append(client.spent("store.facets", {}))
    client.report("tag of one entity", tagged)
    client.report("facets after a tag", counted)
    ids = list(range(20_001, 20_001 + BULK))
    changes, listings = [], []
    for status in ("OUT", "DISCOVERED") * 2:
        changes.append(client.spent("store.set_webentities_status", ids, status))
        listings.append(client.spent("store.get_webentities", [], "-indegree", 100, 0, False, True))
    client.report(f"status of {BULK:,} entities", changes, BULK_AIM_MS)
    client.report("listing after it", listings, AFTER_BULK_AIM_MS)


def measure_polling(client: Client, registry: Registry, is_crawled: bool) -> None:
    """What a client that polls twenty corpora every two seconds takes of a core, at rest or during a
    crawl."""
    small = [ensure_corpus(registry, f"small-{n}", 2000) for n in range(N_POLLED - 1)]
    clients = [client, *(Client(client.service, corpus) for corpus in small)]
    batches = CurationWeb(20_000, seed=99 + int(time.time())).batches()
    structure = registry.open_structure(client.corpus)
    shares = []
    for turn in range(N_POLLS + 1):
        for _ in range(BATCHES_A_POLL if is_crawled else 0):
            structure.write_batch(next(batches))
        started, wall = time.process_time(), time.perf_counter()
        for each in clients:
            each.call("get_status")
            each.call("listjobs", [], light=True)
        spent = time.process_time() - started
        if turn:  # the first one reads what the others find
            shares.append(spent / POLL_SECONDS * 100)
        time.sleep(max(0.0, POLL_SECONDS - (time.perf_counter() - wall)) if is_crawled else 0.0)
    when = "while one is crawled" if is_crawled else "at rest"
    mean = sum(shares) / len(shares)
    line(
        f"polling of {N_POLLED} corpora, {when}", f"{mean:8.2f} % of a core (aim 5), most {max(shares):.2f} %"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1_000_000, help="pages")
    parser.add_argument("--folder", type=Path, help="where to keep the corpora for the next run")
    parser.add_argument(
        "--index", type=int, default=1_000_000, help="pages put into the index of words at most"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        registry = open_registry(folder)
        corpus = ensure_corpus(registry, f"curation-{arguments.scale}", arguments.scale)
        client = Client(Service(Config(data_dir=folder), registry), corpus)
        totals = registry.open_structure(corpus).counters()
        line(
            corpus, f"{totals.n_pages:,} pages, {totals.n_web_entities:,} entities, {totals.n_links:,} links"
        )
        loads = " ".join(f"{load:.1f}" for load in os.getloadavg())
        line(
            "load of the machine", f"{loads} on {os.cpu_count()} processors: times on the clock depend on it"
        )
        before = rss_mb()
        line(
            "first listing: reads the catalogue", f"{client.spent('store.get_webentities').wall / 1e3:.2f} s"
        )
        taken = rss_mb() - before
        line(
            "memory of the catalogue",
            f"{taken:.0f} MB, {taken * 2**20 / totals.n_web_entities:.0f} bytes an entity",
        )
        chance = random.Random(7)
        measure_yardsticks(client, folder / "corpora" / corpus / "corpus.sqlite")
        measure_listings(client, chance)
        measure_searches(client, chance)
        measure_changes(client, chance)
        measure_pages(client, chance, arguments.index)
        for is_crawled in (False, True):
            measure_polling(client, registry, is_crawled)
        registry.close()


if __name__ == "__main__":
    main()
