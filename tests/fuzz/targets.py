"""What is fuzzed: for each target how inputs are made, and what must hold of what the code makes of them.

A check raises `Broken` for a result that may not be; whatever else it raises is a fault of the code too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

from hyphe_core.crawl.robots import parse_robots
from hyphe_core.parsers.base import (
    MAX_ANCHOR_CHARACTERS,
    MAX_BASE_CHARACTERS,
    MAX_LINKS,
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    Document,
    Link,
    ParseResult,
)
from hyphe_core.parsers.encoding import decode, detect_encoding, encode
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.keeping import KeepingRules, keep
from hyphe_core.parsers.links import merge_links
from hyphe_core.parsers.markup import MarkupOutcome
from hyphe_core.parsers.media_types import detect_media_type
from hyphe_core.parsers.nutch_encoding import decode_as, detect_by_clues
from hyphe_core.parsers.outlink_policy import OutlinkPolicy, Place
from hyphe_core.parsers.parse_out import read_parse_out, validate, write_parse_out
from hyphe_core.parsers.parse_out_results import parse_outs_of
from hyphe_core.parsers.profiles import NUTCH, RESEARCH
from hyphe_core.parsers.refresh import find_reload_delay, read_refresh
from hyphe_core.parsers.registry import ParserRegistry, default_registry
from hyphe_core.parsers.signatures import SignatureKind
from hyphe_core.parsers.text_links import list_text_links
from hyphe_core.parsers.url_rules.addresses import MalformedUrl, resolve
from hyphe_core.parsers.url_rules.basic_normalizer import BasicNormalizer, HostForm
from hyphe_core.parsers.url_rules.bounded_patterns import BadPattern, BoundedPattern, TextTooLong
from hyphe_core.parsers.url_rules.chains import FilterChain, NormalizerChain, nutch_filters, nutch_normalizers
from hyphe_core.parsers.url_rules.options import (
    ChainOptions,
    FilterName,
    NormalizerName,
    StepOption,
    build_chains,
)
from hyphe_core.parsers.url_rules.steps import BadRules, Scope
from hyphe_core.parsers.xml_parser import InProcess, XmlOptions, XmlParser
from hyphe_core.parsers.xml_pool import Limits, XmlPool
from memory_structure.records import Area, LinkKind
from memory_structure.url_cutter import UrlCutter
from tests.fuzz import making
from tests.fuzz.inputs import Input

URL: Final = "http://e.org/dir/page.html?x=1"
PAGE_LRU: Final = "s:http|h:org|h:e|p:dir|p:page.html|q:x=1|"
AGENT: Final = "hyphe"


class Broken(AssertionError):
    """A result that may not be."""


@dataclass(frozen=True)
class Target:
    """One thing to fuzz."""

    name: str
    make: Callable[[Random], Input]
    check: Callable[[Input], None]


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(what)


# -- HTML ---------------------------------------------------------------------


def _document(given: Input) -> Document:
    return Document(URL, given.body, given.note or None, (("x-robots-tag", "hyphe: noindex"),), AGENT)


def _check_html(given: Input) -> None:
    document = _document(given)
    result = HtmlParser().parse(document)
    _check_result(result, len(document.body))
    _check_parse_out(result, document)
    merge_links(PAGE_LRU, result.links, _cutter())


def _check_nutch(given: Input) -> None:
    document = _document(given)
    result = HtmlParser(NUTCH).parse(document)
    _check_result(result, len(document.body))
    _check_parse_out(result, document)
    _check_kept(document, result)


@cache
def _cutter() -> UrlCutter:
    return UrlCutter()


def _check_result(result: ParseResult, n_bytes: int) -> None:
    _require(len(result.links) <= MAX_LINKS, "more links than allowed")
    n_characters = sum(len(link.url) for link in result.links)
    limit = len(result.links) * MAX_BASE_CHARACTERS + 9 * n_bytes
    _require(n_characters <= limit, "addresses much longer than the page")
    _require(len(result.text) <= MAX_TEXT_CHARACTERS, "text over its limit")
    _require(len(result.title) <= MAX_TITLE_CHARACTERS, "title over its limit")
    for link in result.links:
        _require(len(link.anchor) <= MAX_ANCHOR_CHARACTERS, "anchor over its limit")
    for entry in result.parses:
        _check_result(entry, n_bytes)


def _check_parse_out(result: ParseResult, document: Document) -> None:
    records = parse_outs_of(result, document)
    written = write_parse_out(records)
    faults = validate(written)
    _require(not faults, f"invalid parse-out: {faults[:3]}")
    _require(read_parse_out(written) == records, "parse-out is read as something else")


def _check_kept(document: Document, result: ParseResult) -> None:
    """By one policy and one signature, as a crawl does; which depends on the input."""
    policies, kinds = _policies(), tuple(SignatureKind)
    n_bytes = len(document.body)
    rules = KeepingRules(policies[n_bytes % len(policies)], kinds[n_bytes // 3 % len(kinds)])
    kept = keep(document, result, rules)
    n_dropped = sum(n for _, n in kept.dropped)
    _require(
        len(kept.result.links) + n_dropped == len(result.links), "links kept and dropped are not all links"
    )


@cache
def _policies() -> tuple[OutlinkPolicy, ...]:
    normalizers, filters = nutch_normalizers(), nutch_filters()
    return (
        OutlinkPolicy(normalizers=normalizers, filters=filters),
        OutlinkPolicy(None, None, 100, ignores_external=True, place=Place.DOMAIN, normalizers=normalizers),
        OutlinkPolicy(max_links=None, ignores_internal=True, drops_duplicates=False),
    )


# -- XML and feeds --------------------------------------------------------------


@cache
def _in_process() -> InProcess:
    return InProcess()


@cache
def _format_names() -> tuple[str, ...]:
    return tuple(sorted(parser.name for parser in _in_process().engine("").parsers))


@cache
def _pool() -> XmlPool:
    return XmlPool(1, Limits(wall_seconds=60))


def _check_xml(given: Input) -> None:
    """By the format that matches, leniently or strictly, or by any other; which depends on the input."""
    names = _format_names()
    n_bytes = len(given.body)
    chosen = (XmlOptions(), XmlOptions(strict=True), XmlOptions(format=names[n_bytes // 3 % len(names)]))
    document = _document(given)
    _check_outcome(_in_process().run(document, chosen[n_bytes % 3]), document)


def _check_outcome(outcome: MarkupOutcome, document: Document) -> None:
    records = tuple(cleaned.parse for cleaned in outcome.parses)
    written = write_parse_out(records)
    faults = validate(written)
    _require(not faults, f"invalid parse-out: {faults[:3]}")
    _require(read_parse_out(written) == records, "parse-out is read as something else")
    messages = [record.status.message for record in records]
    _require(
        not any("Error in the XML parser" in message for message in messages),
        f"raised in a child: {messages[:1]}",
    )
    _require(not any(message.startswith(("crash", "limit: CPU")) for message in messages), str(messages[:1]))
    _require(b"root:x:" not in written, "a file was read")


def _check_feed(given: Input) -> None:
    """By the parser of a profile, as a record or as a result, or by a format; which depends on the input."""
    document = _document(given)
    n_bytes = len(given.body)
    way = n_bytes % 6
    if way > 3:
        _check_outcome(_in_process().run(document, XmlOptions(format=("rss", "atom")[way - 4])), document)
        return
    parser = XmlParser(_in_process()).for_profile((RESEARCH, NUTCH)[way % 2])
    if way < 2:
        _check_outcome(parser.run(document), document)
    else:
        _check_result(parser.parse(document), n_bytes)


def _check_pool(given: Input) -> None:
    """Through a child process; its parent must be told something whatever becomes of it."""
    document = _document(given)
    _check_outcome(_pool().run(document, XmlOptions()), document)


# -- robots, refresh, encodings, types -------------------------------------------


def _check_robots(given: Input) -> None:
    rules = parse_robots(given.body, "hyphe/1.0 (+http://e.org)")
    rules.allows(given.note)
    rules.allows("http://e.org/" + "a" * 2000)
    _require(rules.crawl_delay >= 0, "a delay below zero")


def _check_refresh(given: Input) -> None:
    text = given.body.decode("utf-8", "replace")
    value = read_refresh(text)
    if value is not None:
        _require(
            value.href != "" and 0 <= value.delay_seconds <= 1e9, "a refresh without target or out of range"
        )
    delay = find_reload_delay(text)
    _require(delay is None or 0 <= delay <= 1e9, "a delay out of range")
    quoted = text.replace("&", "&amp;").replace('"', "&quot;").encode()
    _check_nutch(Input(b'<meta http-equiv=refresh content="' + quoted + b'">', "text/html; charset=utf-8"))


def _check_encoding(given: Input) -> None:
    content_type = given.note or None
    found = detect_encoding(given.body, content_type)
    text = decode(given.body, found.name)
    encode(text[:1000], found.name)
    for threshold in (-1, 0, 90):
        decode_as(given.body, detect_by_clues(given.body, content_type, threshold).name)
    HtmlParser(NUTCH).parse(_document(given))


def _check_selection(given: Input) -> None:
    """Sniffing, and whatever parser the registry chooses."""
    document = _document(given)
    detect_media_type(document.content_type, URL, given.body)
    detect_media_type(None, "http://e.org/x.pdf", given.body)
    result = _registry().parse(document)
    _require(
        not any(" in parser " in warning for warning in result.warnings),
        f"a parser raised: {result.warnings}",
    )
    _check_result(result, len(document.body))
    _check_parse_out(result, document)


@cache
def _registry() -> ParserRegistry:
    return default_registry(isolated=False)


# -- addresses ----------------------------------------------------------------------


def _check_urls(given: Input) -> None:
    urls = given.body.decode("utf-8", "replace").split("\x1e")
    links = [Link(url, LinkKind.HYPERLINK, "anchor", "", Area.MAIN) for url in urls]
    merge_links(PAGE_LRU, links, _cutter())
    for policy in _policies():
        kept = policy.apply(URL, links)
        _require(len(kept.links) + sum(n for _, n in kept.dropped) == len(links), "a link was lost")
    for url in urls:
        _check_url(url[: making.MAX_URL])


def _check_url(url: str) -> None:
    normalizers, filters = _chains()
    for scope in Scope:
        normalizers.find_normal(url, scope)
    filters.accepts(url)
    for form in HostForm:
        for idna2008 in (False, True):
            with suppress(MalformedUrl):
                BasicNormalizer(form, idna2008, trim_trailing_dot=True).normalize(url)
    with suppress(MalformedUrl):
        resolve(URL, url)
    list_text_links(url * 3)


@cache
def _chains() -> tuple[NormalizerChain, FilterChain]:
    table = "e.org {0}\n*.e.org {0}\n"
    rules = {
        NormalizerName.HOST: table.format("f.org"),
        NormalizerName.PROTOCOL: table.format("https"),
        NormalizerName.SLASH: table.format("+"),
    }
    lists = {
        FilterName.PREFIX: "http",
        FilterName.SUFFIX: "+I\n.gif",
        FilterName.DOMAIN: "org\ne.org",
        FilterName.DOMAIN_DENY: "f.org",
    }
    fast = {FilterName.FAST: "Domain .\nDenyPath /x/.*/y\nDenyPathQuery \\?a=[^&]*&b"}
    return build_chains(
        ChainOptions(
            tuple(StepOption(name, rules.get(name, "")) for name in NormalizerName),
            tuple(StepOption(name, (lists | fast).get(name, "")) for name in FilterName),
        )
    )


def _check_pattern(given: Input) -> None:
    """A pattern as users may write it is refused or bounded."""
    text = given.body.decode("utf-8", "replace")
    with suppress(BadPattern):
        pattern = BoundedPattern(given.note)
        with suppress(TextTooLong):
            text = text[: pattern.max_characters]
            pattern.search(text)
            pattern.replace(text, "$1x")
    line = given.note.replace("\n", " ")
    for rules in (
        StepOption(FilterName.REGEX, "+" + line),
        StepOption(FilterName.FAST, f"Domain .\nDenyPath {line}"),
    ):
        with suppress(BadRules):
            build_chains(ChainOptions(filters=(rules,)))


TARGETS: Final = {
    target.name: target
    for target in (
        Target("html", making.make_html, _check_html),
        Target("nutch", making.make_html, _check_nutch),
        Target("xml", making.make_xml, _check_xml),
        Target("pool", making.make_xml, _check_pool),
        Target("feeds", making.make_feed, _check_feed),
        Target("robots", making.make_robots, _check_robots),
        Target("refresh", making.make_refresh, _check_refresh),
        Target("encodings", making.make_encoding, _check_encoding),
        Target("types", making.make_anything, _check_selection),
        Target("urls", making.make_urls, _check_urls),
        Target("patterns", making.make_pattern, _check_pattern),
    )
}


def list_children() -> list[int]:
    """Process ids of the children that work for a target."""
    return _pool().list_pids()


def close() -> None:
    """End the child that a target may have started."""
    _pool().close()
