"""What spiders hand to the pipelines."""

from __future__ import annotations

import attrs

from memory_structure.records import DepthChange, FetchedPage, FoundLink


@attrs.define(slots=True)
class PageItem:
    """A page as crawled: the founding item (url, content, links) with the record that goes to the store.

    `url` is the address asked for, `content` the original bytes (empty when there was no answer or bodies are
    not kept), `links` the page's links merged by (target, kind), the same tuple as `page.links`.
    """

    url: str
    content: bytes
    links: tuple[FoundLink, ...]
    corpus_id: str
    page: FetchedPage


@attrs.define(slots=True)
class DepthItem:
    """A correction: the page is nearer to the start pages of its job than stored."""

    corpus_id: str
    change: DepthChange
