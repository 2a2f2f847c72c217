"""Creation rules: presets, what they fall back to, and the one decision for a page."""

import re

import pytest

from memory_structure.creation_rules import (
    DEFAULT_RULE,
    HYPHE_DEFAULT_RULES,
    NAMED_RULES,
    CreationRule,
    Decision,
    Flag,
    Preset,
    PresetKind,
    RuleSet,
    rule_for_url,
)
from memory_structure.lru import BadUrl, UrlPolicy, url_to_lru

PAGE = "s:http|h:com|h:x|h:blog|h:www|p:a|p:b|p:c|q:d|"
SITE = "s:http|h:com|h:x|"


@pytest.mark.parametrize(
    "name", ["domain", "subdomain", "subdomain-1", "subdomain-12", "path-1", "page", "prefix+3"]
)
def test_names_of_presets(name):
    assert str(Preset.parse(name)) == name
    assert Preset.parse(f" {name.upper()} ") == Preset.parse(name)


@pytest.mark.parametrize(
    "name",
    ["", "path", "path-0", "path-x", "prefix-1", "subdomain+1", "page-1", "domain-2", "(.*)", "path-1x"],
)
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="subdomain-N"):
        Preset.parse(name)


@pytest.mark.parametrize(
    ("preset", "lru", "prefix"),
    [
        ("domain", PAGE, SITE),
        ("domain", "s:http|t:8080|h:co.uk|h:x|p:a|", "s:http|t:8080|h:co.uk|h:x|"),
        ("domain", "s:http|h:127.0.0.1|p:a|", "s:http|h:127.0.0.1|"),
        ("domain", "s:http|h:[::1]|p:a|", "s:http|h:[::1]|"),
        ("domain", "s:http|h:localhost|", "s:http|h:localhost|"),
        ("domain", "s:http|h:org|h:www|h:a|", "s:http|h:org|h:www|"),
        ("domain", "s:http|h:io|h:github|p:a|", "s:http|h:io|h:github|"),
        ("subdomain", PAGE, "s:http|h:com|h:x|h:blog|h:www|"),
        ("subdomain-1", PAGE, "s:http|h:com|h:x|h:blog|"),
        ("subdomain-2", PAGE, "s:http|h:com|h:x|h:blog|h:www|"),
        ("subdomain-3", PAGE, "s:http|h:com|h:x|h:blog|h:www|"),
        ("subdomain-1", "s:http|h:com|h:x|p:a|", SITE),
        ("subdomain-1", "s:http|h:127.0.0.1|p:a|", "s:http|h:127.0.0.1|"),
        ("path-1", PAGE, "s:http|h:com|h:x|h:blog|h:www|p:a|"),
        ("path-3", PAGE, "s:http|h:com|h:x|h:blog|h:www|p:a|p:b|p:c|"),
        ("path-2", SITE + "p:a|", SITE + "p:a|"),
        ("path-2", SITE + "p:a|p:|", SITE + "p:a|"),
        ("path-2", SITE + "p:a|p:|p:c|", SITE + "p:a|"),
        ("path-1", SITE, SITE),
        ("path-1", SITE + "p:|p:a|", SITE),
        ("page", PAGE, PAGE),
        ("page", SITE + "p:a|p:|", SITE + "p:a|"),
        ("page", SITE + "p:a|p:|q:b|", SITE + "p:a|p:|q:b|"),
    ],
)
def test_prefix_given_by_a_preset(preset, lru, prefix):
    assert Preset.parse(preset).apply(lru, SITE) == prefix


def test_a_path_preset_does_not_count_the_query():
    assert Preset.parse("path-1").apply(SITE + "q:b|", SITE) == SITE


@pytest.mark.parametrize(
    ("preset", "anchor", "prefix"),
    [
        ("prefix+1", SITE, "s:http|h:com|h:x|h:blog|"),
        ("prefix+3", SITE, "s:http|h:com|h:x|h:blog|h:www|p:a|"),
        ("prefix+1", "s:http|h:com|h:x|h:blog|h:www|p:a|", "s:http|h:com|h:x|h:blog|h:www|p:a|p:b|"),
        (
            "prefix+2",
            "s:http|h:com|h:x|h:blog|h:www|p:a|p:b|",
            "s:http|h:com|h:x|h:blog|h:www|p:a|p:b|p:c|q:d|",
        ),
        ("prefix+9", "s:http|h:com|h:x|h:blog|h:www|p:a|p:b|", PAGE),
        ("prefix+1", "s:http|h:com|", SITE),
        ("prefix+1", "", "s:http|h:com|h:x|h:blog|h:www|p:a|"),
    ],
)
def test_prefix_and_so_many_stems_more(preset, anchor, prefix):
    assert Preset.parse(preset).apply(PAGE, anchor) == prefix


def test_a_text_without_host_gives_no_prefix():
    assert Preset.parse("domain").apply("", "") is None


@pytest.mark.parametrize("name", ["domain", "subdomain", "subdomain-1", "path-2", "page", "prefix+2"])
def test_the_shown_pattern_finds_the_same_prefix(name):
    preset = Preset.parse(name)
    for lru in (PAGE, "s:http|t:81|h:com|h:x|h:blog|p:a|p:b|"):
        anchor = SITE if lru.startswith(SITE) else "s:http|t:81|h:com|h:x|"
        found = re.match(preset.regexp(anchor), lru)
        assert found
        assert found[0] == preset.apply(lru, anchor)


def rules(*given: tuple[str, str]) -> RuleSet:
    return RuleSet(CreationRule(prefix, Preset.parse(preset)) for prefix, preset in given)


def decided(ruleset: RuleSet, lru: str, owned: str | None = None) -> tuple[Flag, str | None]:
    decision = ruleset.decide(lru, owned)
    assert decision.creates == (decision.flag is Flag.CREATION_RULE)
    return decision.flag, decision.prefix


def test_the_default_rule_speaks_where_nobody_owns_the_page():
    decision = rules(("", "subdomain")).decide(PAGE, None)
    assert decision == Decision(
        Flag.CREATION_RULE, "s:http|h:com|h:x|h:blog|h:www|", CreationRule("", Preset(PresetKind.SUBDOMAIN))
    )
    assert decision.rule is not None
    assert decision.rule.is_default


def test_the_default_rule_is_silent_on_owned_pages():
    assert decided(rules(("", "page")), PAGE, SITE) == (Flag.WEB_ENTITY, SITE)
    assert decided(rules(("", "domain")), PAGE, "s:http|h:com|h:x|h:blog|h:www|p:a|") == (
        Flag.WEB_ENTITY,
        "s:http|h:com|h:x|h:blog|h:www|p:a|",
    )


def test_an_anchored_rule_creates_inside_an_owned_prefix():
    assert decided(rules((SITE, "path-1")), SITE + "p:a|p:b|", SITE) == (Flag.CREATION_RULE, SITE + "p:a|")


@pytest.mark.parametrize("owned", [SITE + "p:a|", SITE + "p:a|p:b|"])
def test_nothing_is_created_that_is_not_longer_than_what_is_owned(owned):
    assert decided(rules((SITE, "path-1")), SITE + "p:a|p:b|", owned) == (Flag.WEB_ENTITY, owned)


def test_an_anchored_rule_replaces_the_default():
    assert decided(rules((SITE, "domain"), ("", "page")), PAGE) == (Flag.CREATION_RULE, SITE)


def test_the_longest_match_of_all_rules_on_the_path_wins():
    both = rules((SITE, "path-2"), (SITE + "p:a|", "path-1"))
    decision = both.decide(SITE + "p:a|p:b|p:c|", None)
    assert decision.prefix == SITE + "p:a|p:b|"
    assert decision.rule == CreationRule(SITE, Preset(PresetKind.PATH_N, 2))


def test_of_two_equal_matches_the_deeper_rule_is_told():
    both = rules((SITE, "path-1"), (SITE + "p:a|", "path-1"))
    assert both.decide(SITE + "p:a|p:b|", None).rule == CreationRule(
        SITE + "p:a|", Preset(PresetKind.PATH_N, 1)
    )


def test_no_rule_and_no_host_is_no_web_entity():
    assert RuleSet().decide("", None) == Decision(Flag.NO_WEB_ENTITY, None, None)


def test_a_rule_counts_at_the_variations_of_its_prefix():
    one = rules((SITE, "path-1"))
    for page in ("http://x.com/a/b", "https://x.com/a/b", "http://www.x.com/a/b", "https://www.x.com/a/b"):
        decision = one.decide(url_to_lru(page), None)
        assert decision.prefix == url_to_lru(page.removesuffix("/b"))
    assert one.decide(url_to_lru("http://y.com/a/b"), None).prefix == "s:http|h:com|h:y|"


def test_a_rule_of_its_own_counts_before_that_of_a_variation():
    both = rules(("s:https|h:com|h:x|", "page"), (SITE, "path-1"))
    assert both.decide("s:https|h:com|h:x|p:a|p:b|", None).prefix == "s:https|h:com|h:x|p:a|p:b|"
    assert both.decide("s:http|h:com|h:x|p:a|p:b|", None).prefix == "s:http|h:com|h:x|p:a|"


def test_of_two_rules_for_one_prefix_the_later_counts():
    assert decided(rules((SITE, "page"), (SITE, "path-1")), SITE + "p:a|p:b|")[1] == SITE + "p:a|"


def test_a_rule_for_a_public_suffix_covers_its_tenants():
    ruleset = RuleSet([rule_for_url("github.io", "path-1")])
    assert (
        ruleset.decide(url_to_lru("https://bob.github.io/x/y"), None).prefix
        == "s:https|h:github.io|h:bob|p:x|"
    )
    assert ruleset.decide(url_to_lru("http://github.io/x/y"), None).prefix == "s:http|h:io|h:github|p:x|"
    policy = UrlPolicy(private_suffixes=False)
    alone = RuleSet([rule_for_url("github.io", "path-1", policy)], policy)
    assert (
        alone.decide(url_to_lru("http://bob.github.io/x/y", policy), None).prefix
        == "s:http|h:io|h:github|h:bob|p:x|"
    )


def test_rules_are_listed_found_added_and_taken_away():
    ruleset = rules((SITE, "path-1"), ("", "page"))
    assert ruleset.default == CreationRule("", Preset(PresetKind.PAGE))
    assert ruleset.rules == (ruleset.default, CreationRule(SITE, Preset(PresetKind.PATH_N, 1)))
    assert ruleset.find_rule("") == ruleset.default
    assert ruleset.find_rule("s:https|h:com|h:x|") == CreationRule(
        "s:https|h:com|h:x|", Preset(PresetKind.PATH_N, 1)
    )
    assert ruleset.find_rule(SITE + "p:a|") is None
    replaced = ruleset.with_rule(CreationRule("s:https|h:com|h:x|", Preset(PresetKind.PAGE)))
    assert [rule.prefix for rule in replaced.rules] == ["", "s:https|h:com|h:x|"]
    assert ruleset.without_rule("s:https|h:com|h:x|h:www|").rules == (ruleset.default,)
    assert ruleset.without_rule("").default == DEFAULT_RULE
    assert len(ruleset.rules) == 2


def test_the_rules_of_hyphe_are_there_by_name():
    assert NAMED_RULES["hyphe"] == HYPHE_DEFAULT_RULES
    assert len(HYPHE_DEFAULT_RULES) == 30
    ruleset = RuleSet(HYPHE_DEFAULT_RULES)
    for page, entity in {
        "https://twitter.com/bob/status/1": "https://twitter.com/bob",
        "https://www.facebook.com/groups/bob/x": "https://www.facebook.com/groups/bob",
        "https://www.facebook.com/bob/x": "https://www.facebook.com/bob",
        "http://www.reddit.com/r/france/x": "http://www.reddit.com/r/france",
        "http://bob.free.fr/x": "http://bob.free.fr",
        "http://x.bob.wordpress.com/x": "http://x.bob.wordpress.com",
        "http://www.lemonde.fr/x": "http://lemonde.fr",
    }.items():
        assert ruleset.decide(url_to_lru(page), None).prefix == url_to_lru(entity)


def test_rule_for_a_url():
    assert rule_for_url("https://x.com/a/", "Path-1") == CreationRule(
        "s:https|h:com|h:x|p:a|", Preset(PresetKind.PATH_N, 1)
    )
    with pytest.raises(BadUrl):
        rule_for_url("com", "page")
    with pytest.raises(ValueError, match="unknown creation rule"):
        rule_for_url("x.com", "pages")
