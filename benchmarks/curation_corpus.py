"""The corpus of the curation benchmark: the web of `bench_store`, a long tail of sites only linked to, texts,
tags and statuses.

Made once into a folder and used again by later runs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from benchmarks.bench_store import BATCH_PAGES, MOMENT, WORDS, Web
from memory_structure.backends.sqlite import SqliteStorage
from memory_structure.records import (
    Area,
    Batch,
    FetchedPage,
    FoundLink,
    JobSpec,
    LinkKind,
    WebEntityStatus,
)
from memory_structure.stored.structure import StoredMemoryStructure

N_TAIL = 100_000
TAIL_EVERY = 4  # one page in so many links to a site of the tail
N_TAGGED = 20_000
TEXT_WORDS = 50
VOCABULARY = 30_000
STATUSES = (WebEntityStatus.IN, WebEntityStatus.OUT, WebEntityStatus.UNDECIDED)
FILE = "corpus.sqlite"


class CurationWeb(Web):
    """Pages have texts, and some link to a site of the tail: found by links, never fetched."""

    n_tail_links = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        chance = random.Random(self.seed)
        self.vocabulary = [f"{chance.choice(WORDS)[:4]}{i:x}" for i in range(VOCABULARY)]

    def _page(self, site: int, page: int, chance: random.Random) -> FetchedPage:
        made = super()._page(site, page, chance)
        ranks = (int(VOCABULARY * chance.random() ** 3) for _ in range(TEXT_WORDS))
        text = " ".join(self.vocabulary[rank] for rank in ranks)
        if page % TAIL_EVERY:
            return replace(made, text=text)
        tail = self.n_tail_links if self.n_tail_links < N_TAIL else int(N_TAIL * chance.random() ** 3)
        self.n_tail_links += 1
        target = f"s:https|h:org|h:Tail-{WORDS[tail % 14]}-{tail}|".lower()
        link = FoundLink(target, LinkKind.HYPERLINK, 1, "tail", "", Area.MAIN, None)
        return replace(made, links=(*made.links, link), text=text)


def _judge(structure: StoredMemoryStructure) -> None:
    """Statuses and tags as a team gives them: each tagged entity has a kind, most a country, some two."""
    chance = random.Random(5)
    entities = structure.list_web_entities(limit=N_TAGGED)
    for i, entity in enumerate(entities):
        tags = [("USER", "kind", chance.choice(("media", "research", "activists", "firm", "state")))]
        if chance.random() < 0.8:
            tags.append(("USER", "country", chance.choice(WORDS)))
        if chance.random() < 0.05:
            tags.append(("USER", "country", "elsewhere"))
        status = STATUSES[0] if i % 4 == 0 else chance.choice(STATUSES)
        structure.edit_web_entity(entity.web_entity_id, status=status, tags=tags)


def _batches(web: CurationWeb) -> Iterator[Batch]:
    return web.batches()


def ensure_corpus(folder: Path, n_pages: int) -> StoredMemoryStructure:
    """The corpus of that folder, made when it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    structure = StoredMemoryStructure(SqliteStorage(folder / FILE))
    done = structure.counters().n_pages_fetched
    if not done:
        structure.create_job(JobSpec(None, ("http://site.com/",), ("s:http|",)))
    web = CurationWeb(n_pages)
    if done < web.n_pages:
        print(f"making {web.n_pages:,} pages, {done:,} are there", flush=True)
        for number, batch in enumerate(islice(_batches(web), done // BATCH_PAGES, None), done // BATCH_PAGES):
            structure.write_batch(batch)
            if number % 500 == 0:
                print(f"  {number * BATCH_PAGES:,} pages", flush=True)
    if not structure.counters().n_in:
        _judge(structure)
    return structure


__all__ = ["MOMENT", "CurationWeb", "ensure_corpus"]
