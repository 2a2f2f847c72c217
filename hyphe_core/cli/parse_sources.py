"""Documents given to `hyphe parse`: files, addresses, standard input, pages of a corpus. Never more is read
than a crawl would read."""

from __future__ import annotations

import asyncio
import mimetypes
import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import quote

from hyphe_core.config import Config
from hyphe_core.crawl.robots import agent_token
from hyphe_core.errors import UsageFault
from hyphe_core.parsers.base import Document
from hyphe_core.parsers.inspection import TypeSource
from hyphe_core.parsers.sniff import HTML, OCTET_STREAM, sniff
from memory_structure.registry import Registry
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import clean_user_url

if TYPE_CHECKING:
    from hyphe_core.crawl.single_fetch import DocumentFetcher, FetchedDocument

STANDARD_INPUT: Final = "-"
_WEB: Final = ("http://", "https://")
# What bytes alone leave open: a feed without declaration looks like text, an article like a part of a page.
_UNSURE: Final = frozenset({"text/plain", OCTET_STREAM, HTML})
_MORE_TYPES: Final = {".rss": "application/rss+xml", ".atom": "application/atom+xml", ".opml": "text/x-opml"}


@dataclass(frozen=True, slots=True)
class Found:
    """A document, who says its type, and what else is worth telling of how it came ("" = nothing).
    `is_cut`: there was more than may be read."""

    document: Document
    type_source: TypeSource
    note: str = ""
    is_cut: bool = False


class Sources:
    """Reads what was given, each when its turn comes. `media_type` and `url` are those that the command line
    says ("" = none). Used as a context: ends connections."""

    def __init__(self, config: Config, media_type: str, url: str) -> None:
        self._config = config
        self._media_type = media_type
        self._url = url
        self._n_named = Counter[str]()
        self._agent = agent_token(config.user_agent)
        self._ending = ExitStack()
        self._runner: asyncio.Runner | None = None
        self._fetcher: DocumentFetcher | None = None

    def __enter__(self) -> Sources:
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    def read(self, given: str) -> Found:
        """The document of a path, an address or "-". Raises UsageFault, BadUrl, WebFault in words."""
        if given == STANDARD_INPUT:
            return self._read_stream(sys.stdin.buffer, "stdin")
        if given.lower().startswith(_WEB):
            return self._fetch(given)
        try:
            with Path(given).open("rb") as stream:
                return self._read_stream(stream, Path(given).name)
        except (OSError, ValueError) as error:
            words = (getattr(error, "strerror", None) or str(error)).lower()
            raise UsageFault(
                f"{given[:300]!r} cannot be read: {words} (addresses begin with http:// or https://)"
            ) from None

    def read_stored(self, registry: Registry, corpus: str, given: str) -> Found:
        """The stored body of a page. Raises UsageFault, BadUrl, NotFound."""
        from hyphe_core.crawl.stored_pages import get_stored_document

        entry = registry.get_corpus(corpus)
        policy = registry.open_structure(entry.corpus_id).options().url_policy
        lru = cutter_for(policy).lru(clean_user_url(given, policy))
        stored = get_stored_document(registry, entry.corpus_id, lru)
        return Found(
            self._document(self._url or stored.url, stored.body, stored.content_type),
            TypeSource.GIVEN if self._media_type else TypeSource.STORED,
        )

    def _read_stream(self, stream: BinaryIO, name: str) -> Found:
        limit = self._config.max_body_bytes
        body = stream.read(limit + 1)
        found = _find_type(name, body)
        source = TypeSource.GIVEN if self._media_type else TypeSource.SUFFIX
        url = self._url or self._file_address(name)
        return Found(self._document(url, body[:limit], found), source, is_cut=len(body) > limit)

    def _file_address(self, name: str) -> str:
        """An address for each file, also for those of one name from several folders."""
        self._n_named[name] += 1
        n_named = self._n_named[name]
        return f"file:///{quote(name)}" if n_named == 1 else f"file:///{n_named}/{quote(name)}"

    def _fetch(self, given: str) -> Found:
        fetched = self._fetched(given)
        source = TypeSource.GIVEN if self._media_type else TypeSource.HEADER
        notes = [f"redirected from {url}" for url in fetched.trail]
        if fetched.status != 200:
            notes.append(f"status {fetched.status}")
        url = self._url or fetched.url
        document = self._document(url, fetched.body, fetched.content_type, fetched.headers)
        return Found(document, source, "; ".join(notes))

    def _fetched(self, given: str) -> FetchedDocument:
        from hyphe_core.crawl.single_fetch import DocumentFetcher, spec_of_visit

        if self._runner is None or self._fetcher is None:
            self._runner = self._ending.enter_context(asyncio.Runner())
            fetcher = DocumentFetcher(spec_of_visit(self._config), self._config.max_crawl_delay_seconds)
            self._fetcher = self._runner.run(fetcher.__aenter__())
            self._ending.callback(self._runner.run, fetcher.__aexit__(None, None, None))
        return self._runner.run(self._fetcher.fetch(given))

    def _document(
        self, url: str, body: bytes, content_type: str | None, headers: tuple[tuple[str, str], ...] = ()
    ) -> Document:
        return Document(url, body, self._media_type or content_type, headers, self._agent)


def _find_type(name: str, body: bytes) -> str | None:
    """The media type that the suffix of a name stands for, where bytes leave it open; the table is the
    program's own, not that of the machine."""
    if sniff(body) not in _UNSURE:
        return None
    suffix = Path(name).suffix.lower()
    return _MORE_TYPES.get(suffix) or mimetypes.MimeTypes().guess_type(f"a{suffix}")[0]
