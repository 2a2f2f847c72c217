"""From an answer to what is stored of it: one pass over the body, no network, no store.

Decisions: links are stored of every answer that has some and followed from (X)HTML answers of status 200
alone (and to the target of a redirect); a page that asks not to be followed keeps its links, which are then
not followed while robots are obeyed; feeds and sitemaps are followed where a job says so; a parser that
breaks leaves a record.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

from hyphe_core.crawl.decoding import BodyOverLimit, UndecodableBody, decode_body
from hyphe_core.crawl.kept_pages import KeptPage, kept_parse, leads_to_entries
from hyphe_core.crawl.link_targets import LinkTargets
from hyphe_core.crawl.parse_work import ParseWork
from hyphe_core.crawl.retry import parse_retry_after
from hyphe_core.crawl.tickets import Outcome, Ticket
from hyphe_core.parsers.base import Document, Link, ParseMajor, ParseMinor, ParseResult
from hyphe_core.parsers.links import MergedLinks, merge_links
from hyphe_core.parsers.registry import ParserRegistry
from hyphe_core.parsers.representative import choose_representative
from hyphe_core.parsers.sniff import HTML, XHTML, media_type_of
from hyphe_core.parsers.statuses import TRUNCATED
from memory_structure.lru import BadUrl, join_url, lru_to_url
from memory_structure.parses import PageParse
from memory_structure.records import Area, Fetch, FetchError, FoundLink, LinkKind

REDIRECT_STATUSES: Final = frozenset({301, 302, 303, 307, 308})
_TEMPORARY_STATUSES: Final = frozenset({302, 303, 307})
READ_HEADERS: Final = ("x-robots-tag", "content-language", "link")
_MAX_HEADER_CHARACTERS: Final = 300


@dataclass(slots=True)
class Answer:
    """An HTTP answer without the network library. Header names are lower-case; `body` as received.

    `error` is set when the answer is not whole: TRUNCATED, TOO_LARGE.
    """

    status: int
    headers: dict[str, list[str]]
    body: bytes
    error: FetchError | None = None
    error_detail: str = ""

    def header(self, name: str) -> str:
        """The first value of a header, "" when absent."""
        values = self.headers.get(name)
        return values[0] if values else ""


@dataclass(frozen=True, slots=True)
class Keeping:
    """What a corpus keeps of a page. `targets`: how links through redirectors get a second link to where they
    lead; None when the corpus does not want that."""

    bodies: bool = True
    text: bool = True
    targets: LinkTargets | None = None
    work: ParseWork = ParseWork()  # noqa: RUF009  a frozen value


class Reading:
    """A page while it is read. `document` is what is to be parsed, None when nothing is.

    `parse` may run in another thread; all else belongs to the event loop.
    """

    __slots__ = (
        "answer",
        "body",
        "document",
        "error",
        "error_detail",
        "expandable",
        "follow",
        "keeping",
        "links",
        "media_type",
        "merged",
        "n_dropped",
        "parse_record",
        "parsers",
        "redirect_lru",
        "result",
        "ticket",
    )

    def __init__(self, ticket: Ticket, answer: Answer, keeping: Keeping, parsers: ParserRegistry) -> None:
        self.ticket, self.answer, self.keeping, self.parsers = ticket, answer, keeping, parsers
        self.body = answer.body
        self.error, self.error_detail = answer.error, answer.error_detail
        self.document: Document | None = None
        self.media_type = ""
        self.expandable = False
        self.follow = True
        self.links: tuple[FoundLink, ...] = ()
        self.merged: MergedLinks | None = None
        self.n_dropped = 0
        self.redirect_lru: str | None = None
        self.result: ParseResult | None = None
        self.parse_record: PageParse | None = None

    @property
    def needs_child(self) -> bool:
        """Whether its parser runs in a child process, so that one waits for it elsewhere."""
        if self.document is None or self.media_type == HTML:
            return False
        return self.parsers.list_candidates(self.document)[0].parser.waits

    def parse(self) -> None:
        """Parse the document. Never raises for what it holds."""
        assert self.document is not None
        self.result = self.parsers.parse(self.document, self.keeping.work.profile)

    def fail(self, error: FetchError, detail: str) -> None:
        """Say why there is no more of the page."""
        self.error, self.error_detail = error, detail[:500]


class PageReader:
    """Reads answers of one worker. `agent_token` is the name by which robots directives may speak to us."""

    def __init__(self, parsers: ParserRegistry, agent_token: str) -> None:
        self._parsers = parsers
        self._agent_token = agent_token

    def read(self, ticket: Ticket, answer: Answer, keeping: Keeping, now: datetime) -> Outcome:
        """The outcome of an attempt that was answered. Never raises for what the web sent."""
        reading = self.open(ticket, answer, keeping)
        if reading.document is not None:
            reading.parse()
        return self.close(reading, now)

    def open(self, ticket: Ticket, answer: Answer, keeping: Keeping) -> Reading:
        """Look at an answer up to its parsing. What is parsed is to be parsed next, then closed."""
        reading = Reading(ticket, answer, keeping, keeping.work.parsers or self._parsers)
        reading.body = self._decode(reading)
        if answer.status in REDIRECT_STATUSES:
            _read_redirect(reading)
        elif reading.error is None and reading.body:
            self._prepare(reading)
        elif reading.error is not None:
            reading.parse_record = PageParse(*TRUNCATED)
        return reading

    def close(self, reading: Reading, now: datetime) -> Outcome:
        """The outcome of a page that was opened, and parsed if it is to be."""
        keeping, answer = reading.keeping, reading.answer
        if reading.result is not None:
            _take_result(reading, reading.result)
            if keeping.targets is not None and reading.links:
                reading.links = tuple(keeping.targets.with_targets(reading.ticket.lru, reading.links))
        keep_body = keeping.bodies and bool(reading.body)
        reading.follow = reading.follow and reading.error is None
        return Outcome(
            _fetch_of(reading, now, keep=keep_body),
            reading.links,
            reading.result.text if reading.result is not None and keeping.text else "",
            reading.body if keep_body else b"",
            reading.expandable,
            parse_retry_after(answer.header("retry-after"), now) if "retry-after" in answer.headers else None,
            reading.parse_record,
        )

    def _decode(self, reading: Reading) -> bytes:
        answer = reading.answer
        encodings = answer.headers.get("content-encoding")
        if not encodings or not answer.body or answer.error is not None:
            return answer.body
        try:
            return decode_body(answer.body, encodings, reading.ticket.job.spec.max_body_bytes)
        except BodyOverLimit as error:
            reading.fail(FetchError.TOO_LARGE, str(error))
            return b""
        except UndecodableBody as error:
            reading.fail(FetchError.BAD_ENCODING, str(error))
            return answer.body

    def _prepare(self, reading: Reading) -> None:
        answer = reading.answer
        headers = tuple((name, value) for name in READ_HEADERS for value in answer.headers.get(name, ()))
        content_type = answer.header("content-type") or None
        reading.media_type = media_type_of(content_type, reading.body)
        reading.document = Document(
            reading.ticket.url, reading.body, content_type, headers, self._agent_token
        )


def _read_redirect(reading: Reading) -> None:
    ticket, answer = reading.ticket, reading.answer
    location = answer.header("location").strip()
    if not location:
        reading.fail(FetchError.BAD_ANSWER, "redirect without Location")
        return
    target = join_url(ticket.url, location).partition("#")[0]
    try:
        lru = ticket.job.cutter.lru(target)
    except BadUrl as error:
        reading.fail(FetchError.BAD_ANSWER, f"redirect to no web address: {error.reason}")
        return
    reading.error, reading.error_detail = None, ""
    reading.redirect_lru = lru
    reading.expandable = True
    temporary = answer.status in _TEMPORARY_STATUSES
    representative = choose_representative(ticket.url, target, temporary=temporary)
    reading.parse_record = PageParse(
        ParseMajor.NOTPARSED.value, ParseMinor.REDIRECT.value, representative=representative
    )
    if lru == ticket.lru:
        reading.merged = MergedLinks((), 1)
    else:
        raw = None if target == lru_to_url(lru) else target
        reading.links = (FoundLink(lru, LinkKind.REDIRECT, 1, "", "", Area.MAIN, raw),)


def _take_result(reading: Reading, result: ParseResult) -> None:
    """What is kept of a parse. A page must not end a crawl, whatever breaks on it."""
    assert reading.document is not None
    if result.status.minor is ParseMinor.EXCEPTION:
        reading.fail(FetchError.PARSER, result.status.message)
    try:
        kept = kept_parse(reading.keeping.work, reading.document, result)
        reading.parse_record = kept.record
        reading.n_dropped = sum(n for _, n in kept.record.dropped)
        if reading.error is None:
            _take_links(reading, result, kept)
    except Exception as error:
        reading.links, reading.redirect_lru, reading.expandable, reading.merged = (), None, False, None
        reading.fail(FetchError.PARSER, f"{type(error).__name__}: {error}")


def _take_links(reading: Reading, result: ParseResult, kept: KeptPage) -> None:
    ticket, links = reading.ticket, kept.links
    job = ticket.job
    followed = reading.answer.status == 200 and (
        reading.media_type in (HTML, XHTML) or (job.spec.follow_feeds and leads_to_entries(links))
    )
    if kept.refresh is not None:
        links = (*links, Link(kept.refresh.url, LinkKind.REFRESH, "", "", Area.MAIN))
        if kept.refresh.delay_seconds == 0 and followed:
            reading.redirect_lru = _find_lru(ticket, kept.refresh.url)
    reading.merged = merge_links(ticket.lru, links, job.cutter)
    reading.links = reading.merged.links
    if reading.links:
        reading.follow = followed and (result.robots.follow or not job.spec.obey_robots)
    reading.expandable = reading.follow


def _find_lru(ticket: Ticket, url: str) -> str | None:
    try:
        return ticket.job.cutter.lru(url.partition("#")[0])
    except BadUrl:
        return None


def _fetch_of(reading: Reading, now: datetime, *, keep: bool) -> Fetch:
    ticket, answer = reading.ticket, reading.answer
    started = ticket.started_at or now
    result, merged = reading.result, reading.merged
    n_cut = (result.n_links_cut if result is not None else 0) + (
        merged.n_bad_links if merged is not None else 0
    )
    return Fetch(
        job_id=ticket.job.job_id,
        fetched_at=started,
        duration_seconds=(now - started).total_seconds(),
        attempt=ticket.attempt,
        depth=ticket.job.depth_of(ticket.lru),
        status=answer.status,
        error=reading.error,
        error_detail=reading.error_detail,
        content_type=answer.header("content-type")[:_MAX_HEADER_CHARACTERS],
        encoding=result.encoding if result is not None else "",
        size_bytes=len(reading.body),
        digest=sha256(reading.body).hexdigest() if keep else None,
        title=result.title if result is not None else "",
        language=result.language if result is not None else "",
        canonical=(result.canonical or "") if result is not None else "",
        redirect_lru=reading.redirect_lru,
        follow=reading.follow,
        n_links=len(reading.links),
        n_self_links=merged.n_self_links if merged is not None else 0,
        n_links_cut=n_cut + reading.n_dropped,
    )


def failed_outcome(ticket: Ticket, error: FetchError, detail: str, now: datetime) -> Outcome:
    """The outcome of an attempt without answer."""
    started = ticket.started_at or now
    return Outcome(
        Fetch(
            job_id=ticket.job.job_id,
            fetched_at=started,
            duration_seconds=(now - started).total_seconds(),
            attempt=ticket.attempt,
            depth=ticket.job.depth_of(ticket.lru),
            error=error,
            error_detail=detail[:500],
            follow=False,
        )
    )
