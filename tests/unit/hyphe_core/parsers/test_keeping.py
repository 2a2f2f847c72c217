"""What is kept of a parse by the rules of a profile."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from hyphe_core.parsers.base import Document
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.keeping import KeepingRules, KeptParse, Redirect, keep, rules_of_profile
from hyphe_core.parsers.outlink_policy import DropCount, DropReason, OutlinkPolicy
from hyphe_core.parsers.profiles import PROFILES, ProfileName
from hyphe_core.parsers.scoring import Opic
from hyphe_core.parsers.signatures import SignatureKind

PAGE = "http://a.com/d/p.html"


def kept(markup: str, name: ProfileName, rules: KeepingRules | None = None, score: float = 0.0) -> KeptParse:
    document = Document(PAGE, markup.encode("utf-8"), "text/html; charset=utf-8")
    result = HtmlParser(PROFILES[name]).parse(document)
    return keep(document, result, rules or rules_of_profile(name), score)


LINKS = "<a href=1>1</a><a href=#top>top</a><a href=?q=1>q</a><a href=1>again</a>"


def test_research_keeps_every_link() -> None:
    parse = kept(LINKS, ProfileName.RESEARCH)
    assert len(parse.result.links) == 4
    assert parse.dropped == ()
    assert parse.shares == ()


def test_the_other_profile_drops_and_counts() -> None:
    parse = kept(LINKS, ProfileName.NUTCH)
    assert [link.url for link in parse.result.links] == ["http://a.com/d/1"]
    assert parse.dropped == (
        DropCount(DropReason.SELF, 1),
        DropCount(DropReason.FILTERED, 1),
        DropCount(DropReason.DUPLICATE, 1),
    )


def test_shares_are_of_kept_links() -> None:
    rules = replace(rules_of_profile(ProfileName.NUTCH), scoring=Opic())
    assert kept(LINKS, ProfileName.NUTCH, rules, score=2.0).shares == (2.0,)
    dropped_count = replace(rules, scoring=Opic(counts_dropped=True))
    assert kept(LINKS, ProfileName.NUTCH, dropped_count, score=2.0).shares == (0.5,)


def test_signatures_are_of_content_or_text() -> None:
    markup = "<p>Some words</p>"
    assert kept(markup, ProfileName.NUTCH).result.signature == hashlib.md5(markup.encode()).hexdigest()
    by_text = KeepingRules(signature=SignatureKind.TEXT_PROFILE)
    same = {kept(text, ProfileName.NUTCH, by_text).result.signature for text in (markup, "<b>words some</b>")}
    assert len(same) == 1


@pytest.mark.parametrize(
    ("content", "redirect"),
    [
        ("0; url=/x", Redirect("http://a.com/x", "http://a.com/x", True)),
        (
            "9; url=/d/longer.html",
            Redirect("http://a.com/d/longer.html", "http://a.com/d/longer.html", False),
        ),
        ("0; url=/d/longer.html", Redirect("http://a.com/d/longer.html", PAGE, True)),
        ("9; url=http://b.com/", Redirect("http://b.com/", "http://b.com/", False)),
        ("9", None),
        ("0; url=#top", None),
        ("0; url=?q", None),
    ],
)
def test_redirects(content: str, redirect: Redirect | None) -> None:
    markup = f'<meta http-equiv="refresh" content="{content}">'
    assert kept(markup, ProfileName.NUTCH).redirect == redirect


def test_a_policy_may_keep_a_redirect_to_a_query() -> None:
    markup = '<meta http-equiv="refresh" content="0; url=?q">'
    parse = kept(markup, ProfileName.RESEARCH, KeepingRules(OutlinkPolicy()))
    assert parse.redirect == Redirect(f"{PAGE}?q", PAGE, True)


def test_a_page_that_leads_to_a_part_of_itself_stays() -> None:
    assert kept('<meta http-equiv="refresh" content="0; url=#top">', ProfileName.RESEARCH).redirect is None
