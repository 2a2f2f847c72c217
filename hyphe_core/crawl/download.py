"""The download handler: one request at a time that can be ended, within a time limit over the whole.

Requests go through aiohttp, which is quick. What it cannot send or read (its parser takes no header line that
is none, for one) goes again through the tolerant client, and so does all else of that server from then on.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError

from hyphe_core.crawl.answers import AnsweredResponse
from hyphe_core.crawl.client import CrawlClient, OddExchange
from hyphe_core.crawl.tickets import Ticket
from hyphe_core.crawl.tolerant_download import TolerantClient
from hyphe_core.errors import AddressRefused

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.web.http_headers import Headers

    from hyphe_core.crawl.page_work import Answer

_MAX_ODD_SERVERS: Final = 10_000


class JobDownloadHandler:
    """Downloads for tickets (`request.meta["ticket"]`), with the proxy, limits and permissions of their
    jobs."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        self._tolerant = TolerantClient(crawler)
        self._client: CrawlClient | None = None
        self._odd_servers: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> JobDownloadHandler:
        """Made by Scrapy."""
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        """The answer, whatever its status and even when cut or too large; an exception when there was
        none."""
        ticket: Ticket = request.meta["ticket"]
        if ticket.cancelled:
            raise DownloadCancelledError("the job ended")
        task = ticket.task = asyncio.current_task()
        seconds = ticket.job.spec.timeout_seconds
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                return AnsweredResponse(request.url, await self._fetch(request, ticket))
        except asyncio.CancelledError:
            # Scrapy's downloader knows no CancelledError (a BaseException): it would lose the request for
            # ever.
            if task is not None:
                task.uncancel()
            raise DownloadCancelledError("the job ended") from None
        except TimeoutError as error:
            if limit.expired():
                raise DownloadTimeoutError(f"no whole answer within {seconds:g} seconds") from None
            raise error
        except Exception as error:
            if ticket.refused_address:
                raise AddressRefused(f"{ticket.refused_address} is not a public address") from error
            raise
        finally:
            ticket.task = None

    async def _fetch(self, request: Request, ticket: Ticket) -> Answer:
        headers: Headers = request.meta["tx_headers"]
        if not self._odd_servers or _server_of(ticket) not in self._odd_servers:
            if self._client is None:
                self._client = CrawlClient()
            try:
                return await self._client.fetch(ticket, headers)
            except OddExchange:
                self._note_odd_server(ticket)
        return await self._tolerant.fetch(request, ticket, headers)

    def _note_odd_server(self, ticket: Ticket) -> None:
        if len(self._odd_servers) >= _MAX_ODD_SERVERS:
            self._odd_servers.clear()
        self._odd_servers.add(_server_of(ticket))

    async def close(self) -> None:
        """Close the connections kept open."""
        if self._client is not None:
            await self._client.close()
        await self._tolerant.close()


def _server_of(ticket: Ticket) -> str:
    return urlsplit(ticket.url).netloc
