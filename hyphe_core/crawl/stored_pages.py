"""Pages as a corpus stored them: documents that can be parsed again, and the parses kept of them."""

from __future__ import annotations

from dataclasses import dataclass

from hyphe_core.errors import UsageFault
from hyphe_core.parsers.base import Document
from memory_structure.errors import NotFound
from memory_structure.lru import lru_to_url
from memory_structure.parses import PageParse
from memory_structure.records import Fetch, LinkRecord, PageRecord
from memory_structure.registry import Registry
from memory_structure.structure import MemoryStructure


def get_stored_document(registry: Registry, corpus_id: str, lru: str) -> Document:
    """The body of a page as it was fetched last, with the type that its server gave it. Raises UsageFault in
    words when there is none."""
    page = registry.open_structure(corpus_id).find_page(lru)
    url = lru_to_url(lru)
    if page is None:
        raise UsageFault(f"{url} is no page of this corpus")
    fetch = page.fetch
    if fetch is None:
        raise UsageFault(f"{url} was never fetched by this corpus")
    if fetch.digest is None:
        reason = fetch.error.value if fetch.error is not None else f"status {fetch.status}"
        raise UsageFault(f"{url}: no body is stored ({reason}, or the corpus keeps none)")
    try:
        body = registry.open_blobs(corpus_id).get(fetch.digest)
    except NotFound:
        raise UsageFault(f"{url}: its body is not stored any more") from None
    return Document(page.raw_url or page.url, body, fetch.content_type or None)


@dataclass(frozen=True, slots=True)
class StoredParse:
    """What is stored of the parse of a page, with its links."""

    page: PageRecord
    fetch: Fetch
    parse: PageParse
    text: str
    links: tuple[LinkRecord, ...]


def get_stored_parse(structure: MemoryStructure, lru: str) -> StoredParse:
    """The parse of a page as it was stored with its last fetch. Raises UsageFault in words when there is
    none."""
    page = structure.find_page(lru)
    parse = structure.find_parse(lru)
    if page is None:
        raise UsageFault(f"{lru_to_url(lru)} is no page of this corpus")
    if page.fetch is None or parse is None:
        raise UsageFault(f"{lru_to_url(lru)}: no parse is stored of this page")
    text = structure.find_text(lru) or ""
    return StoredParse(page, page.fetch, parse, text, tuple(structure.list_outlinks(lru)))
