"""Adapters of the groups about what is kept of a parse: policy, scores, signatures, selection, statuses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from hyphe_core.parsers.base import Link, ParseMajor, ParseMinor, ParseStatus, failed
from hyphe_core.parsers.dialects import recognise
from hyphe_core.parsers.outlink_policy import INVERTED_ANCHOR_CHARACTERS, DropReason, OutlinkPolicy, Place
from hyphe_core.parsers.protocol_statuses import is_truncated, parses_body, protocol_status
from hyphe_core.parsers.representative import choose_representative
from hyphe_core.parsers.scoring import Opic
from hyphe_core.parsers.selection import Declaration, ParserMap, run_in_order
from hyphe_core.parsers.signatures import md5_of_content, text_profile_signature
from hyphe_core.parsers.statuses import TRUNCATED
from hyphe_core.parsers.url_rules.basic_normalizer import BasicNormalizer
from hyphe_core.parsers.url_rules.chains import FilterChain, NormalizerChain
from hyphe_core.parsers.url_rules.regex_filter import RegexFilter, read_regex_rules
from memory_structure.records import Area, LinkKind
from tests.vectors.cases import Adapter, Case

N_BODY_BYTES = 19
PAGE = "http://a.com/p"
MAP = {
    "*": ["tika"],
    "text/html": ["html"],
    "application/rss+xml": ["tika", "feed"],
    "text/xml": ["tika", "feed"],
}
DECLARED = {
    "html": Declaration("html", ("text/html", "application/xhtml+xml")),
    "tika": Declaration("tika", ("*",)),
    "feed": Declaration("feed", ("application/rss+xml",)),
}


# -- outlink policy -----------------------------------------------------------
def _regex_filter(rules: str | None) -> RegexFilter | None:
    return None if rules is None else RegexFilter(read_regex_rules(rules))


def _policy_of(given: Mapping[str, Any]) -> OutlinkPolicy:
    wanted = _regex_filter(given.get("filter"))
    return OutlinkPolicy(
        max_characters=given.get("max_length", 4096),
        max_links=None if given.get("max_outlinks", 100) < 0 else given.get("max_outlinks", 100),
        ignores_external=given.get("ignore_external", False),
        ignores_internal=given.get("ignore_internal", False),
        place=Place(given.get("mode", "byHost")),
        exemptions=_regex_filter(given.get("exempt")),
        normalizers=NormalizerChain((BasicNormalizer(),) if given.get("normalize", True) else ()),
        filters=FilterChain((wanted,) if wanted else ()),
    )


def _link(url: str, anchor: str = "") -> Link:
    return Link(url, LinkKind.HYPERLINK, anchor, "", Area.MAIN)


def outlink_policy(case: Case) -> Any:
    given = case.given
    if "anchor_length" in given:
        cuts = given.get("where", "link db") == "link db"
        policy = OutlinkPolicy(max_anchor_characters=INVERTED_ANCHOR_CHARACTERS if cuts else None)
        kept = policy.apply(PAGE, [_link("http://b.com/", "x" * given["anchor_length"])])
        return {"anchor_length": len(kept.links[0].anchor)}
    if "links" in given:
        return _counted(given)
    judged = _policy_of(given).judge(given.get("page", PAGE), given["link"])
    return "drop" if isinstance(judged, DropReason) else f"keep {judged}"


def _counted(given: Mapping[str, Any]) -> Any:
    n_rejected = given.get("rejected_first", 0)
    policy = _policy_of({"filter": "-/rejected/\n+.", **given})
    urls = [f"http://b.com/{'rejected' if i < n_rejected else 'kept'}/{i}" for i in range(given["links"])]
    kept = policy.apply(PAGE, [_link(url) for url in urls])
    return {"stored": len(kept.links), "examined": kept.n_examined}


# -- scores -------------------------------------------------------------------
def opic(case: Case) -> Any:
    given = case.given
    scoring = Opic(
        injected_score=given.get("configured", 1.0),
        internal=given.get("internal", 1.0),
        external=given.get("external", 1.0),
        counts_dropped=given.get("count_filtered", False),
    )
    event = given["event"]
    if event == "inject":
        return {"score": scoring.injected(0.0)}
    if event == "distribute":
        return _distributed(scoring, given)
    if event == "update":
        fetched = given.get("fetched_datum")
        return {"score": scoring.update(given.get("old"), fetched, given.get("inlinks", []))}
    if event == "generate":
        return {"sort": scoring.sort_value(given["score"], given.get("init", 1.0))}
    if event in ("index", "indexer"):
        return {"boost": scoring.index_boost(given["score"], given.get("init", 1.0))}
    return {"score": scoring.initial(given.get("score", 0.0))}


def _distributed(scoring: Opic, given: Mapping[str, Any]) -> Any:
    targets = given["targets"]
    shares = scoring.distribute(given["score"], given["page"], targets, given.get("all", len(targets)))
    sums: dict[str, float] = defaultdict(float)
    for target, share in zip(targets, shares, strict=True):
        sums[target] += share
    return dict(sums)


# -- others -------------------------------------------------------------------
def signature(case: Case) -> Any:
    given = case.given
    if isinstance(given, dict) and "a" in given:
        texts = (given["a"], given["b"])
        first, second = (text_profile_signature(text) for text in texts)
        return "equal" if first == second else "different"
    text = given if isinstance(given, str) else given.get("text", "")
    if not text:
        body = given.get("body_latin1", "") if isinstance(given, dict) else ""
        return md5_of_content(body.encode("latin-1"), given.get("url", "") if isinstance(given, dict) else "")
    options = given if isinstance(given, dict) else {}
    return text_profile_signature(
        text, min_length=options.get("min_token_length", 2), rate=options.get("rate", 0.01)
    )


def representative(case: Case) -> Any:
    given = case.given
    return choose_representative(given["from"], given["to"], temporary=given["kind"] == "temp")


def truncation(case: Case) -> Any:
    given = case.given
    if "truncated" in given:
        if parses_body(truncated=given["truncated"], skips_truncated=given.get("skip_truncated", True)):
            return {
                "parse": "done",
                "records": [f"failed/{int(TRUNCATED.minor)}"] if given["truncated"] else [],
            }
        return {"parse": "skipped", "records": []}
    length = given.get("content_length")
    flag = given.get("flag")
    return is_truncated(
        N_BODY_BYTES, None if length is None else str(length), None if flag is None else str(flag)
    )


def parser_selection(case: Case) -> Any:
    given = case.given
    enabled = given.get("enabled", list(DECLARED))
    chosen = ParserMap(given.get("map", MAP), DECLARED, enabled).select(
        given["type"], given.get("url_suffix", "")
    )
    outcomes = [given.get("first_result"), given.get("second_result")]
    if outcomes == [None, None]:
        return list(chosen.parsers)
    by_name = dict(zip(chosen.parsers, outcomes, strict=False))
    attempt = run_in_order(chosen.parsers, lambda name: _status(by_name.get(name)))
    if attempt.status.is_success:
        return {"used": attempt.parser}
    return {"status": attempt.status.major.name.lower(), "minor": int(attempt.status.minor)}


def _status(outcome: str | None) -> ParseStatus | None:
    if outcome is None:
        return None
    if outcome == "exception":
        raise RuntimeError(outcome)
    major, _, minor = outcome.partition("/")
    if major == "success":
        return ParseStatus(ParseMajor.SUCCESS, ParseMinor(int(minor or 0)))
    return failed(ParseMinor(int(minor or 0)), outcome)


ADAPTERS: Mapping[str, Adapter] = {
    "outlink_policy": outlink_policy,
    "opic": opic,
    "signature_text_profile": signature,
    "repr_url": representative,
    "truncation": truncation,
    "parser_selection": parser_selection,
    "http_status_map": lambda case: protocol_status(int(case.given["code"])),
    "mime_sniff": lambda case: recognise(case.given["body_latin1"].encode("latin-1")),
}
