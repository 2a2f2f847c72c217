"""Methods that parse a document, here and now, and show what it gives and how it was read."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from enum import StrEnum
from typing import Final

from twisted.internet.defer import Deferred, DeferredSemaphore
from twisted.internet.threads import deferToThread

from hyphe_core.api.call import Call
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.parameters import Choice, Flag, Parameter, Text
from hyphe_core.api.parse_shapes import (
    EXPLANATION,
    LINKS,
    OUTPUTS,
    PARSE,
    shown_explanation,
    shown_links,
    shown_outputs,
    shown_parse,
)
from hyphe_core.api.schemas import TEXT, record
from hyphe_core.crawl.parse_work import parse_work
from hyphe_core.crawl.robots import agent_token
from hyphe_core.crawl.single_fetch import DocumentFetcher, FetchedDocument, spec_of_visit
from hyphe_core.crawl.stored_pages import get_stored_document, get_stored_parse
from hyphe_core.errors import WebFault
from hyphe_core.parsers.base import Document
from hyphe_core.parsers.inspection import (
    Inspection,
    Inspector,
    TypeSource,
    Ways,
    is_whole_address,
    ways_of,
)
from hyphe_core.parsers.parse_out import write_parse_out
from hyphe_core.parsers.profiles import ProfileName
from hyphe_core.parsers.sniff import find_declared_type
from memory_structure.urls import BadUrl

methods = MethodGroup("parse")

# What a method reads of a document: parsing holds up other calls, and the whole answer is one message.
MAX_CHECKED_BYTES: Final = 2 * 1024 * 1024
_TIMEOUT_SECONDS: Final = 30.0
# Documents that take long must not keep all threads busy.
_turns: Final = DeferredSemaphore(2)
_UNKNOWN_ADDRESS: Final = "file:///document"


class Shown(StrEnum):
    """What is shown of a parse: all of it as JSON, a parse-out document, its text, its links."""

    JSON = "json"
    PARSE_OUT = "parse-out"
    TEXT = "text"
    LINKS = "links"


@methods.method(
    Parameter("document", Text(max_chars=MAX_CHECKED_BYTES), None, "a document; none is fetched then"),
    Parameter("url", Text(max_chars=5000), None, "its address; without a document, where it is fetched"),
    Parameter("type", Text(max_chars=200), None, "its media type; by default what server or text say"),
    Parameter("profile", Choice(ProfileName), None, "rules to read by; by default those of the corpus"),
    Parameter("format", Choice(Shown), Shown.JSON, "what to show beside the explanation"),
    Parameter("stored", Flag(), False, "the document is what the corpus stored of the page"),
    CORPUS,
    result=record(
        {"explanation": EXPLANATION}, {"parse": PARSE, "parse_out": TEXT, "text": TEXT, "links": LINKS}
    ),
    returns="an object: explanation, and parse, parse_out, text or links",
    role=Role.CURATOR,
)
async def check(
    call: Call,
    document: str | None,
    url: str | None,
    media_type: str | None,
    profile: ProfileName | None,
    shown: Shown,
    stored: bool,
) -> JsonObject:
    """Parse a document by the rules of the corpus: one that is sent, the page at an address, or a stored
    page; show what it gives, who read it and why, what was left out and which limits it met.

    Addresses are fetched as crawls do it: robots.txt, redirects, no private addresses, at most 2 MiB. Nothing
    is stored.
    """
    if media_type is not None and find_declared_type(media_type) is None:
        raise Refusal(f"type {media_type!r} is no media type such as text/html")
    if document is not None:
        found = _sent(call, document, url)
    elif url is None:
        raise Refusal("give a document, or the url of one")
    elif stored:
        found = await deferToThread(_stored, call, url)
    else:
        found = await _fetched(call, url)
    if media_type is not None:
        found = (replace(found[0], content_type=media_type), TypeSource.GIVEN)
    return await _turns.run(_checked_later, call, found, profile, shown)


_Found = tuple[Document, TypeSource]


def _sent(call: Call, text: str, url: str | None) -> _Found:
    """JSON is decoded already, whatever charset the document names: a byte order mark says so."""
    if url and not is_whole_address(url):
        raise Refusal(f"url {url[:100]!r} is no whole address such as http://example.org/page")
    body = b"\xef\xbb\xbf" + text.removeprefix("\ufeff").encode("utf-8", "replace")
    return Document(url or _UNKNOWN_ADDRESS, body, None, (), _agent(call)), TypeSource.BYTES


def _stored(call: Call, url: str) -> _Found:
    lru = call.lru_of_url(url)
    stored = get_stored_document(call.registry, call.corpus.corpus_id, lru)
    return replace(stored, agent_token=_agent(call)), TypeSource.STORED


async def _fetched(call: Call, url: str) -> _Found:
    try:
        visited = await Deferred.fromFuture(asyncio.ensure_future(_visit(call, url)))
    except (WebFault, BadUrl) as error:
        raise Refusal(str(error)) from None
    document = Document(visited.url, visited.body, visited.content_type, visited.headers, _agent(call))
    return document, TypeSource.HEADER


async def _visit(call: Call, url: str) -> FetchedDocument:
    spec = spec_of_visit(call.config, call.options)
    spec = replace(
        spec,
        timeout_seconds=min(spec.timeout_seconds, _TIMEOUT_SECONDS),
        max_body_bytes=min(spec.max_body_bytes, MAX_CHECKED_BYTES),
    )
    async with DocumentFetcher(spec, call.config.max_crawl_delay_seconds) as fetcher:
        return await fetcher.fetch(url)


def _agent(call: Call) -> str:
    return agent_token(call.options.user_agent or call.config.user_agent)


def _checked_later(
    call: Call, found: _Found, profile: ProfileName | None, shown: Shown
) -> Deferred[JsonObject]:
    """In a thread: parsing takes its time, and XML runs in a child process."""
    return deferToThread(_checked, call, *found, profile, shown)


def _checked(
    call: Call, document: Document, type_source: TypeSource, profile: ProfileName | None, shown: Shown
) -> JsonObject:
    parsing = call.options.parsing
    if profile is None:
        work = parse_work(parsing)
        ways = Ways(work.profile, work.rules)
    else:
        ways = ways_of(profile)
    parsers = call.service.parsers.get(parsing.stylesheets)
    inspection = Inspector(parsers).inspect(document, type_source, ways)
    return {"explanation": shown_explanation(inspection), **_shown(inspection, shown)}


def _shown(inspection: Inspection, shown: Shown) -> JsonObject:
    result = inspection.kept.result
    if shown is Shown.PARSE_OUT:
        return {"parse_out": write_parse_out(inspection.parse_outs).decode()}
    if shown is Shown.TEXT:
        return {"text": result.text}
    if shown is Shown.LINKS:
        return {"links": shown_links(result.links)}
    return {"parse": shown_parse(inspection)}


@methods.method(
    Parameter("url", Text(max_chars=5000), doc="address of a page"),
    CORPUS,
    result=OUTPUTS,
    returns="an object: text, data and crawl, the three outputs of its parse",
)
def get(call: Call, url: str) -> JsonObject:
    """Give what is stored of the parse of a page: its text; its status, title, metadata and links; signature,
    redirect and score."""
    return shown_outputs(get_stored_parse(call.structure, call.lru_of_url(url)))
