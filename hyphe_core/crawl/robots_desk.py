"""robots.txt files under way: asked for once a host and agent, redirected, tried again, judged, kept."""

from __future__ import annotations

from collections.abc import Callable

from hyphe_core.crawl.board import HostBoard
from hyphe_core.crawl.hosts import HostSlot, host_key
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.retry import RetryPolicy
from hyphe_core.crawl.robots import MAX_ROBOTS_REDIRECTS, RobotsCache, RobotsKey, RobotsRules, judge_robots
from hyphe_core.crawl.tickets import RobotsErrand, RobotsOutcome


class RobotsDesk:
    """Knows the rules of hosts, or gets them. A file is the first thing asked of a host, under its
    politeness.

    `later(seconds, errand)` must call `send` with the errand after that time.
    """

    def __init__(
        self,
        board: HostBoard,
        retry: RetryPolicy,
        clock: Callable[[], float],
        later: Callable[[float, RobotsErrand], None],
    ) -> None:
        self._board = board
        self._retry = retry
        self._clock = clock
        self._later = later
        self._cache = RobotsCache()
        self._errands: dict[RobotsKey, RobotsErrand] = {}

    def find_rules(self, job: CrawlState, slot: HostSlot, url: str) -> RobotsRules | None:
        """The rules for a page; None while they are being fetched, which this call starts when needed."""
        scheme, _, rest = url.partition("://")
        key = RobotsKey(slot.key, scheme, job.agent)
        rules = self._cache.find(key, self._clock())
        if rules is not None:
            slot.crawl_delay = max(slot.crawl_delay, rules.crawl_delay)
        elif key not in self._errands:
            authority = rest.partition("/")[0].partition("?")[0]
            errand = self._errands[key] = RobotsErrand(key, job, f"{scheme}://{authority}/robots.txt")
            self.send(errand)
        return rules

    def send(self, errand: RobotsErrand) -> None:
        """Queue the request at the host where the file is now."""
        slot = self._board.slot(host_key(errand.url, errand.job.proxy))
        slot.errands.append(errand)
        self._board.schedule(slot)

    def settle(self, errand: RobotsErrand, outcome: RobotsOutcome) -> None:
        """Take an answer: follow its redirect, try again later, or judge it."""
        if outcome.location is not None and errand.hops < MAX_ROBOTS_REDIRECTS:
            errand.hops += 1
            errand.url = outcome.location
            self.send(errand)
            return
        wait = self._retry.find_wait(
            errand.attempt, errand.job.spec.n_retries, outcome.status, outcome.error, outcome.retry_after
        )
        if wait is not None:
            errand.attempt += 1
            self._later(wait, errand)
            return
        self._learn(errand, judge_robots(errand.key.agent, outcome.status, outcome.error, outcome.body))

    def _learn(self, errand: RobotsErrand, rules: RobotsRules) -> None:
        del self._errands[errand.key]
        self._cache.keep(errand.key, rules, self._clock())
        slot = self._board.slot(errand.key.host)
        if rules.crawl_delay > slot.crawl_delay:
            slot.crawl_delay = rules.crawl_delay
            slot.free_at = max(slot.free_at, slot.idle_since + slot.delay_for(errand.job))
        self._board.schedule(slot)
