"""Adapters of the groups about HTML, all in the profile `nutch`."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hyphe_core.parsers.base import Document, ParseMinor, ParseResult
from hyphe_core.parsers.encoding import EncodingSource, find_mark, list_declarations
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.nutch_encoding import Clue, choose_encoding, detect_by_clues
from hyphe_core.parsers.outlink_policy import OutlinkPolicy
from hyphe_core.parsers.profiles import NUTCH, CachingPolicy, ParseProfile, with_link_elements
from hyphe_core.parsers.rule_pages import CACHING_FORBIDDEN
from hyphe_core.parsers.statuses import is_temporary_refresh, list_arguments
from hyphe_core.parsers.text_links import list_text_links
from tests.vectors.cases import Adapter, Case

PAGE = "http://a.com/d/p.html"
AGENT = "hyphe"


def _parse(markup: str, given: Mapping[str, Any], profile: ParseProfile = NUTCH) -> ParseResult:
    headers = given.get("headers", {})
    pairs = headers.items() if isinstance(headers, dict) else headers
    lowered = [(str(name).lower(), value) for name, value in pairs]
    if "x_robots_tag" in given:
        values = given["x_robots_tag"]
        lowered += [("x-robots-tag", value) for value in ([values] if isinstance(values, str) else values)]
    return HtmlParser(profile).parse(
        Document(
            given.get("url", PAGE),
            markup.encode("utf-8"),
            "text/html; charset=utf-8",
            tuple(lowered),
            given.get("agent", AGENT),
        )
    )


def _fields(case: Case, key: str = "html") -> dict[str, Any]:
    return case.given if isinstance(case.given, dict) else {key: case.given}


def _contained(text: str, case: Case) -> str:
    """The text that must be in the result's when it is, else the result's."""
    wanted = case.expected.get("text_contains") if isinstance(case.expected, dict) else None
    return wanted if wanted is not None and wanted in text else text


def _links(result: ParseResult) -> list[dict[str, str]]:
    return [{"url": link.url, "anchor": link.anchor} for link in result.links]


def meta_robots(case: Case) -> Any:
    given = _fields(case)
    profile = replace(NUTCH, caching_policy=CachingPolicy(given.get("policy", "content")))
    result = _parse(given["html"], given, profile)
    answers: dict[str, Any] = {
        "noindex": not result.robots.index,
        "nofollow": not result.robots.follow,
        "nocache": not result.robots.archive,
        "parse_meta": {name: value for name, value in result.metadata if name == CACHING_FORBIDDEN},
        "text": result.text,
        "text_contains": _contained(result.text, case),
        "title": result.title,
        "outlinks": _links(result),
    }
    if isinstance(case.expected, dict):
        return {name: answers[name] for name in case.expected if name in answers}
    wanted = given.get("want", ["parse_meta"] if "policy" in given else ["noindex", "nofollow", "nocache"])
    names = [wanted] if isinstance(wanted, str) else wanted
    return {name: answers[name] for name in names if name in answers}


def meta_refresh(case: Case) -> Any:
    given = case.given
    content = html.escape(given.get("content", ""))
    markup = given.get("html") or (
        f'<html><head><title>t</title><meta http-equiv="refresh" content="{content}"/></head>'
        "<body><p>some text</p></body></html>"
    )
    result = _parse(markup, given)
    refresh = result.refresh
    delay = given.get("delay", int(refresh.delay_seconds) if refresh else 0)
    if "question" in given:
        return "temp" if is_temporary_refresh(delay) else "perm"
    target = refresh and OutlinkPolicy().find_redirect(given.get("url", PAGE), refresh.url)
    answers = {
        "refresh": result.status.minor is ParseMinor.REDIRECT,
        "delay": delay,
        "refresh_url": refresh.url if refresh else None,
        "minor": int(result.status.minor),
        "args": list_arguments(result),
        "new_records": int(target is not None),
    }
    has_no_target = not any(mark in given.get("content", ";") for mark in ";,")
    by_default = ("minor", "args", "new_records") if has_no_target and refresh else tuple(answers)[:3]
    names = case.expected if isinstance(case.expected, dict) else by_default
    return {name: answers[name] for name in names if name in answers}


def base_href(case: Case) -> Any:
    given = _fields(case)
    links = _parse(given["html"], given).links
    return links[0].url if links else None


def _is_on(value: Any) -> bool:
    return str(value).lower() == "true"


def _names(value: Any) -> list[str]:
    """Names in a setting: a list, or a text parted by commas or blanks."""
    return value.replace(",", " ").split() if isinstance(value, str) else list(value or [])


def outlinks(case: Case) -> Any:
    given = _fields(case)
    config = given.get("config", {})
    form = config.get("parser.html.form.use_action")
    ignored = _names(config.get("parser.html.outlinks.ignore_tags"))
    profile = with_link_elements(NUTCH, form_action=None if form is None else _is_on(form), ignored=ignored)
    return _links(_parse(given["html"], given, profile))


def text_title(case: Case) -> Any:
    given = _fields(case)
    separators = given.get("config", {}).get("parser.html.line.separators")
    profile = NUTCH
    if separators is not None:
        profile = replace(NUTCH, line_separators=frozenset(_names(separators)))
    result = _parse(given["html"], given, profile)
    return {"text": result.text, "title": result.title}


def encoding_detect(case: Case) -> Any:
    given = _fields(case, "body_latin1")
    threshold = given.get("min_confidence", -1)
    content_type = given.get("content_type") or None
    body = given.get("body_latin1", "").encode("latin-1") or bytes.fromhex(given.get("bytes_hex", ""))
    if ("detector" not in given and "sniffed" not in given) or find_mark(body) is not None:
        return detect_by_clues(body, content_type, threshold).name
    clues = [Clue(label, EncodingSource.STATISTICS, sure) for label, sure in given.get("detector", [])]
    declared = list_declarations(body, content_type, http_equiv_first=True)
    clues += [Clue(label, source) for label, source in declared]
    if given.get("sniffed"):
        clues.append(Clue(given["sniffed"], EncodingSource.BOM))
    return choose_encoding(clues, threshold).name


def text_links(case: Case) -> Any:
    return list_text_links(_fields(case, "text")["text"])


ADAPTERS: Mapping[str, Adapter] = {
    "meta_robots": meta_robots,
    "meta_refresh": meta_refresh,
    "base_href": base_href,
    "outlinks": outlinks,
    "text_title": text_title,
    "encoding_detect": encoding_detect,
    "text_links": text_links,
}
