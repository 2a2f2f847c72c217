"""Hosts that stand for another one: what is accepted, and whose prefixes belong together."""

from __future__ import annotations

import pytest

from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset, RuleSet
from memory_structure.errors import InvalidValue
from memory_structure.host_aliases import MAX_ALIASES, MAX_GROUP, alias_groups, checked_aliases
from memory_structure.prefixes import variations

PAIRS = (("de-de.x.com", "x.com"), ("m.x.com", "x.com"), ("y.co.uk", "y.org"))
POLICY = CorpusOptions(host_aliases=PAIRS).url_policy
X, M, DE = "h:com|h:x|", "h:com|h:x|h:m|", "h:com|h:x|h:de-de|"


def test_pairs_are_brought_into_one_form() -> None:
    given = [(" M.X.com", "www.x.com"), ("m.x.com", "x.com"), ("y.co.uk", "Y.org"), ("de-de.x.com", "x.com")]
    assert checked_aliases(given) == PAIRS
    assert checked_aliases([]) == ()


def test_groups_hold_host_stems_with_the_main_host_first() -> None:
    assert alias_groups(PAIRS) == ((X, DE, M), ("h:org|h:y|", "h:co.uk|h:y|"))


@pytest.mark.parametrize(
    "pairs",
    [
        [("x.com", "www.x.com")],
        [("m.x.com", "x.com"), ("m.x.com", "y.com")],
        [("m.x.com", "x.com"), ("x.com", "y.com")],
        [("m.x.com", "com")],
        [("m.x.com/path", "x.com")],
        [("m.x.com:80", "x.com")],
        [("user@m.x.com", "x.com")],
        [("127.0.0.1", "x.com")],
        [("", "x.com")],
        [("two words", "x.com")],
        [(f"h{n}.x.com", f"h{n}.org") for n in range(MAX_ALIASES + 1)],
        [(f"h{n}.x.com", "x.com") for n in range(MAX_GROUP)],
    ],
)
def test_what_cannot_be_meant_is_refused(pairs: list[tuple[str, str]]) -> None:
    with pytest.raises(InvalidValue):
        checked_aliases(pairs)


def test_hosts_of_a_group_are_variations_of_each_other() -> None:
    found = variations(f"s:https|{M}p:who|", POLICY)
    expected = {
        f"s:{scheme}|{host}{www}p:who|"
        for scheme in ("http", "https")
        for host in (X, M, DE)
        for www in ("", "h:www|")
    }
    assert set(found) == expected
    assert found[0] == f"s:https|{M}p:who|"
    for one in found:
        assert set(variations(one, POLICY)) == expected


def test_other_hosts_and_ports_are_left_alone() -> None:
    assert variations("s:http|h:com|h:x|h:blog|", POLICY) == variations("s:http|h:com|h:x|h:blog|")
    assert f"s:http|t:81|{X}p:a|" in variations(f"s:http|t:81|{M}p:a|", POLICY)
    assert variations(f"s:http|{X}") == tuple(
        v for v in variations(f"s:http|{X}", POLICY) if M not in v and DE not in v
    )


def test_a_rule_counts_at_the_hosts_of_a_group() -> None:
    rules = RuleSet([CreationRule("s:http|h:org|h:y|", Preset.parse("path-1"))], POLICY)
    decision = rules.decide("s:https|h:co.uk|h:y|p:who|p:post|", None)
    assert decision.prefix == "s:https|h:co.uk|h:y|p:who|"
