"""Watching jobs of a real store whose progress the test writes."""

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from hyphe_core.cli.crawl_plan import CrawlPlan
from hyphe_core.cli.crawl_report import (
    duration_words,
    final_document,
    final_listing,
    headline,
    last_line,
    shown_progress,
)
from hyphe_core.cli.crawl_watch import CrawlWatch, wait_for_end
from hyphe_core.cli.terminal import drawn, plain_lines
from memory_structure.corpus_records import CorpusOptions
from memory_structure.errors import StoreUnreachable
from memory_structure.opening import open_registry
from memory_structure.records import (
    Area,
    Batch,
    EndReason,
    Fetch,
    FetchedPage,
    FoundLink,
    JobSpec,
    JobState,
    LinkKind,
)


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def crawl(tmp_path):
    registry = open_registry(tmp_path)
    registry.create_corpus("c", CorpusOptions())
    crawl = Crawl(registry)
    yield crawl
    registry.close()


class Crawl:
    """A corpus with one entity, and a job on it that the test drives."""

    def __init__(self, registry):
        self.registry = registry
        self.structure = registry.open_structure("c")
        self.clock = Clock()
        ((page, _),) = self.structure.declare_pages(["s:http|h:com|h:a|"])
        self.job = self.structure.create_job(JobSpec(page.web_entity_id, ("http://a.com",), (page.lru,)))
        self.watch = CrawlWatch(self.structure, "c", [self.job.job_id], self.clock)
        self.structure.move_job(self.job.job_id, JobState.RUNNING)

    def store(self, *paths, links=()):
        found = tuple(
            FoundLink(f"s:http|h:com|h:a|p:{p}|", LinkKind.HYPERLINK, 1, "", "", Area.MAIN, None)
            for p in links
        )
        fetch = Fetch(self.job.job_id, datetime(2026, 1, 1, tzinfo=UTC), status=200, n_links=len(found))
        pages = tuple(FetchedPage(f"s:http|h:com|h:a|p:{path}|", (fetch,), found) for path in paths)
        self.structure.write_batch(Batch(pages))

    def end(self, state=JobState.FINISHED, reason="everything in reach was fetched"):
        self.structure.move_job(self.job.job_id, state, end=EndReason.COMPLETE, reason=reason)


def test_pages_rate_queue_and_eta_are_read_from_the_store(crawl):
    first = crawl.watch.look()
    assert (first.n_pages, first.n_queued, first.rate, first.eta_seconds) == (0, 1, 0.0, None)
    crawl.store("x", "y", links=["z1", "z2", "z3"])
    crawl.clock.now += 4
    view = crawl.watch.look()
    assert (view.seconds, view.n_pages, view.n_queued, view.rate, view.eta_seconds) == (4.0, 2, 4, 0.5, 8.0)
    assert not view.is_over
    crawl.end()
    view = crawl.watch.look()
    assert view.is_over
    assert view.n_queued == 0


def test_the_rate_forgets_what_is_long_ago(crawl):
    crawl.watch.look()
    crawl.store("x")
    crawl.clock.now += 1
    assert crawl.watch.look().rate == 1.0
    crawl.clock.now += 100
    assert crawl.watch.look().rate == 0.0


def test_an_entity_that_is_merged_away_meanwhile_does_not_end_the_watch(crawl):
    crawl.structure.declare_pages(["s:http|h:com|h:b|"])
    other = crawl.structure.create_job(JobSpec(2, ("http://b.com",), ("s:http|h:com|h:b|",)))
    watch = CrawlWatch(crawl.structure, "c", [crawl.job.job_id, other.job_id], crawl.clock)
    crawl.structure.delete_web_entity(2)
    jobs = watch.look().jobs
    assert (len(jobs), jobs[0].name) == (2, "A.com")


def test_waiting_ends_when_every_job_is_over_and_shows_each_view(crawl):
    views = []

    def sleep(seconds):
        crawl.clock.sleep(seconds)
        crawl.end()

    last = wait_for_end(crawl.watch, views.append, no_word, lambda: None, sleep)
    assert [view.is_over for view in views] == [False, True]
    assert last is views[-1]


def no_word(line):
    raise AssertionError(line)


def test_a_paused_job_is_not_waited_for(crawl):
    crawl.end(JobState.PAUSED, "paused")
    assert wait_for_end(crawl.watch, lambda view: None, no_word, lambda: None).is_over


def test_a_store_that_does_not_answer_is_told_once_and_waited_for(crawl):
    told, n_looks = [], 0
    look = crawl.watch.look

    def failing_look():
        nonlocal n_looks
        n_looks += 1
        if n_looks < 4:
            raise StoreUnreachable("it is away")
        crawl.end()
        return look()

    crawl.watch.look = failing_look
    assert wait_for_end(crawl.watch, lambda view: None, told.append, lambda: None, lambda s: None).is_over
    assert told == ["waiting for the store: it is away"]


def test_a_crawl_is_shown_in_words_table_and_document(crawl):
    crawl.store("x", links=["z"])
    crawl.clock.now += 2
    assert headline(crawl.watch.look()) == "c: 2 s, 1 pages, 0.0/s, queue 2, 0 of 1 jobs over, ETA unknown"
    crawl.end(reason="all [bold]done[/bold]")
    view = crawl.watch.look()
    assert last_line(view) == "c: 1 pages in 2 s (0.5/s), 1 of 1 jobs over"
    heading, row = plain_lines(final_listing(view))
    assert heading.split() == ["web", "entity", "status", "pages", "errors", "links", "depth", "reason"]
    assert row.split()[:5] == ["A.com", "finished", "1", "0", "1"]
    assert row.endswith("all [bold]done[/bold]")
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(drawn(final_listing(view)))
    assert "all [bold]done[/bold]" in console.export_text()
    plan = CrawlPlan(crawl.registry.get_corpus("c"), (crawl.job.job_id,), (), ())
    document = final_document(plan, view, interrupted=False)
    assert document["jobs"][0]["state"] == "finished"
    assert document["jobs"][0]["n_pages"] == document["n_pages"] == 1


def test_without_a_terminal_progress_is_a_line_now_and_then(crawl, capsys):
    with shown_progress(quiet=False) as show:
        for _ in range(12):
            show(crawl.watch.look())
            crawl.clock.now += 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 2


def test_quiet_progress_says_nothing(crawl, capsys):
    crawl.clock.now += 100
    with shown_progress(quiet=True) as show:
        show(crawl.watch.look())
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (59.9, "59 s"), (61, "1:01"), (3725, "1:02:05")])
def test_durations_in_words(seconds, words):
    assert duration_words(seconds) == words
