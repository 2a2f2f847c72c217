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
from hyphe_core.parsers.statuses import TRUNCATED, is_temporary_refresh
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
    wanted = _regex_filter(given.get("filter")) if given.get("filter_urls", True) else None
    normalizes = given.get("normalize", given.get("normalize_urls", True))
    return OutlinkPolicy(
        max_characters=None if given.get("max_length", 4096) < 0 else given.get("max_length", 4096),
        max_links=None if given.get("max_outlinks", 100) < 0 else given.get("max_outlinks", 100),
        ignores_external=given.get("ignore_external", False),
        ignores_internal=given.get("ignore_internal", False),
        place=Place.DOMAIN if str(given.get("mode")).lower() == "bydomain" else Place.HOST,
        exemptions=_regex_filter(given.get("exempt")),
        normalizers=NormalizerChain((BasicNormalizer(),) if normalizes else ()),
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
    urls = given["links"]
    if isinstance(urls, int):
        urls = [f"http://b.com/{'rejected' if i < n_rejected else 'kept'}/{i}" for i in range(urls)]
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
    if "pars" in event or event.startswith("pass"):
        return {"score": float(given.get("score") or 0.0)}
    return {"score": scoring.initial(given.get("score", 0.0))}


def _distributed(scoring: Opic, given: Mapping[str, Any]) -> Any:
    targets = given["targets"]
    score = float(given.get("score") or 0.0)
    shares = scoring.distribute(score, given.get("page", PAGE), targets, given.get("all", len(targets)))
    sums: dict[str, float] = defaultdict(float)
    for target, share in zip(targets, shares, strict=True):
        sums[target] += share
    return dict(sums)


# -- others -------------------------------------------------------------------
def signature(case: Case) -> Any:
    given = case.given if isinstance(case.given, dict) else {"text": case.given}
    if "a" in given:
        first, second = (_signature_of({**given, "text": given[name]}) for name in ("a", "b"))
        return "equal" if first == second else "different"
    return _signature_of(given)


def _signature_of(given: Mapping[str, Any]) -> str:
    text = given.get("text")
    if not text:
        return md5_of_content(given.get("body_latin1", "").encode("latin-1"), given.get("url", ""))
    length = given.get("min_token_length", given.get("min_token_len", 2))
    rate = given.get("rate", given.get("quant_rate", 0.01))
    return text_profile_signature(text, min_length=length, rate=rate)


def representative(case: Case) -> Any:
    given = case.given
    by_delay = "temp" if is_temporary_refresh(given.get("delay", 0)) else "perm"
    temporary = str(given.get("kind", by_delay)).startswith("temp")
    chain = given.get("chain") or [given["from"], given["to"]]
    chosen: str = chain[0]
    for target in chain[1:]:
        chosen = choose_representative(chosen, target, temporary=temporary)
    return chosen


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
    n_bytes = len(given["body"] or "") if "body" in given else given.get("body_length", N_BODY_BYTES)
    n_bytes = n_bytes or None
    if given.get("metadata", True) is None:
        return False
    return is_truncated(n_bytes, None if length is None else str(length), None if flag is None else str(flag))


def parser_selection(case: Case) -> Any:
    given = case.given
    enabled = given.get("enabled", list(DECLARED))
    chosen = ParserMap(given.get("map", MAP), DECLARED, enabled).select(
        given.get("type") or "", given.get("url_suffix", "")
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
    if outcome in ("exception", "timeout"):
        raise RuntimeError(outcome)
    major, _, minor = outcome.partition("/")
    if major == "success":
        return ParseStatus(ParseMajor.SUCCESS, ParseMinor(int(minor or 0)))
    return failed(ParseMinor(int(minor or ParseMinor.EXCEPTION)), outcome)


def _fields(case: Case, key: str) -> Mapping[str, Any]:
    """The input as a table; a plain value is that of `key`."""
    return case.given if isinstance(case.given, dict) else {key: case.given}


def mime_sniff(case: Case) -> str:
    given = _fields(case, "body_latin1")
    if "bytes_hex" in given:
        return recognise(bytes.fromhex(given["bytes_hex"]))
    return recognise(given["body_latin1"].encode("latin-1"))


ADAPTERS: Mapping[str, Adapter] = {
    "outlink_policy": outlink_policy,
    "opic": opic,
    "signature_text_profile": signature,
    "repr_url": representative,
    "truncation": truncation,
    "parser_selection": parser_selection,
    "http_status_map": lambda case: protocol_status(int(_fields(case, "code")["code"])),
    "mime_sniff": mime_sniff,
}
