"""How a crawl is shown: live on a terminal, lines elsewhere, a table and a JSON document at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.text import Text

from hyphe_core.cli.crawl_plan import CrawlPlan
from hyphe_core.cli.crawl_watch import CrawlView, JobView
from hyphe_core.cli.terminal import Listing, drawn, error_console, say
from hyphe_core.clock import iso_text
from memory_structure.records import JobState

Show = Callable[[CrawlView], None]

_LINE_EVERY_SECONDS = 5.0
_JOBS_FIRST = (JobState.RUNNING, JobState.PENDING, JobState.PAUSED)


def headline(view: CrawlView) -> str:
    """A crawl on one line."""
    eta = "unknown" if view.eta_seconds is None else f"at most {duration_words(view.eta_seconds)}"
    return (
        f"{view.corpus}: {duration_words(view.seconds)}, {view.n_pages} pages, {view.rate:.1f}/s, "
        f"queue {view.n_queued}, {view.n_over} of {len(view.jobs)} jobs over, ETA {eta}"
    )


def last_line(view: CrawlView) -> str:
    """A crawl that is no longer watched, on one line; the rate is that of the whole time."""
    rate = view.n_pages / view.seconds if view.seconds > 0 else 0.0
    return (
        f"{view.corpus}: {view.n_pages} pages in {duration_words(view.seconds)} ({rate:.1f}/s), "
        f"{view.n_over} of {len(view.jobs)} jobs over"
    )


def duration_words(seconds: float) -> str:
    """Whole seconds as 42 s, 3:05 or 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}" if minutes else f"{rest} s"


@contextmanager
def shown_progress(quiet: bool) -> Iterator[Show]:
    """A function that shows a view: on a terminal one picture redrawn, elsewhere a line every few seconds."""
    console = error_console()
    if quiet:
        yield lambda _view: None
    elif console.is_terminal:
        with Live(console=console, refresh_per_second=4, transient=True) as live:
            yield lambda view: live.update(_picture(view, console))
    else:
        yield _LinePrinter().show


class _LinePrinter:
    """Prints the headline now and then."""

    def __init__(self) -> None:
        self._next_at = _LINE_EVERY_SECONDS

    def show(self, view: CrawlView) -> None:
        """Print when it is time."""
        if view.seconds >= self._next_at:
            self._next_at = view.seconds + _LINE_EVERY_SECONDS
            say(headline(view))


def _picture(view: CrawlView, console: Console) -> Group:
    shown = sorted(view.jobs, key=_importance)[: max(3, console.height - 7)]
    rows = [_progress_row(each) for each in shown]
    listing = Listing(
        ("web entity", "state", "pages", "queue", "errors", "links"), rows, frozenset({2, 3, 4, 5})
    )
    known = view.n_pages + view.n_queued
    bar = ProgressBar(total=max(known, 1), completed=view.n_pages, width=min(console.width, 60))
    return Group(Text(headline(view)), Padding(bar, 0), drawn(listing))


def _importance(view: JobView) -> tuple[int, int]:
    state = view.job.state
    place = _JOBS_FIRST.index(state) if state in _JOBS_FIRST else len(_JOBS_FIRST)
    return place, -view.job.counters.n_pages


def _progress_row(view: JobView) -> tuple[str, ...]:
    counters = view.job.counters
    queue = "" if view.is_over else str(view.n_queued)
    return (
        view.name, view.job.state.value, str(counters.n_pages), queue, str(counters.n_errors),
        str(counters.n_links),
    )  # fmt: skip


def final_listing(view: CrawlView) -> Listing:
    """One row for each job, in the order they were launched."""
    rows = [
        (
            each.name,
            each.job.state.value,
            str(each.job.counters.n_pages),
            str(each.job.counters.n_errors),
            str(each.job.counters.n_links),
            str(each.job.counters.max_depth_reached),
            each.job.reason,
        )
        for each in view.jobs
    ]
    return Listing(
        ("web entity", "status", "pages", "errors", "links", "depth", "reason"), rows, frozenset({2, 3, 4, 5})
    )


def final_document(plan: CrawlPlan, view: CrawlView, *, interrupted: bool) -> dict[str, object]:
    """The crawl for machines."""
    return {
        "corpus": plan.entry.name,
        "corpus_id": plan.entry.corpus_id,
        "interrupted": interrupted,
        "seconds": round(view.seconds, 3),
        "n_pages": view.n_pages,
        "jobs": [_job_document(each) for each in view.jobs],
        "skipped": [bad._asdict() for bad in plan.skipped],
        "notes": list(plan.notes),
    }


def _job_document(view: JobView) -> dict[str, object]:
    job, counters = view.job, view.job.counters
    return {
        "job_id": job.job_id,
        "web_entity_id": job.spec.web_entity_id,
        "web_entity": view.name,
        "start_urls": list(job.spec.start_urls),
        "max_depth": job.spec.max_depth,
        "state": job.state.value,
        "end": job.end.value,
        "reason": job.reason,
        "n_pages": counters.n_pages,
        "n_answers": counters.n_answers,
        "n_200": counters.n_200,
        "n_3xx": counters.n_3xx,
        "n_errors": counters.n_errors,
        "n_robots": counters.n_robots,
        "n_links": counters.n_links,
        "n_bytes": counters.n_bytes,
        "max_depth_reached": counters.max_depth_reached,
        "active_seconds": round(job.active_seconds, 3),
        "started_at": iso_text(job.started_at) if job.started_at else None,
        "ended_at": iso_text(job.ended_at) if job.ended_at else None,
    }
