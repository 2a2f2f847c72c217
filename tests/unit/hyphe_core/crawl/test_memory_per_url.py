"""What a queued URL costs: the acceptance is 200 bytes an in-scope URL known."""

from __future__ import annotations

import tracemalloc

from hyphe_core.crawl.frontier import Frontier
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.tickets import Outcome
from memory_structure.records import Area, Fetch, FoundLink, LinkKind
from memory_structure.url_cutter import UrlCutter
from tests.unit.hyphe_core.crawl.simulation import EPOCH, spec_of

N_URLS = 50_000


def test_a_known_url_takes_less_than_200_bytes() -> None:
    frontier = Frontier(lambda: 1.0, utc_now=lambda: EPOCH)
    job = CrawlState("c", 1, spec_of("http://site.example/"), UrlCutter(), agent="a/1")
    frontier.add_job(job)
    ticket = frontier.next_ticket()
    assert ticket is not None
    tracemalloc.start()
    for start in range(0, N_URLS, 500):
        links = tuple(
            FoundLink(
                f"s:http|h:example|h:site|p:2026|p:a-folder|p:article-with-a-name-{i}.html|",
                LinkKind.HYPERLINK,
                1,
                "",
                "",
                Area.MAIN,
                None,
            )
            for i in range(start, start + 500)
        )
        frontier._reach.follow(job, "", Outcome(Fetch(1, EPOCH, status=200), links, expandable=True))
        del links
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert job.n_queued == N_URLS
    assert size / N_URLS < 200
