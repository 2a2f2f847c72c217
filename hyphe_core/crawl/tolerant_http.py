"""HTTP/1.1 answers read as browsers read them: a header line that is none is passed over, the rest counts."""

from __future__ import annotations

from typing import Any

from scrapy.core.downloader.handlers.http11 import _LenientHTTPClientParser
from twisted.internet.interfaces import IAddress
from twisted.web._newclient import HTTP11ClientProtocol
from twisted.web.client import _HTTP11ClientFactory
from twisted.web.http_headers import InvalidHeaderName


class TolerantParser(_LenientHTTPClientParser):
    """Beyond Scrapy's parser, which passes over lines without colon: also over names that are none."""

    def headerReceived(self, name: bytes, value: bytes) -> None:  # noqa: N802
        """Keep a header, unless its name is none."""
        try:
            super().headerReceived(name, value)  # type: ignore[no-untyped-call]
        except InvalidHeaderName:
            pass


class TolerantProtocol(HTTP11ClientProtocol):
    """A connection whose answers are read by the tolerant parser."""

    def request(self, request: Any) -> Any:
        """Send a request. The parser's class is replaced: Twisted names its own in the middle of this
        method."""
        answered = super().request(request)
        if self._parser is not None:
            self._parser.__class__ = TolerantParser
        return answered


class TolerantFactory(_HTTP11ClientFactory):
    """Makes such connections for the pool."""

    noisy = False

    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:  # noqa: N802
        """A connection."""
        return TolerantProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]
