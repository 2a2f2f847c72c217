"""From an answer to what is stored of it: one pass over the body, no network, no store.

Decisions: links are stored of every answer that has some and followed from (X)HTML answers of status 200
alone (and to the target of a redirect); a page that asks not to be followed keeps its links, which are then
not followed while robots are obeyed; a parser that breaks leaves a record.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

from hyphe_core.crawl.decoding import BodyOverLimit, UndecodableBody, decode_body
from hyphe_core.crawl.link_targets import LinkTargets
from hyphe_core.crawl.retry import parse_retry_after
from hyphe_core.crawl.tickets import Outcome, Ticket
from hyphe_core.parsers.base import Document, Link, ParseResult
from hyphe_core.parsers.links import MergedLinks, merge_links
from hyphe_core.parsers.registry import ParserRegistry
from hyphe_core.parsers.sniff import HTML, XHTML, media_type_of
from memory_structure.lru import BadUrl, join_url, lru_to_url
from memory_structure.records import Area, Fetch, FetchError, FoundLink, LinkKind

REDIRECT_STATUSES: Final = frozenset({301, 302, 303, 307, 308})
_READ_HEADERS: Final = ("x-robots-tag", "content-language", "link")
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


class _Draft:
    """The fields of a record while the page is read."""

    __slots__ = ("error", "error_detail", "expandable", "follow", "links", "merged", "redirect_lru", "result")

    def __init__(self, error: FetchError | None, detail: str) -> None:
        self.error = error
        self.error_detail = detail
        self.expandable = False
        self.follow = True
        self.links: tuple[FoundLink, ...] = ()
        self.merged: MergedLinks | None = None
        self.redirect_lru: str | None = None
        self.result: ParseResult | None = None

    def fail(self, error: FetchError, detail: str) -> None:
        self.error, self.error_detail = error, detail[:500]


class PageReader:
    """Reads answers of one worker. `agent_token` is the name by which robots directives may speak to us."""

    def __init__(self, parsers: ParserRegistry, agent_token: str) -> None:
        self._parsers = parsers
        self._agent_token = agent_token

    def read(self, ticket: Ticket, answer: Answer, keeping: Keeping, now: datetime) -> Outcome:
        """The outcome of an attempt that was answered. Never raises for what the web sent."""
        draft = _Draft(answer.error, answer.error_detail)
        body = self._decode(ticket, answer, draft)
        if answer.status in REDIRECT_STATUSES:
            self._read_redirect(ticket, answer, draft)
        elif draft.error is None and body:
            self._read_body(ticket, answer, body, draft)
            if keeping.targets is not None and draft.links:
                draft.links = tuple(keeping.targets.with_targets(ticket.lru, draft.links))
        keep = keeping.bodies and bool(body)
        draft.follow = draft.follow and draft.error is None
        return Outcome(
            _fetch_of(ticket, answer, body, draft, now, keep=keep),
            draft.links,
            draft.result.text if draft.result is not None and keeping.text else "",
            body if keep else b"",
            draft.expandable,
            parse_retry_after(answer.header("retry-after"), now) if "retry-after" in answer.headers else None,
        )

    def _decode(self, ticket: Ticket, answer: Answer, draft: _Draft) -> bytes:
        encodings = answer.headers.get("content-encoding")
        if not encodings or not answer.body or answer.error is not None:
            return answer.body
        try:
            return decode_body(answer.body, encodings, ticket.job.spec.max_body_bytes)
        except BodyOverLimit as error:
            draft.fail(FetchError.TOO_LARGE, str(error))
            return b""
        except UndecodableBody as error:
            draft.fail(FetchError.BAD_ENCODING, str(error))
            return answer.body

    def _read_redirect(self, ticket: Ticket, answer: Answer, draft: _Draft) -> None:
        location = answer.header("location").strip()
        if not location:
            draft.fail(FetchError.BAD_ANSWER, "redirect without Location")
            return
        target = join_url(ticket.url, location).partition("#")[0]
        try:
            lru = ticket.job.cutter.lru(target)
        except BadUrl as error:
            draft.fail(FetchError.BAD_ANSWER, f"redirect to no web address: {error.reason}")
            return
        draft.error, draft.error_detail = None, ""
        draft.redirect_lru = lru
        draft.expandable = True
        if lru == ticket.lru:
            draft.merged = MergedLinks((), 1)
        else:
            raw = None if target == lru_to_url(lru) else target
            draft.links = (FoundLink(lru, LinkKind.REDIRECT, 1, "", "", Area.MAIN, raw),)

    def _read_body(self, ticket: Ticket, answer: Answer, body: bytes, draft: _Draft) -> None:
        headers = tuple((name, value) for name in _READ_HEADERS for value in answer.headers.get(name, ()))
        content_type = answer.header("content-type") or None
        try:
            media_type = media_type_of(content_type, body)
            document = Document(ticket.url, body, content_type, headers, self._agent_token)
            result = self._parsers.parser_for(media_type).parse(document)
            followed = answer.status == 200 and media_type in (HTML, XHTML)
            self._take_links(ticket, result, draft, followed=followed)
        except Exception as error:  # a page must not end a crawl, whatever breaks on it
            draft.links, draft.redirect_lru, draft.expandable, draft.merged = (), None, False, None
            draft.fail(FetchError.PARSER, f"{type(error).__name__}: {error}")
            return
        draft.result = result

    def _take_links(self, ticket: Ticket, result: ParseResult, draft: _Draft, *, followed: bool) -> None:
        job, links, refresh = ticket.job, result.links, result.refresh
        if refresh is not None:
            links = (*links, Link(refresh.url, LinkKind.REFRESH, "", "", Area.MAIN))
            if refresh.delay_seconds == 0 and followed:
                draft.redirect_lru = _find_lru(ticket, refresh.url)
        draft.merged = merge_links(ticket.lru, links, job.cutter)
        draft.links = draft.merged.links
        if draft.links:
            draft.follow = followed and (result.robots.follow or not job.spec.obey_robots)
        draft.expandable = draft.follow


def _find_lru(ticket: Ticket, url: str) -> str | None:
    try:
        return ticket.job.cutter.lru(url.partition("#")[0])
    except BadUrl:
        return None


def _fetch_of(
    ticket: Ticket, answer: Answer, body: bytes, draft: _Draft, now: datetime, *, keep: bool
) -> Fetch:
    started = ticket.started_at or now
    result, merged = draft.result, draft.merged
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
        error=draft.error,
        error_detail=draft.error_detail,
        content_type=answer.header("content-type")[:_MAX_HEADER_CHARACTERS],
        encoding=result.encoding if result is not None else "",
        size_bytes=len(body),
        digest=sha256(body).hexdigest() if keep else None,
        title=result.title if result is not None else "",
        language=result.language if result is not None else "",
        canonical=(result.canonical or "") if result is not None else "",
        redirect_lru=draft.redirect_lru,
        follow=draft.follow,
        n_links=len(draft.links),
        n_self_links=merged.n_self_links if merged is not None else 0,
        n_links_cut=n_cut,
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
