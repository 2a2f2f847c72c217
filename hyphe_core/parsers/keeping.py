"""What is kept of a parse: its links after a policy, signature, redirect, shares of the score."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hyphe_core.parsers.base import Document, ParseMinor, ParseResult
from hyphe_core.parsers.outlink_policy import DropCount, OutlinkPolicy, nutch_policy
from hyphe_core.parsers.profiles import ProfileName
from hyphe_core.parsers.representative import choose_representative
from hyphe_core.parsers.scoring import ScoringFilter
from hyphe_core.parsers.signatures import SignatureKind, signature_of
from hyphe_core.parsers.statuses import is_temporary_refresh


@dataclass(frozen=True, slots=True)
class KeepingRules:
    """Rules of a corpus. No policy: all links are kept as they were found. No scoring: no shares."""

    policy: OutlinkPolicy | None = None
    signature: SignatureKind = SignatureKind.CONTENT
    scoring: ScoringFilter | None = None


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where a refresh leads: target, the one of both URLs that represents the page, whether it may change."""

    target: str
    representative: str
    is_temporary: bool


@dataclass(frozen=True, slots=True)
class KeptParse:
    """A parse as it is stored.

    `result` has the links that are kept, and its signature. `dropped` counts the other links by reason.
    `shares` is what each kept link is given of the page's score, in order; empty without scoring.
    """

    result: ParseResult
    dropped: tuple[DropCount, ...] = ()
    redirect: Redirect | None = None
    shares: tuple[float, ...] = ()


def rules_of_profile(name: ProfileName) -> KeepingRules:
    """Rules that belong to a profile: none for research, Nutch's policy for the other."""
    return KeepingRules(nutch_policy()) if name is ProfileName.NUTCH else KeepingRules()


def keep(document: Document, result: ParseResult, rules: KeepingRules, score: float = 0.0) -> KeptParse:
    """Apply the rules to the parse of a document whose page has this score."""
    url = result.url or document.url
    links = result.links
    dropped: tuple[DropCount, ...] = ()
    if rules.policy is not None:
        kept = rules.policy.apply(url, links)
        links, dropped = kept.links, kept.dropped
    shares: list[float] = []
    if rules.scoring is not None:
        shares = rules.scoring.distribute(score, url, [link.url for link in links], len(result.links))
    signature = signature_of(rules.signature, document.body, result.text, url)
    return KeptParse(
        replace(result, links=links, signature=signature),
        dropped,
        _find_redirect(url, result, rules.policy),
        tuple(shares),
    )


def _find_redirect(url: str, result: ParseResult, policy: OutlinkPolicy | None) -> Redirect | None:
    """The redirect of a refresh; None when a page loads itself again, or the policy drops the target."""
    if result.refresh is None or result.status.minor not in (ParseMinor.NONE, ParseMinor.REDIRECT):
        return None
    target: str | None = result.refresh.url
    if policy is not None:
        target = policy.find_redirect(url, result.refresh.url)
    if target is None or target.partition("#")[0] == url.partition("#")[0]:
        return None
    temporary = is_temporary_refresh(result.refresh.delay_seconds)
    return Redirect(target, choose_representative(url, target, temporary=temporary), temporary)
