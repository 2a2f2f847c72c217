"""Links that were found out after their page was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memory_structure.batch import Page, gathered_lrus
from memory_structure.lru import range_end
from memory_structure.records import FetchedPage, FoundLink, PageRecord
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.codec import decode_outlinks
from memory_structure.stored.fetches import fetch_of
from memory_structure.stored.indexing import _Indexing
from memory_structure.stored.page_reads import CHUNK
from memory_structure.stored.rule_store import RuleStore
from memory_structure.stored.schema import FETCHES, OUTLINKS, PAGES
from memory_structure.stored.session import Session


class LinkAdditions(RuleStore):
    """Pages of a host, and links added to pages."""

    def iter_pages_under(self, prefix: str) -> Iterator[PageRecord]:
        """Pages at and below a prefix."""
        after: str | None = None
        while True:
            chunk = self._at_one_moment(lambda reader, after=after: self._under(reader, prefix, after))  # type: ignore[misc]
            yield from chunk
            if len(chunk) < CHUNK:
                return
            after = chunk[-1].lru

    def _under(self, reader: Reader, prefix: str, after: str | None) -> list[PageRecord]:
        behind = None if after is None else (after,)
        span = Span("by_lru", lower=prefix, upper=range_end(prefix), after=behind, limit=CHUNK)
        return self._records(reader, list(reader.scan(PAGES, span)))

    def add_links(self, additions: Mapping[str, Sequence[FoundLink]]) -> int:
        """Add links to what was found on pages."""
        with self._writing() as session:
            rows = session.tx.find(PAGES, "by_lru", sorted(additions))
            linking = {row[0]: row for row in rows if row[5] is not None}
            pages, n_added = _with_additions(session, linking, additions)
            if pages:
                session.changed = True
                indexing = _Indexing(session)
                indexing.old_rows = {
                    page.page_id: (linking[page.page_id][4], page.fetch_id) for page in pages
                }
                indexing.index_lrus(gathered_lrus(pages))
                indexing._replace_links(pages)
                indexing.insert_pages({}, {})
            return n_added


def _with_additions(
    session: Session, rows: dict[int, Row], additions: Mapping[str, Sequence[FoundLink]]
) -> tuple[list[Page], int]:
    """The pages that get links, each with all it has then; how many are new."""
    outlinks = {
        row[1]: decode_outlinks(row[3])
        for row in session.tx.get(OUTLINKS, [row[5] for row in rows.values()]).values()
    }
    fetches = session.tx.get(FETCHES, [row[5] for row in rows.values()])
    ids = {i for found in outlinks.values() for i in found.target_ids}
    names = {row[0]: row[1] for row in session.tx.get(PAGES, sorted(ids)).values()}
    pages: list[Page] = []
    n_added = 0
    for page_id, found in sorted(outlinks.items()):
        row = rows[page_id]
        pairs = zip(found.target_ids, found.links, strict=True)
        old = [link._replace(target_lru=names[i]) for i, link in pairs]
        known = {(link.target_lru, link.kind) for link in old}
        fresh = {(a.target_lru, a.kind): a for a in additions[row[1]] if a.target_lru != row[1]}
        new = [link for identity, link in fresh.items() if identity not in known]
        if new:
            fetch = fetch_of(fetches[row[5]])
            page = Page(FetchedPage(row[1], (fetch,), (*old, *new)), (fetch,))
            page.page_id, page.fetch_id = page_id, row[5]
            pages.append(page)
            n_added += len(new)
    return pages, n_added
