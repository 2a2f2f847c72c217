"""What takes the place of Scrapy's scheduler and log lines: the frontier has decided already, and records
say it all."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from scrapy.core.scheduler import BaseScheduler
from scrapy.logformatter import LogFormatter

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class FifoScheduler(BaseScheduler):
    """Hands requests on in their order. Never holds more than the frontier lets out at once."""

    def __init__(self) -> None:
        self._waiting: deque[Request] = deque()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FifoScheduler:
        """Made by Scrapy."""
        return cls()

    def has_pending_requests(self) -> bool:
        """Whether any request waits."""
        return bool(self._waiting)

    def enqueue_request(self, request: Request) -> bool:
        """Take a request; none is refused."""
        self._waiting.append(request)
        return True

    def next_request(self) -> Request | None:
        """The request that came first."""
        return self._waiting.popleft() if self._waiting else None


class SilentFormatter(LogFormatter):
    """Writes no line per page: every attempt is a record in the store."""

    def crawled(self, *args: Any, **kwargs: Any) -> Any:
        """No line."""
        return None

    def scraped(self, *args: Any, **kwargs: Any) -> Any:
        """No line."""
        return None

    def dropped(self, *args: Any, **kwargs: Any) -> Any:
        """No line."""
        return None
