"""Which pages come in reach of a job through a link, and at what depth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hyphe_core.crawl.board import HostBoard
from hyphe_core.crawl.job_state import CrawlState, pack_entry
from hyphe_core.crawl.ledger import Ledger
from hyphe_core.crawl.seen import ABSENT, PageState
from hyphe_core.crawl.tickets import Expansion, Outcome
from hyphe_core.crawl.traps import find_trap
from memory_structure.records import FetchError, LinkKind


class Reach:
    """Queues pages found, and lowers what a shorter way reaches.

    Followed are hyperlinks, frames, redirects and refreshes, and entries of feeds where the job says so; a
    redirect and an immediate refresh keep the depth of their page. A page done whose depth is lowered has its
    stored links expanded again (`CrawlState.expand`). In a job ordered by score a page shares its score among
    its links first.
    """

    __slots__ = ("_board", "_ledger")

    def __init__(self, board: HostBoard, ledger: Ledger) -> None:
        self._board = board
        self._ledger = ledger

    def begin(self, job: CrawlState) -> None:
        """Queue the start pages a job does not know yet."""
        for lru, raw in job.iter_start_pages():
            self._discover(job, lru, 0, raw)

    def follow(self, job: CrawlState, lru: str, outcome: Outcome) -> None:
        """Take the links of a page just fetched."""
        if job.scores is not None:
            self._share(
                job, lru, [(link[0], link[6]) for link in outcome.links if link[1] <= LinkKind.REFRESH]
            )
        depth, redirect = outcome.fetch.depth, outcome.fetch.redirect_lru
        deeper = depth < job.max_depth
        known = job.seen.get
        for target, kind, _, _, _, _, raw in outcome.links:
            if kind > LinkKind.REFRESH and not (kind == LinkKind.FEED and job.spec.follow_feeds):
                continue
            if target == redirect and kind >= LinkKind.REDIRECT:
                self._discover(job, target, depth, raw)
                job.note_exit(target, depth)
            elif deeper and not 0 <= known(target) >> 2 <= depth + 1:  # most are known, and no farther away
                self._discover(job, target, depth + 1, raw)

    def expand(self, job: CrawlState, found: Iterable[tuple[str, Sequence[Expansion]]]) -> None:
        """Take the stored links of pages done, by today's depths of those pages."""
        for lru, links in found:
            depth = job.depth_of(lru)
            if job.scores is not None:
                self._share(job, lru, [(target, raw) for target, raw, _ in links])
            for target, raw, same_depth in links:
                if same_depth:
                    self._discover(job, target, depth, raw)
                elif depth < job.max_depth:
                    self._discover(job, target, depth + 1, raw)

    def _share(self, job: CrawlState, lru: str, links: Sequence[tuple[str, str | None]]) -> None:
        """Give the score of a page to its links; waiting pages that gain much come earlier."""
        assert job.scores is not None
        raised = set(job.scores.share(lru, [target for target, _ in links]))
        for target, raw in links:
            if target in raised:
                raised.discard(target)
                value = job.seen.get(target)
                if value != ABSENT and value & 3 == PageState.QUEUED:
                    self._push(job, target, value >> 2, raw)

    def _discover(self, job: CrawlState, lru: str, depth: int, raw: str | None) -> None:
        """A way to a page: queue the page when it is new and in scope, lower it when it is nearer than
        known."""
        value = job.seen.get(lru)
        if value != ABSENT:
            if depth < value >> 2:
                self._lower(job, lru, depth, raw, PageState(value & 3))
            return
        if not job.scope.follows(lru):
            return
        trap = find_trap(lru)
        if trap is not None:
            job.n_traps += 1
            self._ledger.refuse(job, lru, depth, FetchError.TRAP, trap)
            return
        job.seen.put(lru, depth, PageState.QUEUED)
        self._push(job, lru, depth, raw)

    def _push(self, job: CrawlState, lru: str, depth: int, raw: str | None) -> None:
        key = job.host_of(lru)
        queue = job.queues.get(key)
        is_new = queue is None
        if queue is None:
            queue = job.queues[key] = job.new_queue()
        queue.push(depth, pack_entry(lru, raw))
        job.n_queued += 1
        if is_new:
            self._board.attach(job, key)

    def _lower(self, job: CrawlState, lru: str, depth: int, raw: str | None, state: PageState) -> None:
        job.seen.put(lru, depth, state)
        if state is PageState.QUEUED:
            self._push(job, lru, depth, raw)
        elif state is not PageState.IN_FLIGHT:
            self._ledger.lower(job, lru, depth)
            if state is PageState.OPEN:
                job.expand.append(lru)
