"""What is kept of the parse of a page beside its fetch, its text and its links."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAJORS = ("notparsed", "success", "failed")


class EntryLink(NamedTuple):
    """A link that an entry has, its address absolute."""

    url: str
    anchor: str = ""
    rel: str = ""


class ParsedEntry(NamedTuple):
    """An entry of a feed or a record of a collection: a parse of its own under its address."""

    url: str
    title: str = ""
    text: str = ""
    language: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    links: tuple[EntryLink, ...] = ()


class PageParse(NamedTuple):
    """The parse of a page's last answer. A named tuple: one is made for each page.

    `major` and `minor` are the numbers of Nutch (1 = success, 2 = failed). `signature` is the MD5 of the
    body, `text_profile` that of the frequent words of its text, both in hexadecimal ("" = not computed).
    `representative` is the one of both URLs of a redirect that the page is known under ("" = no redirect),
    `refresh` the target of a meta refresh and its delay in seconds. `metadata` are (name, value) in order,
    `dropped` numbers of links that were not kept by reason. `score` is what the page had to share among its
    links, None without scoring. `unchanged_since` tells, when the fetch before had the same signature, of
    when the first such fetch is.
    """

    major: int = 1
    minor: int = 0
    message: str = ""
    parser: str = ""
    media_type: str = ""
    signature: str = ""
    text_profile: str = ""
    representative: str = ""
    refresh: tuple[str, float] | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    dropped: tuple[tuple[str, int], ...] = ()
    warnings: tuple[str, ...] = ()
    entries: tuple[ParsedEntry, ...] = ()
    score: float | None = None
    parsed_at: datetime | None = None
    unchanged_since: datetime | None = None

    @property
    def status_word(self) -> str:
        """Major and minor status: `success`, `failed/202`."""
        word = MAJORS[self.major]
        return f"{word}/{self.minor}" if self.minor else word


class PageSignature(NamedTuple):
    """Signatures of a page whose last fetch had a body; see `PageParse`."""

    page_id: int
    signature: str
    text_profile: str


class ParseKeeping(ABC):
    """Reads of parses. They are written with the batch of their page."""

    @abstractmethod
    def find_parse(self, lru: str) -> PageParse | None:
        """The parse of a page's last answer; None when the page is unknown, was not parsed, or was stored
        before parses were."""

    @abstractmethod
    def iter_signatures(self) -> Iterator[PageSignature]:
        """Signatures of all pages that have one, by page id, streamed."""

    @abstractmethod
    def scores(self) -> NDArray[np.float32]:
        """Scores of pages by their id, empty when none were ever kept. A new array."""
