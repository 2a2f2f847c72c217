"""From answers to records, with the decisions that are taken there."""

from __future__ import annotations

from dataclasses import replace
from hashlib import md5, sha256

import pytest

from hyphe_core.crawl.frontier import Frontier
from hyphe_core.crawl.job_state import CrawlState
from hyphe_core.crawl.page_work import Answer, Keeping, PageReader
from hyphe_core.crawl.parse_work import parse_work
from hyphe_core.crawl.tickets import Outcome, RobotsOutcome, RobotsTicket, Ticket
from hyphe_core.parsers.base import Document, Parser, ParseResult
from hyphe_core.parsers.registry import ParserRegistry, default_registry
from memory_structure.lru import url_to_lru
from memory_structure.parse_options import ChainStep, LinkPlaces, ParseOptions, SignatureChoice
from memory_structure.parses import PageParse
from memory_structure.records import FetchError, LinkKind
from memory_structure.url_cutter import UrlCutter
from tests.unit.hyphe_core.crawl.simulation import EPOCH, spec_of

URL = "http://site.example/page"
HTML = (
    b"<title>T</title><a href='/a'>A</a><a href='/a#x'>B</a>"
    b"<a href='/page#top'>self</a><a href='mailto:x@y.z'>m</a>"
)


def ticket_of(**settings: object) -> Ticket:
    frontier = Frontier(lambda: 1.0, utc_now=lambda: EPOCH)
    job = CrawlState("c", 1, spec_of(URL, **settings), UrlCutter(), agent="hyphe-crawler/1")
    frontier.add_job(job)
    ticket = frontier.next_ticket()
    if isinstance(ticket, RobotsTicket):
        frontier.settle_robots(ticket, RobotsOutcome(404, None))
        ticket = frontier.next_ticket()
    assert ticket is not None
    return ticket


def read(
    body: bytes = HTML,
    status: int = 200,
    parsers: ParserRegistry | None = None,
    keeping: Keeping = Keeping(),  # noqa: B008  a frozen value
    error: FetchError | None = None,
    settings: dict[str, object] | None = None,
    **headers: str,
) -> Outcome:
    named = {
        name.replace("_", "-"): [value] for name, value in ({"content_type": "text/html"} | headers).items()
    }
    reader = PageReader(parsers or default_registry(), "hyphe-crawler")
    return reader.read(ticket_of(**settings or {}), Answer(status, named, body, error), keeping, EPOCH)


def test_a_page_gives_its_record_links_and_text() -> None:
    outcome = read()
    fetch = outcome.fetch
    assert (fetch.status, fetch.error, fetch.title, fetch.size_bytes) == (200, None, "T", len(HTML))
    assert fetch.digest == sha256(HTML).hexdigest()
    assert [(link.target_lru, link.count, link.anchor) for link in outcome.links] == [
        (url_to_lru("http://site.example/a"), 2, "A")
    ]
    assert (fetch.n_links, fetch.n_self_links) == (1, 1)
    assert "A" in outcome.text
    assert outcome.content == HTML
    assert outcome.expandable


def test_a_parser_that_breaks_leaves_a_record_with_its_error() -> None:
    class Broken(Parser):
        media_types = ("text/html",)

        def parse(self, document: Document) -> ParseResult:
            raise RecursionError("too deep")

    outcome = read(parsers=ParserRegistry((Broken(),)))
    assert (outcome.fetch.status, outcome.fetch.error) == (200, FetchError.PARSER)
    assert outcome.fetch.error_detail == "RecursionError in parser Broken"
    assert outcome.links == ()
    assert not outcome.expandable
    assert outcome.fetch.digest is not None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_a_page_with_one_link_of_kind_redirect(status: int) -> None:
    outcome = read(b"", status, location="/next#here")
    (link,) = outcome.links
    assert (link.target_lru, link.kind) == (url_to_lru("http://site.example/next"), LinkKind.REDIRECT)
    assert outcome.fetch.redirect_lru == link.target_lru
    assert outcome.expandable


def test_a_redirect_to_itself_is_counted_not_stored() -> None:
    outcome = read(b"", 302, location=URL)
    assert outcome.links == ()
    assert (outcome.fetch.redirect_lru, outcome.fetch.n_self_links) == (url_to_lru(URL), 1)


@pytest.mark.parametrize(
    "location", ["", "javascript:void(0)", "http://", "http://[::1", "http://exa mple.com/"]
)
def test_a_redirect_to_nowhere_is_a_bad_answer(location: str) -> None:
    outcome = read(b"", 302, location=location)
    assert (outcome.fetch.status, outcome.fetch.error) == (302, FetchError.BAD_ANSWER)
    assert not outcome.expandable


def test_what_is_followed_only_html_answers_of_status_200() -> None:
    for status in (201, 404, 500):
        assert not read(status=status).expandable
    assert not read(content_type="text/plain").expandable or not read(content_type="text/plain").links
    assert read(content_type="application/xhtml+xml").expandable
    assert read(content_type="").expandable  # sniffed


def test_links_of_a_nofollow_page_are_stored_and_followed_only_when_robots_are_not_obeyed() -> None:
    body = b"<meta name=robots content='nofollow'>" + HTML
    obeying, ignoring = read(body, settings={"obey_robots": True}), read(body)
    assert len(obeying.links) == len(ignoring.links) == 1
    assert (obeying.fetch.follow, obeying.expandable) == (False, False)
    assert (ignoring.fetch.follow, ignoring.expandable) == (True, True)


def test_meta_refresh_with_delay_0_is_a_redirect_that_keeps_its_links() -> None:
    body = b"<meta http-equiv=refresh content='0;url=/target'>" + HTML
    outcome = read(body)
    assert outcome.fetch.redirect_lru == url_to_lru("http://site.example/target")
    assert {link.kind for link in outcome.links} == {LinkKind.HYPERLINK, LinkKind.REFRESH}
    late = read(body.replace(b"0;", b"5;"))
    assert late.fetch.redirect_lru is None
    assert {link.kind for link in late.links} == {LinkKind.HYPERLINK, LinkKind.REFRESH}


def test_a_cut_body_keeps_its_bytes_and_gives_no_links() -> None:
    outcome = read(error=FetchError.TRUNCATED)
    assert outcome.fetch.error is FetchError.TRUNCATED
    assert outcome.content == HTML
    assert outcome.links == ()
    assert not outcome.fetch.follow


def test_bodies_and_text_are_kept_only_when_the_corpus_says_so() -> None:
    outcome = read(keeping=Keeping(bodies=False, text=False))
    assert (outcome.content, outcome.text, outcome.fetch.digest) == (b"", "", None)
    assert outcome.fetch.size_bytes == len(HTML)


def test_an_encoding_that_lies_is_an_error_with_the_status_kept() -> None:
    outcome = read(content_encoding="gzip")
    assert (outcome.fetch.status, outcome.fetch.error) == (200, FetchError.BAD_ENCODING)
    assert outcome.content == HTML


def test_a_page_over_the_limit_once_decompressed_is_too_large() -> None:
    import gzip

    outcome = read(
        gzip.compress(bytes(100_000)), settings={"max_body_bytes": 50_000}, content_encoding="gzip"
    )
    assert (outcome.fetch.status, outcome.fetch.error) == (200, FetchError.TOO_LARGE)
    assert outcome.content == b""


def test_the_depth_of_a_record_is_the_least_known() -> None:
    ticket = ticket_of()
    ticket.job.seen.put(ticket.lru, 3, 1)  # type: ignore[arg-type]
    reader = PageReader(default_registry(), "x")
    assert reader.read(ticket, Answer(200, {}, b""), Keeping(), EPOCH).fetch.depth == 3
    assert replace(reader.read(ticket, Answer(200, {}, b""), Keeping(), EPOCH).fetch, depth=0).depth == 0


# -- what is kept of a parse


def keeping_of(**options: object) -> Keeping:
    return Keeping(work=parse_work(ParseOptions(**options)))  # type: ignore[arg-type]


def record_of(outcome: Outcome) -> PageParse:
    assert outcome.parse is not None
    return outcome.parse


def test_by_default_every_link_is_kept_and_the_body_is_signed() -> None:
    parse = record_of(read())
    assert (parse.major, parse.minor, parse.parser, parse.dropped) == (1, 0, "html", ())
    assert parse.signature == md5(HTML).hexdigest()
    assert parse.text_profile == ""


def test_signatures_are_those_asked_for() -> None:
    assert record_of(read(keeping=keeping_of(signatures=SignatureChoice.NONE))).signature == ""
    both = record_of(read(keeping=keeping_of(signatures=SignatureChoice.TEXT_PROFILE)))
    assert len(both.signature) == len(both.text_profile) == 32


def test_links_that_rules_drop_are_counted_by_reason() -> None:
    body = b"<a href='/keep'>k</a><a href='/no1'>n</a><a href='/no2'>n</a><a href='//other.example/x'>o</a>"
    rules = (ChainStep("regex", "-/no\n+."),)
    outcome = read(body, keeping=keeping_of(filters=rules, links=LinkPlaces.INTERNAL))
    assert [link.target_lru for link in outcome.links] == [url_to_lru("http://site.example/keep")]
    assert dict(record_of(outcome).dropped) == {"filtered": 2, "external": 1}
    assert outcome.fetch.n_links_cut == 3


def test_the_profile_of_nutch_drops_links_and_says_so() -> None:
    body = b"<a href='/a'>A</a><a href='/b' rel=nofollow>B</a><a href='/c?q=1'>C</a><img src='/d.png'>"
    outcome = read(body, keeping=keeping_of(profile="nutch"))
    assert [link.anchor for link in outcome.links] == ["A"]
    assert dict(record_of(outcome).dropped)["filtered"] >= 1


def test_addresses_in_the_text_are_links_where_asked() -> None:
    body = b"<p>see http://far.example/page. and <a href='/a'>A</a>"
    assert len(read(body).links) == 1
    outcome = read(body, keeping=keeping_of(text_links=True))
    assert url_to_lru("http://far.example/page") in [link.target_lru for link in outcome.links]


def test_texts_without_a_word_that_counts_have_no_profile() -> None:
    parse = record_of(read(b"<p>a bb cc", keeping=keeping_of(signatures="text_profile")))
    assert (len(parse.signature), parse.text_profile) == (32, "")


def test_addresses_in_plain_text_are_links_where_asked() -> None:
    body = "caf\u00e9, see http://far.example/page.".encode("latin-1")
    assert read(body, content_type="text/plain").links == ()
    outcome = read(body, keeping=keeping_of(text_links=True), content_type="text/plain")
    assert [link.target_lru for link in outcome.links] == [url_to_lru("http://far.example/page")]
    assert record_of(outcome).parser == "text"
    assert (
        read(b"%PDF-1 http://a.example/", keeping=keeping_of(text_links=True), content_type="a/b").links == ()
    )


@pytest.mark.parametrize(("status", "expected"), [(301, "http://site.example/other"), (302, URL)])
def test_a_redirect_tells_which_address_represents_the_page(status: int, expected: str) -> None:
    parse = record_of(read(b"", status, location="/other"))
    assert (parse.major, parse.minor) == (0, 100)
    assert parse.representative == expected


def test_a_cut_body_is_marked() -> None:
    parse = record_of(read(b"<title>ha", error=FetchError.TRUNCATED))
    assert (parse.major, parse.minor) == (2, 202)


RSS = (
    b"<rss version='2.0'><channel><title>T</title><link>http://site.example/</link><description>d</description>"
    b"<item><title>E</title><link>http://site.example/e</link><description>words</description></item>"
    b"</channel></rss>"
)


def in_process() -> ParserRegistry:
    return default_registry(isolated=False)


def test_entries_of_a_feed_are_stored_and_not_followed() -> None:
    outcome = read(RSS, parsers=in_process(), content_type="application/rss+xml")
    assert [(link.target_lru, link.kind) for link in outcome.links if link.kind is LinkKind.FEED] == [
        (url_to_lru("http://site.example/e"), LinkKind.FEED)
    ]
    assert not outcome.expandable
    (entry,) = record_of(outcome).entries
    assert (entry.url, entry.title, entry.text) == ("http://site.example/e", "E", "words")


def test_feeds_are_followed_by_jobs_that_say_so() -> None:
    settings = {"follow_feeds": True}
    outcome = read(RSS, parsers=in_process(), settings=settings, content_type="application/rss+xml")
    assert outcome.expandable
    assert not read(RSS, 404, in_process(), settings=settings, content_type="application/rss+xml").expandable


def test_xml_is_left_to_a_child_and_html_is_not() -> None:
    reader = PageReader(default_registry(), "hyphe-crawler")
    waits = {
        content_type: reader.open(
            ticket_of(), Answer(200, {"content-type": [content_type]}, body), Keeping()
        ).needs_child
        for content_type, body in {
            "text/html": HTML,
            "application/xhtml+xml": b"<html xmlns='http://www.w3.org/1999/xhtml'/>",
            "application/rss+xml": RSS,
            "application/xml": b"<a/>",
            "application/pdf": b"%PDF-1.4",
        }.items()
    }
    assert [name for name, waits_for in waits.items() if waits_for] == [
        "application/rss+xml",
        "application/xml",
    ]
