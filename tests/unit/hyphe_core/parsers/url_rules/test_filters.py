"""Filters beyond the vectors, and chains built from options."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from hyphe_core.parsers.url_rules.addresses import MalformedUrl
from hyphe_core.parsers.url_rules.chains import FilterChain, NormalizerChain, nutch_filters, nutch_normalizers
from hyphe_core.parsers.url_rules.fast_filter import read_fast_rules
from hyphe_core.parsers.url_rules.list_filters import DomainFilter, PrefixFilter, read_suffix_rules
from hyphe_core.parsers.url_rules.options import NUTCH_CHAINS, ChainOptions, StepOption, build_chains
from hyphe_core.parsers.url_rules.regex_filter import RegexFilter, read_regex_rules
from hyphe_core.parsers.url_rules.steps import BadRules, Normalizer, Scope
from hyphe_core.parsers.url_rules.validator_filter import ValidatorFilter


def test_scoped_rules_hold_for_a_host_or_a_domain() -> None:
    rules = "> e.org\n-skip\n+.\n<\n> www.x.org\n+ok\n<\n+keep\n"
    scoped = RegexFilter(read_regex_rules(rules))
    verdicts = {
        "http://www.e.org/skip": False,
        "http://www.e.org/a": True,
        "http://www.x.org/ok": True,
        "http://x.org/ok": False,
        "http://y.org/keep/skip": True,
        "no url, keep": True,
    }
    assert {url: scoped.accepts(url) for url in verdicts} == verdicts


@pytest.mark.parametrize("rules", ["x.", "+(", "-(a+)+$", "* a"])
def test_bad_rules(rules: str) -> None:
    with pytest.raises(BadRules, match="line 2"):
        read_regex_rules("+.\n" + rules)


def test_a_url_too_long_for_a_rule_does_not_pass() -> None:
    rule = RegexFilter(read_regex_rules("-a.*b.*c\n+."))
    assert rule.accepts("http://e.org/x")
    assert not rule.accepts("http://e.org/" + "x" * 700)


@pytest.mark.parametrize(
    ("rules", "url", "passes"),
    [
        ("-\n.html", "http://e.org/a.html", True),
        ("-\n.html", "http://e.org/a.htm", False),
        (".html", "http://e.org/a.htm", False),
        ("+", "http://e.org/", True),
        ("-", "http://e.org/", False),
        ("+IP\n.JS", "http://e.org/A.js?x", False),
        ("# c\n+P\n\n.js", "http://e.org/x?a.js", True),
        ("+P\n.js", "nothing.js", False),
    ],
)
def test_suffixes(rules: str, url: str, passes: bool) -> None:
    assert read_suffix_rules(rules).accepts(url) is passes


def test_prefixes_are_taken_to_the_letter() -> None:
    assert not PrefixFilter([]).accepts("http://e.org/")
    assert not PrefixFilter(["http://E.org/"]).accepts("http://e.org/")


def test_domains_allowed_and_denied() -> None:
    assert DomainFilter(["CO.UK "]).accepts("http://www.e.co.uk/")
    assert not DomainFilter(["uk"]).accepts("http://www.e.co.uk/")
    assert not DomainFilter(["e.org"]).accepts("not a url")
    assert DomainFilter(["e.org"]).accepts("http://www.e.org./")
    assert not DomainFilter(["nn"]).accepts("http://e.nn/")
    assert DomainFilter([]).accepts("not a url")
    assert not DomainFilter([], denies=True).accepts("not a url")
    assert not DomainFilter(["e.org"], denies=True).accepts("http://a.e.org/")
    assert DomainFilter(["e.org"], denies=True).accepts("http://x.org/")


def test_fast_rules_by_host_domain_and_everywhere() -> None:
    rules = read_fast_rules(
        "# c\nHost www.e.org # c\n  DenyPathQuery act=out reason\n"
        "Domain x.org\n  DenyPath ^/private\nDomain .\n  DenyPath \\.exe$"
    )
    verdicts = {
        "http://www.e.org/?act=out": False,
        "http://e.org/?act=out": True,
        "http://a.b.x.org/private/": False,
        "http://x.org/private": False,
        "http://xx.org/private": True,
        "http://any.org/a.exe": False,
        "file:/a.exe": False,
        "no url": False,
    }
    assert {url: rules.accepts(url) for url in verdicts} == verdicts


@pytest.mark.parametrize("text", ["DenyPath x", "Host", "Host a\nAllow x", "Host a\nDenyPath (a+)+$"])
def test_bad_fast_rules(text: str) -> None:
    with pytest.raises(BadRules):
        read_fast_rules(text)


@pytest.mark.parametrize(
    ("url", "passes"),
    [
        ("http://a.com", True),
        ("http://a.com?x=1#f", True),
        ("ftp://a.b.co/x;y", True),
        ("http://a.museum/", True),
        ("http://1.2.3.4/", True),
        ("http://1.2.3/", False),
        ("http://localhost/", False),
        ("http://-a.com/", True),
        ("http://a..com/", False),
        ("http://a.b2/", True),
        ("http://a.com/b/...", False),
        ("http://a.com/b/c/d/...", True),
        ("http://a.com/b///..", False),
        ("http://a.com./", False),
        ("http://a.com:/", False),
        ("http://a.com/x y", False),
        ("http://a.com/é", False),
        ("http://a.com/a/../b", True),
        ("http://a.com/../../b", False),
        ("http://a.com/<x>", False),
        ("ftp:www.a.com/x", False),
        ("1http://a.com/", False),
        ("x2://a.com/", False),
        ("view-source://a.com/", False),
        ("file:///x", False),
    ],
)
def test_validator(url: str, passes: bool) -> None:
    assert ValidatorFilter().accepts(url) is passes


# -- chains -------------------------------------------------------------------
class Appending(Normalizer):
    """Appends a letter, twelve characters at most."""

    def __init__(self, letter: str) -> None:
        self._letter = letter

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        return url + self._letter if len(url) < 12 else url


def test_steps_run_in_order_by_scope_and_again_until_nothing_changes() -> None:
    steps = (Appending("a"), Appending("b"))
    chain = NormalizerChain(steps, {Scope.OUTLINK: (Appending("c"),)})
    assert chain.normalize("x") == "xab"
    assert chain.normalize("x", Scope.OUTLINK) == "xc"
    assert NormalizerChain(steps, n_rounds=2).normalize("x") == "xabab"
    assert NormalizerChain(steps, n_rounds=99).normalize("x") == "x" + "ab" * 5 + "a"


def test_a_refusal_ends_the_chain() -> None:
    chain = nutch_normalizers()
    assert chain.find_normal("tel:1") is None
    with pytest.raises(MalformedUrl):
        chain.normalize("tel:1")


def test_filters_must_agree() -> None:
    assert FilterChain().accepts("anything")
    assert nutch_filters().accepts("http://e.org/a")
    both = FilterChain((PrefixFilter(["http://"]), DomainFilter(["e.org"])))
    assert both.accepts("http://e.org/")
    assert not both.accepts("https://e.org/")
    assert not both.accepts("http://x.org/")


def test_chains_of_a_corpus() -> None:
    options = ChainOptions(
        (StepOption("basic"), StepOption("host", "*.e.org e.org"), StepOption("querystring")),
        (StepOption("regex", "-skip\n+."), StepOption("domaindenylist", "x.org"), StepOption("validator")),
        MappingProxyType({"fetcher": (StepOption("regex"), StepOption("regex", "[[rule]]\npattern = 'b'"))}),
    )
    normalizers, filters = build_chains(options)
    assert normalizers.normalize("HTTP://www.e.org?b&a") == "http://e.org/?a&b"
    assert normalizers.normalize("http://b.org/#x", Scope.FETCHER) == "http://.org/"
    assert filters.accepts("http://e.org/")
    assert not filters.accepts("http://e.org/skip")
    assert not filters.accepts("http://www.x.org/")
    assert not filters.accepts("http://e/")


def test_the_shipped_chains_are_options_too() -> None:
    normalizers, filters = build_chains(NUTCH_CHAINS)
    assert normalizers.normalize("http://E.org?sid=1") == "http://e.org/"
    assert not filters.accepts("http://e.org/?q=1")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (ChainOptions((StepOption("unknown"),)), "unknown normaliser 'unknown'"),
        (ChainOptions((), (StepOption("basic"),)), "unknown filter 'basic'"),
        (ChainOptions((), (StepOption("regex", "x"),)), "regex: line 1"),
        (ChainOptions((StepOption("slash", "e.org x"),)), "slash: a host's slash"),
        (ChainOptions((StepOption("host", "a" * 1_000_001),)), "more than 1000000"),
        (ChainOptions(normalizers_by_scope=MappingProxyType({"x": ()})), "unknown scope 'x'"),
    ],
)
def test_faults_of_options_are_told(options: ChainOptions, told: str) -> None:
    with pytest.raises(BadRules, match=told):
        build_chains(options)
