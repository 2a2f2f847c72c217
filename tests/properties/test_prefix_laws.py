"""Laws of prefixes, creation rules and the precision limit."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_structure.creation_rules import CreationRule, Flag, Preset, RuleSet
from memory_structure.lru import (
    UrlPolicy,
    canonical_lru,
    entity_prefix,
    head_of,
    is_under,
    parent_lrus,
    split_stems,
    url_to_lru,
)
from memory_structure.precision import PrecisionLimit
from memory_structure.prefixes import PrefixMap, variations
from memory_structure.strategies import lrus, prefixes, prefixes_of, presets, related_lrus, rules_for, urls

law = settings(deadline=None, max_examples=100)


@law
@given(lrus().map(entity_prefix), st.booleans())
def test_variations_are_at_most_four_and_closed(prefix, private):
    policy = UrlPolicy(private_suffixes=private)
    prefix = canonical_lru(prefix, policy)
    found = variations(prefix, policy)
    assert found[0] == prefix
    assert len(set(found)) == len(found) <= 4
    for variation in found:
        assert set(variations(variation, policy)) == set(found)
        assert canonical_lru(variation, policy) == variation


@st.composite
def _edits(draw):
    """(prefix, value or None for a deletion) in some order, and LRUs to ask for."""
    known = draw(related_lrus(min_size=1, max_size=12))
    values = st.none() | st.integers(0, 9)
    edits = [(draw(prefixes_of(draw(st.sampled_from(known)))), draw(values)) for _ in range(12)]
    return edits, known


@law
@given(_edits())
def test_a_prefix_map_equals_a_naive_model(edits_and_lrus):
    edits, asked = edits_and_lrus
    prefix_map: PrefixMap[int] = PrefixMap()
    model: dict[str, int] = {}
    for prefix, value in edits:
        if value is not None:
            prefix_map[prefix] = value
            model[prefix] = value
        elif model.pop(prefix, None) is not None:
            del prefix_map[prefix]
        _assert_same(prefix_map, model, asked)
    _assert_same(prefix_map.copy(), model, asked)


def _assert_same(prefix_map: PrefixMap[int], model: dict[str, int], asked: list[str]) -> None:
    assert list(prefix_map) == sorted(model)
    assert len(prefix_map) == len(model)
    for lru in asked:
        over = sorted(prefix for prefix in model if is_under(lru, prefix))
        assert list(prefix_map.iter_over(lru)) == [(prefix, model[prefix]) for prefix in over]
        assert prefix_map.find_owner(lru) == ((over[-1], model[over[-1]]) if over else None)
        assert prefix_map.get(lru) == model.get(lru)
        assert (lru in prefix_map) == (lru in model)
        for above in parent_lrus(lru):
            under = sorted(prefix for prefix in model if is_under(prefix, above))
            assert list(prefix_map.iter_under(above)) == [(prefix, model[prefix]) for prefix in under]


@law
@given(lrus(), presets, st.data())
def test_a_preset_gives_an_ancestor_with_the_registered_name(lru, preset, data):
    anchor = data.draw(prefixes_of(lru))
    given_prefix = preset.apply(lru, anchor)
    assert given_prefix is not None
    assert given_prefix in (lru, *parent_lrus(lru))
    domain = Preset.parse("domain").apply(lru, anchor)
    assert domain is not None
    assert given_prefix.startswith(domain)
    assert entity_prefix(given_prefix) == given_prefix


@law
@given(lrus(), presets, st.data())
def test_a_preset_gives_for_its_prefix_the_prefix_again(lru, preset, data):
    anchor = data.draw(prefixes_of(lru))
    prefix = preset.apply(lru, anchor)
    assert prefix is not None
    if is_under(prefix, anchor):
        assert preset.apply(prefix, anchor) == prefix


@st.composite
def _situations(draw):
    """(page, rules anchored around it, the prefix that owns it or None)."""
    lru = draw(lrus())
    return lru, RuleSet(draw(rules_for(lru))), draw(st.none() | prefixes_of(lru))


@law
@given(_situations())
def test_every_page_gets_an_entity_and_only_longer_prefixes_are_created(situation):
    lru, rules, owned = situation
    decision = rules.decide(lru, owned)
    assert decision.prefix is not None
    assert is_under(lru, decision.prefix)
    if decision.flag is Flag.CREATION_RULE:
        assert decision.rule is not None
        assert owned is None or len(decision.prefix) > len(owned)
        assert decision.rule.preset.apply(lru, decision.rule.prefix) == decision.prefix
        assert is_under(lru, decision.rule.prefix)
    else:
        assert decision.flag is Flag.WEB_ENTITY
        assert decision.prefix == owned
        assert decision.rule is None


@law
@given(_situations())
def test_the_default_rule_speaks_only_where_nobody_owns_the_page(situation):
    lru, rules, owned = situation
    decision = rules.decide(lru, owned)
    if decision.rule is not None and decision.rule.is_default:
        assert owned is None
        assert not any(rules.find_rule(prefix) for prefix in (lru, *parent_lrus(lru)))


@law
@given(_situations())
def test_the_candidate_is_the_longest_of_all_anchored_rules(situation):
    lru, rules, owned = situation
    anchored = [rule for prefix in (lru, *parent_lrus(lru)) if (rule := rules.find_rule(prefix)) is not None]
    candidates = [prefix for rule in anchored if (prefix := rule.preset.apply(lru, rule.prefix)) is not None]
    if candidates:
        longest = max(candidates, key=len)
        decided = rules.decide(lru, owned)
        assert decided.creates == (owned is None or len(longest) > len(owned))
        assert decided.prefix == (longest if decided.creates else owned)


@law
@given(_situations())
def test_a_page_whose_entity_was_created_asks_for_nothing_more(situation):
    lru, rules, owned = situation
    first = rules.decide(lru, owned)
    again = rules.decide(lru, first.prefix)
    assert (again.flag, again.prefix) == (Flag.WEB_ENTITY, first.prefix)


@law
@given(prefixes(), presets)
def test_a_rule_counts_at_every_variation_of_its_prefix(prefix, preset):
    rules = RuleSet([CreationRule(prefix, preset)])
    for variation in variations(prefix):
        rule = rules.find_rule(variation)
        assert rule is not None
        assert (rule.prefix, rule.preset) == (variation, preset)


@law
@given(related_lrus(max_size=8), st.none() | st.integers(0, 3), st.data())
def test_nodes(lrus, limit, data):
    some = data.draw(st.lists(st.sampled_from(lrus), max_size=3))
    exceptions = [data.draw(prefixes_of(lru)) for lru in some]
    precision = PrecisionLimit(limit, exceptions)
    for lru in lrus:
        node, head = precision.node(lru), precision.head(lru)
        assert is_under(lru, node)
        assert is_under(node, head)
        assert precision.node(node) == node
        assert precision.is_node(lru) == (node == lru)
        covering = [prefix for prefix in exceptions if is_under(lru, prefix)]
        assert head == max(covering, key=len, default=head_of(lru))
        n_after_head = len(split_stems(lru)) - len(split_stems(head))
        n_kept = len(split_stems(node)) - len(split_stems(head))
        assert n_kept == (n_after_head if limit is None else min(limit, n_after_head))


@law
@given(urls(), st.integers(0, 3), st.integers(0, 3))
def test_a_coarser_limit_gives_an_ancestor(url, fine, coarse):
    fine, coarse = max(fine, coarse), min(fine, coarse)
    lru = url_to_lru(url)
    assert is_under(PrecisionLimit(fine).node(lru), PrecisionLimit(coarse).node(lru))
