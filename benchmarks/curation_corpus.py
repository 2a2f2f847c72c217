"""The corpus of the curation benchmark: the web of `bench_store`, a long tail of sites only linked to, texts,
statuses and tags.

Made once into a folder and used again by later runs."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice

from benchmarks.bench_store import BATCH_PAGES, WORDS, Web
from memory_structure.corpus_records import CorpusOptions
from memory_structure.records import Area, FetchedPage, FoundLink, JobSpec, LinkKind, WebEntityStatus
from memory_structure.registry import Registry
from memory_structure.structure import MemoryStructure

N_TAIL = 100_000
TAIL_EVERY = 4  # one page in so many links to a site of the tail
N_TAGGED = 20_000
TEXT_WORDS = 50
VOCABULARY = 30_000
KINDS = ("media", "research", "activists", "firm", "state")
JUDGED = (WebEntityStatus.IN, WebEntityStatus.OUT, WebEntityStatus.UNDECIDED)


def vocabulary(seed: int = 1) -> list[str]:
    """Words of texts, the frequent ones first."""
    chance = random.Random(seed)
    return [f"{chance.choice(WORDS)[:4]}{i:x}" for i in range(VOCABULARY)]


class CurationWeb(Web):
    """Pages have texts, and some link to a site of the tail: found by links, never fetched."""

    n_tail_links = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.vocabulary = vocabulary(self.seed)

    def _page(self, site: int, page: int, chance: random.Random) -> FetchedPage:
        made = super()._page(site, page, chance)
        ranks = (int(VOCABULARY * chance.random() ** 3) for _ in range(TEXT_WORDS))
        text = " ".join(self.vocabulary[rank] for rank in ranks)
        if page % TAIL_EVERY:
            return replace(made, text=text)
        tail = self.n_tail_links if self.n_tail_links < N_TAIL else int(N_TAIL * chance.random() ** 3)
        self.n_tail_links += 1
        target = f"s:https|h:org|h:tail-{WORDS[tail % 14]}-{tail}|"
        link = FoundLink(target, LinkKind.HYPERLINK, 1, "tail", "", Area.MAIN, None)
        return replace(made, links=(*made.links, link), text=text)


def _judge(structure: MemoryStructure) -> None:
    """Statuses and tags as a team gives them: each judged entity has a kind, most a country, some two."""
    chance = random.Random(5)
    for i, entity in enumerate(structure.list_web_entities(limit=N_TAGGED)):
        tags = [("USER", "kind", chance.choice(KINDS))]
        if chance.random() < 0.8:
            tags.append(("USER", "country", chance.choice(WORDS)))
        if chance.random() < 0.05:
            tags.append(("USER", "country", "elsewhere"))
        status = WebEntityStatus.IN if i % 4 == 0 else chance.choice(JUDGED)
        structure.edit_web_entity(entity.web_entity_id, status=status, tags=tags)


def ensure_corpus(registry: Registry, name: str, n_pages: int) -> str:
    """Make what is not there of a corpus; its id."""
    known = {entry.corpus_id for entry in registry.list_corpora()}
    if name not in known:
        registry.create_corpus(name, CorpusOptions())
    registry.set_started(name, True)
    structure = registry.open_structure(name)
    if not structure.list_jobs():
        structure.create_job(JobSpec(None, ("http://site.com/",), ("s:http|",)))
    web, done = CurationWeb(n_pages), structure.counters().n_pages_fetched
    first = done // BATCH_PAGES
    # Some sites know a page by two numbers: a little less is all.
    is_made = done > web.n_pages - BATCH_PAGES
    batches = iter(()) if is_made else islice(web.batches(), first, None)
    for number, batch in enumerate(batches, first):
        structure.write_batch(batch)
        if number % 1000 == 0:
            print(f"  making {name}: {number * BATCH_PAGES:,} of {web.n_pages:,} pages", flush=True)
    if not structure.counters().n_in:
        _judge(structure)
    return name
